"""What a job leaves: what it printed, and what it returned or raised; and its share of the machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from checkpoint import config
from checkpoint.driver import memory


@dataclass(frozen=True)
class Outcome:
    """What a job left. text: what it printed. error: what it raised, or None."""

    text: str
    value: Any = None
    error: BaseException | None = None

    def taken(self) -> Any:
        """Print what was printed; return the value, or raise the error."""
        if self.text:
            print(self.text, end="")
        if self.error is not None:
            raise self.error
        return self.value


def outcome(text: Callable[[], str], job: Callable[..., Any], given: tuple[Any, ...]) -> Outcome:
    """Call a job; text: returns what it has printed."""
    try:
        value = job(*given)
    except Exception as error:
        return Outcome(text(), error=error)
    return Outcome(text(), value)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def one_of(size: int) -> Iterator[None]:
    """Have runs use the share of the memory and of the cores that one of so many workers has."""
    with memory.divided_among(size), config.threads_at_most(max(cores() // size, 1)):
        yield
