"""Expressions of random programs, by kind."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tests.python.generator_forms import (
    BROKEN,
    GENERATOR_FORMS,
    MAKE_B_FORMS,
    MAKE_D_FORMS,
    MAKE_I_FORMS,
    MAKE_N_FORMS,
    MAKE_S_FORMS,
    NEW_LIST_FORMS,
    REAL_OPERATION_FORMS,
    REAL_REDUCTION_FORMS,
)
from tests.python.generator_scope import Base, Frame, Variable

REALS = ("1.0", "0.5", "-2.0", "3.0", "0.0", "-0.0", "2.5", "1e-3", "K", "1e200")
INTEGERS = ("0", "1", "2", "-1", "3", "5", "7")
TEXTS = ('"a"', '""', '"bc"', '"x y"', '"7"')
KEYS = ('"a"', '"b"', '"c"')

UNARY = ("sin", "cos", "atan", "tanh", "exp", "erf", "cbrt", "expm1", "asinh", "radians")
BINARY = ("hypot", "atan2", "fmod", "copysign", "remainder")


class Expressions(Base):
    """The writer of expressions; `d` is their remaining depth."""

    def expression(self, kind: str, d: int = 2) -> str:
        """Return an expression of a kind; one of L, N, D is a new object, reachable from nowhere else."""
        method: Callable[[int], str] = getattr(self, f"make_{kind}")
        if self.random.randrange(400) == 399:
            return self.pick(BROKEN)
        if self.random.randrange(500) == 499:
            return self.read(self.pick("FISTP")) or method(d)
        return method(d)

    def F(self, d: int) -> str:
        return self.expression("F", d)

    def I(self, d: int) -> str:  # noqa: E743
        return self.expression("I", d)

    def atom(self, kind: str, constants: tuple[str, ...]) -> str:
        if self.chance(70) or not constants:
            found = self.read(kind)
            if found is not None:
                return found
        return self.pick(constants) if constants else "None"

    # Floats

    def make_F(self, d: int) -> str:
        if d <= 0:
            return self.atom("F", REALS)
        forms = (
            self.real_atom,
            self.real_operation,
            self.real_operation,
            self.real_operation,
            self.real_function,
            self.real_item,
            self.real_item,
            self.real_choice,
            self.real_call,
            self.real_call,
            self.real_reduction,
            self.real_walrus,
            self.real_of_int,
            self.real_pop,
        )
        return self.pick(forms)(d - 1)

    def real_atom(self, d: int) -> str:
        return self.atom("F", REALS)

    def real_operation(self, d: int) -> str:
        a, b = self.F(d), self.F(d)
        form = self.pick(REAL_OPERATION_FORMS)
        return form.format(a=a, b=b)

    def real_function(self, d: int) -> str:
        if self.chance(25):
            return f"math.{self.pick(BINARY)}({self.F(d)}, {self.F(d)})"
        if self.chance(25):
            return self.pick(
                ("math.sqrt(abs({}))", "math.log(abs({}) + 1.0)", "math.sqrt({})", "math.log({}, 2)")
            ).format(self.F(d))
        return f"math.{self.pick(UNARY)}({self.F(d)})"

    def real_item(self, d: int) -> str:
        kind = self.pick("LTDNPQ")
        if kind == "L":
            return f"{self.sequence(d)}[{self.index(d)}]"
        if kind == "T":
            return f"{self.expression('T', min(d, 0))}[{self.pick(('0', '1', '-1'))}]"
        if kind == "D":
            found = self.read("D") or "CONFIG"
            if self.chance(40):
                return f"{found}.get({self.key(d)}, {self.F(d)})"
            return f"{found}[{self.key(d)}]"
        if kind == "N":
            matrix = self.read("N")
            return "1.0" if matrix is None else f"{matrix}[{self.index(d)}][{self.index(d)}]"
        if kind == "Q":
            return f"Q({self.F(d)}, {self.F(d)}).{self.pick('ab')}"
        found = self.read("P") or f"P({self.F(d)}, {self.F(d)})"
        return f"{found}.{self.pick(('x', 'y', 'norm()', 'scaled(0.5).x', 'total'))}"

    def index(self, d: int) -> str:
        with self.without_effects():
            return self.pick(("0", "-1", "0", "1", "len(TABLE) % 2", self.I(min(d, 1))))

    def key(self, d: int) -> str:
        with self.without_effects():
            return self.pick((*KEYS, self.expression("S", 0)))

    def real_choice(self, d: int) -> str:
        a, b = self.F(d), self.F(d)
        if self.chance(70):
            return f"({a} if {self.expression('B', d)} else {b})"
        return f"({a} {self.pick(('or', 'and'))} {b})"

    def real_walrus(self, d: int) -> str:
        if not self.frame.effects:
            return self.real_operation(d)
        found = self.writable("F")
        value = self.F(d)
        if found and self.chance(50):
            variable = self.pick(found)
            return f"({variable.name} := {value})"
        variable = self.new("F")
        variable.definite = False
        return f"({variable.name} := {value})"

    def real_of_int(self, d: int) -> str:
        return self.pick(("float({})", "({} * 0.5)", "(1.5 + {})", "(2 ** -{})", "{}")).format(self.I(d))

    def real_pop(self, d: int) -> str:
        found = self.changeable("L") if self.frame.effects else []
        if not found:
            return self.real_item(d)
        variable = self.pick(found)
        self.changed(variable)
        return f"{variable.name}.pop({self.pick(('', '0', '-1'))})"

    def real_call(self, d: int) -> str:
        """Return a call of a nested function, of a callable value, or of a helper."""
        options = self.callables()
        if options and self.chance(50):
            function = self.pick(options)
            for variable in function.reads:
                self.note_read(variable)
            for variable in function.changes:
                self.changed(variable)
            self.may_refuse |= bool(self.frame.tries and function.changes)
            return f"{function.name}({', '.join(self.F(d) for _ in range(function.parameters))})"
        found = self.read("C")
        if found is not None and self.chance(60):
            return f"{found}({self.F(d)})"
        if self.helpers and self.chance(70):
            forms = self.helpers[self.pick(sorted(self.helpers))]
            form = self.pick(forms)
            with self.without_effects():
                return form.format(F=self.F(d), G=self.F(d), I=f"{self.I(0)} % 4", L=self.expression("L", d))
        with self.without_effects():
            return f"(lambda t: {self.in_lambda(d)})({self.F(d)})"

    def real_reduction(self, d: int) -> str:
        with self.without_effects():
            items = self.sequence(d)
            form = self.pick(REAL_REDUCTION_FORMS)
            return form.format(items, self.F(d), self.F(d), self.generator(d), self.pick("01"))

    # Lambdas and comprehensions

    def in_lambda(self, d: int, kind: str = "F") -> str:
        """Return the body of a lambda of `t` that is called at once."""
        with self.without_effects(), self.bound(Variable("t", "F", owned=False)):
            return self.expression(kind, d)

    def generator(self, d: int, kind: str = "F") -> str:
        """Return `element for ... in ...`, without brackets."""
        with self.without_effects():
            name = self.name("c")
            head = self.pick(GENERATOR_FORMS)
            table = self.read("D") or "CONFIG"
            matrix = self.read("N") or "[[1.0], [2.0]]"
            head = head.format(name, self.sequence(d), self.F(0), table, matrix)
            with self.bound(Variable(name, "F", owned=False)):
                element = self.expression(kind, min(d, 1))
                test = f" if {self.expression('B', min(d, 1))}" if self.chance(30) else ""
            return f"{element} {head}{test}"

    # Other scalars

    def make_I(self, d: int) -> str:
        if d <= 0:
            return self.atom("I", INTEGERS)
        form = self.pick(MAKE_I_FORMS)
        return self.filled(form, d - 1)

    def make_B(self, d: int) -> str:
        if d <= 0:
            return self.filled(self.pick(("{x} > {y}", "{i} < {j}", "True", "False", "{x} == {y}")), 0)
        form = self.pick(MAKE_B_FORMS)
        return f"({self.filled(form, d - 1)})"

    def filled(self, form: str, d: int) -> str:
        """Return a form with expressions of the kinds that its letters denote."""
        makers: dict[str, Callable[[], str]] = {
            "x": lambda: self.F(d),
            "y": lambda: self.F(d),
            "z": lambda: self.F(d),
            "i": lambda: self.I(d),
            "j": lambda: self.I(d),
            "b": lambda: self.expression("B", d),
            "c1": lambda: self.expression("B", d),
            "s": lambda: self.sequence(d),
            "t": lambda: self.expression("S", d),
            "u": lambda: self.expression("S", d),
            "k": lambda: self.pick(KEYS),
            "d": lambda: self.read("D") or "CONFIG",
            "g": lambda: self.generator(d, "B"),
            "p": lambda: self.read("F") or "None",
            "tt": lambda: self.expression("T", d),
            "c": lambda: "c0",
            "p1": lambda: self.expression("P", d),
            "l": lambda: self.expression("L", d),
        }
        needed = [name for name in makers if "{" + name + "}" in form]
        if any(name in ("s", "d", "g", "l") for name in needed):
            with self.without_effects():
                return form.format(**{name: makers[name]() for name in needed})
        return form.format(**{name: makers[name]() for name in needed})

    def make_S(self, d: int) -> str:
        if d <= 0:
            return self.atom("S", TEXTS)
        form = self.pick(MAKE_S_FORMS)
        text = self.filled(form, d - 1)
        return text if _is_expression(text) else self.atom("S", TEXTS)

    # Containers

    def sequence(self, d: int) -> str:
        """Return a list to read: that of a variable, or a new one."""
        found = self.read("L")
        if found is not None and self.chance(75):
            return found
        return self.pick(("TABLE", self.expression("L", min(d, 1))))

    def make_L(self, d: int) -> str:
        with self.without_effects():
            return self.new_list(d)

    def new_list(self, d: int) -> str:
        items = ", ".join(self.F(min(d, 1)) for _ in range(1 + self.upto(2)))
        if d <= 0:
            return f"[{items}]"
        form = self.pick(NEW_LIST_FORMS)
        return form.format(
            items=items,
            s=self.sequence(d - 1),
            s2=self.sequence(d - 1),
            g=self.generator(d - 1),
            x=self.F(d - 1),
            y=self.F(d - 1),
            lam=self.in_lambda(d - 1),
            r=self.pick(("False", "True")),
            i=self.I(0),
            j=self.I(0),
            tt=self.expression("T", d - 1),
            d=self.read("D") or "CONFIG",
        )

    def make_N(self, d: int) -> str:
        with self.without_effects():
            found = self.read("N") or "[[1.0]]"
            form = self.pick(MAKE_N_FORMS)
            d = min(d, 1)
            return form.format(
                a=self.expression("L", d), b=self.expression("L", d), x=self.F(d), y=self.F(d), m=found
            )

    def make_T(self, d: int) -> str:
        found = self.read("T")
        if found is not None and (d <= 0 or self.chance(40)):
            return found
        form = self.pick(
            (
                "({x}, {y})",
                "divmod({x}, 2.0)",
                "({x}, -{x})",
                "tuple([{x}, {y}])",
                "math.modf({x})",
                "({x}, {i})",
            )
        )
        return self.filled(form, d - 1)

    def make_D(self, d: int) -> str:
        with self.without_effects():
            form = self.pick(MAKE_D_FORMS)
            return self.filled(form, min(d, 1))

    def make_P(self, d: int) -> str:
        found = self.read("P")
        form = self.pick(
            (
                "P({x}, {y})",
                "P(y={x}, x={y})",
                "P({x})" if self.chance(3) else "P({y}, 2.0)",
                "dataclasses.replace({p}, x={x})",
                "({p} + {p})",
                "{p}.scaled({x})",
            )
        )
        return form.replace("{p}", found or "P(1.0, 2.0)").format(x=self.F(min(d, 1)), y=self.F(min(d, 1)))

    def make_C(self, d: int) -> str:
        """Return a callable of one float; the variables that it captures are not written afterwards."""
        choice = self.upto(7)
        if choice == 6:
            return self.pick(("math.sin", "abs", "math.exp", "square"))
        if choice == 7:
            return f"functools.partial(scale, {self.F(0)})"
        frame = Frame(parent=self.frame, effects=False)
        self.frame = frame
        self.new("F", "t", owned=False)
        if choice == 5:
            self.new("F", "u", owned=False)
        body = self.expression("F", min(d, 2) + 1)
        assert frame.parent is not None
        self.frame = frame.parent
        for variable in frame.reads:
            self.note_read(variable)
        self.capture(frame.reads)
        return f"(lambda t, u={self.F(0)}: {body})" if choice == 5 else f"(lambda t: {body})"


def _is_expression(text: str) -> bool:
    """Return whether a text is an expression: quotes inside the braces of an f-string may prevent that."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True
