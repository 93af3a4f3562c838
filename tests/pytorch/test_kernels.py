"""PyTorch's kernels on NumPy's arrays (CHECKPOINT_KERNELS): each case is a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from checkpoint import engines, grad
from checkpoint.ad.pullbacks import Like
from checkpoint.cli.doctor import report
from tensorlib import networks
from tensorlib.numpy_arrays import KERNELS, NUMPY
from tensorlib.pytorch import of_numpy


def loss(names: Any, w: Any, x: Any, last: Any, labels: Any) -> Any:
    y = names.batch_norm(names.conv2d(x, w, padding=1), None, None, training=True)
    y = names.layer_norm(names.max_pool2d(y, 2), (4, 3, 3))
    y = names.adaptive_avg_pool2d(y, 1)[:, :, 0, 0]
    return names.cross_entropy(names.linear(y, last), labels)


def arguments() -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    shapes = (4, 2, 3, 3), (3, 2, 6, 6), (5, 4)
    return *[rng.normal(size=shape) for shape in shapes], np.array([0, 1, 4])


def in_process(function: str, kernels: str, *given: str) -> str:
    """Return what a process prints that calls a function of this file under a setting."""
    text = f"from tests.pytorch import test_kernels; test_kernels.{function}(*{given})"
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", text],
        env={**os.environ, "CHECKPOINT_KERNELS": kernels},
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr.strip().rpartition("\n")[2]).strip()


def compared() -> None:
    """Print for each engine whether gradients by arrays are those by tensors, of one kernel in every bit."""
    for engine in engines.usable():
        found = grad(lambda *a: loss(networks, *a), (0, 1, 2), engine=engine)(*arguments())
        tensors = [torch.from_numpy(x) for x in arguments()]
        same = grad(lambda *a: loss(F, *a), (0, 1, 2), engine=engine)(*tensors)
        print(all(np.allclose(x, y, 1e-12, 1e-15) for x, y in zip(found, same, strict=True)))
        w, x, _, _ = arguments()
        found = grad(lambda w, x: np.sum(networks.conv2d(x, w)), (0, 1), engine=engine)(w, x)
        same = grad(lambda w, x: F.conv2d(x, w).sum(), (0, 1), engine=engine)(*tensors[:2])
        print(all(np.array_equal(x, y.numpy()) for x, y in zip(found, same, strict=True)))


def changed(other: str) -> None:
    """Print which kernels there are when the setting is changed after the first call, and the fingerprint."""
    networks.batch_norm(np.ones((1, 2, 4)), None, None, training=True)
    os.environ["CHECKPOINT_KERNELS"] = other
    print(KERNELS.choose(), NUMPY.modes())


def told() -> None:
    """Print the doctor's report."""
    print(*report([]), sep="\n")


def test_bits_are_those_on_tensors() -> None:
    assert in_process("compared", "pytorch").split() == ["True"] * 2 * len(engines.usable())
    assert "Error" not in in_process("compared", "")


def test_they_are_fixed_in_a_process_and_part_of_fingerprints() -> None:
    assert in_process("changed", "pytorch", "numpy") == """pytorch ("PyTorch's kernels on NumPy's arrays",)"""
    assert in_process("changed", "", "pytorch") == "numpy ()"
    assert "CHECKPOINT_KERNELS is 'own'; write numpy or pytorch" in in_process("changed", "own", "numpy")


def test_nothing_is_copied() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert of_numpy._tensor_of(x).data_ptr() == x.ctypes.data
    assert of_numpy._tensor_of(x.T).data_ptr() == x.ctypes.data
    x.flags.writeable = False
    assert of_numpy._tensor_of(x).data_ptr() == x.ctypes.data
    y = of_numpy._array_of(torch.ones(3))
    assert isinstance(y, np.ndarray)
    assert of_numpy._tensor_of(x[::-1]).tolist() == x[::-1].tolist()
    like = Like(x)
    assert tuple(of_numpy._tensor_of(like).shape) == (2, 3)
    assert of_numpy.found("no such kernel") is None


def test_doctor_shows_them() -> None:
    version = torch.__version__.partition("+")[0]
    assert f"on NumPy's arrays: PyTorch's, torch {version}" in in_process("told", "pytorch")
    assert "on NumPy's arrays: the package's own" in in_process("told", "")
