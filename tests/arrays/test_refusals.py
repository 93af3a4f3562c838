"""Errors for what programs cannot do with arrays: the place, what is wrong, and what to write instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import odeint

import checkpoint
from checkpoint.errors import RunError, SourceError
from tests.arrays import refused
from tests.python.texts import defined, run

pytestmark = pytest.mark.engines_in_turn

X = np.array([0.5, 2.0, -1.0])
NAMES = {"np": np, "checkpoint": checkpoint, "CONSTANT": np.array([1.0, 2.0, 3.0])}


def cases(text: str) -> Iterator[Any]:
    """Yield the expected message and the text of each function."""
    for i, part in enumerate(text.strip("\n").split("\n---\n")):
        said, _, code = part.partition("\n")
        yield pytest.param(said, code.rstrip("\n") + "\n", id=f"{said.partition(' => ')[0]}-{i}")


def place_of(marked: str) -> tuple[str, int]:
    """Return a text without its marks, and the line that they are in."""
    return marked.replace("«", "").replace("»", ""), marked[: marked.index("«")].count("\n") + 1


@pytest.mark.parametrize(("said", "marked"), [*cases(refused.CONSTRUCTS)])
def test_functions_without_a_record(said: str, marked: str) -> None:
    text, line = place_of(marked)
    module = defined(text, **NAMES)
    with pytest.raises(SourceError) as caught:
        checkpoint.grad(module["f"])(X)
    what, _, advice = said.partition(" => ")
    assert str(caught.value).startswith(f"{module['__file__']}:{line}:")
    assert caught.value.message.startswith(f"{what} cannot be differentiated: ")
    assert advice in caught.value.message


@pytest.mark.parametrize(
    ("said", "marked"), [*cases(refused.OWNED), *cases(refused.STALE), *cases(refused.VALUES)]
)
def test_what_only_the_run_can_see(said: str, marked: str, engine: str) -> None:
    text, line = place_of(marked)
    module = defined(text, **NAMES)
    with pytest.raises(RunError) as caught:
        run(module["f"], X.copy(), engine=engine)
    assert said in caught.value.message
    assert str(caught.value).startswith(f"{module['__file__']}:{line}:")
    with pytest.raises(RunError) as differentiated:
        checkpoint.vjp(module["f"], X.copy(), 1.0, engine=engine)
    assert differentiated.value.message == caught.value.message


@pytest.mark.parametrize(("said", "marked"), [*cases(refused.RAISED)])
def test_exceptions_of_numpy_with_the_place(said: str, marked: str, engine: str) -> None:
    text, line = place_of(marked)
    module = defined(text, **NAMES)
    with pytest.raises(Exception) as native:  # noqa: PT011
        module["f"](X.copy())
    for action in (
        lambda: run(module["f"], X.copy(), engine=engine),
        lambda: checkpoint.vjp(module["f"], X.copy(), X, engine=engine),
        lambda: checkpoint.jvp(module["f"], X.copy(), X, engine=engine),
    ):
        with pytest.raises(type(native.value)) as caught:
            action()
        assert f"{type(caught.value).__name__}: {caught.value}".startswith(said)
        assert str(caught.value) == str(native.value)
        assert caught.value.__notes__[0].startswith(f"{module['__file__']}:{line}:")


PASSED_BY_HANDLERS: dict[str, Any] = {
    "the method view .* x.astype": lambda x: x.view(np.int64) * 1.0,
    "the method resize .* np.resize": lambda x: (2.0 * x).resize(2),
    "np.einsum": lambda x: np.einsum(x, [0], x, [0]),
    "np.linalg.eigvalsh of a complex array": lambda x: np.linalg.eigvalsh(np.eye(2) * 1j * x[0])[0],
    "np.linalg.cholesky of a complex array": lambda x: (
        np.linalg.cholesky(np.eye(2) * (1 + 0j) * x[0])[0, 0].real
    ),
    "scipy.integrate.odeint": lambda x: odeint(lambda y, t: -y, [x[0]], [0.0, 1.0])[-1, 0],
    "setflags": lambda x: x.copy().setflags(align=True),
    "np.vectorize": lambda x: 2.0 * np.vectorize(math.sin, excluded=[1])(x),
}


@pytest.mark.parametrize("name", PASSED_BY_HANDLERS)
def test_what_has_no_rule_passes_all_handlers_of_the_program(name: str, engine: str) -> None:
    function = PASSED_BY_HANDLERS[name]

    def guarded(x: Any) -> Any:
        try:
            return np.sum(function(x))
        except Exception:
            return 0.0

    with pytest.raises(SourceError, match=name):
        checkpoint.vjp(guarded, X, 1.0, engine=engine)


def changed_by_its_base(x: Any) -> Any:
    """Return a view of an array that changes afterwards."""
    y = x * 1.0
    view = y[:2]
    y[0] = 5.0
    return view


def test_a_cotangent_of_what_was_changed_through_another_name(engine: str) -> None:
    with pytest.raises(RunError, match="this array was changed through another name"):
        checkpoint.vjp(changed_by_its_base, X.copy(), np.ones(2), engine=engine)


# Arguments


def total(x: Any) -> Any:
    """Return the sum of an object with a method `sum`."""
    return np.sum(x)


class OfUser(np.ndarray):
    """A subclass of NumPy's array."""


MASKED: Any = np.ma
ARGUMENTS = {
    "objects": (np.array([1.0, None], dtype=object), "x is"),
    "texts": (np.array(["a", "b"]), "x holds no real to differentiate"),
    "dates": (np.array(["2020-01-01"], dtype="datetime64[D]"), "x holds no real to differentiate"),
    "records": (np.zeros(2, dtype=[("a", float)]), "x holds no real to differentiate"),
    "masked": (MASKED.masked_array([1.0, 2.0], mask=[True, False]), "x is"),
    "matrix of a class of its own": (np.zeros(2).view(OfUser), "x is"),
    "integers": (np.array([1, 2]), "x holds no real to differentiate"),
    "booleans": (np.array([True, False]), "x holds no real to differentiate"),
    "in a list": ([1.0, np.array([None, 1])], "x[1] is"),
    "in a dictionary": ({"a": 1.0, "b": np.array([None, 1])}, "x['b'] is"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_that_cannot_enter(name: str, engine: str) -> None:
    x, said = ARGUMENTS[name]
    with pytest.raises(RunError) as caught:
        checkpoint.vjp(total, x, 1.0, engine=engine)
    assert str(caught.value).startswith(said)


# Cotangents and tangents


def doubled(x: Any) -> Any:
    """Return an array for an array."""
    return 2.0 * x


WRONG_COTANGENTS = {
    "none": (None, "ybar must be given: the value is no real but an array of float64 of shape (3,)"),
    "a real": (1.0, "ybar must have the shape (3,), not ()"),
    "longer": (np.ones(4), "ybar must have the shape (3,), not (4,)"),
    "a row": (np.ones((1, 3)), "ybar must have the shape (3,), not (1, 3)"),
    "complex": (np.ones(3) * 1j, "ybar must be an array float64 (3,)"),
    "texts": (np.array(["a", "b", "c"]), "ybar must be an array float64 (3,)"),
    "a list": ([1.0, 1.0, 1.0], "ybar must be an array float64 (3,)"),
}


@pytest.mark.parametrize("name", WRONG_COTANGENTS)
def test_cotangents_of_another_shape(name: str, engine: str) -> None:
    ybar, said = WRONG_COTANGENTS[name]
    with pytest.raises(RunError) as caught:
        checkpoint.vjp(doubled, X, ybar, engine=engine)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize("name", [name for name in WRONG_COTANGENTS if name != "none"])
def test_tangents_of_another_shape(name: str, engine: str) -> None:
    xtan, said = WRONG_COTANGENTS[name]
    rest = said.partition(" ")[2]
    with pytest.raises(RunError) as caught:
        checkpoint.jvp(doubled, X, xtan, engine=engine)
    assert str(caught.value).startswith(f"xtan {rest}")
    with pytest.raises(RunError) as caught:
        checkpoint.jvp(lambda x: doubled(x["a"]), {"a": X}, {"a": xtan}, engine=engine)
    assert str(caught.value).startswith(f"xtan['a'] {rest}")


def test_gradients_of_what_is_no_real(engine: str) -> None:
    for f, what in (
        (doubled, "an array of float64 of shape (3,)"),
        (lambda x: x > 0, "an array of bool of shape (3,)"),
        (lambda x: [x], "a list"),
    ):
        with pytest.raises(RunError, match="needs a function that returns a real") as caught:
            checkpoint.grad(f, engine=engine)(X)
        assert what in str(caught.value)


def test_complex_results_have_no_gradient(engine: str) -> None:
    with pytest.raises(RunError, match="gradient needs a function that returns a real"):
        checkpoint.grad(lambda x: np.fft.fft(x)[1], engine=engine)(X)


def test_how_a_function_without_a_record_is_registered(engine: str) -> None:
    def slope(v: Any) -> Any:
        return float(np.polyfit(np.arange(3.0), v, 1)[0])

    fitted = checkpoint.primitive(slope, vjp=lambda ybar, y, v: (ybar * np.array([-0.5, 0.0, 0.5]),))
    found = checkpoint.grad(lambda x: fitted(x) ** 2, engine=engine)(X)
    assert np.allclose(found, 2.0 * slope(X) * np.array([-0.5, 0.0, 0.5]))


LINE = np.poly1d([2.0, 1.0])


def test_an_object_without_a_hash_is_refused_by_name(engine: str) -> None:
    with pytest.raises(SourceError, match=r"`poly1d` cannot be differentiated: compute with its coeff"):
        checkpoint.grad(lambda x: LINE(x) * x, engine=engine)(3.0)


class Table:
    """A class whose method takes the arguments of NumPy's method of that name."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def sum(self, dtype: Any = None, out: float = 0.0) -> Any:
        return np.sum(self.rows) + out


def test_arguments_of_methods_of_a_class_of_the_users(engine: str) -> None:
    def f(x: Any) -> Any:
        return Table.sum(TABLE, out=2.0) + TABLE.sum(out=3.0) + np.sum(x, out=None) * 2.0

    TABLE = Table(X)
    assert run(f, X, engine=engine) == f(X)


@pytest.mark.parametrize("expression", ["[0.0] * n[0]", "n[0] * (1, 2)", "[[0.0] * k for k in n]"])
def test_a_list_is_not_multiplied_by_an_integer_of_an_array(expression: str, engine: str) -> None:
    """Python repeats the list; NumPy, whose product it would be here, multiplies its items."""
    f = defined(f"def f(n):\n    return {expression}\n")["f"]
    with pytest.raises(SourceError, match=r":2:\d+: a list times an integer of an array: write xs \* int"):
        checkpoint.primops(f, np.array([2, 3]), engine=engine)
