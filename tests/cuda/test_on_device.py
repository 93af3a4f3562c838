"""Programs and records give on a device what they give on the host, and the same bits however they run."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from checkpoint import Binomial, Bisection, engines, value_and_grad
from tests.arrays.test_cupy import PROGRAM
from tests.cuda.device import DEVICE, there
from tests.pytorch.programs import corpus
from tests.pytorch.test_records import LAWFUL, outcomes

ON_DEVICE = pytest.mark.skipif(DEVICE == "cpu", reason="no device is named: make test-cuda")
ENGINES = pytest.mark.parametrize("engine", engines.usable())
PROGRAMS = pytest.mark.parametrize("name", list(corpus(torch.float64)))
SCHEDULES: tuple[dict[str, Any], ...] = (
    {"schedule": "plain"},
    {"schedule": Bisection(base=20)},
    {"schedule": Binomial(snapshots=3)},
    {"memory": 60_000},
)


@ON_DEVICE  # test-torch has these on the host
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", LAWFUL)
def test_a_record_gives_there_what_it_gives_on_numpy(name: str, dtype: str) -> None:
    found = outcomes(name, dtype == "float32", DEVICE)
    assert False not in found
    assert True in found


@ENGINES
@PROGRAMS
def test_gradients_are_those_of_pytorch(name: str, engine: str) -> None:
    f, args = there(corpus(torch.float64)[name])
    value, gradient = value_and_grad(f, argnums=tuple(range(len(args))), engine=engine)(*args)
    leaves, nest = pytree.tree_flatten(args)
    tracked = [leaf.requires_grad_() for leaf in leaves]
    expected = f(*pytree.tree_unflatten(tracked, nest))
    assert torch.equal(value, expected.detach())
    for mine, other in zip(pytree.tree_leaves(gradient), torch.autograd.grad(expected, tracked), strict=True):
        assert mine.device == other.device
        assert torch.allclose(mine, other, 1e-12, 1e-12)


@ENGINES
@PROGRAMS
def test_bits_are_those_of_every_schedule_and_run(name: str, engine: str) -> None:
    f, args = there(corpus(torch.float32)[name])
    positions = tuple(range(len(args)))
    found = [
        pytree.tree_leaves(value_and_grad(f, argnums=positions, engine=engine, **how)(*args))
        for how in SCHEDULES * 3
    ]
    for leaves in found[1:]:
        assert all(map(torch.equal, leaves, found[0]))


@ON_DEVICE
@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed: .[cuda]")
@ENGINES
def test_programs_of_cupy(engine: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "program.py", engine],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (done.returncode, done.stdout) == (0, "works\n"), done.stderr
