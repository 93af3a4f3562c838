"""`make test-cuda`: programs and records of arrays on a device of CUDA's, with PyTorch and with CuPy.

In: nothing. Out: pytest's status; 1 where there is no device. What is tested: every record's samples against
NumPy, programs against autograd, equal bits over schedules and runs, memory within a budget, no
synchronisation while steps run, and the programs of tests/arrays/test_cupy.py with CuPy itself.
"""

from __future__ import annotations

import os
import subprocess
import sys

import torch

if not torch.cuda.is_available():
    sys.exit("test-cuda: PyTorch finds no device of CUDA's here")
print(f"on {torch.cuda.get_device_name()}, PyTorch {torch.__version__}", flush=True)
sys.exit(
    subprocess.call(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "tests/cuda"],
        env={**os.environ, "CHECKPOINT_TEST_DEVICE": "cuda"},
    )
)
