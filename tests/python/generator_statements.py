"""Simple statements of random programs, and the kinds of statements that there are."""

from __future__ import annotations

from tests.python.generator_control import Control
from tests.python.generator_forms import DICT_METHOD_FORMS, LIST_METHOD_FORMS, MATRIX_FORMS

REFUSED_FORMS = (
    "{f} = eval('1.0')",
    "exec('1.0')",
    "{f} = id({v}) * 0.5",
    "{f} = [id(y) * 0.5 for y in ({v},)][0]",
    "{f} = sorted([{v}], key=lambda y: id(y))[0]",
    "{f} = float(open(str({v})).read())",
    "return locals()",
)


class Statements(Control):
    """The writer of statements; `depth` is the remaining depth of blocks."""

    def block(self, depth: int, most: int = 4) -> None:
        for _ in range(1 + self.upto(most - 1)):
            if self.fuel <= 0:
                return
            self.fuel -= 1
            if self.statement(depth):
                return

    def statement(self, depth: int) -> bool:
        """Write one statement; return whether nothing after it can run."""
        simple = (
            self.assign,
            self.assign,
            self.assign,
            self.assign,
            self.augmented,
            self.augmented,
            self.unpacking,
            self.item_assignment,
            self.list_method,
            self.dict_method,
            self.show,
            self.matrix,
            self.several,
            self.slice_assignment,
            self.discard,
            self.delete,
            self.refused,
        )
        if depth <= 0 or self.chance(50):
            self.pick(simple)()
            return False
        compound = (
            self.if_,
            self.if_,
            self.for_,
            self.for_,
            self.while_,
            self.try_,
            self.try_,
            self.match_,
            self.with_,
            self.jump,
            self.function,
            self.assert_,
        )
        return bool(self.pick(compound)(depth))

    # Assignments

    def target(self, kind: str) -> str:
        """Return a variable to write, an old or a new one; called after the value has been written down."""
        found = self.writable(kind)
        if found and self.chance(50):
            variable = self.pick(found)
            variable.definite = True
            return variable.name
        outer = self.nonlocal_target(kind)
        return outer or self.new(kind).name

    def nonlocal_target(self, kind: str) -> str | None:
        """Return a variable of an enclosing function, declared nonlocal."""
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
        """Write some assignments that read and write one variable."""
        self.line(f"{self.target('F')} = {self.F(2)}")
        self.line(f"{self.target('F')} = {self.F(2)}")

    def discard(self) -> None:
        self.line(self.expression(self.pick("FBSI"), 2))

    def show(self) -> None:
        with self.without_effects():
            parts = [self.expression(self.pick("FISTLPDN"), 1) for _ in range(1 + self.upto(2))]
        extra = self.pick(("", "", ", sep='|'", ", end=' '", ", sep='', end='.'"))
        self.line(f"print({', '.join(parts)}{extra})")

    def delete(self) -> None:
        """Write `del` of a variable; statements after the block may read it all the same."""
        found = [v for kind in "FILDS" for v in self.writable(kind) if v.definite]
        if not found or self.chance(60):
            return self.list_method()
        variable = self.pick(found)
        variable.definite = False
        self.line(f"del {variable.name}")
        return None

    def refused(self) -> None:
        """Write what is refused where no run comes; the variables that it writes count all the same."""
        found = [v for v in self.writable("F") if v.definite]
        if not found or self.chance(60):
            return self.assign()
        with self.without_effects():
            test, value = self.I(1), self.F(2)
        form = self.pick(REFUSED_FORMS).format(f=self.pick(found).name, v=value)
        self.line(f"if str({test}) == 'never': {form}")
        return None

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
        form = self.pick(MATRIX_FORMS)
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
        form = self.pick(LIST_METHOD_FORMS)
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
        form = self.pick(DICT_METHOD_FORMS)
        name = self.target("F") if "{f}" in form else ""
        self.line(form.format(x=variable.name, v=value, k=key, o=other, f=name))

    def function(self, depth: int) -> None:
        """Write a nested function: see generator_functions."""
        raise NotImplementedError
