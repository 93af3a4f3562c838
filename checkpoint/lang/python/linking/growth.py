"""A large program that takes up functions while it is tried (checkpoint.functions.trial).

In: the linker of a program that lacks functions, as it was when the program was made. Out: the lambda of each
function of the program; one that was put off is translated when its lambda is asked for, with all to which it
refers, and is noted as reached. So one trial finds what many runs of many programs would reach, each of them
translated as a whole. The program itself does not change: it is linked again with what was noted.

What always holds: the linker's facts are those of the program. A function that needs other facts ends the
growth (`Grown`), and so does one that cannot be translated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint.ad import library as arrays
from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError, Unreached
from checkpoint.lang.control.convert import uses_control
from checkpoint.lang.core import Expr, Lambda
from checkpoint.lang.python.linking.caches import within
from checkpoint.recursion import recursion_room

if TYPE_CHECKING:  # `import checkpoint` loads this file, and no translator with it
    from checkpoint.lang.python.linking.linker import Linker


@dataclass(frozen=True, slots=True)
class Grown:
    """Stands for what a trial has reached, when all of it is noted already."""

    name: str = "a function"

    def note(self) -> None:
        """Do nothing: it is noted."""

    def __str__(self) -> str:
        return self.name


class Growth:
    """A program that grows.

    entry: its entry, of which the functions are no part. cells: the variables of what each run makes first.
    has_grown: whether functions were taken up.
    """

    def __init__(self, linker: Linker, entry: Lambda, made: list[tuple[str, Expr]]) -> None:
        self._linker = linker
        linker.inputs = linker.inputs.copy()  # those of the program stay as they are
        self.entry = within(made, entry, ())
        self.cells = frozenset([name for name, _ in made])
        self.has_grown = False
        self._generation = arrays.generation()
        self._inputs = {name: index for index, name in linker.variables.items()}

    @property
    def is_new(self) -> bool:
        """Return whether no run has reached any function of the program yet."""
        assert self._linker.facts.reached is not None
        return not self._linker.facts.reached.keys

    def is_left(self, name: str) -> bool:
        """Return whether a function is put off."""
        return any(each.core == name for each in self._linker.put_off.values())

    def procedure(self, name: str) -> Lambda | None:
        """Return the lambda of a function, or the stub of one that is put off; None for all else."""
        return self._linker.bindings.get(name)

    def taken_up(self, name: str) -> Lambda:
        """Return the lambda of a function that was put off; raise Unreached where the program must change."""
        each = next(each for each in self._linker.put_off.values() if each.core == name)
        self.has_grown = True
        there = set(self._linker.bindings)
        try:
            with recursion_room():
                self._linker.take_up(each)
        except SourceError:
            raise Unreached(Grown(each.name)) from None  # the program that is linked with it says it
        new = [lam for core, lam in self._linker.bindings.items() if core == name or core not in there]
        # Shifts and resets are replaced in whole programs (captures.py).
        if self._linker.is_stale or self._generation != arrays.generation() or any(map(uses_control, new)):
            raise Unreached(Grown(each.name))
        self._inputs = {name: index for index, name in self._linker.variables.items()}
        return self._linker.bindings[name]

    def input(self, name: str) -> Any:
        """Return the object of an input; raise Unreached for what is made within a run."""
        if name not in self._inputs:
            raise Unreached(Grown(name))
        return self._linker.inputs.value(self._inputs[name])
