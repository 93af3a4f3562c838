"""Texts for constants that are the same in every process: without addresses, paths and places in files.

In: an atom of the language, or a Python object that a program holds. Out: a text that tells it from others of
its kind, for fingerprints that leave the process (checkpoint.lang.origins, checkpoint.durable). Objects that
have no such text are named by their class alone; who compares within one process compares them as well.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from checkpoint import hashing
from checkpoint.ad.attributes import stored
from checkpoint.ad.containers import Layout, Types
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Failure, Foreign, Symbol, Unusable

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_MAIN = frozenset(("__main__", "__mp_main__"))  # the second is the first, in a process that was spawned
_ORDERED = frozenset((type(None), bool, int, str, bytes, Symbol, range, complex))


def module_name(name: object) -> str:
    """Return the name of a module, the same in all processes that run one script."""
    return "__main__" if name in _MAIN else str(name)


def qualified(thing: Any) -> str:
    """Return the name of a class or function with that of its module.

    >>> import fractions
    >>> qualified(fractions.Fraction)
    'fractions:Fraction'
    """
    name = stored(thing, "__qualname__") or stored(thing, "__name__") or type(thing).__name__
    return f"{module_name(stored(thing, '__module__'))}:{name}"


def constant_text(value: Any) -> str:
    """Return the text of an atom, or of an object that a program holds."""
    kind = type(value)
    if kind is Layout:
        return f"layout {qualified(value.cls)} {value.names!r}"
    if kind is Types:
        return f"types {' '.join(map(qualified, value.classes))}"
    if kind is Foreign:
        return f"primitive {object_text(value.value)} {object_text(value.vjp)} {object_text(value.jvp)}"
    if kind is Unusable:
        return f"object {object_text(value.thing)}"
    if kind is Failure:
        return f"failure {type(value.exception).__name__} {value.text!r}"
    return f"{kind.__name__} {object_text(value.value if kind in NATIVES else value)}"


def object_text(thing: Any) -> str:
    """Return the text of a Python object.

    >>> object_text(frozenset(("b", "a")))
    "frozenset('a', 'b')"
    >>> object_text(object())
    '<object object>'
    """
    if thing is None or type(thing) in _ORDERED:
        return repr(thing)
    if type(thing) is float:
        return f"real {struct.pack('<d', thing).hex()}"
    if isinstance(thing, type):
        return f"class {qualified(thing)}"
    if isinstance(thing, ModuleType):
        return f"module {module_name(thing.__name__)}"
    if isinstance(thing, MethodType):
        return f"method {object_text(thing.__func__)}"
    if isinstance(thing, FunctionType):
        return f"function {qualified(thing)} {digest_of_code(thing.__code__).hex()}"
    if isinstance(thing, BuiltinFunctionType):
        return f"function {qualified(thing)}"
    if type(thing) in (set, frozenset):
        return f"{type(thing).__name__}({', '.join(sorted(map(object_text, thing)))})"
    if type(thing) in (tuple, list):
        return f"{type(thing).__name__}({', '.join(map(object_text, thing))})"
    # Stubs of functions, for one, write as their names, and show all that is known of them.
    shown = str(thing) if type(thing).__module__.startswith("checkpoint.") else repr(thing)
    return _ADDRESS.sub("", shown)


def digest_of_code(code: CodeType) -> bytes:
    """Return a hash of what a function of Python does, without its place in a file.

    It holds for one version of Python, whose instructions these are.
    """
    digest = hashing.digest(size=16)
    pending = [code]
    while pending:
        each = pending.pop()
        names = (each.co_names, each.co_varnames, each.co_freevars, each.co_cellvars)
        digest.update(repr((names, each.co_argcount, each.co_kwonlyargcount, each.co_flags)).encode())
        digest.update(each.co_code)
        digest.update("".join(_texts(each.co_consts, pending)).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _texts(constants: Iterable[Any], codes: list[CodeType]) -> list[str]:
    """Return the texts of a code's constants; codes among them are appended to `codes`."""
    found = []
    for constant in constants:
        if isinstance(constant, CodeType):
            codes.append(constant)
            found.append(f"code {constant.co_name};")
        else:
            found.append(f"{object_text(constant)};")
    return found
