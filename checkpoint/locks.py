"""Locks that a process may be forked around.

In: a lock. What always holds: no other thread is within such a lock while a process is forked, so in the
child, which has the forking thread alone, the lock is free. Where one lock is taken within another, the inner
one is registered first: those registered last are taken first.
"""

from __future__ import annotations

import os
from typing import Protocol


class Lock(Protocol):
    """A Lock or RLock of `threading`."""

    def acquire(self) -> bool: ...
    def release(self) -> None: ...


def hold_at_fork(lock: Lock) -> None:
    """Have a process be forked only while no other thread holds a lock."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
