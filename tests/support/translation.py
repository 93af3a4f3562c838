"""Translation of short runs: in a `with`, what engine "c" would look at after a while it looks at at once.

In: how long slices are. Out: nothing; the policy's numbers and CHECKPOINT_JIT are as before behind it. What
was translated stays in the programs that were run meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from checkpoint.ctarget.translate import policy


@contextmanager
def forced(slice: int = 400) -> Iterator[None]:
    """Runs wait for the compiler, and are looked at every few steps. slice: the most steps between two looks,
    and so of what a unit does at a time.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHECKPOINT_JIT", "wait")
        patch.setattr(policy, "THRESHOLD", 3)
        patch.setattr(policy, "LOOK", 5)
        patch.setattr(policy, "LEAST_LOOK", 1)
        patch.setattr(policy, "MOST_LOOKS", 40)
        patch.setattr(policy.translator, "first_waiting", 11)
        patch.setattr(policy.translator, "longest", slice)
        patch.setattr(policy.translator, "between_looks", 0.0)
        yield
