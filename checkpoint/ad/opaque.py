"""Objects of Python that programs hold as they are, and Python computes with: loggers, dates, fractions.

In: any object. Out: whether it is one of these. Such an object is constant and holds no reals. In programs it
is a Native. The classes are known by their modules, which need not be imported for it.
"""

from __future__ import annotations

import logging
from typing import Any

# Modules with classes of objects that never change, and the names of these.
_CONSTANT: dict[str, frozenset[str]] = {
    "datetime": frozenset(("date", "datetime", "time", "timedelta", "timezone")),
    "zoneinfo": frozenset(("ZoneInfo",)),
    "fractions": frozenset(("Fraction",)),
    "decimal": frozenset(("Decimal",)),
    "pathlib": frozenset(
        ("Path", "PosixPath", "WindowsPath", "PurePath", "PurePosixPath", "PureWindowsPath")
    ),
    "re": frozenset(("Pattern", "Match")),
    "uuid": frozenset(("UUID",)),
}

# Methods of these objects, beside those that strings and numbers have, too.
METHODS = frozenset(
    (
        *("total_seconds", "isoformat", "strftime", "date", "time", "timetz", "weekday", "isoweekday"),
        *("isocalendar", "timestamp", "toordinal", "astimezone", "utcoffset", "tzname", "dst", "ctime"),
        *("limit_denominator", "quantize", "to_integral_value", "normalize", "is_nan", "is_finite"),
        *("joinpath", "with_suffix", "with_name", "with_stem", "relative_to", "is_absolute", "as_posix"),
        *("match", "search", "fullmatch", "findall", "sub", "group", "groups", "groupdict", "span", "end"),
    )
)


def is_constant(cls: type) -> bool:
    """Return whether the instances of a class never change, so that Python may compute with them."""
    return cls.__name__ in _CONSTANT.get(cls.__module__, ())


def is_opaque(value: Any) -> bool:
    """Return whether programs hold an object as it is."""
    return is_constant(type(value)) or isinstance(value, logging.Logger)


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
