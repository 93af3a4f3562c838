"""The programs beside hand-written C run, on small sizes, and C, text and Python give the same."""

from __future__ import annotations

import pytest

from checkpoint import engines
from checkpoint.ctarget.build import compiler
from checkpoint.driver.schedule import Bisection
from experiments.speed import memory, run, subjects
from experiments.speed.by_hand import ByHand, room

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")

ENGINE = engines.get("hybrid")
SIZES = run.Sizes(500, 400, 900, 30, 500, 9_000, 3, 2)


@pytest.mark.parametrize("language", subjects.LANGUAGES)
@pytest.mark.parametrize("program", ["lorenz", "deep", "mapped"])
def test_programs_do_what_those_by_hand_do(program: str, language: str) -> None:
    exact = ByHand()
    for what, size, action in run.measurements(program, language, SIZES, ENGINE):
        found, expected = action(), run.in_c(program, what, exact, size)()
        assert found[0] == expected[0]  # with the same rounding
        assert run.is_right(found, expected), what


def test_checkpoints_and_bisection_by_hand_change_no_bit() -> None:
    n, exact = 25_000, ByHand()
    stored = exact.lorenz_stored(n, subjects.POINT, room(3 * n))
    assert exact.lorenz_checkpoints(n, subjects.POINT) == stored
    assert exact.lorenz_bisection(n, subjects.POINT) == stored
    assert not run.is_right(stored, (stored[0], [1.0] * 6))


def test_a_step_of_the_programs_is_what_their_comments_say() -> None:
    for program, steps in (("lorenz", 49), ("mapped", 121)):
        ten, twenty = (subjects.subject(program, "vlad", n, ENGINE).forward().steps for n in (10, 20))
        assert twenty - ten == 10 * steps


def test_memory_is_measured() -> None:
    assert memory.capsules(3, 200, ENGINE) >= 0
    assert memory.gradient("lorenz", 50, 1_000, ENGINE) >= 0
    subject = subjects.subject("deep", "vlad", 50, ENGINE)
    assert subject.gradient(Bisection(base=100)) == subject.segment()
