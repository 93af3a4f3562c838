"""Common parts of the printers of the intermediate languages: operands, spans, lines with a margin.

A listing has one line for each step, with its properties in columns to the right. Nesting is shown by
indentation, which stops growing at a column, so that the size of a listing is linear in that of its program.
"""

from __future__ import annotations

from bisect import bisect_right

from checkpoint.ad.values import Pair, Symbol
from checkpoint.cps import terms as t
from checkpoint.errors import Source, Span
from checkpoint.lang.printer import write_value

_DEEPEST = 40
_COLUMN = 56
_LONGEST_CONSTANT = 30


def operand(value: t.Operand) -> str:
    """Return an operand as text: constants as in the language, symbols and lists quoted."""
    if isinstance(value, str):
        return value
    text = write_value(value.value, limit=_LONGEST_CONSTANT)
    return f"'{text}" if value.value is None or isinstance(value.value, Pair | Symbol) else text


def form(*parts: str | t.Operand) -> str:
    """Return parts in parentheses."""
    return f"({' '.join(operand(part) for part in parts)})"


class Places:
    """Spans as line:column; a span in another text than the program's also names that text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._lines: dict[Source, list[int]] = {}

    def text(self, span: Span | None) -> str:
        """Return the beginning of a span."""
        if span is None:
            return "-"
        starts = self._starts(span.source)
        line = bisect_right(starts, span.start)
        place = f"{line}:{span.start - starts[line - 1] + 1}"
        return place if span.source is self.source else f"{span.source.name}:{place}"

    def _starts(self, source: Source) -> list[int]:
        """Return the offsets at which lines begin."""
        if source not in self._lines:
            ends = [i + 1 for i, character in enumerate(source.text) if character == "\n"]
            self._lines[source] = [0, *ends]
        return self._lines[source]


class Listing:
    """The lines of a listing."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, depth: int, text: str, *notes: str) -> None:
        """Add a line, with notes in the columns to the right."""
        line = "  " * min(depth, _DEEPEST // 2) + text
        said = "  ".join(note for note in notes if note)
        self.lines.append(f"{line:<{_COLUMN}}  {said}".rstrip())

    def text(self) -> str:
        return "\n".join(self.lines)
