"""The texts of code that was typed, of which no file and no cell of linecache has a text.

    Python's own prompt     <stdin>: what readline remembers, where the prompt uses it (3.13's knows texts)
    python -c TEXT          <string>: the process's own arguments (3.13 knows the text)
    %time, %%time           <timed exec>, <timed eval>: IPython's cells, without their first word

In: the name of a code object's file. Out: texts that may have the code, the last one typed first; whoever
takes one compares the code that it gives with the code that is sought.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from typing import Any

_LINES = 1000  # of the prompt that are remembered, the last
_STATEMENT = 200  # lines of a statement, at most
_MAGIC = re.compile(r"\s*%%?\w+(?:[ \t]+-\w+(?:[ \t]+\d+)?)*[ \t]*\n?")
_MAGICS = frozenset(("<timed exec>", "<timed eval>"))


def typed(name: str) -> Iterator[str]:
    """Yield the texts that were typed where code has a file of this name."""
    if name == "<stdin>":
        yield from _statements(_remembered())
    elif name == "<string>":
        yield from sys.orig_argv[1:]
    elif name in _MAGICS:
        yield from _cells()


def _remembered() -> list[str]:
    """Return the lines that readline remembers."""
    readline: Any = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    found = [readline.get_history_item(i) for i in range(max(1, count - _LINES), count + 1)]
    return [line for line in found if line is not None]


def _statements(lines: list[str]) -> Iterator[str]:
    """Yield each statement that begins at one of some lines, the last one first, and as long as can be."""
    for start in reversed(range(len(lines))):
        if lines[start][:1] in {"", " ", "\t"}:
            continue
        ends = range(start + 1, min(start + _STATEMENT, len(lines)) + 1)
        found = [text for end in ends if _is_statement(text := "\n".join([*lines[start:end], ""]))]
        if found:
            yield found[-1]


def _is_statement(text: str) -> bool:
    try:
        return len(ast.parse(text).body) == 1
    except (SyntaxError, ValueError):
        return False


def _cells() -> Iterator[str]:
    """Yield what follows the magics of IPython's cells, the last one first."""
    interactive: Any = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    if shell is not None:
        for cell in reversed(shell.history_manager.input_hist_raw):
            for line in (cell, *cell.splitlines()):
                found = _MAGIC.match(line)
                if found:
                    yield line[found.end() :]
