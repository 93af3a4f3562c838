"""The facts of closure conversion: groups, captures, free storage variables."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from checkpoint.lang.closures import Scopes, analyse
from checkpoint.lang.core import Expr, Handle, Lambda, Let, Letrec, Var
from checkpoint.lang.walk import binders, children, preorder
from tests.lang.random_core import programs
from tests.lang.support import core
from tests.lang.table import CORE


def facts(text: str) -> tuple[Expr, Scopes]:
    expr = core(text)
    return expr, analyse(expr)


def groups(text: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return all groups of a program, as names and captures."""
    expr, scopes = facts(text)
    letrecs = [inner for inner in preorder(expr) if isinstance(inner, Letrec)]
    return [(group.names, group.captures) for letrec in letrecs for group in scopes.groups(letrec)]


def captures(text: str) -> list[tuple[str, ...]]:
    """Return the captures of all lambdas of a program, in the order of the text."""
    expr, scopes = facts(text)
    return [scopes.captures(inner) for inner in preorder(expr) if isinstance(inner, Lambda)]


GROUPS = {
    "(define (f x) x) f": [(("f",), ())],
    "(define (f x) (f x)) f": [(("f",), ())],
    "(define (f x) (g x)) (define (g x) (f x)) f": [(("f", "g"), ())],
    # Each group after those to which it refers
    "(define (f x) (g x)) (define (g x) x) f": [(("g",), ()), (("f",), ())],
    "(define (a x) (b x)) (define (b x) (c x)) (define (c x) (b x)) (define (d x) (a x)) d": [
        (("b", "c"), ()),
        (("a",), ()),
        (("d",), ()),
    ],
    # The captures of a member are those of its group
    "(lambda (p q) (letrec ((f (lambda (x) (g q))) (g (lambda (x) (f p)))) f))": [(("f", "g"), ("q", "p"))],
    # A group that refers to one that is not closed is not closed either
    "(lambda (p) (letrec ((f (lambda (x) p)) (g (lambda (x) (f x)))) g))": [
        (("f",), ("p",)),
        (("g",), ("%env.f",)),
    ],
    "(lambda (p) (letrec ((f (lambda (x) x)) (g (lambda (x) (f x)))) g))": [(("f",), ()), (("g",), ())],
    # An inner letrec refers to the group around it
    "(lambda (p) (letrec ((f (lambda (x) (letrec ((g (lambda (y) (f p)))) g)))) f))": [
        (("f",), ("p",)),
        (("g",), ("%env.f", "p")),
    ],
    "(letrec ((f (lambda (x) (letrec ((g (lambda (y) (f y)))) g)))) f)": [(("f",), ()), (("g",), ())],
}


@pytest.mark.parametrize("text", GROUPS)
def test_groups(text: str) -> None:
    assert groups(text) == GROUPS[text]


CAPTURES = {
    "(lambda (x) (lambda (y) (lambda (z) (y x z))))": [(), ("x",), ("y", "x")],
    "(lambda (x) (let ((y x)) (lambda (z) y)))": [(), ("y",)],
    "(define (f x) x) (lambda (y) (f y))": [(), ()],
    "(lambda (p) (letrec ((f (lambda (x) (lambda (y) (f p))))) f))": [(), ("p",), ("%env.f", "p")],
    "(lambda (p) (letrec ((f (lambda (x) p))) (lambda (y) (f (f p)))))": [(), ("p",), ("%env.f", "p")],
    "(lambda (e) (handle e (d) (lambda () d)))": [(), ("d",)],
    "(list + +)": [(), ()],
}


@pytest.mark.parametrize("text", CAPTURES)
def test_captures(text: str) -> None:
    assert captures(text) == CAPTURES[text]


def test_lookups() -> None:
    expr, scopes = facts(
        "(lambda (p) (letrec ((f (lambda (x) (g p))) (g (lambda (x) (f x))) (h (lambda (x) x))) f))"
    )
    assert isinstance(expr, Lambda)
    letrec = expr.body
    assert isinstance(letrec, Letrec)
    (f, f_lambda), (g, g_lambda), (h, h_lambda) = letrec.bindings
    group, closed = scopes.groups(letrec)
    assert (group.lambdas, group.closed, group.env) == ((f_lambda, g_lambda), False, "%env.f")
    assert (closed.lambdas, closed.closed) == ((h_lambda,), True)
    assert scopes.group_of == {f: group, g: group, h: closed}
    assert scopes.lambda_of == {f: f_lambda, g: g_lambda, h: h_lambda}
    assert scopes.group_of_lambda(g_lambda) is group
    assert scopes.group_of_lambda(expr) is None
    assert [scopes.storage(name) for name in ("p", f, g, h)] == ["p", "%env.f", "%env.f", None]
    assert scopes.free(letrec.body) == ("%env.f",)
    assert scopes.free(letrec) == ("p",)
    assert scopes.free(f_lambda) == ("%env.f", "p")
    assert scopes.free(f_lambda) is scopes.free(f_lambda)


def slow_free(expr: Expr, scopes: Scopes) -> set[str]:
    """Return the free storage variables by the textbook definition."""
    if isinstance(expr, Var):
        found = scopes.storage(expr.name)
        return set() if found is None else {found}
    bound = set(binders(expr))
    if isinstance(expr, Letrec):
        bound |= {group.env for group in scopes.groups(expr)}
    inside = [slow_free(child, scopes) for child in children(expr)]
    if isinstance(expr, Let | Handle):
        return inside[0] | (inside[1] - bound)
    return set().union(*inside) - bound


TEXTS = [text for text, _ in CORE.values()] + [
    *GROUPS,
    *CAPTURES,
    "multivariate-max-F",
    "checkpoint-multivariate-max-R",
]


def check_laws(program: Expr) -> None:
    scopes = analyse(program)
    assert scopes.free(program) == ()
    for expr in preorder(program):
        free = scopes.free(expr)
        assert len(set(free)) == len(free)
        assert set(free) == slow_free(expr, scopes)
        if isinstance(expr, Lambda):
            group = scopes.group_of_lambda(expr)
            own = set() if group is None else {group.env}
            assert set(free) - own <= set(scopes.captures(expr))
        if isinstance(expr, Letrec):
            known = set(free)
            for group in scopes.groups(expr):
                assert set(group.captures) <= known
                known.add(group.env)


@pytest.mark.parametrize("text", TEXTS)
def test_laws(text: str) -> None:
    check_laws(core(text))


@given(programs())
def test_laws_of_random_programs(program: Expr) -> None:
    check_laws(program)


def test_groups_of_random_references() -> None:
    """Two names share a group just if each reaches the other; a group follows those to which it refers."""
    draw = random.Random(2)
    for _ in range(100):
        count = draw.randint(1, 8)
        refers = {i: draw.sample(range(count), draw.randint(0, min(2, count))) for i in range(count)}
        text = "".join(f"(define (f{i}) (list {' '.join(f'f{j}' for j in refers[i])})) " for i in refers)
        found = [names for names, _ in groups(text + "f0")]
        reached = {i: reach(refers, i) for i in refers}
        place = {int(name[1:]): number for number, names in enumerate(found) for name in names}
        assert sorted(place) == list(range(count))
        for i in range(count):
            for j in range(count):
                assert (place[i] == place[j]) == (i == j or (j in reached[i] and i in reached[j]))
                assert j not in reached[i] or place[j] <= place[i]


def reach(refers: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    pending = list(refers[start])
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending.extend(refers[node])
    return found


def test_large_programs() -> None:
    chain = "".join(f"(define (f{i} x) (f{(i + 1) % 5000} x)) " for i in range(5_000)) + "f0"
    assert len(groups(chain)[0][0]) == 5_000
    ladder = (
        "(define (f0 x) x) " + "".join(f"(define (f{i} x) (f{i - 1} x)) " for i in range(1, 5_000)) + "f0"
    )
    assert len(groups(ladder)) == 5_000
    nested = "(lambda (x) " * 5_000 + "x" + ")" * 5_000
    expr, scopes = facts(nested)
    assert scopes.free(expr) == ()
