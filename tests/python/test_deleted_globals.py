"""`del` of a global: the run loses it, the module keeps it."""

from __future__ import annotations

import pytest

import checkpoint
from checkpoint.errors import SourceError
from tests.python.texts import defined

TEXT = """\
n = 3.0

def set_first(x):
    global n
    n = x
    y = n * n
    del n
    return y

def caught(x):
    global n
    n = x
    del n
    try:
        return n
    except NameError as error:
        print(error)
        return 3.0 * x

def twice(x):
    global n
    n = x
    del n
    del n

def new_name(x):
    global other
    other = x
    y = other * 2.0
    del other
    return y

def first(x):
    global n
    del n
    n = x
    return n * x
"""


@pytest.mark.parametrize(("name", "gradient"), [("set_first", 1.4), ("caught", 3.0), ("new_name", 2.0)])
def test_a_run_deletes_a_global(name: str, gradient: float) -> None:
    module, plain = defined(TEXT), defined(TEXT)
    assert checkpoint.value_and_grad(module[name])(0.7) == (plain[name](0.7), gradient)
    assert module["n"] == 3.0
    (_, state), _ = checkpoint.value_and_grad(module[name], has_state=True)(0.7)
    assert state.globals == {}


def test_what_is_deleted_has_no_value() -> None:
    with pytest.raises(NameError, match="name 'n' is not defined"):
        checkpoint.grad(defined(TEXT)["twice"])(0.7)


def test_a_global_that_was_there_before_is_state() -> None:
    module = defined(TEXT)
    with pytest.raises(SourceError, match="which the run has read before and leaves changed"):
        checkpoint.grad(module["first"])(0.7)
    gradient, state = checkpoint.grad(module["first"], has_state=True)(0.7)
    assert (gradient, state.globals) == (1.4, {"texts.n": 0.7})
