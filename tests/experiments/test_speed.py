"""The programs beside hand-written C run, on small sizes, and C, text and Python give the same."""

from __future__ import annotations

import pytest

from checkpoint import engines, read, vjp
from checkpoint.ctarget.build import compiler
from checkpoint.driver.schedule import Bisection
from experiments.speed import blocks, budgets, memory, rows, subjects
from experiments.speed.by_hand import ByHand, room

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")

ENGINE = engines.get("hybrid")
SIZES = rows.Sizes(500, 400, 2, 900, 30, 500, 50, 2**5, 3, 2)


@pytest.mark.parametrize("language", subjects.LANGUAGES)
@pytest.mark.parametrize("program", rows.PROGRAMS)
def test_programs_do_what_those_by_hand_do(program: str, language: str) -> None:
    exact = ByHand()
    for row in rows.measurements(program, language, SIZES, ENGINE):
        found, expected = row.action(), rows.in_c(program, row.what, exact, row.size)()
        assert found[0] == expected[0]  # with the same rounding
        assert rows.is_right(found, expected), row.what


def test_checkpoints_and_bisection_by_hand_change_no_bit() -> None:
    n, exact = 25_000, ByHand()
    stored = exact.lorenz_stored(n, subjects.POINT, room(3 * n), times=2)
    assert exact.lorenz_checkpoints(n, subjects.POINT) == stored
    assert exact.lorenz_bisection(n, subjects.POINT) == stored
    assert not rows.is_right(stored, (stored[0], [1.0] * 6))


def test_the_rows_are_those_that_are_required() -> None:
    found = {
        (row.program, row.what)
        for program in rows.PROGRAMS
        for row in rows.measurements(program, "vlad", SIZES, ENGINE)
    }
    assert rows.LIMITS.keys() <= found
    assert found == {(program, what) for program in rows.PROGRAMS for what in rows.WHATS[program]}


def test_the_inner_loop_by_hand_is_as_long_as_it_says() -> None:
    n = 2**10
    lengths = [2 ** (10 - ((1 + 1007 * 3**i % n).bit_length() - 1)) for i in range(1, n + 1)]
    assert ByHand().nested_steps(n) == sum(lengths)
    assert [subjects.inner_count(n, 1 + 1007 * 3**i % n) for i in range(1, n + 1)] == lengths


def test_a_step_of_the_programs_is_what_their_comments_say() -> None:
    for program, steps in (("lorenz", 49), ("mapped", 121)):
        ten, twenty = (subjects.subject(program, "vlad", n, ENGINE).forward().steps for n in (10, 20))
        assert twenty - ten == 10 * steps


def test_memory_is_measured() -> None:
    assert memory.capsules(3, 200, ENGINE) >= 0
    assert memory.gradient("lorenz", 50, Bisection(base=1_000), ENGINE) >= 0
    subject = subjects.subject("deep", "vlad", 50, ENGINE)
    assert subject.gradient(Bisection(base=100)) == subject.segment()


def test_the_large_program_is_as_large_as_it_says() -> None:
    assert 1_900 < blocks.blocks(blocks.program(blocks.FUNCTIONS, 1)) < 2_100


def test_the_gradient_of_the_large_program_neither_grows_nor_vanishes() -> None:
    f = read(blocks.program(60, 4), engine="hybrid")
    value, gradient = vjp(f, 0.7, engine="hybrid")
    step = 1e-7
    assert abs((f(0.7 + step) - f(0.7 - step)) / (2 * step) - gradient) < 1e-5
    assert abs(gradient) == pytest.approx(value / 0.7)  # as the logarithms' derivative is 1 or -1


def test_states_at_even_distances_change_no_bit() -> None:
    chosen = subjects.subject("lorenz", "python", 500, ENGINE)
    expected = chosen.gradient(Bisection(base=10_000))
    assert expected[0] == expected[0]  # no NaN
    assert chosen.gradient(budgets.Uniform(4_000)) == expected
    assert chosen.gradient(budgets.Singly(4_000)) == expected
    assert chosen.gradient(budgets.Uniform(10**6)) == expected


def test_times_over_memory_and_distance_are_measured() -> None:
    assert budgets.first_in_process("lorenz", "1MiB", 20, "hybrid") > 0
    rows_found = budgets.over_distance(60, ENGINE, 1)
    assert [row["distance"] for row in rows_found] == list(budgets.DISTANCES)
    assert all(row["singly"] > 0 for row in rows_found)
    assert "singly" in budgets.shown(rows_found)
