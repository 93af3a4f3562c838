"""`locals()` where the text tells which variables have a value."""

# mypy: ignore-errors
# Written without annotations: what Python says of it is compared.

from __future__ import annotations

from tests.python.corpus import Example


def formatted(x):
    y = 2
    text = "{x:.2f} {y}".format(**locals())  # it is what is tested
    return text, "%(y)d %(text)s" % locals(), x  # noqa: UP031


def all_kinds(x, *rest, k=3, **more):
    from math import sin  # noqa: PLC0415  # it is what is tested

    y, (z, *w) = sin(x), (1.0, x)
    double = lambda t: t * y  # noqa: E731  # a function among the variables
    del z
    found = locals()
    return list(found), found["w"], found["double"](found["y"]), found["k"], rest, more


def checked(values, name):
    return values[name] * 2.0


def passed_on(v1):
    v2 = v1 * v1
    total = v2 + checked(dict(**locals()), "v2") * ("v3" in locals())
    for i in range(2):
        if i > 0:
            total += checked(locals(), "v1") * locals()["i"]
    return total


def in_branches(x, y):
    if x > y:
        z = x * y
        return checked(locals(), "z") + len(locals())
    else:
        k = checked(locals(), "x")
        if y > 0.0:
            w = k * x
            k = checked(locals(), "w")
        else:
            w = k
        m = 2.0
    total = checked(locals(), "w") + checked(locals(), "m")
    return total * checked(locals(), "k") + len(locals())


EXAMPLES = [
    Example(in_branches, (0.7, 0.3)),
    Example(in_branches, (0.3, 0.7)),
    Example(in_branches, (-0.9, -0.7)),
    Example(formatted, (0.7,)),
    Example(all_kinds, (0.7,)),
    Example(passed_on, (0.7,)),
]
