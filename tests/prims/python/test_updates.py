"""Updates do what Python's own do, and save what the last state has seen."""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint.ad.containers import Dict, List, fields
from checkpoint.ad.numbers import Tape
from checkpoint.ad.record import PYTHON_FAILURES, Update, lookup, records
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.versions import Version
from checkpoint.errors import RunError
from checkpoint.prims.python.native import from_native, native
from tests.prims.python.support import Moment, Outcome, Point, no_other, perform, value_of

UPDATES = [record.name for record in records().values() if isinstance(record, Update)]

# Those of attributes and paths are tried in test_attributes.py, that of references in tests/control.
OF_ATTRIBUTES = {f"py.{name}-attribute" for name in ("set", "delete", "put-back", "keep")}
OF_REFERENCES = {":="}

# The update, the same change by Python, and operands, some of which fail.
CASES: list[tuple[str, Callable[..., Any], Any, list[tuple[Any, ...]]]] = [
    ("set", operator.setitem, [1.0, 2, "x"], [(0, 5.0), (-1, 2), (True, 3), (3, 1), (1.0, 2), ("a", 1)]),
    ("set", operator.setitem, {"a": 1.0, 2: 3}, [("a", 5.0), ("b", [1]), ((1, "x"), 2), ([1], 2)]),
    ("set", operator.setitem, (1.0,), [(0, 1.0)]),
    ("set", operator.setitem, "ab", [(0, "x")]),
    ("set", operator.setitem, None, [(0, 1.0)]),
    ("delete", operator.delitem, [1.0, 2, "x"], [(0,), (-1,), (2,), (1,), (3,), (-4,), ("a",), (2.0,)]),
    ("delete", operator.delitem, {"a": 1.0, 2: 3}, [("a",), (2,), ("c",), ([1],), (((),),)]),
    ("delete", operator.delitem, (1.0,), [(0,)]),
    ("append", lambda x, v: x.append(v), [1.0], [(2.0,), (None,), ([1.5],)]),
    ("append", lambda x, v: x.append(v), (1.0,), [(2.0,)]),
    ("extend", lambda x, v: x.extend(v), [1.0], [
        *(((2.0, 3),), ("ab",), (range(2),), ({"k": 1},), (3,), (None,)),
    ]),
    ("iadd/any", operator.iadd, [1.0], [((2.0, 3),), ("ab",), ([],), (Point(1.0, 2.0),), (3,), (2.5,)]),
    ("imul/any", operator.imul, [1.0, 2.0], [(2,), (0,), (-1,), (True,), ("a",), (2.0,)]),
    ("insert", lambda x, i, v: x.insert(i, v), [1.0, 2.0], [
        *((0, 3.0), (-1, 2), (9, "x"), (1.0, 2), (None, 1)),
    ]),
    ("reverse", lambda x: x.reverse(), [1.0, 2, "x"], [()]),
    ("clear", lambda x: x.clear(), [1.0, 2, "x"], [()]),
    ("clear", lambda x: x.clear(), {"a": 1.0}, [()]),
    ("clear", lambda x: x.clear(), 1.0, [()]),
    ("set-slice", lambda x, a, b, c, v: operator.setitem(x, slice(a, b, c), v), [1.0, 2, "x", None], [
        *((1, 2, None, (5.0, 6.0)), (None, None, 2, [1, 2]), (None, None, 2, [1]), (0, 0, None, "ab")),
        *((1, 2, None, 3.0), (1, 2, -1, 3), (None, None, 0, []), ("a", None, None, [])),
        (3, 1, None, range(2)),
    ]),
    ("set-slice", lambda x, a, b, c, v: operator.setitem(x, slice(a, b, c), v), (1.0,), [(0, 1, None, [])]),
    ("delete-slice", lambda x, a, b, c: operator.delitem(x, slice(a, b, c)), [1.0, 2, "x", None], [
        *((1, 2, None), (None, None, 2), (None, None, 0), (1.5, None, None)),
    ]),
    ("merge", lambda x, y: x.update(y), {"a": 1.0, "b": 2}, [
        *(({"b": 5.0, "c": 1},), ({},), ([],), (3,), ([1],)),
    ]),
    ("merge", lambda x, y: x.update(y), [1.0], [({},)]),
    ("ior", operator.ior, {"a": 1.0, "b": 2}, [({"b": 5.0, "c": 1},), ({},), ([],), (3,)]),
]  # fmt: skip
EVERY = [(name, change, x, operands) for name, change, x, tried in CASES for operands in tried]


def test_every_update_is_tried() -> None:
    tried = {f"py.{name}" for name, *_ in EVERY} | {"py.permute"} | {"py.put-back"}
    assert tried | OF_ATTRIBUTES | OF_REFERENCES == set(UPDATES)


def _copied(x: Any) -> Any:
    return x.copy() if isinstance(x, (list, dict)) else x


def restored(now: Moment, container: Any) -> Any:
    """Return a container as it was before the first update by a machine that did not own it."""
    saved, content = now.changes[id(container)]
    assert saved is container
    container.restore(content)
    return container


@pytest.mark.parametrize(("name", "change", "x", "operands"), EVERY, ids=range(len(EVERY)))
@pytest.mark.parametrize("owned", [True, False], ids=["in place", "copied"])
def test_updates_do_what_python_does(
    name: str, change: Callable[..., Any], x: Any, operands: tuple[Any, ...], owned: bool
) -> None:
    def theirs() -> Any:
        changed = _copied(x)
        change(changed, *operands)
        return changed

    now = Moment(10)
    handle = value_of(x, now if owned else None)
    before = native(handle)
    ours = Outcome.of(lambda: native(perform(now, name, handle, *map(value_of, operands))))
    assert ours == Outcome.of(theirs)
    if not isinstance(handle, (List, Dict)):
        return
    if ":" in ours.text.split(" ")[0]:
        assert repr(native(handle)) == repr(before), "a failing update leaves all as it was"
    elif not owned:
        assert repr(native(restored(now, handle))) == repr(before)


@pytest.mark.parametrize(("name", "change", "x", "operands"), EVERY, ids=range(len(EVERY)))
def test_what_an_update_says_it_writes_is_what_it_writes(
    name: str, change: Callable[..., Any], x: Any, operands: tuple[Any, ...]
) -> None:
    now = Moment(10)
    handle = value_of(x, now)
    values = [handle, *map(value_of, operands)]
    record = lookup(f"py.{name}")
    assert isinstance(record, Update)
    old = dict(zip(fields(handle), handle.parts(), strict=True)) if isinstance(handle, (List, Dict)) else {}
    try:
        writes = None if record.writes is None else record.writes(now, *values)
        result = perform(now, name, *values)
    except PYTHON_FAILURES:
        return
    assert result.owner is now.owner
    if writes is None:
        assert not {id(part) for part in result.parts() if type(part) is float} & {*map(id, old.values())}
        return
    assert result.birth == handle.birth
    written = {place: (operand, inner) for place, operand, inner in writes}
    for place, part in zip(fields(result), result.parts(), strict=True):
        if place in written:
            operand, inner = written[place]
            source = values[operand] if inner is None else values[operand].items[inner]
            assert type(part) is type(source)
            assert type(part) is not float or (part == source and part is not source)
        elif place in old:
            assert part is old[place]
        else:
            assert type(part) is not float


def test_an_owned_list_is_changed_at_once() -> None:
    now = Moment(10)
    x = value_of([1.0, 2.0], now)
    x.birth = 7
    assert perform(now, "append", x, 3.0) is x
    assert (x.items, x.birth, now.changes) == ([1.0, 2.0, 3.0], 7, {})


def test_another_owner_s_list_is_saved_once() -> None:
    now = Moment(10)
    x = value_of([1.0, 2.0], Moment())
    before = x.items
    for item in (3.0, 4.0):
        assert perform(now, "append", x, item) is x
    assert native(x) == [1.0, 2.0, 3.0, 4.0]
    assert x.owner is now.owner
    assert list(now.changes.values()) == [(x, before)]
    assert before == [1.0, 2.0]
    assert all(a is b for a, b in zip(before, x.items, strict=False)), "its locations are the same"


@pytest.mark.parametrize(("name", "change", "x", "operands"), EVERY, ids=range(len(EVERY)))
def test_what_came_in_is_not_changed(
    name: str, change: Callable[..., Any], x: Any, operands: tuple[Any, ...]
) -> None:
    if not isinstance(x, (list, dict)):
        return
    now = Moment(10)
    handle = from_native(x, no_other, FROZEN)
    try:
        perform(now, name, handle, *map(value_of, operands))
    except RunError as error:
        kind, copy = ("list", "list(...)") if isinstance(x, list) else ("dictionary", "dict(...)")
        assert f"this {kind} came in as an argument" in error.message
        assert copy in error.message
    except PYTHON_FAILURES:
        pass  # its operands were refused before
    else:
        raise AssertionError("changed")
    assert repr(native(handle)) == repr(x)


def test_a_list_extended_by_itself() -> None:
    now = Moment(10)
    assert native(perform(now, "extend", x := value_of([1.0, 2.0], now), x)) == [1.0, 2.0, 1.0, 2.0]


def test_sorting_in_place() -> None:
    now = Moment(10)
    x = value_of([3.0, 1.0, 2.0], now)
    new = perform(now, "permute", x, perform(now, "order", x, False))
    assert native(new) == [1.0, 2.0, 3.0]
    assert new is x
    assert native(perform(now, "permuted", new, perform(now, "order", new, True))) == [3.0, 2.0, 1.0]


def test_what_is_written_is_a_new_location() -> None:
    now, tape = Moment(10), Tape()
    node = tape.leaf(2.0)
    x = perform(now, "set", value_of([1.0], now), 0, node)
    assert x.items[0] is not node
    assert x.items[0].inputs == ((node, 1.0),)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.floats(0, 1)),
        st.tuples(st.just("set"), st.integers(-4, 4), st.floats(0, 1)),
        st.tuples(st.just("delete"), st.integers(-4, 4)),
        st.tuples(st.just("insert"), st.integers(-4, 4), st.floats(0, 1)),
        st.tuples(st.just("reverse")),
        st.tuples(st.just("keep")),
    ),
    max_size=20,
)


@given(STEPS)
def test_a_kept_list_is_what_it_was(steps: list[tuple[Any, ...]]) -> None:
    """Each version shows what the list was, in whatever order they are shown."""
    x, mirror = value_of([0.5], None), [0.5]
    now = Moment()
    kept: list[tuple[Version, list[float]]] = [(now.since, mirror.copy())]
    for name, *operands in steps:
        if name == "keep":
            kept.append((now.version, mirror.copy()))
            now = Moment(since=now.version)
            continue
        change: Any = {"set": operator.setitem, "delete": operator.delitem}.get(name) or getattr(list, name)
        theirs = Outcome.of(lambda: change(mirror, *operands))  # noqa: B023
        try:
            assert perform(now, name, x, *operands) is x
        except IndexError as error:
            assert theirs.text == f"IndexError: {error}"
        assert native(x, now) == mirror
    for index in (*range(len(kept)), *reversed(range(len(kept)))):
        shown, contents = kept[index]
        shown.show()
        assert native(x) == contents
        if index % 3 == 2 and index < len(kept) - 1:
            assert native(perform(Moment(since=shown), "append", x, 9.0)) == [*contents, 9.0]


def test_versions_cost_what_has_changed() -> None:
    """What a state saves does not grow with the states in between that are dropped again."""
    now = Moment()
    first, lists = now.since, [value_of([float(i)]) for i in range(10)]
    for turn in range(200):
        perform(now, "append", lists[turn % 3], 1.0)
        now = Moment(since=now.version)
    gc.collect()
    saved = versions_before(now.since)
    assert [len(changes) for changes in saved] == [3, 0]
    first.show()
    assert [native(x) for x in lists] == [[float(i)] for i in range(10)]


def versions_before(shown: Version) -> list[Any]:
    """Return what the versions save from which a version can be reached, the earliest first."""
    node = shown._node
    assert node is not None
    found = [node.changes]
    while node.before():
        (node,) = node.before()
        found.insert(0, node.changes)
    return found


def test_many_versions_go_at_once() -> None:
    """Versions that nobody holds, with several before each, leave the tree without recursion."""
    now, x = Moment(), value_of([1.0])
    states, branches = [now.since], []
    for _ in range(1_500):
        perform(now, "append", x, 1.0)
        states.append(now.version)
        now = Moment(since=now.version)
    for state in states:
        now = Moment(since=state)
        perform(now, "append", x, 2.0)
        branches.append(now.version)
    first = states[0]
    states.clear()
    del now
    while branches:
        del branches[0]
    first.show()
    assert native(x) == [1.0]
