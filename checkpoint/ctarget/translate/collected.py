"""Collects the units that would be translated in a run, without compiling or installing them.

In: something that runs on engine c. Out: the units, in the order in which they were made, which is that in
which the run reaches their blocks, and so the same each time. It takes no compiler.

What always holds: a block that is in a unit is not sampled again, since a machine with that unit would not be
found there. Runs are sampled often, so that what they do repeatedly is found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from checkpoint import config
from checkpoint.cps.blocks import LOOP
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate import policy
from checkpoint.ctarget.translate.emit.text import source
from checkpoint.ctarget.translate.policy import PROBE_STEPS, Account, Translator
from checkpoint.ctarget.translate.units.paths import blocks, nodes

if TYPE_CHECKING:
    from checkpoint.ctarget.translate.translation import Place, Translation
    from checkpoint.ctarget.translate.units.graph import Unit


class Collector(Translator):
    """A translator that only makes units. A run never waits for it, but is sampled as if it did."""

    first_waiting = 100
    longest = PROBE_STEPS
    sample_interval = 0.0  # what is found does not depend on time

    def __init__(self) -> None:
        super().__init__()
        self.units: list[Unit] = []
        self._covered: set[BlockPeer] = set()

    @property
    def mode(self) -> config.Translation:
        """Return "wait", whatever CHECKPOINT_JIT says."""
        return "wait"

    def contain(self, error: Exception) -> None:
        """Raise what fails: nobody waits for results."""
        raise error

    def _begin(
        self, place: Place, account: Account, taped: bool, waits: bool, is_sought: bool = False
    ) -> Translation | None:
        if place.peer in self._covered:
            return None
        translation = self._translation(place, account, may_begin=True, taped=taped)
        if translation is not None:
            self.units.append(translation.unit)
            self._covered.update([place.peer, *blocks(translation.unit)])
        return translation


def units_of(runs: Callable[[], object]) -> list[Unit]:
    """Return the units of what runs; what it raises is raised."""
    before, collector = policy.translator, Collector()
    policy.translator = collector
    try:
        runs()
    finally:
        policy.translator = before
    return collector.units


def procedure_names(unit: Unit) -> list[str]:
    """Return the names of the procedures and loops whose blocks are in a unit, that of its entry first."""
    found = list(dict.fromkeys([node.block for node in nodes(unit)]))
    names = [_procedure(block) for block in found]
    loops = [block.block.label.removeprefix(LOOP) for block in found if block.block.label.startswith(LOOP)]
    return list(dict.fromkeys([*names, *loops]))


def listing(unit: Unit, forms: tuple[str, ...]) -> str:
    """Return a unit's forms, "plain", "taped" or both, as C, after a line that says what it is of."""
    block = unit.headers[0].block
    written = tuple([form for form in forms if form != "taped" or unit.tapes])
    but = "" if written == forms else ", which the machine itself records"
    title = f"/* {_procedure(block)}, from block {block.block.label} on{but} */\n"
    return title + source(unit, *written) if written else title


def _procedure(block: BlockPeer) -> str:
    """Return the name of a block's procedure, as `--procedure` has it."""
    lam = block.procedure.lam
    return (lam.name if lam is not None else None) or "lambda"
