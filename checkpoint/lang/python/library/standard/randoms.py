"""The class of random, written in the language that is translated; its state is in the run.

An object of it stands for a random.Random inside of programs. It draws from a block of numbers
(checkpoint.ad.twister); what it makes of them is Python's own text, so the distributions have derivatives by
their parameters, at fixed numbers.
"""

from __future__ import annotations

import sys
from random import Random as OfPython
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


class Random:
    """See random.Random.

    block, position: where the next number is. gauss_next: as in Python.
    """

    block: Any
    position: Any
    gauss_next: Any

    def __init__(self, x: Any = None) -> None:
        self.seed(x)

    def seed(self, a: Any = None, version: Any = 2) -> Any:
        """See random.Random.seed."""
        self._start(prim("py.random-seed", a, version))

    def _start(self, parts: Any) -> Any:
        self.block = parts[0]
        self.position = parts[1]
        self.gauss_next = parts[2]

    def getstate(self) -> Any:
        """See random.Random.getstate."""
        return prim("py.random-state", self.block, self.position, self.gauss_next)

    def setstate(self, state: Any) -> Any:
        """See random.Random.setstate."""
        self._start(prim("py.random-from", state))

    def random(self) -> Any:
        """See random.Random.random."""
        if self.position > 622:
            first = self._word() >> 5
            return (first * 67108864.0 + (self._word() >> 6)) * (1.0 / 9007199254740992.0)
        real = prim("py.random-real", self.block, self.position)
        self.position += 2
        return real

    def _word(self) -> Any:
        """Return the next 32 bits."""
        if self.position == 624:
            self.block = prim("py.random-next", self.block)
            self.position = 0
        word = prim("py.random-word", self.block, self.position)
        self.position += 1
        return word

    def getrandbits(self, k: Any, /) -> Any:
        """See random.Random.getrandbits."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        bits = 0
        place = 0
        while place + 32 <= k:
            bits = bits | (self._word() << place)
            place += 32
        if place < k:
            bits = bits | ((self._word() >> (32 - (k - place))) << place)
        return bits

    _randbelow = OfPython._randbelow_with_getrandbits  # type: ignore[attr-defined]  # not public
    randrange = OfPython.randrange
    randint = OfPython.randint
    choice = OfPython.choice
    shuffle = OfPython.shuffle
    sample = OfPython.sample
    choices = OfPython.choices
    uniform = OfPython.uniform
    triangular = OfPython.triangular
    normalvariate = OfPython.normalvariate
    gauss = OfPython.gauss
    lognormvariate = OfPython.lognormvariate
    expovariate = OfPython.expovariate
    vonmisesvariate = OfPython.vonmisesvariate
    gammavariate = OfPython.gammavariate
    betavariate = OfPython.betavariate
    paretovariate = OfPython.paretovariate
    weibullvariate = OfPython.weibullvariate
    if sys.version_info >= (3, 12):
        binomialvariate = OfPython.binomialvariate
