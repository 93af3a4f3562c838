"""Compound statements of random programs; every loop ends after at most four iterations."""

from __future__ import annotations

from tests.python.generator_expressions import Expressions
from tests.python.generator_forms import BROKEN, HEADS, PATTERNS
from tests.python.generator_scope import Variable

ERRORS = ("ValueError", "Odd", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError", "TypeError")
CAUGHT = (
    "Exception",
    "ZeroDivisionError",
    "(ValueError, TypeError)",
    "IndexError",
    "KeyError",
    "Odd",
    "LookupError",
    "ArithmeticError",
    "(KeyError, Odd)",
    "TypeError",
    "UnboundLocalError",
)


class Control(Expressions):
    """The writer of compound statements; `depth` is the remaining depth of blocks."""

    def block(self, depth: int, most: int = 4) -> None:
        """Write some statements: see generator_statements."""
        raise NotImplementedError

    def target(self, kind: str) -> str:
        """Return a variable to write: see generator_statements."""
        raise NotImplementedError

    def if_(self, depth: int) -> None:
        with self.indented(f"if {self.expression('B', 2)}:"):
            self.block(depth - 1)
        while self.chance(20):
            with self.indented(f"elif {self.expression('B', 2)}:"):
                self.block(depth - 1)
        if self.chance(50):
            with self.indented("else:"):
                self.block(depth - 1)

    def loop(self, head: str, depth: int, first: str = "", inside: tuple[Variable, ...] = ()) -> None:
        """Write a loop and its `else`."""
        frame = self.frame
        before = frame.breakable
        frame.loops += 1
        frame.breakable = True
        with self.indented(head):
            for variable in inside:
                variable.definite = True
            if first:
                self.line(first)
            self.block(depth - 1)
        frame.breakable = before
        frame.loops -= 1
        if self.chance(20):
            with self.indented("else:"):
                self.block(depth - 1, 2)

    def while_(self, depth: int) -> None:
        counter = self.new("I")
        counter.locked += 1
        self.line(f"{counter.name} = 0")
        turns = self.pick("234")
        if self.chance(30):
            self.loop(f"while ({counter.name} := {counter.name} + 1) < {turns}:", depth)
        else:
            test = f" and {self.expression('B', 1)}" if self.chance(40) else ""
            self.loop(f"while {counter.name} < {turns}{test}:", depth, f"{counter.name} += 1")
        counter.locked -= 1

    def for_(self, depth: int) -> None:
        """Write a loop over a value that no statement in it changes."""
        locked: list[Variable] = []
        with self.without_effects():
            head, _, kinds = self.pick(HEADS).partition(" | ")
            filled = self._locking(head, locked)
        targets = [self.new(kind, owned=kind != "L") for kind in kinds]
        for target in targets:
            target.definite = False
        self.loop(filled.format(*[v.name for v in targets]) + ":", depth, inside=tuple(targets))
        for variable in locked:
            variable.locked -= 1
        for target in targets:
            if target.kind == "L":
                self.frame.variables.remove(target)

    def _locking(self, head: str, locked: list[Variable]) -> str:
        """Return the header of a loop; a variable in its iterable may not be changed meanwhile."""
        for kind in "LDN":
            while "{" + kind + "}" in head:
                found = self.visible(kind)
                if found and self.chance(75):
                    variable = self.pick(found)
                    self.note_read(variable)
                    variable.locked += 1
                    locked.append(variable)
                    text = variable.name if kind != "L" else f"{variable.name}"
                else:
                    text = self.expression(kind, 1) + ("[:4]" if kind == "L" else "")
                head = head.replace("{" + kind + "}", text.replace("{", "{{").replace("}", "}}"), 1)
        for letter in "isxytr":
            while "{" + letter + "}" in head:
                text = {
                    "i": lambda: self.I(1),
                    "s": lambda: self.expression("L", 1),
                    "x": lambda: self.F(1),
                    "y": lambda: self.F(1),
                    "t": lambda: self.expression("S", 1),
                    "r": lambda: self.pick(("False", "True")),
                }[letter]()
                head = head.replace("{" + letter + "}", text.replace("{", "{{").replace("}", "}}"), 1)
        return head

    def jump(self, depth: int) -> bool:
        """Write an exit: from the loop, from the function, or by an exception; mostly under a condition."""
        options = ["return", "raise", "raise"]
        if self.frame.breakable:
            options = ["break", "continue", "break", "continue", *options]
        if self.frame.in_handler:
            options += ["reraise", "reraise"]
        choice = self.pick(options)
        if self.chance(80):
            with self.indented(f"if {self.expression('B', 2)}:"):
                self._jump(choice)
            return False
        self._jump(choice)
        return True

    def _jump(self, choice: str) -> None:
        if choice == "return":
            self.line(f"return {self.result()}")
        elif choice == "raise":
            with self.without_effects():
                argument = self.pick((self.expression("S", 1), self.expression("F", 1), "", self.I(1)))
                if self.chance(5):
                    self.line(f"raise {self.pick(('1.0', 'ValueError', 'Odd', 'None'))}")
                    return
                second = f", {self.F(1)}" if argument and self.chance(15) else ""
            self.line(f"raise {self.pick(ERRORS)}({argument}{second})")
        else:
            self.line("raise" if choice == "reraise" else choice)

    def result(self) -> str:
        """Return the result of the function that is being written."""
        return self.expression(self.frame.result, 2)

    def assert_(self, depth: int) -> None:
        message = f", {self.expression('S', 1)}" if self.chance(50) else ""
        self.line(f"assert {self.expression('B', 2)}{message}")

    def try_(self, depth: int) -> None:
        frame = self.frame
        frame.tries += 1
        with self.indented("try:"):
            self.block(depth - 1)
            if self.chance(40):
                self.risky()
        handled = not self.chance(25)
        if handled:
            for _ in range(1 + self.upto(1)):
                self.handler(depth)
            if self.chance(8):
                with self.indented("except:"):
                    self.block(depth - 1, 2)
            if self.chance(25):
                with self.indented("else:"):
                    self.block(depth - 1, 2)
        frame.tries -= 1
        if not handled or self.chance(30):
            before, frame.in_handler = frame.in_handler, False
            with self.indented("finally:"):
                self.block(depth - 1, 2)
            frame.in_handler = before

    def with_(self, depth: int) -> None:
        """Write a `with` of a manager that may swallow exceptions, or of one that Python has."""
        with self.without_effects():
            manager = self.pick(
                (
                    f"Guard({self.F(1)}, {self.expression('B', 1)})",
                    f"Guard({self.F(1)}, False)",
                    f"contextlib.suppress({self.pick(ERRORS)}, ZeroDivisionError)",
                    f"contextlib.nullcontext({self.F(1)})",
                )
            )
        named = "suppress" not in manager and self.chance(60)
        target = f" as {self.target('F')}" if named else ""
        self.frame.tries += 1
        with self.indented(f"with {manager}{target}:"):
            self.block(depth - 1)
        self.frame.tries -= 1

    def risky(self) -> None:
        """Write a statement that raises more often than others."""
        if self.chance(50):
            with self.without_effects():
                self.line(f"raise {self.pick(ERRORS)}({self.expression(self.pick('SFI'), 1)})")
        else:
            self.line(f"{self.target('F')} = {self.pick(BROKEN)}")

    def handler(self, depth: int) -> None:
        frame = self.frame
        named = self.chance(50)
        name = self.name("error") if named else ""
        with self.indented(f"except {self.pick(CAUGHT)}{f' as {name}' if named else ''}:"):
            before, frame.in_handler = frame.in_handler, True
            if named:
                use = self.pick(
                    (
                        "print({0})",
                        "{1} = str({0})",
                        "print(repr({0}))",
                        "{1} = f'{{{0}}}'",
                        "print({0}.args)",
                        "print(isinstance({0}, ValueError))",
                    )
                )
                target = self.target("S") if "{1}" in use else ""
                self.line(use.format(name, target))
            self.block(depth - 1, 3)
            if self.chance(10):
                self.line(f"raise {self.pick(ERRORS)}('again'){f' from {name}' if named else ' from None'}")
            frame.in_handler = before

    def match_(self, depth: int) -> None:
        kind = self.pick("ISTPLQF")
        subject = (
            self.expression(kind if kind != "Q" else "T", 1)
            if kind != "Q"
            else f"({self.I(1)}, {self.expression('S', 1)})"
        )
        with self.indented(f"match {subject}:"):
            for _ in range(1 + self.upto(2)):
                self.case(self.pattern(kind), depth)
            if self.chance(60):
                with self.indented(f"case {self.pick(('_', self.name('w')))}:"):
                    self.block(depth - 1, 2)

    def case(self, pattern: str, depth: int) -> None:
        """Write one case; `%F`, `%S`, `%L` in the pattern are variables."""
        bound: list[Variable] = []
        for kind in "FISL":
            while f"%{kind}" in pattern:
                found = [v for v in self.writable(kind) if v not in bound]
                variable = self.pick(found) if found and self.chance(30) else self.new(kind)
                if not any(v is variable for v in bound) and variable not in found:
                    variable.definite = False
                bound.append(variable)
                pattern = pattern.replace(f"%{kind}", variable.name, 1)
        was = {variable: variable.definite for variable in bound}
        for variable in bound:
            variable.definite = True
        with self.without_effects():
            guard = f" if {self.expression('B', 1)}" if self.chance(35) else ""
        for variable in bound:
            variable.definite = was[variable]
        with self.indented(f"case {pattern}{guard}:"):
            for variable in bound:
                variable.definite = True
            self.block(depth - 1, 3)

    def pattern(self, kind: str) -> str:
        """Return a pattern that does not match every value, unless it has a guard."""
        return self.pick(PATTERNS[kind])
