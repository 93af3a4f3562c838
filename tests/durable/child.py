"""The other process of test_round_trips: it loads capsules, and runs their rests.

In: a folder with capsules 0, 1, ... and expected.json, which says of which programs they are and what their
rests give. Out: how many were loaded; it fails at the first that gives something else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import checkpoint
from tests.arrays.generator import program as of_arrays
from tests.durable.round_trips import outcome
from tests.laws.random_programs import NUMBERS
from tests.laws.random_programs import program as text
from tests.python.generator import program
from tests.python.generator_objects import program as of_objects


class Whole:
    """A random function as one of the tuple of its arguments."""

    def __init__(self, made: Any) -> None:
        self.f = made.function()
        self.args = made.args

    def function(self) -> Any:
        f = self.f

        def whole(args: Any) -> Any:
            return f(*args)

        return whole


GENERATORS = ("vlad", "python", "objects", "arrays")


def procedure_and_argument(generator: str, seed: int) -> tuple[Any, Any]:
    """Return a random function of one argument, and that."""
    random = Random(seed)
    if generator == "vlad":
        return checkpoint.read(text(random.choice)), random.choice(NUMBERS)
    made = {"python": lambda: program(random, 8), "objects": lambda: of_objects(random, 8)}.get(generator)
    whole = Whole(of_arrays(random.choice) if made is None else made())
    return whole.function(), whole.args


def main(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text())
    for i, each in enumerate(expected):
        f, _ = procedure_and_argument(each["generator"], each["seed"])
        found = outcome(checkpoint.load(folder / str(i), f), each["engine"])
        assert found == each["outcome"], f"{each['generator']} {each['seed']}: {found}\n{each['outcome']}"
    print(f"{len(expected)} loaded")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
