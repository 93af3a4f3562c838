"""Iterators that a function keeps, passes on, or takes items of twice: their items are there once."""

from __future__ import annotations

from functools import partial

import pytest

from checkpoint.lang.python.linking.program import link
from checkpoint.lang.python.linking.shapes import Shape
from tests.python.agreement import outcome, same_outcomes
from tests.python.texts import defined, run
from tests.support.corpus import usable_engines

HEAD = """\
from itertools import accumulate, chain, groupby
def total(items):
    return sum(items) + sum(items)
def doubled(xs):
    return map(lambda v: 2.0 * v, xs)
def noisy(v):
    print(v)
    return v
class Holder:
    def __init__(self, items):
        self.items = items
"""
BODIES = {
    "group read twice": """\
    out = 0.0
    for key, group in groupby(xs, key=lambda v: v > 0.0):
        n = len(list(group))
        out += n * sum(group)
    return out""",
    "group in a loop": """\
    out = 0.0
    for key, group in groupby(xs, key=lambda v: v > 0.0):
        for i in range(2):
            out += sum(group) * (i + 1)
    return out""",
    "pair of a group": """\
    out = 0.0
    for pair in groupby(xs, key=lambda v: v > 0.0):
        out += len(list(pair[1])) + sum(pair[1])
    return out""",
    "groups kept": """\
    groups = [g for k, g in groupby(xs, key=lambda v: v > 0.0)]
    return sum(map(sum, groups))""",
    "groups in a dictionary": """\
    groups = dict(groupby(xs, lambda v: v > 0.0))
    return {k: sum(g) for k, g in groups.items()}""",
    "in a list": "    kept = [map(abs, xs), xs]\n    return sum(kept[0]) + sum(kept[0])",
    "in a dictionary": """\
    kept = {'a': zip(xs, xs)}
    return [a * b for _ in range(2) for a, b in kept['a']]""",
    "in an object": "    h = Holder(map(abs, xs))\n    return sum(h.items) + sum(h.items)",
    "of a function": "    items = doubled(xs)\n    return sum(items) + sum(items)",
    "passed on": "    return total(map(abs, xs)), total(chain(xs, xs))",
    "passed on later": "    items = accumulate(xs)\n    return total(items)",
    "never read": "    items = map(noisy, xs)\n    return xs[0]",
    "thrown away": "    map(noisy, xs)\n    return xs[0]",
    "its truth": "    return 1.0 if map(abs, []) else 2.0",
    "chosen": "    items = map(abs, xs) if xs else xs\n    return sum(items) + sum(items)",
    "walrus": "    return sum(items := filter(None, xs)) + sum(items)",
    "default": "    def inner(items=map(abs, xs)):\n        return sum(items)\n    return inner() + inner()",
    "lambda": "    make = lambda: map(abs, xs)\n    items = make()\n    return sum(items) + sum(items)",
}
TAKEN = {
    "by a loop": "    return [a * b for a, b in zip(xs, xs)]",
    "by a function": "    return sum(map(abs, xs)) + max(enumerate(xs))[1]",
    "by a star": "    return max(*map(abs, xs)), [*zip(xs, xs)]",
    "by unpacking": "    a, *rest = map(abs, xs)\n    return a, rest",
    "by a variable": "    items = zip(xs, xs)\n    return dict(items)",
    "by groups": "    return {k: sum(g) for k, g in groupby(xs, key=lambda v: v > 0.0)}",
    "in": "    return 4.0 in map(abs, xs)",
}


@pytest.mark.parametrize("name", [*BODIES, *TAKEN])
def test_items_are_there_once(name: str) -> None:
    text = f"{HEAD}def f(xs):\n{ {**BODIES, **TAKEN}[name] }\n"
    f = defined(text)["f"]
    want = outcome(lambda: f([1.0, 2.0, -3.0, 4.0]))
    for engine in usable_engines():
        got = outcome(partial(run, f, [1.0, 2.0, -3.0, 4.0], engine=engine.name))
        assert same_outcomes(want, got), f"{engine.name}: {got}; Python: {want}"


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_taken_at_once_needs_no_iterators(name: str) -> None:

    f = defined(f"{HEAD}def f(xs):\n{TAKEN[name]}\n")["f"]
    linked = link(f, Shape(1))
    assert "generator" not in {cls.__name__ for cls in linked.classes}
