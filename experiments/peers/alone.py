"""One measurement, in a process of its own: a peer, a program, n. Prints its row as JSON in the last line.

What is measured: CPU nanoseconds a turn of the innermost loop, the median of up to three gradients after a
first one; the seconds of the clock until that first one has ended, compilation for this n included; and how
many bytes the process has at most in the others, beyond those that it had after a small gradient.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from importlib import import_module
from typing import Any

from experiments import common
from experiments.peers.subjects import Cannot, Peer, is_right, turns
from experiments.speed.run import pin

WARMING = {"lorenz": 1_000, "nested": 2**6}  # turns of a gradient for which tools load what they need
LONG = 20.0  # seconds of one gradient, after which no more are taken


def row(module: str, name: str, program: str, n: int) -> dict[str, Any]:
    """Return what was measured, or why the tool cannot."""
    peer: Peer = import_module(f"experiments.peers.{module}").PEERS[name]
    try:
        peer(program, WARMING[program])()
        held, began = common.fresh_peak(), time.perf_counter()
        run = peer(program, n)
    except Cannot as reason:
        return {"cannot": str(reason)}
    found = run()
    first = time.perf_counter() - began
    common.fresh_peak()
    times = [common.seconds(run)]
    while len(times) < 3 and times[0] < LONG:
        times.append(common.seconds(run))
    grown = common.peak() - held
    ns = statistics.median(times) / turns(program, n) * 1e9
    return {"ns": ns, "first": first, "MiB": grown / 2**20, "right": is_right(program, n, found)}


if __name__ == "__main__":
    pin()
    print(json.dumps(row(**json.loads(sys.argv[1]))))
