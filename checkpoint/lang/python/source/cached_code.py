"""The code that Python has for a file, as its import system finds it.

Another patch release of Python may have written the cache (`__pycache__`) from which a module was imported:
all of one minor release share it, and their compilers differ in places of instructions, and here and there in
instructions. So code that the running compiler does not make of a text may still be that text's. Python's own
check of a cache against its file, by time and size or by content, tells; as that time is in seconds, the file
must be older than the cache, too.
"""

import os
import warnings
from collections.abc import Iterable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source
from types import CodeType
from typing import Any


class _Reader(SourceFileLoader):
    """Reads the code of a file from the cache, or compiles it; writes no cache."""

    def set_data(self, *args: Any, **named: Any) -> None:
        """Write nothing: what is read here is not imported."""


def cached_codes(name: str, text: str) -> frozenset[CodeType]:
    """Return every code object in Python's cache of a file; none if the file is newer, or not this text."""
    loader = _Reader("<text>", name)
    try:
        if not _is_older(name) or _ended(loader.get_source("<text>") or "") != _ended(text):
            return frozenset()
        with warnings.catch_warnings():  # Python has already warned when it compiled the file
            warnings.simplefilter("ignore", SyntaxWarning)
            code = loader.get_code("<text>")
    except (ImportError, OSError, SyntaxError, ValueError, EOFError):
        return frozenset()
    return frozenset(codes_in((code,)))


def _is_older(name: str) -> bool:
    """Return whether a file is older than its cache; from an archive, in whole seconds, it may be as old."""
    written, cached = os.stat(name).st_mtime_ns, os.stat(cache_from_source(name)).st_mtime_ns
    return written < cached or (written == cached and written % 10**9 == 0)


def _ended(text: str) -> str:
    """Return a text that ends with a newline, as linecache has it."""
    return text if text.endswith("\n") else text + "\n"


def codes_in(constants: Iterable[object]) -> Iterator[CodeType]:
    """Yield every code object among some constants, and in those."""
    for constant in constants:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_in(constant.co_consts)
