"""A schedule that spills each state it keeps, and ways to have a disk fail."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from checkpoint.driver.schedule import Actions, Advance, Drop, Keep, Restore, Reverse, Tape
from checkpoint.driver.spill.file import File
from checkpoint.driver.spill.transfers import Fetch, Spill, Wait


@dataclass(frozen=True)
class Everything:
    """Keeps a state every so many steps, and has all but the start on the disk.

    fetches: whether they are fetched ahead of their use. again: whether each is restored, spilled and
    restored once more before it is used.
    """

    spill: Path
    every: int = 7
    fetches: bool = True
    again: bool = False
    weighs = True

    def actions(self) -> Actions:
        kept = [(yield Keep()).step]
        while not (yield Advance(kept[-1] + self.every)).finished:
            kept.append((yield Keep()).step)
            yield Spill(kept[-1])
        yield Wait()
        high: int | None = None
        for step in reversed(kept):
            if self.fetches and step != kept[0]:
                yield Fetch(step)
            if self.again and step != kept[0]:
                yield Restore(step)
                yield Spill(step)
            yield Restore(step)
            yield Tape(high)
            yield Reverse()
            if step != kept[0]:
                yield Drop(step)
            high = step


class Failing:
    """Has one method of the spill file fail from its nth call on. calls: how many there were."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, method: str, at: int, error: OSError) -> None:
        self.calls = 0
        works = getattr(File, method)

        def called(file: File, *args: Any) -> Any:
            self.calls += 1
            if self.calls > at:
                raise error
            return works(file, *args)

        monkeypatch.setattr(File, method, called)
