"""Between NumPy and programs of the language: arrays in and out, tangents, the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.api.schedules import SCHEDULES
from checkpoint.errors import RunError
from checkpoint.lang.printer import write_value
from tests.arrays_vlad.support import value
from tests.cli.support import checkpoint as command
from tests.support.corpus import engine_name, usable_engines

ENGINES = usable_engines()
every_engine = pytest.mark.parametrize("engine", [engine.name for engine in ENGINES])

SAME = checkpoint.read("(lambda (t) t)")
SQUARES = checkpoint.read("(lambda (t) (* t t))")
TOTAL = checkpoint.read("(lambda (t) (sumall (* t t)))")
X = np.array([[1.0, 2.0], [3.0, -1.0]])


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (X, "float64"),
        (X.T[::-1], "float64"),
        (X.astype("float32"), "float32"),
        (np.arange(3), "float64"),
        (np.arange(3, dtype="uint8"), "float64"),
        (np.array([True, False]), "bool"),
        (np.zeros((0, 2)), "float64"),
        (np.array(2.5), "float64"),
        (np.float32(2.5), "float32"),
    ],
    ids=str,
)
def test_arrays_come_back(given: Any, dtype: str) -> None:
    found = SAME(given)
    assert found.dtype == dtype
    assert found.shape == given.shape
    np.testing.assert_array_equal(found, given)


def test_numpys_double_and_integer_scalars_are_reals() -> None:
    assert type(SAME(np.float64(2.5))) is float
    assert type(SAME(np.int64(2))) is float


def test_arrays_in_lists_and_pairs() -> None:
    first, (second, third) = SAME([X, (X, 1.0)])
    assert third == 1.0
    np.testing.assert_array_equal(first + second, 2 * X)


def test_no_values_of_the_language() -> None:
    for thing in (np.array(["a"]), np.array([object()]), np.dtype(float)):
        with pytest.raises(RunError):
            SAME(thing)


@every_engine
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_vjp(engine: str, schedule: str) -> None:
    y, xbar = checkpoint.vjp(SQUARES, X, 2 * X, engine=engine, schedule=schedule)
    np.testing.assert_array_equal(y, X * X)
    np.testing.assert_array_equal(xbar, 4 * X * X)
    y, xbar = checkpoint.vjp(TOTAL, X, engine=engine)
    assert type(y) is float
    np.testing.assert_array_equal(xbar, 2 * X)


@every_engine
def test_jvp(engine: str) -> None:
    y, tangent = checkpoint.jvp(TOTAL, X, np.ones((2, 2)), engine=engine)
    assert (y, tangent) == (15.0, 10.0)
    y, tangent = checkpoint.jvp(SQUARES, X, np.eye(2), engine=engine)
    np.testing.assert_array_equal(tangent, 2 * X * np.eye(2))


@every_engine
def test_cotangents_have_the_structure_and_dtype_of_arguments(engine: str) -> None:
    f = checkpoint.read("(lambda ((list a (cons b c))) (+ (sumall (* a b)) (if (tensor? c) 1 2)))")
    single = X.astype("float32")
    y, (abar, (bbar, cbar)) = checkpoint.vjp(f, [single, (2.0, np.array([True]))], engine=engine)
    assert y == 11.0
    assert abar.dtype == np.float32
    np.testing.assert_array_equal(abar, np.full((2, 2), 2.0, np.float32))
    assert (bbar, cbar) == (5.0, None)


def test_wrong_shapes() -> None:
    with pytest.raises(
        RunError, match=r"ybar must be given: the value is no real, its shape is #<tensor \(2 2\)>"
    ):
        checkpoint.vjp(SQUARES, X)
    with pytest.raises(RunError, match=r"the cotangent ybar must be an array of float64 of shape \(2, 2\)"):
        checkpoint.vjp(SQUARES, X, np.ones(2))
    with pytest.raises(RunError, match=r"the tangent xtan must be an array of float64 of shape \(2, 2\)"):
        checkpoint.jvp(SQUARES, X, 1.0)
    with pytest.raises(RunError, match="the argument holds no real"):
        checkpoint.vjp(TOTAL, np.array([True]))


@every_engine
def test_capsules(engine: str) -> None:
    steps = checkpoint.primops(TOTAL, X, engine=engine)
    for cut in range(steps + 1):
        assert checkpoint.resume(checkpoint.interrupt(TOTAL, X, cut, engine=engine)) == 15.0


@every_engine
def test_a_procedure_run_on_floats_first(engine: str) -> None:
    """A procedure compiled for reals takes tensors later."""
    f = checkpoint.read("(lambda (x) (let loop ((n 3) (x x)) (if (zero? n) x (loop (- n 1) (* x (sin x))))))")
    for _ in range(3):
        assert type(checkpoint.vjp(f, 0.5, engine=engine)[1]) is float
    wanted = [checkpoint.vjp(f, x, engine=engine)[1] for x in (0.5, 0.75)]
    for _ in range(3):
        _, found = checkpoint.vjp(f, np.array([0.5, 0.75]), np.ones(2), engine=engine)
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_arguments_are_not_changed() -> None:
    before = X.copy()
    checkpoint.vjp(SQUARES, X, np.ones((2, 2)))
    np.testing.assert_array_equal(X, before)


# Written


WRITTEN = {
    "(list->tensor '((1 2) (3 4.5)))": "#<tensor (2 2) ((1.0 2.0) (3.0 4.5))>",
    "(< (list->tensor '(1 2)) 2)": "#<tensor (2) (#t #f)>",
    "(zeros '())": "#<tensor () 0.0>",
    "(zeros '(2 0))": "#<tensor (2 0) (() ())>",
    "(list->tensor (list 1e300 -1e-300 +inf.0))": "#<tensor (3) (1e+300 -1e-300 +inf.0)>",
    "(zeros 101)": "#<tensor (101) (0.0 0.0 0.0 ... 0.0 0.0 0.0)>",
    "(list 1 (ones 1))": "(1.0 #<tensor (1) (1.0)>)",
}


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize("engine", ENGINES, ids=engine_name)
def test_written(text: str, engine: Any) -> None:
    assert write_value(value(text, engine)) == WRITTEN[text]


def test_of_a_large_tensor_not_much_is_written() -> None:
    assert len(write_value(value("(zeros '(1000 1000))", ENGINES[0]))) < 300


def test_keys_are_written_with_their_dtype() -> None:
    assert write_value(value("(random-key 1)", ENGINES[0])).startswith("#<tensor uint64 (2) (")


@every_engine
def test_write_inside_of_derivatives(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = "(cdr ({} (lambda (t) (sumall (write (* t t)))) (ones 2) {}))"
    for mode, given in (("j*", "(ones 2)"), ("*j", "1"), ("checkpoint-*j", "1")):
        checkpoint.read(text.format(mode, given), engine=engine)
        assert capsys.readouterr().out == "#<tensor (2) (1.0 1.0)>\n"


# The command line


@every_engine
def test_commands(engine: str, tmp_path: Path) -> None:
    (tmp_path / "net.vlad").write_text("(lambda ((list w b)) (sumall (tanh (+ b (* 2 w)))))")
    (tmp_path / "value.vlad").write_text("(transpose (list->tensor '((1 2) (3 4))))")
    ran = command("run", "value.vlad", "--engine", engine, cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == ("#<tensor (2 2) ((1.0 3.0) (2.0 4.0))>\n", "")
    x = "(list (zeros 2) 0)"
    found = command("grad", "net.vlad", "--x", x, "--engine", engine, cwd=tmp_path)
    assert (found.stdout, found.stderr) == ("0.0\n(#<tensor (2) (2.0 2.0)> 2.0)\n", "")
    failed = command("grad", "net.vlad", "--x", "(list (zeros 2) (ones 3))", "--engine", engine, cwd=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.startswith("net.vlad:1:36: error: (+ #<tensor (3) (1.0 1.0 1.0)> #<tensor (2)")


@pytest.mark.parametrize("name", ["core", "cps", "closures", "blocks", "adjoint"])
def test_listings(name: str, tmp_path: Path) -> None:
    (tmp_path / "net.vlad").write_text("(lambda (t) (sumall (tanh (matmul t t))))")
    done = command("show", "net.vlad", "--pass", name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "matmul" in done.stdout
