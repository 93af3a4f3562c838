"""Read text as s-expressions with spans.

In: a Source. Out: its data, in order. Grammar:

    datum ::= numeral | #t | #f | string | name | (datum ...) | (datum ... . datum) | 'datum
    skipped: white space, `; to the end of the line`, `#| nested |#`, `#;datum`

Brackets [ ] are parentheses. Every numeral is a real. `#e5` is the integer 5, `#x1f` is 31: the printer
writes the integers of Python programs so, and a text that is read back has them again. The reader is one loop
with a stack of open forms, so texts may have any length and depth.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import field

from checkpoint.dataclass import dataclass
from checkpoint.errors import Source, SourceError, Span


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Datum:
    """Any s-expression."""

    span: Span = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Literal(Datum):
    """A real, an integer, a boolean or a string."""

    value: float | int | bool | str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Name(Datum):
    text: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Form(Datum):
    """(items ...), or (items ... . tail) where `tail` is a datum and there is at least one item."""

    items: tuple[Datum, ...]
    tail: Datum | None = None


_SPACE = re.compile(r"(?:\s|;[^\n]*)+")
_WORD = re.compile(r"""[^\s()\[\]{}"';`,|]+""")
_NUMERAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_LIKE_A_NUMERAL = re.compile(r"[+-]?\.?\d")
# Integers come from Python only; the printer writes them so. Python converts only decimal ones of up to 4,300
# digits; longer ones are written with #e#x.
_INTEGER = re.compile(r"#e(?P<e>[+-]?\d{1,4000})|#e#x(?P<x>[+-]?[0-9a-fA-F]+)", re.ASCII)
_WHOLE = re.compile(r"#x(?P<x>[+-]?[0-9a-fA-F]+)|#o(?P<o>[+-]?[0-7]+)|#b(?P<b>[+-]?[01]+)", re.ASCII)
_BASES = {"b": 2, "o": 8, "e": 10, "x": 16}
_BLOCK_MARK = re.compile(r"#\||\|#")
_STRING_PART = re.compile(r'[^"\\]+')
_HEX_ESCAPE = re.compile(r"x([0-9a-fA-F]{1,6});")

_BYTE_ORDER_MARK = "\ufeff"  # some editors write it at the beginning of a UTF-8 file
_CLOSER = {"(": ")", "[": "]"}
_WORDS: dict[str, float | bool] = {
    "#t": True,
    "#f": False,
    "+inf.0": math.inf,
    "-inf.0": -math.inf,
    "+nan.0": math.nan,
    "-nan.0": math.nan,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"'}

_UNREADABLE = {
    "`": "quasiquotation is not in the language; build the list with list or cons*",
    ",": "a comma is not in the language; separate the items by spaces",
    "{": "a brace is not in the language; write a parenthesis",
    "}": "a brace is not in the language; write a parenthesis",
    "|": "a bar is not in the language; write the name without it",
}


@dataclass(slots=True)
class _Open:
    """A form or a prefix whose datum is not complete yet.

    mark: the opening characters. dot: the position of the dot, if there is one; `tail` is the datum after it.
    """

    mark: str
    start: int
    items: list[Datum] = field(default_factory=list)
    dot: int | None = None
    tail: Datum | None = None


def read(source: Source) -> tuple[Datum, ...]:
    """Return all data of a text."""
    return _Reader(source).read()


def is_name(text: str) -> bool:
    """Return whether the reader reads a text as one name."""
    return _WORD.fullmatch(text) is not None and not _is_special(text)


def _is_special(word: str) -> bool:
    return word == "." or word[0] == "#" or word in _WORDS or _LIKE_A_NUMERAL.match(word) is not None


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.at = 1 if self.text.startswith(_BYTE_ORDER_MARK) else 0
        self.open: list[_Open] = [_Open("", 0)]

    def read(self) -> tuple[Datum, ...]:
        while self._skip():
            self._next()
        innermost = self.open[-1]
        if innermost.mark:
            raise self._unfinished(innermost)
        return tuple(innermost.items)

    def _span(self, start: int, end: int | None = None) -> Span:
        return Span(self.source, start, self.at if end is None else end)

    def _error(self, message: str, start: int, end: int | None = None) -> SourceError:
        return SourceError(message, self._span(start, end))

    def _unfinished(self, opened: _Open) -> SourceError:
        if opened.mark in _CLOSER:
            closer = _CLOSER[opened.mark]
            message = f"this {opened.mark} is never closed; write the missing {closer}"
        else:
            message = f"a datum is missing after this {opened.mark}"
        return self._error(message, opened.start, opened.start + len(opened.mark))

    def _skip(self) -> bool:
        """Skip white space and comments; return whether anything is left."""
        while True:
            space = _SPACE.match(self.text, self.at)
            if space is not None:
                self.at = space.end()
            if not self.text.startswith("#|", self.at):
                return self.at < len(self.text)
            self._skip_block()

    def _skip_block(self) -> None:
        start, depth = self.at, 0
        while True:
            mark = _BLOCK_MARK.search(self.text, self.at)
            if mark is None:
                raise self._error("this comment is never closed; write the missing |#", start, start + 2)
            self.at = mark.end()
            depth += 1 if mark.group() == "#|" else -1
            if depth == 0:
                return

    def _next(self) -> None:
        """Read the token at the current position."""
        start, char = self.at, self.text[self.at]
        if char in "([":
            self.at += 1
            self.open.append(_Open(char, start))
        elif char in ")]":
            self.at += 1
            self._close(char)
        elif char == "'":
            self.at += 1
            self.open.append(_Open("'", start))
        elif char == '"':
            value = self._string()
            self._add(Literal(self._span(start), value))
        elif char in _UNREADABLE:
            raise self._error(_UNREADABLE[char], start, start + 1)
        elif self.text.startswith("#;", start):
            self.at += 2
            self.open.append(_Open("#;", start))
        else:
            self._word()

    def _close(self, closer: str) -> None:
        opened = self.open[-1]
        start = self.at - 1
        if not opened.mark:
            raise self._error(f"this {closer} closes nothing; remove it", start)
        if opened.mark not in _CLOSER:
            raise self._unfinished(opened)
        wanted = _CLOSER[opened.mark]
        if closer != wanted:
            line, column = self.source.line_and_column(opened.start)
            raise self._error(
                f"this {closer} does not match the {opened.mark} at line {line}, column {column}; "
                f"write {wanted}",
                start,
            )
        self.open.pop()
        self._add(self._form(opened))

    def _form(self, opened: _Open) -> Form:
        if opened.dot is not None and opened.tail is None:
            raise self._error("nothing follows this dot; write (a . b)", opened.dot, opened.dot + 1)
        return Form(self._span(opened.start), tuple(opened.items), opened.tail)

    def _add(self, datum: Datum) -> None:
        """Add a complete datum to the form or prefix around it."""
        while self.open[-1].mark == "'":
            quote = self.open.pop()
            name = Name(self._span(quote.start, quote.start + 1), "quote")
            datum = Form(self._span(quote.start), (name, datum))
        opened = self.open[-1]
        if opened.mark == "#;":
            self.open.pop()
        elif opened.dot is None:
            opened.items.append(datum)
        elif opened.tail is None:
            opened.tail = datum
        else:
            raise SourceError("only one datum may follow a dot; write (a . b)", datum.span)

    def _word(self) -> None:
        start = self.at
        match = _WORD.match(self.text, start)
        assert match is not None  # every character that cannot begin a word has a case of its own
        word = match.group()
        self.at = match.end()
        if word == ".":
            self._dot(start)
        elif word in _WORDS:
            self._add(Literal(self._span(start), _WORDS[word]))
        elif _LIKE_A_NUMERAL.match(word):
            self._add(Literal(self._span(start), self._numeral(word, start)))
        elif word[0] == "#":
            self._add(Literal(self._span(start), self._marked(word, start)))
        else:
            self._add(Name(self._span(start), word))

    def _dot(self, start: int) -> None:
        opened = self.open[-1]
        if opened.mark not in _CLOSER or not opened.items or opened.dot is not None:
            raise self._error("a dot is allowed only before the last datum of a form; write (a . b)", start)
        opened.dot = start

    def _numeral(self, word: str, start: int) -> float:
        text = word.removeprefix("#d")
        if not _NUMERAL.fullmatch(text):
            raise self._error(f"{word} is not a numeral; write a real such as 1, -2.5 or 1e-5", start)
        value = float(text)
        if math.isinf(value):
            sign = "-" if value < 0 else "+"
            raise self._error(f"{word} is too large for a real; write {sign}inf.0 for infinity", start)
        return value

    def _marked(self, word: str, start: int) -> float | int:
        """Return what a word with a # denotes: the real #xff, #o17, #b101 or #d2.5, or the integer #e255."""
        if word.startswith("#d"):
            return self._numeral(word, start)
        match = _INTEGER.fullmatch(word) or _WHOLE.fullmatch(word)
        if match is None:
            raise self._error(
                f"{word} is not in the language; write #t, #f, or a numeral as #b101, #o17 or #xff", start
            )
        base = str(match.lastgroup)
        value = int(match.group(base), _BASES[base])
        if match.re is _INTEGER:
            return value
        if abs(value) > sys.float_info.max:
            raise self._error("this numeral is too large for a real", start)
        return float(value)

    def _string(self) -> str:
        start = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            plain = _STRING_PART.match(self.text, self.at)
            if plain is not None:
                parts.append(plain.group())
                self.at = plain.end()
            if self.at >= len(self.text):
                raise self._error('this string is never closed; write the missing "', start, start + 1)
            if self.text[self.at] == '"':
                self.at += 1
                return "".join(parts)
            parts.append(self._escape(start))

    def _escape(self, string: int) -> str:
        """Return the character that the escape at this backslash denotes."""
        start = self.at
        self.at = min(start + 2, len(self.text))
        char = self.text[start + 1 : self.at]
        if char in _ESCAPES:
            return _ESCAPES[char]
        hexadecimal = _HEX_ESCAPE.match(self.text, start + 1)
        if hexadecimal is not None and int(hexadecimal.group(1), 16) < 0x110000:
            self.at = hexadecimal.end()
            return chr(int(hexadecimal.group(1), 16))
        if not char:
            raise self._error('this string is never closed; write the missing "', string, string + 1)
        raise self._error(r"an unknown escape; write \n, \t, \r, \\, \" or \x41;", start)
