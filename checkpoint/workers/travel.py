"""What travels to a worker process: values as bytes, with the texts that translations of functions need.

Functions that can be imported go by their names, as pickle has it. Others, of a notebook or defined within
functions, go by cloudpickle, with their code as it is and the texts of what the other process has no file of.
What always holds: bytes are read by processes that the writer has started or chosen, with the same Python.
"""

from __future__ import annotations

import io
import linecache
import marshal
import os
import pickle
import sys
from contextlib import suppress
from importlib import import_module
from types import CodeType
from typing import Any

from checkpoint.errors import RunError

_FAILURES = (pickle.PicklingError, AttributeError, TypeError)
Texts = dict[str, list[str]]  # lines, by the name of a file that there is not


def pickled(value: Any, has_main: bool = False) -> bytes:
    """Return a value as bytes; RunError where it cannot travel.

    has_main: whether the other process has this one's main module under its name, if that is a file.
    """
    with suppress(*_FAILURES):
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        if b"__main__" not in data or (has_main and hasattr(sys.modules["__main__"], "__file__")):
            return pickle.dumps((data, {}))
    try:
        return pickle.dumps(_with_texts(value, has_main))
    except _FAILURES as error:
        raise RunError(
            f"a worker process cannot be given this: {error}; use checkpoint.workers.Threads"
        ) from error


def unpickled(data: bytes) -> Any:
    """Return the value of bytes that the process which started this one has made."""
    inner, texts = pickle.loads(data)
    for name, lines in texts.items():
        linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    return pickle.loads(inner)


def _with_texts(value: Any, has_files: bool) -> tuple[bytes, Texts]:
    """Return a value with functions by value, and the texts of these."""
    texts: Texts = {}
    written = io.BytesIO()

    class ByValue(_cloudpickle().Pickler):  # type: ignore[misc]  # known when it runs
        def reducer_override(self, obj: Any) -> Any:
            if type(obj) is not CodeType:
                return super().reducer_override(obj)
            if not (has_files and os.path.exists(obj.co_filename)):
                texts[obj.co_filename] = linecache.getlines(obj.co_filename)
            return marshal.loads, (marshal.dumps(obj),)

    ByValue(written).dump(value)
    return written.getvalue(), texts


def _cloudpickle() -> Any:
    try:
        return import_module("cloudpickle")
    except ImportError:
        raise RunError(
            "functions of a notebook, and those that are defined within others, reach worker processes by "
            "cloudpickle: pip install cloudpickle, or define them in a module, or use "
            "checkpoint.workers.Threads"
        ) from None
