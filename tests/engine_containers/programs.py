"""Procedures of one real that make, read, rearrange and change lists and dictionaries.

Each runs its loop often enough for blocks to be emitted, and its value is a real.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.containers import Layout
from tests.engine_containers.support import Const, lets


def loop(name: str, turns: int, start: dict[str, Any], turn: dict[str, Any], value: Any) -> Any:
    """Return a loop that counts i from 0 up to `turns`; turn: the next value of each variable."""
    counter, going = f"{name}_i", ("py.lt", f"{name}_i", turns)
    again = (name, ("py.add", counter, 1), *turn.values())
    body = ("if", going, again, value)
    return ("letrec", ((name, ("lambda", (counter, *start), body)),), (name, 0, *start.values()))


def total(xs: Any, name: str) -> Any:
    """Return the sum of the squares of a list."""
    i, acc = f"{name}_i", f"{name}_s"
    item = ("py.item", f"{name}_l", i)
    again = (name, ("py.add", i, 1), ("py.add", acc, ("py.mul", item, item)))
    body = ("if", ("py.lt", i, ("py.len", f"{name}_l")), again, acc)
    return lets(
        (f"{name}_l", xs),
        body=("letrec", ((name, ("lambda", (i, acc), body)),), (name, 0, 0.0)),
    )


def growing() -> Any:
    """Appends to a list, and changes an element of it in each turn."""
    half = ("py.floordiv", "g_i", 2)
    turn = lets(
        ("a", ("py.append", "g_xs", ("py.mul", "x", ("py.add", "g_i", 1)))),
        ("old", ("py.item", "a", half)),
        body=("py.set", "a", half, ("py.add", ("py.mul", "old", "x"), ("py.math.sin", "old"))),
    )
    return ("lambda", ("x",), loop("g", 7, {"g_xs": ("py.list", "x")}, {"g_xs": turn}, total("g_xs", "t")))


def shuffling() -> Any:
    """Inserts, reverses, sorts, slices, takes apart and puts together."""
    turn = lets(
        ("a", ("py.insert", "g_xs", 1, ("py.math.cos", ("py.item", "g_xs", -1)))),
        ("b", ("py.reverse", "a")),
        ("c", ("py.set-slice", "b", 0, 1, None, ("py.list", "x", ("py.item", "b", 0)))),
        ("d", ("py.delete", "c", 1)),
        ("e", ("py.permute", "d", ("py.order", "d", False))),
        ("h", ("py.add", "e", ("py.slice", "e", 0, 2, None))),
        ("k", ("py.delete", "h", -1)),
        body=("py.iadd", "k", ("py.tuple", ("py.item", "k", 0))),
    )
    start = {"g_xs": ("py.list", "x", ("py.mul", "x", 0.5), 2.0)}
    return ("lambda", ("x",), loop("g", 5, start, {"g_xs": turn}, total("g_xs", "t")))


def tables() -> Any:
    """A dictionary of reals and one of lists; keys are tuples and strings."""
    key = ("py.tuple", "g_i", Const("k"))
    old = ("if", ("py.contains", "d", key), ("py.item", "d", key), 1.0)
    turn = lets(
        ("d", ("py.set", "g_d", Const("last"), ("py.mul", ("py.item", "g_d", Const("last")), "x"))),
        ("v", old),
        ("d2", ("py.set", "d", key, ("py.add", "v", ("py.item", "d", Const("last"))))),
        ("d3", ("py.merge", ("py.copy", "d2"), "d2")),
        body="d3",
    )
    start = {"g_d": ("py.set", ("py.dict",), Const("last"), "x")}
    value = total(("py.list-of", ("py.values", "g_d")), "t")
    return ("lambda", ("x",), loop("g", 6, start, {"g_d": turn}, value))


def rows() -> Any:
    """A list of lists, of which a row is changed in each turn."""
    place = ("py.mod", "g_i", 3)
    turn = lets(
        ("row", ("py.item", "g_m", place)),
        ("at", ("py.mod", "g_i", 2)),
        ("row2", ("py.set", "row", "at", ("py.math.sin", ("py.add", ("py.item", "row", "at"), "x")))),
        body=("py.set", "g_m", place, "row2"),
    )
    start = {"g_m": ("py.list", *[("py.list", ("py.mul", "x", float(i)), 1.0) for i in range(3)])}
    ends = [total(("py.item", "g_m", i), f"t{i}") for i in range(3)]
    return (
        "lambda",
        ("x",),
        loop("g", 8, start, {"g_m": turn}, ("py.add", ends[0], ("py.add", ends[1], ends[2]))),
    )


def resumed_twice() -> Any:
    """A capsule that holds a list is resumed twice, and each rest changes the list."""
    work = (
        "lambda",
        ("y",),
        loop(
            "g",
            4,
            {"g_xs": ("py.list", "y", ("py.mul", "y", "x"))},
            {"g_xs": ("py.append", "g_xs", ("py.mul", ("py.item", "g_xs", 0), ("py.item", "g_xs", -1)))},
            total("g_xs", "t"),
        ),
    )
    return (
        "lambda",
        ("x",),
        lets(
            ("f", work),
            ("z", ("interrupt", "f", "x", 40.0)),
            ("p", ("resume", "z")),
            body=("py.mul", "p", ("py.add", ("resume", "z"), ("resume", "z"))),
        ),
    )


def failing() -> Any:
    """A handler receives what Python raises; the list that failed to change is as it was."""
    turn = ("handle", ("py.set", "g_xs", "g_i", "x"), "e", ("py.append", "g_xs", ("py.mul", "x", "x")))
    return ("lambda", ("x",), loop("g", 6, {"g_xs": ("py.list",)}, {"g_xs": turn}, total("g_xs", "t")))


def nested() -> Any:
    """Derivatives inside, of a procedure that changes a list of its own and reads one around it."""
    inner = (
        "lambda",
        ("y",),
        loop(
            "g",
            3,
            {"g_xs": ("py.list", ("py.mul", "y", "x"))},
            {"g_xs": ("py.append", "g_xs", ("py.mul", ("py.item", "g_xs", "g_i"), ("py.item", "c", 0)))},
            total("g_xs", "t"),
        ),
    )
    body = ("py.add", ("cdr", ("*j", "f", "x", 1.0)), ("cdr", ("j*", "f", ("py.item", "c", 1), 1.0)))
    return ("lambda", ("x",), lets(("c", ("py.list", "x", 0.5)), ("f", inner), body=body))


class Node:
    """A class whose instances are objects of the programs below."""


EMPTY_NODE, NODE = Layout(Node), Layout(Node, ("value", "weight"))


def new_node(value: Any, weight: Any) -> Any:
    return ("py.new", Const(NODE), value, weight)


def attribute(node: Any, name: str) -> Any:
    return ("py.attribute", node, Const(name))


def assigned(node: Any, name: str, value: Any) -> Any:
    return ("py.set-attribute", node, Const(name), value)


def objects() -> Any:
    """Objects in a circle of references change in each turn; a list has them too, under two names."""
    turn = lets(
        ("i", ("py.mod", "g_i", 3)),
        ("node", ("py.item", "g_nodes", "i")),
        ("next", attribute("node", "next")),
        ("new", ("py.add", ("py.mul", attribute("next", "value"), "x"), attribute("node", "weight"))),
        ("_1", assigned("node", "value", "new")),
        ("_2", assigned("next", "weight", ("py.mul", attribute("node", "value"), 0.5))),
        ("_3", ("py.put-back", "g_nodes", "i", "node")),
        body="g_nodes",
    )
    nodes = [(f"n{i}", new_node(("py.mul", "x", float(i + 1)), 1.0)) for i in range(3)]
    links = [(f"l{i}", assigned(f"n{i}", "next", f"n{(i + 1) % 3}")) for i in range(3)]
    value = (
        "py.add",
        attribute("n0", "value"),
        ("py.mul", attribute("n1", "value"), attribute("n2", "weight")),
    )
    run = loop("g", 7, {"g_nodes": ("py.list", "n0", "n1", "n2")}, {"g_nodes": turn}, value)
    return ("lambda", ("x",), lets(*nodes, *links, body=run))


def attributes() -> Any:
    """Attributes are added one by one, written in any order, put back and deleted."""
    turn = lets(
        ("node", ("py.new", Const(EMPTY_NODE))),
        ("_1", assigned("node", "a", ("py.mul", "g_s", "x"))),
        ("_2", assigned("node", "items", ("py.list", "x", "g_s"))),
        ("_3", assigned("node", "b", attribute("node", "a"))),
        ("_4", assigned("node", "a", ("py.add", attribute("node", "b"), 1.0))),
        ("items", attribute("node", "items")),
        ("_5", ("py.append", "items", attribute("node", "a"))),
        ("_6", ("py.put-back-attribute", "node", Const("items"), "items")),
        ("_7", ("py.set-attribute", "node", Const("c"), "items")),
        ("_8", ("py.delete-attribute", "node", Const("a"))),
        ("_9", ("py.insert", attribute("node", "c"), 1, attribute("node", "b"))),
        body=("py.mul", ("py.item", "items", 1), ("py.item", attribute("node", "items"), -1)),
    )
    return ("lambda", ("x",), loop("g", 5, {"g_s": "x"}, {"g_s": turn}, "g_s"))


def own_parts() -> Any:
    """A list holds itself and an object that holds it, also while Python does the updates."""
    turn = lets(
        ("a", ("py.item", "g_xs", 0)),
        ("_1", ("py.insert", "g_xs", 1, ("py.mul", "a", "x"))),
        ("_2", ("py.set", "g_xs", 0, ("py.item", "g_xs", 1))),
        ("inner", ("py.item", "g_xs", -1)),
        ("node", ("py.item", "inner", -2)),
        ("_3", assigned("node", "value", ("py.add", attribute("node", "value"), ("py.item", "inner", 0)))),
        ("_4", ("py.set-slice", "g_xs", 1, 3, Const(None), ("py.tuple", "x", attribute("node", "value")))),
        body="g_xs",
    )
    start = lets(
        ("xs", ("py.list", "x", ("py.mul", "x", 2.0))),
        ("first", new_node("x", "xs")),
        ("_0", ("py.append", "xs", "first")),
        body=("py.append", "xs", "xs"),
    )
    value = ("py.add", ("py.item", "g_xs", 1), attribute(("py.item", "g_xs", -2), "value"))
    return ("lambda", ("x",), loop("g", 6, {"g_xs": start}, {"g_xs": turn}, value))


PROGRAMS = {
    program.__name__: program()
    for program in (
        *(growing, shuffling, tables, rows, resumed_twice, failing, nested),
        *(objects, attributes, own_parts),
    )
}
