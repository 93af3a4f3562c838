"""The words of operations that read and make fields of objects, and move their cotangents.

The cotangent of a field is found by the birth of its object and its index, in a map: `give` adds to it,
`taken` removes it (ctemplates/machine/translated.h). What is read of NumPy's is a scalar, as a double, or a
handle on an array, which an OpenArray opens (element_ops.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward
from checkpoint.ctarget.translate.ops.places import (
    TAGS,
    DualParts,
    Kind,
    Place,
    Source,
    is_real,
    may_receive,
    reals,
)
from checkpoint.ctarget.translate.ops.words import PAYLOADS, VALUES, if_unlikely, unlike

# What takes the accumulators of places that are not reals, from Values.
TAKEN: dict[Kind, str] = {"element": "taken_scalar", "array": "taken_sums"}


def read_field(out: Forward, to: Place, owner: Place, text: str) -> None:
    """Write what reads a field, which an expression looks up: NULL where there is none."""
    _read(out, to, owner, text, is_sure=False)


def read_known_field(out: Forward, to: Place, owner: Place, text: str, sure: bool) -> None:
    """Write what reads a field that is sure to be there. sure: as of a Load."""
    _read(out, to, owner, text, is_sure=True, has_kind=sure)


def _read(out: Forward, to: Place, owner: Place, text: str, is_sure: bool, has_kind: bool = False) -> None:
    field = out.temporary("field", "const Value *")
    out.put(f"{field} = {text};")
    tests = [] if is_sure else [f"!{field}"]
    if to.kind == "element":  # the test sets it
        tests.append(unlike(f"*{field}", to))
    elif to.kind in PAYLOADS and not has_kind:
        tests.append(f"{field}->tag != {TAGS[to.kind]}")
    if tests:
        out.put(if_unlikely(" || ".join(tests), out.exit()))
    if to.kind != "element":
        text = f"load({field})" if to.kind in VALUES else f"{field}->{PAYLOADS[to.kind]}"
        out.put(f"{to.name} = {text};")
    out.record_birth(owner)


def give(adjoint: Adjoint, to: Place, field: str) -> None:
    """Write what adds the cotangent of what was read to that of the field, named by arguments in C."""
    if to.kind == "array":
        adjoint.put(f"give_sums(c, {field}, &{adjoint.sums(to)});")
        return
    word = "give_scalar" if to.kind == "element" else "give"
    adjoint.put(f"{word}(c, {field}, {adjoint.cotangent(to).text});")


def receive(adjoint: Adjoint, source: Source, field: str) -> None:
    """Write what moves the accumulator of a field, named by arguments in C, to that of its content."""
    if isinstance(source, DualParts):
        adjoint.receive(source, f"cotangent_take{field}")
    elif source.kind in TAKEN:
        adjoint.add(source, f"{TAKEN[source.kind]}(c, cotangent_take{field})")
    elif is_real(source):
        adjoint.add(source, f"taken{field}")
    elif may_receive(source):
        adjoint.put(f"taken{field};")


def received_by(content: Source) -> Sequence[Place] | None:
    """Return the places to which a change of a field adds in the adjoint; None: it has no cotangent."""
    return reals([content]) if may_receive(content) else None
