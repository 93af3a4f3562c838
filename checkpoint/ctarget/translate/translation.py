"""The translation of a unit: its C, its compilations, and the forms that are installed.

In: a machine or sweep that is at the first step of a block. Out: its unit's plain form, installed as soon as
it is compiled, and its taped form too if that was asked for.

What always holds: each form is written, compiled and installed once, unless a fork has lost it on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.states import Held
from checkpoint.ctarget.translate.boundary import stage
from checkpoint.ctarget.translate.compile.compilation import Compilation
from checkpoint.ctarget.translate.compile.compiler import Compiler

if TYPE_CHECKING:
    from checkpoint.ctarget.translate.units.graph import Unit

# Imports within functions: most processes translate nothing, and need not load what does.


def standing(held: Held) -> Any:
    """Return the block at whose first step a machine or sweep is, and the shapes in its registers."""
    from checkpoint.ctarget.translate.specialise import observe  # noqa: PLC0415

    return observe.seen(held)


class Deeper:
    """Returns the shapes in the registers of a machine or sweep with many more parts, once they are asked
    for: that takes longer. shapes: these, by register; None: nobody has.
    """

    __slots__ = ("_held", "shapes")

    def __init__(self, held: Held) -> None:
        self._held = held
        self.shapes: dict[int, Any] | None = None

    def __call__(self) -> dict[int, Any]:
        """Return the shapes."""
        from checkpoint.ctarget.translate.specialise import observe  # noqa: PLC0415

        if self.shapes is None:
            found = observe.seen(self._held, is_deep=True)
            self.shapes = {} if found is None else found[1]
        return self.shapes


class Place(NamedTuple):
    """A block to translate. standing: returns it with the shapes in its registers, or None. deeper: returns
    these with more parts; None: the unit is to expect no numbers.

    is_in_lane: whether a lane runs it, or is_loop_over_lanes: the loop over lanes continues there. foreseen:
    the seconds that the lanes of that loop take which have not begun, at the pace of the others.
    """

    peer: BlockPeer
    standing: Callable[[], Any]
    is_in_lane: bool = False
    is_loop_over_lanes: bool = False
    foreseen: float = 0.0
    deeper: Deeper | None = None

    @property
    def was_seen_deeply(self) -> bool:
        """Return whether numbers may have had a say in what became of it."""
        return self.deeper is not None and self.deeper.shapes is not None


def place(peer: BlockPeer, held: Held, is_in_lane: bool) -> Place:
    """Return the block at whose first step a machine or sweep is as one to translate."""
    return Place(peer, partial(standing, held), is_in_lane, deeper=None if is_in_lane else Deeper(held))


class How(NamedTuple):
    """Says how a unit is made.

    is_large: whether it may be several times as large as others. unrolls: whether a recursion over data of
    the shapes that were seen is followed to its end (specialise/builder.py). turns: whether loops of few
    turns are, too: in lanes they stay loops, since vectors run these.
    """

    is_large: bool = False
    unrolls: bool = False
    turns: bool = False


def loop_over_lanes(held: Held, seconds: float = 0.0) -> Place | None:
    """Return where the loop over lanes continues whose lane a machine or sweep is within; None: in none.

    seconds: how long it has run, most of it in this loop.
    """
    from checkpoint.ctarget.translate.specialise import observe  # noqa: PLC0415

    found = observe.lane_seen(held)
    if found is None:
        return None
    begun, left = observe.lanes_seen(held)
    return Place(found[0], lambda: found, True, True, seconds / begun * left if begun else 0.0)


def of_standing(found: Any, how: How, deeper: Deeper | None = None) -> Translation | None:
    """Return the translation of a block, for the shapes in its registers, or None: none pays.

    deeper: as of a Place.
    """
    if found is None:
        return None
    with stage("specialising"):
        from checkpoint.ctarget.translate.specialise import region  # noqa: PLC0415

        peer, shapes = found
        unit = region.specialise(peer, shapes, *how, deeper)
    if unit is None:
        return None
    return Translation(unit, shapes, how.is_large, None if deeper is None else deeper.shapes)


def _parts(shapes: dict[int, Any]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the shapes of all that is in registers, and where it is."""
    pending: list[tuple[tuple[int, ...], Any]] = [((each,), shape) for each, shape in shapes.items()]
    while pending:
        place, shape = pending.pop()
        yield place, shape
        pending += [((*place, i), field) for i, field in enumerate(shape.fields)]


def _constants(shapes: dict[int, Any]) -> frozenset[tuple[int, ...]]:
    """Return where in registers the objects are of whose fields no cotangents are wanted."""
    return frozenset(place for place, shape in _parts(shapes) if shape.constant)


def _own_numbers(shapes: dict[int, Any]) -> frozenset[tuple[tuple[int, ...], int]]:
    """Return where in registers there are reals that the procedure itself holds, and their bits."""
    own = [(place, shape.fields) for place, shape in _parts(shapes) if shape.is_own]
    return frozenset(
        ((*place, i), field.bits)
        for place, fields in own
        for i, field in enumerate(fields)
        if field.tag == "REAL"
    )


def _kinds(shapes: dict[int, Any]) -> dict[int, Any]:
    """Return the tags in registers, and whether there are duals in the fields below."""
    return {register: (shape.tag, shape.procedure, _has_dual(shape)) for register, shape in shapes.items()}


def has_duals(standing: Any) -> bool:
    """Return whether there are duals in registers, or in the fields below."""
    return standing is not None and any(map(_has_dual, standing[1].values()))


def _expects(unit: Unit) -> bool:
    """Return whether a unit expects numbers where it is entered."""
    from checkpoint.ctarget.translate.ops.check_ops import ExpectReal  # noqa: PLC0415

    return any(isinstance(check, ExpectReal) for header in unit.headers for check in header.checks)


def _has_dual(shape: Any) -> bool:
    return shape.tag == "DUAL" or any(map(_has_dual, shape.fields))


class Translation:
    """The translation of one unit.

    is_large: whether its unit may be larger than others. expects: whether it expects numbers where it is
    entered. is_deferred: whether it is not compiled, as a larger
    one is to be made once that pays. pending: the compilations of its forms. seconds: how long compilers
    took.
    """

    __slots__ = (
        "_begun",
        "_constants",
        "_made_for",
        "_numbers",
        "expects",
        "is_deferred",
        "is_large",
        "pending",
        "seconds",
        "unit",
    )

    def __init__(
        self, unit: Unit, shapes: dict[int, Any], is_large: bool = False, deeper: dict[int, Any] | None = None
    ) -> None:
        """deeper: the same shapes with more parts, if the unit may expect numbers."""
        self.unit = unit
        self.expects = deeper is not None and _expects(unit)
        self._numbers = _own_numbers(deeper) if deeper is not None else None
        self.is_large = is_large
        self.is_deferred = False
        self._made_for = _kinds(shapes)
        self._constants = {unit.headers[0].block: _constants(shapes)}  # where a sample was first
        self.pending: dict[tuple[str, ...], Compilation] = {}
        self.seconds = 0.0
        self._begun: set[str] = set()

    def fits(self, standing: Any, deeper: Deeper | None = None) -> bool:
        """Return whether a machine that is there can enter the unit, or soon reaches where it can.

        deeper: as of a Place, of a unit that expects numbers.
        """
        block, shapes = standing
        if not self.expects:
            return self._suits(block, shapes)
        if deeper is None or not self._suits(block, deeper()):
            return False
        return self._enters_at(block) or _own_numbers(deeper()) == self._numbers

    def enters(self, standing: Any, deeper: Deeper | None = None) -> bool:
        """Return whether a machine that is there can enter the unit; deeper: as of `fits`."""
        return standing is not None and self._enters_at(standing[0]) and self.fits(standing, deeper)

    def is_disappointed(self, standing: Any) -> bool:
        """Return whether a machine that is there cannot enter the unit for its numbers alone."""
        block, shapes = standing
        return self.expects and self._suits(block, shapes, expects=False)

    def _suits(self, block: Any, shapes: dict[int, Any], expects: bool = True) -> bool:
        """Return whether values of these shapes are of the kinds that the unit takes. expects: whether they
        are to have its numbers, too.
        """
        from checkpoint.ctarget.translate.specialise.entries import fits  # noqa: PLC0415

        if self._enters_at(block):
            return fits(self.unit, block, shapes, expects)
        return _kinds(shapes) == self._made_for

    def _enters_at(self, block: Any) -> bool:
        return any(header.block is block and header.entry is not None for header in self.unit.headers)

    def blocks(self) -> tuple[set[BlockPeer], set[BlockPeer]]:
        """Return the blocks at which the unit can be entered, and the others in it."""
        from checkpoint.ctarget.translate.units import paths  # noqa: PLC0415

        entered = {header.block for header in self.unit.headers if header.entry is not None}
        return entered, paths.blocks(self.unit) - entered

    def is_blunt(self, standing: Any) -> bool:
        """Return whether its strips of lanes compute cotangents of what is constant there."""
        from checkpoint.ctarget.translate.strips.planner import find  # noqa: PLC0415

        block, shapes = standing
        now = _constants(shapes)
        if self.is_deferred:
            return False
        return not now <= self._constants.setdefault(block, now) and find(self.unit) is not None

    @property
    def is_too_small(self) -> bool:
        """Whether it lacks a part of its region for which a large unit has room."""
        return self.unit.is_cut and not self.is_large and not self.pending

    @property
    def lacks_tape(self) -> bool:
        """Return whether its taped form was not requested yet."""
        return self.unit.tapes and "taped" not in self._begun and not self.is_deferred

    def defer(self) -> bool:
        """Have it not be compiled if it is too small; return whether it is."""
        self.is_deferred = self.is_too_small
        return self.is_deferred

    def begin(self, taped: bool, by: Compiler) -> bool:
        """Begin to compile the plain form and, if asked for, the taped one, as far as they were not begun; in
        one file if it is both. Return whether there was any.

        The text names no lines of the program unless a debugger is to find them: equal functions of several
        files have one text.
        """
        from checkpoint.ctarget.translate.emit import text  # noqa: PLC0415

        forms = ("plain", "taped") if taped and self.unit.tapes else ("plain",)
        new = tuple([form for form in forms if form not in self._begun and not self.is_deferred])
        if new:
            self._begun.update(new)
            with stage("writing"):
                source = text.source(self.unit, *new, lines=by.debugs)
            with stage("compiling"):
                self.pending[new] = Compilation(source, by)
        return bool(new)

    def wait(self) -> None:
        """Wait until all compilations have ended."""
        for compilation in list(self.pending.values()):
            compilation.wait()

    def install(self) -> tuple[int, list[Exception]]:
        """Install the compiled forms; return the number of their files, and the failures of others."""
        done = 0
        failures: list[Exception] = []
        for forms, compilation in list(self.pending.items()):
            if not compilation.ended:
                continue
            del self.pending[forms]
            try:
                self._install(forms, compilation)
            except Exception as error:
                failures.append(error)
            else:
                done += 1
        return done, failures

    def _install(self, forms: tuple[str, ...], compilation: Compilation) -> None:
        if compilation.failure is not None:
            raise compilation.failure
        from checkpoint.ctarget.translate.compile import install  # noqa: PLC0415
        from checkpoint.ctarget.translate.emit.text import prologue_words  # noqa: PLC0415

        self.seconds += compilation.seconds
        loaded = compilation.loaded
        plain = loaded if "plain" in forms else None
        with stage("installing"):
            if "taped" in forms:
                install.install(self.unit, plain, loaded, prologue_words(self.unit))
            else:
                install.install(self.unit, plain, None)

    def forget(self) -> None:
        """Forget what is being compiled, for which another process waits: here it may be begun again."""
        self._begun -= {form for forms in self.pending for form in forms}
        self.pending.clear()
