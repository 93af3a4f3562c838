"""Random sequences of updates in a loop: all laws, on every engine, and that engines agree."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from checkpoint.errors import RunError
from tests.engine_containers.programs import loop, total
from tests.engine_containers.support import case, lets
from tests.support import laws
from tests.support.corpus import usable_engines
from tests.support.same import difference, same_bits

REPEATABLE = settings(
    max_examples=12,
)

VALUES: tuple[Callable[[str], Any], ...] = (
    lambda xs: "x",
    lambda xs: 2,
    lambda xs: ("py.mul", "x", ("py.item", xs, -1)),
    lambda xs: ("py.add", ("py.item", xs, 0), "g_i"),
    lambda xs: ("py.math.sin", ("py.add", ("py.item", xs, ("py.mod", "g_i", ("py.len", xs))), 1)),
    lambda xs: ("py.truediv", ("py.add", "g_i", 1), 3),
)
UPDATES: tuple[Callable[[str, Any], Any], ...] = (
    lambda xs, v: ("py.append", xs, v),
    lambda xs, v: ("py.set", xs, ("py.mod", "g_i", ("py.len", xs)), v),
    lambda xs, v: ("py.set", xs, -1, v),
    lambda xs, v: ("py.insert", xs, 1, v),
    lambda xs, v: ("py.reverse", xs),
    lambda xs, v: ("py.delete", ("py.append", xs, v), 0),
    lambda xs, v: ("py.delete", ("py.append", xs, v), -1),
    lambda xs, v: ("py.extend", xs, ("py.tuple", v, 1)),
    lambda xs, v: ("py.iadd", xs, ("py.slice", xs, 0, 2, None)),
    lambda xs, v: ("py.set-slice", xs, 0, 1, None, ("py.list", v, v)),
    lambda xs, v: ("py.permute", xs, ("py.order", xs, True)),
    lambda xs, v: ("py.slice", ("py.add", xs, ("py.list", v)), -4, None, None),
    lambda xs, v: ("py.item", ("py.set", ("py.dict",), 7, ("py.append", xs, v)), 7),
    lambda xs, v: ("py.append", ("py.list-of", ("py.tuple-of", xs)), v),
    lambda xs, v: ("handle", ("py.set", xs, 99, v), "e", xs),  # fails before it changes anything
    lambda xs, v: ("py.set", xs, ("py.add", "g_i", 1), v),  # may fail
)


@st.composite
def programs(draw: Callable[..., Any]) -> Any:
    """Draw a procedure of one real: a loop of some turns, each with a few updates of one list."""
    bindings, xs = [], "g_xs"
    for i in range(draw(st.integers(1, 4))):
        form = draw(st.sampled_from(UPDATES))(xs, draw(st.sampled_from(VALUES))(xs))
        bindings.append((f"u{i}", renamed(form, f"e{i}")))
        xs = f"u{i}"
    turn = lets(*bindings, body=xs)
    start = {"g_xs": ("py.list", "x", 1.5)}
    return ("lambda", ("x",), loop("g", draw(st.integers(1, 6)), start, {"g_xs": turn}, total("g_xs", "t")))


def renamed(form: Any, name: str) -> Any:
    """Return a form whose handler's variable has its own name."""
    return (form[0], form[1], name, form[3]) if form[0] == "handle" else form


POINTS = st.sampled_from((0.7, -1.3, 0.0))


@given(program=programs(), x=POINTS)
@REPEATABLE
def test_laws_of_updates(program: Any, x: float) -> None:
    check(program, x)


@pytest.mark.long
@given(program=programs(), x=POINTS)
@settings(REPEATABLE, max_examples=300)
def test_laws_of_many_updates(program: Any, x: float) -> None:
    check(program, x)


def check(program: Any, x: float) -> None:
    """Check all laws for one program."""
    note(repr(program))
    outcomes = []
    for engine in usable_engines():
        one, random = case(program, x, engine), Random(repr(program))
        try:
            run = laws.whole_run(one, engine, "")
        except RunError as error:
            outcomes.append((error.message, 0, 0.0))
            laws.check_failing(one, engine, "", error.message)
            continue
        xbar = laws.check_schedules(one, engine, "", run, laws.share((1, 4, 31), engine))
        for cut in laws.share(laws.cuts(run.steps, random, every=5, more=6), engine):
            laws.check_cut(one, engine, "", run, cut)
            laws.check_gradient_through_cut(one, engine, "", run, xbar, cut, random.choice((1, 6, 10_000)))
        outcomes.append((run.value, run.steps, xbar))
    first = outcomes[0]
    for other in outcomes[1:]:
        assert other[1] == first[1]
        assert difference(other[0], first[0]) is None
        assert same_bits(other[2], first[2])
