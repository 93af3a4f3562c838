"""Mutate the programs of the corpus, and check how they end and what `checkpoint check` says of them.

    python -m experiments.random.mutated --programs 2000 --seed 1
    python -m experiments.random.mutated --programs 1 --first 1234 --seed 1 --show

Program i is drawn from the seed and i. tests/python/mutated.py says what must hold; what does not is printed,
and the status is then 1.
"""

from __future__ import annotations

import argparse
import inspect
import multiprocessing
import resource
import signal
import sys
import traceback
from collections import Counter
from random import Random
from typing import Any

from tests.python.corpus import Example, examples
from tests.python.mutated import judge
from tests.python.mutations import mutated

CHUNK = 50  # programs of a process
SECONDS = 10  # of a program's CPU
MEMORY = 4 * 2**30  # of a process


def drawn(number: int, seed: int, known: list[Example]) -> tuple[str, str, tuple[Any, ...], Random]:
    """Return a program: the text of its module, the name of its function, arguments; and what drew it."""
    random = Random(f"{seed} mutated {number}")
    example = random.choice(known)
    module = inspect.getmodule(example.function)
    assert module is not None
    name = example.function.__name__
    return mutated(inspect.getsource(module), name, random), name, example.args, random


def checked(numbers: tuple[int, range]) -> tuple[Counter[str], list[tuple[int, str, str]]]:
    """Return how some programs end, and what is wrong, with their texts."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGPROF, _too_slow)
    seed, ends, wrong = numbers[0], Counter[str](), []
    known = [each for each in examples().values() if inspect.isfunction(each.function)]
    for i in numbers[1]:
        text, name, args, random = drawn(i, seed, known)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            ends[judge(text, name, args, random)] += 1
        except (Exception, SystemExit):
            ends["wrong"] += 1
            wrong.append((i, traceback.format_exc(-4), f"{name}: {text}"))
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ends, wrong


def _too_slow(*_: Any) -> None:
    raise TimeoutError(f"a program took more than {SECONDS} s")


def main() -> int:
    """Run as the command line says; 1 if something is wrong."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--programs", type=int, default=1_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--show", action="store_true", help="print the programs that are wrong")
    chosen = options.parse_args()
    numbers = range(chosen.first, chosen.first + chosen.programs)
    chunks = [(chosen.seed, numbers[i : i + CHUNK]) for i in range(0, len(numbers), CHUNK)]
    total: Counter[str] = Counter()
    with multiprocessing.Pool(1, maxtasksperchild=1) as pool:
        for ends, wrong in pool.imap(checked, chunks):
            total += ends
            for number, said, text in wrong:
                print(
                    f"== {number}: {said if chosen.show else said.strip().splitlines()[-1][:600]}",
                    flush=True,
                )
                if chosen.show:
                    print(text, flush=True)
    print(dict(total))
    return int(total["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
