"""Gradients that programs take, within units: values, gradients and failures, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.translate.nested.inner_ops import InnerGradient
from checkpoint.ctarget.translate.policy import Translator
from checkpoint.prims import operators
from tests.ctarget.translate.nested_programs import PROGRAMS, TEXTS
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler

pytestmark = [needs_c, needs_compiler]


class Counts:
    """How many gradients were written into units, and into adjoints of units; how many Python took."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.written = self.reversed = self.taken = 0
        write, reverse, gradient = InnerGradient.write, InnerGradient.reverse, operators.gradient

        def writing(op: InnerGradient, out: Any) -> None:
            self.written += 1
            write(op, out)

        def reversing(op: InnerGradient, adjoint: Any) -> None:
            self.reversed += 1
            reverse(op, adjoint)

        def taking(*given: Any) -> Any:
            self.taken += 1
            return gradient(*given)

        monkeypatch.setattr(InnerGradient, "write", writing)
        monkeypatch.setattr(InnerGradient, "reverse", reversing)
        monkeypatch.setattr(operators, "gradient", taking)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counts:
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    monkeypatch.setattr(Translator, "sample_interval", 0.0)  # what is translated does not depend on time
    return Counts(monkeypatch)


def outcome(f: Callable[[float, float], float], engine: str) -> list[str]:
    """Return the value and the gradient."""
    value, gradient = checkpoint.value_and_grad(f, argnums=(0, 1), engine=engine)(0.3, 0.7)
    return [value.hex(), *[each.hex() for each in gradient]]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f: Callable[[float, float], float], counts: Counts) -> None:
    expected = outcome(f, "hybrid")
    by_hybrid, counts.taken = counts.taken, 0
    assert outcome(f, "c") == expected
    assert counts.written
    assert counts.taken < by_hybrid, "units took none of them"


def outcome_of_text(text: str, engine: str, **options: Any) -> list[str]:
    f = checkpoint.read(text, engine=engine)
    value, gradient = checkpoint.vjp(f, (0.3, 0.7), 1.0, engine=engine, **options)
    return [value.hex(), *[each.hex() for each in gradient]]


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, counts: Counts) -> None:
    expected = outcome_of_text(TEXTS[name], "hybrid")
    by_hybrid, counts.taken = counts.taken, 0
    assert outcome_of_text(TEXTS[name], "c") == expected
    assert counts.written
    assert counts.reversed
    assert counts.taken < by_hybrid
    schedule = checkpoint.Bisection(base=37)
    assert outcome_of_text(TEXTS[name], "c", schedule=schedule) == expected


def test_failures(counts: Counts) -> None:
    """Where the function fails the unit is left before the step, and the machine says where it failed."""
    text = TEXTS["pair"].replace("(exp (* z w))", "(/ 1 (- 149 (floor (* y 0.0)) i))")
    messages = []
    for engine in ("hybrid", "c"):
        with pytest.raises(checkpoint.RunError) as failure:
            checkpoint.vjp(checkpoint.read(text, engine=engine), (0.3, 0.7), 1.0, engine=engine)
        messages.append(str(failure.value))
    assert messages[0] == messages[1]
    assert counts.written


def test_a_resumed_run_goes_on(counts: Counts) -> None:
    """The state behind a unit is that of the machine: births, steps and references."""
    f = checkpoint.read(TEXTS["pair"], engine="c")
    expected = f((0.3, 0.7))
    steps = checkpoint.primops(f, (0.3, 0.7), engine="c")
    assert steps == checkpoint.primops(f, (0.3, 0.7), engine="hybrid")
    for cut in (1, steps // 3, steps // 2 + 1, steps - 1):
        rest = checkpoint.interrupt(f, (0.3, 0.7), cut, engine="c")
        assert checkpoint.resume(rest) == expected
    assert counts.written
