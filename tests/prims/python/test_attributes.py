"""Attributes of objects: reading, writing and deleting them, and putting back what was changed."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.ad.containers import TUPLE, Layout, List, Object, Record
from checkpoint.ad.record import Update, lookup
from checkpoint.ad.storage import FROZEN
from checkpoint.errors import RunError
from tests.prims.python.support import Moment, perform, value_of


class Body:
    """A class whose instances get attributes one by one."""


BODY = Layout(Body)


def made(now: Moment, **fields: Any) -> Object:
    body: Object = perform(now, "new", BODY)
    for name, value in fields.items():
        assert perform(now, "set-attribute", body, name, value) is body
    return body


def test_attributes_are_added_and_replaced() -> None:
    now = Moment()
    body, other = made(now, mass=2.0, name="a"), made(now, mass=3.0, name="b")
    assert body.layout is other.layout, "objects that are made alike share their layout"
    perform(now, "set-attribute", body, "mass", 5.0)
    assert (body.layout.names, body.items) == (("mass", "name"), [5.0, "a"])
    assert perform(now, "attribute", body, "mass") == 5.0
    assert perform(now, "attribute", other, "mass") == 3.0
    with pytest.raises(AttributeError, match="'Body' object has no attribute 'speed'"):
        perform(now, "attribute", body, "speed")


def test_attributes_are_deleted() -> None:
    now = Moment()
    body = made(now, mass=2.0, name="a", speed=3.0)
    perform(now, "delete-attribute", body, "name")
    assert (body.layout.names, body.items) == (("mass", "speed"), [2.0, 3.0])
    with pytest.raises(AttributeError, match="'Body' object has no attribute 'name'"):
        perform(now, "delete-attribute", body, "name")


def test_a_state_keeps_the_layout_too() -> None:
    now = Moment()
    body = made(now, mass=2.0)
    later = Moment(since=now.version)
    perform(later, "set-attribute", body, "name", "a")
    perform(later, "set-attribute", body, "mass", 4.0)
    now.version.show()
    assert (body.layout.names, body.items) == (("mass",), [2.0])
    later.version.show()
    assert (body.layout.names, body.items) == (("mass", "name"), [4.0, "a"])


def test_what_came_in_is_not_changed() -> None:
    body = Object(BODY.with_name("mass"), [2.0], owner=FROZEN)
    for name, operands in (("set-attribute", ("mass", 1.0)), ("delete-attribute", ("mass",))):
        with pytest.raises(RunError, match="this object came in as an argument"):
            perform(Moment(), name, body, *operands)
    assert body.items == [2.0]


def writes(now: Moment, name: str, *operands: Any) -> Any:
    record = lookup(f"py.{name}")
    assert isinstance(record, Update)
    assert record.writes is not None
    return record.writes(now, *operands)


def test_only_what_has_no_identity_is_put_back() -> None:
    now = Moment()
    inner = value_of([1.0], now)
    fixed = Record(TUPLE, (inner, 2))
    assert perform(now, "put-back", fixed, 0, inner) is fixed
    assert writes(now, "put-back", fixed, 0, inner) == []
    with pytest.raises(RunError, match="an array in a tuple cannot be changed in place here"):
        perform(now, "put-back", fixed, 1, 3)
    holder = List([inner, 2.0], owner=now.owner)
    assert writes(now, "put-back", holder, -2, inner) == []
    assert writes(now, "put-back", holder, -1, 3.0) == [(1, 2, None)]
    assert perform(now, "put-back", holder, -1, 3.0).items == [inner, 3.0]


def test_only_what_has_no_identity_is_put_back_into_an_attribute() -> None:
    now = Moment()
    inner = value_of([1.0], now)
    body = made(now, kept=inner, mass=1.0)
    frozen = Object(body.layout, list(body.items), owner=FROZEN)
    assert perform(now, "put-back-attribute", frozen, "kept", inner) is frozen
    assert writes(now, "put-back-attribute", body, "kept", inner) == []
    assert writes(now, "put-back-attribute", body, "mass", 2.0) == [(1, 2, None)]
    assert perform(now, "put-back-attribute", body, "mass", 2.0).items == [inner, 2.0]
