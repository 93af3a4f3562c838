"""No pass adds or loses a step: each core expression is a step of exactly one block.

Code that no run can reach, such as what follows a raise, has steps after `closures` and none after `blocks`.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from checkpoint.cps import forms
from checkpoint.cps.check_blocks import reachable_blocks
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.passes import compile_to
from tests.cps.support import compiled, cost
from tests.laws.random_programs import programs
from tests.laws.test_random_programs import REPEATABLE
from tests.support.corpus import ENTRIES, Entry

UNREACHABLE = {"error-car"}


def steps_are_kept(found: Compilation) -> bool:
    """Check every pass, and return whether all code can be reached."""
    core = forms.of_core(found.thunk)
    assert cost(found.closures) == core.total()
    reached = reachable_blocks(found.closures)
    assert cost(found.blocks) == sum(block.cost for block in reached)
    lowered = [block for procedure in found.blocks for block in procedure.blocks.values()]
    assert forms.of_blocks(lowered) == forms.of_blocks(reached)
    return cost(found.blocks) == core.total()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_of_the_corpus(entry: Entry) -> None:
    found = compile_to("adjoint", entry.program.thunk, entry.program.scopes)
    assert steps_are_kept(found) is (entry.name not in UNREACHABLE)


@given(text=programs(size=5))
@settings(REPEATABLE, max_examples=100)
def test_of_random_programs(text: str) -> None:
    assert steps_are_kept(compiled(text))


@pytest.mark.parametrize(
    ("text", "steps", "kept"),
    [
        ("(+ 1 2)", 3, 3),
        ("(lambda (x) (let loop ((i x)) (if (zero? i) x (loop (- i 1)))))", 14, 14),
        ("(handle (raise 1) (e) e)", 5, 5),
        ("(+ 1 (+ 2 (raise 3)))", 6, 4),
        ("(+ 1 (let loop ((i 0)) (loop i)))", 9, 8),
    ],
)
def test_of_small_programs(text: str, steps: int, kept: int) -> None:
    found = compiled(text)
    assert (cost(found.closures), cost(found.blocks)) == (steps, kept)


def test_of_a_long_and_of_a_deep_program() -> None:
    long = "(lambda (x) (let* (" + "(x (+ x 1)) " * 1000 + ") x))"
    assert steps_are_kept(compiled(long))
    deep = "(lambda (x) " + "(if (< x 1) 1 (+ 1 (car (cons " * 1000 + "x" + " x))))" * 1000 + ")"
    assert steps_are_kept(compiled(deep))
