"""The functions of scalars that a unit's file defines: those that it calls, which makes it quick to compile.

In: C that calls value_ID, by_x_ID, by_y_ID and integers_ID. Out: for each a line for a macro of
machine/translated.h, made of the definition of checkpoint/scalars.
"""

from __future__ import annotations

import re

from checkpoint.scalars import c_text
from checkpoint.scalars.definition import definitions

_CALL = re.compile(r"\b(value|by_x|by_y|integers)_(\w+)\(")


def used_in(text: str) -> list[str]:
    """Return the definitions of all that a text calls, in the order of checkpoint/scalars."""
    called = set(_CALL.findall(text))
    return [
        _line(kind, name)
        for name in definitions()
        for kind in ("value", "by_x", "by_y", "integers")
        if (kind, name) in called
    ]


def _line(kind: str, name: str) -> str:
    definition = definitions()[name]
    if kind == "value":
        return f"VALUE({name}, {c_text.value_of(definition)}, {definition.fails or 'false'})"
    if kind == "integers":
        assert definition.integers is not None
        return f"INTEGERS({name}, {definition.integers.given}, {definition.integers.result})"
    return f"PARTIAL({kind}_{name}, {c_text.partial_of(definition, 'xy'.index(kind[-1]))})"
