"""A method that an object has not, called with arguments that fit no such method: it is looked up first."""

from __future__ import annotations

import pytest

import checkpoint
from checkpoint.errors import RunError
from tests.python.agreement import outcome
from tests.python.texts import defined, run

CALLS = [
    "[x].values(1)",
    "[x].keys(1, 2)",
    "{}.sort(1)",
    "(x,).get()",
    "(3).add()",
    "{}.index()",
]
CALLS += [
    "[x].get()",
    "range(3).items(2)",
    "{}.sort(1, 2)",
    "x.values(1)",
    "{x}.sort(1)",
    "[x].get(0)",
    "[x, 0].get(0, 1)",
    "x.get(0)",
    "(x,).items()",
    "{x}.get(x)",
]


@pytest.mark.parametrize("call", CALLS)
def test_the_method_is_missing(call: str) -> None:
    f = defined(f"def f(x):\n    y = {call}\n    return y\n")["f"]
    want, got = outcome(lambda: f(1.5)), outcome(lambda: run(f, 1.5))
    assert isinstance(want.error, AttributeError)
    assert (type(got.error), str(got.error)) == (AttributeError, str(want.error))
    text = f"def f(x):\n    try:\n        {call}\n    except AttributeError:\n        return x\n"
    assert run(defined(text)["f"], 1.5) == 1.5


@pytest.mark.parametrize("call", ["[x].sort(1)", "{}.values(1)", "{}.get()", "{x}.add()"])
def test_the_arguments_do_not_fit(call: str) -> None:
    f = defined(f"def f(x):\n    return {call}\n")["f"]
    assert isinstance(outcome(lambda: f(1.5)).error, TypeError)
    assert isinstance(outcome(lambda: run(f, 1.5)).error, TypeError)


ASKED = {
    "error.add_note('here')": "add_note of an exception",
    "print(error.__context__)": "__context__ of an",
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_no_run_keeps_of_an_exception(asked: str) -> None:
    body = f"    try:\n        return [x][2]\n    except IndexError as error:\n        {asked}\n"
    with pytest.raises(RunError, match=f"{ASKED[asked]}.* is not kept by a run: write .*`raise"):
        run(defined(f"def f(x):\n{body}")["f"], 1.5)


def scaled(x: float) -> float:
    try:
        return 1.0 / (x - x)
    except ZeroDivisionError as error:
        raise KeyError("no scale") from error


def test_the_cause_of_an_exception_leaves_the_run(engine: str) -> None:
    with pytest.raises(KeyError, match="no scale") as found:
        checkpoint.grad(scaled, engine=engine)(2.0)
    assert repr(found.value.__cause__) == "ZeroDivisionError('float division by zero')"
