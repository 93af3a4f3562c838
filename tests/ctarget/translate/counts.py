"""Count the costs of the hot nodes of units: objects made, frames pushed, tests of kinds, dynamic jumps.

In: programs, run on engine c long enough that what they repeat is found. Out: numbers, counted in the graphs
of units (graph.py). `python -m tests.ctarget.translate.counts` prints them as test_counts.py has them.

A node is hot if a path through it leads to a header. A block in several units is counted in each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

import checkpoint
from checkpoint import engines
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.ops.check_ops import EndTest, Expect, IsKind
from checkpoint.ctarget.translate.ops.frame_ops import Peek, Push, SetCall
from checkpoint.ctarget.translate.ops.object_ops import Changeable, Element, Length, Load, Make
from checkpoint.ctarget.translate.units.graph import Node, Return, Unit
from checkpoint.ctarget.translate.units.paths import hot_nodes
from checkpoint.errors import Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from tests.ctarget.translate import hot_programs
from tests.support.corpus import FOLDER, value_of

TURNS = 200  # of each program
_LAST_FORM = re.compile(r"^[^\s;]", re.MULTILINE)


@dataclass(frozen=True)
class Counts:
    """The operations of units.

    nodes: hot ones. made: objects. pushed: frames. tests: of the kinds of values: the unit is left where a
    value is of another kind than it was specialised to; not those of frames that no unit has pushed, which
    only such frames meet. asked: questions of the program itself (`null?`, `pair?`), whose answer its own
    branch takes, and which it would ask in any language; one that also leaves the unit for a third kind is
    one of these. dynamic: returns to one of several blocks, as the top frame says, and tail calls that read
    the frame.
    """

    units: int = 0
    nodes: int = 0
    made: int = 0
    pushed: int = 0
    tests: int = 0
    dynamic: int = 0
    asked: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*[a + b for a, b in zip(astuple(self), astuple(other), strict=True)])


def hot(unit: Unit) -> list[Node]:
    """Return the nodes through which a path leads to a header."""
    return [node for header in unit.headers for node in hot_nodes(header)]


def counted(unit: Unit) -> Counts:
    """Return what a unit's hot nodes do."""
    nodes = hot(unit)
    return sum((_of(node) for node in nodes), Counts(units=1, nodes=len(nodes)))


def _of(node: Node) -> Counts:
    done = [*node.ops, *node.effects]
    return Counts(
        made=sum(isinstance(each, Make) for each in done),
        pushed=sum(isinstance(each, Push) for each in done),
        tests=sum(_tests(each) for each in done),
        dynamic=_is_dynamic(node) + sum(isinstance(each, SetCall) for each in done),
        asked=sum(isinstance(each, IsKind | EndTest) for each in done),
    )


def _tests(done: object) -> int:
    """Return how many kinds an op tests, unasked: of what it reads, and of what it reads that from."""
    match done:
        case Expect() | Length() | Changeable():
            return 1
        case Load(to=to, sure=sure):
            return to.kind != "value" and not sure
        case Element(to=to):
            return 1 + (to.kind != "value")
        case Peek(saved=saved, checks=None):  # else its point says what a frame saves
            return sum(place.kind != "value" for place in saved)
    return 0


def _is_dynamic(node: Node) -> bool:
    return isinstance(node.end, Return) and len(node.end.cases) > 1


# Programs


def repeated(name: str) -> str:
    """Return a program of the corpus, whose value is a procedure, as one that calls it TURNS times."""
    text = (FOLDER / f"{name}.vlad").read_text()
    last = [found.start() for found in _LAST_FORM.finditer(text)][-1]
    again = f"(let again ((i 1) (y (once x))) (if (= i {TURNS}) y (again (+ i 1) (once x))))"
    return f"{text[:last]}(define once {text[last:]})\n(lambda (x) {again})\n"


def units_of_text(text: str, x: str) -> list[Unit]:
    """Return the units of a text of the language whose value is a procedure, at an argument."""
    engine = engines.get("c")
    f, argument = runs.run_program(load(Source("<test>", text)), engine), value_of(x, engine)
    return units_of(lambda: runs.primops_values(f, argument, engine))


def units_of_function(f: Callable[..., Any], *arguments: Any) -> list[Unit]:
    """Return the units of a Python function."""
    return units_of(lambda: checkpoint.primops(lambda given: f(*given), arguments))


CORPUS = {
    "network": "'(((0.1 0.4) (-0.3 0.2)) (0.7 -0.6))",
    "particle": "0.2",
    "saddle": "'(1 0.5)",
    "probabilistic-lambda": "'(0.5 0.5)",
    "probabilistic-prolog": "'(0.5 0.5)",
}


def all_units() -> dict[str, list[Unit]]:
    """Return the units of all programs, by their names."""
    found = {name: units_of_text(repeated(name), x) for name, x in CORPUS.items()}
    for f, arguments in hot_programs.PROGRAMS:
        found[f"{f.__name__}, Python"] = units_of_function(f, *arguments)
    return found


def total(units: list[Unit]) -> Counts:
    """Return what all units of a program do."""
    return sum((counted(unit) for unit in units), Counts())


if __name__ == "__main__":
    for name, units in all_units().items():
        print(f'    "{name}": {total(units)},')
