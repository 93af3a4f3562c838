"""`print` to objects, and sys.stdout and sys.stderr as values, written in the language that is translated."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

STREAMS = frozenset(("stdout", "stderr"))  # the attributes of `sys` that are values of a run


def print_(*values: Any, sep: Any = None, end: Any = None, file: Any = None, flush: Any = False) -> Any:
    """See builtins.print, where it is a value, as in `log=print`, or writes to an object."""
    if file is None:
        print(*values, sep=sep, end=end)
        return
    for i, value in enumerate(values):
        if i > 0:
            file.write(" " if sep is None else sep)
        file.write(str(value))
    file.write("\n" if end is None else end)
    if flush:
        file.flush()


class Stream:
    """See sys.stdout and sys.stderr: a text that is written there is printed. name: which of them it is."""

    def __init__(self, name: Any) -> None:
        self.name = name

    def write(self, text: Any, /) -> Any:
        """See io.TextIOBase.write."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.name == "stderr":
            print(text, end="", file=sys.stderr)
        else:
            print(text, end="")
        return len(text)

    def writelines(self, lines: Any, /) -> Any:
        """See io.IOBase.writelines."""
        for line in lines:
            self.write(line)

    def flush(self) -> Any:
        """Do nothing: what a run prints is not held back."""


def stream(name: Any) -> Any:
    """Return sys.stdout or sys.stderr."""
    return Stream(name)


FUNCTIONS: dict[Any, Callable[..., Any]] = {builtins.print: print_}
