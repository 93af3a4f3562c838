"""Primitives of strings: values as text, and the methods of strings and numbers."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.record import PYTHON_FAILURES, Effect, Purity, register
from checkpoint.ad.storage import Now
from checkpoint.driver.effects import Effects
from checkpoint.prims.python.native import native
from checkpoint.prims.python.support import ANY_NUMBER, by_python, python_result, rearrange, to_value


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


def _str(now: Now, *operands: Any) -> str:
    text: str = python_result(now, str, *operands)
    return text


def _repr(now: Now, x: Any) -> str:
    text: str = python_result(now, repr, x)
    return text


def _format(now: Now, x: Any, *spec: Any) -> str:
    text: str = python_result(now, format, x, *spec)
    return text


rearrange("str", ANY_NUMBER, "str(x)", _str, (str,), discrete=True)
rearrange("repr", 1, "repr(x)", _repr, (repr,), discrete=True)
rearrange("ascii", 1, "ascii(x)", lambda now, x: python_result(now, ascii, x), (ascii,))
rearrange("format", ANY_NUMBER, "format(x, spec)", _format, (format,), discrete=True)
rearrange("joined", ANY_NUMBER, "the strings one after another", _joined, discrete=True)
rearrange("text-method", ANY_NUMBER, "a method of a string: the string, the name, arguments", _call)
rearrange("text-call", 4, "the same with the tuple of arguments and the dictionary of keywords", _call_with)
rearrange("number-method", ANY_NUMBER, "a method of a number: the number, the name, arguments", _call)
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
