"""Print core programs and values as text.

`show` prints a core program in the language's own syntax; reading that text gives a program that prints the
same. An eta-expanded primitive is printed as the primitive's name, which is read as the same eta-expansion.
`write_value` writes a value as Scheme does; every real is written so that it reads back.

Both are iterative, and the length of their output is linear in their input: indentation is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import Any

from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.containers import Dict, List, Record
from checkpoint.ad.numbers import Dual, Node, real_part
from checkpoint.ad.values import Closure, Failure, Opaque, Pair, Symbol
from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.deep import Task, run
from checkpoint.lang.names import operation_as_value, surface

_WIDTH = 100
_DEEPEST = 60

# Python converts integers of at most 4,300 digits to decimal; longer ones are written in hexadecimal.
_DECIMAL_BITS = 13_000

# Values

_STRING_SPECIAL = re.compile(r'[\\"\x00-\x1f\x7f\ud800-\udfff]')
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_value(value: object, limit: int | None = None) -> str:
    """Return a value as text; of at most `limit` characters, of which the last three are then "..."."""
    return _Writer(value, "").text(limit)


@dataclass(frozen=True, slots=True)
class _Text:
    """A finished piece of text."""

    text: str


@dataclass(frozen=True, slots=True)
class _Rest:
    """The rest of a list, after an item."""

    value: object


_CLOSE = _Text(")")
_SPACE = _Text(" ")


class _Writer:
    """Writes one value.

    pending: what is still to be written, the next item last.
    exact: the mark of an integer; programs need one, since every plain numeral is read as a real.
    """

    def __init__(self, value: object, exact: str) -> None:
        self.pending: list[object] = [value]
        self.exact = exact

    def text(self, limit: int | None) -> str:
        parts: list[str] = []
        length = 0
        while self.pending and (limit is None or length <= limit):
            parts.append(self._next(self.pending.pop()))
            length += len(parts[-1])
        result = "".join(parts)
        if limit is None or len(result) <= limit:
            return result
        return result[: max(0, limit - 3)] + "..."

    def _next(self, item: object) -> str:
        """Return the next piece of text, and make what follows it pending."""
        if isinstance(item, _Text):
            return item.text
        if isinstance(item, _Rest):
            return self._rest(item.value)
        if isinstance(item, Pair):
            self.pending += [_Rest(item.cdr), item.car]
            return "("
        if isinstance(item, tuple):
            return self._all("#(", [(part, "") for part in item], _CLOSE)
        if isinstance(item, Record):
            return self._record(item)
        if isinstance(item, List):
            return self._all("[", [(part, "") for part in item.items], _Text("]"))
        if isinstance(item, Dict):
            keyed = [(part, f"{key!r}: ") for key, part in item.items.items()]
            return self._all("{", keyed, _Text("}"))
        return self._atom(item)

    def _record(self, record: Record) -> str:
        names = record.layout.names
        if not names:
            return self._all("#(", [(part, "") for part in record.items], _CLOSE)
        named = [(part, f"{name}: ") for name, part in zip(names, record.items, strict=False)]
        return self._all(f"#<{record.layout.cls.__qualname__} ", named, _Text(">"))

    def _all(self, opening: str, items: Sequence[tuple[object, str]], closing: _Text) -> str:
        """Write items, each after its prefix."""
        self.pending.append(closing)
        for i in range(len(items) - 1, -1, -1):
            item, name = items[i]
            self.pending += [item, _Text(name), _SPACE] if i else [item, _Text(name)]
        return opening

    def _rest(self, rest: object) -> str:
        if rest is None:
            return ")"
        if isinstance(rest, Pair):
            self.pending += [_Rest(rest.cdr), rest.car]
            return " "
        self.pending += [_CLOSE, rest]
        return " . "

    def _atom(self, value: object) -> str:
        if isinstance(value, bool):
            return "#t" if value else "#f"
        if isinstance(value, float):
            return write_real(value)
        if isinstance(value, int):
            return self._integer(value)
        if value is None:
            return "()"
        if isinstance(value, Symbol):
            return str(value)
        if isinstance(value, str):
            return f'"{_STRING_SPECIAL.sub(_escape, value)}"'
        return _write_other(value)

    def _integer(self, value: int) -> str:
        if value.bit_length() < _DECIMAL_BITS:
            return f"{self.exact}{int.__repr__(value)}"
        return f"#e#x{'-' if value < 0 else ''}{abs(value):x}"


_SHOWN = (
    100  # the most elements of a tensor that are all shown; else the first and last _EDGE along each axis
)
_EDGE = 3


def write_tensor(data: Any) -> str:
    """Return an array's shape and some elements as text, its dtype and device if they are not usual."""
    if data is None:
        return "#<tensor>"
    sizes = " ".join(map(str, data.shape))
    dtype = str(data.dtype)
    rare = "" if dtype in {"float64", "bool"} else f"{dtype} "
    if str(getattr(data, "device", "cpu")) not in ("cpu", "None"):
        return f"#<tensor {rare}({sizes}) on {data.device}>"  # its elements are elsewhere, if there are any
    return f"#<tensor {rare}({sizes}) {_elements(data, prod(data.shape) > _SHOWN)}>"


def _elements(data: Any, is_large: bool) -> str:
    if not data.ndim:
        value = data.item()
        return write_value(value) if isinstance(value, bool | float) else str(value)
    rows = range(len(data))
    if not is_large or len(data) <= 2 * _EDGE:
        return f"({' '.join([_elements(data[i], is_large) for i in rows])})"
    first, last = ([_elements(data[i], is_large) for i in part] for part in (rows[:_EDGE], rows[-_EDGE:]))
    return f"({' '.join([*first, '...', *last])})"


def _write_other(value: object) -> str:
    """Return the text of a value that is not a constant. Kinds unknown here have a method `write`."""
    if isinstance(value, Closure):
        name = getattr(value.lam, "name", None)
        return f"#<procedure {name}>" if name else "#<procedure>"
    if isinstance(value, Array | Discrete):
        return write_tensor(value.data)
    if isinstance(value, Dual | Node):
        return write_value(real_part(value))
    if callable(write := getattr(value, "write", None)):
        return str(write())
    if isinstance(value, Failure):
        return f"#<failure {value.text}>"
    if isinstance(value, Opaque):
        return "#<opaque>"
    if isinstance(value, range | bytes):
        return repr(value)
    return f"#<{type(value).__name__.lower()}>"


def write_real(value: float) -> str:
    """Return the shortest numeral that reads back as this real."""
    text = float.__repr__(value)
    if text == "nan":
        return "+nan.0"
    if text.endswith("inf"):
        return "-inf.0" if value < 0 else "+inf.0"
    return text


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return _ESCAPES.get(char) or f"\\x{ord(char):x};"


# Programs


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Block:
    """A form to print: `(`, the parts of the head on one line, then the parts of the body, one on a line.

    width: the width of the whole block on one line. step: the indentation of the body.
    """

    head: Sequence[_Block | str]
    body: Sequence[_Block | str]
    width: int
    step: int


def _block(head: Sequence[_Block | str], body: Sequence[_Block | str] = (), step: int = 2) -> _Block:
    width = sum([_width(part) + 1 for part in (*head, *body)]) + 1
    return _Block(head, body, width, step)


def _width(part: _Block | str) -> int:
    return len(part) if isinstance(part, str) else part.width


def show(expr: Expr) -> str:
    """Return a core program as text that reads back, without a newline at the end."""
    return _Layout().text(run(_blocks(expr)))


def _blocks(expr: Expr) -> Task[_Block | str]:
    match expr:
        case Const():
            return _constant(expr.value)
        case Var():
            return expr.name
        case Lambda():
            if name := _read_as(expr):
                return name
            form = _lambda(expr)
        case Letrec():
            form = _letrec(expr)
        case _:
            form = _simple(expr)
    block: _Block = yield form
    return block


def _read_as(lam: Lambda) -> str | None:
    """Return the primitive's name that is read as this eta-expansion; None if there is none."""
    if lam.primitive is None:
        return None
    name = surface(lam.primitive)
    return name if operation_as_value(name) == lam.primitive else None


def _simple(expr: Expr) -> Task[_Block]:
    match expr:
        case App():
            # Before arguments the primitive's name would be read as the primitive itself.
            fn = yield (_lambda(expr.fn) if isinstance(expr.fn, Lambda) else _blocks(expr.fn))
            return _block([fn], (yield _all(expr.args)))
        case If():
            test, then, other = yield _all((expr.test, expr.then, expr.other))
            return _block(["if", test], [then, other], 4)
        case Let():
            value, body = yield _all((expr.value, expr.body))
            return _block(["let", _block([_block([expr.name, value])])], [body])
        case Prim():
            return _block([surface(expr.op)], (yield _all(expr.args)))
        case Raise():
            return _block(["raise"], (yield _all((expr.value,))))
        case Handle():
            body, handler = yield _all((expr.body, expr.handler))
            return _block(["handle"], [body, _block([expr.name]), handler])
    raise InternalError(f"{type(expr).__name__} is not a core expression", getattr(expr, "span", None))


def _all(exprs: Sequence[Expr]) -> Task[list[_Block | str]]:
    result = []
    for expr in exprs:
        result.append((yield _blocks(expr)))
    return result


def _constant(value: object) -> str:
    text = _Writer(value, "#e").text(None)
    return f"'{text}" if value is None or isinstance(value, Pair | Symbol) else text


def _lambda(lam: Lambda) -> Task[_Block]:
    return _block(["lambda", _block(lam.params)], [(yield _blocks(lam.body))])


def _letrec(expr: Letrec) -> Task[_Block]:
    bindings = []
    for name, lam in expr.bindings:
        bindings.append(_block([name, (yield _lambda(lam))]))
    body = yield _blocks(expr.body)
    return _block(["letrec", _block(bindings[:1], bindings[1:], 1)], [body])


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part to print.

    indent: the indentation of its following lines. newline: whether it begins a line, with that indentation.
    """

    part: _Block | str
    indent: int
    newline: bool = False


class _Layout:
    """Prints blocks: on one line where they fit, otherwise with the body below the head."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.column = 0

    def text(self, part: _Block | str) -> str:
        pending = [_Piece(part, 0)]
        while pending:
            piece = pending.pop()
            if piece.newline:
                self._put("\n" + " " * piece.indent)
                self.column = piece.indent
            if isinstance(piece.part, str):
                self._put(piece.part)
            else:
                self._put("(")
                pending.append(_Piece(")", 0))
                pending.extend(reversed(self._pieces(piece.part)))
        return "".join(self.parts)

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.column += len(text)

    def _pieces(self, block: _Block) -> list[_Piece]:
        """Return the pieces after a block's opening parenthesis."""
        start = self.column - 1
        if start + block.width <= _WIDTH:
            return _spaced([_Piece(part, start) for part in (*block.head, *block.body)])
        inside = min(start + block.step, _DEEPEST)
        head = _spaced([_Piece(part, inside + 2) for part in block.head])
        return [*head, *[_Piece(part, inside, newline=True) for part in block.body]]


def _spaced(pieces: list[_Piece]) -> list[_Piece]:
    result: list[_Piece] = []
    for piece in pieces:
        if result:
            result.append(_Piece(" ", 0))
        result.append(piece)
    return result
