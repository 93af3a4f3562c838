"""Translation of short runs: in a `with`, or for a test, engine "c" samples runs from their first steps on.

In: the length of slices. Out: nothing; afterwards the policy's numbers and CHECKPOINT_JIT are as before.
Translated units stay in the programs that were run meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from checkpoint.ctarget.translate import policy


@contextmanager
def forced(slice: int = 400, first: int = 11) -> Iterator[None]:
    """Have runs wait for the compiler, and sample them every few steps. slice: the most steps between two
    samples, and so of what a unit does at a time. first: the steps before the first one.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHECKPOINT_JIT", "wait")
        patch.setattr(policy, "THRESHOLD", 3)
        patch.setattr(policy, "INNER_STEPS", 50)
        patch.setattr(policy, "PROBE_STEPS", 5)
        patch.setattr(policy, "MIN_PROBE_STEPS", 1)
        patch.setattr(policy, "MAX_PROBES", 40)
        patch.setattr(policy.translator, "first_waiting", first)
        patch.setattr(policy.translator, "longest", slice)
        patch.setattr(policy.translator, "sample_interval", 0.0)
        yield


def translate_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translate, by a new translator, what runs a few hundred steps; runs wait for the compiler."""
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    monkeypatch.setattr(policy.Translator, "first_waiting", 100)
    monkeypatch.setattr(policy.Translator, "sample_interval", 0.0)  # so that steps alone say when it samples
    monkeypatch.setattr(policy, "translator", policy.Translator())
