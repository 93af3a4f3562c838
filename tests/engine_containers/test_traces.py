"""The calls open when a run failed are the same on every engine."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.ad.values import Failure
from checkpoint.errors import RunError
from checkpoint.functions import runs
from tests.engine_containers.support import At, closure, lets
from tests.support.corpus import engine_name, usable_engines

FAILING = At(9, ("py.truediv", "x", 0.0))
LOOP = ("lambda", ("i",), ("if", ("py.lt", "i", 3), At(5, ("loop", ("py.add", "i", 1))), At(3, ("f", "i"))))

PROGRAMS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "no call": (FAILING, ()),
    "a call": (("py.add", 1.0, At(1, ("f", "x"))), (1,)),
    "a tail call of the run": (At(1, ("f", "x")), ()),
    "a call in a call": (("py.add", 1.0, At(1, ("g", "x"))), (2, 1)),
    "a tail call in a call": (("py.add", 1.0, At(1, ("h", "x"))), (1,)),
    "in a loop": (("py.add", 1.0, ("letrec", (("loop", LOOP),), At(4, ("loop", 0)))), (3,)),
    "in a handler's body": (("py.add", 1.0, ("handle", At(1, ("g", "x")), "e", ("raise", "e"))), ()),
    "in a derivative": (("py.add", 1.0, ("cdr", At(4, ("*j", "g", "x", 1.0)))), (2, 4)),
    "in a derivative that is part of the run": (("py.add", 1.0, ("cdr", At(4, ("j*", "g", "x", 1.0)))), (2,)),
    "after a resumption": (("py.add", 1.0, ("resume", ("interrupt", "g", "x", 5.0))), (2,)),
    "a raise": (("py.add", 1.0, At(1, ("r", "x"))), (1,)),
    "an update that is refused": (("py.add", 1.0, At(1, ("s", "x"))), (1,)),
}  # fmt: skip

REFUSED = ("py.merge", ("py.dict",), ("py.list", ("py.tuple", 1, "k")))
FUNCTIONS = (
    ("f", ("function", ("a",), ("py.truediv", "a", 0.0))),
    ("g", ("function", ("b",), ("py.mul", 2.0, At(2, ("f", "b"))))),
    ("h", ("function", ("c",), At(6, ("f", "c")))),
    ("r", ("function", ("d",), ("raise", "d"))),
    ("s", ("function", ("k",), lets(("m", REFUSED), body=("py.len", "m")))),
)  # fmt: skip


@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
@pytest.mark.parametrize("name", PROGRAMS)
def test_open_calls(name: str, engine: Any) -> None:
    body, expected = PROGRAMS[name]
    f = closure(("lambda", ("x",), ("letrec", FUNCTIONS, body)), engine)
    for _ in range(5):
        with pytest.raises(RunError) as caught:
            runs.call_values(f, 0.5, engine)
        assert tuple(span.start for span in caught.value.trace) == expected
    if name == "a raise":
        assert caught.value.raised == 0.5
    elif name != "an update that is refused":
        assert type(caught.value.raised) is Failure
        assert type(caught.value.raised.exception) is ZeroDivisionError


@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
def test_a_trace_is_not_longer_than_shown(engine: Any) -> None:
    deep = (
        "function",
        ("n",),
        ("if", ("py.lt", "n", 1), ("py.truediv", "n", 0.0), ("py.add", 1.0, At(1, AGAIN))),
    )
    f = closure(("lambda", ("x",), ("letrec", (("deep", deep),), ("deep", 200))), engine)
    with pytest.raises(RunError) as caught:
        runs.call_values(f, 0.5, engine)
    assert [span.start for span in caught.value.trace] == [1] * 50


AGAIN = ("deep", ("py.sub", "n", 1))
