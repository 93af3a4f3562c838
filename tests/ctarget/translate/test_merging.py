"""Params of headers that always have one value are one: loops hold what those around them go on with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.emit.records import Records
from checkpoint.ctarget.translate.emit.text import plain_source, taped_source
from checkpoint.ctarget.translate.ops.check_ops import IsKind
from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep
from checkpoint.ctarget.translate.units.alike import alike
from checkpoint.ctarget.translate.units.check_units import check_unit
from checkpoint.ctarget.translate.units.graph import Fork, Jump
from checkpoint.ctarget.translate.units.merging import merge
from checkpoint.ctarget.translate.units.paths import all_paths, nodes
from checkpoint.functions.resumption import as_function
from tests.ctarget.test_driver import swept
from tests.ctarget.translate.shared_objects import needs_compiler
from tests.ctarget.translate.units import Maker, block
from tests.support.translation import translate_soon

TABLE = [0.1 * k * k for k in range(8)]


def searched(x: float, turns: int = 60) -> float:
    """Look numbers up in the parts of a table."""
    table, found = [x * each for each in TABLE], x
    for _ in range(turns):
        for part in range(3):
            low, high = 0, 7 - part
            while high - low > 1:
                middle = (low + high) // 2
                if table[middle] > found:
                    high = middle
                else:
                    low = middle
            share = (table[low + 1] - found) / (table[low + 1] - table[low])
            found = 0.9 * found + 0.1 * share * table[low] + 0.01 * table[part]
    return found


def changed(x: float) -> float:
    """Read a list by two names in a loop, behind which it is changed, or replaced for one of them."""
    mine, total = [x * each for each in TABLE], x
    for i in range(120):
        first = second = mine
        for j in range(1 + i % 3):
            if first[j] > total:
                total -= 0.1 * second[j + 1]
            else:
                total += 0.2 * first[j] * x
        mine[i % 5] = 0.5 * total
        if i % 7 == 6:
            mine = [0.5 * each for each in second]
            total = 0.1 * total + 0.01 * second[2]
    return total + mine[2]


def parted(x: float) -> float:
    """Begin a loop with two lists, which become one in its first turn, and are apart again behind it."""
    one, other, total = [x, 0.5], [0.25, x], x
    for _ in range(60):
        a, b = one, other
        for j in range(6):
            total = 0.9 * total + 0.1 * a[j % 2] * b[1] + 0.01 * j
            a = b
        one, other = other, [total, one[0]]
    return total


PROGRAMS: dict[str, Callable[[float], float]] = {"searched": searched, "changed": changed, "parted": parted}


def outcomes(f: Any, engine: str) -> list[Any]:
    found: list[Any] = [checkpoint.primops(f, 0.3, engine=engine)]
    for schedule in (None, checkpoint.Bisection(base=701)):
        found.append([y.hex() for y in checkpoint.vjp(f, 0.3, 1.0, engine=engine, schedule=schedule)])
    return found


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f = PROGRAMS[name]
    expected = outcomes(f, "hybrid")
    translate_soon(monkeypatch)
    assert outcomes(f, "c") == expected
    steps = expected[0]
    for cut in {(steps * k // 4 + 3 * k) % steps for k in range(5)}:
        assert checkpoint.resume(checkpoint.interrupt(f, 0.3, cut, engine="c")) == f(0.3)


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_references_are_as_many_as_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)
    run = as_function(PROGRAMS[name]).call((0.3,), {}, "c", ("x",)).run
    start: Any = run.engine.start(0, run.u, run.tags)
    for base in (10**6, 701, 97):
        swept(run.engine, start, checkpoint.Bisection(base=base))
        used = start.heap.bytes
        swept(run.engine, start, checkpoint.Bisection(base=base))
        assert start.heap.bytes == used
        start.heap.check()


@needs_compiler
def test_a_search_counts_no_references_and_its_tape_has_once_what_is_read_twice() -> None:
    units = units_of(lambda: checkpoint.grad(searched, engine="c")(0.3, 900))
    unit = max(units, key=lambda unit: len(unit.headers))
    text = taped_source(unit)
    assert "!same_value(" in text[: text.index("default: return false;")]
    jumps = [path for path in all_paths(unit) if isinstance(path.end, Jump) and path.header.number != 0]
    assert sum(not any(node.effects for node in path.nodes) for path in jumps) >= 3  # of the search
    path = max(jumps, key=lambda path: len(path.operations))
    twice = {to.name for to in alike(path) if to.kind == "real"}
    recorded = {word.name for word in Records(unit).of_end[id(path.end)].words}
    assert twice
    assert not twice & recorded


def test_a_merged_object_has_one_reference() -> None:
    make = Maker()
    outer, inner = block("outer", "n", "l"), block("inner", "n", "l", "same", "other")
    first = make.header(outer, (make.place("n", "integer"), make.place("l", "value")), 9)
    n, held = first.params
    others = make.places("l_1 same_1 other_1", "value")
    second = make.header(inner, (make.place("n_1", "integer"), *others), 9)
    first.root.effects += [Keep(held), Keep(held)]
    first.root.end = make.jump(second, 3, n, held, held, held)
    test = make.place("test", "boolean")
    second.root.ops.append(IsKind(test, others[2], "LIST"))
    again, back = (make.node(inner, second.params, 2) for _ in range(2))
    second.root.end = Fork(test, again, back)
    again.effects += [Keep(others[0]), Drop(others[1])]
    again.end = make.jump(second, 4, second.params[0], others[0], others[0], others[2])
    back.effects += [Drop(others[1]), Drop(others[2])]
    back.end = make.jump(first, 4, second.params[0], others[0])
    merge(make.unit)
    check_unit(make.unit)
    assert second.params == (second.params[0], others[0])
    assert second.merged == ((others[1], others[0]), (others[2], others[0]))
    assert [node.effects for node in nodes(make.unit)] == [[]] * 4
    assert [type(effect) for effect in second.exit.effects] == [Keep, Keep]
    assert {source for _, source in second.exit.contents} == set(second.params)
    text = plain_source(make.unit)
    entry = text[text.index("case 1:") : text.index("default:")]
    assert "if (!same_value(same_1, l_1) || !same_value(other_1, l_1)) return false;" in entry
    assert entry.count("drop(m->heap, ") == 2


def test_params_that_only_keep_what_they_had_are_not_merged() -> None:
    make = Maker()
    at = block("loop", "i", "a", "b")
    header = make.header(at, make.places("i a b", "integer"), 9)
    i, a, b = header.params
    header.root.end = make.jump(header, 3, i, a, b)
    merge(make.unit)
    assert header.params == (i, a, b)
