"""Jobs in processes other than the caller's: what travels, and what is done there.

In: a job and its operands. Out: bytes, of the call and of its outcome. Among the operands, a value that was
put and a task are tokens: a worker asks for what they stand for where it needs that, by its back end's means.
What always holds: a value that was put is made once of its bytes in each worker, for all jobs in a row that
have it.
"""

from __future__ import annotations

import os
import pickle
import platform
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from checkpoint import config
from checkpoint.dataclass import dataclass
from checkpoint.durable import machine
from checkpoint.errors import RunError
from checkpoint.workers.outcomes import Later, Outcome, one_of, outcome
from checkpoint.workers.travel import pickled, unpickled

BLAS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
VALUES = 3  # that were put, and that a worker keeps: as a rule a function, and what jobs are given in turn


@dataclass(frozen=True)
class Token:
    """Stands for an operand. key: by which a worker asks for it. is_task: whether it is a task."""

    key: Any
    is_task: bool


def written(job: Callable[..., Any], given: Sequence[Any], has_main: bool = False) -> bytes:
    """Return the call of a job as bytes; its operands are values and tokens. has_main: see travel.py."""
    return pickled((job, tuple(given)), has_main)


class Operands(NamedTuple):
    """The operands of a job. given: with tokens in the places of values and tasks, which the others are."""

    given: list[Any]
    values: list[Any]
    tasks: list[Any]


def operands(given: Sequence[Any], value: type, task: type, name: Callable[[Any], str]) -> Operands:
    """Return the operands of a job. value, task: the classes of what stands for values and for tasks.

    name: returns that of a value or task; the key of its token is its index among its kind, and the name.
    """
    kinds: dict[type, list[Any]] = {value: [], task: []}
    found = []
    for each in given:
        kind = kinds.get(type(each))
        if kind is None:
            found.append(each)
            continue
        if each not in kind:
            kind.append(each)
        found.append(Token((kind.index(each), name(each)), is_task=type(each) is task))
    return Operands(found, kinds[value], kinds[task])


def result_of(data: bytes) -> Any:
    """Return what the job returned whose outcome this is, or raise; print what it printed."""
    found: Outcome = unpickled(data)
    return found.taken()


def variables(size: int, there: int | None = None) -> dict[str, str]:
    """Return what an environment needs so that libraries use no more than library_threads.

    They read it when they are loaded. {}: the environment says already how many they use.
    """
    if any(name in os.environ for name in BLAS):
        return {}
    return dict.fromkeys(BLAS, str(library_threads(size, there)))


def library_threads(size: int, there: int | None = None) -> int:
    """Return how many threads a BLAS has in each of so many workers.

    For each of the threads of a run as many, they use the cores of that worker: one, unless
    CHECKPOINT_THREADS leaves some. there: see config.cores_allowed.
    """
    with one_of(size, there):
        return max(config.cores_allowed(there) // config.threads(), 1)


# In a worker


def _nothing(key: Any) -> bytes:
    raise RunError(f"nothing is known of {key}")


def answered(
    call: bytes,
    value: Callable[[Any], bytes] = _nothing,
    result: Callable[[Any], bytes] = _nothing,
    facts: machine.Facts | None = None,
    has_main: bool = False,
) -> bytes:
    """Do a job, and return its outcome.

    value, result: return the bytes of a value that was put, and of the outcome of a task, by their keys.
    facts: the machine on which runs have the bits that are wanted; None: that of this process has.
    """
    found = outcome(_called, (call, value, result, facts or {}))
    if found.error is not None:
        return pickled(Outcome(found.text, error=_travelling(found.error)))
    try:
        return pickled(found, has_main)
    except RunError as error:
        return pickled(Outcome(found.text, error=error))


def _called(
    call: bytes, value: Callable[[Any], bytes], result: Callable[[Any], bytes], facts: machine.Facts
) -> Any:
    job, given = unpickled(call)
    differing = machine.differing(facts)  # of the packages that the call has loaded, too
    if differing:
        raise RunError(
            f"runs of the worker on {platform.node()} may have other bits: {'; '.join(differing)}. Pass "
            f"anyway=True to the workers to use it all the same"
        )
    return job(*[_received(each, value, result) for each in given])


def _received(given: Any, value: Callable[[Any], bytes], result: Callable[[Any], bytes]) -> Any:
    if type(given) is not Token:
        return given
    if given.is_task:
        return Later(lambda: unpickled(result(given.key)))
    return _values.of(given.key, lambda: unpickled(value(given.key)))


class _Values:
    """The last values that were asked for, by their keys; jobs of several threads share them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[Hashable, Any] = OrderedDict()

    def of(self, key: Hashable, make: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._found:
                self._found[key] = make()
            self._found.move_to_end(key)
            while len(self._found) > VALUES:
                self._found.popitem(last=False)
            return self._found[key]


_values = _Values()


def _travelling(error: BaseException) -> BaseException:
    """Return an error that can be pickled: itself, or a RunError of its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        found = RunError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            found.add_note(note)
        return found
    return error


def share_libraries(size: int) -> None:
    """Have the libraries of a new process, that loads them later, use their part of its cores alone."""
    os.environ.update(variables(size))
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(min(torch.get_num_threads(), library_threads(size)))
