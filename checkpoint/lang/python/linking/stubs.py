"""Stubs: functions of large programs that are translated when a run has reached them.

A call on an object of an unknown class may reach a method of each class that has one of its name, these call
others, and so on: of a large package nearly everything. A program of more than LIMIT functions is translated
anew with stubs for all but its first. A run that reaches one ends with `Unreached`; the function is noted,
the program is translated with it, and the run begins again.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field

from checkpoint.ad.arrays import Native
from checkpoint.dataclass import dataclass
from checkpoint.lang.core import Const, Lambda
from checkpoint.lang.python.context.builder import NOWHERE, Names, prim
from checkpoint.lang.python.context.meanings import Callee

LIMIT = 160  # functions of a program that is translated as a whole


class TooLarge(Exception):
    """A program has more functions than are translated as a whole."""


@dataclass(eq=False)
class Reached:
    """The functions of a large program that runs have reached.

    keys: the functions. is_outdated: whether one was reached after the program was made.
    """

    keys: set[Hashable] = field(default_factory=set)
    is_outdated: bool = False


@dataclass(frozen=True, eq=False)
class Stub:
    """A function of a program that is not translated. name: as its class calls it."""

    reached: Reached
    key: Hashable
    name: str

    def note(self) -> None:
        """Record that a run has reached the function."""
        self.reached.keys.add(self.key)
        self.reached.is_outdated = True

    def __str__(self) -> str:
        return self.name


def stub_of(callee: Callee, key: Hashable, reached: Reached, names: Names) -> Lambda:
    """Return a procedure that stands for a function until it is reached."""
    params = tuple([names.fresh(name) for name in callee.signature.names])
    body = prim(NOWHERE, "py.stub", Const(NOWHERE, Native(Stub(reached, key, callee.name))))
    return Lambda(NOWHERE, params, body, name=callee.name)
