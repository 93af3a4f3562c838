"""The memory that a gradient may take: a user's setting in bytes, and the memory free to this process.

In: `memory` as users give it (Memory), and what the system says. Out: bytes of the host's memory.
Free is the least of what the machine has available, what every control group around this process leaves
(containers, services, batch jobs), what RLIMIT_AS and RLIMIT_DATA leave, and CHECKPOINT_MEMORY. What a group
keeps of files that nobody has open counts as free: the kernel takes it back before anything fails.
The system is asked only if the answer depends on it, only when that answer is requested, and for a share of
what is free not again within FRESH seconds; limits and settings of the process hold at once.

Sources: the kernel's documentation, admin-guide/cgroup-v1/memory.rst; getrlimit(2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from importlib import import_module
from math import inf
from time import perf_counter
from typing import Any

from checkpoint import config, control_groups
from checkpoint.ad.array_library import installed
from checkpoint.ad.library import load_imported
from checkpoint.control_groups import Folder
from checkpoint.errors import RunError

Memory = int | float | str | Mapping[str, int | float | str] | None

SHARE = 4  # the default is this fraction (1 / SHARE) of what is free,
MOST = 4 * 2**30  # and at most this,
LEAST = 16 * 2**20  # but no less than this, where half of what is free is more

# Seconds for which an answer of the system holds: asking takes 0.1 ms, a small gradient not much longer, and
# a core fills no more than some 100 MiB meanwhile.
FRESH = 0.02

_WRITE = "write a size, such as '512MiB', or a share of what is free, such as '25%'"


def check(memory: Memory) -> None:
    """Raise RunError, which says what to write, unless `memory` is valid. The machine is not examined.

    >>> check("512MiB")
    """
    _amount(memory)


def resolve(memory: Memory) -> int:
    """Return the bytes of host memory that `memory` denotes, at least 1.

    memory: bytes (an int, or a text such as "512MiB" or "1.5 GB"); a share of what is free now (a float up to
    1, or a text such as "25%"); None: a quarter of what is free, at most 4 GiB
    and, if free, at least 16 MiB; {"host": one of these}, where entries for devices
    may stand beside it.
    Raises RunError, as `check` does.

    >>> resolve("1.5 KiB"), resolve({"host": 4096})
    (1536, 4096)
    """
    amount = _amount(memory)
    if type(amount) is int:
        return amount
    resolved = _resolved.get()
    if resolved is None:
        return _share_of_free(amount)
    if amount not in resolved:
        resolved[amount] = _share_of_free(amount)
    return resolved[amount]


def _share_of_free(share: float | None) -> int:
    mine = lately_free() // _sharers.get()
    return _default(mine) if share is None else max(1, int(mine * share))


def _default(free: int) -> int:
    return max(1, min(MOST, max(free // SHARE, min(LEAST, free // 2))))


_resolved: ContextVar[dict[float | None, int] | None] = ContextVar("checkpoint.resolved", default=None)


def is_share(memory: Memory) -> bool:
    """Return whether `memory` is a share of what is free, so that resolving it examines the machine.

    >>> is_share("25%"), is_share("1 GiB")
    (True, False)
    """
    return type(_amount(memory)) is not int


@contextmanager
def resolved_once() -> Iterator[None]:
    """Resolve a share to the same bytes each time within a `with`, so that coroutines of a schedule agree."""
    token = _resolved.set({})
    try:
        yield
    finally:
        _resolved.reset(token)


_sharers: ContextVar[int] = ContextVar("checkpoint.sharers", default=1)


@contextmanager
def divided_among(count: int) -> Iterator[None]:
    """Within a `with`, take what is free to be shared by so many runs at the same time, in equal parts."""
    token = _sharers.set(_sharers.get() * count)
    try:
        yield
    finally:
        _sharers.reset(token)


def written(bytes: int) -> str:
    """Return a number of bytes as text.

    >>> written(1023), written(3 * 2**29)
    ('1023 B', '1.5 GiB')
    """
    if bytes < 2**10:
        return f"{bytes} B"
    power = min((bytes.bit_length() - 1) // 10, 4)
    return f"{bytes / 2 ** (10 * power):.1f} {'KMGT'[power - 1]}iB"


# Settings


def _amount(memory: Memory) -> int | float | None:
    """Return a size in bytes as an int, a share as a float, and None for the default."""
    if memory is None:
        return None
    if isinstance(memory, Mapping):
        return _of_host(memory)
    return _given(memory, "memory")


def has_devices(memory: Memory) -> bool:
    """Return whether `memory` bounds that of a device besides the host's."""
    return isinstance(memory, Mapping) and any(device != "host" for device in memory)


def _of_host(memory: Mapping[str, Any]) -> int | float | None:
    for device in memory:
        if device != "host":
            _check_device(device)
            _given(memory[device], f"memory[{device!r}]")
    if not memory:
        raise RunError("memory has no entry: write {'host': '512MiB'}, or the size alone")
    return _given(memory["host"], "memory['host']") if "host" in memory else None


def _check_device(device: Any) -> None:
    """Raise RunError unless a library that is imported has arrays on a device of this name."""
    load_imported()
    known = sorted({name for library in installed for name in library.devices()})
    if device not in known:
        there = f"the devices here are {', '.join(map(repr, known))}" if known else "there is no device here"
        raise RunError(
            f"memory has an entry for {device!r}, but no imported library has arrays there: {there}, so "
            "write {'host': ...}, or the size alone"
        )


def _given(amount: Any, what: str) -> int | float:
    """Return one size in bytes as an int, or a share as a float; `what` names the setting in messages."""
    if isinstance(amount, str):
        return _of_text(amount, what)
    from numbers import Integral, Real  # noqa: PLC0415  (few bounds are numbers)

    if isinstance(amount, bool) or not isinstance(amount, Real):
        raise RunError(f"{what} is a size in bytes or a text, not {amount!r}: {_WRITE}")
    if isinstance(amount, Integral):
        if int(amount) < 1:
            raise RunError(f"{what} must be at least 1 byte, not {amount!r}: {_WRITE}")
        return int(amount)
    share = float(amount)
    if not 0 < share <= 1:
        raise RunError(
            f"{what} is {amount!r}, and a float is a share of what is free, above 0 and at most 1.0: "
            "write bytes as an int, or a text such as '512MiB'"
        )
    return share


@lru_cache(maxsize=64)  # a warm call should cost little
def _of_text(text: str, what: str) -> int | float:
    if text.rstrip().endswith("%"):
        share = _percent(text.rstrip()[:-1])
        if not 0 < share <= 100:
            raise RunError(f"{what} is {text!r}: a share is above 0% and at most 100%")
        return share / 100
    found = config.size(text)
    if found is None:
        raise RunError(f"{what} is {text!r}: {_WRITE}")
    return found


def _percent(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0  # the caller refuses 0 as a share


# Free memory


def free(proc: Folder = control_groups.PROC, cgroups: Folder = control_groups.GROUPS) -> int:
    """Return how many more bytes this process can hold. proc, cgroups: where the system describes itself."""
    return _within_limits(_left_by_system(proc, cgroups))


def lately_free() -> int:
    """Return what is free, where the system has been asked within FRESH seconds."""
    return _within_limits(_system.left())


class _System:
    """The system, which is asked for the bytes that it leaves. last: when it was, and what it said."""

    def __init__(self) -> None:
        self.last = -inf, 0

    def left(self) -> int:
        """Return what it leaves, or left within FRESH seconds."""
        (when, left), now = self.last, perf_counter()
        if now - when > FRESH:
            left = _left_by_system(control_groups.PROC, control_groups.GROUPS)
            self.last = now, left
        return left


_system = _System()


def _left_by_system(proc: Folder, cgroups: Folder) -> int:
    """Return the bytes that the machine and the control groups around this process leave."""
    system = import_module("psutil")  # here, since most runs never ask
    left: int = min([system.virtual_memory().available, *_left_by_groups(proc, cgroups)])
    return left


def _within_limits(left: int) -> int:
    """Return what the limits of the process, and CHECKPOINT_MEMORY, leave of so many bytes."""
    bounds = [left, *_left_by_limits()]
    limit = config.memory()
    if limit is not None:
        bounds.append(limit)
    return max(0, min(bounds))


# The files of a group, by its version: its limits (above memory.high all is slowed down) and what it uses;
# and the line of memory.stat that says what of that are files which nobody uses.
UNLIMITED = 2**62  # bytes: what version 1 has for no limit is more
_FILES: dict[int, tuple[tuple[str, ...], str, str]] = {
    1: (("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file"),
    2: (("memory.max", "memory.high"), "memory.current", "inactive_file"),
}


def _left_by_groups(proc: Folder, cgroups: Folder) -> Iterator[int]:
    """Yield the bytes that each control group around this process with a limit leaves."""
    for version, folder in control_groups.folders("memory", proc, cgroups):
        of_limits, of_use, idle = _FILES[version]
        found = [_number(f"{folder}/{name}") for name in of_limits]
        limits = [limit for limit in found if limit is not None and limit < UNLIMITED]
        used = _number(f"{folder}/{of_use}") if limits else None
        if used is not None:
            yield min(limits) - used + min(used, _statistic(f"{folder}/memory.stat", idle))


def _number(path: str) -> int | None:
    """Return the number in a file; None where there is none: no such file, or "max"."""
    text = control_groups.text_of(path).strip()
    return int(text) if text.isdecimal() else None


def _statistic(path: str, name: str) -> int:
    """Return the number of a name in a file of names and numbers; 0 where there is none."""
    lines = control_groups.text_of(path).splitlines()
    return next((int(words[1]) for line in lines if (words := line.split())[:1] == [name]), 0)


def _left_by_limits() -> Iterator[int]:
    """Yield the bytes that the limits of the process leave, of its address space and of its data."""
    try:
        limits = import_module("resource")
    except ImportError:
        return  # Windows has no such limits
    for limit, use in ((limits.RLIMIT_AS, "vms"), (limits.RLIMIT_DATA, "data")):
        most = limits.getrlimit(limit)[0]
        if most != limits.RLIM_INFINITY:
            # Where the system does not say how much is allocated (macOS), it may be none.
            yield most - getattr(import_module("psutil").Process().memory_info(), use, 0)
