"""Decides which blocks are translated, and when: the choice of blocks, the compilations, and their limits.

In: machines and sweeps that stop for a moment, when a watch samples them (watch.py). Out: units, specialised,
compiled and installed while the run continues, or while it waits (CHECKPOINT_JIT: checkpoint/config.py).

A sample takes the block at whose first step the machine is: so a block is found the sooner the more of the
time is spent in it. In the background a block is translated at once if it was found often of late, any other
one only where runs have taken much longer than its translation will (effort.py). Within a lane of `vmap` it
first takes the block at which the loop over lanes continues: its unit has all that a lane does.

What always holds: a block is translated, or found untranslatable, once. Without a compiler, if it fails,
or if anything else in here fails, one warning reports it, and the run continues in the machine
(boundary.py).
"""

from __future__ import annotations

import os
import warnings
from dataclasses import field
from enum import Enum, auto
from time import perf_counter
from typing import TYPE_CHECKING, Any

from checkpoint import config
from checkpoint.cps.blocks import LOOP
from checkpoint.ctarget.code import peer_begun
from checkpoint.ctarget.peers import making
from checkpoint.ctarget.states import Held
from checkpoint.ctarget.translate import boundary
from checkpoint.ctarget.translate.effort import EXPECTED_LARGE, Effort, Pace, RecentBlocks, Sampling
from checkpoint.dataclass import dataclass
from checkpoint.errors import TranslationWarning

if TYPE_CHECKING:
    from checkpoint.ctarget.translate.compile.compiler import Compiler
    from checkpoint.ctarget.translate.translation import Place, Translation

THRESHOLD = 1_000_000  # steps, about 30 ms: a run that ends before is not worth a compiler's time
MAX_PENDING = 2  # compilations at the same time
MAX_KINDS = 3  # units of one block, for values of several kinds
# Times that a sample skips a block that the units of others contain; in the runs of one procedure, until a
# loop is looked for: it may have values of other kinds.
MAX_SKIPS, SKIPS = 16, 4
MAX_UNITS = 64  # of the runs that start in one procedure
MAX_FAILURES = 3  # one after another; then nothing more is translated
LONGEST_REASON = 500  # characters
# Steps of a slice: at most (less than 0.2 s, after which Python checks for an interruption); the first one;
# while something is compiled; the first one where runs wait for the compiler, so that short ones have some.
SLICE, FIRST, PENDING, FIRST_WAITING = 1_000_000, 100_000, 100_000, 2_003
# Steps of runs that C makes within steps, of one procedure, after which the next one is left to Python, to be
# sampled: some milliseconds, several times what Python takes to begin such a run.
INNER_STEPS = 100_000
# To find a machine at the first step of a block: the most and the least steps of a slice, and how many tries.
PROBE_STEPS, MIN_PROBE_STEPS, MAX_PROBES = 1_009, 31, 10
# Steps between two samples in the background: at least, at most. They vary by VARIATION, since samples at
# regular distances might always find the same place of a loop.
GAP, MAX_GAP, VARIATION = 10_007, 250_007, 0.618034
SAMPLE_INTERVAL = 0.005  # seconds between two samples, at least, after the first
# Seconds of one: most take 0.05 to 0.7 ms. Where they take longer, fewer are taken.
USUAL_SAMPLE = SAMPLE_INTERVAL / 10
MAX_PATIENCE = 16  # times as many, where samples have found nothing of late
_KEY = "translate"  # of a lambda's `compiled`
# To find a loop, so many blocks are run one by one; so often for the runs that start in one procedure.
MAX_SOUGHT, MAX_SEARCHES = 3_000, 6
# Imports within functions are of what compiles and makes units: most processes end before the first sample.


@dataclass(slots=True, eq=False)
class Account:
    """The steps and units of the runs that start in one procedure.

    steps: how many there were. seconds: those of their slices. pace: of the last slices of any of them. due:
    how many steps make a watch sample. gap: the steps between two samples. varied: by which part the last gap
    was longer. patience: how many times the interval of samples is to pass before the next one; rests_until:
    when that is over, by the clock, in the background. sampling: how long samples take.
    blocks: where the last samples were. units: what was made. made: by the labels of the procedure's own
    blocks, the units that can be entered there. refused: the blocks of which no unit can be made. inside:
    those in units that are entered elsewhere, by whether a run has duals, as a unit has or not, and how many
    samples were there since: it soon reaches where it can enter. searches: for loops, so far. skips: samples
    inside of units. general: the blocks whose next units expect no numbers. rolled: those whose units follow
    no recursion to its end: no loop around was found.
    """

    steps: int = 0
    seconds: float = 0.0
    pace: Pace = field(default_factory=Pace)
    due: int = field(default_factory=lambda: THRESHOLD)
    gap: int = 0
    varied: float = 0.0
    patience: int = 1
    rests_until: float = 0.0
    sampling: Sampling = field(default_factory=Sampling)
    blocks: RecentBlocks = field(default_factory=RecentBlocks)
    units: list[Translation] = field(default_factory=list)
    made: dict[str, list[Translation]] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    inside: dict[tuple[str, bool], int] = field(default_factory=dict)
    searches: int = 0
    skips: int = 0
    general: set[str] = field(default_factory=set)
    rolled: set[str] = field(default_factory=set)


def account_of(lam: Any) -> Account:
    """Return the account of a lambda's procedure; blocks of no lambda, as built-in ones, get a new one."""
    if lam is None:
        return Account()
    found = lam.compiled.get(_KEY)
    if found is None:
        found = lam.compiled.setdefault(_KEY, Account())
    account: Account = found
    return account


class Found(Enum):
    """The result of a sample."""

    NEWS = auto()  # something is being compiled, or was
    NOTHING = auto()  # there is nothing to do for the block
    NOWHERE = auto()  # the machine is not at the first step of a block
    REFUSED = auto()  # no unit can be made of the block: perhaps of a loop around it
    INSIDE = auto()  # it is in units that are entered elsewhere, but for values of other kinds, it seems


class Translator:
    """The translations of the process.

    pending: those being compiled; changed while no other thread makes code (checkpoint.ctarget.peers.making).
    first_waiting, longest: steps of the slices of its watches, the first ones where runs wait, and all.
    sample_interval: seconds.
    """

    first_waiting = FIRST_WAITING
    longest = SLICE
    sample_interval = SAMPLE_INTERVAL

    def __init__(self) -> None:
        self.pending: list[Translation] = []
        self.effort = Effort()
        self._failures = 0
        self._warned: set[str] = set()
        self._last_refused: tuple[Account, str] | None = None

    @property
    def mode(self) -> config.Translation:
        """Return when runs are translated."""
        return config.translation()

    @property
    def gives_up(self) -> bool:
        """Return whether translation is disabled after too many failures."""
        return self._failures >= MAX_FAILURES

    # Failures

    def contain(self, error: Exception) -> None:
        """Warn of an exception inside of translation; under CHECKPOINT_CHECK=1, or if it comes from a
        user's signal handler, raise it.
        """
        if isinstance(error, TranslationWarning) or boundary.is_foreign(error) or config.current().check:
            raise error
        self._failures += 1
        if isinstance(error, MemoryError):
            self._warn("memory", f"there is not enough memory: {boundary.described(error)}")
        else:
            self._warn("internal", f"internal error, please report it: {boundary.described(error)}")

    def _warn(self, kind: str, reason: str) -> None:
        """Warn once in a process of each kind of failure."""
        if kind not in self._warned:
            self._warned.add(kind)
            text = "runs continue without translation to C, and take longer (CHECKPOINT_JIT=off stops it)"
            warnings.warn(f"{reason}\n{text}", TranslationWarning, stacklevel=2)

    # Compilations

    def poll(self) -> None:
        """Install what has been compiled since the last call, and report what has failed."""
        with making:
            ended = [failure for each in self.pending for failure in self._install(each)]
            self.pending = [each for each in self.pending if each.pending]
        for failure in ended:
            self._report(failure)

    def _install(self, translation: Translation) -> list[Exception]:
        took = translation.seconds
        done, failures = translation.install()
        self.effort.spent += translation.seconds - took
        if done:
            self._failures = 0
        return failures

    def _report(self, failure: Exception) -> None:
        """Warn of a failure of the compiler, or of the system around it; contain any other."""
        from checkpoint.ctarget.translate.compile.processes import CompilationError  # noqa: PLC0415

        if isinstance(failure, CompilationError | OSError):
            self._failures += 1
            self._warn("compiler", f"the C compiler has failed: {str(failure)[:LONGEST_REASON]}")
        else:
            self.contain(failure)

    def add_tapes(self, account: Account, waits: bool) -> None:
        """Before a tape is made, begin the taped form of the units that were made for runs without one."""
        lacking = [each for each in account.units if each.lacks_tape]
        by = _compiler() if lacking and (waits or self.effort.allows(is_hot=True)) else None
        if by is None:
            return
        with making:
            for each in lacking:
                if each.begin(True, by) and each not in self.pending:
                    self.pending.append(each)
        for each in lacking if waits else ():
            each.wait()
        self.poll()

    # Samples

    def sample(self, held: Held, account: Account, taped: bool, waits: bool, seconds: float) -> Found:
        """Translate the block at whose first step a machine is, or a sweep, after seconds of its run."""
        if (peer := peer_begun(held)) is None:
            return Found.NOWHERE
        began, skips = perf_counter(), account.skips
        from checkpoint.ctarget.translate import translation as forms  # noqa: PLC0415

        with making:
            lane = forms.loop_over_lanes(held, seconds)
            here = forms.place(peer, held, lane is not None)
            begun = None if lane is None else self._begin(lane, account, taped, waits)
            begun = begun or self._begin(here, account, taped, waits)
        self.effort.spent += perf_counter() - began
        if begun is None:
            own, label = account_of(here.peer.procedure.lam), here.peer.block.label
            may_roll = label in own.refused and label not in own.rolled
            self._last_refused = (own, label) if may_roll else None
            is_skipped = account.skips > skips and account.skips % SKIPS == 0
            return Found.REFUSED if may_roll else Found.INSIDE if is_skipped else Found.NOTHING
        self._started(begun, waits)
        return Found.NEWS

    def _started(self, begun: Translation, waits: bool) -> None:
        if waits:
            begun.wait()
        self.poll()

    def roll(self) -> None:
        """Have the block that was refused last be translated without what numbers say of its recursions, if
        they did; else without following recursions to their ends.
        """
        if self._last_refused is not None:
            own, label = self._last_refused
            own.refused.discard(label)
            (own.rolled if label in own.general else own.general).add(label)

    def seek(self, held: Held, account: Account, taped: bool, waits: bool) -> Found:
        """Translate the block at whose first step a machine is, if a loop begins its turns there.

        NEWS: that was begun. NOTHING: it was before, so there is no need to look further. Else NOWHERE.
        """
        peer = peer_begun(held)
        if peer is None or not peer.block.label.startswith(LOOP):
            return Found.NOWHERE
        began = perf_counter()
        from checkpoint.ctarget.translate import translation as forms  # noqa: PLC0415

        with making:
            place = forms.place(peer, held, forms.loop_over_lanes(held) is not None)
            begun = self._begin(place, account, taped, waits, is_sought=True)
        self.effort.spent += perf_counter() - began
        if begun is not None:
            self._started(begun, waits)
            return Found.NEWS
        own = account_of(peer.procedure.lam)
        return Found.NOTHING if own.made.get(peer.block.label) else Found.NOWHERE

    def is_entered(self, held: Held) -> bool | None:
        """Return whether a machine can enter a unit at the block that it is about to run; None: none is."""
        peer = peer_begun(held)
        if peer is None or not (made := account_of(peer.procedure.lam).made.get(peer.block.label)):
            return None
        from checkpoint.ctarget.translate import translation as forms  # noqa: PLC0415

        with making:
            place = forms.place(peer, held, is_in_lane=False)
            return any(each.enters(place.standing(), place.deeper) for each in made)

    def _begin(
        self, place: Place, account: Account, taped: bool, waits: bool, is_sought: bool = False
    ) -> Translation | None:
        """Return the translation of a block, if some form of it was not compiled before, and now is.

        is_sought: whether the block is that of a loop which was looked for, and is taken to be hot.
        """
        by = _compiler()
        if self.gives_up or (by is None and "none" in self._warned):
            return None
        is_hot = account.blocks.add(place.peer.address) or is_sought
        may_begin = waits or (self.effort.allows(is_hot) and len(self.pending) < MAX_PENDING)
        translation = self._translation(place, account, may_begin, taped)
        if translation is None:
            return None
        if by is None:
            self._warn("none", "there is no C compiler: set CC to name one, or install ziglang")
            return None
        if not translation.begin(taped, by):
            return None
        if translation not in self.pending:
            self.pending.append(translation)
        return translation

    def _translation(
        self, place: Place, account: Account, may_begin: bool, taped: bool
    ) -> Translation | None:
        """Return the translation of a block, made if it was not and if it may be made now."""
        own, label = account_of(place.peer.procedure.lam), place.peer.block.label
        made = own.made.get(label, [])
        if label in own.refused or not (made or may_begin):
            return None
        from checkpoint.ctarget.translate import translation as forms  # noqa: PLC0415

        try:
            standing = place.standing()
            fitting = [each for each in made if each.fits(standing, place.deeper)]
            inside = label, forms.has_duals(standing)
            if not fitting and not self._may_make(own, inside, account, may_begin):
                return None
            may_be_large = self._may_be_large(place, account)
            is_larger = bool(fitting) and may_be_large and fitting[-1].is_too_small
            is_sharper = taped and bool(fitting) and fitting[-1].is_blunt(standing)
            if (fitting and not (is_larger or is_sharper)) or len(made) >= MAX_KINDS or not may_begin:
                return fitting[-1] if fitting else None
            is_large = is_larger or (fitting[-1].is_large if is_sharper else may_be_large)
            how = forms.How(is_large, label not in own.rolled, turns=not place.is_in_lane)
            may_expect = label not in own.general and not any(each.is_disappointed(standing) for each in made)
            translation = forms.of_standing(standing, how, place.deeper if may_expect else None)
        except Exception:
            own.refused.add(label)
            raise
        if translation is None:
            own.refused.add(label)
            if not place.was_seen_deeply:
                own.general.add(label)
        elif place.is_loop_over_lanes and translation.defer():
            own.made.setdefault(label, []).append(translation)
        else:
            account.units.append(translation)
            _register(translation, own, label)
            return translation
        return None

    def _may_be_large(self, place: Place, account: Account) -> bool:
        """Return whether the next unit is of a loop over lanes, and runs are long enough for a large one.

        Those of the account are taken to come again: an image may be rendered a thousand times, each quickly.
        """
        foreseen = place.foreseen + account.seconds
        pays = self.mode == "wait" or self.effort.allows(True, EXPECTED_LARGE, foreseen)
        return place.is_loop_over_lanes and pays

    def _may_make(self, own: Account, inside: tuple[str, bool], account: Account, may_begin: bool) -> bool:
        """Return whether another unit of a block may be made now. inside: as of an Account."""
        if len(account.units) >= MAX_UNITS or not may_begin:
            return False
        if own.inside.get(inside, MAX_SKIPS) >= MAX_SKIPS:
            return True
        own.inside[inside] += 1
        account.skips += 1
        return False

    def forget(self) -> None:
        """Forget what is being compiled, in a process that was forked: the parent waits for it."""
        for translation in self.pending:
            translation.forget()
        self.pending.clear()


def _compiler() -> Compiler | None:
    from checkpoint.ctarget.translate.compile import compiler  # noqa: PLC0415

    return compiler.find()


def _register(translation: Translation, own: Account, label: str) -> None:
    """Enter a translation for the block that it was made of, and for all at which its unit can be entered."""
    entered, others = translation.blocks()
    places = {label: own} | {each.block.label: account_of(each.procedure.lam) for each in entered}
    for place, account in places.items():
        account.made.setdefault(place, []).append(translation)
    for block in others:
        for has_duals in {False, translation.unit.has_duals}:
            account_of(block.procedure.lam).inside.setdefault((block.block.label, has_duals), 0)


translator = Translator()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=translator.forget)
