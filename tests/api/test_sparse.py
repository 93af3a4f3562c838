"""Sparse Jacobians and Hessians: patterns, passes, and entries with the bits of dense matrices."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import checkpoint
from checkpoint import RunError, SourceError, SparsityWarning, grad, hessian, jacfwd, jacobian, jacrev
from checkpoint.api import sparse
from checkpoint.api.colouring import planned
from tests.api.counting import calls_counted
from tests.arrays.generator import HEAD, program
from tests.python.texts import defined
from tests.uses.test_bundle import problem, residuals

X = [0.3 + 0.17 * i for i in range(12)]


def banded(x: Any) -> Any:
    y = []
    for i in range(len(x)):
        value = math.sin(x[i]) * x[i]
        if i > 0:
            value = value + 3.0 * x[i - 1]
        if i + 1 < len(x):
            value = value - x[i + 1] ** 3
        y.append(value)
    return y


def arrow(x: Any) -> Any:
    total = 0.0
    for part in x:
        total = total + part * part
    return [total, *[x[0] / x[i] for i in range(1, len(x))]]


def network(weights: Any) -> Any:
    """Return two outputs of a network by all its weights: the Jacobian is full, and wide."""
    first, second = weights[:12].reshape(4, 3), weights[12:].reshape(2, 4)
    return second @ np.tanh(first @ np.array([0.5, -1.0, 2.0]))


def bundle(flat: Any) -> Any:
    inputs = {
        "cameras": flat[:22].reshape(2, 11),
        "points": flat[22:31].reshape(3, 3),
        "weights": flat[31:],
    }
    return residuals(inputs, OBSERVATIONS, FEATURES)


_INPUTS, OBSERVATIONS, FEATURES = problem(2, 3, 4)
BUNDLE = np.concatenate([_INPUTS[name].ravel() for name in ("cameras", "points", "weights")])


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count runs on duals, along one direction or several, reversals, and second derivatives."""
    return calls_counted(
        monkeypatch, {"on_duals": "jvp", "vjp": "vjp", "cotangent": "vjp", "second": "second"}
    )


def flattened(matrix: Any, count: int) -> Any:
    """Return a dense Jacobian by one argument of `count` reals, in any structure, as a matrix."""
    if isinstance(matrix, dict):
        matrix = list(matrix.values())
    if isinstance(matrix, list | tuple) and not all(isinstance(part, float) for part in matrix):
        rows = [flattened(part, count) for part in matrix if part is not None]
        return np.concatenate(rows) if rows else np.zeros((0, count))
    return np.asarray(matrix).reshape(-1, count)


def has_bits(found: Any, dense: Any) -> None:
    """Assert that stored entries have the bits of a dense matrix, which is 0 elsewhere."""
    assert found.shape == dense.shape
    rows, columns = found.tocoo().coords
    assert np.array_equal(found.data.view(np.int64), dense[rows, columns].view(np.int64))
    rest = dense.copy()
    rest[rows, columns] = 0.0
    assert not rest.any()


CASES: dict[str, tuple[Callable[[Any], Any], Any, int]] = {
    "banded": (banded, X, 3),
    "network": (network, np.linspace(-1.0, 1.0, 20), 2),
    "bundle": (bundle, BUNDLE, 15),
}


@pytest.mark.parametrize("name", CASES)
def test_entries_have_the_bits_of_dense_ones(name: str, engine: str, passes: dict[str, int]) -> None:
    f, x, most = CASES[name]
    found = jacobian(f, engine=engine)(x)
    assert passes["jvp"] + passes["vjp"] <= most
    assert not (passes["jvp"] and passes["vjp"])
    dense = (jacfwd if passes["jvp"] else jacrev)(f, engine=engine)(x)
    has_bits(found, flattened(dense, len(x)))
    for mode, made in (("forward", jacfwd), ("reverse", jacrev)) if engine == "c" else ():
        has_bits(jacobian(f, mode=mode, engine=engine)(x), flattened(made(f, engine=engine)(x), len(x)))


def test_a_full_row_and_a_full_column_are_found_apart(engine: str, passes: dict[str, int]) -> None:
    """Neither columns nor rows alone could be grouped: the row is found by a sweep, the rest by columns."""
    found = jacobian(arrow, engine=engine)(X)
    assert (passes["jvp"], passes["vjp"]) == (2, 1)
    assert found.nnz == 3 * len(X) - 2
    has_bits(found[1:], np.array(jacfwd(arrow, engine=engine)(X))[1:])
    has_bits(found[:1], np.array(jacrev(arrow, engine=engine)(X))[:1])


@pytest.mark.filterwarnings("ignore::checkpoint.SparsityWarning")
@pytest.mark.parametrize("seed", range(10))
def test_random_programs(seed: int) -> None:
    check_program(seed)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::checkpoint.SparsityWarning")
@pytest.mark.parametrize("seed", range(10, 400, 10))
def test_more_random_programs(seed: int) -> None:
    for each in range(seed, seed + 10):
        check_program(each)


def check_program(seed: int) -> None:
    """Compare the sparse Jacobian of a random program, and the Hessian of its squares, with dense ones."""
    text = program(Random(seed).choice).text
    whole = f"{HEAD}{text}\n\ndef g(z):\n    return f(z[:3], z[3:6], z[6:15].reshape(3, 3), z[15])\n"
    g, z = defined(whole)["g"], np.random.default_rng(seed).uniform(-1.0, 1.0, 16)
    try:
        dense = flattened(jacfwd(g)(z), 16)
    except Exception as error:
        with pytest.raises(type(error)):
            jacobian(g)(z)
        return
    found = jacobian(g, mode="forward")(z)
    assert not np.any(dense[~_pattern(found)])
    assert np.array_equal(found.toarray(), dense, equal_nan=True)
    if np.isfinite(dense).all() and dense.size:
        curved = hessian(_total(whole), sparsity="detect")(z).toarray()
        expected = hessian(_total(whole))(z)
        same = (curved == expected) | (curved == expected.T)
        assert np.all(same | ~np.isfinite(expected))


def _pattern(found: Any) -> Any:
    return sp.csr_array((np.ones(found.nnz, bool), found.indices, found.indptr), shape=found.shape).toarray()


def _total(text: str) -> Any:
    """Return the sum of the squares of all that a program returns."""
    total = """
def squares(value):
    if isinstance(value, dict):
        return squares(list(value.values()))
    if isinstance(value, (list, tuple)):
        found = 0.0
        for part in value:
            found = found + squares(part)
        return found
    return np.sum(value * value)


def total(z):
    return squares(g(z)) * 1.0
"""
    return defined(text + total)["total"]


def test_branches_are_those_of_this_run() -> None:
    def either(x: Any) -> Any:
        return [x[0] if x[1] > 0.0 else x[2]]

    made = jacobian(either)
    assert made([1.0, 1.0, 5.0]).indices.tolist() == [0]
    assert made([1.0, -1.0, 5.0]).indices.tolist() == [2]


def test_a_zero_partial_is_an_entry() -> None:
    found = jacobian(lambda x: [x[0] * x[1]])([0.0, 0.0])
    assert (found.nnz, found.toarray().tolist()) == (2, [[0.0, 0.0]])


def test_zeros_of_a_constant_matrix_are_none() -> None:
    matrix = np.diag([1.0, 2.0, 3.0]) + np.diag([4.0, 5.0], 1)
    found = jacobian(lambda x: matrix @ x)(np.ones(3))
    assert np.array_equal(found.toarray(), matrix)
    assert found.nnz == 5


def test_several_arguments(passes: dict[str, int]) -> None:
    def f(a: Any, b: Any, n: int) -> Any:
        return {"y": [a["p"] * b[1], b[0] * n], "s": "text"}

    found = jacobian(f, (1, 0))({"p": 3.0}, np.array([5.0, 7.0]), 2)
    assert found.toarray().tolist() == [[0.0, 3.0, 7.0], [2.0, 0.0, 0.0]]
    assert passes["jvp"] + passes["vjp"] == 1 + (found.shape[0] == 3)


def test_other_arguments_are_constants() -> None:
    def f(x: Any, matrix: Any, scale: float) -> Any:
        return scale * (matrix @ x)

    found = jacobian(f)(np.ones(2), np.array([[1.0, 0.0], [2.0, 3.0]]), 2.0)
    assert (found.nnz, found.toarray().tolist()) == (3, [[2.0, 0.0], [4.0, 6.0]])


def test_nothing_depends_on_the_argument(passes: dict[str, int]) -> None:
    found = jacobian(lambda x: [1.0, 2.0])([1.0, 2.0, 3.0])
    assert (found.shape, found.nnz, sum(passes.values())) == ((2, 3), 0, 0)
    flat = hessian(lambda x: x[0] + 2.0 * x[1], sparsity="detect")([1.0, 2.0])
    assert (flat.shape, flat.nnz, sum(passes.values())) == ((2, 2), 0, 0)


def test_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    def talking(x: Any) -> Any:
        print("here")
        return [x[0] * x[0], x[1]]

    jacobian(talking)([1.0, 2.0])
    assert capsys.readouterr().out == "here\n"


def test_a_given_pattern(passes: dict[str, int]) -> None:
    pattern = jacobian(banded)(X)
    passes.update(dict.fromkeys(passes, 0))
    found = jacobian(banded, sparsity=pattern)(X)
    assert passes["jvp"] == 4  # three groups and the check
    passes.update(dict.fromkeys(passes, 0))
    unchecked = jacobian(banded, sparsity=pattern.toarray(), check=False)(X)
    assert passes["jvp"] == 3
    for each in (found, unchecked):
        has_bits(each, np.array(jacfwd(banded)(X)))
    made = pickle.loads(pickle.dumps(jacobian(banded, sparsity=pattern, mode="reverse")))
    has_bits(made(X), np.array(jacrev(banded)(X)))


def test_the_plan_of_a_given_pattern_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = jacobian(banded, sparsity=jacobian(banded)(X))
    plans = []

    def counted(pattern: Any, mode: str | None) -> Any:
        plans.append(mode)
        return planned(pattern, mode)

    monkeypatch.setattr(sparse, "planned", counted)
    assert (made(X) - made(X)).nnz == 0
    assert plans == [None]


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_pattern_that_lacks_entries(mode: str) -> None:
    wrong = np.eye(len(X))
    with pytest.raises(RunError, match=r"^the sparse Jacobian has entries outside of .* in rows 0, 1"):
        jacobian(banded, sparsity=wrong, mode=mode)(X)
    jacobian(banded, sparsity=wrong, mode=mode, check=False)(X)
    with pytest.raises(RunError, match=r"^the sparse Hessian has entries outside"):
        hessian(lambda x: sum(banded(x)) ** 2, sparsity=wrong)(X)


WRONG: dict[str, Callable[[], Any]] = {
    "the pattern has 2 columns, the selected arguments have 12 reals": lambda: jacobian(
        banded, sparsity=np.ones((12, 2))
    )(X),
    "the pattern has 3 rows, the value has 12 reals": lambda: jacobian(banded, sparsity=np.ones((3, 12)))(X),
    "the pattern of a Hessian is symmetric, and the one that was given is not": lambda: hessian(
        rosenbrock, sparsity=np.tri(12)
    )(X),
    "sparsity is \"detect\" or a matrix, not 'find'": lambda: jacobian(banded, sparsity="find"),
    "a pattern is a matrix, not an array of 1 axes": lambda: jacobian(banded, sparsity=[1.0]),
    'mode is "forward", "reverse" or None, not \'both\'': lambda: jacobian(banded, mode="both"),
}


@pytest.mark.parametrize("message", WRONG)
def test_messages(message: str) -> None:
    with pytest.raises(RunError) as caught:
        WRONG[message]()
    assert str(caught.value) == message


def test_within_programs() -> None:
    with pytest.raises(SourceError, match=r"checkpoint\.jacobian, .* call checkpoint\.jacfwd there"):
        grad(lambda x: jacobian(banded)(x).sum())(X)
    made = jacobian(banded)
    with pytest.raises(SourceError, match="cannot be made in a program: make it outside"):
        grad(lambda x: made(x).sum())(X)


def test_what_has_no_rule_is_dense_and_said() -> None:
    def solved(x: Any) -> Any:
        return np.linalg.solve(np.array([[2.0, 0.0], [0.0, 1.0]]), x)

    with pytest.warns(SparsityWarning, match=r"^np\.linalg\.solve has no rule for index sets"):
        found = jacobian(solved)(np.array([1.0, 2.0]))
    assert (found.nnz, found.toarray().tolist()) == (4, [[0.5, 0.0], [0.0, 1.0]])

    def inner(x: Any) -> Any:
        return grad(lambda z: z[0] * z[1] * z[1])(x)

    with pytest.warns(SparsityWarning, match="^a step that runs a program"):
        assert jacobian(inner)([2.0, 3.0]).toarray().tolist() == [[0.0, 6.0], [6.0, 4.0]]


def rosenbrock(x: Any) -> Any:
    return sum([100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1)])


def rosenbrock_of_array(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def star(x: Any) -> Any:
    return sum([x[0] * x[i] ** 2 for i in range(1, len(x))])


def groups(x: Any) -> Any:
    """Return a sum of products of three each: three full blocks on the diagonal."""
    return sum([math.exp(x[i] * x[i + 1] * x[i + 2]) for i in range(0, len(x), 3)])


HESSIANS: dict[str, tuple[Callable[[Any], Any], Any, int]] = {
    "rosenbrock": (rosenbrock, X, 3),
    "rosenbrock of array": (rosenbrock_of_array, np.array(X), 3),
    "star": (star, X, 2),
    "groups": (groups, X, 3),
    "linear": (lambda x: 2.0 * x[0] + max(x[1], x[2]) - abs(x[3]), X, 0),
}


@pytest.mark.parametrize("name", HESSIANS)
def test_hessians(name: str, engine: str, passes: dict[str, int]) -> None:
    """Each entry has the bits of a dense one, on its own or on the other side of the diagonal."""
    f, x, most = HESSIANS[name]
    found = hessian(f, sparsity="detect", engine=engine)(x)
    assert passes == {"jvp": 0, "vjp": 0, "second": most}
    dense = np.array(hessian(f, engine=engine)(x))
    entries = found.toarray()
    assert np.all((entries == dense) | (entries == dense.T))
    again = hessian(f, sparsity=found, engine=engine)(x)
    assert np.array_equal(again.toarray(), entries)


def test_running_sums_take_one_union_each() -> None:
    """A sum over many reals: its sets are ints, not sets of thousands."""

    def total(x: Any) -> Any:
        found = 0.0
        for part in x:
            found = found + part
        return [found]

    assert jacobian(total, mode="reverse")([1.0] * 2_000).nnz == 2_000
    assert checkpoint.jacobian is jacobian
