"""What a job leaves: what it printed, and what it returned or raised; and its share of the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from checkpoint import config
from checkpoint.cores import cores
from checkpoint.dataclass import dataclass
from checkpoint.driver import memory
from checkpoint.errors import RunError
from checkpoint.workers.printing import apart


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
        return self.quietly()

    def quietly(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def outcome(job: Callable[..., Any], given: tuple[Any, ...]) -> Outcome:
    """Call a job, and return what it leaves."""
    with apart() as text:
        try:
            value = job(*given)
        except Exception as error:
            return Outcome(text.getvalue(), error=error)
        return Outcome(text.getvalue(), value)


class Later:
    """Stands in a job for a task among its operands: the job waits for the result where it needs it."""

    def __init__(self, outcome: Callable[[], Outcome]) -> None:
        self._outcome = outcome

    def value(self) -> Any:
        """Return the result of the task, or raise its error, once it has ended."""
        return self._outcome().quietly()


def checked_size(size: int | None) -> int:
    """Return how many workers are meant: None stands for one on each core."""
    if size is None:
        return cores()
    if type(size) is not int or size < 1:
        raise RunError(f"a number of workers is an int from 1 on, not {size!r}")
    return size


@contextmanager
def one_of(size: int, there: int | None = None) -> Iterator[None]:
    """Have runs use the share of the memory and of the cores that one of so many workers has.

    there: see config.cores_allowed.
    """
    with memory.divided_among(size), config.threads_at_most(max(config.cores_allowed(there) // size, 1)):
        yield
