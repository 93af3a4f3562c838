"""The limit of recursion is the program's own again when the last translation ends, whichever began first."""

from __future__ import annotations

import sys

from checkpoint.recursion import ROOM, recursion_room


def test_contexts_of_threads_overlap() -> None:
    before = sys.getrecursionlimit()
    first, second = recursion_room(), recursion_room()
    first.__enter__()
    assert sys.getrecursionlimit() == ROOM
    second.__enter__()
    first.__exit__(None, None, None)
    assert sys.getrecursionlimit() == ROOM
    second.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before


def test_contexts_nest() -> None:
    before = sys.getrecursionlimit()
    with recursion_room():
        with recursion_room():
            assert sys.getrecursionlimit() == ROOM
        assert sys.getrecursionlimit() == ROOM
    assert sys.getrecursionlimit() == before
