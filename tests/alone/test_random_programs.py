"""Executables of random programs do what `checkpoint run` does with their values and gradients."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.alone.support import agree
from tests.laws.random_programs import INPUT, NUMBERS, program

BATCH = 6  # programs of one executable
OF_CAPSULES = ("interrupt", "resume")


def batch(seed: int) -> str:
    """Return one program of many: the values and gradients of procedures, or what these raise."""
    chosen = random.Random(seed)
    parts: list[str] = []
    while len(parts) < 3 * BATCH:
        procedure = program(chosen.choice)
        if any(word in procedure for word in OF_CAPSULES):
            continue
        x = chosen.choice(NUMBERS)
        wanted = (f"({procedure} {x})", f"(*j {procedure} {x} 1)", f"(checkpoint-*j {procedure} {x} 1)")
        parts += [f"(handle {text} (failure) failure)" for text in wanted]
    return f"(list {' '.join(parts)})"


def agrees(seed: int, folder: Path) -> None:
    """Assert that the executable of a batch agrees."""
    path = folder / "batch.vlad"
    path.write_text(batch(seed))
    agree(path, INPUT)


def test_some(tmp_path: Path) -> None:
    agrees(0, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 20))
def test_many(seed: int, tmp_path: Path) -> None:
    agrees(seed, tmp_path)
