"""Functions of the user's own as one step: value, both derivatives, and what is refused."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

import checkpoint
from checkpoint import RunError, grad


def value(x: float, more: Any) -> Any:
    """A function that its derivatives know."""
    if x < 0.0:
        raise KeyError("negative")
    return {"y": math.sin(x) * more[0], "n": more[1]}


def value_vjp(ybar: Any, y: Any, x: float, more: Any) -> Any:
    assert y["n"] == more[1]
    assert ybar["n"] is None
    return math.cos(x) * more[0] * ybar["y"], [math.sin(x) * ybar["y"], None]


def value_jvp(tangents: Any, y: Any, x: float, more: Any) -> Any:
    dx, dmore = tangents
    return {"y": math.cos(x) * more[0] * dx + math.sin(x) * dmore[0], "n": None}


whole: Any = checkpoint.primitive(value, vjp=value_vjp, jvp=value_jvp)
sin = checkpoint.primitive(math.sin)
wrong_sin = checkpoint.primitive(math.sin, vjp=lambda ybar, y, x: ybar, jvp=lambda tangents, y, x: None)
list_sin = checkpoint.primitive(math.sin, vjp=lambda ybar, y, x: ([ybar],))


def bytes_of(x: float) -> bytearray:
    return bytearray(int(x))


turned: Any = checkpoint.primitive(bytes_of)


def cubic(x: float) -> float:
    result: float = x * whole(x, [x * x, 3])["y"]
    return result


def bare(x: float) -> float:
    return sin(x)


def wrong(x: float) -> float:
    return wrong_sin(x)


def shape(x: float) -> float:
    return list_sin(x)


def to_complex(x: float) -> Any:
    return turned(x)


def slope(x: float) -> float:
    """The derivative of x^3 sin x."""
    return 3.0 * x**2 * math.sin(x) + x**3 * math.cos(x)


@pytest.mark.parametrize("schedule", ["plain", "bisection"])
def test_values_and_derivatives(engine: str, schedule: str) -> None:
    assert grad(cubic, engine=engine, schedule=schedule)(1.3) == pytest.approx(slope(1.3), rel=1e-14)
    y, tangent = checkpoint.jvp(cubic, 1.3, 2.0, engine=engine)
    assert y == cubic(1.3)
    assert tangent == pytest.approx(2.0 * slope(1.3), rel=1e-14)
    z = checkpoint.interrupt(cubic, 1.3, 6, engine=engine)
    assert checkpoint.resume(z) == cubic(1.3)


def test_exceptions_of_the_function(engine: str) -> None:
    with pytest.raises(KeyError, match="negative"):
        grad(cubic, engine=engine)(-1.0)


def test_what_is_refused(engine: str) -> None:
    with pytest.raises(RunError, match=r"^sin has no vjp, and reverse mode needs it: give it one"):
        grad(bare, engine=engine)(1.0)
    with pytest.raises(RunError, match=r"^sin has no jvp, and forward mode needs it: give it one"):
        checkpoint.jvp(bare, 1.0, 1.0, engine=engine)
    with pytest.raises(RunError, match=r"the vjp of sin must return a tuple of 1, .* not 1.0$"):
        grad(wrong, engine=engine)(1.0)
    with pytest.raises(
        RunError, match=r"^the tangent that the jvp of sin returned must be a real, not None$"
    ):
        checkpoint.jvp(wrong, 1.0, 1.0, engine=engine)
    with pytest.raises(RunError, match=r"that the vjp of sin returned\[0\] must be a real, not a list$"):
        grad(shape, engine=engine)(1.0)
    with pytest.raises(RunError, match=r"^the value of bytes_of holds a builtins.bytearray"):
        checkpoint.primops(to_complex, 1.0, engine=engine)
    with pytest.raises(RunError, match=r"^the jvp of value is the user's own, so it has no derivative"):
        checkpoint.hvp(cubic, 1.0, 1.0, engine=engine)


def test_outside_of_programs() -> None:
    assert whole(0.0, [1.0, 3]) == {"y": 0.0, "n": 3}
    assert whole.__doc__ == "A function that its derivatives know."
    assert repr(whole) == "<primitive value>"
    assert pickle.loads(pickle.dumps(whole)).vjp is value_vjp
    with pytest.raises(RunError, match=r"^the vjp of a primitive is a function, not an int$"):
        checkpoint.primitive(math.sin, vjp=3)  # type: ignore[arg-type]
