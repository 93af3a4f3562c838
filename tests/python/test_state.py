"""Functions that change what they are given, with `has_state`: what they leave is what Python leaves.

the same state     values and final state are Python's to the last bit on every engine; the caller's stay
cut anywhere       the parts leave what the whole leaves
differentiated     the same bits on every engine by every schedule, of value and state; near differences
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import RunError, SourceError, State
from checkpoint.ad.attributes import own_attributes
from tests.python.stateful import TEXTS
from tests.python.texts import defined

NAMES = sorted(TEXTS)
ENGINES = ("interp", "hybrid", "c")


def image(value: Any) -> Any:
    """Return all that a value holds, comparable, with the bits of floats."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, float):
        return float(value).hex()
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, dict):
        return {key: image(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value).__name__, [image(part) for part in value]
    if hasattr(value, "__dict__") and not callable(value):
        return type(value).__qualname__, image(dict(own_attributes(value)))
    return value


def globals_of(module: dict[str, Any]) -> dict[str, Any]:
    """Return a module's data."""
    hidden = ("__builtins__", "np")
    return {
        name: value
        for name, value in module.items()
        if name not in hidden and name[:2] != "__" and not callable(value)
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_state_is_that_which_python_leaves(name: str, engine: str) -> None:
    there, here = defined(TEXTS[name]), defined(TEXTS[name])
    args = there["args"]()
    y = there["f"](*args)
    given = here["args"]()
    before = image(given), image(globals_of(here))
    (value, state), _ = checkpoint.value_and_grad(here["f"], engine=engine, has_state=True)(*given)
    assert image(value) == image(y) if isinstance(y, float) else value == y
    assert image(state.args) == image(args)
    assert state.kwargs == {}
    assert (image(given), image(globals_of(here))) == before
    changed = globals_of(there)
    expected = {f"texts.{name}": value for name, value in changed.items() if f"texts.{name}" in state.globals}
    left = {key: value for key, value in state.globals.items() if key in expected}
    assert image(left) == image(expected)
    same = {f"texts.{n}" for n, v in globals_of(here).items() if image(v) == image(changed[n])}
    assert state.globals.keys().isdisjoint(same)
    assert {f"texts.{n}" for n in changed} - same <= state.globals.keys()


def test_variables_of_an_enclosing_call(engine: str) -> None:
    f = defined(TEXTS["cells"])["f"]
    state = checkpoint.grad(f, engine=engine, has_state=True)(1.3)[1]
    assert state.globals == {"texts.make.<locals>.f.state": 1.3, "texts.make.<locals>.f.seen": [1.3]}
    assert f(2.0) == 4.0


def test_attributes_of_classes_and_modules(engine: str) -> None:
    for name in ("classes", "modules"):
        there, here = defined(TEXTS[name]), defined(TEXTS[name])
        y = there["f"](1.2)
        (value, state), _ = checkpoint.value_and_grad(here["f"], engine=engine, has_state=True)(1.2)
        assert value.hex() == y.hex()
        if name == "classes":
            held, kept = there["Body"], here["Body"]
            assert state.globals == {"texts.Body.count": held.count, "texts.Body.drag": held.drag}
            assert (kept.count, kept.drag) == (0, 0.5)
        else:
            held = there["physics"]
            assert state.globals == {"physics.g": held.g, "physics.seen": held.seen}


def one_argument(name: str) -> tuple[Callable[[Any], Any], Any]:
    """Return a function of one argument, a list, in the module of the text; and that argument."""
    count = len(defined(TEXTS[name])["args"]())
    passed = ", ".join(f"x[{i}]" for i in range(count))
    text = TEXTS[name] + f"\n\ndef whole(x):\n    return f({passed})\n"
    module = defined(text)
    return module["whole"], list(module["args"]())


@pytest.mark.parametrize("name", NAMES)
def test_a_run_may_be_cut_anywhere(name: str, engine: str) -> None:
    f, x = one_argument(name)
    steps = checkpoint.primops(f, x, engine=engine, has_state=True)
    whole = checkpoint.resume(checkpoint.interrupt(f, x, 0, engine=engine, has_state=True))
    random = Random(name)
    for cut in sorted(random.sample(range(steps + 1), 12)):
        z = checkpoint.interrupt(f, x, cut, engine=engine, has_state=True)
        first, second = checkpoint.resume(z), checkpoint.resume(z)
        assert image(first) == image(whole) == image(second)


def cotangent_like(value: Any, random: Random) -> Any:
    """Return a cotangent of the same structure, None where there is no real."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array([random.gauss(0.0, 1.0) for _ in range(value.size)]).reshape(value.shape)
    if isinstance(value, float):
        return random.gauss(0.0, 1.0)
    if isinstance(value, dict):
        return {key: cotangent_like(part, random) for key, part in value.items()}
    if isinstance(value, list):
        return [cotangent_like(part, random) for part in value]
    if isinstance(value, tuple):
        parts = [cotangent_like(part, random) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if hasattr(value, "__dict__"):
        made = object.__new__(type(value))
        vars(made).update(cotangent_like(vars(value), random))
        return made
    return None


def leaves(value: Any) -> list[float]:
    """Return the floats of a value in their order; zeros for None are left out."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return [float(part) for part in value.ravel()]
    if isinstance(value, float):
        return [value]
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return leaves(vars(value)) if hasattr(value, "__dict__") else []


def moved(value: Any, direction: Any, by: float) -> Any:
    """Return a value moved along a direction of its structure."""
    if direction is None:
        return copy.deepcopy(value)
    if isinstance(value, dict):
        return {key: moved(part, direction[key], by) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([moved(a, b, by) for a, b in zip(value, direction, strict=True)])
    if hasattr(value, "__dict__"):
        made = object.__new__(type(value))
        vars(made).update(moved(vars(value), vars(direction), by))
        return made
    return value + by * direction


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_value_and_state(name: str) -> None:
    f, x = one_argument(name)
    random = Random(name)
    y = checkpoint.resume(checkpoint.interrupt(f, x, 0, has_state=True))
    ybar = cotangent_like(y, random)
    found = []
    for engine in ENGINES:
        for schedule in ("plain", "bisection", None):
            found.append(checkpoint.vjp(f, x, ybar, engine=engine, schedule=schedule, has_state=True))
    assert all(image(each) == image(found[0]) for each in found)
    xbar = found[0][1]
    direction = cotangent_like(x, random)

    def along(by: float) -> float:
        left = checkpoint.resume(checkpoint.interrupt(f, moved(x, direction, by), 0, has_state=True))
        return sum(a * b for a, b in zip(leaves(left), leaves(ybar), strict=True))

    step = 1e-5
    numeric = (along(step) - along(-step)) / (2.0 * step)
    exact = sum(a * b for a, b in zip(leaves(xbar), leaves(direction), strict=True))
    assert exact == pytest.approx(numeric, rel=1e-6, abs=1e-6)
    _, ytan = checkpoint.jvp(f, x, direction, has_state=True)
    forward = sum(a * b for a, b in zip(leaves(ytan), leaves(ybar), strict=True))
    assert exact == pytest.approx(forward, rel=1e-9, abs=1e-9)


# The interface


def doubled(xs: list[float]) -> float:
    xs[0] *= 2.0
    return xs[0]


def with_aux(xs: list[float], *, by: dict[str, float]) -> tuple[float, str]:
    by["by"] *= xs[0]
    return by["by"], "aux"


def test_results() -> None:
    left = State(([6.0],), {}, {})
    assert checkpoint.vjp(doubled, [3.0], has_state=True) == ((6.0, left), [2.0])
    assert checkpoint.grad(doubled, has_state=True)([3.0]) == ([2.0], left)
    assert checkpoint.value_and_grad(doubled, has_state=True)([3.0]) == ((6.0, left), [2.0])
    aux = checkpoint.value_and_grad(with_aux, has_aux=True, has_state=True)([3.0], by={"by": 2.0})
    assert aux == ((6.0, ("aux", State(([3.0],), {"by": {"by": 6.0}}, {}))), [2.0])
    assert checkpoint.jvp(doubled, [3.0], [1.0], has_state=True)[1] == (2.0, State(([2.0],), {}, {}))


def test_cotangents_of_the_state() -> None:
    assert checkpoint.vjp(doubled, [3.0], (1.0, None), has_state=True)[1] == [2.0]
    assert checkpoint.vjp(doubled, [3.0], (0.0, State(([5.0],), {}, {})), has_state=True)[1] == [10.0]
    with pytest.raises(RunError, match="with has_state, ybar is a pair"):
        checkpoint.vjp(doubled, [3.0], 1.0, has_state=True)


def test_cotangents_are_made_without_code_of_the_class(engine: str) -> None:
    module = defined(
        "class Guarded:\n"
        "    def __init__(self, x):\n"
        "        raise AssertionError\n"
        "    @property\n"
        "    def x(self):\n"
        "        return self._x\n"
        "    @x.setter\n"
        "    def x(self, value):\n"
        "        self._x = abs(value)\n"
        "def f(g):\n"
        "    g.x = -2.0 * g.x\n"
        "    return g.x\n"
    )
    given = object.__new__(module["Guarded"])
    given._x = 3.0
    gradient, state = checkpoint.grad(module["f"], engine=engine, has_state=True)(given)
    assert (type(gradient), vars(gradient)) == (module["Guarded"], {"_x": 2.0})
    assert (vars(state.args[0]), vars(given)) == ({"_x": 6.0}, {"_x": 3.0})


# What lies at two places

SHARED = [1.0, 2.0]


def first_of_two(x: dict[str, list[float]]) -> float:
    x["a"][0] = 5.0
    return x["b"][0]


def appends(x: list[float]) -> float:
    SHARED.append(x[0])
    return x[0]


def reads_both(x: dict[str, list[float]]) -> float:
    x["c"] = [x["a"][0] * x["b"][1]]
    return x["c"][0]


def overlapping(x: Any, y: Any) -> Any:
    x[0] = 1.0
    return y.sum()


def test_an_object_at_two_places_is_not_changed(engine: str) -> None:
    with pytest.raises(RunError, match=r"lie at two: x\['a'\] and x\['b'\]"):
        checkpoint.vjp(first_of_two, {"a": SHARED, "b": SHARED}, engine=engine, has_state=True)
    with pytest.raises(RunError, match="lie at two: x and SHARED"):
        checkpoint.vjp(appends, SHARED, engine=engine, has_state=True)
    array = np.ones(3)
    with pytest.raises(RunError, match=r"lie at two: args\[0\] and args\[1\]"):
        checkpoint.grad(overlapping, engine=engine, has_state=True)(array, array[1:])
    (y, state), xbar = checkpoint.vjp(reads_both, {"a": SHARED, "b": SHARED}, engine=engine, has_state=True)
    assert (y, xbar) == (2.0, {"a": [2.0, 0.0], "b": [0.0, 1.0]})
    assert state.args[0]["c"] == [2.0]


def test_without_a_state_the_error_says_what_to_pass(engine: str) -> None:
    with pytest.raises(RunError, match="pass has_state=True, which returns what the run leaves"):
        checkpoint.grad(doubled, engine=engine)([3.0])
    with pytest.raises(SourceError, match=r"changing SHARED, .* has_state=True"):
        checkpoint.grad(appends, engine=engine)([3.0])


def test_only_python_functions_have_a_state() -> None:
    with pytest.raises(RunError, match="has_state is for Python functions"):
        checkpoint.vjp(checkpoint.read("(lambda (x) (* x x))"), 2.0, has_state=True)


# Globals that no later call reads

UNITS = None
FACTOR = 1.0
DEPTH = 0


def use_units(units: str) -> None:
    global UNITS, FACTOR  # noqa: PLW0603  (what is tested)
    UNITS = units
    FACTOR = 2.0 if UNITS == "SI" else 3.0


def in_units(x: float) -> float:
    """A setting that is made before it is read."""
    use_units("SI")
    return FACTOR * x


def put_back(x: float) -> float:
    """A variable that holds at the end what it held at the start."""
    global DEPTH  # noqa: PLW0603  (what is tested)
    DEPTH += 1
    result = x * DEPTH
    if DEPTH < 3:
        result += put_back(x)
    DEPTH -= 1
    return result


def test_a_global_that_no_later_call_reads_may_be_assigned(engine: str) -> None:
    assert checkpoint.value_and_grad(in_units, engine=engine)(5.0) == (10.0, 2.0)
    assert (UNITS, FACTOR) == (None, 1.0)
    assert checkpoint.value_and_grad(put_back, engine=engine)(5.0) == (30.0, 6.0)
    assert DEPTH == 0
