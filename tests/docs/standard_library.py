"""The table of docs/guide/standard-library.md: `python -m tests.docs.standard_library` prints it.

A name is supported if a program may call it: a primitive implements it, a library function stands for it, or
a rule of the front end translates it.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from checkpoint.ad.opaque import is_constant
from checkpoint.lang.python.calls import outside, statics
from checkpoint.lang.python.control import endless
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.library.stand_ins import STANDING
from checkpoint.lang.python.source.members import why_not_made

MODULES = (
    *("math", "statistics", "itertools", "functools", "operator", "collections", "heapq", "bisect", "copy"),
    *(
        "random",
        "dataclasses",
        "typing",
        "contextlib",
        "string",
        "textwrap",
        "re",
        "json",
        "csv",
        "io",
        "warnings",
    ),
    *("logging", "time", "datetime", "fractions", "decimal", "pathlib", "os", "os.path", "gc"),
)
# Names that a program's module uses, not the program; nobody asks whether a program may call them.
AROUND = {
    "functools": {
        *("cmp_to_key", "total_ordering", "partialmethod", "cached_property"),
        *("singledispatch", "singledispatchmethod"),
    },
    "dataclasses": {"dataclass", "field", "make_dataclass", "Field", "InitVar", "FrozenInstanceError"},
}
SHORT = {
    "typing",
    "contextlib",
    "os",
    "time",
    "logging",
    "warnings",
    "gc",
    "random",
    "json",
    "re",
    "string",
    "csv",
    "io",
}


def names_of(module: Any) -> list[str]:
    """Return the public functions and classes of a module that programs may want to call."""
    own = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    found = [name for name in own if callable(getattr(module, name, None))]
    around = AROUND.get(module.__name__, set())
    return sorted(name for name in found if name not in around and not _is_exception(getattr(module, name)))


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def is_supported(value: Any) -> bool:
    """Return whether a program may call an object."""
    try:
        hash(value)
    except TypeError:
        return False
    if statics.primitive_records(value) or tables.always_standing_for(value) or value in statics.SPECIAL:
        return True
    if isinstance(value, type):
        is_opened = tables.is_opened(value) and why_not_made(value) is None
        return is_constant(value) or value in endless.KNOWN or value in STANDING or is_opened
    return outside.is_known(value) or (inspect.isfunction(value) and tables.is_opened(value))


def row(name: str) -> str:
    """Return the row of a module."""
    module = importlib.import_module(name)
    public = names_of(module)
    supported = [each for each in public if is_supported(getattr(module, each))]
    missing = [] if name in SHORT else [each for each in public if each not in supported]
    return f"| `{name}` | {', '.join(supported) or '-'} | {', '.join(missing) or '-'} |"


def table() -> str:
    """Return the table, in Markdown."""
    return "\n".join(["| module | supported | not yet |", "| --- | --- | --- |", *map(row, MODULES)]) + "\n"


if __name__ == "__main__":
    print(table(), end="")
