"""Gradients with a journal that are killed again and again, and what a journal costs.

kills   processes that take one gradient are ended by SIGKILL at random moments, each up to --life seconds
        after it has begun, until so many were killed; each result is compared, in all bits, with that of a
        gradient without a journal. `lost` is what `Progress.unsaved` said last before a kill, in seconds: the
        work that runs again. Processes are forked, so that none has to translate the function again.
cost    the CPU time of the gradient with a journal over that without one, in one process, in turn.

Reproduce (Linux, with a C compiler):

    python -m experiments.journal.run --kills 200 --keep
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import tempfile
import time
from random import Random
from typing import Any

from experiments import common
from experiments.journal.subject import MEMORY, gradient


def started(journal: str, turns: int) -> tuple[int, Any]:
    """Return a new process that takes the gradient, and the pipe from which its reports come."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, os.fdopen(reading)
    os.close(reading)
    os.dup2(writing, 1)
    status = 1
    try:
        print("result", gradient(journal, turns, told=True), flush=True)
        status = 0
    finally:
        os._exit(status)


def killed(journal: str, turns: int, life: float) -> tuple[float | None, str | None]:
    """Take a gradient for so many seconds; return what the kill lost, or None and the result."""
    process, reports = started(journal, turns)
    lines = [reports.readline()]  # the journal is open
    time.sleep(life)
    os.kill(process, signal.SIGKILL)  # of one that has ended already, and waits, nothing is killed
    _, status = os.waitpid(process, 0)
    lines += reports.readlines()
    reports.close()
    if os.WIFSIGNALED(status):
        told = [line for line in lines if line.endswith("\n") and not line.startswith("result")]
        return float(told[-1].split()[2]), None
    assert lines[-1].startswith("result"), f"the gradient failed: {lines[-3:]}"
    return None, lines[-1]


def kill_again_and_again(kills: int, turns: int, life: float, seed: int = 1) -> dict[str, Any]:
    """Kill processes so many times; return how many gradients were finished meanwhile, and what was lost."""
    expected = f"result {gradient(None, turns)}\n"
    lost: list[float] = []
    random, finished, wrong = Random(seed), 0, 0
    while len(lost) < kills:
        with tempfile.TemporaryDirectory() as journal:
            result = None
            while result is None:
                loss, result = killed(journal, turns, random.uniform(0.0, life))
                if loss is not None:
                    lost.append(loss)
            finished += 1
            wrong += result != expected
    return {
        "kills": len(lost),
        "gradients": finished,
        "wrong": wrong,
        "lost, median": round(statistics.median(lost), 2),
        "lost, most": round(max(lost), 2),
    }


def cost(turns: int, memory: str, repeats: int) -> dict[str, Any]:
    """Return the CPU times of a gradient without and with a journal, medians, and their ratio."""
    plain, journalled = [], []
    folder = tempfile.mkdtemp()
    for i in range(repeats + 1):  # the first one translates
        times, found = [], []
        for journal in (None, f"{folder}/{i}"):
            began = time.process_time()
            found.append(gradient(journal, turns, memory))
            times.append(time.process_time() - began)
        assert found[0] == found[1]
        if i:
            plain.append(times[0])
            journalled.append(times[1])
    shutil.rmtree(folder)
    ratios = [other / one for one, other in zip(plain, journalled, strict=True)]
    return {
        "memory": memory,
        "turns": turns,
        "plain": round(statistics.median(plain), 2),
        "with journal": round(statistics.median(journalled), 2),
        "ratio": round(statistics.median(ratios), 3),
    }


def main() -> None:
    options = common.keepable(common.parser(__doc__ or ""))
    options.add_argument("--kills", type=common.natural, default=200)
    options.add_argument(
        "--life", type=common.positive, default=2.0, help="seconds that a process has at most"
    )
    options.add_argument("--turns", type=common.natural, default=200_000_000)
    given = options.parse_args()
    gradient(None, 100_000)
    rows = [cost(given.turns, memory, given.repeats) for memory in (MEMORY, "1GiB")]
    for row in rows:
        print(row, flush=True)
    kills = kill_again_and_again(given.kills, given.turns, given.life)
    print(kills)
    if given.keep:
        common.save("journal", given.engine, cost=rows, kills=kills)


if __name__ == "__main__":
    main()
