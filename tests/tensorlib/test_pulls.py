"""Records that reverse their operands together, from what they save of the forward call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
import tensorlib  # noqa: F401  # registers the records
from checkpoint import engines, grad
from checkpoint.ad.accumulators import Accumulator, Scattered
from checkpoint.ad.pullbacks import Pullback
from checkpoint.ad.record import Purity, records
from checkpoint.ad.tensors import Tensor
from checkpoint.driver.schedule import Bisection
from checkpoint.errors import InternalError
from tests.support.same import same_elements
from tests.tensorlib.check import value, wanted_of

ENGINES = pytest.mark.parametrize("engine", engines.usable())
SAVING = sorted(
    name
    for name, each in records().items()
    if isinstance(each, Tensor) and each.saves and not name.startswith("ndarray.")
)


def same(x: Any, y: Any) -> bool:
    """Return whether two native values are the same to the last bit."""
    if isinstance(x, list | tuple):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, Scattered):
        return same(x.dense(), y.dense())
    return same_elements(np.asarray(x), np.asarray(y))


def found(name: str) -> Tensor:
    record = records()[name]
    assert isinstance(record, Tensor)
    return record


@pytest.mark.parametrize("name", SAVING)
def test_what_saves_has_the_value_to_the_last_bit(name: str) -> None:
    record = found(name)
    assert record.saves is not None
    with np.errstate(all="ignore"):
        for sample in record.samples(np.random.default_rng(0)):
            wanted = tuple(wanted_of(record, [value(x) for x in sample]))
            if wanted:
                y, saved = record.saves(np, wanted, *sample)
                assert same(y, record.value(np, *sample))
                assert isinstance(saved, tuple)


@pytest.mark.parametrize("name", SAVING)
def test_one_cotangent_alone_is_the_one_beside_the_others(name: str) -> None:
    record = found(name)
    assert record.saves is not None
    assert record.pull is not None
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for sample in record.samples(rng):
            wanted = tuple(wanted_of(record, [value(x) for x in sample]))
            if not wanted or isinstance(record.value(np, *sample), tuple):
                continue
            y, saved = record.saves(np, wanted, *sample)
            g = np.asarray(rng.normal(size=np.shape(y))).astype(np.asarray(y).dtype)[()]
            together = record.pull(np, wanted, g, y, saved, *sample)
            assert len(together) == len(wanted)
            for position, cotangent in zip(wanted, together, strict=True):
                rule = record.vjp(position)
                assert rule is not None
                assert same(rule(np, g, y, *sample), cotangent)


def deviations(x: Any) -> Any:
    return np.sum(np.std(np.sin(x), axis=0))


@ENGINES
def test_what_is_saved_counts_in_the_bytes_of_a_tape(engine: str) -> None:
    x = np.random.default_rng(0).normal(size=(2, 2**14))
    with checkpoint.profile() as profile:
        gradient = grad(deviations, engine=engine, schedule="plain")(x)
    assert profile.total is not None
    elements = 2 * x.nbytes  # the sines of x, the deviations and, saved, the means
    assert elements <= profile.total.peak_tape_bytes < elements + 2**13
    for schedule in (Bisection(1), "budget"):
        again = grad(deviations, engine=engine, schedule=schedule)(x)
        assert same_elements(again, gradient)
    assert same_elements(grad(deviations, engine="interp", schedule="plain")(x), gradient)


@ENGINES
def test_a_method_that_saves_is_one_of_arrays(engine: str) -> None:
    with pytest.raises(AttributeError, match="'list' object has no attribute 'std'"):
        grad(lambda x: [x, 2.0].std(), engine=engine)(1.0)  # type: ignore[attr-defined]


def of_two(**fields: Any) -> Tensor:
    """Return a record of two operands, which is not registered."""
    given: dict[str, Any] = {"pull": lambda xp, wanted, g, y, saved, a, b: [g] * len(wanted), **fields}
    return Tensor(
        name="of two",
        arity=2,
        purity=Purity.PURE,
        doc="for a test",
        value=lambda xp, a, b: a,
        shape="that of both",
        samples=lambda rng: [],
        **given,
    )


def test_a_pull_is_asked_for_the_wanted_operands_alone() -> None:
    asked: list[Any] = []

    def pull(xp: Any, wanted: Any, g: Any, y: Any, saved: Any, a: Any, b: Any) -> Any:
        asked.append((wanted, saved))
        return [g + position for position in wanted]

    record = of_two(pull=pull, saves=lambda xp, wanted, a, b: (a, (b,)), jvps=(lambda *_: None,) * 2)
    a, b, kept = np.zeros(3), np.ones(3), np.full(3, 7.0)
    for wanted in ((0,), (1,), (0, 1)):
        pullback = Pullback(record, [a, b], a, wanted, (kept,))
        assert any(array is kept for array in pullback.arrays())
        contributions = [each.array[0] for each in pullback.contributions([Accumulator(np.zeros(3))])]
        assert contributions == [float(position) for position in reversed(wanted)]
        assert asked[-1] == (wanted, (kept,))
    rule = record.vjp(1)
    assert rule is not None
    assert rule(np, a, a, a, b)[0] == 1.0
    assert asked[-1][1][0] is b


def test_an_array_that_is_saved_is_not_changed_by_the_sweep() -> None:
    record = of_two(pull=lambda xp, wanted, g, y, saved, a, b: [saved[0]], jvps=(lambda *_: None, None))
    kept = np.ones(3)
    (contribution,) = Pullback(record, [kept * 2, 3.0], kept * 3, (0,), (kept,)).contributions(
        [Accumulator(kept * 4)]
    )
    assert contribution.array is kept
    assert not contribution.owned


def test_records_that_are_incomplete() -> None:
    some = (lambda *_: None,)
    with pytest.raises(InternalError, match="saves for no pull"):
        of_two(pull=None, vjps=some * 2, jvps=some * 2, saves=lambda xp, wanted, a, b: (a, ()))
    with pytest.raises(InternalError, match="0 vjps, 0 jvps"):
        of_two()
    with pytest.raises(InternalError, match="0 vjps, 2 jvps"):
        of_two(pull=None, jvps=some * 2)
    assert [rule is None for rule in of_two(jvps=(*some, None)).vjps] == [False, True]
