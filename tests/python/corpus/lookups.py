"""Methods that are missing, methods in attributes, iteration by `__getitem__` alone, what follows a star."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import math

from tests.python.corpus import Example


class Account:
    def __init__(self, x):
        self.amount = x
        self.items = []

    def add(self, k):
        self.amount += k
        return self.amount

    def append(self, k):
        self.items.append(k)

    def rate(self, k, by=2.0):
        return self.amount * k * by


class Loan(Account):
    def add(self, k):
        return super().add(-k)


class Empty:
    pass


class Slotted:
    __slots__ = ("w",)


def shown(x):
    print("shown", x)
    return x


def missing_method(x):
    account, empty = Account(x), Empty()
    print(account.add(shown(x)))
    return empty.add(shown(x))


def missing_method_of_list(x):
    account, empty = Loan(x), Empty()
    account.append(shown(x))
    empty.append(shown(x))


def missing_method_of_none(x):
    for each in (Account(x), Loan(x), None):
        print(each.add([shown(x)][0]))


def missing_before_failing(x):
    account, empty = Account(x), Empty()
    account.add([x][0])
    return empty.add([x, x][:1][1])


def methods_with_arguments(x):
    account, loan = Account(x), Loan(2.0 * x)
    total = 0.0
    for each in (account, loan, account):
        total += each.add(math.sin(each.amount)) + each.rate(by=math.exp(x), k=each.add(each.rate(x, x)))
        each.append(math.cos(total))
    return total, account.items, loan.amount


def methods_in_attributes(x):
    account, empty = Account(x), Empty()
    empty.add = account.add
    empty.append = account.append
    empty.append(math.sin(x))
    return empty.add(math.sin(x)), account.amount


class Holder:
    """Holds a function under names of methods that Python's own types have."""

    def __init__(self, function):
        self.get = self.index = self.count = self.join = self.isoformat = self.values = self.copy = function


def named_like_python(x):
    held = Holder(lambda y: y * x)
    found = [held.get(x), held.index(2.0), held.count(x), held.join(x), held.isoformat(x), held.values(x)]
    return found, held.copy(1.0), {"a": x}.get("a"), [x].index(x), [x].count(x), ",".join("ab"), [x].copy()


class Row:
    """Is iterated over by its items."""

    def __init__(self, items):
        self.held = items
        self.read = 0

    def __getitem__(self, i):
        self.read += 1
        return self.held[i] * 2.0


class Endless:
    def __getitem__(self, i):
        if i == 5:
            raise StopIteration
        return float(i)


class Counted(Row):
    def __iter__(self):
        return iter(self.held)


def by_index(x):
    row, total = Row([x, x * x, math.sin(x)]), 0.0
    for i, item in enumerate(row):
        row.held.append(item)
        total += i * item
        if len(row.held) > 8:
            break
    a, b, *rest = Row([x, 3.0, x])
    return (
        total,
        row.read,
        a * b,
        rest,
        sum(Row([x, x])),
        [*Row([x])],
        max(*Row([x, 2.0])),
        2.0 * x in Row([x]),
    )


def by_index_stopped(x):
    iterator = iter(Row([x]))
    found = [next(iterator), next(iterator, None), next(iterator, None)]
    return found, [item * x for item in Endless()], list(zip(Row([x, x]), Endless(), strict=False))


def by_index_or_iterator(x):
    return [[item * 1.0 for item in each] for each in (Row([x]), Counted([x]), [x])]


def by_index_not_reached(x):
    return sum(item for item in [x, x * x]), Row([x])[0]


class Sized(Row):
    """Has items beyond its length, which only `reversed` looks at."""

    def __len__(self):
        return 3

    def __getitem__(self, i):
        print("item", i)
        return self.held[0] * (i + 1)


class Doubled(Sized):
    """Is reversed by a generator of its own, which gives other items than its positions do."""

    def __reversed__(self):
        for item in self.held[::-1]:
            print("given", item)
            yield 2.0 * item


class Backwards(Sized):
    def __reversed__(self):
        return reversed(self.held)


def by_index_from_the_end(x):
    total, rest = 0.0, reversed(Sized([x]))
    for items in (Sized([x]), Doubled([x, 1.0]), Backwards([x, 3.0]), [x, 2.0]):
        for i, item in enumerate(reversed(items)):
            print("turn", i)  # Python reads each item in its turn
            total = 2.0 * total + i * item
            if i == 1:
                break
    total += sum(reversed(Doubled([x]))) + next(iter(reversed(Backwards([x]))))
    try:
        list(reversed(Endless()))
    except TypeError as error:
        print(error)
    return total, next(rest), list(rest), list(reversed([x, total]))


def star_of_object(x):
    return [x, *Empty()]


def star_of_number(x):
    return math.hypot(1.0, *x)


def unset_slot(x):
    del Slotted().w


def keywords(**values):
    return values


def passed_on(function, values):
    return function(**values, c=1.0)


def spread_before_it_changes(x):
    table = {"a": x, "b": 2.0}
    first = {**table, "c": table.pop("a")}
    second = keywords(**table, c=table.setdefault("d", x * x))
    third = keywords(c=table.pop("b"), **table, e=x), passed_on(keywords, table)
    return first, second, third, [*table, table.pop("d")], table


class Shape:
    sides = 3


class Made:
    def __init__(self, x):
        self.x = x


def method_of_a_class(x):
    total = x
    for cls in (Shape, Made):
        cls.append(1)
    return total


def attribute_of_a_class(x):
    for cls in (Shape, Made):
        x = x * cls.nothing
    return x


def sorted_number(x):
    x.sort()
    return x


def sorted_tuple(x):
    (x, 1).sort(key=lambda v: 1 / 0)
    return x


def made_by_a_local(x):
    return object.__new__(Made).x  # noqa: F823  # wrong on purpose
    object = 3  # noqa: F841  # a name of the function from its first line on


class Noted:
    """Notes what is set and deleted, and computes what it has not."""

    def __init__(self):
        object.__setattr__(self, "notes", [])

    def __setattr__(self, name, value):
        self.notes.append(f"set {name}")
        object.__setattr__(self, name, 2.0 * value)

    def __delattr__(self, name):
        self.notes.append(f"deleted {name}")
        object.__delattr__(self, name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"no {name}")
        return float(len(name))

    @property
    def five(self):
        return 5.0


class Bare:
    pass


def by_computed_names(x):
    noted, bare, total = Noted(), Bare(), 0.0
    for name in ("u", "v", "uv"):
        setattr(noted, name, x)
        setattr(bare, name, x)
        total += getattr(noted, name) * getattr(bare, name)
    for each in (noted, bare):
        delattr(each, "".join(["u", "v"]))
    for name in ("u", "uv", "other", "_hidden", "five"):
        print(name, hasattr(noted, name), hasattr(bare, name), getattr(bare, name, None))
        total += getattr(noted, name, 7.0)
        try:
            print(getattr(noted, name))
        except AttributeError as error:
            print(error)
    for name in ("five", 3):
        try:
            setattr(noted, name, 3.0)
        except (AttributeError, TypeError) as error:
            print(error)
    return total, noted.notes


EXAMPLES = [
    Example(by_computed_names, (1.5,)),
    Example(spread_before_it_changes, (0.7,)),
    Example(missing_method, (0.7,), raises=AttributeError),
    Example(missing_method_of_list, (0.7,), raises=AttributeError),
    Example(missing_method_of_none, (0.7,), raises=AttributeError),
    Example(missing_before_failing, (0.7,), raises=AttributeError),
    Example(methods_with_arguments, (0.7,)),
    Example(methods_in_attributes, (0.7,)),
    Example(named_like_python, (0.7,)),
    Example(by_index, (0.7,)),
    Example(by_index_stopped, (0.7,)),
    Example(by_index_from_the_end, (0.7,)),
    Example(by_index_or_iterator, (0.7,)),
    Example(by_index_not_reached, (0.7,)),
    Example(star_of_object, (0.7,), raises=TypeError),
    Example(star_of_number, (0.7,), raises=TypeError),
    Example(unset_slot, (0.7,), raises=AttributeError),
    Example(method_of_a_class, (0.7,), raises=AttributeError),
    Example(attribute_of_a_class, (0.7,), raises=AttributeError),
    Example(sorted_number, (0.7,), raises=AttributeError),
    Example(sorted_tuple, (0.7,), raises=AttributeError),
    Example(made_by_a_local, (0.7,), raises=UnboundLocalError),
]
