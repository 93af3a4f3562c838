"""Objects in translated code agree with hybrid, bit for bit; hot loops over them are translated."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint import engines
from checkpoint.ad.containers import Layout, Types
from checkpoint.ctarget.translate.specialise import block_steps, steps
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.functions import runs
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.engine_containers.programs import (
    EMPTY_NODE,
    NODE,
    Node,
    assigned,
    attribute,
    loop,
    new_node,
)
from tests.engine_containers.support import Const, closure, lets
from tests.support.translation import translate_soon

pytestmark = [needs_c, needs_compiler]

PLAIN = Plain()
TURNS = 300
ADD, MUL = "py.add", "py.mul"


def particles() -> Any:
    """A list of objects that are read and changed; a method call is a procedure of the object."""
    move = (
        "lambda",
        ("q", "dt"),
        lets(
            ("force", (MUL, attribute("q", "value"), -1.0)),
            ("_1", assigned("q", "weight", (ADD, attribute("q", "weight"), (MUL, "force", "dt")))),
            (
                "_2",
                assigned("q", "value", (ADD, attribute("q", "value"), (MUL, attribute("q", "weight"), "dt"))),
            ),
            body="q",
        ),
    )
    turn = lets(("p", ("py.item", "ps", ("py.mod", "g_i", 3))), ("_", ("move", "p", 0.1)), body="g_s")
    run = loop("g", TURNS, {"g_s": 0}, {"g_s": turn}, attribute(("py.item", "ps", 1), "value"))
    made = [new_node((MUL, "x", float(i)), 1.0) for i in range(3)]
    return ("lambda", ("x",), ("letrec", (("move", move),), lets(("ps", ("py.list", *made)), body=run)))


def made_in_a_loop() -> Any:
    """Objects are made with all attributes, or get them one by one."""
    turn = lets(
        ("a", new_node((MUL, "g_s", 0.5), "x")),
        ("b", ("py.new", Const(EMPTY_NODE))),
        ("_1", assigned("b", "first", (ADD, attribute("a", "value"), attribute("a", "weight")))),
        ("_2", assigned("b", "second", "a")),
        ("_3", assigned(attribute("b", "second"), "value", 0.25)),
        body=(ADD, (MUL, attribute("b", "first"), attribute("a", "value")), "x"),
    )
    return ("lambda", ("x",), loop("g", TURNS, {"g_s": "x"}, {"g_s": turn}, "g_s"))


def aliases() -> Any:
    """Two names for one object, sometimes; what is written under one is read under the other."""
    turn = lets(
        ("other", ("if", ("py.eq", ("py.mod", "g_i", 5), 0), "p", "q")),
        ("_1", assigned("p", "value", (ADD, (MUL, attribute("other", "value"), 0.5), "x"))),
        ("_2", assigned("other", "weight", (MUL, attribute("p", "value"), 0.5))),
        ("_3", assigned("p", "value", (ADD, attribute("other", "value"), attribute("p", "weight")))),
        body=(ADD, (MUL, "g_s", 0.5), attribute("other", "value")),
    )
    run = loop("g", TURNS, {"g_s": "x"}, {"g_s": turn}, "g_s")
    return ("lambda", ("x",), lets(("p", new_node("x", 1.0)), ("q", new_node(1.5, "x")), body=run))


def growing_layout() -> Any:
    """An object gets another attribute in the middle of a loop, and later loses one."""
    late = (
        "if",
        ("py.eq", "g_i", 150),
        assigned("p", "late", (MUL, "g_s", "x")),
        ("if", ("py.eq", "g_i", 220), ("py.delete-attribute", "p", Const("weight")), "p"),
    )
    turn = lets(
        ("_1", assigned("p", "value", (ADD, (MUL, attribute("p", "value"), 0.9), "x"))),
        ("_2", late),
        body=(ADD, (MUL, "g_s", 0.5), attribute("p", "value")),
    )
    run = loop("g", TURNS, {"g_s": "x"}, {"g_s": turn}, (ADD, "g_s", attribute("p", "late")))
    return ("lambda", ("x",), lets(("p", new_node("x", 1.0)), body=run))


def linked() -> Any:
    """Objects in a circle, one step of the loop on the next one; a list within is changed in place."""
    turn = lets(
        ("next", attribute("g_p", "next")),
        ("entries", attribute("g_p", "log")),
        ("_1", ("py.append", "entries", attribute("g_p", "value"))),
        ("_2", ("py.put-back-attribute", "g_p", Const("log"), "entries")),
        ("_3", assigned("next", "value", (ADD, (MUL, attribute("g_p", "value"), 0.7), "x"))),
        body="next",
    )
    names = [f"n{i}" for i in range(3)]
    made = [(name, new_node("x", 1.0)) for name in names]
    links = [(f"l{i}", assigned(f"n{i}", "next", f"n{(i + 1) % 3}")) for i in range(3)]
    logs = [(f"k{i}", assigned(f"n{i}", "log", ("py.list", 0.5))) for i in range(3)]
    value = (ADD, ("py.item", attribute("n1", "log"), -1), attribute("n2", "value"))
    return (
        "lambda",
        ("x",),
        lets(*made, *links, *logs, body=loop("g", TURNS, {"g_p": "n0"}, {"g_p": turn}, value)),
    )


def rows() -> Any:
    """A row of a list of lists, and a list in a tuple, are changed in place, and put back."""
    turn = lets(
        ("i", ("py.mod", "g_i", 3)),
        ("row", ("py.item", "rows", "i")),
        ("_1", ("py.set", "row", 0, (ADD, (MUL, ("py.item", "row", 0), 0.5), "x"))),
        ("_2", ("py.put-back", "rows", "i", "row")),
        ("_3", ("py.append", ("py.item", "pair", 1), ("py.item", "row", 0))),
        ("_4", ("py.put-back", "pair", -1, ("py.item", "pair", 1))),
        body=(ADD, (MUL, "g_s", 0.5), ("py.item", ("py.item", "pair", 1), -1)),
    )
    made = ("py.list", *[("py.list", (MUL, "x", float(i))) for i in range(3)])
    pair = ("py.tuple", "x", ("py.list", "x"))
    run = loop("g", TURNS, {"g_s": "x"}, {"g_s": turn}, "g_s")
    return ("lambda", ("x",), lets(("rows", made), ("pair", pair), body=run))


def classes() -> Any:
    """Tests of classes, and of None, decide what is done; a cell is a list of one."""
    turn = lets(
        ("p", ("py.item", "ps", ("py.mod", "g_i", 2))),
        ("old", ("py.variable", "cell", Const("s"))),
        (
            "v",
            (
                "if",
                ("py.instance", "p", Const(Types((Node,)))),
                (MUL, attribute("p", "value"), "old"),
                (ADD, attribute("p", "value"), 0.125),
            ),
        ),
        ("w", ("if", ("py.is", attribute("p", "weight"), Const(None)), 1.0, 0.5)),
        ("u", ("if", ("py.is-class", "p", Const(Types((Other, int)))), 0.75, 1.0)),
        ("y", ("if", ("py.is-class", "g_i", Const(Types((bool, float)))), 0.5, "old")),
        ("_", ("py.set", "cell", 0, (ADD, (MUL, "v", (MUL, "w", "u")), (MUL, "y", 0.25)))),
        body="g_s",
    )
    run = loop("g", TURNS, {"g_s": 0}, {"g_s": turn}, ("py.variable", "cell", Const("s")))
    two = ("py.new", Const(Layout(Other, NODE.names)), 0.5, Const(None))
    ps = ("py.list", new_node("x", Const(None)), two)
    return ("lambda", ("x",), lets(("ps", ps), ("cell", ("py.list", "x")), body=run))


def identities() -> Any:
    """Objects and lists are compared by identity: one with itself, with an equal one, with another kind."""
    turn = lets(
        ("other", ("if", ("py.eq", ("py.mod", "g_i", 5), 0), "p", "q")),
        ("a", ("if", ("py.is", "p", "other"), 0.5, 0.25)),
        ("b", ("if", ("py.is", ("py.item", "rows", 0), "row"), 0.75, 0.125)),
        ("c", ("if", ("py.is", "row", "other"), 3.0, 0.5)),
        ("_1", assigned("other", "value", (ADD, (MUL, attribute("p", "value"), "a"), "x"))),
        ("_2", ("py.set", "row", 0, (MUL, ("py.item", "row", 0), "b"))),
        body=(ADD, (MUL, "g_s", "c"), (ADD, attribute("q", "value"), ("py.item", "row", 0))),
    )
    made = [("row", ("py.list", "x")), ("rows", ("py.list", "row", ("py.list", "x")))]
    run = loop("g", TURNS, {"g_s": "x"}, {"g_s": turn}, "g_s")
    return ("lambda", ("x",), lets(*made, ("p", new_node("x", 1.0)), ("q", new_node("x", 1.0)), body=run))


class Other:
    """Another class."""


PROGRAMS = [particles, made_in_a_loop, aliases, growing_layout, linked, rows, classes, identities]
ATTRIBUTES = frozenset(
    (
        "py.attribute",
        "py.set-attribute",
        "py.put-back",
        "py.put-back-attribute",
        "py.new",
        "py.variable",
        "py.is",
        "py.is-class",
    )
)


def outcome(program: Any, engine: str, schedule: Any = PLAIN) -> Any:
    """Return the value and the gradient."""
    own = engines.get(engine)
    value, gradient = runs.vjp_values(closure(program(), own), 0.75, 1.0, own, schedule)
    return value.hex(), gradient.hex()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_bit_for_bit(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)
    done: list[str] = []
    refused: list[str] = []
    compute = block_steps.compute

    def spy(block: steps.Steps, step: Any, uses: Any) -> Any:
        done.append(step.op)
        try:
            return compute(block, step, uses)
        except steps.Untranslatable:
            refused.append(step.op)
            raise

    monkeypatch.setattr(block_steps, "compute", spy)
    expected = outcome(program, "hybrid")
    for schedule in (PLAIN, Bisection(500), PLAIN):
        assert outcome(program, "c", schedule) == expected
    assert ATTRIBUTES & set(done)
    if program is not growing_layout:
        assert not ATTRIBUTES & set(refused)
