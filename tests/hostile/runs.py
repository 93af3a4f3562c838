"""Programs of the corpus on engine c, and everything that was made for them dropped: for valgrind.

python -m tests.hostile.runs PROGRAM ...
"""

from __future__ import annotations

import sys

from tests.hostile.allocations import actions, check_idle_heaps, failing, outcome
from tests.support.corpus import ENTRIES


def main(names: list[str]) -> int:
    """Run each in every way, with memory and where it ends early; the exit status."""
    for entry in ENTRIES:
        if entry.name in names:
            for what, action in actions(entry):
                for allocation in (0, 3, 40):
                    with failing(allocation):
                        outcome(action)
                check_idle_heaps(f"{entry.name}, {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
