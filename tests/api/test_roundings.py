"""RoundingWarning: given where rounding alone makes a gradient zero, once a place, on every engine."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import RoundingWarning
from checkpoint.lang.python.linking import roundings
from tests.python.texts import defined

X, U = 1.3, np.array([1.3, 2.7])
TABLE = [1.0, 2.0, 3.0, 4.0]

# The marks « and » enclose the rounding that is named.
ROUNDED: dict[str, tuple[Any, ...]] = {
    "def f(x): return float(«round(x * 3.2)»)": (X,),
    "def f(x): return «round(x * 3.2, 1)»": (X,),
    "def f(x): return «math.floor(x)» * 2.0": (X,),
    "def f(x): return math.sqrt(«math.ceil(x)» + «math.trunc(x)»)": (X,),
    "def f(x): return («x // 1.0») * 2.0": (X,),
    "def f(x): return TABLE[«int(x)»]": (X,),
    "def f(x): return sum([1.5 for _ in range(«int(x + 3.0)»)])": (X,),
    "def f(x):\n    y = «int(x)»\n    return float(y) if y > 0 else 2.0 * y": (X,),
    "def g(x): return «round(x)»\ndef f(x): return 2.0 * g(x)": (X,),
    "def f(x): return np.sum(«np.round(x * 2.0)»)": (U,),
    "def f(x): return np.sum(«np.floor(x)» * U)": (U,),
    "def f(x): return float(np.sum(«x.astype(int)»))": (U,),
    "def f(x): return U[«x.astype(np.int64)[0]»] * 1.0": (np.array([1.0]),),
    "def f(x): return np.sum(«np.rint(x)») + np.sum(x.round())": (U,),
    "def f(x, y): return y * «round(x)»": (X, 2.0),
    "def f(p): return float(«round(p['a'] * 3.2)»)": ({"a": X},),
}
QUIET: dict[str, tuple[Any, ...]] = {
    "def f(x): return x * TABLE[int(x)]": (0.0,),
    "def f(x): return x * x + 0.0 * int(x)": (0.0,),  # happens to be 0
    "def f(x): return sum([x * x for _ in range(int(x + 3.0))])": (0.0,),
    "def f(x): return 0.0 * x + int(4.2)": (X,),
    "def f(x): return float(int(4.2))": (X,),  # does not depend on x
    "def f(x): return 1.0 if x > 0.0 else 2.0": (X,),
    "def f(x): return np.sum(x.astype(np.float32)) + np.sum(x.astype(int))": (U,),
    "def f(x): return np.sum(np.floor(x) + 0.0 * x)": (U,),
    "def f(x): return max(x, 5.0) + round(5.2)": (X,),
    "def f(x): return checkpoint.stop_gradient(x) + int(2.5)": (X,),
}


def caught(f: Callable[..., Any], args: tuple[Any, ...], engine: str, **options: Any) -> list[str]:
    """Return the messages of the warnings that a gradient gives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        checkpoint.grad(f, engine=engine, **options)(*args)
    assert all(warning.category is RoundingWarning for warning in found)
    return [str(warning.message) for warning in found]


def module(text: str) -> dict[str, Any]:
    plain = text.replace("«", "").replace("»", "")
    return defined(plain, math=math, np=np, checkpoint=checkpoint, TABLE=TABLE, U=U)


@pytest.mark.parametrize("text", ROUNDED)
def test_a_rounded_result(text: str, engine: str) -> None:
    names = module(text)
    (message,) = caught(names["f"], ROUNDED[text], engine)
    before = text[: text.index("«")]
    column = len(before) - before.rfind("\n")
    assert "the gradient by argument 0 is 0" in message
    assert f"\n{names['__file__']}:{before.count(chr(10)) + 1}:" in message
    assert f":{column}\n" in message or ".astype(np.int64)[0]" in text
    assert caught(names["f"], ROUNDED[text], engine) == []


@pytest.mark.parametrize("text", QUIET)
def test_other_zeros(text: str, engine: str) -> None:
    assert caught(module(text)["f"], QUIET[text], engine) == []


def test_what_is_printed_is_printed_once(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    f = module("def f(x):\n    print('once', x)\n    return float(int(x))\n")["f"]
    assert len(caught(f, (X,), engine)) == 1
    assert capsys.readouterr().out == "once 1.3\n"


def test_only_the_selected_arguments(engine: str) -> None:
    f = module("def f(x, y): return y * round(x)")["f"]
    assert caught(f, (X, 2.0), engine, argnums=1) == []
    (message,) = caught(module("def f(y, x): return y * round(x)")["f"], (2.0, X), engine, argnums=(0, 1))
    assert "by argument 1 is 0" in message


def test_a_primitive_without_forward_mode_is_not_diagnosed(engine: str) -> None:
    double = checkpoint.primitive(lambda x: 2.0 * x, vjp=lambda ybar, y, x: (2.0 * ybar,))
    f = defined("def f(x): return float(int(double(x)))", double=double)["f"]
    assert caught(f, (X,), engine) == []


def test_the_warning_is_documented_and_can_be_an_error() -> None:
    f = module("def f(x): return float(round(x))")["f"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RoundingWarning)
        with pytest.raises(RoundingWarning, match="Leave the rounding out"):
            checkpoint.grad(f)(X)


def test_every_rounding_is_a_primitive() -> None:
    from checkpoint.ad.record import records  # noqa: PLC0415

    assert set(roundings.ROUNDINGS) <= records().keys()


def test_a_gradient_that_is_not_zero_loads_no_diagnosis() -> None:
    code = (
        "import checkpoint, sys; checkpoint.grad(lambda x: x * int(x))(2.5); "
        "assert 'checkpoint.functions.roundings' not in sys.modules"
    )
    text = f"exec(compile({code!r}, 'm.py', 'exec'))"
    with_text = f"import linecache; linecache.cache['m.py'] = (1, None, [{code!r}], 'm.py'); {text}"
    subprocess.run([sys.executable, "-c", with_text], check=True, timeout=120)
