"""The state of Python's random numbers, as a constant that the states of a run share.

In: the words of a Mersenne Twister, as random.Random.getstate gives them. Out: a Block: these words, and the
numbers of 32 bits that they stand for; `following` is the next one. A block never changes: a generator is a
block and the position of its next number, so a draw changes one integer.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterable
from typing import Any

WORDS = 624  # of a block
_VERSION = 3  # of the states of random.Random


class Block:
    """The words between two shuffles of a Mersenne Twister.

    words: its state. numbers: the outputs that it stands for.
    """

    __slots__ = ("numbers", "words")

    def __init__(self, words: Iterable[int]) -> None:
        self.words = array("L", words)
        source = _generator(self.words, 0)
        self.numbers = array("L", (source.getrandbits(32) for _ in range(WORDS)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Block) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.words[0])

    def following(self) -> Block:
        """Return the block after this one."""
        source = _generator(self.words, WORDS)
        source.getrandbits(32)
        return Block(source.getstate()[1][:WORDS])


def _generator(words: Iterable[int], position: int, gauss_next: float | None = None) -> random.Random:
    made = random.Random(0)
    made.setstate((_VERSION, (*words, position), gauss_next))
    return made


def taken_apart(generator: random.Random) -> dict[str, Any]:
    """Return the block of a generator, the position of its next number, and a normal one left over."""
    _, words, gauss_next = generator.getstate()
    return {"block": Block(words[:WORDS]), "position": words[WORDS], "gauss_next": gauss_next}


def put_together(made: random.Random, block: Block, position: int, gauss_next: float | None) -> None:
    """Give a generator the state that `taken_apart` returns."""
    made.setstate((_VERSION, (*block.words, position), gauss_next))
