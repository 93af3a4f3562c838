"""Change saved capsules and cotangents at random, with right checksums, and load them.

    python -m experiments.random.files --seconds 500 --seed 1
    python -m experiments.random.files --first 1234 --files 1 --seed 1

File i is drawn from the seed and i: bytes are replaced, moved, doubled and left out in some sections. A load
ends in a DurableError or in a value, within 10 seconds of CPU and within the bound of memory; the rest of a
capsule that could be loaded is run for some steps, which may fail, but not crash. What does not hold is
printed, and the status is then 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import tracemalloc
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import checkpoint
from checkpoint.ad.values import Capsule
from checkpoint.ctarget.capsules import runs
from checkpoint.durable import format
from checkpoint.errors import CheckpointError, DurableError
from tests.durable import subjects
from tests.durable.test_files import resealed

CHUNK = 200  # files of a process
SECONDS = 10  # of a file's CPU
STEPS = 200  # of the rest of a capsule
MEMORY = 2 * 2**30  # of a process
FRAMES = 10  # of a run of frames, from which on it is read as columns: small capsules have no more
EXTREMES = (0, 1, 0x7F, 0x80, 0xFF)

Subject = tuple[str, bytes, Any]  # its name, a file, and with what that is loaded


def saved() -> list[Subject]:
    """Return a capsule of each subject, half-way, and its cotangent, as files."""
    found: list[Subject] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "z"
        for name, x in subjects.ARGUMENTS.items():
            f = getattr(subjects, name)
            z = checkpoint.interrupt(f, x, checkpoint.primops(f, x) // 2)
            z.save(path)
            found.append((name, path.read_bytes(), f))
            try:
                checkpoint.vjp(checkpoint.resume, z)[1].save(path)
            except CheckpointError:  # it has no gradient
                continue
            found.append((f"cotangent of {name}", path.read_bytes(), z))
    return found


def changed(data: bytes, random: Random) -> bytes:
    """Return a file with changes in some of its sections."""
    chosen = {random.choice(format.SECTIONS) for _ in range(random.choice((1, 1, 2)))}

    def change(name: str, content: bytearray) -> None:
        for _ in range(random.choice((1, 1, 2, 4)) if name in chosen and content else 0):
            _change(content, random)

    return resealed(data, change)


def _change(content: bytearray, random: Random) -> None:
    """Change a section once."""
    at, width = random.randrange(len(content) + 1), random.choice((1, 1, 2, 4, 8))
    match random.randrange(6):
        case 0 | 1:
            content[at : at + width] = random.randbytes(width)
        case 2:
            content[at : at + width] = bytes([random.choice(EXTREMES)]) * width
        case 3:
            del content[at : at + width]
        case 4:
            content[at:at] = content[at : at + random.randrange(40)]
        case _:
            other = random.randrange(len(content) + 1)
            content[at : at + width] = content[other : other + width]


def loaded(path: Path, data: bytes, given: Any) -> Any:
    """Return what a file holds; AssertionError where loading it takes more memory than it may."""
    path.write_bytes(data)
    tracemalloc.start()
    try:
        found = checkpoint.load(path, given, anyway=True)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak <= 33 * len(data) + 2**20, f"{peak:,} bytes for a file of {len(data):,}"
    return found


def end_of(path: Path, data: bytes, given: Any) -> str:
    """Return in which way the loading of a file, and some steps of its rest, end."""
    try:
        found = loaded(path, data, given)
    except DurableError:
        return "refused"
    if not isinstance(found, Capsule):
        return "loaded"
    try:
        checkpoint.interrupt(checkpoint.resume, found, STEPS)
    except (AssertionError, SystemExit):
        raise
    except Exception:  # its own, or that it is shorter
        return "loaded, fails"
    return "loaded, runs"


def checked(numbers: tuple[int, range, list[Subject]]) -> tuple[Counter[str], list[tuple[int, str]]]:
    """Return how some files end, and what is wrong; the process has a handler of SIGPROF."""
    seed, ends, wrong = numbers[0], Counter[str](), []
    with tempfile.TemporaryDirectory() as folder:
        for i in numbers[1]:
            random = Random(f"{seed} file {i}")
            name, data, given = random.choice(numbers[2])
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                ends[end_of(Path(folder) / "z", changed(data, random), given)] += 1
            except (Exception, SystemExit):
                ends["wrong"] += 1
                wrong.append((i, f"{name}: {traceback.format_exc(-4)}"))
            signal.setitimer(signal.ITIMER_PROF, 0)
    return ends, wrong


def _too_slow(*_: Any) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds")


def _answer(send: Connection, numbers: tuple[int, range, list[Subject]]) -> None:
    """Send what `checked` returns; this process has bounds from here on."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGPROF, _too_slow)
    send.send(checked(numbers))


def forked(numbers: tuple[int, range, list[Subject]]) -> tuple[Counter[str], list[tuple[int, str]]]:
    """Return what `checked` does, from a forked process; one that crashes is wrong."""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(send, numbers))
    child.start()
    send.close()
    try:
        found: tuple[Counter[str], list[tuple[int, str]]] = receive.recv()
    except EOFError:
        child.join()
        found = (
            Counter(wrong=1),
            [(numbers[1][0], f"the process of {numbers[1]} ended with {child.exitcode}")],
        )
    child.join()
    return found


def main() -> int:
    """Check files until the time is over, or so many."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--files", type=int, default=1 << 60)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    runs.DEEP = FRAMES
    written, ends = saved(), Counter[str]()
    began, at, last = time.monotonic(), given.first, given.first + given.files
    while at < last and time.monotonic() - began < given.seconds:
        chunk = range(at, min(at + CHUNK, last))
        found, wrong = forked((given.seed, chunk, written))
        ends += found
        for i, text in wrong:
            print(f"file {i} of seed {given.seed}, {text}", flush=True)
        at = chunk.stop
    spent = time.monotonic() - began
    print(f"{at - given.first:,} files in {spent:.0f} s: {dict(ends.most_common())}", flush=True)
    return ends["wrong"] > 0


if __name__ == "__main__":
    os.environ.setdefault("CHECKPOINT_JIT", "off")
    sys.exit(main())
