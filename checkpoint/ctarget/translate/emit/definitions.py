"""The functions of scalars that a unit's file defines: those that it calls, which makes it quick to compile.

In: C that calls value_ID, by_x_ID, by_y_ID and integers_ID. Out: for each a line for a macro of
machine/translated.h, made of the definition of checkpoint/scalars.
"""

from __future__ import annotations

import re

from checkpoint.scalars import c_text
from checkpoint.scalars.definition import definitions

_KINDS = ("value", "by_x", "by_y", "integers")
# Each begins with a literal, which is searched for quickly in a long text.
_CALLS = {kind: re.compile(rf"{kind}_(\w+)\(") for kind in _KINDS}
_WORD = re.compile(r"\w")


def used_in(text: str) -> list[str]:
    """Return the definitions of all that a text calls, in the order of checkpoint/scalars."""
    called = {
        (kind, found[1])
        for kind, call in _CALLS.items()
        for found in call.finditer(text)
        if not _WORD.match(text[max(found.start() - 1, 0) : found.start()])
    }
    return [_line(kind, name) for name in definitions() for kind in _KINDS if (kind, name) in called]


def _line(kind: str, name: str) -> str:
    definition = definitions()[name]
    if kind == "value":
        return f"VALUE({name}, {c_text.value_of(definition)}, {definition.fails or 'false'})"
    if kind == "integers":
        assert definition.integers is not None
        return f"INTEGERS({name}, {definition.integers.given}, {definition.integers.result})"
    return f"PARTIAL({kind}_{name}, {c_text.partial_of(definition, 'xy'.index(kind[-1]))})"
