"""What programs may do to the world outside, as Python itself does it: once, for py.perform.

These are not translated. calls/outside.py says which of Python's functions they do the work of.
"""

from __future__ import annotations

import contextlib
import csv
import sys
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging

_registries: dict[str, dict[Any, Any]] = {}  # by file, which places have warned, as modules keep it


def warn(file: str, line: int, message: Any, category: Any = None, stacklevel: int = 1) -> None:
    """Warn as warnings.warn does, at a place of the program."""
    if isinstance(message, Warning):
        category = type(message)
    category = UserWarning if category is None else category
    if not (isinstance(category, type) and issubclass(category, Warning)):
        name = type(category).__name__
        raise TypeError(f"category must be a Warning subclass, not '{name}'")
    registry = _registries.setdefault(file, {})
    warnings.warn_explicit(message, category, file, line, registry=registry)


def log(
    place: tuple[str, int, str],
    logger: logging.Logger | None,
    level: int,
    message: Any,
    *args: Any,
    exc_info: Any = None,
    stack_info: bool = False,
    stacklevel: int = 1,
    extra: Any = None,
) -> None:
    """Log as a logger does, at a place of the program; None: the root logger, which is set up if need be.

    A traceback is not reported (exc_info): the calls of a program are not those of Python.
    """
    import logging  # noqa: PLC0415  (few programs log)

    file, line, function = place
    if logger is None:
        logger = logging.getLogger()
        if not logger.handlers:
            logging.basicConfig()
    if not isinstance(level, int):
        if logging.raiseExceptions:
            raise TypeError("level must be an integer")
        return
    if logger.isEnabledFor(level):
        record = logger.makeRecord(logger.name, level, file, line, message, args, None, function, extra)
        logger.handle(record)


def read_file(file: Any, mode: str, encoding: Any, errors: Any, newline: Any) -> str | bytes:
    """Return the whole of a file, as `open` reads it."""
    with open(file, mode, encoding=encoding, errors=errors, newline=newline) as opened:
        return opened.read()  # type: ignore[no-any-return]


def csv_rows(lines: list[str], dialect: Any, options: dict[str, Any]) -> list[list[Any]]:
    """Return the rows that csv.reader makes of lines."""
    return list(csv.reader(lines, dialect, **options))


def write(stream: str, text: str, end: str) -> None:
    """Write a text and its end to sys.stdout or sys.stderr, as these are by now."""
    target = getattr(sys, stream)
    if target is not None:
        target.write(text + end)
        with contextlib.suppress(AttributeError):
            target.flush()
