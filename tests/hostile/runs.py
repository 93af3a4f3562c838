"""Programs and functions of the corpora on engine c, and all that was made for them dropped: for valgrind.

python -m tests.hostile.runs PROGRAM ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from threading import Thread

from tests.hostile import functions
from tests.hostile.allocations import actions, check_idle_heaps, failing, outcome
from tests.support.corpus import ENTRIES

Actions = Iterator[tuple[str, Callable[[], str]]]


def chosen(names: list[str]) -> Iterator[tuple[str, Actions]]:
    """Yield the actions on the programs and functions of these names."""
    for entry in ENTRIES:
        if entry.name in names:
            yield entry.name, actions(entry)
    for name, example in functions.all_functions().items():
        if name in names:
            yield name, functions.actions(*example)


def main(names: list[str]) -> int:
    """Run each in every way, with memory, where it ends early, and in another thread; the exit status."""
    for name, todo in chosen(names):
        for what, action in todo:
            for allocation in (0, 3, 40):
                with failing(allocation):
                    outcome(action)
            thread = Thread(target=outcome, args=(action,))
            thread.start()
            thread.join()
            check_idle_heaps(f"{name}, {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
