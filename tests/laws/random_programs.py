"""Random programs: well-typed procedures of one real, as text, from choices of hypothesis or of a generator.

    R real   B boolean   L list of reals   P pair of reals   F procedure of a real to a real

Every loop counts down from a small number, so all runs end. A run may fail, by a raise without a handler or
by a primitive outside its domain; that is part of the language. The simplest choice always comes first, so
that hypothesis shrinks to short texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

NUMERALS = ("0", "1", "2", "-1", "0.5", "1.5", "-0.3", "3")
INPUT = " ".join(str(0.25 * i - 2) for i in range(400))


Forms = dict[str, dict[str, tuple[int, int, Callable[["Writer", "Scope"], str]]]]


@dataclass(frozen=True)
class Scope:
    """The variables that an expression may use, with their types, and the limits of its growth.

    size: how deeply expressions may nest. loops, operators: how deeply loops and derivatives may nest.
    tags: those of the resets around.
    """

    names: tuple[tuple[str, str], ...]
    size: int
    loops: int = 2
    operators: int = 2
    tags: tuple[str, ...] = ()

    def inside(self, loops: int, operators: int) -> Scope:
        """Return the scope inside a form that takes the given levels of loops and operators."""
        return replace(
            self, size=self.size - 1, loops=self.loops - loops, operators=self.operators - operators
        )

    def binding(self, name: str, kind: str) -> Scope:
        return replace(self, names=(*self.names, (name, kind)))

    def of(self, kind: str) -> list[str]:
        return [name for name, type_ in self.names if type_ == kind]


class Writer:
    """The writer of one program. pick: chooses one of several texts. forms: those of each type, as FORMS."""

    def __init__(self, pick: Callable[[Sequence[str]], str], forms: Forms | None = None) -> None:
        self.pick = pick
        self.forms = FORMS if forms is None else forms
        self._count = 0

    def name(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def expression(self, kind: str, scope: Scope) -> str:
        """Return an expression of a type."""
        atoms = [*scope.of(kind), *ATOMS.get(kind, ())]
        if scope.size <= 0 and atoms:
            return self.pick(atoms)
        forms = self.forms[kind]
        allowed = [
            name
            for name, (loops, operators, _) in forms.items()
            if scope.loops >= loops and scope.operators >= operators
        ]
        choice = self.pick([*(["atom"] if atoms else []), *allowed])
        if choice == "atom":
            return self.pick(atoms)
        loops, operators, write = forms[choice]
        return write(self, scope.inside(loops, operators))

    def procedure(self, scope: Scope) -> str:
        name = self.name()
        return f"(lambda ({name}) {self.expression('R', scope.binding(name, 'R'))})"


def simple(template: str, *kinds: str) -> Callable[[Writer, Scope], str]:
    """Return the writer of a form whose parts are expressions of given types."""

    def write(writer: Writer, scope: Scope) -> str:
        return template.format(*[writer.expression(kind, scope) for kind in kinds])

    return write


def _let(kind: str) -> Callable[[Writer, Scope], str]:
    def write(writer: Writer, scope: Scope) -> str:
        bound = writer.pick(("R", "F", "P", "L", "B"))
        name, value = writer.name(), writer.expression(bound, scope)
        return f"(let (({name} {value})) {writer.expression(kind, scope.binding(name, bound))})"

    return write


def _pattern(writer: Writer, scope: Scope) -> str:
    value, a, b = writer.expression("P", scope), writer.name(), writer.name()
    body = writer.expression("R", scope.binding(a, "R").binding(b, "R"))
    return f"(let (((cons {a} {b}) {value})) {body})"


def _loop(template: str) -> Callable[[Writer, Scope], str]:
    def write(writer: Writer, scope: Scope) -> str:
        loop, i, y = writer.name(), writer.name(), writer.name()
        inside = scope.binding(i, "R").binding(y, "R")
        return template.format(
            loop=loop,
            i=i,
            y=y,
            turns=writer.pick(("1", "2", "3")),
            first=writer.expression("R", scope),
            body=writer.expression("R", inside),
            more=writer.expression("R", inside),
        )

    return write


def _over_list(writer: Writer, scope: Scope) -> str:
    item, total, value = writer.name(), writer.name(), writer.expression("L", scope)
    body = writer.expression("R", scope.binding(total, "R").binding(item, "R"))
    return f"(reduce (lambda ({total} {item}) {body}) 0 {value})"


def _handle(writer: Writer, scope: Scope) -> str:
    name, body = writer.name(), writer.expression("R", scope)
    caught = writer.expression("R", scope.binding(name, "R"))
    return f"(handle {body} ({name}) (if (real? {name}) {caught} {writer.expression('R', scope)}))"


def _raise_if(writer: Writer, scope: Scope) -> str:
    test, raised = writer.expression("B", scope), writer.expression("R", scope)
    return f"(if {test} (raise {raised}) {writer.expression('R', scope)})"


def _derivative(writer: Writer, scope: Scope) -> str:
    operator, part = writer.pick(("j*", "*j", "checkpoint-*j")), writer.pick(("cdr", "car"))
    f, x = writer.expression("F", scope), writer.expression("R", scope)
    return f"({part} ({operator} {f} {x} {writer.expression('R', scope)}))"


def _derivative_of_pair(writer: Writer, scope: Scope) -> str:
    operator, name = writer.pick(("j*", "*j", "checkpoint-*j")), writer.name()
    body = writer.expression("P", scope.binding(name, "P"))
    x, weight = writer.expression("P", scope), writer.expression("P", scope)
    return f"(cdr ({operator} (lambda ({name}) {body}) {x} {weight}))"


def _cut(writer: Writer, scope: Scope) -> str:
    f, x, part = writer.name(), writer.name(), writer.pick(("0", "0.3", "0.6", "0.9", "1"))
    use = writer.pick(("(resume {z})", "(* (resume {z}) (resume {z}))", "(primops resume {z})"))
    z = f"(interrupt {f} {x} (floor (* {part} (primops {f} {x}))))"
    return (
        f"(let* (({f} {writer.expression('F', scope)}) ({x} {writer.expression('R', scope)}) (z {z})) "
        f"{use.format(z='z')})"
    )


ATOMS = {
    "R": NUMERALS,
    "B": ("#t", "#f"),
    "L": ("'()",),
    "P": ("'(1 . 2)",),
    "F": ("sin", "sqr"),
}

COUNTING = "(let {loop} (({i} {turns}) ({y} {first})) (if (zero? {i}) {y} ({loop} (- {i} 1) {body})))"
RECURSION = (
    "(let {loop} (({i} {turns}) ({y} {first})) (if (zero? {i}) {y} (+ {more} ({loop} (- {i} 1) {body}))))"
)

# For each type: the name of a form, the levels of loops and of operators that it takes, and its writer.
FORMS: Forms = {
    "R": {
        "sum": (0, 0, simple("(+ {} {})", "R", "R")),
        "product": (0, 0, simple("(* {} {})", "R", "R")),
        "difference": (0, 0, simple("(- {} {})", "R", "R")),
        "sine": (0, 0, simple("(sin {})", "R")),
        "bend": (0, 0, simple("(exp (tanh {}))", "R")),
        "quotient": (0, 0, simple("(/ {} {})", "R", "R")),
        "root": (0, 0, simple("(sqrt {})", "R")),
        "greater": (0, 0, simple("(max {} {})", "R", "R")),
        "size": (0, 0, simple("(abs {})", "R")),
        "if": (0, 0, simple("(if {} {} {})", "B", "R", "R")),
        "let": (0, 0, _let("R")),
        "call": (0, 0, simple("({} {})", "F", "R")),
        "car": (0, 0, simple("(car {})", "P")),
        "cdr": (0, 0, simple("(cdr {})", "P")),
        "pattern": (0, 0, _pattern),
        "write": (0, 0, simple("(write-real {})", "R")),
        "read": (0, 0, simple("(read-real)")),
        "raise": (0, 0, _raise_if),
        "handle": (0, 0, _handle),
        "loop": (1, 0, _loop(COUNTING)),
        "recursion": (1, 0, _loop(RECURSION)),
        "list": (1, 0, _over_list),
        "derivative": (0, 1, _derivative),
        "cut": (0, 1, _cut),
    },
    "B": {
        "less": (0, 0, simple("(< {} {})", "R", "R")),
        "and": (0, 0, simple("(and {} {})", "B", "B")),
        "or": (0, 0, simple("(or {} {})", "B", "B")),
        "null": (0, 0, simple("(null? {})", "L")),
    },
    "L": {
        "cons": (0, 0, simple("(cons {} {})", "R", "L")),
        "map": (1, 0, simple("(map {} {})", "F", "L")),
        "if": (0, 0, simple("(if {} {} {})", "B", "L", "L")),
    },
    "P": {
        "cons": (0, 0, simple("(cons {} {})", "R", "R")),
        "let": (0, 0, _let("P")),
        "write": (0, 0, simple("(write {})", "P")),
        "derivative": (0, 1, _derivative_of_pair),
    },
    "F": {
        "lambda": (0, 0, Writer.procedure),
        "if": (0, 0, simple("(if {} {} {})", "B", "F", "F")),
        "compose": (
            0,
            0,
            lambda w, s: f"(lambda (v) ({w.procedure(s)} ({w.procedure(s)} v)))",
        ),
    },
}


def program(pick: Callable[[Sequence[str]], str], size: int = 4) -> str:
    """Return the text of a procedure of one real whose value is a real."""
    return f"(lambda (x) {Writer(pick).expression('R', Scope((('x', 'R'),), size))})"


@st.composite
def programs(draw: Callable[..., str], size: int = 4) -> str:
    """Draw programs that shrink."""
    return program(lambda options: draw(st.sampled_from(options)), size)


NUMBERS = (0.0, 1.0, 0.5, -0.7, 1.3)
POINTS = st.sampled_from(NUMBERS)
