"""Files that are read, texts that are read and written like files, csv, and what is printed.

A file is a hidden input: its whole text is read once, when the call of `open` is first executed, and is the
same wherever a part of the run is run again. This is written in the language that is translated.
"""

from __future__ import annotations

import builtins
import csv
import io
import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.actions import csv_rows, read_file
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.iterators import collected

STREAMS = frozenset(("stdout", "stderr"))  # the attributes of `sys` that are values of a run
_WRITES = "`open` for writing cannot be differentiated: return what is to be written, and write it outside"


class TextIOWrapper:
    """See open: a file that is read. text: its text, or bytes. at: how much of it has been read."""

    def __init__(self, text: Any, name: Any, mode: Any) -> None:
        self.text = text
        self.at = 0
        self.name = name
        self.mode = mode
        self.closed = False

    def _check(self) -> Any:
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def read(self, size: Any = -1, /) -> Any:
        """See io.TextIOBase.read."""
        self._check()
        start = self.at
        self.at = len(self.text) if size is None or size < 0 else min(start + size, len(self.text))
        return self.text[start : self.at]

    def readline(self, size: Any = -1, /) -> Any:
        """See io.TextIOBase.readline."""
        self._check()
        start = self.at
        found = self.text.find("\n" if isinstance(self.text, str) else b"\n", start)
        end = len(self.text) if found < 0 else found + 1
        self.at = end if size is None or size < 0 else min(end, start + size)
        return self.text[start : self.at]

    def readlines(self, hint: Any = -1, /) -> Any:
        """See io.IOBase.readlines."""
        found = []
        line = self.readline()
        while line:
            found.append(line)
            line = self.readline()
        return found

    def seek(self, offset: Any, whence: Any = 0, /) -> Any:
        """See io.IOBase.seek; from the beginning, or to the end."""
        self._check()
        if whence == 0:
            self.at = min(offset, len(self.text))
        else:
            if whence != 2 or offset != 0:
                raise io.UnsupportedOperation("can't do nonzero end-relative seeks")
            self.at = len(self.text)
        return self.at

    def tell(self) -> Any:
        """See io.IOBase.tell."""
        self._check()
        return self.at

    def readable(self) -> Any:
        """See io.IOBase.readable."""
        return True

    def close(self) -> Any:
        """See io.IOBase.close."""
        self.closed = True

    def __iter__(self) -> Any:
        self._check()
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self) -> Any:
        self._check()
        return self

    def __exit__(self, *exc_info: Any) -> Any:
        self.closed = True


class StringIO(TextIOWrapper):
    """See io.StringIO."""

    def __init__(self, initial_value: Any = "", newline: Any = "\n") -> None:
        self.text = "" if initial_value is None else initial_value
        self.at = 0
        self.closed = False

    def write(self, s: Any, /) -> Any:
        """See io.StringIO.write."""
        self._check()
        self.text = self.text[: self.at] + s + self.text[self.at + len(s) :]
        self.at += len(s)
        return len(s)

    def getvalue(self) -> Any:
        """See io.StringIO.getvalue."""
        self._check()
        return self.text


def open_(
    file: Any,
    mode: Any = "r",
    buffering: Any = -1,
    encoding: Any = None,
    errors: Any = None,
    newline: Any = None,
) -> Any:
    """See builtins.open; for reading."""
    if not set(mode) <= {"r", "t", "b"}:
        prim("py.refuse", _WRITES)
    return TextIOWrapper(read_file(file, mode, encoding, errors, newline), file, mode)


# Tables


class _reader:
    """See csv.reader."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.line_num = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.line_num >= len(self.rows):
            raise StopIteration
        self.line_num += 1
        return self.rows[self.line_num - 1]


def reader(csvfile: Any, dialect: Any = "excel", /, **fmtparams: Any) -> Any:
    """See csv.reader; line_num counts rows."""
    return _reader(csv_rows(collected(csvfile), dialect, fmtparams))


class DictReader:
    """See csv.DictReader."""

    def __init__(
        self,
        f: Any,
        fieldnames: Any = None,
        restkey: Any = None,
        restval: Any = None,
        dialect: Any = "excel",
        **kwds: Any,
    ) -> None:
        self.reader = reader(f, dialect, **kwds)
        self.restkey = restkey
        self.restval = restval
        self.fieldnames = next(self.reader, None) if fieldnames is None else list(fieldnames)

    @property
    def line_num(self) -> Any:
        """See csv.DictReader.line_num."""
        return self.reader.line_num

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        row = next(self.reader)
        while not row:
            row = next(self.reader)
        names: Any = self.fieldnames
        found = {}
        for i in range(len(names)):
            found[names[i]] = row[i] if i < len(row) else self.restval
        if len(row) > len(names):
            found[self.restkey] = row[len(names) :]
        return found


def json_load(fp: Any) -> Any:
    """See json.load."""
    import json  # noqa: PLC0415  (whoever calls this has it)

    return json.loads(fp.read())


def of_json() -> dict[Any, Callable[..., Any]]:
    """Return what stands for functions of json."""
    import json  # noqa: PLC0415  (it is loaded)

    return {json.load: json_load}


# What is printed


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


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    builtins.open: open_,
    builtins.print: print_,
    csv.reader: reader,
}
