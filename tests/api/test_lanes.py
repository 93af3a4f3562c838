"""vmap: axes and pytrees as in JAX, derivatives around it and inside of it, and what it refuses by name."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines, grad, hessian, jvp, value_and_grad, vjp, vmap

ENGINES = engines.usable()
X = np.array([1.0, 2.0, 9.0])
M = np.arange(1.0, 7.0).reshape(2, 3)


def root(a: float) -> float:
    """Return the square root of a, in as many steps as it takes."""
    x, n = a, 0
    while abs(x * x - a) > 1e-9 and n < 50:
        x, n = (x + a / x) / 2.0, n + 1
    return x


def halved(x: float) -> float:
    return x if x < 1.0 else 1.0 + halved(x / 2.0)


def inverse(x: float) -> float:
    return 1.0 / (x - 9.0)


class Scale:
    """A function that is an object."""

    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x: Any) -> Any:
        return self.k * x


def equal(a: Any, b: Any) -> bool:
    """Return whether two pytrees are equal to the last bit."""
    if isinstance(a, np.ndarray):
        return type(b) is np.ndarray and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    return type(a) is type(b) and bool(a == b)


def cubes(a: Any) -> Any:
    return np.sum(vmap(root)(a) ** 3)


def slopes(a: Any) -> Any:
    return np.sum(vmap(grad(root))(a))


def of_weights(ws: list[float], a: Any) -> Any:
    return np.sum(vmap(lambda x: ws[0] * x + ws[1])(a))


def of_rows(w: Any, a: Any) -> Any:
    return np.sum(vmap(lambda x: w @ x)(a))


def around_own_array(a: Any) -> Any:
    w = np.zeros(3)
    w[1] = a[0]
    y = vmap(lambda x: w[1] * x)(a)
    w[2] = y[0]
    return np.sum(w + y)


roots = np.array([root(x) for x in X.tolist()])
root_slopes = np.array([grad(root)(x) for x in X.tolist()])
rows = np.array([[root(x) for x in row] for row in M.tolist()])

CASES: dict[str, tuple[Callable[[str], Any], Any]] = {
    "a loop": (lambda e: vmap(root, engine=e)(X), roots),
    "recursion": (lambda e: vmap(halved, engine=e)(X), np.array([1.5, 2.5, 4.5625])),
    "of vmap": (lambda e: vmap(vmap(root), engine=e)(M), rows),
    "around vmap": (lambda e: vmap(lambda row: vmap(root)(row * 1.0), engine=e)(M), rows),
    "of grad": (lambda e: vmap(grad(root), engine=e)(X), root_slopes),
    "of value_and_grad": (lambda e: vmap(value_and_grad(root), engine=e)(X), (roots, root_slopes)),
    "of vjp": (lambda e: vmap(lambda a: vjp(root, a, 1.0)[1], engine=e)(X), root_slopes),
    "of plain vjp": (
        lambda e: vmap(lambda a: vjp(root, a, 1.0, schedule="plain")[1], engine=e)(X),
        root_slopes,
    ),
    "of jvp": (
        lambda e: vmap(lambda a: jvp(root, a, 1.0)[1], engine=e)(X),
        np.array([jvp(root, x, 1.0)[1] for x in X.tolist()]),
    ),
    "in vjp": (lambda e: vjp(vmap(root), X, np.ones(3), engine=e), (roots, root_slopes)),
    "in jvp": (
        lambda e: jvp(vmap(root), X, np.ones(3), engine=e),
        (roots, np.array([jvp(root, x, 1.0)[1] for x in X.tolist()])),
    ),
    "in grad of a list": (
        lambda e: grad(of_weights, (0, 1), engine=e)([1.0, 2.0], X),
        ([12.0, 3.0], np.ones(3)),
    ),
    "in grad of an array": (
        lambda e: grad(of_rows, (0, 1), engine=e)(np.ones(3), M),
        (M[1] + M[0], np.ones((2, 3))),
    ),
    "an array of the run": (lambda e: grad(around_own_array, engine=e)(X), np.array([16.0, 1.0, 1.0])),
    "axis 1": (lambda e: vmap(lambda c: c[0] * c[1], 1, engine=e)(M), M[0] * M[1]),
    "axis -1": (lambda e: vmap(lambda c: c[0] * c[1], -1, engine=e)(M), M[0] * M[1]),
    "out axes": (
        lambda e: vmap(lambda r: (r, 2.0 * r, r[0]), 0, (1, -2, 0), engine=e)(M),
        (M.T, 2.0 * M, M[:, 0]),
    ),
    "pytrees": (
        lambda e: vmap(
            lambda d, k: {"s": d["x"] * k, "t": [d["y"], d["x"]]},
            ({"x": 0, "y": None}, None),
            {"s": 0, "t": [None, 0]},
            engine=e,
        )({"x": X, "y": 3.0}, 2.0),
        {"s": X * 2.0, "t": [3.0, X]},
    ),
    "keywords": (lambda e: vmap(lambda a, b: a * b, engine=e)(X, b=X), X * X),
    "integers": (
        lambda e: vmap(lambda n: (n, n * 2, n > 3, True, 1, None), engine=e)(np.array([1, 5])),
        (
            np.array([1, 5]),
            np.array([2, 10]),
            np.array([False, True]),
            np.array([True, True]),
            np.array([1, 1]),
            None,
        ),
    ),
    "float32": (lambda e: vmap(lambda x: x * 2, engine=e)(X.astype(np.float32)), X.astype(np.float32) * 2),
    "complex": (lambda e: vmap(lambda x: x * 2, engine=e)(X + 1j), X * 2 + 2j),
    "integers beside reals": (
        lambda e: grad(lambda a: np.sum(vmap(lambda x: 0 if x < 2 else x * x)(a)), engine=e)(X),
        np.array([0.0, 4.0, 18.0]),
    ),
    "an object": (lambda e: vmap(Scale(2.0), engine=e)(X), 2.0 * X),
    "NumPy's function": (lambda e: vmap(np.negative, engine=e)(X), -X),
    "a partial": (lambda e: vmap(functools.partial(max, 2.0), engine=e)(X), np.maximum(2.0, X)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, engine: str) -> None:
    found, want = CASES[name]
    got = found(engine)
    assert equal(want, got), got


@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_of_derivatives(engine: str) -> None:
    curvatures = [hessian(root)(x) for x in X.tolist()]
    cube_curvatures = [hessian(lambda a: root(a) ** 3)(x) for x in X.tolist()]
    assert np.allclose(vmap(hessian(root), engine=engine)(X), curvatures, rtol=1e-12)
    assert np.allclose(grad(slopes, engine=engine)(X), curvatures, rtol=1e-12)
    assert np.allclose(hessian(cubes, engine=engine)(X), np.diag(cube_curvatures), rtol=1e-12)


def test_an_object_of_a_class_is_stacked() -> None:
    made = vmap(Scale)(X)
    assert type(made) is Scale
    assert np.array_equal(made.k, X)


def test_printing_is_in_the_order_of_lanes(capsys: pytest.CaptureFixture[str]) -> None:
    def shown(x: float) -> float:
        print(x)
        return x

    grad(lambda a: np.sum(vmap(shown)(a)))(X)
    assert capsys.readouterr().out == "1.0\n2.0\n9.0\n"


def test_pickles() -> None:
    assert np.array_equal(pickle.loads(pickle.dumps(vmap(root)))(X), roots)


captured = [1.0]


def changes_a_list(x: float) -> float:
    if x > 1.5:
        captured.append(x)
    return x


def changes_an_argument(x: float, xs: list[float]) -> float:
    xs.append(x)
    return x


def changes_its_row(row: Any) -> Any:
    row[0] = 1.0
    return row


def changes_an_own_list(a: Any) -> Any:
    found: list[float] = []

    def noted(x: float) -> float:
        found.append(x)
        return x

    return vmap(noted)(a)


def counts_in_a_variable(a: Any) -> Any:
    count = 0

    def counted(x: float) -> float:
        nonlocal count
        count += 1
        return x * count

    return vmap(counted)(a)


def many(x: float) -> list[float]:
    return [x] * int(x)


def first(a: Any) -> Any:
    return a[: int(a[0])]


ERRORS: dict[str, tuple[Callable[[str], Any], type[Exception], str, list[int]]] = {
    "in lanes": (lambda e: vmap(inverse, engine=e)(X), ZeroDivisionError, "float division by zero", [2]),
    "in lanes of lanes": (
        lambda e: vmap(lambda x: vmap(inverse)(np.array([x, 9.0])), engine=e)(X),
        ZeroDivisionError,
        "float division by zero",
        [1, 0],
    ),
    "in a gradient": (
        lambda e: grad(lambda a: np.sum(vmap(inverse)(a)), engine=e)(X),
        ZeroDivisionError,
        "float division by zero",
        [2],
    ),
    "in a gradient of a lane": (
        lambda e: vmap(grad(inverse), engine=e)(X),
        ZeroDivisionError,
        "float division by zero",
        [2],
    ),
    "a changed list": (
        lambda e: vmap(changes_a_list, engine=e)(X),
        checkpoint.SourceError,
        "changing captured",
        [1],
    ),
    "a changed argument": (
        lambda e: vmap(changes_an_argument, (0, None), engine=e)(X, [1.0]),
        checkpoint.RunError,
        "cannot be changed",
        [0],
    ),
    "a changed row": (
        lambda e: vmap(changes_its_row, engine=e)(M),
        checkpoint.RunError,
        "this array .* cannot be changed",
        [0],
    ),
    "a list of the run": (
        lambda e: vjp(changes_an_own_list, X, np.ones(3), engine=e),
        checkpoint.RunError,
        "this list .* cannot be changed",
        [0],
    ),
    "a variable of the run": (
        lambda e: vjp(counts_in_a_variable, X, np.ones(3), engine=e),
        checkpoint.RunError,
        "cannot be changed",
        [0],
    ),
    "functions": (
        lambda e: vmap(lambda x: (lambda y: y) if x > 1.5 else x, engine=e)(X),
        TypeError,
        "lane 1 of vmap returns a function, which cannot be stacked",
        [],
    ),
    "capsules": (
        lambda e: vmap(lambda x: checkpoint.interrupt(root, x, 3), engine=e)(X),
        TypeError,
        "lane 0 of vmap returns a capsule, which cannot be stacked",
        [],
    ),
    "texts": (
        lambda e: vmap(lambda x: "a", engine=e)(X),
        TypeError,
        "lane 0 of vmap returns a str, which cannot be stacked",
        [],
    ),
    "lengths": (
        lambda e: vmap(many, engine=e)(X),
        ValueError,
        "lane 1 of vmap returns a list of 2, and lane 0 a list of 1",
        [],
    ),
    "shapes": (
        lambda e: vmap(first, engine=e)(M),
        ValueError,
        r"lane 1 of vmap returns an array float64 \(3,\), and lane 0 an array float64 \(1,\)",
        [],
    ),
    "kinds": (
        lambda e: vmap(lambda x: x > 5 if x > 5 else x, engine=e)(X),
        ValueError,
        "lane 2 of vmap returns a bool, and lane 0 a float",
        [],
    ),
    "not alike": (
        lambda e: vmap(lambda x: x, 0, None, engine=e)(X),
        ValueError,
        "lane 1 of vmap returns another value than lane 0",
        [],
    ),
    "no lanes": (
        lambda e: vmap(root, engine=e)(np.array([])),
        ValueError,
        "vmap needs at least one lane",
        [],
    ),
    "a float": (
        lambda e: vmap(root, engine=e)(3.0),
        ValueError,
        "an argument is a float, which has no axis 0",
        [],
    ),
    "no such axis": (
        lambda e: vmap(root, 1, engine=e)(X),
        ValueError,
        r"in_axes has the axis 1 for an array of shape \(3,\)",
        [],
    ),
    "too many axes": (
        lambda e: vmap(root, (0, 0), engine=e)(X),
        ValueError,
        "in_axes has 2 entries, and f is called with 1 arguments",
        [],
    ),
    "unlike numbers": (
        lambda e: vmap(max, engine=e)(X, np.ones(2)),
        ValueError,
        r"one number of lanes in all mapped arguments, not 3 \(axis 0 of \(3,\)\), 2 \(axis 0 of \(2,\)\)",
        [],
    ),
    "nothing mapped": (
        lambda e: vmap(root, None, engine=e)(X),
        ValueError,
        "in_axes is None for all of them",
        [],
    ),
    "axes that are none": (
        lambda e: vmap(root, {"a": 0}, engine=e)(X),
        TypeError,
        "in_axes is an int, None, or",
        [],
    ),
    "unlike pytrees": (
        lambda e: vmap(lambda d: d["a"], ({"b": 0},), engine=e)({"a": X}),
        ValueError,
        r"in_axes has a dict with the keys \['b'\] in the place of a dict with the keys \['a'\]",
        [],
    ),
    "out axes of numbers": (
        lambda e: vmap(root, 0, 1, engine=e)(X),
        ValueError,
        "out_axes has the axis 1 for results that are numbers",
        [],
    ),
    "out axes of another structure": (
        lambda e: vmap(root, 0, (0, 0), engine=e)(X),
        ValueError,
        "out_axes has a tuple of 2 where f returns a float",
        [],
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str, engine: str) -> None:
    call, kind, text, lanes = ERRORS[name]
    with pytest.raises(kind, match=text) as caught:
        call(engine)
    notes = [note for note in getattr(caught.value, "__notes__", []) if note.startswith("in lane")]
    assert notes == [f"in lane {lane} of vmap" for lane in lanes]


def test_vmap_takes_a_function() -> None:
    with pytest.raises(checkpoint.RunError, match="vmap takes a function, not a int"):
        vmap(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_that_the_program_handles_has_no_note(engine: str) -> None:
    def handled(a: Any) -> Any:
        try:
            return np.sum(vmap(inverse)(a))
        except ZeroDivisionError:
            return inverse(float(a[2]))

    with pytest.raises(ZeroDivisionError) as caught:
        grad(handled, engine=engine)(X)
    assert not any(note.startswith("in lane") for note in caught.value.__notes__)
