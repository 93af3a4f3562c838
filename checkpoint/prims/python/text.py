"""Primitives of strings: values as text, and the methods of strings and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.record import PYTHON_FAILURES, Effect, Purity, register
from checkpoint.ad.storage import Now
from checkpoint.ad.tables import NATIVES
from checkpoint.driver.effects import Effects
from checkpoint.errors import RunError, an
from checkpoint.prims.python.native import class_name, class_of, native
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    PLAIN,
    by_python,
    is_tuple,
    python_result,
    rearrange,
    to_value,
)


def _call(now: Now, x: Any, name: str, *operands: Any) -> Any:
    """Call a method of a string or number; the result holds no real of the run."""
    return to_value(now, python_result(now, lambda x, *operands: getattr(x, name)(*operands), x, *operands))


def _call_with(now: Now, x: Any, name: str, args: Any, keywords: Any) -> Any:
    """Call a method of a string with a tuple of arguments and a dictionary of keywords."""

    def called(x: Any, args: Any, keywords: Any) -> Any:
        return getattr(x, name)(*args, **keywords)

    return to_value(now, python_result(now, called, x, args, keywords))


def _joined(now: Now, *parts: str) -> str:
    return "".join(parts)


def _shown(now: Now, function: Callable[..., str], *operands: Any) -> str:
    """Return a text that Python makes of operands; raise RunError if an address is in it."""
    text = python_result(now, function, *operands)
    if operands and type(operands[0]) not in PLAIN and _ADDRESS.search(text):
        raise RunError(
            f"the text of {an(class_of(operands[0]).__name__)} has an address in it, which is another one in "
            f"each run: give its class a __repr__, or print its attributes"
        )
    return str(text)


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+>")


def _str(now: Now, *operands: Any) -> str:
    return _shown(now, str, *operands)


def _repr(now: Now, x: Any) -> str:
    return _shown(now, repr, x)


def _format(now: Now, x: Any, *spec: Any) -> str:
    return _shown(now, format, x, *spec)


def _hash(now: Now, x: Any) -> int:
    """Return hash(x); raise RunError where Python's is an address."""
    pending = [x]
    while pending:
        part = pending.pop()
        if is_tuple(part):
            pending.extend(part.items)
        elif type(part) not in (*NATIVES, *NUMBERS) and type(part) not in PLAIN and _is_by_address(now, part):
            raise RunError(
                f"the hash of {an(class_of(part).__name__)} is its address, which is another one in each "
                f"run: use a number or a text of it"
            )
    return int(python_result(now, hash, x))


def _is_by_address(now: Now, x: Any) -> bool:
    """Return whether Python's hash of an object is its address; raise TypeError if it has none."""
    python_result(now, hash, x)
    return class_of(x).__hash__ in (object.__hash__, type(_is_by_address).__hash__)


rearrange("str", ANY_NUMBER, "str(x)", _str, (str,), discrete=True)
rearrange("repr", 1, "repr(x)", _repr, (repr,), discrete=True)
rearrange("ascii", 1, "ascii(x)", lambda now, x: python_result(now, ascii, x), (ascii,))
rearrange("format", ANY_NUMBER, "format(x, spec)", _format, (format,), discrete=True)


def _print_text(now: Now, value: Any, name: str, default: str) -> str:
    """Return `sep` or `end` of `print`; raise Python's error for what is no text."""
    if value is None:
        return default
    if type(value) is not str:
        raise TypeError(f"{name} must be None or a string, not {class_name(value)}")
    return value


rearrange("print-text", 3, "sep or end of print: it, its name, its default", _print_text, discrete=True)
rearrange("joined", ANY_NUMBER, "the strings one after another", _joined, discrete=True)
rearrange("text-method", ANY_NUMBER, "a method of a string: the string, the name, arguments", _call)
rearrange("text-call", 4, "the same with the tuple of arguments and the dictionary of keywords", _call_with)
rearrange("number-method", ANY_NUMBER, "a method of a number: the number, the name, arguments", _call)
rearrange("hash", 1, "hash(x)", _hash, (hash,), discrete=True)
by_python("ord", 1, "ord(x)", ord)
by_python("chr", 1, "chr(x)", chr)
by_python("hex", 1, "hex(x)", hex)
by_python("bin", 1, "bin(x)", bin)
by_python("oct", 1, "oct(x)", oct)


def _print(effects: Effects, step: int, text: str, end: str) -> None:
    effects.write(step, native(text), native(end))


register(
    Effect(
        name="py.print",
        arity=2,
        purity=Purity.EFFECT,
        doc="write a text, and what ends it",
        failures=PYTHON_FAILURES,
        value=_print,
        copies=False,
    )
)
