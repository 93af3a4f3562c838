"""The bridge: values of Python that go into C, and come out again, are the same in everything that counts."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint import engines
from checkpoint.ad.containers import TUPLE, Dict, Layout, List, Object, Record
from checkpoint.ad.numbers import Dual
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.values import EMPTY, Capsule, Closure, Environment, Opaque, Pair, Symbol
from checkpoint.ctarget.library import reason
from checkpoint.ctarget.states import Heap, exported, imported
from checkpoint.errors import Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from checkpoint.interp.hybrid.machine import HALT, State

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))


def through(*values: Any) -> list[Any]:
    """Return the values after one way into C and out again, all at the same time."""
    heap = Heap()
    root = values[0] if len(values) == 1 else Record(TUPLE, values)
    back = exported(heap, imported(heap, State(HALT, 0, (root,), None, 7, 3, 5)))
    assert (back.block, back.index, back.steps, back.tags, back.births) == (HALT, 0, 7, 3, 5)
    return [back.values[0]] if len(values) == 1 else list(back.values[0].items)


def bits(x: float) -> bytes:
    return struct.pack("<d", x)


def same(a: Any, b: Any) -> bool:
    """Return whether values, births, owners and sharing are the same, and reals in every bit."""
    forth: dict[int, int] = {}
    back: dict[int, int] = {}
    pending = [(a, b)]
    while pending:
        x, y = pending.pop()
        if type(x) is not type(y):
            return False
        if type(x) is float:
            if bits(x) != bits(y):
                return False
            continue
        if not hasattr(x, "parts") or type(x) in (Capsule, Opaque):
            if x != y:
                return False
            continue
        known = id(x) in forth
        paired = forth.setdefault(id(x), id(y)) == id(y) and back.setdefault(id(y), id(x)) == id(x)
        if not paired and type(x) not in (Dual, Closure):
            return False
        if known:
            continue
        if getattr(x, "birth", 0) != getattr(y, "birth", 0) or getattr(x, "tag", 0) != getattr(y, "tag", 0):
            return False
        if type(x) in (List, Dict, Object) and (x.owner is FROZEN) != (y.owner is FROZEN):
            return False
        if type(x) is Dict and list(x.items) != list(y.items):
            return False
        if type(x) in (Record, Object) and x.layout != y.layout:
            return False
        if type(x) is Closure and x.lam is not y.lam:
            return False
        if len(x.parts()) != len(y.parts()):
            return False
        pending.extend(zip(x.parts(), y.parts(), strict=True))
    return True


class Point:
    """A class whose instances are records."""


POINT = Layout(Point, ("x", "y"))

ATOMS = st.one_of(
    st.floats(),
    st.integers(),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.none(),
    st.text(max_size=4),
    st.builds(Symbol, st.text(max_size=4)),
    st.builds(range, st.integers(-5, 5), st.integers(-5, 5), st.integers(1, 3)),
)
KEYS = st.recursive(
    st.one_of(st.integers(), st.text(max_size=3), st.none()), lambda k: st.tuples(k, k), max_leaves=3
)
NUMBERS = st.recursive(st.floats(), lambda x: st.builds(Dual, st.integers(0, 9), x, x), max_leaves=5)
BIRTHS = st.integers(0, 10**9)


OWNERS = st.sampled_from((FROZEN, None))
VALUES = st.recursive(
    st.one_of(ATOMS, NUMBERS),
    lambda v: st.one_of(
        st.builds(Pair, v, v, BIRTHS),
        st.builds(lambda x: Pair(x, x), v),
        st.builds(lambda items, birth: Record(TUPLE, tuple(items), birth), st.lists(v, max_size=4), BIRTHS),
        st.builds(lambda x, y, birth: Record(POINT, (x, y), birth), v, v, BIRTHS),
        st.builds(List, st.lists(v, max_size=12), BIRTHS, OWNERS),
        st.builds(Dict, st.dictionaries(KEYS, v, max_size=12), BIRTHS, OWNERS),
        st.builds(lambda x, y, birth, owner: Object(POINT, [x, y], birth, owner), v, v, BIRTHS, OWNERS),
        st.builds(
            lambda items, birth: Environment(tuple(items), birth), st.lists(v, min_size=1, max_size=4), BIRTHS
        ),
    ),
    max_leaves=40,
)


@given(VALUES)
@settings(max_examples=300)
def test_what_comes_out_is_what_went_in(value: Any) -> None:
    assert same(value, through(value)[0])


def test_what_is_shared_stays_so() -> None:
    shared = Pair(1.0, List([2.0, None], 4), 9)
    values = (shared, Pair(shared, shared.cdr, 10), shared.cdr)
    first, second, third = through(*values)
    assert second.car is first
    assert second.cdr is third is first.cdr


def test_what_holds_itself_does_so() -> None:
    rows = List([1.0], 3)
    table = Dict({"rows": rows}, 4)
    node = Object(POINT, [table, None], 5)
    rows.items += [rows, node]
    node.items[1] = Pair(node, rows)
    back = through(rows)[0]
    assert same(rows, back)
    assert back.items[1] is back
    assert back.items[2].items[0].items["rows"] is back
    assert back.items[2].items[1].car is back.items[2]


class Small(IntEnum):
    A = 1


@pytest.mark.parametrize("key", [1.5, 2.0, True, 1 << 70, frozenset((1,)), Small.A], ids=repr)
def test_keys_of_every_kind(key: Any) -> None:
    back = through(Dict({key: 1.0, "a": 2.0, (0, "b"): 3.0}))[0]
    assert list(back.items.items()) == [(key, 1.0), ("a", 2.0), ((0, "b"), 3.0)]
    assert type(next(iter(back.items))) is type(key)


def test_every_real_is_an_object_of_its_own() -> None:
    real = 2.5
    back = through(Pair(real, real))[0]
    assert back.car == back.cdr == real
    assert back.car is not back.cdr


def test_every_dual_is_an_object_of_its_own() -> None:
    dual = Dual(1, Dual(0, 1.0, 2.0), Dual(0, 3.0, 4.0))
    back = through(Pair(dual, dual))[0]
    assert same(dual, back.car)
    assert same(dual, back.cdr)
    assert back.car is not back.cdr


def test_closures_keep_their_code_and_environment() -> None:
    made = runs.run_program(
        load(
            Source("closures", "(define (make x) (cons (lambda (y) (+ x y)) (lambda (y) (* x y)))) (make 3)")
        ),
        engines.get("hybrid"),
    )
    back = through(made)[0]
    assert same(made, back)
    assert type(back.car) is Closure
    assert through(Closure(made.car.lam, EMPTY))[0].env is EMPTY


def test_a_long_list_does_not_recurse() -> None:
    value: Any = None
    for i in range(200_000):
        value = Pair(float(i), value, i)
    back, count = through(value)[0], 0
    while back is not None:
        assert back.birth == 199_999 - count
        back, count = back.cdr, count + 1
    assert count == 200_000


def test_what_python_alone_knows_comes_back_itself() -> None:
    opaque = Opaque((1.0,))
    assert through(Pair(opaque, opaque))[0].car is opaque


@pytest.mark.parametrize("text", ["(raise 3)", "(car 5)", "(5 6)", "(j* (lambda (x) (raise x)) 1.0 1.0)"])
@pytest.mark.parametrize("frame", ["{}", "(handle (lambda () {}) (lambda (e) 7.0))"])
def test_what_is_raised_is_the_same(text: str, frame: str) -> None:
    def outcome(engine: str) -> Any:
        try:
            return runs.run_program(load(Source("raised", frame.format(text))), engines.get(engine))
        except Exception as error:
            return type(error), str(error)

    assert outcome("c") == outcome("hybrid")
