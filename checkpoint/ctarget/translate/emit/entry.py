"""An entry in C: it sets the params of a header, and checks what a unit relies on (units/sure.py).

In: a header, and what its params are in the registers. Out: statements that return false where a value is of
another kind, or a check fails: nothing has been done.
"""

from __future__ import annotations

from collections.abc import Callable

from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import DualParts, KnownClosure, Place, Tag, View
from checkpoint.ctarget.translate.ops.words import content, opened, unlike, unlike_tags, viewed
from checkpoint.ctarget.translate.units.graph import Header

Entry = tuple[
    tuple[int, Place | Tag | KnownClosure | DualParts | View], ...
]  # registers, and what is in them


def opening(header: Header, entry: Entry, temporary: Callable[[str, str], str]) -> list[str]:
    """Return the statements that test and set the params, and the checks. temporary: as of Forward."""
    tests = [f"left < {header.max_steps}"]
    others = [(register, wanted) for register, wanted in entry if not isinstance(wanted, View)]
    tests += [test for register, wanted in others if (test := unlike(f"r[{register}]", wanted))]
    tests += unlike_tags([(f"r[{register}]", wanted) for register, wanted in others])
    lines = [f"if ({' || '.join(tests)}) return false;"]
    for register, wanted in entry:
        if isinstance(wanted, View):
            temporary("view", "ElementView ")
            lines.append(f"if ({unlike(f'r[{register}]', wanted, 'm->steps')}) return false;")
            lines += viewed(f"r[{register}]", wanted)
        elif isinstance(wanted, Place) and wanted.kind != "element":
            lines.append(f"{wanted.name} = {content(f'r[{register}]', wanted.kind)};")
        elif isinstance(wanted, KnownClosure) and wanted.environment is not None:
            lines.append(f"{wanted.environment.name} = environment_of(r[{register}]);")
        elif isinstance(wanted, DualParts):
            lines += opened(f"r[{register}]", wanted)
    merged = [f"!same_{place.kind}({place.name}, {param.name})" for place, param in header.merged]
    if merged:
        lines.append(f"if ({' || '.join(merged)}) return false;")
    return [*lines, *_checks(header, temporary)]


def own_duals(entry: Entry) -> list[str]:
    """Return the statements that take the duals and scalars of NumPy's at an entry; the unit has their
    numbers, and they are dropped where it is left.
    """
    registers = [register for register, wanted in entry if is_opened(wanted)]
    return [f"duals[{i}] = load(&r[{register}]);" for i, register in enumerate(registers)]


def is_opened(wanted: object) -> bool:
    """Return whether an entry takes a number out of the object that a register has."""
    return isinstance(wanted, DualParts) or (isinstance(wanted, Place) and wanted.kind == "element")


def shared_dropped(header: Header) -> list[str]:
    """Return the statements that leave merged objects one reference; header.exit keeps the others again."""
    return [f"drop(m->heap, {place.name});" for place, _ in header.merged if place.kind == "value"]


def _checks(header: Header, temporary: Callable[[str, str], str]) -> list[str]:
    """Return the statements of a header's checks."""
    out = _Checks(temporary)
    for op in header.checks:
        op.write(out)
    return out.text


class _Checks:
    """The target of the text of checks (ops/operation.py, Forward)."""

    def __init__(self, temporary: Callable[[str, str], str]) -> None:
        self.text: list[str] = []
        self._temporary = temporary

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.text += lines

    def exit(self) -> str:
        """Return the statement that does not enter the unit."""
        return "return false;"

    def line(self, number: int) -> None:
        """Name no line: an entry is at none."""

    def temporary(self, name: str, c_type: str) -> str:
        """Declare a variable of the function, once, and return its name."""
        return self._temporary(name, c_type)

    def record_birth(self, owner: Place) -> None:
        """Record nothing."""

    def births_before(self, operation: Operation) -> int | None:
        """Return None: a check takes no births."""

    def tags_before(self, operation: Operation) -> int | None:
        """Return None: nor tags."""
