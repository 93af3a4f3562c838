"""A unit on its way into the machine: its C, the compilations of it, and what of it is installed.

In: a machine or sweep that stands at a head. Out: its unit's plain form installed as soon as it is compiled,
its taped form too where that was asked for.

What always holds: each form is written, compiled and installed once, unless a fork has lost it on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint.ctarget.states import Held
from checkpoint.ctarget.translate.compile.compilation import Compilation
from checkpoint.ctarget.translate.compile.compiler import Compiler

if TYPE_CHECKING:
    from checkpoint.ctarget.translate.units.graph import Unit

# Imports within functions: most processes translate nothing, and need not load what does.


def standing(held: Held) -> Any:
    """The block at whose head a machine stands, or a sweep's, and what is in its registers."""
    from checkpoint.ctarget.translate.specialise.observe import seen  # noqa: PLC0415

    return seen(held)


def of_standing(held: Held) -> Translation | None:
    """Of the block where it stands, and of what it has there; None: nothing can be made."""
    from checkpoint.ctarget.translate.specialise.region import specialise  # noqa: PLC0415

    found = standing(held)
    unit = None if found is None else specialise(*found)
    return None if unit is None else Translation(unit, found[1])


def _kinds(shapes: dict[int, Any]) -> dict[int, Any]:
    """What registers hold, without what that consists of."""
    return {register: (shape.tag, shape.procedure) for register, shape in shapes.items()}


class Translation:
    """Of one unit. pending: its forms that are being compiled. seconds: how long compilers took."""

    __slots__ = ("_begun", "_made_for", "pending", "seconds", "unit")

    def __init__(self, unit: Unit, shapes: dict[int, Any]) -> None:
        self.unit = unit
        self._made_for = _kinds(shapes)
        self.pending: dict[tuple[str, ...], Compilation] = {}
        self.seconds = 0.0
        self._begun: set[str] = set()

    def fits(self, standing: Any) -> bool:
        """Whether a machine that stands there can enter, or is to come to where it can."""
        from checkpoint.ctarget.translate.specialise.entries import fits  # noqa: PLC0415

        block, shapes = standing
        if any(header.block is block and header.entry is not None for header in self.unit.headers):
            return fits(self.unit, block, shapes)
        return _kinds(shapes) == self._made_for

    @property
    def lacks_tape(self) -> bool:
        """Whether its taped form was not asked for yet."""
        return self.unit.tapes and "taped" not in self._begun

    def begin(self, taped: bool, by: Compiler) -> bool:
        """Compile what was not: the plain form and, if asked for, the taped one, in one file if it is both.
        Whether there was any.
        """
        from checkpoint.ctarget.translate.emit import text  # noqa: PLC0415

        forms = ("plain", "taped") if taped and self.unit.tapes else ("plain",)
        new = tuple([form for form in forms if form not in self._begun])
        if new:
            self._begun.update(new)
            self.pending[new] = Compilation(text.source(self.unit, *new), by)
        return bool(new)

    def wait(self) -> None:
        """Until all that was begun is compiled."""
        for compilation in list(self.pending.values()):
            compilation.wait()

    def install(self) -> tuple[int, list[str]]:
        """Give to the machine what is compiled by now: how many files, and why others are not."""
        done, reasons = 0, []
        for forms, compilation in list(self.pending.items()):
            if compilation.reason is not None:
                reasons.append(compilation.reason)
            elif compilation.loaded is not None:
                self._install(forms, compilation.loaded)
                self.seconds += compilation.seconds
                done += 1
            else:
                continue
            del self.pending[forms]
        return done, reasons

    def _install(self, forms: tuple[str, ...], loaded: Any) -> None:
        from checkpoint.ctarget.translate.compile.install import install  # noqa: PLC0415
        from checkpoint.ctarget.translate.emit.text import prologue_words  # noqa: PLC0415

        plain = loaded if "plain" in forms else None
        if "taped" in forms:
            install(self.unit, plain, loaded, prologue_words(self.unit))
        else:
            install(self.unit, plain, None)

    def forget(self) -> None:
        """What is being compiled, another process waits for: here it may be begun again."""
        self._begun -= {form for forms in self.pending for form in forms}
        self.pending.clear()
