"""Tables of pandas and arrays of records as inputs; functions that numba has compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.errors import RunError, SourceError
from tests.python.texts import defined

X = np.array([0.5, 1.5])
RECORDS = np.array([(1, 2.5), (2, 3.5)], dtype=[("n", int), ("mass", float)])


def test_an_array_of_records_as_an_argument() -> None:
    def heavy(table: Any, x: Any) -> Any:
        chosen = table[table["n"] > 1]
        return chosen["mass"][0] * x[0] * len(chosen)

    value, bar = checkpoint.value_and_grad(heavy, argnums=1)(RECORDS, X)
    assert value == heavy(RECORDS, X)
    np.testing.assert_array_equal(bar, [3.5, 0.0])
    assert checkpoint.vjp(lambda both: heavy(*both), (RECORDS, X), 1.0)[1][0] is None


# pandas: what is in each is the value of f(x); df has columns x, y (numbers) and k (texts)

TABLES = [
    "np.mean((x[0] * df['x'] + x[1] - df['y']) ** 2)",
    "np.sum((x[0] * df.x.to_numpy() + x[1] - df.y.values) ** 2) + len(df) + df.shape[1]",
    "x[0] * df['x'].iloc[1] + x[1] * df.loc[2, 'y']",
    "x[0] * df['x'].to_numpy().mean() + x[1] * df['y'].median() + x[0] * df['x'].sum()",
    "sum([x[1] * df[c].to_numpy().std(ddof=1) for c in df.columns if c != 'k'])",
    "sum([x[0] * row['x'] for i, row in df.iterrows()])",
    "np.sum(df[df['k'] == 'a']['x'].to_numpy() * x[0])",
    "np.sum(df[['x', 'y']].to_numpy() @ x)",
    "np.sum(df.groupby('k')['x'].to_numpy() * x[0]) if False else x[0] * df['x'].nunique()",
    "np.exp(df['x']).sum() * x[0]",
    "sum([x[0] * v for v in df['x']])",
]
REFUSED = [
    ("(x[0] * df['x'][1:]).sum()", RunError, "labels are not 0, 1, 2"),
    ("np.sum(x[0] * (df['x'] * 1).where(df['x'] > 2))", RunError, "where"),
    ("x[0] * df['x'].std()", SourceError, "std without ddof"),
    ("x[0] * np.sum(df.mean(axis=0))", RunError, "to_numpy"),
]


def program(text: str, df: Any) -> Any:
    return defined(f"def f(x):\n    return {text}\n", np=np, df=df)["f"]


@pytest.fixture
def df() -> Any:
    """A table with two columns of numbers and one of texts."""
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.1, 5.9], "k": ["a", "b", "a"]})


@pytest.mark.parametrize("text", TABLES)
@pytest.mark.parametrize("engine", ["interp", "hybrid", "c"])
def test_tables(text: str, engine: str, df: Any) -> None:
    f = program(text, df)
    value, bar = checkpoint.value_and_grad(f, engine=engine)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    for i, unit in enumerate(np.eye(2) * 1e-6):
        assert bar[i] == pytest.approx((f(X + unit) - f(X - unit)) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(("text", "error", "said"), REFUSED)
def test_where_pandas_and_arrays_differ(text: str, error: Any, said: str, df: Any) -> None:
    with pytest.raises(error, match=said):
        checkpoint.grad(program(text, df))(X)


def test_missing_values(df: Any) -> None:
    df.loc[1, "x"] = np.nan
    with pytest.raises(RunError, match="missing values"):
        checkpoint.grad(program("np.sum(x[0] * df['x'])", df))(X)


# numba


class Compiled:
    """Stands for what numba makes of a function."""

    def __init__(self, py_func: Any) -> None:
        self.py_func = py_func

    def __call__(self, *args: Any) -> Any:
        raise AssertionError("a program runs the Python function")


Compiled.__module__ = "numba.core.registry"


@Compiled
def kernel(x: Any, n: int) -> Any:
    """Return a sum of squares."""
    total = 0.0
    for i in range(n):
        total += x[i % 2] ** 2
    return total


def test_functions_that_numba_has_compiled_are_those_of_python() -> None:
    def calls(x: Any) -> Any:
        return 2.0 * kernel(x, 3)

    value, bar = checkpoint.value_and_grad(calls)(X)
    assert value == 2.0 * kernel.py_func(X, 3)
    np.testing.assert_array_equal(bar, [4.0, 6.0])
    np.testing.assert_array_equal(checkpoint.grad(kernel)(X, 3), [2.0, 3.0])


@pytest.mark.parametrize("parallel", [False, True])
def test_with_numba(parallel: bool) -> None:
    numba = pytest.importorskip("numba")
    compiled = numba.njit(parallel=parallel)(kernel.py_func)
    np.testing.assert_array_equal(checkpoint.grad(lambda x: compiled(x, 3))(X), [2.0, 3.0])
