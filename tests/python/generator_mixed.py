"""Random programs that mix what programs mix: objects, closures, generators, containers, texts, arrays.

In: a seed. Out: a Program, as that of generator.py. Its classes and functions are random, too. All that it
computes is of moderate size and mostly smooth, and its result holds every number that it has made.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.python.generator import Program
from tests.python.mixed_blocks import BLOCKS, DEFINITIONS, SEVERAL_LINES
from tests.python.mixed_forms import EXPRESSIONS, INTEGERS, LINES, TESTS, TEXTS
from tests.python.mixed_head import BEGINNING, END, HEAD, METHODS

NUMBERS = ("0.5", "-1.5", "2.25", "0.3", "1.0", "-0.75", "3", "2")


class Writer:
    """Writes one program. names: the functions that it has defined, by the number of their arguments."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.count = 0
        self.functions = ["math.tanh", "math.sin", "bounded"]

    def filled(self, form: str, depth: int = 0) -> str:
        """Return a form with its holes filled, inside of so many others."""
        r = self.random
        while "{e}" in form:
            form = form.replace("{e}", self.real(depth + 1), 1)
        for hole, forms in (("{i}", INTEGERS), ("{b}", TESTS), ("{t}", TEXTS)):
            while hole in form:
                form = form.replace(hole, self.filled(r.choice(forms), depth + 2), 1)
        choices: dict[str, Sequence[str]] = {
            "{c}": NUMBERS,
            "{f}": self.functions,
            "{j}": "012",
            "{z}": ("x", "y", "u", "v", "w"),
            "{w}": "uvw",
            "{op}": "+-*",
            "{k}": ("'a'", "'b'", "'c'"),
            "{n}": "234",
        }
        for hole, options in choices.items():
            while hole in form:
                form = form.replace(hole, r.choice(options), 1)
        if "{new}" in form:
            self.count += 1
            form = form.replace("{new}", f"v{self.count}")
        return form.replace("«", "{").replace("»", "}")

    def real(self, depth: int) -> str:
        """Return an expression of a real, inside of so many others."""
        r = self.random
        if depth > 3 or r.random() < 0.35:
            return self.filled(r.choice(("{z}", "{z}", "{z}", "{c}", "o.x", "items[{j}]", "a[{j}]")), depth)
        return self.filled(r.choice(EXPRESSIONS), depth)

    def put(self, indent: str, text: str) -> None:
        self.lines += [indent + line for line in text.split("\n")]

    def statement(self, depth: int, indent: str) -> None:
        """Write a statement, which holds others to the given depth."""
        choice = self.random.random()
        if depth and choice < 0.3:
            self.block(self.random.choice(BLOCKS), depth, indent)
        elif depth and choice < 0.42:
            self.definition(depth, indent)
        else:
            self.put(indent, self.filled(self.random.choice(LINES + SEVERAL_LINES)))

    def block(self, form: str, depth: int, indent: str) -> None:
        """Write the lines of a form; BODY is one or two statements."""
        for line in self.filled(form).split("\n"):
            if line.strip() == "BODY":
                inside = indent + line[: -len("BODY")]
                for _ in range(1 + self.random.randrange(2)):
                    self.statement(depth - 1, inside)
            else:
                self.lines.append(indent + line)

    def definition(self, depth: int, indent: str) -> None:
        """Write a function of a real that statements of the same block may call."""
        before, self.count = len(self.functions), self.count + 1
        name = f"g{self.count}"
        self.block(self.random.choice(DEFINITIONS).replace("NAME", name), 0, indent)
        self.functions.append(name)
        self.put(indent, self.filled("{w} = NAME({e})".replace("NAME", name)))
        if depth < 3:
            del self.functions[before:]

    def program(self, fuel: int) -> Program:
        """Return a program of about so many statements."""
        r = self.random
        chosen = r.sample(METHODS, 4)
        methods = "\n\n".join(self.method(form) for form in chosen)
        head = HEAD.replace("METHODS", methods)
        self.lines.append("def main(x, y, xs, n):")
        self.put("    ", BEGINNING)
        for _ in range(fuel):
            self.statement(3, "    ")
        self.put("    ", END)
        text = head + "\n".join(self.lines) + "\n"
        numbers = [round(r.uniform(-1.5, 1.5), 2) for _ in range(5)]
        return Program(text, (numbers[0], numbers[1], numbers[2:], 3), True)

    def method(self, form: str) -> str:
        expression = self.random.choice(
            ("math.sin(t) * self.x", "t - 0.5 * self.x", "self.x * 0.3 + t * t * 0.1")
        )
        return "\n".join(("    " + line).rstrip() for line in form.replace("{m}", expression).split("\n"))


def program(seed: int, fuel: int = 9) -> Program:
    """Return the program of a seed."""
    return Writer(Random(f"mixed {seed}")).program(fuel)
