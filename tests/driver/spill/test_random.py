"""Random functions of arrays have the same bits with all arrays of all states on a disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.driver.schedule import Plain
from checkpoint.driver.spill import parked, shelf
from tests.driver.spill.everything import Everything
from tests.durable.child import procedure_and_argument
from tests.durable.round_trips import bits, described, quietly, run_of_rest, weights
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines() if engine.name != "interp"]


def found(seed: int, generator: str, engine: str, schedule: Any) -> str:
    """Return the value and the cotangents of a random function as a text of all bits, or its error."""
    f, x = procedure_and_argument(generator, seed)
    with quietly():
        try:
            whole = run_of_rest(checkpoint.interrupt(f, x, 0, engine=engine), engine)
            y, zbar = whole.vjp(weights, schedule)
            return f"{described(y)} | {' '.join(map(bits, zbar.numbers))}"
        except Exception as error:  # whatever the program raises
            return f"{type(error).__name__}: {error}"


def agree(seeds: range, generator: str, engine: str, tmp_path: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(parked, "LEAST_BYTES", 1)
    patch.setattr(parked, "OBJECT_BYTES", 0)
    puts: list[bool] = []
    works = shelf.Shelf.put

    def put(*args: Any) -> bool:
        puts.append(works(*args))
        return puts[-1]

    patch.setattr(shelf.Shelf, "put", put)
    for seed in seeds:
        plain = found(seed, generator, engine, Plain())
        schedule = Everything(tmp_path, every=3, again=seed % 2 == 0)
        assert found(seed, generator, engine, schedule) == plain, seed
    assert puts.count(True) > len(seeds)


@pytest.mark.parametrize("engine", ENGINES)
def test_random_functions_of_arrays(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(range(12), "arrays", engine, tmp_path, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
def test_many_random_functions(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(range(12, 1000), "arrays", engine, tmp_path, monkeypatch)
