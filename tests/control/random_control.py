"""Random programs with shift and reset: those of tests/laws, with resets of two tags, and shifts inside.

A shift is written where a reset with its tag is around it in the text; where its procedure leaves that, or
runs within one step, the run fails. Continuations are procedures of a real to a real: dropped, resumed, and
resumed several times, within each other.

    M reference to a real   S sum of a real and a pair
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from tests.laws.random_programs import FORMS, Forms, Scope, Writer, simple

TAGS = ("", "-at 'a")
MULTIPLE = ("(+ ({k} {x}) ({k} {y}))", "({k} (* 0.5 ({k} {x})))", "(* {x} (- ({k} {y}) ({k} 0.3)))")


def _reset(writer: Writer, scope: Scope) -> str:
    tag = writer.pick(TAGS)
    return f"(reset{tag} {writer.expression('R', replace(scope, tags=(*scope.tags, tag)))})"


def _in_reset(shift: Callable[[Writer, Scope, str], str]) -> Callable[[Writer, Scope], str]:
    def write(writer: Writer, scope: Scope) -> str:
        if not scope.tags:
            return _reset(writer, scope)
        return shift(writer, scope, writer.pick(sorted(set(scope.tags))))

    return write


def _shift(writer: Writer, scope: Scope, tag: str) -> str:
    k = writer.name()
    return f"(shift{tag} {k} {writer.expression('R', scope.binding(k, 'F'))})"


def _several_times(writer: Writer, scope: Scope, tag: str) -> str:
    k = writer.name()
    x, y = writer.expression("R", scope), writer.expression("R", scope)
    return f"(shift{tag} {k} {writer.pick(MULTIPLE).format(k=k, x=x, y=y)})"


def _with_reference(writer: Writer, scope: Scope) -> str:
    r = writer.name()
    inside = scope.binding(r, "M")
    first, then = writer.expression("R", inside), writer.expression("R", inside)
    return f"(let (({r} (ref {writer.expression('R', scope)}))) (begin (:= {r} {first}) {then}))"


def _case(writer: Writer, scope: Scope) -> str:
    x, y, value = writer.name(), writer.name(), writer.expression("S", scope)
    left = writer.expression("R", scope.binding(x, "R"))
    return f"(case {value} ((inl {x}) {left}) ((inr {y}) {writer.expression('R', scope.binding(y, 'P'))}))"


CONTROL: Forms = {
    **FORMS,
    "M": {"ref": (0, 0, simple("(ref {})", "R")), "if": (0, 0, simple("(if {} {} {})", "B", "M", "M"))},
    "S": {"left": (0, 0, simple("(inl {})", "R")), "right": (0, 0, simple("(inr {})", "P"))},
    "R": {
        "reference": (0, 0, _with_reference),
        "assign": (0, 0, simple("(! (:= {} {}))", "M", "R")),
        "held": (0, 0, simple("(! {})", "M")),
        "case": (0, 0, _case),
        "reset": (0, 0, _reset),
        "shift": (0, 0, _in_reset(_shift)),
        "several": (0, 0, _in_reset(_several_times)),
        "again": (0, 0, _in_reset(_several_times)),
        **FORMS["R"],
    },
    "B": {**FORMS["B"], "shifted": (0, 0, simple("(< 0 {})", "R"))},
}
# What the model (model.py) knows.
PLAIN: Forms = {
    kind: {name: form for name, form in forms.items() if name not in ("write", "read", "derivative", "cut")}
    for kind, forms in CONTROL.items()
}


def program(pick: Callable[[Sequence[str]], str], size: int = 4, forms: Forms = CONTROL) -> str:
    """Return the text of a procedure of one real whose value is a real."""
    writer = Writer(pick, forms)
    scope = Scope((("x", "R"),), size, operators=1, loops=1, tags=("",))
    return f"(lambda (x) (reset {writer.expression('R', scope)}))"


@st.composite
def programs(draw: Callable[..., str], size: int = 4, forms: Forms = CONTROL) -> str:
    """Draw programs that shrink."""
    return program(lambda options: draw(st.sampled_from(options)), size, forms)
