"""Frames that units push: what they save is known by their points, and of other frames it is tested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.emit.text import source
from checkpoint.ctarget.translate.ops.check_ops import Expect
from checkpoint.ctarget.translate.ops.frame_ops import Peek
from checkpoint.ctarget.translate.units.paths import nodes
from tests.ctarget.translate.shared_objects import needs_compiler

pytestmark = needs_compiler
DEPTH = 1500


def descent(x: float, n: int) -> float:
    if n == 0:
        return x
    return x * 0.25 + descent(x * 0.999 + 0.001, n - 1) * 0.75


def alternating(x: float, n: int) -> float:
    """Frames that return to one block save a number, None or a pair in turn."""
    if n == 0:
        return x
    kept = None if n % 3 == 0 else (x, 0.5) if n % 3 == 1 else n
    rest = alternating(x * 0.999 + 0.001, n - 1) * 0.75
    if kept is None:
        return rest
    return rest + (kept[0] * kept[1] if isinstance(kept, tuple) else kept * 0.001)


@pytest.mark.parametrize("f", [descent, alternating], ids=lambda f: f.__name__)
def test_bit_for_bit(f: Callable[[float, int], float], monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first of the runs the machine has pushed the lower frames, which units pop, too."""
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    both = checkpoint.value_and_grad(f, engine="hybrid")(0.5, DEPTH)
    for _ in range(3):
        assert checkpoint.value_and_grad(f, engine="c")(0.5, DEPTH) == both


def test_what_a_unit_has_pushed_is_not_tested() -> None:
    units = units_of(lambda: checkpoint.value_and_grad(descent, engine="c")(0.5, DEPTH))
    found = [(node, op) for unit in units for node in nodes(unit) for op in node.ops if isinstance(op, Peek)]
    assert found
    for node, peek in found:
        assert peek.checks is not None
        assert not any(isinstance(op, Expect) and op.place in peek.saved for op in node.ops)
    text = "".join(source(unit, "plain", "taped") for unit in units)
    tests = [line for line in text.split(";") if "saved[0].tag" in line]
    assert tests
    assert all("returns_like(" in line for line in tests)


def test_capsules_are_the_same_whoever_has_pushed_their_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of it the machine, which is sampled meanwhile; alike ones are in columns of numbers."""
    contents = []
    for jit in ("off", "wait"):
        monkeypatch.setenv("CHECKPOINT_JIT", jit)
        for _ in range(2):
            capsule = checkpoint.interrupt(lambda x: descent(x, 2 * DEPTH), 0.5, 30_001, engine="c")
            capsule.save(tmp_path / jit)
        contents.append((tmp_path / jit).read_bytes())
    assert contents[0] == contents[1]
