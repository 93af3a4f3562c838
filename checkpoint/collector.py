"""Python's cyclic garbage collector, which waits while tapes, translations or many handles are made.

A tape only grows, then only shrinks, and holds no cycle; what a translation makes is kept. The collector
would walk all of it, again and again.
"""

from __future__ import annotations

import gc


class Paused:
    """A context in which the collector does not run; it is enabled again at exit if it was before.

    Threads share the collector: only who has found it enabled disables it, so that however their contexts
    overlap, whoever has disabled it enables it again. One that ends early has it run in the others.
    """

    __slots__ = ("enabled",)

    def __enter__(self) -> None:
        self.enabled = gc.isenabled()
        if self.enabled:
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            gc.enable()
