"""Random programs through all engines: they agree, a disagreement is seen, a number is always one program."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from checkpoint import engines
from checkpoint.ctarget.engine import C
from checkpoint.ctarget.library import reason
from checkpoint.ctarget.translate.compile import compiler
from experiments.random import agree, kinds, orders, run
from tests.laws import random_programs

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))


@pytest.mark.parametrize(("kind", "programs"), [("vlad", 40), ("python", 6), ("arrays", 4), ("objects", 4)])
def test_engines_agree(kind: str, programs: int) -> None:
    outcome = run.checked(run.Chunk(kind, 4, range(programs)))
    assert outcome.summary()["disagreements"] == 0
    assert outcome.programs == sum(outcome.ends.values()) == programs


ORDERS = [("vlad", 6), ("python", 2), ("arrays", 1)]
MORE = [pytest.param(kind, 40 * programs, marks=pytest.mark.long) for kind, programs in ORDERS]


@pytest.mark.skipif(compiler.find() is None, reason="there is no C compiler")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("kind", "programs"), [*ORDERS, *MORE])
def test_the_order_of_calls_changes_nothing(kind: str, programs: int) -> None:
    """The order changes nothing, even where calls have code translated and use what others had translated."""
    outcome = run.checked(run.Chunk(kind, 5, range(programs), orders=True))
    assert outcome.summary()["disagreements"] == 0
    assert outcome.programs == sum(outcome.ends.values()) == programs


def test_what_depends_on_the_order_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Wrong(kinds.OfText):
        def whole(self, engine: str) -> tuple[Any, int]:
            value, steps = super().whole(engine)
            calls.append(engine)
            return value, steps + (calls.count("c") > 2)

    monkeypatch.setattr(random_programs, "program", lambda pick, size: "(lambda (x) (+ x 1))")
    monkeypatch.setattr(orders, "ACTIONS", 100)
    with pytest.raises(agree.Disagreement, match=r"whole: .*, after \['.*'whole'\]"):
        orders.check(Wrong(Random(1)), Random(1))


def test_a_number_is_one_program() -> None:
    for kind in kinds.KINDS.values():
        assert kind(Random("1 kind 7")).text == kind(Random("1 kind 7")).text


@pytest.mark.parametrize("what", ["steps", "value", "gradient"])
def test_a_disagreement_is_seen(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(kinds.OfText):
        def whole(self, engine: str) -> tuple[Any, int]:
            value, steps = super().whole(engine)
            wrong = engine == "c"
            return value + (wrong and what == "value"), steps + (wrong and what == "steps")

        def vjp(self, engine: str, schedule: Any) -> tuple[Any, Any]:
            value, xbar = super().vjp(engine, schedule)
            return value, -xbar if what == "gradient" and engine == "c" else xbar

    monkeypatch.setattr(random_programs, "program", lambda pick, size: "(lambda (x) (+ x 1))")
    with pytest.raises(agree.Disagreement):
        agree.check(Wrong(Random(1)), Random(1))


def test_capsules_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run begun on hybrid ends on c, and the reverse."""
    starts = []
    c, start = engines.get("c"), C.start

    def noted(self: Any, level: int, u: Any, tags: int) -> Any:
        starts.append(type(u.cdr).__name__)
        return start(self, level, u, tags)

    monkeypatch.setattr(C, "start", noted)
    subject = kinds.OfText(Random(3))
    z = subject.cut("hybrid", 0)
    assert c.name == "c"
    assert agree.told(lambda: subject.rest(z, "c")).error is None
    assert starts == ["Capsule"]
