"""Watches one run or sweep: decides how many steps its next slice has, and when it is sampled.

In: how many steps were made, between two slices. Out: the length of the next slice; samples, which find
the blocks to translate (policy.py).

Runs add their steps to the account of the procedure in which they start. Once these are many, runs are
sampled between two slices. If a sample finds no machine at the first step of a block, slices are shortened
until one does.

Runs within steps are made by C alone (ctemplates/operators/inner.h), which counts their steps, and now and
then leaves one to Python: such a run is sampled at some step of as many as its kind has.

Where steps are fast a slice has more of them than a call of C runs without a look at the clock
(machine/clock.h), so that calls take a negligible share of the time.

What always holds: if anything fails in translation, the run continues (boundary.py).
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from checkpoint import config
from checkpoint.ad.values import Closure
from checkpoint.ctarget.code import peer_at
from checkpoint.ctarget.library import runtime, use_threads
from checkpoint.ctarget.peers import known_peer
from checkpoint.ctarget.states import Held, State
from checkpoint.ctarget.translate import policy
from checkpoint.ctarget.translate.boundary import stage
from checkpoint.ctarget.translate.policy import Account, Found
from checkpoint.interp.hybrid.machine import ENTRY


class Watch:
    """The watch of one run or sweep. slice: how many steps its next slice is to have. steps: those done."""

    __slots__ = (
        "_account",
        "_begun",
        "_due",
        "_entries",
        "_pace",
        "_probes",
        "_since",
        "_sought",
        "_taped",
        "_waits",
        "slice",
        "steps",
    )

    def __init__(self, account: Account, taped: bool, waits: bool, length: int = 0) -> None:
        """length: how many steps such runs have had, where C has counted some that it made within steps."""
        translator = policy.translator
        self._account = account
        self._taped = taped
        self._waits = waits
        self._due = account.steps + account.gap if waits else account.due
        self.steps = 0
        self._probes = 0  # samples in vain, one after another
        self._sought = 0  # blocks that are still to be run one by one, to find a loop
        self._entries = 0  # how many of their units are still to be tried, where the sample was inside of one
        self.slice = max(translator.first_waiting, account.gap) if waits else policy.FIRST
        self._begun = self._since = perf_counter()
        self._pace = account.pace
        if self._rests and not translator.pending:
            self.slice = self._longest()
        elif account.steps > self._due:
            self.slice = policy.PROBE_STEPS
        elif not waits and not translator.pending:  # no slice ends before a sample is due, at the pace so far
            self.slice = max(self.slice, min(self._due - account.steps, self._expected()))
        if length:
            account.varied = (account.varied + policy.VARIATION) % 1.0
            self.slice = min(self.slice, 1 + int(length * account.varied))

    def ended(self, steps: int) -> None:
        """Count the steps of a run that has ended, or one of a sweep's; steps: how many there were in all."""
        self._add(max(0, steps - self.steps))
        if self._is_due:
            self._shorten()

    def sliced(self, held: Held, steps: int) -> None:
        """Count the steps of a slice that has ended, and sample the run if that is due."""
        self._add(steps)
        seconds = perf_counter() - self._since
        policy.translator.effort.ran += seconds
        self._account.seconds += seconds
        if not (self._probes or self._sought):  # such slices are short: mostly spent outside of units
            self._pace.add(steps, seconds)
        try:
            self._sample(held)
        except Exception as error:
            policy.translator.contain(error)
            self._sampled(Found.NOTHING)
        self._since = perf_counter()

    def _sample(self, held: Held) -> None:
        if policy.translator.pending:
            policy.translator.poll()
        if self._sought:
            self._seek(held)
            return
        self._hasten()
        if not self._is_due:
            self._grow()
            return
        with stage("sampling"):
            began = perf_counter()
            seconds = began - self._begun
            found = policy.translator.sample(held, self._account, self._taped, self._waits, seconds)
            if found is not Found.NEWS:
                self._account.sampling.add(perf_counter() - began)
        if found is Found.NOWHERE and self._probes < policy.MAX_PROBES:
            self._probes += 1
            self._shorten()
        else:
            self._sampled(found)
        if found in (Found.REFUSED, Found.INSIDE):
            self._account.searches += 1
            if self._account.searches <= policy.MAX_SEARCHES:
                self._sought, self.slice = policy.MAX_SOUGHT, 1
                self._entries = policy.MAX_PROBES if found is Found.INSIDE else 0
            elif found is Found.REFUSED:
                policy.translator.roll()

    def _seek(self, held: Held) -> None:
        """Translate the loop that the run is at, or continue with the next block."""
        self._sought -= 1
        with stage("sampling"):
            if self._is_entered(held):
                found = Found.NOTHING
            else:
                found = policy.translator.seek(held, self._account, self._taped, self._waits)
        if found is not Found.NOWHERE or not self._sought:
            self._sought = 0
            self._sampled(found)
        if found is Found.NOWHERE and not self._sought:
            policy.translator.roll()

    def _is_entered(self, held: Held) -> bool:
        """Return whether the run has only left a unit for the sample: it is where it enters one."""
        entered = policy.translator.is_entered(held) if self._entries else None
        self._entries -= entered is False
        return entered is True

    def _add(self, steps: int) -> None:
        self.steps += steps
        self._account.steps += steps

    @property
    def _is_due(self) -> bool:
        return self._account.steps >= self._due and not self._rests

    @property
    def _rests(self) -> bool:
        """Return whether it is too soon for a sample in the background: paces, by which steps are due, are
        low at the beginning of each run.
        """
        return not self._waits and perf_counter() < self._account.rests_until

    def _shorten(self) -> None:
        """Halve the slice: there are runs so short that no slice ends within them."""
        self.slice = max(min(self.slice // 2, policy.PROBE_STEPS), policy.MIN_PROBE_STEPS)

    def _sampled(self, found: Found) -> None:
        self._probes = 0
        account, news = self._account, found is Found.NEWS
        account.patience = 1 if news else min(2 * account.patience, policy.MAX_PATIENCE)
        if self._waits:
            self._sampled_and_waited(news)
            return
        account.gap = policy.GAP if news else min(max(policy.GAP, 2 * account.gap), policy.MAX_GAP)
        account.varied = (account.varied + policy.VARIATION) % 1.0
        account.rests_until = perf_counter() + self._interval()
        gap = self._gap()
        gap += int(gap * account.varied)
        self._due = account.due = account.steps + gap
        self.slice = min(gap, self._longest())

    def _longest(self) -> int:
        """Return the most steps of a slice: a call of C that has many ends by the clock."""
        return max(policy.translator.longest, self._expected())

    def _expected(self) -> int:
        """Return how many steps runs made in the time of a call of C, at the pace of the last slices."""
        return self._pace.steps_in(2 * policy.translator.sample_interval)

    def _gap(self) -> int:
        """Return the steps to the next sample in the background, at the pace of this run."""
        return max(self._account.gap, self._pace.steps_in(self._interval()))

    def _interval(self) -> float:
        """Return the seconds to the next sample: more where the last ones have found nothing to do, or where
        one takes long, as it does where much is in registers.
        """
        account = self._account
        costly = max(1.0, account.sampling.seconds / policy.USUAL_SAMPLE)
        return policy.translator.sample_interval * account.patience * costly

    def _hasten(self) -> None:
        """Have the next sample sooner where this run is slower than the one that has set when it is due: what
        starts in one procedure may run in vectors first, and not be translated at all the next time.
        """
        account = self._account
        if not self._waits and account.gap:
            self._due = account.due = min(self._due, account.steps + 2 * self._gap())

    def _sampled_and_waited(self, news: bool) -> None:
        account, translator = self._account, policy.translator
        account.due = account.steps + policy.THRESHOLD
        if news:  # the next part of the program is new, too
            account.gap = 0
            self._due = account.steps
            self.slice = translator.first_waiting
            return
        longest = min(policy.THRESHOLD, translator.longest)
        account.gap = min(2 * account.gap + translator.first_waiting, longest)
        self._due = account.steps + max(account.gap, self._pace.steps_in(self._interval()))
        self.slice = max(self.slice, translator.first_waiting)
        self._grow()

    def _grow(self) -> None:
        longest = policy.PENDING if policy.translator.pending else self._longest()
        self.slice = min(2 * self.slice, longest)


def started_in(state: State) -> Any:
    """Return the lambda of the procedure in which a run starts: where it is, or which it is to apply."""
    if state.start is not None and state.start.block is ENTRY:
        return _applied(state.start.values)
    lam = peer_at(runtime().lib.ck_state_position(state.held).block).procedure.lam
    if lam is None and state.start is not None:
        return _applied(state.start.values)
    return lam


def _applied(values: tuple[Any, ...]) -> Any:
    return next((value.lam for value in values if type(value) is Closure), None)


def _count_inner(account: Account, lam: Any) -> int:
    """Count the steps that C has made within steps, in runs of a lambda; return how many one run has had."""
    peer = None if lam is None else known_peer(lam)
    if peer is None:
        return 0
    module = runtime()
    steps, runs = module.ffi.new("int64_t *"), module.ffi.new("int64_t *")
    module.lib.ck_inner_taken(peer.pointer, account.patience, steps, runs)
    account.steps += steps[0]
    return steps[0] // runs[0] if runs[0] else 0


_inner: int = 0  # what C was told last of the steps of such runs


def watch_inner(steps: int) -> None:
    """Have C leave a run within a step to Python whenever a procedure's have made so many; 0: never."""
    global _inner  # noqa: PLW0603  (told once for all runs)
    if steps != _inner:
        runtime().lib.ck_watch_inner(steps)
        _inner = steps


_base: int = config.BASE  # what C was told last


def use_base() -> None:
    """Have derivatives within steps tape as many steps at once as the settings say now."""
    global _base  # noqa: PLW0603  (read at each run; set where it has changed)
    asked = config.base()
    if asked != _base:
        runtime().lib.ck_set_base(asked)
        _base = asked


def watch(state: State, taped: bool) -> Watch | None:
    """Return the watch of a run or sweep that starts at a state, or None: nothing is to be translated.

    taped: whether it makes tapes.
    """
    translator = policy.translator
    mode = translator.mode
    use_threads()
    use_base()
    is_off = mode == "off" or translator.gives_up
    watch_inner(0 if is_off else policy.INNER_STEPS)
    if is_off:
        return None
    try:
        if translator.pending:
            translator.poll()
        lam = started_in(state)
        account = policy.account_of(lam)
        length = _count_inner(account, lam)
        if taped:
            translator.add_tapes(account, mode == "wait")
    except Exception as error:
        translator.contain(error)
        return None
    return Watch(account, taped, mode == "wait", length)
