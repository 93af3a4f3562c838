"""Random core programs for hypothesis: closed, with unique names; most of them would fail if run."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from checkpoint.ad.values import Pair, Symbol
from checkpoint.errors import Source, Span
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from tests.lang.support import ARITIES

SPAN = Span(Source("random", ""), 0, 0)

constants = st.recursive(
    st.floats()
    | st.integers()
    | st.booleans()
    | st.none()
    | st.text(max_size=3)
    | st.sampled_from([Symbol("a"), Symbol("if"), Symbol("+"), Symbol("%x")]),
    lambda inner: st.builds(Pair, inner, inner),
    max_leaves=3,
)

# Base names that collide with suffixes and with the prelude's names.
bases = st.sampled_from(
    ["x", "x.2", "f", "map", "map2", "part", "truth", "λ", "neg.2", "if.2", "...", "a->b"]
)


class Grower:
    """A generator of core programs with unique names, variables in scope, and the given depth."""

    def __init__(self, draw: Callable[[st.SearchStrategy[object]], object]) -> None:
        self.draw = draw
        self.names: set[str] = set()

    def pick(self, count: int) -> int:
        number = self.draw(st.integers(0, count - 1))
        assert isinstance(number, int)
        return number

    def name(self) -> str:
        base = str(self.draw(bases))
        name, suffix = base, 2
        while name in self.names:
            name, suffix = f"{base}.{suffix}", suffix + 1
        self.names.add(name)
        return name

    def several(self, depth: int, scope: tuple[str, ...], count: int) -> tuple[Expr, ...]:
        return tuple([self.expr(depth, scope) for _ in range(count)])

    def expr(self, depth: int, scope: tuple[str, ...]) -> Expr:
        leaves = (self.constant, self.variable, self.eta)
        inner = (self.lam, self.app, self.choice, self.let, self.letrec, self.prim, self.throw, self.catch)
        kinds = leaves if depth == 0 else inner + leaves
        return kinds[self.pick(len(kinds))](depth - 1, scope)

    def constant(self, depth: int, scope: tuple[str, ...]) -> Expr:
        return Const(SPAN, self.draw(constants))

    def variable(self, depth: int, scope: tuple[str, ...]) -> Expr:
        return Var(SPAN, scope[self.pick(len(scope))]) if scope else self.constant(depth, scope)

    def eta(self, depth: int, scope: tuple[str, ...]) -> Expr:
        op = sorted(ARITIES)[self.pick(len(ARITIES))]
        params = tuple([self.name() for _ in range(ARITIES[op])])
        body = Prim(SPAN, op, tuple([Var(SPAN, name) for name in params]))
        return Lambda(SPAN, params, body, name=op, primitive=op)

    def lam(self, depth: int, scope: tuple[str, ...]) -> Lambda:
        params = tuple([self.name() for _ in range(self.pick(3))])
        return Lambda(SPAN, params, self.expr(depth, scope + params))

    def app(self, depth: int, scope: tuple[str, ...]) -> Expr:
        return App(SPAN, self.expr(depth, scope), self.several(depth, scope, self.pick(3)))

    def choice(self, depth: int, scope: tuple[str, ...]) -> Expr:
        return If(SPAN, *self.several(depth, scope, 3))

    def let(self, depth: int, scope: tuple[str, ...]) -> Expr:
        name = self.name()
        return Let(SPAN, name, self.expr(depth, scope), self.expr(depth, (*scope, name)))

    def letrec(self, depth: int, scope: tuple[str, ...]) -> Expr:
        names = tuple([self.name() for _ in range(1 + self.pick(3))])
        bindings = tuple([(name, self.lam(max(depth, 0), scope + names)) for name in names])
        return Letrec(SPAN, bindings, self.expr(depth, scope + names))

    def prim(self, depth: int, scope: tuple[str, ...]) -> Expr:
        op = sorted(ARITIES)[self.pick(len(ARITIES))]
        return Prim(SPAN, op, self.several(depth, scope, ARITIES[op]))

    def throw(self, depth: int, scope: tuple[str, ...]) -> Expr:
        return Raise(SPAN, self.expr(depth, scope))

    def catch(self, depth: int, scope: tuple[str, ...]) -> Expr:
        name = self.name()
        return Handle(SPAN, self.expr(depth, scope), name, self.expr(depth, (*scope, name)))


@st.composite
def programs(draw: Callable[[st.SearchStrategy[object]], object]) -> Expr:
    return Grower(draw).expr(4, ())
