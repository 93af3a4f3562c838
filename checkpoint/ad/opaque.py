"""Objects of Python that programs hold and pass on as they are, and that Python computes with.

In: any object. Out: whether it is of one of these classes. Such an object is constant and holds no reals: a
logger, a path, a date. In programs it is a Native.
"""

from __future__ import annotations

import logging
from typing import Any

CLASSES: tuple[type, ...] = (logging.Logger,)


def is_opaque(value: Any) -> bool:
    """Return whether programs hold an object as it is."""
    return isinstance(value, CLASSES)


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
