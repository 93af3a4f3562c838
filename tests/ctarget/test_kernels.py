"""NumPy's loops called by engine c (numpy/kernels.h): NumPy's bits, warnings and errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint import pullback, value_and_grad
from checkpoint.ctarget import library
from checkpoint.functions.python_functions import result, run_of
from checkpoint.scalars.kernels import kernel_of

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "negative": lambda x, y: -x,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
SHAPES = [
    ((5,), (5,)),
    ((40, 300), (40, 300)),
    ((3, 4), (4,)),
    ((4, 1), (1, 5)),
    ((2, 3, 4), (3, 1)),
    ((2, 1, 3, 4), (5, 1, 1)),
    ((1, 1), (1,)),
    ((3, 0), (3, 1)),
    ((), ()),
    ((2, 1, 1, 1, 3), (1, 2, 1, 1)),
    ((400, 3), (400, 1)),
    ((400, 2), (2,)),
    ((2, 30, 5), (2, 1, 5)),
    ((7, 31), (7, 1)),
    ((9, 31), (9, 1)),
    ((2, 20, 100), (2, 1, 100)),
]


def odd(shape: tuple[int, ...], kind: Any, seed: int) -> Any:
    """Return an array with infinities, zeros of both signs, numbers below the normal ones, several NaNs."""
    tiny = np.finfo(kind).smallest_subnormal
    payload = np.array([0x7FF8000000000123, 0xFFF8000000000456], np.uint64).view(np.float64)
    special = np.array([np.inf, -np.inf, 0.0, -0.0, tiny, -7 * tiny, np.nan, *payload, -np.nan], kind)
    rng = np.random.default_rng(seed)
    found = rng.normal(size=shape).astype(kind)
    return np.where(rng.uniform(size=shape) < 0.4, rng.choice(special, size=shape), found).astype(kind)


def _run(f: Any, args: tuple[Any, ...]) -> Any:
    """Return the value of a run on engine c."""
    call = run_of(f, args, {}, "c")
    return result(call.value(), call.engine)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", [np.float32, np.float64], ids=str)
def test_results_have_numpys_bits(name: str, kind: Any) -> None:
    f = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        for i, (first, second) in enumerate(SHAPES):
            x, y = odd(first, kind, i), odd(second, kind, i + 100)
            pairs = [(x, y), (y, x), (x, 0.1), (x, 2), (x, -0.0), (x.T, x.T), (x.T, 0.1)]
            for a, b in [*pairs, (x, odd(second, "f8", i))]:
                expected, found = f(a, b), _run(f, (a, b))
                assert (type(found), found.dtype, found.shape) == (
                    type(expected),
                    expected.dtype,
                    expected.shape,
                )
                assert np.asarray(found).tobytes() == np.asarray(expected).tobytes(), (name, a, b)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "columns": lambda x: x[:, 1:4],
    "column": lambda x: x[:, 2],
    "rows": lambda x: x[::2, :3],
    "steps": lambda x: x[:, ::3],
    "broadcast": lambda x: np.broadcast_to(x[:, :1], (len(x), 4)),
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x[0], 4),
    "transposed": lambda x: x[:, :3].T,
    "backwards": lambda x: x[::-1, :3],
    "mirrored": lambda x: x[:, 2::-1],
    "first": lambda x: x[:1, :1],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", [np.float32, np.float64], ids=str)
def test_results_of_views_have_numpys_bits_and_layout(view: str, kind: Any) -> None:
    x = odd((600, 11), kind, 1)
    own = VIEWS[view](x)
    others = [own, odd(own.shape, kind, 2), odd((*own.shape[:-1], 1), kind, 3), odd(own.shape[-1:], kind, 4)]
    with np.errstate(all="ignore"):
        for name, f in FUNCTIONS.items():
            for other in others:
                for a, b in ((own, other), (other, own)):
                    expected, found = f(a, b), _run(f, (a, b))
                    assert (found.dtype, found.shape, found.strides) == (
                        expected.dtype,
                        expected.shape,
                        expected.strides,
                    )
                    assert found.tobytes() == expected.tobytes(), (name, a, b)


@pytest.mark.parametrize("operand", [3, 2**24 + 1, 2**40 + 1, -(2**70), 1e300, True, 0.1])
def test_numbers_of_python_are_converted_as_numpy_does(operand: Any) -> None:
    f = FUNCTIONS["multiply"]
    for kind in (np.float32, np.float64):
        x = np.linspace(-1.0, 1.0, 7).astype(kind)
        with np.errstate(all="ignore"):
            expected, found = f(x, operand), _run(f, (x, operand))
        assert (found.dtype, found.tobytes()) == (expected.dtype, expected.tobytes())


CASES = {
    "divide": (np.ones(3), np.array([1.0, 0.0, 2.0])),
    "multiply": (np.full(3, 1e300), np.full(3, 1e300)),
    "subtract": (np.full(3, np.inf), np.full(3, np.inf)),
    "add": (np.full(3, 1.7e308), np.full(3, 1.7e308)),
}


@pytest.mark.parametrize("name", CASES)
def test_warnings_and_errors_are_numpys(name: str) -> None:
    f, args = FUNCTIONS[name], CASES[name]
    texts = []
    runs: list[Callable[[], Any]] = [lambda: f(*args), lambda: _run(f, args)]
    for run in runs:
        with warnings.catch_warnings(record=True) as met, np.errstate(all="warn"):
            warnings.simplefilter("always")
            run()
        texts.append([str(each.message) for each in met])
    assert texts[0] == texts[1] != []
    for run in runs:
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            run()


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@pytest.mark.parametrize("width", [2, 3, 4])
def test_columns_have_numpys_bits(name: str, width: int) -> None:
    """Rows of two or three elements are set by loops of engine c, however far apart rows lie."""
    f, x = FUNCTIONS[name], odd((90, 13), np.float64, width)
    plain = np.where(np.isfinite(x), x, 1.0)
    views: list[Any] = [0.1, plain[0, :width], np.broadcast_to(x[:, :1], (90, width))]
    for a in (x, plain):
        views += [
            a[:, :width],
            a[:, 4 : 4 + width].copy(),
            a[::-1, :width],
            a[:, 9:10],
            a[::3].repeat(3, 0)[:, :width],
        ]
    with np.errstate(all="ignore"):
        for a in views[1:]:
            for b in views:
                for first, second in ((a, b), (b, a)):
                    expected, found = f(first, second), _run(f, (first, second))
                    assert np.asarray(found).tobytes() == np.asarray(expected).tobytes(), (
                        name,
                        first,
                        second,
                    )


@pytest.mark.parametrize("count", [10, 5000])
def test_underflow_is_reported_where_that_is_wanted(count: int) -> None:
    small = np.full(count, 1e-200)
    f = FUNCTIONS["multiply"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not _run(f, (small, small)).any()
    with np.errstate(under="raise"), pytest.raises(FloatingPointError, match="underflow"):
        _run(f, (small, small))
    with np.errstate(under="warn"), pytest.warns(RuntimeWarning, match="underflow"):
        _run(f, (small, small))


def overlapping(x: Any) -> Any:
    y = x[1:] * x[:-1]
    return np.sum(y[1:] + y[:-1] * y[::-1][1:])


def in_space(x: Any) -> Any:
    """Return a number of points of which coordinates are read, scaled and added up."""
    points, lengths = x[:, 1:4], x[:, :1]
    moved = points / lengths - lengths * x[:, 4:] + x[0, :3]
    moved += x[:, :3]
    return np.sum(moved * moved[:, :1]) + np.sum(moved[:, 1] * x[:, 2])


def test_gradients_of_columns_agree_on_all_engines() -> None:
    x = np.random.default_rng(0).normal(size=(300, 7))
    found = [value_and_grad(in_space, engine=engine)(x) for engine in ("c", "hybrid", "interp")]
    assert len({(value, slope.tobytes()) for value, slope in found}) == 1


PULLS: dict[str, Callable[..., Any]] = {
    "product": lambda x, y: x * y,
    "quotient": lambda x, y: x / y,
    "square": lambda x, y: x * (y**2),
    "columns": lambda x, y: x[:, 1:] - 2.0 * x[:, :-1] + x[::-1, -1:],
    "cross": lambda x, y: np.cross(x[:, :3], x[:, -3:]),
}


@pytest.mark.parametrize("name", PULLS)
@pytest.mark.parametrize("width", [3, 4, 20])
@pytest.mark.parametrize("plain", [True, False])
def test_pullbacks_of_columns_agree_on_all_engines(name: str, width: int, plain: bool) -> None:
    """Loops of engine c sum what was broadcast along rows as NumPy does, NaNs and zeros too."""
    f, found = PULLS[name], []

    def made(shape: tuple[int, ...], seed: int) -> Any:
        a = odd(shape, np.float64, seed)
        return np.where(np.isfinite(a), a, -0.0) if plain else a

    x, y = made((300, width), 1), made((300, 1), 2)
    if plain:
        y = 0.5 + np.abs(y)  # else no quotient's sum is a number
    with np.errstate(all="ignore"):
        g = made(f(x, y).shape, 3)
        for engine in ("c", "hybrid", "interp"):
            with pullback(f, x, y, argnums=(0, 1), engine=engine)[1] as pull:
                found.append(b"".join([part.tobytes() for part in pull(g)]))
    assert len(set(found)) == 1


def test_gradients_of_views_agree_on_all_engines() -> None:
    for kind in (np.float32, np.float64):
        x = np.linspace(0.3, 1.7, 9).astype(kind)
        pairs = [value_and_grad(overlapping, engine=engine)(x) for engine in ("c", "hybrid", "interp")]
        found = [tuple(part.tobytes() for part in pair) for pair in pairs]
        assert found[0] == found[1] == found[2]


def _operand(rng: Any, shape: list[int]) -> Any:
    """Return an array whose axes are in any order in memory, with gaps, and maybe NaNs."""
    order = rng.permutation(len(shape))
    lengths = tuple([shape[axis] + int(rng.integers(0, 2)) for axis in order])
    wide = odd(lengths, np.float64, int(rng.integers(99)))
    part = wide[tuple([slice(0, shape[axis]) for axis in order])]
    return part.transpose(np.argsort(order))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_orders_of_axes_are_those_of_numpy() -> None:
    """Results have the strides that NumPy gives them, whatever the orders and gaps of operands."""
    rng = np.random.default_rng(3)
    value_and_grad(lambda x: np.sum(x * x))(np.ones(2))  # NumPy is the library that has been met
    for _ in range(400):
        shape = [int(n) for n in rng.integers(1, 12, rng.integers(1, 5))]
        x, y = (_operand(rng, [n if rng.random() < 0.8 else 1 for n in shape]) for _ in range(2))
        for name in ("add", "multiply", "divide", "maximum"):
            function = kernel_of(name)
            assert function is not None
            for a, b in ((x, y), (x, y[0]), (x, 2.0)):
                found, expected = function(a, b), getattr(np, name)(a, b)
                assert (found.shape, found.strides) == (expected.shape, expected.strides)
                assert found.tobytes() == expected.tobytes()
