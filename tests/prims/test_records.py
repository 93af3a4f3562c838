"""Records are either complete or refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from checkpoint.ad.record import (
    Control,
    Data,
    Effect,
    Interval,
    Operator,
    Primitive,
    Purity,
    Rearrange,
    Scalar,
    Select,
    Update,
    lookup,
    records,
    register,
)
from checkpoint.ad.tensors import Tensor
from checkpoint.errors import InternalError
from checkpoint.prims import arities

COMPLETE: dict[str, Any] = {
    "name": "test-cube",
    "arity": 1,
    "purity": Purity.PURE,
    "doc": "the cube",
    "value": lambda x: x * x * x,
    "ieee": lambda x: x * x * x,
    "partials": (lambda x, y: 3 * x * x,),
    "domain": (Interval(-1.0, 1.0),),
}


def test_a_complete_record_is_taken_but_not_registered() -> None:
    assert Scalar(**COMPLETE).name == "test-cube"
    assert "test-cube" not in records()


@pytest.mark.parametrize("missing", COMPLETE)
def test_every_entry_is_needed(missing: str) -> None:
    with pytest.raises(TypeError, match=missing):
        Scalar(**{key: entry for key, entry in COMPLETE.items() if key != missing})


@pytest.mark.parametrize(
    "change",
    [{"partials": ()}, {"arity": 2}, {"domain": ()}, {"domain": (Interval(0.0, 1.0),) * 2}],
    ids=str,
)
def test_counts_must_agree(change: dict[str, Any]) -> None:
    with pytest.raises(InternalError) as caught:
        Scalar(**{**COMPLETE, **change})
    arity = change.get("arity", 1)
    wanted = f"internal error, please report it: the record of test-cube needs {arity} partials and intervals"
    assert str(caught.value) == wanted


def test_a_name_is_registered_once() -> None:
    with pytest.raises(InternalError, match="the primitive sqrt is registered twice"):
        register(Scalar(**{**COMPLETE, "name": "sqrt"}))
    assert lookup("sqrt").doc == "square root"


@pytest.mark.parametrize("record", records().values(), ids=lambda record: record.name)
def test_every_record_says_what_it_is(record: Primitive) -> None:
    assert arities()[record.name] == record.arity
    assert record.doc
    assert record.purity in Purity
    assert (record.purity is Purity.EFFECT) == isinstance(record, Effect)
    kinds = Scalar | Data | Select | Rearrange | Update | Tensor | Effect | Operator | Control
    assert isinstance(record, kinds)
    if isinstance(record, Operator | Control):
        assert record.derivative, "not differentiable is written, never implied"
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.arity = 7  # type: ignore[misc]
