"""Expressions of random programs, by kind."""

from __future__ import annotations

from collections.abc import Callable

from tests.python.generator_scope import Base, Frame, Variable

REALS = ("1.0", "0.5", "-2.0", "3.0", "0.0", "-0.0", "2.5", "1e-3", "K", "1e200")
INTEGERS = ("0", "1", "2", "-1", "3", "5", "7")
TEXTS = ('"a"', '""', '"bc"', '"x y"', '"7"')
KEYS = ('"a"', '"b"', '"c"')
BROKEN = (
    '(1.0 + "a")', "[1.0][5]", "(1.0 / 0)", "math.sqrt(-1.0)", '{}["k"]', 'int("z")', "(None + 1)",
    "(1.0, 2.0)[3]", '"abc"[9]', "(2.5).missing", "len(3.0)", "(3.0)[0]", "max([])", "[].pop()", "(1 // 0)",
    'float("zz")', "math.log(0.0)", "missing_name", "(-None)", '("a" < 1.0)', "[1.0, 2.0].index(9.0)",
    "math.exp(1e9)", "(0.0 ** -1)", "(7 % 0)", "(1.0 % 0.0)", "int(math.inf)", "round(math.nan)", '{"k": 1.0}[()]',
    "P(1.0)", "P(1.0, z=2.0)", "TABLE[99]", 'CONFIG["z"]', '"%d" % 3.5', "sum([1.0, None])", "min(1.0, None)",
    "sorted([1.0, None])", "[1.0] + (2.0,)", '"a" * 2.0', "range(2.0)", "range(1, 5, 0)", "abs(None)", "[1.0]['a']",
    "(1.0).x.y", "Q(1.0)", 'Q(1.0, 2.0).c', "math.fmod(1.0, 0.0)", "pow(0.0, -1.0)", "10.0 ** 400", '[1.0].index(2.0, 1)',
    "divmod(1.0, 0.0)", "K()", "None[0]", "None.x", "not_there(1.0)", "math.sin('a')", "float(None)", "len(None)",
)  # fmt: skip
UNARY = ("sin", "cos", "atan", "tanh", "exp", "erf", "cbrt", "expm1", "asinh", "radians")
BINARY = ("hypot", "atan2", "fmod", "copysign", "remainder")


class Expressions(Base):
    """Writes expressions; `d` is how deep they may still nest."""

    def expression(self, kind: str, d: int = 2) -> str:
        """An expression of a kind; one of L, N, D is a new object, reachable from nowhere else."""
        method: Callable[[int], str] = getattr(self, f"make_{kind}")
        if self.random.randrange(400) == 399:
            return self.pick(BROKEN)
        if self.random.randrange(500) == 499:
            return self.read(self.pick("FISLTDPN")) or method(d)
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
            self.real_atom, self.real_operation, self.real_operation, self.real_operation, self.real_function,
            self.real_item, self.real_item, self.real_choice, self.real_call, self.real_call, self.real_reduction,
            self.real_walrus, self.real_of_int, self.real_pop,
        )  # fmt: skip
        return self.pick(forms)(d - 1)

    def real_atom(self, d: int) -> str:
        return self.atom("F", REALS)

    def real_operation(self, d: int) -> str:
        a, b = self.F(d), self.F(d)
        form = self.pick(
            (
                "({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} * {b})", "(-{a})", "({a} / (abs({b}) + 1.0))",
                "({a} / {b})", "({a} ** 2)", "(abs({a}) ** 0.5)", "({a} // {b})", "({a} % {b})",
                "(abs({a}) ** {b})", "(+{a})", "abs({a})", "({a} ** -1)", "({a} ** 3.0)",
            )
        )  # fmt: skip
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
            found = self.read("N")
            return "1.0" if found is None else f"{found}[{self.index(d)}][{self.index(d)}]"
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
        """A call of a nested function, of a callable value, of a helper."""
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
            form = self.pick(
                (
                    "sum({0})", "max({1}, {2})", "min({1}, {2})", "max({0})", "min({0}, default={1})", "math.fsum({0})",
                    "math.prod({0})", "sum({3})", "max({3})", "functools.reduce(lambda s, t: s * 0.5 + t, {0}, {1})",
                    "round({1}, 2)", "max({0}, key=lambda t: -t)", "divmod({1}, {2})[{4}]", "sum([{3}], {1})",
                    "math.dist({0}, {0})", "min([{3}], key=abs)", "math.hypot({1}, {2}, 1.0)", "sorted({0})[0]",
                    "statistics_mean({0})",
                )
            )  # fmt: skip
            return form.format(items, self.F(d), self.F(d), self.generator(d), self.pick("01"))

    # Lambdas and comprehensions

    def in_lambda(self, d: int, kind: str = "F") -> str:
        """The body of a lambda of `t` that is called at once."""
        with self.without_effects(), self.bound(Variable("t", "F", owned=False)):
            return self.expression(kind, d)

    def generator(self, d: int, kind: str = "F") -> str:
        """`element for ... in ...`, without brackets."""
        with self.without_effects():
            name = self.name("c")
            head = self.pick(
                (
                    "for {0} in {1}", "for {0} in {1}", "for {0} in ({2}, {2})", "for _, {0} in enumerate({1})",
                    "for {0}, _ in zip({1}, {1})", "for {0} in reversed({1})", "for {0} in {3}.values()",
                    "for _, {0} in {3}.items()", "for r in {4} for {0} in r", "for r in [{1}] for {0} in r[:2]",
                )
            )  # fmt: skip
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
        form = self.pick(
            (
                "{i}", "({i} + {j})", "({i} - {j})", "({i} * {j} % 7)", "({i} // {j})", "({i} % {j})", "len({s})", "int({x})",
                "round({x})", "(-{i})", "abs({i})", "({i} & {j})", "({i} | {j})", "({i} ^ {j})", "({i} << ({j} & 3))",
                "max({i}, {j})", "sum(1 for {c} in {s} if {c} > 0.5)", "({i} if {b} else {j})", "math.floor({x})", "(~{i})",
                "({i} % 5) ** 2", "len({t})", "{t}.count('a')", "({i} or {j})", "int({b})", "({b} + 1)", "{i} % 3", "({i} >> 1)",
                "math.gcd({i}, {j})", "sum({b} for {c} in {s})", "len(CONFIG)", "({x} > {y}) - ({x} < {y})",
            )
        )  # fmt: skip
        return self.filled(form, d - 1)

    def make_B(self, d: int) -> str:
        if d <= 0:
            return self.filled(self.pick(("{x} > {y}", "{i} < {j}", "True", "False", "{x} == {y}")), 0)
        form = self.pick(
            (
                "{x} < {y}", "{x} >= {y}", "{x} < {y} < {z}", "{x} <= {y} > {z} != 1.0", "not {b}", "({b} and {c1})",
                "({b} or {c1})", "{i} == {j}", "{i} != {j}", "{i} in (1, 2, 3)", "{k} in {d}", "{x} in {s}", "isinstance({x}, float)",
                "{t} == {u}", "{t} < {u}", "any({g})", "all({g})", "{s}", "{t}", "{x}", "{i}", "{k} not in {d}", "isinstance({i}, (int, str))",
                "0 <= {i} < 3", "{p} is None", "{p} is not None", "bool({s})", "{s} == {s}", "{t} in {u}", "math.isfinite({x})",
                "{tt} < {tt}", "{tt} == {tt}", "{i} % 2 == 0", "{s} < {s}", "callable({x})",
            )
        )  # fmt: skip
        return f"({self.filled(form, d - 1)})"

    def filled(self, form: str, d: int) -> str:
        """A form with expressions of the kinds that its letters stand for."""
        makers: dict[str, Callable[[], str]] = {
            "x": lambda: self.F(d), "y": lambda: self.F(d), "z": lambda: self.F(d), "i": lambda: self.I(d), "j": lambda: self.I(d),
            "b": lambda: self.expression("B", d), "c1": lambda: self.expression("B", d), "s": lambda: self.sequence(d),
            "t": lambda: self.expression("S", d), "u": lambda: self.expression("S", d), "k": lambda: self.pick(KEYS),
            "d": lambda: self.read("D") or "CONFIG", "g": lambda: self.generator(d, "B"), "p": lambda: self.read("F") or "None",
            "tt": lambda: self.expression("T", d), "c": lambda: "c0", "p1": lambda: self.expression("P", d),
            "l": lambda: self.expression("L", d),
        }  # fmt: skip
        needed = [name for name in makers if "{" + name + "}" in form]
        if any(name in ("s", "d", "g", "l") for name in needed):
            with self.without_effects():
                return form.format(**{name: makers[name]() for name in needed})
        return form.format(**{name: makers[name]() for name in needed})

    def make_S(self, d: int) -> str:
        if d <= 0:
            return self.atom("S", TEXTS)
        form = self.pick(
            (
                "{t}", "({t} + {u})", 'f"{{{x}}}"', 'f"<{{{x}:.3f}}|{{{i}}}>"', "str({i})", "{t}[:2]", "{t}.upper()", "repr({x})",
                "str({s})", 'f"{{{i}:>4d}}"', '",".join(str(c0) for c0 in {s})', "({t} if {b} else {u})", "{t}[::-1]", "str({tt})",
                'f"{{{x}!r}}"', "repr({t})", "({t}[:3] * 2)", "{t}.replace('a', 'b')", "str({p1})", "str({b})", 'f"{{{x}:8.2e}}"',
                "repr(list(CONFIG))", "str({d})", 'f"{{{t}:>3}}"', 'f"{{{s}}}"', "min({t}, {u})", 'f"{{{i}=}}"',
            )
        )  # fmt: skip
        text = self.filled(form, d - 1)
        return text if _is_expression(text) else self.atom("S", TEXTS)

    # Containers

    def sequence(self, d: int) -> str:
        """A list to read: a variable's, or a new one."""
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
        form = self.pick(
            (
                "[{items}]", "[{items}]", "list({s})", "[{g}]", "{s}[:]", "{s}[1:]", "{s}[::-1]", "({s} + {s2})", "sorted({s})",
                "sorted({s}, key=lambda t: {lam}, reverse={r})", "[*{s}, {x}]", "list(map(lambda t: {lam}, {s}))", "([{x}] * 3)",
                "list(reversed({s}))", "{s}.copy()", "list({tt})", "[{x} for _ in range({i} % 4)]", "list({d}.values())",
                "[c0 * {x} for c0 in {s} if c0 > {y}]", "list(filter(lambda t: t > {x}, {s}))", "{s}[:2]", "({s} * 2)[:4]",
                "sorted({g})", "list({g})", "[a * b for a, b in zip({s}, {s2})]", "[i * t for i, t in enumerate({s}, 1)]",
                "{s}[{i}:{j}]", "{s}[::2]", "[{x}, *{s2}]", "[{x} if t > 0 else -t for t in {s}]",
            )
        )  # fmt: skip
        return form.format(
            items=items, s=self.sequence(d - 1), s2=self.sequence(d - 1), g=self.generator(d - 1), x=self.F(d - 1),
            y=self.F(d - 1), lam=self.in_lambda(d - 1), r=self.pick(("False", "True")), i=self.I(0), j=self.I(0),
            tt=self.expression("T", d - 1), d=self.read("D") or "CONFIG",
        )  # fmt: skip

    def make_N(self, d: int) -> str:
        with self.without_effects():
            found = self.read("N") or "[[1.0]]"
            form = self.pick(
                (
                    "[{a}, {b}]", "[[{x}, {y}], [{y}, 1.0]]", "[list(r) for r in {m}]", "[[{x} * i + j for j in range(2)] for i in range(2)]",
                    "[[{x}] * 2 for _ in range(2)]", "[r[:] for r in {m}]", "[list(r) for r in zip({a}, {b})]",
                )
            )  # fmt: skip
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
            form = self.pick(
                (
                    '{{"a": {x}, "b": {y}}}', "dict({d})", "{{k: v * {x} for k, v in {d}.items()}}", "{{str(i): {x} * i for i in range(3)}}",
                    "dict(a={x}, c={y})", '{{**{d}, "c": {x}}}', "{d}.copy()", '({d} | {{"b": {x}}})', "{{}}", 'dict([("a", {x})])',
                    '{{k: v for k, v in {d}.items() if v > {x}}}', 'dict(zip("ab", {l}))', '{{"a": {x}, "b": {y}, "c": 1.0}}',
                )
            )  # fmt: skip
            return self.filled(form, min(d, 1))

    def make_P(self, d: int) -> str:
        found = self.read("P")
        form = self.pick(
            ("P({x}, {y})", "P(y={x}, x={y})", "P({x})" if self.chance(3) else "P({y}, 2.0)", "dataclasses.replace({p}, x={x})", "({p} + {p})", "{p}.scaled({x})")
        )  # fmt: skip
        return form.replace("{p}", found or "P(1.0, 2.0)").format(x=self.F(min(d, 1)), y=self.F(min(d, 1)))

    def make_C(self, d: int) -> str:
        """A callable of one float; what it captures is not written afterwards."""
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
    """Whether a text is an expression: quotes within the braces of an f-string are not always."""
    try:
        compile(text, "<text>", "eval")
    except SyntaxError:
        return False
    return True
