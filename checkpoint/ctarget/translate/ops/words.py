"""The words of C that translated code is made of: constants, places as values, moves.

In: sources and kinds (places.py). Out: expressions of C, in terms of machine/translated.h. What always
holds: a constant has the same bits in C as in the program.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from textwrap import wrap

from checkpoint.ctarget.translate.ops.places import (
    DOUBLES,
    ROWS,
    TAGS,
    Constant,
    DualParts,
    Kind,
    KnownClosure,
    Place,
    Source,
    Tag,
    View,
)
from checkpoint.dataclass import dataclass

# The member of a Value that has the content of a place of a kind.
PAYLOADS: dict[Kind, str] = {"real": "real", "integer": "integer", "boolean": "integer"}
VALUES = frozenset(("value", "array"))  # the kinds of places that are Values
LARGEST_EXACT = 1 << 53  # integers up to it are doubles, too
WIDEST = 110
_SPACE = re.compile(r"(?<!\|)(?<!&&) ")  # where no line is broken
_GLUE = "\0"


def literal(value: float | int | bool | None) -> str:
    """Return a constant in C, with all its bits.

    >>> literal(0.5), literal(0.1), literal(-0.0), literal(True), literal(-3)
    ('0.5', '0x1.999999999999ap-4 /* 0.1 */', '-0.0', 'true', '-3')
    """
    if value is None:
        return "nothing()"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _integer(value)
    if not math.isfinite(value):
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        return f"real_of_bits(0x{bits:016x}) /* {value} */"
    short = repr(value)
    return short if Fraction(short) == Fraction(value) else f"{value.hex()} /* {short} */"


def _integer(value: int) -> str:
    if value == -(1 << 63):
        return "INT64_MIN"
    return str(value) if abs(value) < 1 << 31 else f"INT64_C({value})"


def real(source: Source) -> str:
    """Return a source as a double; that integers are exact was checked before."""
    if isinstance(source, Constant):
        assert source.value is not None
        return literal(float(source.value))
    assert isinstance(source, Place)
    return source.name if source.kind in DOUBLES else f"(double){source.name}"


def plain(source: Source) -> str:
    """Return a source as an expression of its own kind."""
    if isinstance(source, Place):
        return source.name
    return literal(source.value) if isinstance(source, Constant) else value(source)


def value(source: Source) -> str:
    """Return a source as a Value."""
    if isinstance(source, KnownClosure):
        procedure = f"REFERENCE({source.procedure})"
        if source.environment is None:
            return f"bare_closure({procedure})"
        return f"closure({procedure}, {source.environment.name})"
    if isinstance(source, DualParts):
        if source.is_nested:
            return f"dual_around(m->heap, {source.tag.name}, {', '.join(map(value, source.parts))})"
        return f"dual(m->heap, {source.tag.name}, {real(source.primal)}, {real(source.tangent)})"
    if source.kind in VALUES:
        return plain(source)
    if source.kind == "element":
        return f"of_scalar(m, {plain(source)})"
    return f"of_{source.kind}({plain(source)})"


def has_tag(held: str, tag: str, procedure: int | None = None, count: int | None = None) -> str:
    """Return a test that a Value has a tag, as in Expect."""
    if procedure is not None:
        return f"is_closure_of({held}, {tag}, REFERENCE({procedure}))"
    if count is not None:
        return f"is_tuple_of({held}, {count})"
    if tag in ROWS:
        return f"is_{tag.lower()}(m, {held})"
    if tag in {"TUPLE", "OTHER", "TEXT"}:
        return f"is_{tag.lower()}({held})"
    return f"kind_of({held}) == {tag}"


def lacks_tag(held: str, tag: str, procedure: int | None, count: int | None = None) -> str:
    """Return a test that a Value has not that tag."""
    test = has_tag(held, tag, procedure, count)
    return test.replace("==", "!=") if " == " in test else f"!{test}"


def content(held: str, kind: Kind) -> str:
    """Return the expression that a place of a kind is set to from a Value."""
    return f"load(&{held})" if kind in VALUES else f"{held}.{PAYLOADS[kind]}"


def broken(line: str) -> list[str]:
    """Return a statement in as many lines as it takes, broken behind operators of logic."""
    if len(line) <= WIDEST and "\n" not in line:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 8)
    glued = _SPACE.sub(_GLUE, line)
    found = wrap(glued, WIDEST, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return [part.replace(_GLUE, " ") for part in found]


def declaration(c_type: str, names: list[str]) -> list[str]:
    """Return the declaration of variables, in as many lines as it takes."""
    lines: list[str] = []
    line = ""
    for name in names:
        if line and len(line) + len(name) + 3 > WIDEST:
            lines.append(f"{line};")
            line = ""
        line = f"{line}, {name}" if line else f"    {c_type} {name}"
    return [*lines, f"{line};"] if line else []


@dataclass(frozen=True, slots=True)
class Move:
    """The assignment target = text, which reads the variable `reads`, if any, among the targets."""

    c_type: str
    target: str
    text: str
    reads: str | None


def in_order(moves: list[Move]) -> list[str]:
    """Return statements that do moves as if all at once.

    What is still to be read is written later; of a ring one variable is saved first.
    """
    lines: list[str] = []
    pending = [move for move in moves if move.text != move.target]
    while pending:
        read = Counter([move.reads for move in pending])
        ready = (move for move in pending if read[move.target] == (move.reads == move.target))
        if found := next(ready, None):
            lines.append(f"{found.target} = {found.text};")
            pending.remove(found)
            continue
        first = pending[0]
        kept = f"{first.target}_old"
        lines.append(f"const {first.c_type} {kept} = {first.target};")
        pending = [
            replace(move, text=kept, reads=kept) if move.reads == first.target else move for move in pending
        ]
    return lines


def comment(text: str) -> str:
    """Return a comment; nothing in its text ends it."""
    return f"/* {text.replace('*/', '* /').replace('/*', '/ *')} */"


def in_braces(lines: list[str]) -> list[str]:
    """Return statements, as a block if they declare something."""
    if not any(line.startswith("const ") for line in lines):
        return lines
    return ["{", *[f"    {line}" for line in lines], "}"]


def unlike(held: str, wanted: Place | Tag | KnownClosure | DualParts | View, now: str = "INT64_MAX") -> str:
    """Return a test that a Value is not what is wanted; "": anything is wanted.

    The double of an element is set by the test, and what elements of an array are read by. now: the step
    before which no other handle may have changed the array; without it, none ever.
    """
    match wanted:
        case Place(kind="value"):
            return ""
        case Place(name, kind="element"):
            return f"!open_scalar(m, {held}, &{name})"
        case View(sizes=sizes):
            return f"!open_array(m, {held}, {len(sizes)}, {now}, &view)"
        case Place():
            return f"{held}.tag != {TAGS[wanted.kind]}"
        case Tag(tag, procedure):
            return lacks_tag(held, tag, procedure)
        case KnownClosure(procedure, environment):
            return lacks_tag(held, "PROCEDURE" if environment is None else "CLOSURE", procedure)
        case DualParts():
            return f"!is_dual({held})"


def viewed(held: str, view: View) -> list[str]:
    """Return the statements that set the places of a View from a Value, which open_array has opened."""
    axes = range(len(view.sizes))
    return [
        f"{view.handle.name} = load(&{held});",
        f"{view.data.name} = view.data;",
        *[f"{view.sizes[i].name} = view.sizes[{i}];" for i in axes],
        *[f"{view.strides[i].name} = view.strides[{i}];" for i in axes],
    ]


def opened(held: str, parts: DualParts) -> list[str]:
    """Return the statements that set the places of a dual from a Value that is one."""
    places = [(i, part) for i, part in enumerate(parts.parts) if isinstance(part, Place)]
    return [
        f"{parts.tag.name} = (int64_t){held}.object->birth;",
        *[f"{part.name} = cells_of({held})[{i}].real;" for i, part in places],
    ]


def unlike_tags(held: Iterable[tuple[str, object]]) -> list[str]:
    """Return tests that duals which are to have one tag do not have it."""
    first: dict[Place, str] = {}
    tests = []
    for name, wanted in held:
        if isinstance(wanted, DualParts):
            one = first.setdefault(wanted.tag, name)
            tests += [f"{name}.object->birth != {one}.object->birth"] if one != name else []
    return tests


def name_of(source: Source) -> str | None:
    """Return the variable that a source reads."""
    match source:
        case Place(name):
            return name
        case KnownClosure(_, Place(name)):
            return name
    return None


def in_quotes(name: str) -> str:
    """Return the name of a file as the content of a string of C."""
    return "".join(
        c if c.isprintable() and c not in '"\\' else f"\\{ord(c):03o}" for c in name if ord(c) < 256
    )


def stored(sources: Iterable[tuple[int, Source]]) -> list[str]:
    """Return statements that store sources, each at its index of `to`."""
    return [f"store(&to[{i}], {value(source)});" for i, source in sources]


def if_unlikely(test: str, statement: str) -> str:
    """Return a statement that is done where a test holds, which it rarely does."""
    return f"if (UNLIKELY({test})) {statement}"
