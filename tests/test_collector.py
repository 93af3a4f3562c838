"""Tests that what pauses Python's garbage collector leaves it as it was."""

from __future__ import annotations

import gc

import pytest

from checkpoint import collector
from checkpoint.collector import Paused


def test_contexts_nest() -> None:
    with Paused():
        assert not gc.isenabled()
        with Paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_stays_disabled_where_it_was() -> None:
    gc.disable()
    try:
        with Paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


class EndsMeanwhile:
    """The module gc, of which another thread ends its pause just after this one has asked it."""

    disable, enable = staticmethod(gc.disable), staticmethod(gc.enable)

    def __init__(self, other: Paused) -> None:
        self.other = other

    def isenabled(self) -> bool:
        found = gc.isenabled()
        self.other.__exit__()
        return found


def test_a_pause_of_another_thread_may_end_while_one_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Paused()
    other.__enter__()
    monkeypatch.setattr(collector, "gc", EndsMeanwhile(other))
    try:
        with Paused():
            pass
        assert gc.isenabled()
    finally:
        gc.enable()
