"""Classes that inherit methods from collections.abc, and from UserDict and UserList."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

from collections import UserDict, UserList, abc
from collections.abc import MutableMapping

from tests.python.corpus import Example


class Table(abc.Mapping):
    def __init__(self, **items):
        self._items = items

    def __getitem__(self, key):
        print("get", key)
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)


class Doubled(Table):
    def values(self):
        return [v * 2 for v in super().values()]

    def get(self, key, default=None):
        return super().get(key, default)


class Unfinished(abc.Mapping):
    def __getitem__(self, key):
        return 1


class Lower(MutableMapping):
    def __init__(self, data=None, **more):
        self.data = {}
        self.update({} if data is None else data, **more)

    def __setitem__(self, key, value):
        self.data[key.lower()] = value

    def __getitem__(self, key):
        return self.data[key.lower()]

    def __delitem__(self, key):
        del self.data[key.lower()]

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)

    def __repr__(self):
        return f"Lower({sorted(self.data)})"


class Series(abc.Sequence):
    def __init__(self, items):
        self.items = tuple(items)

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return len(self.items)


class Queue(abc.MutableSequence):
    def __init__(self, items=()):
        self.items = list(items)

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, v):
        self.items[i] = v

    def __delitem__(self, i):
        del self.items[i]

    def __len__(self):
        return len(self.items)

    def insert(self, i, v):
        print("insert at", i)
        self.items.insert(i, v)


class Bag(abc.MutableSet):
    def __init__(self, items=()):
        self.items = list(dict.fromkeys(items))

    def __contains__(self, v):
        return v in self.items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def add(self, v):
        if v not in self.items:
            self.items.append(v)

    def discard(self, v):
        if v in self.items:
            self.items.remove(v)


class Countdown(abc.Iterator):
    def __init__(self, n):
        self.n = n

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Twice(UserDict):
    def __setitem__(self, key, item):
        super().__setitem__(key, item * 2)


class Samples(UserList):
    def total(self):
        return sum(self.data)


def mapping(x):
    t = Table(a=x, b=2 * x)
    total = 0.0
    for k, v in t.items():
        total += v * len(k)
    for v in t.values():
        total += v * v
    for k in t:
        total += t[k]
    return total, t.get("c", x), t.get("a"), max(t.values()), list(t.items()), dict(t), {**t}


def mapping_asked(x):
    t = Table(a=x, b=2 * x)
    print("a" in t, "z" in t, t == Table(b=2 * x, a=x), t == {"a": x, "b": 2 * x}, t != 3, t == 3)
    print(2 * x in t.values(), ("a", x) in t.items(), ("a", 0.5) in t.items(), ("q", x) in t.items())
    print(len(t.keys()), sorted(t.keys() & ["a", "q"]), t.keys() == {"a", "b"}, t.keys() - {"a"})
    print(isinstance(t, abc.Mapping), isinstance(t, abc.MutableMapping), isinstance(t.keys(), abc.Set))
    return x


def view(x):
    return Table(a=x).values(), Lower(Q=x).items()


def view_shown(x):
    print(Lower(Q=x).keys(), Lower(Q=x, R=1.0).values())
    return x


def overridden(x):
    t = Doubled(a=x)
    return t.values(), t.get("a"), t.get("b", 3.0), sum(map(t.get, ["a"]))


def mutable_mapping(x):
    t = Lower({"A": x, "B": 3 * x}, C=x * x)
    t["D"] = x
    p = t.pop("a")
    t.update([("E", 1.0)], f=p)
    q = t.setdefault("G", 5 * x)
    r = t.pop("zz", None)
    k, v = t.popitem()
    try:
        t.pop("nothing")
    except KeyError as e:
        print(e)
    for key, value in t.items():
        t[key] = value * x
    n, u = len(t), dict(t)
    t.clear()
    return p, q, r, k, v, n, u, len(t), t.setdefault("H"), t.get("h", 2.0)


def sequence(x):
    s = Series([x, 2 * x, 3.0, x])
    try:
        s.index(99.0)
    except ValueError as e:
        print(repr(e))
    found = s.count(x), s.index(3.0), 3.0 in s, 5.0 in s, s.index(x, 1), s.index(x, -1)
    print(found)
    return (
        sum(s),
        list(reversed(s)),
        [a * b for a, b in zip(s, s, strict=True)],
        max(s),
        s[1:3],
        s[::2],
        s[-1],
    )


def mutable_sequence(x):
    s = Queue([x, 2.0])
    s.append(3 * x)
    s.extend([1.0, x])
    s += (x * x,)
    s.reverse()
    last = s.pop()
    first = s.pop(0)
    s.remove(1.0)
    s.extend(s)
    t = list(s)
    s.clear()
    return last, first, t, len(s)


def sets(x):
    p, q = Bag([1, 2, 3]), Bag([2, 3, 4])
    print([list(each) for each in (p & q, p | q, p - q, p ^ q, p & [1, 9], [7, 1] & p)])
    z = Bag([1, 2])
    z |= q
    z -= Bag([4])
    z ^= {7, 1}
    z.remove(2)
    try:
        z.remove(77)
    except KeyError as e:
        print(e)
    print(
        p <= q,
        p & q <= p,
        p < Bag([1, 2, 3]),
        p == Bag([3, 2, 1]),
        p.isdisjoint(q),
        list(z),
        p >= {1},
        p != q,
    )
    print(sorted({1, 9} & p), {1, 2} <= p, {2} == Bag([2]), Bag([2]) == {2}, p.pop(), len(p))
    s = {1, 2}
    s |= q
    z.clear()
    return x * len(s), len(z)


def iterator(x):
    return [x * i for i in Countdown(3)], sum(Countdown(4)) * x


def user_dict(x):
    u = Twice({"a": x}, b=3.0)
    u["c"] = x * x
    u.update(d=1.0)
    return u["a"] + u["b"], dict(u), "c" in u, u.get("zz", 3), len(u), list(u.items())


def user_list(x):
    s = Samples([x, 2.0])
    s.append(x)
    m = s + s[:1]
    print(s.index(2.0), type(m).__name__, s == [x, 2.0, x])
    return s.total(), m.total(), m[-1], m[0:2].total(), list(reversed(s)), (s * 2).data


def sliced_by_value(x):
    xs, i = [x, 2.0, 3.0], slice(0, 2)
    return xs[i], tuple(xs)[i], "abc"[i], xs[slice(-1)], xs[slice(None, None, -2)]


def kept_over_set(x):
    every = {1, 2, 3}
    chosen = (v for v in every if v > 1)
    return x * sum(chosen)


def unfinished(x):
    return Unfinished()


def unhashable(x):
    return hash(Table(a=x))


def missing(x):
    return Lower(a=x)["b"]


class Lengths(UserDict):
    def __missing__(self, key):
        return 2.0 * len(key)


class Filled(UserDict):
    def __missing__(self, key):
        self[key] = 1.5
        return self.data[key]


def made_when_missing(x):
    lengths, filled = Lengths({"a": x}), Filled(a=x)
    filled["z"] += x
    kind = type(lengths)
    return (
        lengths["a"] * lengths["bcd"] * filled["z"],
        len(lengths),
        len(filled),
        kind.__missing__(lengths, "e"),
    )


EXAMPLES = [
    Example(made_when_missing, (0.7,)),
    Example(mapping, (0.7,)),
    Example(mapping_asked, (0.7,), differentiable=False),
    Example(view, (0.7,)),
    Example(view_shown, (0.7,), differentiable=False),
    Example(overridden, (0.7,)),
    Example(mutable_mapping, (0.7,)),
    Example(sequence, (0.7,)),
    Example(mutable_sequence, (0.7,)),
    Example(sets, (0.7,)),
    Example(iterator, (0.7,)),
    Example(user_dict, (0.7,)),
    Example(user_list, (0.7,)),
    Example(sliced_by_value, (0.7,)),
    Example(kept_over_set, (0.7,)),
    Example(unfinished, (0.7,), raises=TypeError),
    Example(unhashable, (0.7,), raises=TypeError),
    Example(missing, (0.7,), raises=KeyError),
]
