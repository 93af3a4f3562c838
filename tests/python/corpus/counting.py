"""collections.Counter as people combine and compare counts."""

from __future__ import annotations

from collections import Counter

from tests.python.corpus import Example


def combined(x: float) -> tuple[object, ...]:
    """Sums, differences, the least and greatest of counts that are reals."""
    a, b = Counter({"a": 3.0 * x, "b": x}), Counter({"a": x, "b": 2.0, "c": -x})
    return a & b, a | b, a + b, a - b, +b, -b


def in_place(x: float) -> tuple[object, ...]:
    """Do the same in place, after which only positive counts are left."""
    found = []
    counts = Counter("abracadabra")
    for change in ("add", "sub", "or", "and"):
        if change == "add":
            counts += Counter({"a": x})
        elif change == "sub":
            counts -= Counter("aac")
        elif change == "or":
            counts |= Counter({"z": x, "b": 7.0})
        else:
            counts &= Counter({"z": 2.0, "b": x, "d": 9.0})
        found.append(dict(counts))
    return tuple(found)


def ordered(x: float) -> tuple[object, ...]:
    """Counters as multisets, in which what is missing counts nothing."""
    few, many = Counter("ab"), Counter("aab")
    flags = (
        few <= many,
        few < many,
        many >= few,
        many > few,
        few <= Counter("ba"),
        few < Counter("ba"),
        many <= few,
    )
    return flags, Counter(a=0) == Counter(), few != many, few == {"a": 1, "b": 1}, x * many["a"]


EXAMPLES = [Example(combined, (1.5,)), Example(in_place, (1.5,)), Example(ordered, (1.5,))]
