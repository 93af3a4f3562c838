"""grad and its kin, vjp and jvp of Python functions: values, structures, messages, pickles, threads."""

from __future__ import annotations

import inspect
import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import checkpoint
from checkpoint import RunError, grad, hessian, hvp, jacfwd, jacrev, value_and_grad
from tests.support.corpus import usable_engines


class Point(NamedTuple):
    a: float
    b: float


@dataclass(frozen=True)
class Model:
    weight: float
    size: int
    parts: list[Any]

    def __post_init__(self) -> None:
        assert self.size is not None


def square(x: float) -> float:
    """The square of x."""
    return x * x


def cubic(x: float, y: float) -> Any:
    return x**3.0 * y


def of_list(x: list[float]) -> Any:
    return x[0] ** 2.0 * x[1]


def of_model(m: Model) -> float:
    value: float = m.weight * m.parts[1]
    return value


def with_aux(x: float) -> tuple[float, list[Any]]:
    return x * x, [x, 7]


def matrix(x: list[float]) -> list[Any]:
    return [x[0] * x[1], (x[0], 7)]


def inverse(x: float) -> float:
    return 1.0 / x


def test_gradients(engine: str) -> None:
    assert grad(square, engine=engine)(3.0) == 6.0
    assert grad(cubic, engine=engine)(2.0, 5.0) == 60.0
    assert grad(cubic, argnums=1, engine=engine)(2.0, 5.0) == 8.0
    assert grad(cubic, argnums=-1, engine=engine)(2.0, y=5.0) == 60.0
    assert grad(cubic, argnums=(1, 0), engine=engine)(2.0, 5.0) == (8.0, 60.0)
    assert value_and_grad(cubic, (0, 1), engine=engine)(2.0, 5.0) == (40.0, (60.0, 8.0))
    assert grad(square, schedule="plain", engine=engine)(3.0) == 6.0


def test_a_gradient_has_the_structure_of_the_argument(engine: str) -> None:
    assert grad(of_list, engine=engine)([2.0, 3.0]) == [12.0, 4.0]
    assert grad(of_list, engine=engine)((2.0, 3.0)) == (12.0, 4.0)  # type: ignore[arg-type]
    assert grad(of_list, engine=engine)(Point(2.0, 3.0)) == Point(12.0, 4.0)  # type: ignore[arg-type]
    found = grad(of_list, engine=engine)([2.0, 3.0, 4, "a", None, {"k": (1.5, True)}])  # type: ignore[list-item]
    assert found == [12.0, 4.0, None, None, None, {"k": (0.0, None)}]
    model = grad(of_model, engine=engine)(Model(2.0, 3, [1, 5.0]))
    assert (type(model), model.weight, model.size, model.parts) == (Model, 5.0, None, [None, 2.0])


def test_aux(engine: str) -> None:
    assert grad(with_aux, has_aux=True, engine=engine)(3.0) == (6.0, [3.0, 7])
    assert value_and_grad(with_aux, has_aux=True, engine=engine)(3.0) == ((9.0, [3.0, 7]), 6.0)
    with pytest.raises(RunError, match=r"has_aux, square must return a tuple of two, not a float$"):
        grad(square, has_aux=True, engine=engine)(3.0)


def test_matrices(engine: str) -> None:
    expected = [[3.0, 2.0], ([1.0, 0.0], None)]
    assert jacrev(matrix, engine=engine)([2.0, 3.0]) == expected
    assert jacfwd(matrix, engine=engine)([2.0, 3.0]) == expected
    assert jacrev(cubic, (0, 1), engine=engine)(2.0, 5.0) == (60.0, 8.0)
    assert jacfwd(cubic, (0, 1), engine=engine)(2.0, 5.0) == (60.0, 8.0)
    assert hessian(of_list, engine=engine)([2.0, 3.0]) == [[6.0, 4.0], [4.0, 0.0]]
    assert hessian(cubic, (0, 1), engine=engine)(2.0, 5.0) == ((60.0, 12.0), (12.0, 0.0))
    assert hessian(cubic, engine=engine)(2.0, 5.0) == 60.0
    assert hvp(of_list, [2.0, 3.0], [1, 2.0], engine=engine) == [14.0, 4.0]


def test_vjp_and_jvp(engine: str) -> None:
    assert checkpoint.vjp(square, 3.0, engine=engine) == (9.0, 6.0)
    assert checkpoint.vjp(square, 3.0, 2, engine=engine) == (9.0, 12.0)
    y, xbar = checkpoint.vjp(matrix, [2.0, 3.0], [1.0, (10.0, None)], engine=engine)
    assert (y, xbar) == ([6.0, (2.0, 7)], [13.0, 2.0])
    assert checkpoint.jvp(matrix, [2.0, 3.0], [1.0, 0.0], engine=engine) == (
        [6.0, (2.0, 7)],
        [3.0, (1.0, None)],
    )


def test_counts_and_capsules(engine: str) -> None:
    total = checkpoint.primops(of_list, [2.0, 3.0], engine=engine)
    for steps in range(total + 1):
        z = checkpoint.interrupt(of_list, [2.0, 3.0], steps, engine=engine)
        assert isinstance(z, checkpoint.Capsule)
        assert (z.steps, checkpoint.resume(z)) == (steps, 12.0)
        assert checkpoint.primops(checkpoint.resume, z) == total - steps
        assert checkpoint.vjp(checkpoint.resume, z, 1.0)[0] == 12.0
    z = checkpoint.interrupt(matrix, [2.0, 3.0], 3, engine=engine)
    assert checkpoint.resume(z) == [6.0, (2.0, 7)]
    with pytest.raises(RunError, match=rf"cannot interrupt after 999 steps: the run has {total}"):
        checkpoint.interrupt(of_list, [2.0, 3.0], 999, engine=engine)


def times(x: float) -> Callable[[float], float]:
    return lambda y: x * y


def test_functions_and_capsules_in_nests(engine: str) -> None:
    applied = checkpoint.vjp(lambda p: p["f"](p["x"]), {"f": square, "x": 3.0}, engine=engine)
    assert applied == (9.0, {"f": None, "x": 6.0})
    made, _ = checkpoint.jvp(lambda x: (times(x), x), 2.0, 1.0, engine=engine)
    assert (callable(made[0]), made[1]) == (True, 2.0)
    z = checkpoint.interrupt(square, 3.0, 2, engine=engine)
    _, (zbar, xbar) = checkpoint.vjp(lambda p: p[1] * 2.0, (z, 1.0), engine=engine)
    assert xbar == 2.0
    (again, y), (_, xbar) = checkpoint.vjp(lambda p: p, (z, 1.0), (zbar, 3.0), engine=engine)
    assert (checkpoint.resume(again), y, xbar) == (9.0, 1.0, 3.0)


def test_exceptions_are_those_of_python(engine: str) -> None:
    calls: list[Callable[[float], Any]] = [
        grad(inverse, engine=engine),
        lambda x: checkpoint.vjp(inverse, x, engine=engine),
        lambda x: checkpoint.jvp(inverse, x, 1.0, engine=engine),
        lambda x: checkpoint.primops(inverse, x, engine=engine),
        lambda x: hvp(inverse, x, 1.0, engine=engine),
    ]
    for call in calls:
        with pytest.raises(ZeroDivisionError, match=r"^float division by zero") as caught:
            call(0.0)
        place = caught.value.__notes__[0]
        assert f"{__file__}:" in place
        assert place.endswith("|     return 1.0 / x\n      |            ^^^^^^^")
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        grad(cubic)(1.0)  # type: ignore[call-arg]


WRONG: dict[str, Callable[[str], Any]] = {
    "a number of steps must be 0 or more, not -1": lambda e: checkpoint.interrupt(square, 3.0, -1, engine=e),
    "a number of steps must be an integer, not 1.0": lambda e: checkpoint.interrupt(
        square,
        3.0,
        1.0,  # type: ignore[arg-type]
        engine=e,
    ),
    "argument 0 of square holds no real to differentiate: pass 3.0 instead of 3": lambda e: grad(
        square, engine=e
    )(3),
    "argument 1 of cubic holds no real to differentiate: pass floats, such as 3.0, where it has ints": (
        lambda e: grad(cubic, (0, 1), engine=e)(3.0, [1])  # type: ignore[arg-type]
    ),
    "there is no argument 2: cubic was called with 2 positional arguments": lambda e: grad(cubic, 2)(
        1.0, 2.0
    ),
    "argnums is an int or a tuple of ints, not 'x'": lambda e: grad(cubic, "x"),  # type: ignore[arg-type]
    "there is no schedule 'best'; there are: budget, plain, bisection, binomial": lambda e: grad(
        cubic, schedule="best"
    ),
    "gradient is that of a function, not of an int": lambda e: grad(3),  # type: ignore[arg-type]
    "gradient needs a function that returns a real, and matrix returned a list: return float(y) of a number, "
    "use vjp or jacrev for more than one": lambda e: grad(matrix, engine=e)([1.0, 2.0]),
    "x holds no real to differentiate: pass 3.0 instead of 3": lambda e: checkpoint.vjp(square, 3, engine=e),
    "ybar must be given: the value is no real but a list": lambda e: checkpoint.vjp(
        matrix, [2.0, 3.0], engine=e
    ),
    "ybar[1][0] must be a real, not a str": lambda e: checkpoint.vjp(matrix, [2.0, 3.0], [1.0, ("a", None)]),
    "ybar[1] must be a tuple, not a list": lambda e: checkpoint.vjp(matrix, [2.0, 3.0], [1.0, [1.0, None]]),
    "ybar[1][1] must be None, since an int has no derivative, not a float": lambda e: checkpoint.vjp(
        matrix, [2.0, 3.0], [1.0, (1.0, 1.0)], engine=e
    ),
    "ybar must have length 2, not 1": lambda e: checkpoint.vjp(matrix, [2.0, 3.0], [1.0], engine=e),
    "xtan[0]['a'] must be a real, not None": lambda e: checkpoint.jvp(
        of_list, [{"a": 1.0}, 2.0], [{"a": None}, 1.0], engine=e
    ),
    "xtan[0] lacks the key 'a': its keys must be those of its value": lambda e: checkpoint.jvp(
        of_list, [{"a": 1.0}, 2.0], [{}, 1.0], engine=e
    ),
    "xtan.b must be a real, not a complex": lambda e: checkpoint.jvp(
        of_list,
        Point(1.0, 2.0),
        Point(1.0, 1j),  # type: ignore[arg-type]
        engine=e,
    ),
    "x[1]['k'] is of type builtins.bytearray, which no program can take: pass numbers in tuples, lists, "
    "dicts, named tuples or dataclasses, and the functions and objects that stay the same from call to call "
    "as variables of the function or its module": lambda e: checkpoint.vjp(
        of_list, [1.0, {"k": bytearray(1)}], engine=e
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_misuse(message: str, engine: str) -> None:
    with pytest.raises(RunError) as caught:
        WRONG[message](engine)
    assert caught.value.message == message


def test_derivatives_are_functions() -> None:
    derivative: Any = grad(square)
    assert derivative.__name__ == "square"
    assert inspect.signature(derivative) == inspect.signature(square)
    assert derivative.__doc__ == "gradient of square.\n\nThe square of x."
    assert repr(value_and_grad(square)) == "<value and gradient of square>"
    copies: list[Any] = [
        pickle.loads(pickle.dumps(made))
        for made in (derivative, value_and_grad(square), jacrev(square), jacfwd(square), hessian(square))
    ]
    assert [copy(3.0) for copy in copies] == [6.0, (9.0, 6.0), 6.0, 6.0, 2.0]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(derivative, map(float, range(40)))) == [2.0 * i for i in range(40)]


def decorated(x: float) -> float:
    return x * x


slope = decorated = grad(decorated)


def test_a_decorated_function_pickles_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(slope)) is slope


def test_stop_gradient_is_the_identity_outside() -> None:
    x = [1.0, math.inf]
    assert checkpoint.stop_gradient(x) is x


def _stopped(x: float, y: float) -> float:
    held = checkpoint.stop_gradient([x, y])
    return x * checkpoint.stop_gradient(y) + held[0] * y + checkpoint.stop_gradient(2) * y


AS_FORMULAS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "fsum": (lambda x, y: math.fsum([x * y, 3, x**2]), lambda x, y: x * y + 3 + x**2),
    "hypot": (lambda x, y: math.hypot(x, y, x * y), lambda x, y: math.sqrt(x * x + y * y + (x * y) ** 2)),
    "hypot of integers": (lambda x, y: math.hypot(1, x, y), lambda x, y: math.sqrt(1 + x * x + y * y)),
    "dist": (
        lambda x, y: math.dist((x, y, 1.0), (y, x * y, 0.5)),
        lambda x, y: math.sqrt((x - y) ** 2 + (y - x * y) ** 2 + 0.25),
    ),
}


@pytest.mark.parametrize("name", AS_FORMULAS)
@pytest.mark.parametrize("engine", [each.name for each in usable_engines()])
def test_functions_with_a_value_of_their_own_have_the_derivatives_of_formulas(name: str, engine: str) -> None:
    f, formula = AS_FORMULAS[name]
    value, slopes = checkpoint.value_and_grad(f, (0, 1), engine=engine)(1.3, 0.7)
    assert value == f(1.3, 0.7)
    assert slopes == pytest.approx(checkpoint.grad(formula, (0, 1))(1.3, 0.7), rel=1e-14)
    twice = checkpoint.grad(checkpoint.grad(f), (0, 1), engine=engine)(1.3, 0.7)
    assert twice == pytest.approx(checkpoint.hessian(lambda p: formula(*p))((1.3, 0.7))[0], rel=1e-13)


@pytest.mark.parametrize("engine", [each.name for each in usable_engines()])
def test_stop_gradient_makes_constants_of_every_order(engine: str) -> None:
    assert checkpoint.grad(_stopped, (0, 1), engine=engine)(1.3, 0.7) == (0.7, 3.3)
    assert checkpoint.grad(checkpoint.grad(_stopped), (0, 1), engine=engine)(1.3, 0.7) == (0.0, 0.0)
    assert checkpoint.jvp(lambda x: _stopped(x, 0.7), 1.3, 1.0, engine=engine)[1] == 0.7
