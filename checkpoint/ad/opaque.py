"""Objects of Python that programs hold as they are, and Python computes with: loggers, dates, tables.

In: any object. Out: whether it is one of these. Such an object is constant and holds no reals. In programs it
is a Native. The classes are known by their modules, which need not be imported for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from checkpoint.ad import tables
from checkpoint.ad.arrays import Memory, array_of
from checkpoint.dataclass import dataclass
from checkpoint.errors import RunError


@dataclass(frozen=True)
class LibraryOperator:
    """A function of a library of arrays whose derivatives the library computes; shown: its name."""

    function: Callable[..., Any]
    shown: str

    def __repr__(self) -> str:
        return self.shown


_PATHS = frozenset(("Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath"))
# Modules with classes of objects that never change, and the names of these.
_CONSTANT: dict[str, frozenset[str]] = {
    "datetime": frozenset(("date", "datetime", "time", "timedelta", "timezone", "IsoCalendarDate")),
    "zoneinfo": frozenset(("ZoneInfo",)),
    "fractions": frozenset(("Fraction",)),
    "decimal": frozenset(("Decimal",)),
    "pathlib": _PATHS,
    "pathlib._local": _PATHS,  # of Python 3.13
    "re": frozenset(("Pattern", "Match")),
    "string": frozenset(("Template", "Formatter")),
    "time": frozenset(("struct_time",)),
    "dataclasses": frozenset(("Field",)),
    "inspect": frozenset(("Signature", "Parameter")),
    "uuid": frozenset(("UUID",)),
    "torch": frozenset(("device",)),
    "checkpoint.ad.twister": frozenset(("Block",)),
    "numpy": frozenset(("void", "record", "recarray", "str_", "bytes_", "datetime64", "timedelta64")),
}

constants: set[type] = set()  # more such classes, of this package

# Methods of these objects, beside those that strings and numbers have, too.
METHODS = frozenset(
    (
        *("total_seconds", "isoformat", "strftime", "date", "time", "timetz", "weekday", "isoweekday"),
        *("isocalendar", "timestamp", "toordinal", "astimezone", "utcoffset", "tzname", "dst", "ctime"),
        *("limit_denominator", "quantize", "to_integral_value", "normalize", "is_nan", "is_finite"),
        *("joinpath", "with_suffix", "with_name", "with_stem", "relative_to", "is_absolute", "as_posix"),
        *("match", "search", "fullmatch", "findall", "sub", "group", "groups", "groupdict", "span", "end"),
        *("to_numpy", "groupby", "rolling", "expanding", "ewm", "resample", "dropna", "fillna", "isna"),
        *("notna", "reset_index", "set_index", "sort_values", "sort_index", "head", "tail", "query"),
        *("value_counts", "unique", "nunique", "pct_change", "shift", "iterrows", "itertuples", "to_list"),
        *("select_dtypes", "drop", "rename", "merge", "agg", "corr", "describe", "quantile", "median"),
    )
)


_LEAVES = frozenset((type(None), str, bytes))  # of arrays of objects


@cache
def methods() -> frozenset[str]:
    """Return the names of all public methods of these objects, but those of packages outside of Python."""
    import datetime  # noqa: PLC0415  # needed where a method is met that nothing else has
    import decimal  # noqa: PLC0415
    import fractions  # noqa: PLC0415
    import pathlib  # noqa: PLC0415
    import re  # noqa: PLC0415
    import string  # noqa: PLC0415
    import uuid  # noqa: PLC0415

    found: set[str] = set()
    for module in (datetime, decimal, fractions, pathlib, re, string, uuid):
        classes = [getattr(module, name, None) for name in _CONSTANT[module.__name__]]
        found.update(name for cls in classes for name in dir(cls) if callable(getattr(cls, name)))
    return frozenset(name for name in found if not name.startswith("_"))


def is_constant(cls: type) -> bool:
    """Return whether the instances of a class never change, so that Python may compute with them."""
    module = cls.__module__
    if module in _CONSTANT:
        return cls.__name__ in _CONSTANT[module]
    return tables.is_of_pandas(cls) or cls in constants


def is_opaque(value: Any) -> bool:
    """Return whether programs hold an object as it is."""
    return is_constant(type(value)) or is_logger(value) or _is_of_records(value)


def is_logger(value: Any) -> bool:
    """Return whether an object is a logger of Python's, which a process that logs nothing need not load."""
    return any(base.__module__ == "logging" and base.__name__ == "Logger" for base in type(value).__mro__)


def _is_of_records(value: Any) -> bool:
    """Return whether an object is an array of NumPy with fields, texts, dates or None in place of numbers."""
    kind = type(value)
    if kind.__module__ != "numpy" or kind.__name__ != "ndarray":
        return False
    return value.dtype.kind in "VSUMm" or (
        value.dtype.kind == "O" and _LEAVES.issuperset(map(type, value.flat))
    )


def array_or_held(data: Any, memory: Memory) -> Any:
    """Return a library's new array as a value; one of texts or None is held as it is."""
    try:
        return array_of(data, memory)
    except RunError:
        if is_opaque(data):
            return tables.held(data)
        raise


# Modules whose objects stand for what is outside of a program: files, threads, processes, what is logged.
_OF_MACHINE = frozenset(
    [
        *("asyncio", "concurrent", "contextvars", "multiprocessing", "queue", "subprocess", "threading"),
        *("http", "io", "logging", "selectors", "socket", "sqlite3", "ssl", "tempfile", "urllib", "weakref"),
    ]
)


def is_of_machine(cls: type) -> bool:
    """Return whether the objects of a class stand for what is outside of a program."""
    return cls.__module__.partition(".")[0] in _OF_MACHINE
