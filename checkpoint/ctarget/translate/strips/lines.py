"""The target to which functions of strips are written: lines of C.

In: statements, in order. Out: lines, and the variables that they need. What always holds: in a strip an
operation that cannot continue ends the strip; one that waits until all lanes have ended cannot fail.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import Kind, Place
from checkpoint.ctarget.translate.ops.words import broken
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.records import StripRecords
from checkpoint.ctarget.translate.strips.rows import rows
from checkpoint.ctarget.translate.strips.vectors import FAILED

_SUFFIXES: dict[Kind, str] = {"real": "reals", "integer": "integers", "boolean": "mask", "value": "integers"}


class StripText:
    """The text of a function, to which operations write (ops/operation.py, Forward).

    records: of what the function records; None: nothing. rows: of results, if they are in rows. indent: of
    the next lines. is_late: whether what is written waits until all lanes have ended. saved: what is kept
    for that, by the names of its arrays.
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

    def blend(self, to: str, kind: Kind, mask: str, text: str) -> None:
        """Set a vector in the lanes of a mask."""
        self.put(f"{to} = either_{_SUFFIXES[kind]}({mask}, {text}, {to});")

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
