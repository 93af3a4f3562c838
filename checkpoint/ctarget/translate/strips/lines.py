"""The target to which functions of strips are written: lines of C.

In: statements, in order. Out: lines, and the variables that they need. What always holds: in a strip an
operation that cannot continue ends the strip; one that waits until all lanes have ended cannot fail.
"""

from __future__ import annotations

from typing import NamedTuple

from checkpoint.ctarget.translate.ops.object_ops import Element
from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import Kind, Place
from checkpoint.ctarget.translate.ops.words import broken, plain
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.records import StripRecords
from checkpoint.ctarget.translate.strips.rows import rows
from checkpoint.ctarget.translate.strips.vectors import FAILED

_SUFFIXES: dict[Kind, str] = {"real": "reals", "integer": "integers", "boolean": "mask", "value": "integers"}


class Choice(NamedTuple):
    """The second side of a fork.

    test: a mask, which holds on the first side. set_before: what the turn had set before the fork.

    What the two sides alone have set is chosen by the test itself, which is known before the masks of the
    sides are. Lanes that are on neither side need nothing of it yet.
    """

    test: str
    set_before: frozenset[str]


class StripText:
    """The text of a function, to which operations write (ops/operation.py, Forward).

    records: of what the function records; None: nothing. rows: of results, if they are in rows. indent: of
    the next lines. is_late: whether what is written waits until all lanes have ended. saved: what is kept
    for that, by the names of its arrays. set: what the turn that is written has set so far, by set_lanes.
    choice: on the second side of a fork, until that forks.
    """

    def __init__(self, plan: Plan, records: StripRecords | None) -> None:
        self.plan = plan
        self.records = records
        self.rows = rows(plan)
        self.lines: list[str] = []
        self.indent = 1
        self.temporaries: dict[str, str] = {}
        self.is_late = False
        self.saved: dict[str, Place] = {}
        self.set: set[str] = set()
        self.choice: Choice | None = None

    def blend(self, to: str, kind: Kind, mask: str, text: str) -> None:
        """Set a vector in the lanes of a mask."""
        self.put(f"{to} = either_{_SUFFIXES[kind]}({mask}, {text}, {to});")

    def set_lanes(self, to: str, kind: Kind, mask: str, text: str) -> None:
        """Set a vector of which nothing is needed but what this turn sets, in the lanes of a mask."""
        if to not in self.set:
            self.set.add(to)
            self.put(f"{to} = {text};")
        elif self.choice and to not in self.choice.set_before:
            self.put(f"{to} = either_{_SUFFIXES[kind]}({self.choice.test}, {to}, {text});")
        else:
            self.blend(to, kind, mask, text)

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.lines += [part for line in lines if line for part in broken("    " * self.indent + line)]

    def exit(self) -> str:
        """Return the statement that ends the strip; what waits cannot fail."""
        return "__builtin_unreachable();" if self.is_late else FAILED

    def line(self, number: int) -> None:
        """Name no line: operations of several lines of the program are mixed."""

    def temporary(self, name: str, c_type: str) -> str:
        """Declare a variable of the function, once, and return its name."""
        self.temporaries[name] = c_type
        return name

    def record_birth(self, owner: Place) -> None:
        """Set the variable of the birth of the object in a place, if the function records it."""
        birth = Residual(owner, birth=True)
        if self.records and birth in self.records.births:
            self.put(f"{birth.name} = birth_to_give({owner.name}.object);")

    def births_before(self, operation: Operation) -> int | None:
        """Return nothing: births are written here."""
        return None

    def tags_before(self, operation: Operation) -> int | None:
        """Return nothing: a unit with duals has no strips."""
        return None

    def unless_in_row(self, op: Operation, lines: list[str]) -> list[str]:
        """Return what reads an element for each lane: together, where they are reals in a row."""
        if not isinstance(op, Element) or op.to.kind != "real" or self.plan.is_uniform(op.index):
            return lines
        self.record_birth(op.owner)
        given = f"{op.owner.name}, {plain(op.index)}, &{op.to.name}, &{op.at.name}"
        return [f"if (!reals_in_row({given})) {{", *[f"    {line}" for line in lines], "}"]
