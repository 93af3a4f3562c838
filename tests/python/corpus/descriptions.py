"""What `inspect` says of functions; sets that are looked for in sets of frozensets."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import inspect

from tests.python.corpus import Example


def scaled(a, b=2.0, *, c=3):
    return a * b * c


def varied(a: float, *rest, k=None, **more):
    return a


def counted(x):
    n = len(inspect.signature(scaled).parameters)
    required = [p for p in inspect.signature(scaled).parameters.values() if p.default is p.empty]
    return scaled(*[x] * len(required)) * n + x * inspect.signature(scaled).parameters["b"].default


def described(x):
    found = []
    s = inspect.signature(varied)
    for name, p in s.parameters.items():
        is_last = p.kind == inspect.Parameter.VAR_KEYWORD
        found.append((name, p.name, p.kind.name, p.default is inspect.Parameter.empty, is_last))
    return found, list(s.parameters), "k" in s.parameters, str(s), s.parameters["k"].default, x


def sets_in_sets(x):
    groups = {frozenset({1, 2}), frozenset({3})}
    found = {2, 1} in groups, {1} in groups, set() in groups, {(1, frozenset({2})): 5}[(1, frozenset({2}))]
    if {3} in groups:
        x = x * 3
    groups.remove({3})
    groups.discard({7})
    return x * len(groups), found


def weighted_sets(x):
    weights = {frozenset({1, 2}): x, frozenset({2, 3}): x * x}
    total = weights[frozenset((2, 1))] + weights.get(frozenset((3, 2)), 0.0)
    for pair in [(1, 2), (3, 2), (1, 3)]:
        total += weights.get(frozenset(pair), x**3)
    return total


def no_such_set(x):
    groups = {frozenset({1, 2})}
    groups.remove({7})


def set_added(x):
    groups = set()
    groups.add({1})


EXAMPLES = [
    Example(counted, (0.7,)),
    Example(described, (0.7,), differentiable=False),
    Example(sets_in_sets, (0.7,), differentiable=False),
    Example(weighted_sets, (0.7,)),
    Example(no_such_set, (0.7,), raises=KeyError),
    Example(set_added, (0.7,), raises=TypeError),
]
