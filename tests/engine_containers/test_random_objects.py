"""Random changes of objects, lists and a dictionary that hold each other: all laws, on all engines."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from tests.engine_containers.programs import assigned, attribute, loop, new_node
from tests.engine_containers.support import Const, case, lets
from tests.support import laws
from tests.support.corpus import usable_engines
from tests.support.same import difference, same_bits

NODES = ("n0", "n1", "n2")
SEEDS = range(12)


class Writer:
    """Draws expressions and updates by a seed; each names what it reads by another way than the last one."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def node(self, depth: int = 2) -> Any:
        """Return an expression for an object."""
        way = self.random.randrange(4 if depth else 1)
        if way == 0:
            return self.random.choice(NODES)
        if way == 1:
            return ("py.item", "rows", ("py.mod", "g_i", 3))
        if way == 2:
            return ("py.item", "table", Const("node"))
        return attribute(self.node(depth - 1), "link")

    def items(self) -> Any:
        """Return an expression for a list of reals."""
        return attribute(self.node(), "items")

    def real(self, depth: int = 2) -> Any:
        """Return an expression for a real."""
        way = self.random.randrange(6 if depth else 3)
        if way == 0:
            return "x"
        if way == 1:
            return attribute(self.node(), "value")
        if way == 2:
            return ("py.item", self.items(), self.random.choice((0, -1)))
        if way == 3:
            return ("py.item", "table", Const("real"))
        if way == 4:
            return ("py.math.sin", ("py.add", self.real(depth - 1), self.real(depth - 1)))
        return ("py.mul", self.real(depth - 1), self.random.choice((0.5, -0.75, "x")))

    def update(self) -> Any:
        """Return an update."""
        items, node = self.items(), self.node()
        return self.random.choice(
            (
                lambda: assigned(node, "value", self.real()),
                lambda: assigned(node, "value", self.real()),
                lambda: assigned(node, "link", self.node()),
                lambda: assigned(node, "items", items),
                lambda: assigned(node, "late", self.real()),
                lambda: ("py.put-back-attribute", node, Const("items"), items),
                lambda: ("py.put-back-attribute", node, Const("value"), self.real()),
                lambda: ("py.append", items, self.real()),
                lambda: ("py.set", items, self.random.choice((0, -1)), self.real()),
                lambda: ("py.insert", items, 1, self.real()),
                lambda: ("py.reverse", items),
                lambda: ("py.extend", items, ("py.slice", self.items(), 0, 2, None)),
                lambda: ("py.set", "rows", ("py.mod", "g_i", 3), self.node()),
                lambda: ("py.put-back", "rows", self.random.randrange(3), self.node()),
                lambda: ("py.set", "table", Const("node"), self.node()),
                lambda: ("py.set", "table", Const("real"), self.real()),
            )
        )()

    def program(self, turns: int) -> Any:
        """Return a procedure of one real: a loop of updates of three objects in a circle."""
        made = [(name, new_node("x", float(i))) for i, name in enumerate(NODES)]
        lists = [(f"i{n}", assigned(n, "items", ("py.list", "x", 0.5))) for n in NODES]
        links = [(f"l{i}", assigned(n, "link", NODES[(i + 1) % 3])) for i, n in enumerate(NODES)]
        entries = ("py.set", ("py.set", ("py.dict",), Const("real"), "x"), Const("node"), "n1")
        shared = [("rows", ("py.list", *NODES)), ("table", entries)]
        updates = [(f"u{i}", self.update()) for i in range(self.random.randint(2, 5))]
        turn = lets(*updates, body=("py.add", ("py.mul", "g_s", 0.5), self.real()))
        value = ("py.add", "g_s", ("py.mul", self.real(), self.real()))
        run = loop("g", turns, {"g_s": "x"}, {"g_s": turn}, value)
        return ("lambda", ("x",), lets(*made, *lists, *links, *shared, body=run))


def whole(program: Any, engine: Engine) -> tuple[Any, int, Any]:
    """Return the value, the steps and the gradient of a run, whose laws hold."""
    one, random = case(program, 0.7, engine), Random(repr(program))
    try:
        run = laws.whole_run(one, engine, "")
    except RunError as error:
        laws.check_failing(one, engine, "", error.message)
        return error.message, 0, 0.0
    xbar = laws.check_schedules(one, engine, "", run, (3, 31))
    for cut in laws.cuts(run.steps, random, every=5, more=3):
        laws.check_cut(one, engine, "", run, cut)
        laws.check_gradient_through_cut(one, engine, "", run, xbar, cut, random.choice((6, 10_000)))
    return run.value, run.steps, xbar


@pytest.mark.parametrize("seed", SEEDS)
def test_laws_of_objects(seed: int) -> None:
    program = Writer(seed).program(turns=4)
    first, *others = [whole(program, engine) for engine in usable_engines()]
    for other in others:
        assert other[1] == first[1]
        assert difference(other[0], first[0]) is None
        assert same_bits(other[2], first[2])
