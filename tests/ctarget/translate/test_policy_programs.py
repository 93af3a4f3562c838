"""Whole programs, with all that translates them: the results are the same in every bit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkpoint.ctarget.translate import policy, translation
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.schedule import Bisection, Schedule
from tests.ctarget.test_driver import swept
from tests.ctarget.test_engine import started
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler, new_translator

pytestmark = needs_c

LOOP = """
(lambda (x)
  (let loop ((i 0) (y x))
    (if (= i COUNT) y (loop (+ i 1) (+ y (* 0.001 (sin y)))))))
"""


Forms = tuple[str, ...]


@pytest.fixture(autouse=True)
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[policy.Translator]:
    yield from new_translator(tmp_path, monkeypatch)


RUNS: list[tuple[str, Schedule]] = [
    (LOOP.replace("COUNT", "20000"), Bisection()),
    (LOOP.replace("COUNT", "20000"), Bisection(1000)),
    (LOOP.replace("COUNT", "3000"), Binomial(base=20)),
]


@needs_compiler
@pytest.mark.parametrize(("text", "schedule"), RUNS)
def test_a_gradient_is_the_same_in_every_bit(
    text: str, schedule: Schedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[tuple[Any, Forms]] = []
    install = translation.Translation._install

    def noted(self: Any, forms: Forms, loaded: Any) -> None:
        installed.append((self.unit, forms))
        install(self, forms, loaded)

    monkeypatch.setattr(translation.Translation, "_install", noted)
    monkeypatch.setenv("CHECKPOINT_JIT", "off")
    off = swept(*started(text), schedule)
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    engine, start = started(text)
    assert swept(engine, start, schedule) == off
    assert swept(engine, start, schedule) == off
    assert {form for _, forms in installed for form in forms} == {"plain", "taped"}
    assert all(unit.headers[0].block.entry is not None for unit, _ in installed)


_PROCESS = """
import sys
import checkpoint
f = checkpoint.read(sys.argv[1])
print([checkpoint.vjp(f, x, 1.0) for x in (0.25, 0.5, 0.75)])
"""


@needs_compiler
def test_processes_that_share_a_cache_agree(tmp_path: Path) -> None:
    said = set()
    for mode in ("off", "wait", "wait", ""):
        done = subprocess.run(
            [sys.executable, "-c", _PROCESS, LOOP.replace("COUNT", "60000")],
            env={**os.environ, "CHECKPOINT_JIT": mode, "PYTHONWARNINGS": "error"},
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
        assert done.stderr == ""
        said.add(done.stdout)
    assert len(said) == 1
