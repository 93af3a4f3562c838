"""When and what is translated, with stand-ins for what makes units."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from checkpoint import config
from checkpoint.ctarget.code import peer_at
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate import policy
from checkpoint.ctarget.translate.compile import compiler, install
from checkpoint.ctarget.translate.effort import (
    EXPECTED,
    FREE,
    LAST,
    OFTEN,
    SHARE,
    SHARE_COLD,
    Effort,
    RecentBlocks,
)
from checkpoint.ctarget.translate.emit import text
from checkpoint.ctarget.translate.specialise import entries, observe, region
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.effects import Effects
from checkpoint.driver.schedule import Bisection, Schedule
from checkpoint.errors import TranslationWarning
from tests.ctarget.test_driver import swept
from tests.ctarget.test_engine import started
from tests.ctarget.translate.shared_objects import (
    calls,
    counting_compiler,
    fake_compiler,
    needs_c,
    needs_compiler,
    new_translator,
    plain,
)

pytestmark = needs_c

LOOP = """
(lambda (x)
  (let loop ((i 0) (y x))
    (if (= i COUNT) y (loop (+ i 1) (+ y (* 0.001 (sin y)))))))
"""


@pytest.fixture(autouse=True)
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[policy.Translator]:
    yield from new_translator(tmp_path, monkeypatch)


def by_debugger() -> bool:
    """Return whether a debugger or sanitizer must be able to find the units."""
    by = compiler.find()
    return by is not None and by.debugs


Forms = tuple[str, ...]
PLAIN, TAPED, BOTH = ("plain",), ("taped",), ("plain", "taped")


@dataclass
class Fakes:
    """Stand-ins for all that makes units, which note the requests that they receive.

    refuses: no block is worth it.
    """

    sampled: list[str] = field(default_factory=list)
    written: list[Forms] = field(default_factory=list)
    installed: list[Forms] = field(default_factory=list)
    refuses: bool = False
    text: str = plain(1)

    def seen(self, held: Any) -> tuple[Any, dict[int, Any]]:
        return peer_at(runtime().lib.ck_machine_position(held).block), {}

    def specialise(self, peer: Any, *seen: Any) -> Any:
        self.sampled.append(peer.block.label)
        return (
            None
            if self.refuses
            else SimpleNamespace(headers=[SimpleNamespace(block=peer, entry=())], tapes=True)
        )

    def fits(self, unit: Any, *standing: Any) -> bool:
        return True

    def source(self, unit: Any, *forms: str, lines: bool = True) -> str:
        assert lines == by_debugger()
        self.written.append(forms)
        return f"{self.text}/* {forms} */\n"

    def prologue_words(self, unit: Any) -> int:
        return 3

    def blocks(self, unit: Any) -> set[Any]:
        return {header.block for header in unit.headers}

    def install(self, unit: Any, plain: Any, taped: Any, prologue: int = 0) -> None:
        assert prologue == (0 if taped is None else 3)
        given = {"plain": plain, "taped": taped}
        self.installed.append(tuple([form for form, loaded in given.items() if loaded is not None]))


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Fakes:
    made = Fakes()
    monkeypatch.setattr(observe, "seen", made.seen)
    monkeypatch.setattr(region, "specialise", made.specialise)
    monkeypatch.setattr(entries, "fits", made.fits)
    monkeypatch.setattr(text, "source", made.source)
    monkeypatch.setattr(text, "prologue_words", made.prologue_words)
    monkeypatch.setattr(install, "install", made.install)
    monkeypatch.setattr("checkpoint.ctarget.translate.units.paths.blocks", made.blocks)
    return made


def loop(count: int) -> tuple[Any, Any]:
    """Return the engine, and the start of a run of its own program, of about 8 steps for each count."""
    return started(LOOP.replace("COUNT", str(count)))


def advanced(count: int) -> None:
    """Run a program of its own once, without a tape."""
    engine, start = loop(count)
    engine.advance(start, None, Effects())


# When


@needs_compiler
def test_a_run_makes_the_plain_form_and_a_tape_makes_both(fakes: Fakes) -> None:
    engine, start = loop(3000)
    engine.advance(start, None, Effects())
    assert fakes.written
    assert set(fakes.written) == {PLAIN}
    assert fakes.installed == fakes.written
    advanced = len(fakes.written)
    engine.tape(start, None, Effects())
    new = fakes.written[advanced:]
    assert new.count(TAPED) == advanced  # of what has the plain form only that which it lacks
    assert new.count(BOTH) == len(new) - advanced == len(fakes.sampled) - advanced
    assert sorted(fakes.installed) == sorted(fakes.written)
    assert len(set(fakes.sampled)) == len(fakes.sampled)


@pytest.mark.parametrize("schedule", [Bisection(), Bisection(100), Binomial(snapshots=5), Binomial(base=300)])
@needs_compiler
def test_a_sweep_makes_both_forms_however_short_its_runs_are(schedule: Schedule, fakes: Fakes) -> None:
    swept(*loop(5000), schedule)
    assert fakes.written == [BOTH] * len(fakes.sampled)
    assert fakes.written
    assert sorted(fakes.installed) == sorted(fakes.written)


def test_a_block_that_is_refused_is_tried_once_more(fakes: Fakes) -> None:
    """Without following recursions to their ends; no more often than that."""
    fakes.refuses = True
    engine, start = loop(20_000)
    for _ in range(2):
        engine.advance(start, None, Effects())
    assert fakes.sampled
    assert all(fakes.sampled.count(label) <= 2 for label in fakes.sampled)
    assert fakes.written == []


@needs_compiler
def test_the_number_of_units_is_limited(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "MAX_UNITS", 0)
    advanced(5000)
    assert fakes.sampled == []
    monkeypatch.setattr(policy, "MAX_UNITS", 1)
    advanced(5000)
    assert len(fakes.sampled) == 1


@pytest.mark.parametrize("mode", ["off", "", "wait"])
def test_a_short_run_is_not_sampled(mode: str, fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", mode)
    advanced(50)
    assert fakes.sampled == []


def test_nothing_is_sampled_when_translation_is_off(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "off")
    engine, start = loop(200_000)
    engine.advance(start, None, Effects())
    swept(engine, start, Bisection())
    assert fakes.sampled == []


@needs_compiler
def test_the_steps_of_short_runs_add_up(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    engine, start = loop(2000)
    steps = engine.advance(start, None, Effects()).steps - start.steps
    runs = 1
    while not fakes.sampled:
        assert runs * steps < policy.THRESHOLD + 20 * steps
        engine.advance(start, None, Effects())
        runs += 1
    assert runs * steps > policy.THRESHOLD
    for each in translator.pending:
        each.wait()
    engine.advance(start, None, Effects())  # and what is compiled is there as soon as a run begins
    assert fakes.installed == [PLAIN] * len(fakes.written)


@needs_compiler
def test_a_run_does_not_wait_for_translation_in_the_background(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, translator: policy.Translator
) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    gate = tmp_path / "gate"
    by = counting_compiler(tmp_path)
    path = fake_compiler(tmp_path / "cc", f'while [ ! -e "{gate}" ]; do sleep 0.01; done; exec "{by}" "$@"')
    monkeypatch.setenv("CC", str(path))
    try:
        advanced(200_000)
        count = len(fakes.written)
        assert 1 <= count == len(fakes.sampled) == len(translator.pending) <= policy.MAX_PENDING
        assert fakes.installed == []
    finally:
        gate.touch()
    for each in translator.pending:
        each.wait()
    advanced(1)  # any run installs what is there
    assert fakes.installed == [PLAIN] * count
    assert translator.pending == []
    # Of the same text in the cache nothing is compiled, nor waited for.
    translator.effort.spent = 0.0  # of the time at the gate
    advanced(200_001)
    assert len(fakes.installed) == len(fakes.written) > count
    assert calls(tmp_path) <= count


def test_a_block_inside_of_a_unit_is_skipped_a_few_times(translator: policy.Translator) -> None:
    account, inside = policy.Account(), ("loop", False)
    may_make = [translator._may_make(account, inside, account, True)]
    account.inside[inside] = 0
    may_make += [translator._may_make(account, inside, account, True) for _ in range(policy.MAX_SKIPS + 1)]
    assert may_make == [True] + [False] * policy.MAX_SKIPS + [True]
    assert not translator._may_make(account, inside, account, False)


def test_hot_blocks_may_take_more_time() -> None:
    effort = Effort()
    assert effort.allows(is_hot=True)
    assert not effort.allows(is_hot=False)
    effort.ran = 1.01 * EXPECTED / SHARE_COLD
    assert effort.allows(is_hot=False)
    effort.spent = EXPECTED
    assert not effort.allows(is_hot=False)
    assert effort.allows(is_hot=True)
    effort.spent = 1.01 * (FREE + SHARE * effort.ran)
    assert not effort.allows(is_hot=True)


def test_no_block_of_very_many_is_hot() -> None:
    many, few = RecentBlocks(), RecentBlocks()
    assert not any(many.add(number % LAST) for number in range(10 * LAST))
    assert any(few.add(number % (LAST // OFTEN)) for number in range(LAST))


@needs_compiler
def test_a_cold_block_waits_for_its_turn_in_the_background(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    monkeypatch.setattr(RecentBlocks, "add", lambda self, block: False)
    advanced(300_000)
    assert fakes.sampled == []
    assert 0 < translator.effort.ran < EXPECTED / SHARE_COLD
    translator.effort.ran = 1e6
    advanced(300_001)
    assert fakes.sampled


# Failures


def texts(recorded: list[warnings.WarningMessage]) -> list[str]:
    return [str(each.message) for each in recorded if each.category is TranslationWarning]


def test_runs_without_a_compiler_warn_once_and_continue_in_the_machine(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "/nonexistent/cc")
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        advanced(50)
        assert texts(recorded) == []
        for _ in range(3):
            advanced(5000)
    (text,) = texts(recorded)
    assert text.startswith("there is no C compiler: set CC to name one")
    assert fakes.written == []


def test_runs_that_are_not_translated_do_not_warn_without_a_compiler(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "/nonexistent/cc")
    fakes.refuses = True
    advanced(5000)
    assert fakes.sampled


def test_a_failing_compiler_warns_once_and_is_not_called_for_ever(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, translator: policy.Translator
) -> None:
    path = fake_compiler(tmp_path / "cc", f'echo >>"{tmp_path}/calls"; echo no licence >&2; exit 3')
    monkeypatch.setenv("CC", str(path))
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        for count in range(5000, 5010):
            advanced(count)
    (text,) = texts(recorded)
    assert text.startswith(f"the C compiler has failed: {path} ended with the status 3: no licence")
    assert fakes.installed == []
    assert translator.gives_up
    assert calls(tmp_path) == policy.MAX_FAILURES


@needs_compiler
def test_a_unit_that_does_not_compile_does_not_stop_others(
    fakes: Fakes, translator: policy.Translator
) -> None:
    fakes.text = "nonsense"
    with pytest.warns(TranslationWarning, match="the C compiler has failed"):
        advanced(5000)
    fakes.text = plain(2)
    advanced(5001)
    assert PLAIN in fakes.installed
    assert not translator.gives_up


def test_an_unknown_mode_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "never")
    with pytest.raises(config.SettingError, match="CHECKPOINT_JIT is 'never'; write wait or off"):
        advanced(5)


# Slices
