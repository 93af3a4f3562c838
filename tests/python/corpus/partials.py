"""Arguments bound by `functools.partial`: those of `*args` and `**kwargs`, of methods, and wrong ones."""

# mypy: ignore-errors
# Written without annotations, as people write them; what Python says of it is compared.

from __future__ import annotations

import functools

from tests.python.corpus import Example


def total(*terms, scale=1.0, **named):
    return scale * sum(terms) + sum(named.values())


def first_less(a, *others):
    return a - sum(others)


def line(a, b, /, c=3.0, *, d=1.0):
    return a - b * c + d


class Spring:
    def force(self, a, *more, factor=1.0):
        return a * factor + sum(more)

    doubled = functools.partialmethod(force, 2.0, 3.0)


def variadic(x):
    inner = functools.partial(total, x, 2.0)
    outer = functools.partial(inner, 1.5, z=x)
    return inner(1.0), inner(), outer(x, w=2.0), outer(z=5.0), functools.partial(first_less, x, 2.0)(x)


def by_name(x):
    bound = functools.partial(total, x, z=2.0, scale=x)
    return bound(1.0), bound(w=x), bound(scale=2.0), bound(z=x, scale=3.0)


def local_and_listed(x):
    def last(*items):
        return items[-1] * items[0]

    bound = [functools.partial(last, x, 2.0), functools.partial(first_less, 1.0, x)]
    return [f(1.5 * x, x) for f in bound], list(map(bound[1], [x, 2.0]))


def of_methods(x):
    spring = Spring()
    bound = functools.partial(spring.force, x, 2.0)
    return bound(1.0, factor=x), spring.doubled(x), functools.partial(Spring.force, spring, x)(x)


def spread(x):
    arguments, named = (x, 2.0), {"scale": x}
    return functools.partial(total, *arguments, **named)(1.0)


def wrong_calls(x):
    bound = functools.partial(line, x)
    deeper = functools.partial(bound, d=x)
    calls = (
        lambda: bound(1.0, 2.0, 3.0),
        lambda: bound(),  # noqa: PLW0108
        lambda: bound(1.0, other=3.0),
        lambda: deeper(1.0, b=2.0),
        lambda: functools.partial(line, x, other=1.0)(2.0),
    )
    for call in calls:
        try:
            print(call())
        except TypeError as error:
            print(error)
    return bound(2.0)


def wrong_calls_of_a_lambda(x):
    scaled = lambda a: a * x  # noqa: E731
    for arguments in ((1.0, 2.0), ()):
        try:
            scaled(*arguments)
        except TypeError as error:
            print(error)
    try:
        scaled(1.0, 2.0)
    except TypeError as error:
        print(error)
    return scaled(x)


EXAMPLES = [
    Example(variadic, (1.3,)),
    Example(by_name, (1.3,)),
    Example(local_and_listed, (1.3,)),
    Example(of_methods, (1.3,)),
    Example(spread, (1.3,)),
    Example(wrong_calls, (1.3,)),
    Example(wrong_calls_of_a_lambda, (1.3,)),
]
