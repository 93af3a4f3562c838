"""Random programs of random classes: aliases, changes, links, containers of objects, closures, exceptions.

In: choices, by hypothesis or by a seeded generator. Out: a Program of generator.py, whose `main` returns
its floats and all objects that are left, with what they share, or the state of these.
"""

from __future__ import annotations

import re
from random import Random

from hypothesis import strategies as st

from tests.python.generator import Program
from tests.python.generator_classes import NUMBERS, Class, classes

HEAD = """\
import copy
import math
from dataclasses import dataclass, field


class Inner:
    def __init__(self, level):
        self.level = level


class Stop(Exception):
    def __init__(self, where, k):
        super().__init__(f"stopped at {k:.3g}")
        self.where = where
        self.k = k


"""
HELPERS = {
    "change": """
def change(o, k, *, twice=False):
    o.x += k
    if twice:
        change(o, -k / 2.0)
    return o
""",
    "walk": """
def walk(o, left):
    if o is None or left == 0:
        return 0.0
    o.y += 0.125
    return o.x + walk(o.link, left - 1)
""",
    "swap": """
def swap(a, b):
    a.items, b.items = b.items, a.items
    a.x, b.y = b.y, a.x
    return a, b
""",
    "fail": """
def fail(o, k):
    o.items.append(k)
    if o.x > k:
        raise Stop(o, k)
    return o.x
""",
    "total": """
def total(objs, *more, start=0.0):
    for o in [*objs, *more]:
        start += o.value()
    return start
""",
    "counter": """
def counter(o):
    count = 0

    def bump(k=0.5):
        nonlocal count
        count += 1
        o.x += k * count
        return count + o.x

    return bump
""",
    "dump": """
def dump(every):
    state = []
    for o in every:
        first = [i for i, other in enumerate(every) if other is o][0]
        linked = [other is o.link for other in every]
        state.append((type(o).__name__, first, linked, o.x, o.y, [*o.items], getattr(o, "extra", None)))
    return state
""",
    "unlinked": """
def unlinked(every):
    links = []
    for o in every:
        links.append(o.link)
        o.link = None
    return every, links
""",
}
# Statements that any object allows. o, p: variables of objects; f: one of a float; e: an expression.
ANY = (
    "{o} = {p}",
    "{o}.x = {e}",
    "{o}.x {op}= {e}",
    "{o}.{a} {op}= {p}.{a}",
    "{o}.items.append({e})",
    "{o}.items[-1] {op}= {e}",
    "{o}.items = {p}.items",
    "{o}.items = {p}.items[-3:]",
    "{o}.items, {p}.items = {p}.items, [*{o}.items]",
    "{f} = {o}.step({e}).x",
    "{f} = {o}.step({e}).step({e}).value()",
    "{o} = {p}.step({e})",
    "{f} = {o}.value() {op} {e}",
    "{o}.extra = {e}",
    "del {o}.extra",
    "{f} = getattr({o}, 'extra', {e})",
    "if hasattr({o}, 'extra'): del {o}.extra",
    "setattr({o}, '{a}', {e})",
    "{o}.x, {p}.y = {p}.y, {o}.x",
    "{f} = 1.0 if {o} is {p} else {e}",
    "{f} = (lambda t: t * {o}.x)({e})",
    "print(type({o}).__name__, isinstance({p}, A), {f} > {e})",
    "rows = [{o}.items] * 2; rows[0].append({e}); {f} = rows[1][-1]",
    "{f} = {o}.items.pop() if len({o}.items) > 1 else {e}",
    "match {o}:\n    case A(x=v): {f} = v * {e}\n    case _: {o}.y = {e}",
    "assert {o} is {p} or {e} < 9.0, 'not one'",
)
CONTAINERS = (
    "objs.append({o})",
    "objs[0].x {op}= {e}",
    "objs[-1] = {o}",
    "{o} = objs[{i}]",
    "{o} = objs.pop() if len(objs) > 2 else {p}",
    "others = objs; others.insert(1, {o})",
    "others = objs[:]; others.reverse(); others[0].y = {e}",
    "objs.sort(key=lambda o: o.x)",
    "{o} = max(objs, key=lambda o: o.value())",
    "{o}, *others = sorted(objs, key=lambda o: -o.y)",
    "{f} = sum([o.x * {e} for o in objs])",
    "{f} = sum(o.y for o in objs if o is not {o})",
    "values = [o.step({e}).x for o in objs[:3]]; {f} = values[0]",
    "table['{k}'] = {o}",
    "table['{k}'].x {op}= {e}",
    "{o} = table.get('{k}', {p})",
    "{o} = table.setdefault('c', {p})",
    "{o}, table['a'] = table['a'], {o}",
    "pairs = {{name: o.x for name, o in table.items()}}; {f} = pairs['a']",
    "pair = ({o}, {p}); pair[0].x {op}= {e}; {f} = pair[1].x",
    "nest = [[{o}], [{p}, {o}]]; nest[1][1].y = {e}; {f} = nest[0][0].y",
    "for i, o in enumerate(objs[:3]): o.x += i * {e}",
    "for a, b in zip(objs[:3], objs[1:3]): a.items = b.items",
    "del objs[2:]",
)
LINKS = (
    "{o}.link = {p}",
    "{o}.link = None",
    "{o}.link = {o}",
    "if {o}.link is not None: {o}.link.x {op}= {e}",
    "node = {o}\nwhile node is not None and n > 0:\n    n -= 1\n    node.y += {e}\n    node = node.link",
    "{f} = walk({o}, {i})",
)
CALLS = (
    "{o} = change({p}, {e})",
    "{o} = change({p}, {e}, twice=True)",
    "{o}, {p} = swap({o}, {p})",
    "try:\n    {f} = fail({o}, {e})\nexcept Stop as stop:\n    stop.where.y = stop.k\n    print(stop)",
    "{f} = fail({o}, {e})",
    "{f} = total(objs, {o}, start={e})",
    "{f} = total(objs[:2])",
    "bump = counter({o}); {f} = bump() + bump({e})",
    "{o} = copy.copy({p})",
    "{o} = copy.deepcopy({p})",
)
BLOCKS = (
    "for o in objs[:4]:",
    "for v in {o}.items[:4]:",
    "if {f} > {c}:",
    "if {o} is not {p}:",
    "while len({o}.items) < 3:",
    "try:",
    "for i in range({i} + 1):",
)


class Writer:
    """The writer of one program; known: the class of each variable, where it is certain."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.classes = classes(random)
        self.known: dict[str, Class | None] = {}
        self.links = random.random() < 0.7
        self.constructs: set[str] = set()

    def expression(self) -> str:
        r = self.random
        o, f, number = f"o{r.randrange(3)}", f"f{r.randrange(3)}", r.choice(NUMBERS)
        plain = ("x", "y", f, f"{number}", f"{o}.x", f"{f} * 0.5")
        longer = (
            f"{o}.y * {number}",
            f"{f} + {o}.x",
            f"{o}.items[0]",
            f"math.sin({o}.x)",
            f"{o}.value()",
            "objs[0].x",
            f"({number} - {o}.items[-1])",
        )
        return r.choice((*plain, *plain, *longer))

    def filled(self, pattern: str) -> str:
        """Return a statement, with its blanks filled, and note what it makes known."""
        r = self.random
        o, p = (f"o{r.randrange(3)}" for _ in "op")
        text = pattern.replace("{{", "\0").replace("}}", "\1")
        while "{e}" in text:
            text = text.replace("{e}", self.expression(), 1)
        known = self.known.get(o) or r.choice(self.classes)
        blanks = {"o": o, "p": p, "f": f"f{r.randrange(3)}", "i": str(r.randrange(2)), "k": r.choice("ab")}
        blanks |= {"K": known.name, "op": r.choice("+-*"), "a": r.choice("xy"), "c": str(r.choice(NUMBERS))}
        for name, value in blanks.items():
            text = text.replace(f"{{{name}}}", value)
        for name in re.findall(r"(?:^|; |, )(o\d)\b(?=[^=.\[(]*=[^=])", text, re.MULTILINE):
            self.known[name] = self.known.get(p) if pattern == "{o} = {p}" else None
        return text.replace("\0", "{").replace("\1", "}")

    def own(self) -> str | None:
        """Return a statement that only one class allows, or None if none is known."""
        if (
            self.random.random() < 0.06
        ):  # of a class that it may not be, but never printed: it may have no text
            return self._of_another_class()
        certain = [name for name, known in self.known.items() if known is not None and known.uses]
        if not certain:
            return None
        name = self.random.choice(certain)
        known = self.known[name]
        assert known is not None
        return self.filled(self.random.choice(known.uses).replace("{o}", name).replace("{K}", known.name))

    def _of_another_class(self) -> str | None:
        """Return a statement on an object that its class may not allow."""
        known = self.random.choice(self.classes)
        uses = [use for use in known.uses if "print" not in use]
        if not uses:
            return None
        name = f"o{self.random.randrange(3)}"
        return self.filled(self.random.choice(uses).replace("{o}", name).replace("{K}", known.name))

    def made(self) -> str:
        """Return a statement that makes an object of a known class."""
        name, known = f"o{self.random.randrange(3)}", self.random.choice(self.classes)
        text = f"{name} = {known.name}({self.expression()}, {self.expression()})"
        self.known[name] = known
        return text

    def simple(self) -> str:
        """Return a statement without a block of its own."""
        drawn = self.random.random()
        if drawn < 0.08:
            return self.made()
        if drawn < 0.42 and (found := self.own()) is not None:
            return found
        groups = [ANY, ANY, CONTAINERS, CALLS, *([LINKS] if self.links else [])]
        return self.filled(self.random.choice(self.random.choice(groups)))

    def statement(self, depth: int, indent: str) -> None:
        """Add a statement."""
        if not depth or self.random.random() >= 0.2:
            self.lines += [indent + line for line in self.simple().split("\n")]
            return
        head = self.filled(self.random.choice(BLOCKS))
        before = dict(self.known)
        self.lines.append(indent + head)
        inside = f"{indent}    "
        if head.startswith("while"):
            self.lines += [f"{inside}n -= 1", f"{inside}if n < 0:", f"{inside}    break"]
        for _ in range(1 + self.random.randrange(3)):
            self.statement(depth - 1, inside)
        if head == "try:":
            self._handled(indent, depth)
        self.known = {
            name: known if self.known.get(name) is known else None for name, known in before.items()
        }

    def _handled(self, indent: str, depth: int) -> None:
        """Add the handlers of a `try`."""
        inside = f"{indent}    "
        self.lines.append(f"{indent}except (AttributeError, ValueError, IndexError) as error:")
        self.lines.append(f"{inside}print(type(error).__name__)")
        if self.random.random() < 0.4:
            self.lines.append(f"{indent}{self.random.choice(('else', 'finally'))}:")
            self.statement(depth - 1, inside)

    def program(self, fuel: int) -> Program:
        """Return a program; fuel: the number of its statements."""
        start = []
        for i in range(3):
            known = self.random.choice(self.classes)
            self.known[f"o{i}"] = known
            start.append(f"    o{i} = {known.name}({self.random.choice(('x, y', 'y, x', 'x * y', 'xs[0]'))})")
        start += ["    f0, f1, f2 = x, y, xs[0]", "    objs = [o0, o1]", "    table = {'a': o0, 'b': o2}"]
        for _ in range(fuel):
            self.statement(2, "    ")
        every = "[o0, o1, o2, *objs, *table.values()]"
        linked = any("link" in line for line in self.lines)
        end = f"unlinked({every})" if linked else "o0, o1, o2, objs, table"
        if self.random.random() < 0.15:
            end = f"dump({every})"
        main = "\n".join(["def main(x, y, xs, n):", *start, *self.lines, f"    return f0, f1, f2, {end}"])
        used = [text for name, text in HELPERS.items() if f"{name}(" in main]
        text = HEAD + "\n\n".join(known.text for known in self.classes) + "\n".join(["", *used, "", main, ""])
        numbers = [self.random.choice(NUMBERS) for _ in range(3)]
        return Program(text, (numbers[0], numbers[1], [numbers[2]], 6), False)


def program(random: Random, fuel: int = 10) -> Program:
    """Return a program; fuel: the most statements, of which fewer are more often drawn."""
    return Writer(random).program(1 + min(random.randrange(fuel), random.randrange(fuel)))


def programs(fuel: int = 10) -> st.SearchStrategy[Program]:
    """Return a strategy for programs that shrink."""
    return st.randoms(use_true_random=False).map(lambda random: program(random, fuel))
