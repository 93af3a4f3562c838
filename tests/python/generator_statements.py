"""Statements of random programs; every loop ends after at most four turns."""

from __future__ import annotations

from tests.python.generator_expressions import BROKEN, Expressions
from tests.python.generator_scope import DATA, Variable

ERRORS = ("ValueError", "Odd", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError", "TypeError")
CAUGHT = (
    "Exception", "ZeroDivisionError", "(ValueError, TypeError)", "IndexError", "KeyError", "Odd", "LookupError",
    "ArithmeticError", "(KeyError, Odd)", "TypeError", "UnboundLocalError",
)  # fmt: skip


class Statements(Expressions):
    """Writes statements; `depth` is how deep blocks may still nest."""

    def block(self, depth: int, most: int = 4) -> None:
        for _ in range(1 + self.upto(most - 1)):
            if self.fuel <= 0:
                return
            self.fuel -= 1
            if self.statement(depth):
                return

    def statement(self, depth: int) -> bool:
        """One statement; whether nothing after it can run."""
        simple = (
            self.assign, self.assign, self.assign, self.assign, self.augmented, self.augmented, self.unpacking, self.item_assignment,
            self.list_method, self.dict_method, self.show, self.matrix, self.several, self.slice_assignment, self.discard,
        )  # fmt: skip
        if depth <= 0 or self.chance(50):
            self.pick(simple)()
            return False
        compound = (
            self.if_, self.if_, self.for_, self.for_, self.while_, self.try_, self.try_, self.match_, self.jump,
            self.function, self.assert_,
        )  # fmt: skip
        return bool(self.pick(compound)(depth))

    # Assignments

    def target(self, kind: str) -> str:
        """A variable to write: an old one, or a new one. To be taken after the value was written down."""
        found = self.writable(kind)
        if found and self.chance(50):
            variable = self.pick(found)
            variable.definite = True
            return variable.name
        outer = self.nonlocal_target(kind)
        return outer or self.new(kind).name

    def nonlocal_target(self, kind: str) -> str | None:
        """A variable of a function around, declared nonlocal."""
        frame = self.frame
        if frame.parent is None or not frame.nonlocals or not self.chance(60):
            return None
        found = [
            v for v in frame.parent.variables if v.kind == kind and v.name in frame.nonlocals and v.writable
        ]
        if not found:
            return None
        variable = self.pick(found)
        self.changed(variable)
        return variable.name

    def assign(self) -> None:
        kind = self.pick("FFFFILSTDPNBC")
        value = self.expression(kind, 3)
        if kind == "F" and self.chance(8):
            self.line(f"{self.new(kind).name}: float = {value}")
        elif kind in "FITSPB" and self.chance(10):
            self.line(f"{self.target(kind)} = {self.target(kind)} = {value}")
        else:
            self.line(f"{self.target(kind)} = {value}")

    def augmented(self) -> None:
        kind = self.pick("FFFISLD")
        found = [v for v in self.writable(kind) if v.definite or self.chance(3)]
        if not found:
            self.assign()
            return
        variable = self.pick(found)
        if kind == "F":
            self.line(f"{variable.name} {self.pick(('+', '-', '*', '/', '//', '%'))}= {self.F(2)}")
        elif kind == "I":
            self.line(f"{variable.name} {self.pick(('+', '-', '//', '%', '&', '|', '^', '>>'))}= {self.I(1)}")
        elif kind == "L":
            with self.without_effects():
                self.line(f"{variable.name} += {self.expression('L', 1)}[:3]")
        elif kind == "D":
            self.line(f"{variable.name} |= {self.expression('D', 1)}")
        else:
            self.line(f"{variable.name} += {self.expression(kind, 1)}")

    def unpacking(self) -> None:
        choice = self.upto(6)
        a, b = self.F(2), self.F(2)
        if choice == 0:
            self.line(f"{self.target('F')}, {self.target('F')} = {a}, {b}")
        elif choice == 1:
            value = self.expression("T", 2)
            self.line(f"({self.target('F')}, {self.target('F')}) = {value}")
        elif choice == 2:
            with self.without_effects():
                value = self.sequence(2)
            form = self.pick(
                ("{f}, *{r} = {v}", "*{r}, {f} = {v}", "{f}, *{r}, {g} = {v}", "[{f}, *{r}] = {v}")
            )
            rest = self.new("L").name
            self.line(form.format(f=self.target("F"), r=rest, g=self.target("F"), v=value))
        elif choice == 3:
            value = self.expression("T", 2)
            self.line(f"{self.target('F')}, ({self.target('F')}, {self.target('F')}) = {a}, {value}")
        elif choice == 4:
            found = [v for v in self.writable("F") if v.definite]
            if len(found) > 1:
                self.line(f"{found[0].name}, {found[-1].name} = {found[-1].name}, {found[0].name}")
        elif choice == 5:
            value, other = self.expression("S", 1), self.I(1)
            self.line(f"{self.target('S')}, {self.target('I')} = {value}, {other}")
        else:
            with self.without_effects():
                value = self.sequence(1)
            self.line(f"{self.target('F')}, {self.target('F')} = {value}")

    def several(self) -> None:
        """Some assignments that read and write one variable."""
        self.line(f"{self.target('F')} = {self.F(2)}")
        self.line(f"{self.target('F')} = {self.F(2)}")

    def discard(self) -> None:
        self.line(self.expression(self.pick("FBSI"), 2))

    def show(self) -> None:
        with self.without_effects():
            parts = [self.expression(self.pick("FISTLPDN"), 1) for _ in range(1 + self.upto(2))]
        extra = self.pick(("", "", ", sep='|'", ", end=' '", ", sep='', end='.'"))
        self.line(f"print({', '.join(parts)}{extra})")

    # Changes

    def item_assignment(self) -> None:
        value = self.F(2)
        lists, tables = self.changeable("L"), self.changeable("D")
        if tables and (not lists or self.chance(40)):
            variable, index = self.pick(tables), self.key(1)
        elif lists:
            variable, index = self.pick(lists), self.index(1)
        else:
            return self.assign()
        self.changed(variable)
        self.line(f"{variable.name}[{index}] {self.pick(('', '', '+', '*', '-'))}= {value}")
        return None

    def matrix(self) -> None:
        found = self.changeable("N")
        if not found:
            self.line(f"{self.new('N').name} = {self.expression('N', 2)}")
            return
        with self.without_effects():
            value, row = self.F(2), self.expression("L", 1)
        variable = self.pick(found)
        self.changed(variable)
        i, j = self.index(0), self.index(0)
        form = self.pick(
            (
                "{m}[{i}][{j}] += {v}", "{m}[{i}][{j}] = {v}", "{m}[{i}].append({v})", "{m}.append({r})", "{m}[{i}] = {r}",
                "{m}[{i}].sort()", "{m}.pop()", "{m}[{i}][{j}], {m}[0][0] = {v}, {m}[{i}][{j}]", "{m}.reverse()",
                "{m}[{i}] += {r}", "{m}.insert(0, {r})", "{m}[{i}][{j}] **= 2", "{m}.sort()", "{m}[{i}].extend({r}[:2])",
            )
        )  # fmt: skip
        self.line(form.format(m=variable.name, i=i, j=j, v=value, r=row))

    def slice_assignment(self) -> None:
        found = self.changeable("L")
        if not found:
            return self.assign()
        with self.without_effects():
            value = self.expression("L", 1)
        variable = self.pick(found)
        self.changed(variable)
        bounds = self.pick((":1", "1:", ":", "1:2", "::2", "-1:", "0:0"))
        self.line(f"{variable.name}[{bounds}] = {value}")
        return None

    def list_method(self) -> None:
        found = self.changeable("L")
        if not found:
            self.line(f"{self.new('L').name} = {self.expression('L', 2)}")
            return
        with self.without_effects():
            value, index, other = self.F(2), self.index(1), self.expression("L", 1)
        variable = self.pick(found)
        self.changed(variable)
        form = self.pick(
            (
                "{x}.append({v})", "{x}.append({v})", "{x}.append({v})", "{x}.extend({o}[:2])", "{x}.insert({i}, {v})", "{x}.pop()",
                "{x}.pop({i})", "{x}.reverse()", "{x}.sort()", "{x}.sort(reverse=True)", "{x}.sort(key=lambda t: -t)", "{x}.remove({v})",
                "{x}.clear()", "{x}.extend(c0 for c0 in ({v}, 1.0))", "{x}.sort(key=abs)",
            )
        )  # fmt: skip
        self.line(form.format(x=variable.name, v=value, i=index, o=other))

    def dict_method(self) -> None:
        found = self.changeable("D")
        if not found:
            self.line(f"{self.new('D').name} = {self.expression('D', 2)}")
            return
        with self.without_effects():
            value, key, other = self.F(2), self.key(1), self.expression("D", 1)
        variable = self.pick(found)
        self.changed(variable)
        form = self.pick(
            (
                "{x}[{k}] = {v}", "{x}.update({o})", "{x}.setdefault({k}, {v})", "{x}.pop({k}, None)", "{x}.pop({k})", "{x}.update(c={v})",
                "{x}[{k}] += {v}", "{x}.popitem()", "{x}.update([({k}, {v})])", "{x}.clear()", "{f} = {x}.setdefault({k}, {v})",
                "{f} = {x}.pop({k}, {v})",
            )
        )  # fmt: skip
        name = self.target("F") if "{f}" in form else ""
        self.line(form.format(x=variable.name, v=value, k=key, o=other, f=name))

    # Control

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
        """A loop and its `else`."""
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
        """A loop over what no statement in it changes."""
        locked: list[Variable] = []
        with self.without_effects():
            head, kinds = self.pick(
                (
                    ("for {0} in range({i} % 4)", "I"), ("for {0} in {s}[:4]", "F"), ("for {0} in {L}", "F"), ("for {0}, {1} in enumerate({s}[:4])", "IF"),
                    ("for {0}, {1} in zip({s}[:3], {s})", "FF"), ("for {0} in reversed({s}[:4])", "F"), ("for {0} in {D}", "S"), ("for {0}, {1} in {D}.items()", "SF"),
                    ("for {0} in {D}.values()", "F"), ("for {0} in range(3, 0, -1)", "I"), ("for {0} in {N}", "L"), ("for {0} in ({x}, {y})", "F"),
                    ("for {0} in {t}[:3]", "S"), ("for {0}, {1} in (({x}, {y}), ({y}, 1.0))", "FF"), ("for {0}, ({1}, {2}) in enumerate(zip({s}[:3], {s}))", "IFF"),
                    ("for {0} in range(1, {i} % 5)", "I"), ("for {0} in sorted({D})", "S"), ("for {0}, {1} in enumerate({L}, start=1)", "IF"),
                    ("for {0}, {1} in zip(range(3), {L}, strict={r})", "IF"), ("for {0}, *{1} in {N}", "FL"), ("for {0} in map(lambda t: t * 2.0, {s}[:3])", "F"),
                    ("for {0} in list({L})", "F"),
                )
            )  # fmt: skip
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
        """The head of a loop, with what it goes over; a variable in it may not be changed meanwhile."""
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
                    "i": lambda: self.I(1), "s": lambda: self.expression("L", 1), "x": lambda: self.F(1), "y": lambda: self.F(1),
                    "t": lambda: self.expression("S", 1), "r": lambda: self.pick(("False", "True")),
                }[letter]()  # fmt: skip
                head = head.replace("{" + letter + "}", text.replace("{", "{{").replace("}", "}}"), 1)
        return head

    def jump(self, depth: int) -> bool:
        """A way out: of the loop, of the function, or by an exception; mostly under a condition."""
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
        """What the function that is written returns."""
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

    def risky(self) -> None:
        """A statement that raises more often than others."""
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
        """One case, in which `%F`, `%S`, `%L` of the pattern are variables."""
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
        """A pattern that does not always fit, unless it has a guard."""
        options = {
            "I": ("0", "1 | 2", "-1", "int(3 | 4)", "(5 | 7) as %I", "True", "int() as %I"),
            "F": ("0.0", "1.0 | -1.0", "0.5 as %F", "float() as %F", "None"),
            "S": ("'a'", "'' | 'bc'", "('x' | 'a') as %S", "str() as %S", "None"),
            "T": ("(0.0, %F)", "(%F, 1.0)", "(%F, %F)", "[%F, _]", "(_, _, _)", "[%F, *_]", "(float(), %F)"),
            "P": ("P(x=0.5, y=%F)", "P(%F, %F)", "P(x=%F)", "P(1.0, _)", "P()", "P(x=1.0 | 2.0)"),
            "L": ("[]", "[%F]", "[%F, *%L]", "[*_, %F]", "[%F, %F, *_]", "[0.0, *%L]", "[%F, *%L, %F]"),
            "Q": (
                "(0, %S)",
                "(1 | 2, 'a')",
                "(%I, 'bc')",
                "(%I, %S)",
                "(_, 'a' | '')",
                "(0, 'a') | (1, 'bc')",
            ),
        }
        return self.pick(options[kind])

    def function(self, depth: int) -> None:
        """A nested function: see generator_functions."""
        raise NotImplementedError


assert set(DATA) <= set("FISLTDPNB")
