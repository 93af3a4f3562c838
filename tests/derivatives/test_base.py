"""CHECKPOINT_BASE: how many steps derivatives inside of programs tape at once."""

from __future__ import annotations

import time
from typing import Any

import pytest

import checkpoint
from checkpoint.config import SettingError
from tests.support.corpus import engine_name, usable_engines

TEXT = """(lambda (x) (let go ((i 0) (y x)) (if (= i 2) y (go (+ i 1) (cdr (checkpoint-*j
    (lambda (z) (let in ((k 0) (w z)) (if (= k 100) w (in (+ k 1) (* 0.999 (sin w)))))) y 1))))))"""


def taken(f: Any, engine: str) -> tuple[str, str, float]:
    """Return the value, the gradient, and the CPU time of the value."""
    start = time.process_time()
    value = f(0.3)
    seconds = time.process_time() - start
    return value.hex(), checkpoint.vjp(f, 0.3, 1.0, engine=engine)[1].hex(), seconds


@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
def test_small_tapes_take_more_steps_to_the_same_bits(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "off")
    f = checkpoint.read(TEXT, engine=engine.name)
    taken(f, engine.name)
    *bits, fast = taken(f, engine.name)
    monkeypatch.setenv("CHECKPOINT_BASE", "1")
    *others, slow = taken(f, engine.name)
    assert others == bits
    assert slow > 3 * fast, "nothing was run again"


def test_a_base_is_a_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_BASE", "many")
    with pytest.raises(SettingError, match="CHECKPOINT_BASE is 'many'; write a number of steps"):
        checkpoint.read(TEXT, engine="hybrid")(0.3)
