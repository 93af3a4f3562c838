"""Random modules whose function is called several times, with other arguments and other globals each time.

In: a seed. Out: a Module: a text, and Calls. A call changes what the module holds, and then calls the
function with arguments of some values, types and structure. Some calls equal others, so that plans of calls
are made, used and have to be refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tests.python.repeated_forms import (
    ARGUMENTS,
    CHANGES,
    CONSTANTS,
    ENTRIES,
    EXPRESSIONS,
    HEAD,
    KINDS,
    OF_ARRAYS,
    OTHERS,
    STATEMENTS,
    UNPLANNED,
)


@dataclass(frozen=True)
class Call:
    """changes: statements in the module before it. args: expressions. argnums: what is differentiated."""

    changes: str
    args: tuple[str, ...]
    argnums: int | tuple[int, ...]


@dataclass(frozen=True)
class Module:
    """text: of the module, whose function is `entry`. calls: in their order."""

    text: str
    calls: tuple[Call, ...]


class Writer:
    """Writes the statements of one module. is_plain: whether there are only those that plans may have."""

    def __init__(self, random: Random, is_plain: bool) -> None:
        self.random = random
        self.is_plain = is_plain

    def choice(self, forms: tuple[str, ...]) -> str:
        return self.random.choice([each for each in forms if not (self.is_plain and UNPLANNED.search(each))])

    def filled(self, form: str, depth: int = 0) -> str:
        """Return a form with its holes filled, inside of so many others."""
        r = self.random
        holes = {"{z}": ("x", "y", "z"), "{w}": "xyz", "{c}": CONSTANTS, "{j}": "012"}
        while "{e}" in form:
            leaf = depth > 2 or r.random() < 0.4
            inner = r.choice(("{z}", "{z}", "{c}")) if leaf else self.choice(EXPRESSIONS)
            form = form.replace("{e}", self.filled(inner, depth + 1), 1)
        if "{w}" in form:  # one name for the whole statement
            form = form.replace("{w}", r.choice(holes["{w}"]))
        for hole, options in holes.items():
            while hole in form:
                form = form.replace(hole, r.choice(options), 1)
        return form

    def main(self, count: int, forms: tuple[str, ...]) -> str:
        """Return the text of the function of so many statements."""
        lines = ["def main(x, y, xs, d, n):", "z = x * y"]
        for _ in range(count):
            lines += self.filled(self.choice(forms)).split("\n")
        lines.append('return [x, y, z, *xs, d["a"], d["b"], n]')
        return lines[0] + "\n" + "\n".join("    " + line for line in lines[1:]) + "\n"

    def call(self, form: tuple[str, ...], calm: bool) -> Call:
        """Return a call with arguments of a form; calm: of floats."""
        r = self.random
        args = tuple(self.argument(each, calm) for each in form)
        positional = sum("=" not in arg[:2] for arg in args)
        changes = "pass" if calm else self.filled(r.choice(CHANGES))
        return Call(changes, args, r.choice((0, 0, tuple(range(positional)))))

    def argument(self, form: str, calm: bool) -> str:
        """Return an argument of a form, or of one like it."""
        r = self.random
        for old, new in OTHERS:
            if old in form and r.random() < 0.12 and not calm:
                form = form.replace(old, new)
        name, equals, value = form.rpartition("=") if form[:2] in ("a=", "b=") else ("", "", form)
        for hole in "xyz":
            value = _replaced(value, hole, self.filled(r.choice(CONSTANTS if calm else KINDS)))
        return name + equals + value


def _replaced(text: str, name: str, by: str) -> str:
    """Return an expression with a number in place of a name, but for texts, attributes and keywords."""
    return re.sub(rf"(?<![\w'.]){name}(?![\w'(=])", by, text)


def module(seed: int, count: int = 4) -> Module:
    """Return the module of a seed, with a function of so many statements."""
    r = Random(f"repeated {seed}")
    structure = r.choice(list(ENTRIES))
    writer = Writer(r, is_plain=structure in ("reals", "list", "dictionary"))
    forms = STATEMENTS + OF_ARRAYS * r.randrange(2)
    text = f"{HEAD}\n\n{writer.main(1 + r.randrange(count), forms)}\n\n{ENTRIES[structure]}"
    calls = [writer.call(ARGUMENTS[structure], calm=True) for _ in range(6)]  # by which plans are made
    for _ in range(6):
        calls += [writer.call(ARGUMENTS[structure], calm=r.random() < 0.5)] * r.choice((1, 2))
    return Module(text, tuple(calls))
