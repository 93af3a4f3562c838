"""Python's cyclic garbage collector, while a tape is written or read.

A tape only grows, then only shrinks, and holds no cycle; the collector would walk all of it, again and again.
"""

from __future__ import annotations

import gc


class Paused:
    """Within, the collector does not run; afterwards it does if it did before."""

    __slots__ = ("enabled",)

    def __enter__(self) -> None:
        self.enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            gc.enable()
