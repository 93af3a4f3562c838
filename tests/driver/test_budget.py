"""Budgets on the symbolic model: optimality, bounds, and no more held than is allowed."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import checkpoint
from checkpoint.driver.binomial import recomputed, repetitions_for
from checkpoint.driver.budget import Budget
from checkpoint.driver.ledger import too_small
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Drop,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Tape,
)
from checkpoint.errors import BudgetError
from tests.driver.model import Model
from tests.support.sampling import partly

TAPE, STATE = 10, 300  # bytes that a step records, and that a state or a cotangent holds


def model_of(length: int, memory: int, *, state: int = STATE, known: bool = False) -> Model:
    """Return the model of a run whose steps are alike, within a budget."""
    model = Model(length, size=TAPE, state=lambda step: state, cotangent=lambda step: state)
    return model.follow(Budget(memory, length if known else None))


def repetitions(model: Model) -> list[int]:
    """Return how often each step was run without a tape."""
    changes = [0] * (model.length + 1)
    for low, high in model.advanced:
        changes[low] += 1
        changes[high] -= 1
    return list(accumulate(changes))[: model.length]


# Runs that fit


@pytest.mark.parametrize("length", [0, 1, 10, 100, 1_000, 5_000, 6_500])
def test_a_run_that_fits_is_taped_once(length: int) -> None:
    model = model_of(length, 100_000)
    assert model.counts.advanced == 0
    assert model.counts.taped == length


def test_the_first_mebibyte_asks_for_no_memory() -> None:
    actions = Model(1000, size=TAPE).follow(Budget()).actions
    assert actions == [Keep(), Tape(None, 2**20), Reverse()]


# Known length: the optimum


@pytest.mark.parametrize("memory", [8_000, 20_000, 50_000, 100_000])
@pytest.mark.parametrize("length", [2_000, 10_000, 30_000, 100_000])
def test_of_known_length_the_fewest_steps_are_run_again(length: int, memory: int) -> None:
    model = model_of(length, memory, known=True)
    head = next(action for action in reversed(model.actions) if isinstance(action, Reverse)).step
    assert head == 0, "the beginning was taped once and for all"
    rest = length - model.reversed[-1][1]
    snapshots = model.counts.most_kept - 1  # the start of the run is not one of the rest
    base = max(high - low for low, high in model.reversed[:-1])
    assert model.counts.advanced == recomputed(rest, snapshots, base)
    assert model.counts.taped == length
    assert model.most_held <= memory


@pytest.mark.parametrize("said", [1, 2_000, 9_999, 10_001, 50_000])
def test_a_wrong_length_costs_time_only(said: int) -> None:
    model = Model(10_000, size=TAPE, state=lambda step: STATE, cotangent=lambda step: STATE)
    model.follow(Budget(20_000, length=said))
    assert model.most_held <= 20_000
    assert model.counts.advanced <= 3 * 10_000
    assert len(model.actions) <= 400


# Unknown length: the published bounds


@pytest.mark.parametrize("memory", [20_000, 50_000, 100_000])
@pytest.mark.parametrize("length", [1_000, 5_000, 50_000, *partly([20_000, 100_000], ())])
@pytest.mark.parametrize("state", [50, 300])
def test_of_unknown_length_no_step_is_repeated_more_often_than_the_optimum_needs(
    length: int, memory: int, state: int
) -> None:
    model = model_of(length, memory, state=state)
    share = (memory - memory // 16) // 2  # of the budget, for a tape
    base = int(3 * share / 4 / TAPE)
    times = repetitions_for(length, model.counts.most_kept, base) if length > base else 0
    assert max(repetitions(model)) - 1 <= times, "besides the first pass"
    assert model.counts.advanced <= (times + 1) * length
    assert model.most_held <= memory


@pytest.mark.parametrize("length", [10_000, 30_000, 100_000])
@pytest.mark.parametrize("memory", [20_000, 100_000])
def test_not_knowing_the_length_costs_less_than_a_tenth(length: int, memory: int) -> None:
    unknown, known = model_of(length, memory), model_of(length, memory, known=True)
    work = [2 * model.counts.taped + model.counts.advanced for model in (unknown, known)]
    assert work[0] <= 1.1 * work[1]


# Sequences

SEQUENCES = [
    (
        200,
        3000,
        True,
        """
        keep tape() hold keep restore(19) advance(33) tape(200) reverse restore(19) tape(33)
        reverse drop(19) reverse(0)
        """,
    ),
    (
        300,
        2000,
        True,
        """
        keep tape() hold keep restore(13) advance(96) keep restore(96) advance(217) tape(300)
        reverse restore(96) advance(134) tape(217) reverse restore(96) tape(134) reverse
        drop(96) restore(13) tape(96) reverse drop(13) reverse(0)
        """,
    ),
    (
        260,
        3600,
        False,
        """
        keep tape() hold keep tape() hold keep tape() hold keep tape() hold keep tape() hold
        keep tape() hold keep tape() hold keep advance(163) release(138) release(115) drop(161)
        drop(138) keep advance(211) release(92) release(69) keep advance(259) release(46)
        drop(163) drop(69) drop(92) keep advance(355) restore(259) tape(260) reverse drop(259)
        restore(211) tape(259) reverse drop(211) restore(115) tape(211) reverse drop(115)
        restore(46) tape(115) reverse drop(46) reverse(23) drop(23) reverse(0)
        """,
    ),
    (
        400,
        2400,
        False,
        """
        keep tape() hold keep tape() hold keep tape() hold keep tape() hold keep tape() hold
        keep advance(81) release(64) release(48) release(32) drop(80) drop(48) drop(64) keep
        advance(130) keep advance(179) keep advance(228) release(16) release(0) keep
        advance(277) drop(228) keep advance(361) drop(179) keep advance(445) restore(361)
        tape(400) reverse drop(361) restore(277) advance(285) tape(361) reverse restore(277)
        tape(285) reverse drop(277) restore(130) advance(178) tape(277) reverse restore(130)
        tape(178) reverse drop(130) restore(81) tape(130) reverse drop(81) drop(32) drop(16)
        restore(0) tape(81) reverse
        """,
    ),
]


@pytest.mark.parametrize(("length", "memory", "known", "expected"), SEQUENCES)
def test_short_runs(length: int, memory: int, known: bool, expected: str) -> None:
    model = Model(length, size=TAPE, state=lambda step: 20)
    model.follow(Budget(memory, length=length if known else None))
    assert shown(model.actions) == " ".join(expected.split())


def shown(actions: list[Action]) -> str:
    """Return actions in a few characters each; bounds in bytes are left out."""
    return " ".join(map(_shown, actions))


def _shown(action: Action) -> str:
    match action:
        case Keep():
            return "keep"
        case Hold():
            return "hold"
        case Restore(step) | Drop(step):
            return f"{type(action).__name__.lower()}({step})"
        case Advance(to) | Tape(to):
            return f"{type(action).__name__.lower()}({'' if to is None else to})"
        case Reverse(step):
            return "reverse" if step is None else f"reverse({step})"
        case Release(step):
            return f"release({step})"
        case _:
            return "again"


# Uneven runs

PHASES = st.lists(
    st.tuples(st.integers(1, 2_000), st.integers(0, 60), st.integers(0, 3_000), st.floats(0.01, 30.0)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60)
@given(phases=PHASES, memory=st.integers(48_000, 300_000), look_every=st.integers(1, 40))
def test_uneven_runs_keep_to_the_budget(
    phases: list[tuple[int, int, int, float]], memory: int, look_every: int
) -> None:
    steps = [phase for phase in phases for _ in range(phase[0])]

    def of(step: int, part: int) -> float:
        return steps[min(step, len(steps) - 1)][part]

    model = Model(
        len(steps),
        size=lambda step: int(of(step, 1)),
        state=lambda step: int(of(step, 2)),
        cotangent=lambda step: int(of(step, 2)),
        cost=lambda step: of(step, 3),
        look_every=look_every,
    ).follow(Budget(memory))
    assert model.most_held <= memory


def test_small_states_are_given_up_where_the_cotangent_has_taken_their_room() -> None:
    def cotangent(step: int) -> int:
        return 110_000 if step < 15_000 else 0

    model = Model(20_000, size=20, state=lambda _: 2_000, cotangent=cotangent).follow(Budget(150_000))
    assert model.counts.advanced <= 5 * 20_000


def test_states_that_swell_in_the_middle_are_thinned_there() -> None:
    def state(step: int) -> int:
        return 20_000 if 4_000 <= step < 6_000 else 200

    model = Model(10_000, size=TAPE, state=state, cotangent=state).follow(Budget(150_000))
    assert model.most_held <= 150_000
    assert model.counts.advanced <= 2 * 10_000


def test_steps_that_cost_more_are_not_run_more_often() -> None:
    """The last tenth takes 100 times as long; the work run again is bounded as for even steps."""

    def cost(step: int) -> float:
        return 100.0 if step >= 9_000 else 1.0

    model = Model(10_000, size=TAPE, state=lambda step: STATE, cost=cost).follow(Budget(40_000))
    again = sum(model.costs.between(low, high) for low, high in model.advanced)
    assert again <= 2 * model.costs.between(0, 10_000)


def test_tapes_of_the_beginning_are_released_where_segments_would_repeat_more() -> None:
    """The cotangent takes a third of the budget: segments that would have fitted need that of held tapes."""
    model = Model(20_000, size=TAPE, state=lambda step: 100, cotangent=lambda step: 10_500, fixed=10_500)
    model.follow(Budget(30_000))
    assert model.counts.advanced + 1.5 * model.counts.taped < 52_500  # else 54,037
    assert model.most_held <= 30_000


# Too small


def test_a_cotangent_that_does_not_grow_leaves_its_room_to_tapes() -> None:
    """What the first reversal adds is taken for growth, unless it is said to be fixed."""
    size = 6_000
    models = [
        Model(10_000, 0, TAPE, lambda step: STATE, lambda step: size, fixed).follow(Budget(20_000))
        for fixed in (0, size)
    ]
    unsaid, said = [model.counts.advanced for model in models]
    assert said < unsaid
    assert all(model.most_held <= 20_000 for model in models)


def test_a_budget_that_cannot_work_says_what_is_needed() -> None:
    model = Model(1_000, size=TAPE, state=lambda step: 50_000)
    with pytest.raises(
        BudgetError, match=r"a budget of 39\.1 KiB is too small: at step 0 .* about 97\.7 KiB"
    ) as found:
        model.follow(Budget(40_000))
    assert found.value.needed >= 50_000
    assert model.actions == [Keep()], "at once"


def test_what_is_needed_may_show_later() -> None:
    model = Model(1_000, size=lambda step: 90_000 if step == 500 else TAPE, state=lambda step: STATE)
    with pytest.raises(BudgetError) as found:
        model.follow(Budget(80_000))
    assert found.value.needed > 90_000
    Model(1_000, size=model.size, state=model.state).follow(Budget(2 * found.value.needed))


@pytest.mark.parametrize("length", [0, -1, 1.5, True])
def test_a_length_is_a_number_of_steps(length: object) -> None:
    with pytest.raises(ValueError, match="length must be at least 1 step"):
        Budget(length=length)  # type: ignore[arg-type]


def test_a_refusal_tells_the_cotangents_that_are_returned_apart() -> None:
    error = too_small(2**20, 2**16, Report(7, False, results=3 * 2**20))
    assert str(error) == (
        "a budget of 64.0 KiB is too small: at step 7 it shows that the gradient needs about 1.0 MiB, beside "
        "3.0 MiB of cotangents that it returns; raise memory= (--memory)"
    )
    assert "returns" not in str(too_small(2**20, 2**16, Report(7, False)))


def test_a_step_larger_than_what_is_taped_before_the_machine_is_asked_how_much_is_free() -> None:
    np = pytest.importorskip("numpy")
    x = np.ones(5_000_000)
    for memory in (None, 0.2):
        assert checkpoint.vjp(lambda x: x * 2.0, x, x, memory=memory)[1][-1] == 2.0


def test_what_is_held_for_a_moment_has_room_beside_tapes() -> None:
    """The last steps work on large arrays, each of which the next replaces, and which tapes keep in part."""
    length, large = 20_000, 19_990
    model = Model(
        *(length, 0, lambda step: 3_000 if step >= large else TAPE),
        *(lambda step: STATE, lambda step: STATE),
        passing=lambda step: 30_000 if step >= large else 0,
    ).follow(Budget(100_000))
    tapes = [action for action in model.actions if isinstance(action, Tape) and action.to is not None]
    assert len(tapes) == model.actions.count(Reverse())  # none was larger than what there was room for
    assert len(tapes) < 10


def two_kinds(step: int) -> int:
    """Return the bytes of a state that grows by four with each step."""
    return (885 if step < 2801 else 116) + 4 * step


def test_a_plan_has_the_room_of_the_tape_that_was_outgrown() -> None:
    """It was refused: the tape that did not fit counted as held while the next plan was made."""
    model = Model(5361, 0, lambda step: 14 if step < 2801 else 35, two_kinds, two_kinds)
    model.look_every = 1
    model.follow(Budget(81_520))
    assert model.outgrown > 0


def test_plans_that_never_fit_are_refused() -> None:
    """A tape that reaches the end of its segment, but in too much memory, makes the next one smaller."""
    phases = [
        (835, 19, 24_248, 8.568),
        (399, 23, 28_541, 1.0),
        (307, 0, 11_162, 24.261),
        (1047, 37, 10_773, 7.564),
    ]
    steps = [phase for phase in phases for _ in range(phase[0])]

    def state(step: int) -> int:
        return steps[min(step, len(steps) - 1)][2]

    model = Model(len(steps), 0, lambda step: steps[step][1], state, state)
    model.cost, model.look_every = lambda step: steps[step][3], 7
    with pytest.raises(BudgetError, match="is too small"):
        model.follow(Budget(64_153))
