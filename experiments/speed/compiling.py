"""Measure the C compiler's time for each block that is translated.

What is measured, for the programs of subjects.py and the large one of blocks.py, each in a new process with
an empty cache: the CPU time of the compilers while a gradient is taken with CHECKPOINT_JIT=wait, the files
that they made, and the blocks of the units. A unit has a block as often as it pays to know different things
of it: such are its nodes. What is required: at most 10 ms a block; aimed at are 4.

Reproduce:

    python -m experiments.speed.compiling
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.ctarget.translate.translation import Translation
from checkpoint.ctarget.translate.units import paths
from checkpoint.ctarget.translate.units.graph import Unit
from checkpoint.driver.budget import Budget
from experiments import common
from experiments.speed import blocks
from experiments.speed.rows import MEMORY, PROGRAMS
from experiments.speed.subjects import LANGUAGES, subject

LARGE = "blocks"
SIZES = {"lorenz": 100_000, "deep": 100_000, "mapped": 20_000, "rk4": 20_000, "nested": 2**16}
LIMIT, GOAL = 10.0, 4.0  # ms a block


def size(unit: Unit) -> tuple[int, int]:
    """Return the number of blocks of a unit, and of its nodes."""
    return len(paths.blocks(unit)), len(list(paths.nodes(unit)))


def gradient(program: str, language: str) -> Any:
    """Take the gradient of a program. Returned is what keeps alive what was translated."""
    engine = engines.get("c")
    if program == LARGE:
        return blocks.first_result(blocks.program(blocks.FUNCTIONS, 1_000))
    chosen = subject(program, language, SIZES[program], engine)
    return chosen, chosen.gradient(Budget(MEMORY))


def alone(program: str, language: str) -> dict[str, Any]:
    """Take one measurement, in this process, which has compiled nothing before."""
    gc.disable()  # what was translated is looked for afterwards
    kept = gradient(program, language)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    units = [thing.unit for thing in gc.get_objects() if isinstance(thing, Translation)]
    sizes = [size(unit) for unit in units]
    del kept
    return {
        "units": len(units),
        "blocks": sum(count for count, _ in sizes),
        "nodes": sum(count for _, count in sizes),
        "files": len(list(Path(os.environ["CHECKPOINT_CACHE"]).rglob("*.so"))),
        "ms": 1e3 * (used.ru_utime + used.ru_stime),
    }


def in_new_process(program: str, language: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CHECKPOINT_CACHE": folder, "CHECKPOINT_JIT": "wait"}
        command = [sys.executable, "-m", "experiments.speed.compiling", "--alone", program, language]
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=common.HERE.parent
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row_of(program: str, language: str, repeats: int) -> dict[str, Any]:
    """Return one row: that of the median time."""
    found = [in_new_process(program, language) for _ in range(repeats)]
    ms = statistics.median(each["ms"] for each in found)
    per_block = ms / found[0]["blocks"] if found[0]["blocks"] else None
    row = {"program": program, "language": language, **found[0], "ms": ms, "ms a block": per_block}
    return {**row, "limit": LIMIT, "goal": GOAL}


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    per_block = row["ms a block"]
    return (
        f"{row['program']} {row['language']}",
        *(str(row[name]) for name in ("units", "files", "blocks", "nodes")),
        f"{row['ms']:.0f}",
        "" if per_block is None else f"{per_block:.1f}",
        f"{row['limit']:.0f}",
        f"{row['goal']:.0f}",
    )


HEADER = ("compiling", "units", "files", "blocks", "nodes", "ms", "ms a block", "limit", "goal")


def main() -> None:
    parser = argparse.ArgumentParser(description="what translation takes of the C compiler")
    parser.add_argument("--repeats", type=int, default=5, help="processes of which the median is taken (5)")
    parser.add_argument("--only", default="", help="only the rows with this in their names")
    parser.add_argument("--alone", nargs=2, help="a program and its language, in this process; prints JSON")
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(alone(options.alone[0], options.alone[1])))
        return
    kinds = [(program, language) for program in PROGRAMS for language in LANGUAGES] + [(LARGE, "vlad")]
    rows = [row_of(*kind, options.repeats) for kind in kinds if options.only in " ".join(kind)]
    print(common.table(HEADER, [_line(row) for row in rows]))
    if not options.only:
        common.save("speed-compiling", "c", repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
