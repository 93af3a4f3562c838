"""Python's limit of recursion, raised while programs are translated.

What always holds: threads share the limit. It is raised while any of them is in such a context, and when the
last one ends, it is what it was before the first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from checkpoint.locks import hold_at_fork

ROOM = 20_000  # Python frames that a translation may need, for functions of thousands of statements

_lock = Lock()
hold_at_fork(_lock)
_found: list[int] = []  # the limit before each context that is open now; that of the first is the program's


@contextmanager
def recursion_room() -> Iterator[None]:
    """Let Python recurse deeper in this context: the translation of a statement nests what follows it."""
    with _lock:
        _found.append(_found[0] if _found else sys.getrecursionlimit())
        sys.setrecursionlimit(max(_found[0], ROOM))
    try:
        yield
    finally:
        with _lock:
            before = _found.pop()
            if not _found:
                sys.setrecursionlimit(before)
