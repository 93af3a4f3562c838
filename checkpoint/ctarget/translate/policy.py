"""What is translated, and when: runs tell between two slices how far they have come, and are looked at.

In: machines and sweeps between two slices. Out: how many steps the next slice has; units, specialised,
compiled and installed while the run goes on, or while it waits (CHECKPOINT_JIT: checkpoint/config.py).

An *account* is of a procedure: runs that start in it add their steps to it. Once these are many, they are
looked at between two slices, and the block is taken at whose head the machine stands: so it is found the
sooner the more of the time goes into it. Where a look finds no machine at a head, slices get short until one
does. In the background a block is taken at once if it was found often of late, any other one only where runs
have taken much longer than it will (effort.py).

What always holds: a block is translated, or found untranslatable, once. Without a compiler, or where it
fails, a warning says so once, and all goes on in the machine.
"""

from __future__ import annotations

import os
import warnings
from enum import Enum, auto
from time import perf_counter
from typing import TYPE_CHECKING, Any

from checkpoint import config
from checkpoint.ad.values import Closure
from checkpoint.ctarget.code import peer_at
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer, making
from checkpoint.ctarget.states import Held, State
from checkpoint.ctarget.translate.effort import Effort, Pace, Places

if TYPE_CHECKING:
    from checkpoint.ctarget.translate.compile.compiler import Compiler
    from checkpoint.ctarget.translate.translation import Translation
    from checkpoint.ctarget.translate.units.graph import Unit

THRESHOLD = 1_000_000  # steps, about 30 ms: what ends before is not worth a compiler's time
MOST_PENDING = 2  # compiled at the same time
MOST_KINDS = 3  # units of one block, for values of several kinds
MOST_INSIDE = 16  # times that a block is passed over which others' units contain
MOST_UNITS = 64  # of what starts in one procedure
MOST_FAILURES = 3  # of the compiler, one after another: then it is not asked any more
# Steps of slices: at most (less than 0.2 s, after which Python looks for an interruption); the first one;
# while something is compiled; the first one where runs wait for the compiler, so that short ones have some.
SLICE, FIRST, PENDING, FIRST_WAITING = 1_000_000, 100_000, 100_000, 2_003
# And to find a machine at a head: at most, at least, and how many are tried.
LOOK, LEAST_LOOK, MOST_LOOKS = 1_009, 31, 10
# Steps between two looks in the background: at least, at most. They vary by VARIES, else a loop might be
# looked at always at the same place.
GAP, LONGEST_GAP, VARIES = 10_007, 250_007, 0.618034
BETWEEN_LOOKS = 0.005  # seconds at least, once some of a run has been seen: a look takes some 0.05 ms
_KEY = "translate"  # of a lambda's `compiled`
# Imports within functions are of what compiles and makes units: most processes end before the first look.


class Account:
    """Of a procedure. steps: of runs that started in it. due: how many make a watch look. units: of them.

    made: by the labels of the procedure's own blocks, what was translated and can be entered there. refused:
    those of which nothing can be made. inside: those that units contain which are entered elsewhere, and how
    often a machine has stood there since: soon it will come to where it can enter. gap: the steps between two
    looks. varied: of the last gap, by which part it was longer. places: where machines were found.
    """

    __slots__ = ("due", "gap", "inside", "made", "places", "refused", "steps", "units", "varied")

    def __init__(self) -> None:
        self.steps = 0
        self.due = THRESHOLD
        self.units: list[Translation] = []
        self.gap = 0
        self.varied = 0.0
        self.places = Places()
        self.made: dict[str, list[Translation]] = {}
        self.refused: set[str] = set()
        self.inside: dict[str, int] = {}


def account_of(lam: Any) -> Account:
    """The account of a procedure, by its lambda; what is of none, as built-in blocks are, is forgotten."""
    if lam is None:
        return Account()
    found = lam.compiled.get(_KEY)
    if found is None:
        found = lam.compiled.setdefault(_KEY, Account())
    account: Account = found
    return account


def _started_in(state: State) -> Any:
    """The lambda of the procedure in which a run starts: where it stands, or which it is to apply."""
    lam = peer_at(runtime().lib.ck_state_standing(state.held).block).procedure.lam
    if lam is None and state.start is not None:
        return next((value.lam for value in state.start.values if type(value) is Closure), None)
    return lam


class Found(Enum):
    """What a look has come to."""

    NEWS = auto()  # something is being compiled, or was
    NOTHING = auto()  # is to be done
    NOWHERE = auto()  # stands a machine at a head


class Translator:
    """Of the process. pending: what is being compiled; changed while no other thread makes code.

    first_waiting, longest: slices of its watches, the first ones where runs wait, and all. between_looks:
    seconds.
    """

    first_waiting = FIRST_WAITING
    longest = SLICE
    between_looks = BETWEEN_LOOKS

    def __init__(self) -> None:
        self.pending: list[Translation] = []
        self.effort = Effort()
        self._failures = 0
        self._said = False

    @property
    def mode(self) -> config.Translation:
        """When what runs long is translated."""
        return config.translation()

    @property
    def gives_up(self) -> bool:
        """Whether the compiler has failed too often."""
        return self._failures >= MOST_FAILURES

    def poll(self) -> None:
        """Install what has been compiled meanwhile."""
        with making:
            reasons = [reason for each in self.pending for reason in self._install(each)]
            self.pending = [each for each in self.pending if each.pending]
        if reasons:
            self._complain(f"the C compiler has failed: {reasons[0]}")

    def _install(self, translation: Translation) -> list[str]:
        took = translation.seconds
        done, reasons = translation.install()
        self.effort.spent += translation.seconds - took
        if done:
            self._failures = 0
        self._failures += len(reasons)
        return reasons

    def look(self, held: Held, account: Account, taped: bool, waits: bool) -> Found:
        """See to the block at whose head a machine stands, or a sweep's."""
        at = runtime().lib.ck_machine_standing(held)
        if not at.block or at.index:
            return Found.NOWHERE
        began = perf_counter()
        with making:
            begun = self._see_to(peer_at(at.block), held, account, taped, waits)
        self.effort.spent += perf_counter() - began
        if begun is None:
            return Found.NOTHING
        if waits:
            begun.wait()
        self.poll()
        return Found.NEWS

    def add_tapes(self, account: Account, waits: bool) -> None:
        """Where a tape is to be made: the taped form of what was translated for runs without one."""
        lacking = [each for each in account.units if each.lacks_tape]
        by = _compiler() if lacking and (waits or self.effort.allows(is_hot=True)) else None
        if by is None:
            return
        with making:
            begun = [each for each in lacking if each.begin(True, by)]
            self.pending += [each for each in begun if each not in self.pending]
        for each in begun if waits else ():
            each.wait()
        self.poll()

    def _see_to(
        self, peer: BlockPeer, held: Held, account: Account, taped: bool, waits: bool
    ) -> Translation | None:
        """The translation of a block, if something of it was not compiled before, and now is."""
        by = None if self.gives_up else _compiler()
        if by is None and self._said:
            return None
        is_hot = account.places.add(peer.address)
        may_begin = waits or (self.effort.allows(is_hot) and len(self.pending) < MOST_PENDING)
        translation = self._translation(peer, held, account, may_begin)
        if translation is None:
            return None
        if by is None:
            self._complain("there is no C compiler: set CC to name one, or install ziglang")
            return None
        if not translation.begin(taped, by):
            return None
        if translation not in self.pending:
            self.pending.append(translation)
        return translation

    def _translation(
        self, peer: BlockPeer, held: Held, account: Account, may_begin: bool
    ) -> Translation | None:
        """That of a block, made if it was not, and if that may be."""
        own, label = account_of(peer.procedure.lam), peer.block.label
        made = own.made.get(label, [])
        if label in own.refused or (not made and not self._may_make(own, label, account, may_begin)):
            return None
        from checkpoint.ctarget.translate import translation as forms  # noqa: PLC0415

        fitting = [each for each in made if each.fits(forms.standing(held))]
        if fitting or len(made) >= MOST_KINDS or not may_begin:
            return fitting[0] if fitting else None
        translation: Translation | None = forms.of_standing(held)
        if translation is None:
            own.refused.add(label)
            return None
        account.units.append(translation)
        _register(translation, own, label)
        return translation

    def _may_make(self, own: Account, label: str, account: Account, may_begin: bool) -> bool:
        """Whether the first unit of a block may be made now."""
        if len(account.units) >= MOST_UNITS or not may_begin:
            return False
        if own.inside.get(label, MOST_INSIDE) >= MOST_INSIDE:
            return True
        own.inside[label] += 1
        return False

    def _complain(self, reason: str) -> None:
        """Say once in a process why programs run slower than they might."""
        if not self._said:
            self._said = True
            text = "what runs long is not translated to C, and takes longer (CHECKPOINT_JIT=off: it never is)"
            warnings.warn(f"{reason}\n{text}", RuntimeWarning, stacklevel=2)

    def forget(self) -> None:
        """In a process that was forked: for what is being compiled the parent waits."""
        for translation in self.pending:
            translation.forget()
        self.pending.clear()


def _compiler() -> Compiler | None:
    from checkpoint.ctarget.translate.compile import compiler  # noqa: PLC0415

    return compiler.find()


def _blocks(unit: Unit) -> set[BlockPeer]:
    """All that a unit contains."""
    from checkpoint.ctarget.translate.units.paths import blocks  # noqa: PLC0415

    return blocks(unit)


def _register(translation: Translation, own: Account, label: str) -> None:
    """The block that it was made of finds it from now on, and so do all at which its unit can be entered."""
    places = {label: own}
    for header in translation.unit.headers:
        if header.entry is not None:
            places[header.block.block.label] = account_of(header.block.procedure.lam)
    for place, account in places.items():
        account.made.setdefault(place, []).append(translation)
    for block in _blocks(translation.unit):
        account_of(block.procedure.lam).inside.setdefault(block.block.label, 0)


translator = Translator()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=translator.forget)


class Watch:
    """Of one run or sweep. slice: how many steps its next slice is to have."""

    __slots__ = ("_account", "_due", "_in_vain", "_pace", "_since", "_taped", "_told", "_waits", "slice")

    def __init__(self, account: Account, taped: bool, waits: bool) -> None:
        self._account = account
        self._taped = taped
        self._waits = waits
        self._due = account.steps + account.gap if waits else account.due
        self._told = 0  # steps of this run
        self._in_vain = 0  # looks, one after another
        self.slice = max(translator.first_waiting, account.gap) if waits else FIRST
        self._since = perf_counter()
        self._pace = Pace()
        if account.steps > self._due:
            self.slice = LOOK

    def ended(self, steps: int) -> None:
        """A run has ended, or one of a sweep's; there were so many steps in all."""
        self._tell(max(0, steps - self._told))
        if self._is_due:
            self._shorten()

    def sliced(self, held: Held, steps: int) -> None:
        """A slice has ended, of so many steps."""
        self._tell(steps)
        seconds = perf_counter() - self._since
        translator.effort.ran += seconds
        self._pace.add(steps, seconds)
        self._look(held)
        self._since = perf_counter()

    def _look(self, held: Held) -> None:
        if translator.pending:
            translator.poll()
        if not self._is_due:
            self._grow()
            return
        found = translator.look(held, self._account, self._taped, self._waits)
        if found is Found.NOWHERE and self._in_vain < MOST_LOOKS:
            self._in_vain += 1
            self._shorten()
        else:
            self._looked(found)

    def _tell(self, steps: int) -> None:
        self._told += steps
        self._account.steps += steps

    @property
    def _is_due(self) -> bool:
        return self._account.steps >= self._due

    def _shorten(self) -> None:
        """There are runs so short that no slice ends within them."""
        self.slice = max(min(self.slice // 2, LOOK), LEAST_LOOK)

    def _looked(self, found: Found) -> None:
        self._in_vain = 0
        account, news = self._account, found is Found.NEWS
        if self._waits:
            self._looked_and_waited(news)
            return
        account.gap = GAP if news else min(max(GAP, 2 * account.gap), LONGEST_GAP)
        account.varied = (account.varied + VARIES) % 1.0
        gap = max(account.gap, self._pace.steps_in(translator.between_looks))
        gap += int(gap * account.varied)
        self._due = account.due = account.steps + gap
        self.slice = min(gap, translator.longest)

    def _looked_and_waited(self, news: bool) -> None:
        account = self._account
        account.due = account.steps + THRESHOLD
        if news:  # what comes next in the program is new, too
            account.gap = 0
            self._due = account.steps
            self.slice = translator.first_waiting
            return
        account.gap = min(2 * account.gap + translator.first_waiting, THRESHOLD, translator.longest)
        self._due = account.steps + max(account.gap, self._pace.steps_in(translator.between_looks))
        self.slice = max(self.slice, translator.first_waiting)
        self._grow()

    def _grow(self) -> None:
        self.slice = min(2 * self.slice, PENDING if translator.pending else translator.longest)


def watch(state: State, taped: bool) -> Watch | None:
    """Of a run or sweep that starts at a state; taped: whether it makes tapes. None: nothing is watched."""
    mode = translator.mode
    if mode == "off" or translator.gives_up:
        return None
    if translator.pending:
        translator.poll()
    account = account_of(_started_in(state))
    if taped:
        translator.add_tapes(account, mode == "wait")
    return Watch(account, taped, mode == "wait")
