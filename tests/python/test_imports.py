"""Imports inside functions: absolute, relative, of data and functions, and those that fail."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint import grad

pytestmark = pytest.mark.engines_in_turn

FILES = {
    "__init__.py": "RATE = 3.0\n",
    "rules.py": "import math\nSCALE = 2.0\ndef rule(x):\n    return SCALE * math.sin(x)\n",
    "inner/__init__.py": "",
    "inner/model.py": """
def value(x):
    from ..rules import SCALE, rule
    from .. import RATE, rules
    from . import other
    return rule(x) * RATE + rules.rule(x) * SCALE + other.shifted(x)

def lambdas(x):
    from ..rules import rule as named
    def nested(y):
        from .other import shifted
        return shifted(y) * named(y)
    return nested(x)

def beyond(x):
    try:
        from ....nowhere import rule
    except ImportError as error:
        return x * len(str(error))
    return rule(x)

def absent(x):
    try:
        from .missing import rule
    except ImportError:
        return 2.0 * x
    return rule(x)
""",
    "inner/other.py": "def shifted(x):\n    return x * x + 1.0\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, text in FILES.items():
        path = tmp_path / "imported_within" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("imported_within.inner.model")
    for name in [name for name in sys.modules if name.startswith("imported_within")]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["value", "lambdas", "beyond", "absent"])
def test_relative_imports(package: Any, name: str, engine: str) -> None:
    f = getattr(package, name)
    y, slope = checkpoint.value_and_grad(f, engine=engine)(0.7)
    assert y == f(0.7)
    assert slope == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-8)


def test_a_changed_global_of_an_imported_module_is_seen(package: Any, engine: str) -> None:
    before = grad(package.value, engine=engine)(0.7)
    sys.modules["imported_within"].RATE = 4.0  # type: ignore[attr-defined]
    assert grad(package.value, engine=engine)(0.7) != before


def saturation(red: float) -> float:
    from colorsys import rgb_to_hls  # noqa: PLC0415

    return rgb_to_hls(red, 0.25, 0.5)[2]


def test_a_package_that_is_opened(engine: str) -> None:
    with pytest.raises(checkpoint.CheckpointError, match=r"checkpoint.translate\('colorsys'\)"):
        grad(saturation, engine=engine)(0.75)
    with checkpoint.translate("colorsys"):
        assert grad(saturation, engine=engine)(0.75) == 0.5


def test_without_a_package(engine: str) -> None:
    names: dict[str, Any] = {"__name__": "alone"}
    text = "def f(x):\n    from . import y\n    return x\n"
    linecache.cache["<alone>"] = (len(text), None, text.splitlines(True), "<alone>")
    exec(compile(text, "<alone>", "exec"), names)
    with pytest.raises(ImportError, match="attempted relative import with no known parent package"):
        grad(names["f"], engine=engine)(1.0)


def two_branches(x: float, n: int) -> float:
    if n:
        from math import sin as k  # noqa: PLC0415
    else:
        from math import cos as k  # noqa: PLC0415
    return k(x)


def again(x: float) -> float:
    from math import sin as s  # noqa: PLC0415

    a = s(x)
    from math import cos as s  # noqa: PLC0415

    return a + s(x)


def of_a_parameter(x: float, pi: float = 3.0) -> float:
    from math import pi  # noqa: PLC0415

    return pi * x


def in_a_loop(x: float, n: int) -> float:
    tau = 1.0
    for i in range(n):
        if i == 1:
            from math import tau  # noqa: PLC0415
        x = x * tau
    return x


def around(x: float) -> float:
    pi = 3.0

    def inner(y: float) -> float:
        from math import pi  # noqa: PLC0415

        def innermost(z: float) -> float:
            return pi * z

        return innermost(y)

    return inner(x) + pi


def fallback(x: float) -> float:
    try:
        import cmaths as backend  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError:
        import math as backend  # noqa: PLC0415
    try:
        from math import sin as f  # noqa: PLC0415
    except ImportError:
        from cmath import sin as f  # type: ignore[assignment]  # noqa: PLC0415
    return float(backend.cos(x) + f(x))


def other_module_within(x: float) -> float:
    import math  # noqa: PLC0415

    def inner(y: float) -> float:
        import operator as math  # noqa: PLC0415

        return float(math.mul(y, y))

    return inner(x) + math.sin(x)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (two_branches, (0.5, 1)),
        (two_branches, (0.5, 0)),
        (again, (0.5,)),
        (of_a_parameter, (0.5,)),
        (in_a_loop, (0.5, 3)),
        (around, (0.5,)),
        (fallback, (0.5,)),
        (other_module_within, (0.5,)),
    ],
)
def test_names_that_more_than_one_import_binds(f: Any, args: tuple[Any, ...], engine: str) -> None:
    y, slope = checkpoint.value_and_grad(f, engine=engine)(*args)
    assert y == f(*args)
    x, rest = args[0], args[1:]
    assert slope == pytest.approx((f(x + 1e-6, *rest) - f(x - 1e-6, *rest)) / 2e-6, rel=1e-8)


class Stand:
    """Takes the place of a module, as packages do that watch over uses of their names."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def by_stand(x: float) -> float:
    from imported_within import RATE  # type: ignore[import-not-found]  # noqa: PLC0415
    from imported_within.rules import rule  # type: ignore[import-not-found]  # noqa: PLC0415

    return float(rule(x) * RATE)


def test_an_object_in_the_place_of_a_module(
    package: Any, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("imported_within", "imported_within.rules"):
        monkeypatch.setitem(sys.modules, name, Stand(importlib.import_module(name)))
    y, slope = checkpoint.value_and_grad(by_stand, engine=engine)(0.7)
    assert y == by_stand(0.7)
    assert slope == pytest.approx((by_stand(0.7 + 1e-6) - by_stand(0.7 - 1e-6)) / 2e-6, rel=1e-8)
