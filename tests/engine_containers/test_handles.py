"""Containers that are shared or arguments: what programs may do with them; what kept states cost."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.ad.containers import TUPLE, Dict, Layout, List, Record
from checkpoint.ad.values import Pair
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError
from checkpoint.functions import runs
from tests.engine_containers.programs import loop, total
from tests.engine_containers.support import Const, closure, lets, plain
from tests.support.corpus import engine_name, usable_engines
from tests.support.same import same_bits

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

SEEN = ("py.len", "a")
APPENDED = ("b", ("py.append", "a", "x"))
# Programs that look at a container which was changed through another name, and their values at 0.5.
SHARED = {
    "read": (lets(("a", ("py.list", 2.0)), APPENDED, body=("py.item", "a", 1)), 0.5),
    "changed again": (
        lets(("a", ("py.list", "x")), APPENDED, body=("py.len", ("py.append", "a", 2.0))),
        3,
    ),
    "in a handler": (
        lets(
            ("a", ("py.list", "x")),
            body=("handle", ("py.item", ("py.append", "a", 1.0), 7), "e", ("py.item", "a", 1)),
        ),
        1.0,
    ),
    "captured": (
        lets(
            ("a", ("py.dict",)),
            ("f", ("lambda", ("y",), ("py.mul", "y", ("py.item", "a", 1)))),
            ("b", ("py.set", "a", 1, "x")),
            body=("f", 3.0),
        ),
        1.5,
    ),
    "in another list": (
        lets(
            ("a", ("py.list", "x")),
            ("b", ("py.list", "a")),
            ("c", ("py.append", "a", "x")),
            body=("py.item", ("py.item", "b", 0), 1),
        ),
        0.5,
    ),
    "moved": (
        lets(
            ("a", ("py.list", "x", 3.0)),
            ("b", ("py.reverse", "a")),
            ("c", ("py.insert", "b", 1, ("py.mul", "x", "x"))),
            body=("py.add", ("py.item", "a", 0), ("py.item", "a", 1)),
        ),
        3.25,
    ),
    "in a derivative": (
        lets(
            ("a", ("py.list", "x")),
            APPENDED,
            body=("cdr", ("*j", ("lambda", ("y",), ("py.mul", "y", ("py.item", "a", 1))), "x", 1.0)),
        ),
        0.5,
    ),
    "from a derivative": (
        lets(
            (
                "f",
                (
                    "lambda",
                    ("y",),
                    lets(("a", ("py.list", "y")), ("b", ("py.append", "a", ("py.mul", "y", "y"))), body="a"),
                ),
            ),
            ("both", ("j*", "f", "x", 1.0)),
            body=("py.mul", ("py.item", ("car", "both"), 1), ("py.item", ("cdr", "both"), 1)),
        ),
        0.25,
    ),
    "after a resumption": (
        lets(
            (
                "f",
                ("lambda", ("y",), lets(("a", ("py.list", "y")), ("b", ("py.append", "a", 1.0)), body=SEEN)),
            ),
            body=("resume", ("interrupt", "f", "x", 9.0)),
        ),
        2,
    ),
}  # fmt: skip
SCHEDULES: list[Schedule] = [Plain(), Bisection(1), Bisection(5)]


@pytest.mark.parametrize("name", SHARED)
def test_a_change_is_seen_through_every_name(name: str, engine: Engine) -> None:
    body, value = SHARED[name]
    f = closure(("lambda", ("x",), body), engine)
    for _ in range(5):  # also when blocks have been emitted
        assert same_bits(runs.call_values(f, 0.5, engine), value)


@pytest.mark.parametrize("name", [name for name in SHARED if type(SHARED[name][1]) is float])
def test_gradients_through_shared_containers(name: str, engine: Engine) -> None:
    f = closure(("lambda", ("x",), SHARED[name][0]), engine)
    step = 1e-5
    low, high = [runs.call_values(f, 0.5 + h, engine) for h in (-step, step)]
    _, first = runs.vjp_values(f, 0.5, 1.0, engine, SCHEDULES[0])
    assert first == pytest.approx((high - low) / (2 * step), abs=1e-6)
    for schedule in SCHEDULES[1:]:
        assert same_bits(runs.vjp_values(f, 0.5, 1.0, engine, schedule)[1], first)


FROZEN = {
    "argument": ("lambda", ("xs",), ("py.append", "xs", 1.0)),
    "argument's part": ("lambda", ("xs",), ("py.append", ("py.item", ("py.tuple", "xs"), 0), 1.0)),
}


@pytest.mark.parametrize("name", FROZEN)
def test_what_came_in_is_not_changed(name: str, engine: Engine) -> None:
    given = List([1.0, 2.0])
    f = closure(FROZEN[name], engine)
    with pytest.raises(RunError, match="came in as an argument"):
        runs.call_values(f, given, engine)
    assert given.items == [1.0, 2.0]


def test_what_a_derivative_reads_from_around_it_is_not_changed(engine: Engine) -> None:
    inner = ("lambda", ("y",), ("py.item", ("py.append", "a", "y"), 0))
    body = lets(("a", ("py.list", "x")), ("f", inner), body=("cdr", ("*j", "f", "x", 1.0)))
    with pytest.raises(RunError, match="came in as an argument"):
        runs.call_values(closure(("lambda", ("x",), body), engine), 0.5, engine)


class Counted(list[Any]):
    """A list that counts its copies, and theirs."""

    copies = 0

    def copy(self) -> Counted:
        Counted.copies += 1
        return Counted(self)


def growing(turns: int) -> Any:
    """Appends to a list in each turn."""
    turn = ("py.append", "g_xs", ("py.mul", ("py.item", "g_xs", -1), 1.01))
    return (
        "lambda",
        ("x",),
        loop("g", turns, {"g_xs": ("py.list", "x")}, {"g_xs": turn}, total("g_xs", "t")),
    )


def copies(engine: Engine, turns: int, monkeypatch: pytest.MonkeyPatch, schedule: Any = None) -> int:
    """Return how many times a run of the given number of updates copies its list."""
    monkeypatch.setattr("checkpoint.ad.containers.List.__init__", counting_init)
    Counted.copies = 0
    f = closure(growing(turns), engine)
    if schedule is None:
        runs.call_values(f, 0.5, engine)
    else:
        runs.vjp_values(f, 0.5, 1.0, engine, schedule)
    return Counted.copies


def counting_init(self: List, items: list[Any], birth: int = 0, owner: object = None) -> None:
    """Initialise a List, with items that count their copies."""
    self.items = items if type(items) is Counted else Counted(items)
    self.birth, self.owner = birth, owner


def test_an_update_is_made_in_place(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert copies(engine, 200, monkeypatch) <= 1


def test_a_kept_state_costs_one_copy(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert copies(engine, 200, monkeypatch, Plain()) <= 3
    assert copies(engine, 200, monkeypatch, Bisection(500)) <= 40


def test_a_capsule_sees_what_was_there(engine: Engine) -> None:
    f = closure(growing(30), engine)
    whole = runs.call_values(f, 0.5, engine)
    steps = runs.primops_values(f, 0.5, engine)
    kept = [runs.interrupt_values(f, 0.5, cut, engine) for cut in range(0, steps, 23)]
    for _ in range(2):
        for z in kept:
            assert same_bits(runs.call_values(runs.RESUME, z, engine), whole)


POINT = Layout(type("Point", (), {}), ("x", "y"))


def test_cotangents_have_the_shape_of_arguments(engine: Engine) -> None:
    field = ("py.attribute", ("py.item", "a", 1), Const("y"))
    read = ("py.mul", ("py.item", ("py.item", "a", 0), 1), field)
    body = ("py.mul", read, ("py.item", ("py.item", "a", 2), Const("k")))
    f = closure(("lambda", ("a",), body), engine)
    x = Record(TUPLE, (List([1, 2.0, None]), Record(POINT, ("s", 3.0)), Dict({"k": 5.0, 2: 1.0})))
    y, xbar = runs.vjp_values(f, x, 1.0, engine, Plain())
    assert y == 30.0
    assert plain(xbar) == ([None, 15.0, None], (None, 10.0), {"k": 6.0, 2: 0.0})
    assert xbar.items[1].layout is POINT
    dual, tangent = runs.jvp_values(f, x, xbar, engine)
    assert dual == 30.0
    assert tangent == 15.0 * 15.0 + 10.0 * 10.0 + 6.0 * 6.0


def test_other_shapes_are_refused(engine: Engine) -> None:
    f = closure(("lambda", ("a",), ("py.list", "a", "a")), engine)
    cases = [
        (List([1.0]), "must be a list of 2, not a list of 1"),
        (List([1.0, None]), "at element 1 must be a real, not ()"),
        (Pair(1.0, 2.0), "must be a list of 2, not a pair"),
    ]
    for cotangent, message in cases:
        with pytest.raises(RunError) as caught:
            runs.vjp_values(f, 0.5, cotangent, engine, Plain())
        assert caught.value.message.endswith(message)
