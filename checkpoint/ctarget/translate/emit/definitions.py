"""Definitions of scalars that a unit's file uses: it has no others, since a compiler reads all that it is
given.

In: C that calls value_ID, by_x_ID, by_y_ID and integers_ID of machine/translated.h. Out: the entries of
scalars/scalars.def that define these, as they stand there, for the macros that translated.h has for them.
"""

from __future__ import annotations

import re
from functools import cache

from checkpoint.ctarget.translate.compile.compiler import HEADERS

_CALL = re.compile(r"\b(value|by_x|by_y|integers)_(\w+)\(")
_ENTRY = re.compile(r"^(UNARY|BINARY|INTEGERS)\((\w+),", re.MULTILINE)


def used_in(text: str) -> list[str]:
    """The entries of all that a text calls, in the order of the file."""
    called = {(kind == "integers", name) for kind, name in _CALL.findall(text)}
    return [entry for key, entry in _entries().items() if key in called]


@cache
def _entries() -> dict[tuple[bool, str], str]:
    """Each entry, by whether it is of integers, and its name."""
    text = (HEADERS / "scalars" / "scalars.def").read_text(encoding="utf-8")
    return {
        (found[1] == "INTEGERS", found[2]): text[found.start() : _end(text, found.start())]
        for found in _ENTRY.finditer(text)
    }


def _end(text: str, start: int) -> int:
    """Behind the parenthesis that closes the first one after `start`."""
    depth = 0
    for i in range(text.index("(", start), len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return i + 1
    return len(text)
