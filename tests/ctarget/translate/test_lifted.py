"""`j*` in units, by itself and nested: runs, steps, derivatives of every mode and capsules, bit for bit."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.translate.ops.dual_ops import NewTag
from checkpoint.ctarget.translate.policy import Translator
from tests.ctarget.translate.lifted_programs import TEXTS
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler

pytestmark = [needs_c, needs_compiler]
POINT = (0.3, 0.7)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[NewTag]:
    """The tags that units take, as they are written."""
    found: list[NewTag] = []
    write = NewTag.write

    def writing(op: NewTag, out: Any) -> None:
        found.append(op)
        write(op, out)

    monkeypatch.setattr(NewTag, "write", writing)
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    monkeypatch.setattr(Translator, "sample_interval", 0.0)  # what is translated does not depend on time
    return found


def bits(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else [bits(each) for each in value]


def outcomes(text: str, engine: str) -> list[Any]:
    """Return steps, value, gradients and tangent, of the program and of one that takes its tangent."""
    f = checkpoint.read(text, engine=engine)
    tangent = checkpoint.read(f"(lambda (p) (cdr (j* {text} p (cons 1 2))))", engine=engine)
    found = [checkpoint.primops(f, POINT, engine=engine)]
    for schedule in (None, checkpoint.Bisection(base=37)):
        found.append(bits(checkpoint.vjp(f, POINT, 1.0, engine=engine, schedule=schedule)))
    found += [bits(checkpoint.vjp(tangent, POINT, 1.0, engine=engine))]
    return [*found, bits(checkpoint.jvp(tangent, POINT, (1.0, -0.5), engine=engine))]


@pytest.mark.parametrize("name", TEXTS)
def test_programs(name: str, written: list[NewTag]) -> None:
    assert outcomes(TEXTS[name], "c") == outcomes(TEXTS[name], "hybrid")
    assert written


@pytest.mark.parametrize("name", ["pair", "twice"])
def test_a_resumed_run_goes_on(name: str, written: list[NewTag]) -> None:
    """The state behind a unit is that of the machine: tags, births, steps and references."""
    f = checkpoint.read(TEXTS[name], engine="c")
    expected = f(POINT)
    steps = checkpoint.primops(f, POINT, engine="c")
    for cut in (1, steps // 3, steps // 2 + 1, steps - 1):
        assert checkpoint.resume(checkpoint.interrupt(f, POINT, cut, engine="c")) == expected
    assert written


def test_failures(written: list[NewTag]) -> None:
    """Where the function fails, within the run of `j*`, the machine says where it failed."""
    text = TEXTS["real"].replace("(* z z)", "(/ 1 (- 109 (floor (* y 0.0)) i))")
    messages = []
    for engine in ("hybrid", "c"):
        with pytest.raises(checkpoint.RunError) as failure:
            checkpoint.jvp(checkpoint.read(text, engine=engine), POINT, POINT, engine=engine)
        messages.append(str(failure.value))
    assert messages[0] == messages[1]
    assert written
