"""Programs of CuPy's arrays, with a stand-in for CuPy: this tests what we ask of CuPy, not CuPy itself.

They run in a process of their own, in which `import cupy` finds the stand-in.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PROGRAM = """
import sys
import cupy
import numpy as np
import checkpoint
from tensorlib import to
from tensorlib.networks import layer_norm, softplus

def by_names(xp):
    def f(w, x):
        for i in range(3):
            x = xp.tanh(x @ w) + x[:, i : i + 1]
        top = xp.max(x, axis=1)
        parts = xp.concatenate([x, x * 2.0])
        return xp.sum(xp.where(x > 0.1, x * x, 0.0)) + top.sum() + xp.mean(parts[1]) + x[0, 1]
    return f

def in_place(w, x):
    y = x * 1.0
    y[0] = y[1] * w[0]
    y *= 2.0
    return (y * y).sum()

def layers(w, x):
    return np.sum(layer_norm(softplus(x @ w), (4,)) * x) + float(np.sum(w)) * x[0, 0]

rng = np.random.default_rng(0)
arrays = rng.normal(size=(4, 4)), rng.normal(size=(3, 4))
away = [cupy.asarray(x) for x in arrays]
for engine in sys.argv[1:]:
    for mine, theirs in ((by_names(cupy), by_names(np)), (in_place, in_place), (layers, layers)):
        expected = checkpoint.grad(theirs, (0, 1), engine=engine)(*arrays)
        for how in ({"schedule": "plain"}, {"schedule": checkpoint.Bisection(3)}, {"memory": "1MiB"}):
            found = checkpoint.grad(mine, (0, 1), engine=engine, **how)(*away)
            for one, other in zip(found, expected):
                assert type(one) is cupy.ndarray, type(one)
                assert cupy.asnumpy(one).tobytes() == other.tobytes()
    moved = checkpoint.grad(lambda x: np.sum(to(x, None, "cpu") * arrays[0]), engine=engine)(away[0])
    assert type(moved) is cupy.ndarray and (cupy.asnumpy(moved) == arrays[0]).all()
    back = checkpoint.grad(lambda x: np.sum(to(x, None, "cuda:0") * away[0]), engine=engine)(arrays[0])
    assert type(back) is np.ndarray and (back == arrays[0]).all()
    second = checkpoint.hvp(lambda x: cupy.sum(cupy.sin(x) * x), away[0], away[0], engine=engine)
    like = checkpoint.hvp(lambda x: np.sum(np.sin(x) * x), arrays[0], arrays[0], engine=engine)
    assert cupy.asnumpy(second).tobytes() == like.tobytes()
    try:
        checkpoint.grad(lambda x: np.sum(x * arrays[0]), engine=engine)(away[0])
    except checkpoint.RunError as error:
        assert "arrays of CuPy and of NumPy in one operation" in str(error), error
    else:
        raise AssertionError("two libraries in one operation")
print("works")
"""


@pytest.mark.parametrize("engine", ["interp", "hybrid", "c"])
def test_programs_of_a_stand_in(engine: str, tmp_path: Path) -> None:
    from checkpoint import engines  # noqa: PLC0415  # asks for the engines when the test runs

    if engine not in engines.usable():
        pytest.skip(f"engine {engine} is not there")
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join([str(HERE / "stand_in"), *sys.path])
    done = subprocess.run(
        [sys.executable, "program.py", engine],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (done.returncode, done.stdout) == (0, "works\n"), done.stderr
