"""`print` of as many values as an iterable has, and as a value that is called later."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import contextlib
import functools
import io
import sys

from tests.python.corpus import Example


class Named:
    def __init__(self, x):
        self.x = x

    def __str__(self):
        return f"<{self.x}>"


def starred(x):
    values = [x, 2.0 * x]
    shares = {"a": x, "b": 1}
    print(*values)
    print("first", *values, Named(x), sep="-", end="!\n")
    print(*(y * y for y in values), *shares.keys(), shares.keys())
    print(*[], sep=", ")
    print(*shares, *"xyz", *range(3), sep=None, file=sys.stdout)
    print(*shares.items(), sep="\n")
    return values[0] * values[1]


def separated_by_a_number(x):
    print(*[x], sep=3)


def no_iterable(x):
    print("x", *x)


def root(x, log=print):
    guess = 1.0
    for turn in range(3):
        guess -= (guess * guess - x) / (2.0 * guess)
        log("turn", turn, f"{guess:.6f}", sep=": ")
    return guess


def as_value(x):
    say = functools.partial(print, "now", end=".\n")
    say(x, 2)
    say()
    report = print if x > 0.0 else None
    report(x, [x], {"a": x}, Named(x), sep="; ")
    list(map(print, [x, "b"]))
    with contextlib.ExitStack() as stack:
        stack.callback(print, "left", 3, sep="/")
        return root(x) * root(x, log=lambda *parts, sep: None), callable(print), report is print


class Lines:
    """Takes what is printed piece by piece."""

    def __init__(self):
        self.pieces = []

    def write(self, text):
        self.pieces.append(text)

    def flush(self):
        self.pieces.append("flushed")


def to_objects(x):
    lines, text = Lines(), io.StringIO()
    print("a", x, Named(x), sep="-", file=lines, flush=True)
    print(file=lines)
    print(*[x, 1], end=";", file=text)
    for file in (None, sys.stdout, text):
        print("to", "each", file=file)
    return lines.pieces, text.getvalue()


def to_streams(x):
    written = sys.stdout.write(f"{x:.1f}\n")
    out, put = sys.stdout, sys.stdout.write
    out.writelines(["b", "\n"])
    put("c\n")
    out.flush()
    return x * written


EXAMPLES = [
    Example(to_objects, (1.5,)),
    Example(to_streams, (1.5,)),
    Example(as_value, (1.5,)),
    Example(starred, (1.5,)),
    Example(separated_by_a_number, (1.5,), raises=TypeError),
    Example(no_iterable, (1.5,), raises=TypeError),
]
