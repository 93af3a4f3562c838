"""Functions of random programs: nested ones that change enclosing variables, recursive ones, helpers."""

from __future__ import annotations

from tests.python.generator_scope import Frame, Local
from tests.python.generator_statements import Statements

HELPERS = (
    ("def {f}(a, b=0.5):", ("{f}({F})", "{f}({F}, {G})", "{f}({F}, b={G})", "{f}(b={F}, a={G})")),
    ("def {f}(a, *rest, scale=1.0):", ("{f}({F})", "{f}({F}, {G}, 2.0)", "{f}({F}, *{L}, scale={G})")),
    ("def {f}(a, **options):", ("{f}({F})", "{f}({F}, u={G}, v=1.0)", "{f}({F}, **{{'u': {G}}})")),
    ("def {f}(a, /, b, *, c=2.0):", ("{f}({F}, {G})", "{f}({F}, b={G}, c=0.5)", "{f}({F}, c={G}, b=1.0)")),
    ("def {f}(a, items):", ("{f}({F}, {L})", "{f}({F}, items={L})")),
)
USES = {
    "*rest": ("return a + sum(rest) * scale", "return scale * len(rest) + a", "return max(a, *rest, scale)"),
    "**options": (
        "return a * sum(options.values())",
        "return a + options.get('u', 2.0)",
        "return a + len(options)",
    ),
    "items": ("return a + sum(items)", "return [a, *items][-1]", "return a * len(items)"),
}


class Functions(Statements):
    """The writer of functions."""

    def function(self, depth: int) -> None:
        """Write a nested function: one that is only called, or a value."""
        if self.frame.parent is not None and self.frame.parent.parent is not None:
            self.assign()
            return
        if self.chance(20):
            self.recursive()
        else:
            self.nested(depth)

    def nested(self, depth: int) -> None:
        escaping = self.chance(25)
        parameters = 1 if escaping else self.upto(2)
        local = Local(self.name("g"), parameters)
        outer = self.frame
        frame = Frame(parent=outer, effects=not escaping)
        self.frame = frame
        names = [self.new("F", owned=True).name for _ in range(parameters)]
        if not escaping and self.chance(60):
            shown = "\n".join(self.lines)
            found = [v for v in outer.variables if v.kind in "FIS" and v.writable and v.definite]
            found = [v for v in found if f" {v.name} = " in shown or f"{v.name}, " in shown]
            frame.nonlocals = {v.name for v in found if self.chance(50)}
        unchanged = {v: v.definite for v in outer.variables}
        with self.indented(f"def {local.name}({', '.join(names)}):"):
            if frame.nonlocals:
                self.line(f"nonlocal {', '.join(sorted(frame.nonlocals))}")
            for name in sorted(frame.nonlocals):
                variable = next(v for v in outer.variables if v.name == name)
                self.changed(variable)
                if variable.kind in "FI":
                    self.line(f"{name} += {self.pick(('1', '0.5') if variable.kind == 'F' else ('1', '2'))}")
            self.block(depth - 1, 4)
            self.line(f"return {self.F(2)}")
        self.frame = outer
        for variable, definite in unchanged.items():
            variable.definite = definite
        for variable in frame.reads | frame.changes:
            if variable not in outer.variables:
                outer.reads.add(variable)
        local.reads = frame.reads
        local.changes = frame.changes
        if escaping:
            self.capture(frame.reads)
            self.new("C", local.name, owned=False)
        else:
            outer.functions.append(local)

    def recursive(self) -> None:
        """Write a nested function of a counter that decreases, and a call of it."""
        name, outer = self.name("g"), self.frame
        frame = Frame(parent=outer)
        self.frame = frame
        found = [
            v for v in outer.variables if v.kind == "F" and v.writable and v.definite and v.name not in "kt"
        ]
        with self.indented(f"def {name}(k, t):"):
            self.new("I", "k").owned = False
            self.new("F", "t")
            if found and self.chance(50):
                variable = self.pick(found)
                self.changed(variable)
                self.line(f"nonlocal {variable.name}")
                self.line(f"{variable.name} = {variable.name} * 0.5 + t")
            with self.indented("if k <= 0:"):
                self.line(f"return {self.F(2)}")
            self.block(1, 2)
            if self.chance(40):
                self.line(f"return {name}(k - 1, {self.F(1)}) + {name}(k - 2, {self.F(1)})")
            else:
                self.line(f"return {name}(k - 1, {self.F(2)}) * {self.F(1)}")
        self.frame = outer
        if all(v.writable for v in frame.changes):
            for variable in frame.reads:
                self.note_read(variable)
            for variable in frame.changes:
                self.changed(variable)
            self.may_refuse |= bool(outer.tries and frame.changes)
            self.line(f"{self.target('F')} = {name}({self.pick('123')}, {self.F(1)})")

    def helper(self) -> None:
        """Write a function of the module, and return how it is called."""
        head, calls = self.pick(HELPERS)
        name = self.name("help")
        self.frame = Frame()
        outer, self.may_refuse = self.may_refuse, False
        with self.indented(head.replace("{f}", name)):
            for parameter in ("a", "b", "c"):
                if f"{parameter}," in head or f"{parameter}=" in head or f"({parameter}" in head:
                    self.new("F", parameter)
            self.block(2, 3)
            uses = [use for key, options in USES.items() if key in head for use in options]
            self.line(self.pick(uses) if uses else f"return {self.F(2)}")
        self.may_refuse |= outer
        self.line("")
        self.helpers[name] = [call.replace("{f}", name) for call in calls]
