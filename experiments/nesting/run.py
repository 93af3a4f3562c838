"""Nested derivatives: the saddle point and the particle for all nestings of the modes.

What is measured: what each nesting of forward (F), reverse (R) and checkpointed reverse mode
(checkpoint-R) finds, next to the published digits, and its CPU time (one run each: they take minutes).
What is expected: saddle gives its published digits exactly, by every nesting; the particle gives them as
far as they were published, since its modes add in different orders.

Reproduce (about half an hour on interp; name nestings to run some of them only):

    python -m experiments.nesting.run --engine interp
    python -m experiments.nesting.run --program saddle --nesting F:R
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.ad.values import list_value
from checkpoint.driver.engine import Engine
from checkpoint.functions.program import load_file
from checkpoint.functions.runs import call_values, run_program
from checkpoint.lang.printer import write_value
from experiments import common

MODES = ("F", "R", "checkpoint-R")
NESTINGS = tuple(itertools.product(MODES, MODES))
PUBLISHED = {
    "saddle": "((8.246324826140356e-06 8.246324826140356e-06) (8.246324826140356e-06 8.246324826140356e-06))",
    "particle": "0.2071918746486",
}


def program(name: str, engine: Engine) -> Any:
    """Return the procedure of (outer inner) that a program of this folder defines."""
    return run_program(load_file(Path(__file__).with_name(f"{name}.vlad")), engine)


def outcome(name: str, nesting: tuple[str, str], engine: Engine) -> str:
    """Return the result of a nesting, as the language writes it."""
    return write_value(call_values(program(name, engine), list_value(nesting), engine))


def is_published(name: str, found: str) -> bool:
    return found == PUBLISHED[name] if name == "saddle" else found.startswith(PUBLISHED[name])


def measure(name: str, nesting: tuple[str, str], engine: Engine) -> dict[str, Any]:
    """Return one row of the table."""
    found = ""

    def action() -> None:
        nonlocal found
        found = outcome(name, nesting, engine)

    took = common.seconds(action)
    return {
        "program": name,
        "outer": nesting[0],
        "inner": nesting[1],
        "found": found,
        "as published": is_published(name, found),
        "seconds": round(took, 1),
    }


def _line(row: dict[str, Any]) -> str:
    verdict = "as published" if row["as published"] else "DIFFERS"
    nesting = f"{row['outer']} over {row['inner']}"
    return f"{row['program']:9} {nesting:29} {row['seconds']:8.1f} s  {verdict}  {row['found']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engine", default=engines.get().name, choices=list(engines.available()))
    parser.add_argument("--program", choices=list(PUBLISHED), action="append", help="all unless given")
    parser.add_argument("--nesting", metavar="OUTER:INNER", action="append", help="all unless given")
    options = parser.parse_args()
    engine = engines.get(options.engine)
    nestings = [tuple(text.split(":")) for text in options.nesting] if options.nesting else NESTINGS
    rows = []
    for name, nesting in itertools.product(options.program or PUBLISHED, nestings):
        rows.append(measure(name, nesting, engine))
        print(_line(rows[-1]), flush=True)
        if not (options.nesting or options.program):
            common.save("nesting", engine.name, rows=rows)


if __name__ == "__main__":
    main()
