"""Callers of a run that is handed on are killed again and again; their workers end with them.

    python -m experiments.relay.kills [--kills N] [--life SECONDS] [--on processes|ray]

Question: does the same call, with a journal and new workers each time, return the same bits? Callers are
ended by SIGKILL at random moments, each up to --life seconds after its gradient has begun, until so many were
killed. A gradient that is finished is compared, in all bits, with that of one process; another one begins.
Out: a line; with --keep experiments/results/relay-kills-processes-c.json, or -ray-c.json.
"""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

import checkpoint
from checkpoint.workers import Processes, Ray
from experiments import common

MEMORY = "16MiB"


def pendulum(x: float, angle: float, turns: int) -> float:
    """Return the energy of a pendulum after many turns of Euler's method."""
    v = 0.0
    for _ in range(turns):
        v -= 0.000001 * math.sin(angle) * x
        angle += 0.000001 * v
    return 0.5 * v * v - math.cos(angle)


def gradient(turns: int, **options: Any) -> str:
    """Return all bits of the value and gradient."""
    value, slope = checkpoint.value_and_grad(pendulum, memory=MEMORY, **options)(1.5, 0.7, turns)
    return f"{value.hex()} {slope.hex()}"


def handed_on(journal: str, on: str, turns: int) -> None:
    """Take the gradient by two workers; say when it begins, and what it is."""
    with Ray(size=2) if on == "ray" else Processes(2) as workers:
        print("begun", flush=True)
        print("result", gradient(turns, journal=journal, workers=workers), flush=True)


def outcome(journal: str, on: str, turns: int, life: float) -> str | None:
    """Have a process take the gradient for so many seconds; return its result, or None if it was killed."""
    command = [sys.executable, "-m", __spec__.name if __spec__ else "", "--caller", journal, "--on", on]
    command += ["--turns", str(turns)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as caller:
        assert caller.stdout is not None
        while (line := caller.stdout.readline()) not in ("begun\n", ""):
            pass
        time.sleep(life)
        if caller.poll() is None:
            if on == "ray":
                os.killpg(caller.pid, signal.SIGKILL)  # its processes are in this session, and would go on
            else:
                caller.kill()  # alone: another process of the session frees the shared memory
        lines: list[str] = [each for each in (line, *caller.stdout) if each.startswith("result")]
    if lines:
        return lines[0].removeprefix("result ").strip()
    assert caller.returncode == -signal.SIGKILL, "the gradient failed"
    return None


def kill_again_and_again(kills: int, on: str, turns: int, life: float) -> dict[str, Any]:
    """Kill callers so many times; return how many gradients were finished meanwhile, and with what bits."""
    expected, draws = gradient(turns), random.Random(1)
    done, finished, wrong = 0, 0, 0
    while done < kills:
        with tempfile.TemporaryDirectory() as journal:
            while (found := outcome(journal, on, turns, draws.uniform(0.0, life))) is None:
                done += 1
            finished += 1
            wrong += found != expected
    return {"on": on, "kills": done, "gradients": finished, "wrong": wrong}


def main() -> None:
    options = common.keepable(common.parser(__doc__.splitlines()[0]))
    options.add_argument("--kills", type=common.natural, default=20)
    options.add_argument("--life", type=common.positive, default=3.0, help="seconds of a caller, at most (3)")
    options.add_argument("--turns", type=common.natural, default=3_000_000)
    options.add_argument("--on", choices=("processes", "ray"), default="processes")
    options.add_argument("--caller", metavar="JOURNAL", help="take the gradient, to be killed")
    chosen = options.parse_args()
    if chosen.caller:
        handed_on(chosen.caller, chosen.on, chosen.turns)
        return
    found = kill_again_and_again(chosen.kills, chosen.on, chosen.turns, chosen.life)
    print(found)
    if chosen.keep:
        common.save(f"relay-kills-{chosen.on}", "c", **found)


if __name__ == "__main__":
    main()
