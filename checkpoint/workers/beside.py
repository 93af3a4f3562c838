"""Jobs of a program's own step, side by side in this process (checkpoint/prims/parts.py).

In: workers, and jobs without operands. Out: what each job prints and leaves, in the order of the jobs. What
always holds: only threads do them, since the values of a run are not sent to other processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checkpoint.prims.parts import Job, Leaves, Performer
from checkpoint.workers.chosen import WorkersOption, check, running
from checkpoint.workers.ordered import in_order
from checkpoint.workers.outcomes import Outcome, outcome
from checkpoint.workers.threads import Threads


def accepts(workers: WorkersOption) -> bool:
    """Return whether workers are threads; WorkersError for what is no workers at all."""
    check(workers)
    return type(workers) is int or isinstance(workers, Threads)


def perform(workers: WorkersOption, jobs: Sequence[Job]) -> Iterator[Leaves]:
    """Yield what each job leaves."""
    with running(workers) as there:
        assert there is not None, "accepts has been asked"
        for left in in_order(there, _done, [(job,) for job in jobs], lambda i: f"part {i} of summed"):
            yield left.text, left.quietly


def _done(job: Job) -> Outcome:
    return outcome(job, ())


def install() -> None:
    """Have threads do the jobs of programs."""
    Performer.accepts, Performer.perform = staticmethod(accepts), staticmethod(perform)
