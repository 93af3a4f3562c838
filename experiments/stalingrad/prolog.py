"""A probabilistic Prolog in Python: how likely observed answers are, by its clauses' parameters.

A term is (name,) for a variable, (name, [term ...]) for a functor and its arguments; a clause is
(probability, head, [term that it needs ...]). A substitution is None, or a pair of a binding (name, term)
and the rest; FAILED where there is none. As tests/programs/probabilistic-prolog.vlad.
"""

from __future__ import annotations

from typing import Any

FAILED = False
OBSERVED = (0, 1, 2, 2)
Term = tuple[Any, ...]


def is_variable(term: Term) -> bool:
    return len(term) == 1


def renamed(term: Term, offset: int) -> Term:
    """Return a term with its variables' names above all that there are."""
    if is_variable(term):
        return (term[0] + offset,)
    return (term[0], [renamed(part, offset) for part in term[1]])


def applied(substitution: Any, term: Term) -> Term:
    if not is_variable(term):
        return (term[0], [applied(substitution, part) for part in term[1]])
    rest = substitution
    while rest is not None:
        (name, value), rest = rest
        if name == term[0]:
            return applied(substitution, value)
    return term


def occurs(name: int, term: Term) -> bool:
    if is_variable(term):
        return bool(term[0] == name)
    return any(occurs(name, part) for part in term[1])


def bind(name: int, term: Term, substitution: Any) -> Any:
    if is_variable(term) and term[0] == name:
        return substitution
    return FAILED if occurs(name, term) else ((name, term), substitution)


def unify(a: Term, b: Term, substitution: Any) -> Any:
    """Return a substitution that makes two terms equal, or FAILED."""
    a, b = applied(substitution, a), applied(substitution, b)
    if is_variable(a):
        return bind(a[0], b, substitution)
    if is_variable(b):
        return bind(b[0], a, substitution)
    if a[0] != b[0] or len(a[1]) != len(b[1]):
        return FAILED
    for part, other in zip(a[1], b[1], strict=True):
        substitution = unify(part, other, substitution)
        if substitution is FAILED:
            return FAILED
    return substitution


def proofs(clauses: Any, terms: list[Term], p: Any, substitution: Any, offset: int) -> list[Any]:
    """Return all proofs of terms, as pairs of a probability and a substitution."""
    if len(terms) == 0:
        return [(p, substitution)]
    found: list[Any] = []
    for q, head, needs in clauses:
        unified = unify(terms[0], renamed(head, offset), substitution)
        if unified is not FAILED:
            more = [renamed(term, offset) for term in needs] + terms[1:]
            found = found + proofs(clauses, more, p * q, unified, offset + 10)
    return found


def likelihood(parameters: list[Any]) -> Any:
    """Return how likely OBSERVED is; its maximum is at (1/4, 1/3).

    p(0) with p0, or p(X) for q(X); q(1) with p1, or q(2).
    """
    p0, p1 = parameters
    clauses: Any = (
        (p0, (20, [(0, [])]), []),
        (1.0 - p0, (20, [(0,)]), [(21, [(0,)])]),
        (p1, (21, [(1, [])]), []),
        (1.0 - p1, (21, [(2, [])]), []),
    )
    distribution = proofs(clauses, [(20, [(0,)])], 1.0, None, 10)
    product = 1.0
    for value in OBSERVED:
        total = 0.0
        for p, substitution in distribution:
            if applied(substitution, (0,))[0] == value:
                total = total + p
        product = product * total
    return product
