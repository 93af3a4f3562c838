"""Equal functions of different files share what is compiled of them, and it is unmapped with the last one."""

from __future__ import annotations

import gc
import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget import library
from checkpoint.ctarget.translate.compile import compilation, compiler
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler, new_translator
from tests.support.translation import forced

_by = None if library.reason() else compiler.find()
without_lines = pytest.mark.skipif(
    _by is not None and _by.debugs, reason="units name lines of programs, for sanitizers"
)
pytestmark = [needs_c, needs_compiler]

BODY = """
def inner(u, x):
    return u * x + 0.1

def f(x):
    y = [x, x + 1.0, x * 2.0]
    for i in range(40):
        y = [inner(u, x) for u in y]
        y[0] = sum(y) * 0.1 + max(y) - len(y) * 0.2
    return sum(y)
"""


def functions(folder: Path, count: int) -> list[Callable[[float], float]]:
    """Return the function f of each of several files with the same content."""
    found = []
    for k in range(count):
        path = folder / f"module_{k}.py"
        path.write_text("\n" * k + BODY)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.append(module.f)
    return found


def collect() -> None:
    """Collect twice: a function goes first, then what was made of it."""
    gc.collect()
    gc.collect()


def maps() -> int:
    """Return how many parts of units are mapped."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sum(".load" in line for line in lines)


@pytest.fixture(autouse=True)
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    yield from new_translator(tmp_path, monkeypatch)


@without_lines
def test_equal_functions_share_units_which_go_with_the_last_one(tmp_path: Path) -> None:
    all_of_them = functions(tmp_path, 6)
    with forced():
        first = [checkpoint.vjp(f, 0.3, 1.0, engine="c") for f in all_of_them[:1]]
        loaded = len(compilation._loaded)
        assert loaded > 0
        others = [checkpoint.vjp(f, 0.3, 1.0, engine="c") for f in all_of_them[1:]]
        assert others == first * 5
        assert len(compilation._loaded) == loaded
        del all_of_them[:-1]
        collect()
        assert len(compilation._loaded) == loaded
        assert checkpoint.vjp(all_of_them[0], 0.3, 1.0, engine="c") == first[0]
        all_of_them.clear()
        collect()
        assert len(compilation._loaded) == 0


def test_a_capsule_keeps_the_units_of_its_run(tmp_path: Path) -> None:
    (f,) = functions(tmp_path, 1)
    with forced():
        expected = checkpoint.vjp(f, 0.3, 1.0, engine="c")
        z = checkpoint.interrupt(f, 0.3, 500, engine="c")
        del f
        collect()
        assert len(compilation._loaded) > 0
        assert checkpoint.resume(z) == expected[0]
        del z
        collect()
        assert len(compilation._loaded) == 0


@pytest.mark.parametrize("mode", ["off", "wait"])
def test_a_capsule_outlives_its_function(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Resume a capsule after its function's memory was used for others."""
    monkeypatch.setenv("CHECKPOINT_JIT", mode)
    (f,) = functions(tmp_path, 1)
    expected = checkpoint.vjp(f, 0.3, 1.0, engine="c")
    within = checkpoint.interrupt(f, 0.3, 500, engine="c")
    again = checkpoint.interrupt(checkpoint.resume, within, 100, engine="c")
    del f, within
    collect()
    for other in functions(tmp_path, 3):
        checkpoint.primops(other, 0.3, engine="c")
    collect()
    assert checkpoint.resume(again) == expected[0]


_MANY = """
import sys
from pathlib import Path
import checkpoint
from tests.ctarget.translate.test_unloading import collect, functions, maps
before = maps()
all_of_them = functions(Path(sys.argv[1]), int(sys.argv[2]))
found = {checkpoint.vjp(f, 0.3, 1.0, engine="c") for f in all_of_them}
meanwhile = maps()
del all_of_them
collect()
print(len(found), before, 0 < meanwhile < 60, maps())
"""


@without_lines
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc/self/maps is of Linux")
@pytest.mark.parametrize("count", [20, pytest.param(300, marks=pytest.mark.long)])
def test_many_functions_have_few_maps_and_then_none(count: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MANY, str(tmp_path), str(count)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.split() == ["1", "0", "True", "0"]
