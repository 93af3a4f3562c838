"""The checkers of ownership and of adjoints refuse each kind of wrong table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps.check_adjoint import check_adjoint
from checkpoint.cps.check_ownership import check_ownership
from checkpoint.cps.ownership import Ownership, Uses, ownership
from checkpoint.errors import InternalError
from tests.cps.support import compiled, procedure_of

OWNED = """
(define (main x unused)
  (handle (if (< x 1) (cons x (* x x)) (let ((dead (+ x 1))) (car (cons x x)))) (e) (cons e x)))
main
"""

Change = Callable[[Ownership], Ownership]


def with_uses(index: int, **fields: Any) -> Change:
    """Return a change that replaces the uses of one step."""

    def change(owned: Ownership) -> Ownership:
        steps = list(owned.steps)
        steps[index] = replace(steps[index], **fields)
        return replace(owned, steps=tuple(steps))

    return change


def with_edge(index: int, **fields: Any) -> Change:
    """Return a change that replaces an edge."""

    def change(owned: Ownership) -> Ownership:
        edges = list(owned.edges)
        edges[index] = replace(edges[index], **fields)
        return replace(owned, edges=tuple(edges))

    return change


# A block of `main`, a change of its table, and the message of the checker.
OWNERSHIP: dict[str, tuple[str, Change, str]] = {
    "a dead parameter is kept": ("entry", lambda o: replace(o, head=()), "unused is never consumed"),
    "a parameter is dropped twice": (
        "entry",
        lambda o: replace(o, head=(*o.head, *o.head)),
        "head: drops unused, which is not held",
    ),
    "a step is missing": ("body", lambda o: replace(o, steps=o.steps[1:]), "has 3 steps, and 2 in its table"),
    "an operand is forgotten": ("body", with_uses(2, duplicated=()), "neither moved nor duplicated"),
    "an operand is moved and needed": (
        "body",
        with_uses(2, duplicated=(), moved=(0,)),
        "step 2: holds .*, where .* is live",
    ),
    "an operand is moved twice": (
        "then",
        with_uses(3, duplicated=(), moved=(0, 1)),
        "step 3: moves x, which is not held",
    ),
    "a dead result is kept": ("else", with_uses(3, dropped=()), "step 3: holds dead"),
    "a live slot is dropped": ("else", with_uses(3, dropped=("dead", "x")), "step 3: holds"),
    "an edge keeps a slot": ("body", with_edge(1, dropped=()), "is never consumed on the way to else"),
    "an edge moves too little": ("body", with_edge(0, moved=()), "hands then2 other slots than x"),
    "an edge drops what it moves": ("body", with_edge(0, dropped=("x",)), "drops x, which is not held"),
    "an edge leads elsewhere": ("body", with_edge(0, label="entry"), "the edges are not those"),
    "a frame's slot is not duplicated": (
        "entry",
        with_edge(1, duplicated=(), moved=("x",)),
        "moves x, which",
    ),
    "an edge duplicates what is not there": (
        "body",
        with_edge(0, duplicated=("e",)),
        "which nothing has moved",
    ),
    "an end's operand is kept": (
        "leave",
        lambda o: replace(o, end=Uses(duplicated=(0,))),
        "is never consumed at the end",
    ),
}


def found(procedure: b.Procedure, hint: str) -> str:
    """Return the label of a block of `main` that fits a hint."""
    install = next(block for block in procedure.blocks.values() if isinstance(block.end, b.Install))
    assert isinstance(install.end, b.Install)
    body = procedure.blocks[install.end.body]
    assert isinstance(body.end, b.Branch)
    return {
        "entry": procedure.entry,
        "body": body.label,
        "then": body.end.then,
        "else": body.end.other,
        "leave": install.end.leave,
    }[hint]


@pytest.mark.parametrize(("hint", "change", "message"), OWNERSHIP.values(), ids=OWNERSHIP)
def test_ownership(hint: str, change: Change, message: str) -> None:
    procedure = procedure_of(compiled(OWNED), "main")
    table = ownership(procedure)
    check_ownership(procedure, table)
    label = found(procedure, hint)
    with pytest.raises(InternalError, match=message):
        check_ownership(procedure, {**table, label: change(table[label])})


def test_ownership_is_of_every_block() -> None:
    procedure = procedure_of(compiled(OWNED), "main")
    with pytest.raises(InternalError, match="is not that of its blocks"):
        check_ownership(procedure, {})


DIFFERENTIATED = """
(define (main f a p)
  (let ((y (* a (sin (car p)))))
    (f (cons (write-real y) (lambda (z) (+ z a))) (cdr (*j f a 1)))))
main
"""

Changed = Callable[[a.Adjoint], a.Adjoint]


def with_action(kind: type, **fields: Any) -> Changed:
    """Return a change of fields of the first action of a kind."""

    def change(adjoint: a.Adjoint) -> a.Adjoint:
        entries = []
        done = False
        for index, actions in adjoint.actions:
            new = []
            for action in actions:
                hit = not done and isinstance(action, kind)
                done = done or hit
                changed: Any = replace(action, **fields) if hit else action
                new.append(changed)
            entries.append((index, tuple(new)))
        return replace(adjoint, actions=tuple(entries))

    return change


# A kind of action or end that a block has, a change of its adjoint, and the message of the checker.
ADJOINTS: dict[str, tuple[type, Changed, str]] = {
    "the order is that of the run": (
        a.Scale,
        lambda o: replace(o, actions=o.actions[::-1]),
        "is reversed after step",
    ),
    "an action is lost": (
        a.Scale,
        lambda o: replace(o, actions=o.actions[1:]),
        "contributes nothing, and should",
    ),
    "an entry is empty": (
        a.Scale,
        lambda o: replace(o, actions=((o.actions[0][0], ()), *o.actions[1:])),
        "has no action, and an entry",
    ),
    "a value is not recorded": (a.Scale, lambda o: replace(o, values=()), "needs the value of"),
    "a birth is not recorded": (a.Give, lambda o: replace(o, births=()), "needs the birth of p"),
    "the called environment's birth is not recorded": (
        b.Call,
        lambda o: replace(o, births=tuple([name for name in o.births if name != "f"])),
        "the birth of the called environment is not recorded",
    ),
    "a record is of no slot": (a.Scale, lambda o: replace(o, values=("nobody",)), "nobody is recorded"),
    "an action names no slot": (a.Add, with_action(a.Add, target="nobody"), "names nobody, which is no slot"),
    "operands are in another order": (a.Scale, with_action(a.Scale, targets=(0, 1)), "and should"),
    "an operand is none": (a.Scale, with_action(a.Scale, targets=(2,)), "has no operand 2"),
    "a partial is missing": (a.Scale, with_action(a.Scale, targets=()), "and should"),
    "a field is another": (a.Give, with_action(a.Give, field=1), "and should"),
    "a result is another": (a.Scale, with_action(a.Scale, source="a"), "and should"),
}


def has(block: b.Block, kind: type) -> bool:
    """Return whether a block has such an end, or its adjoint such an action."""
    every = [action for _, actions in a.adjoint(block).actions for action in actions]
    return isinstance(block.end, kind) or any(isinstance(action, kind) for action in every)


@pytest.mark.parametrize(("kind", "change", "message"), ADJOINTS.values(), ids=ADJOINTS)
def test_adjoint(kind: type, change: Changed, message: str) -> None:
    procedure = procedure_of(compiled(DIFFERENTIATED), "main")
    block = next(block for block in procedure.blocks.values() if has(block, kind))
    adjoint = a.adjoint(block)
    check_adjoint(procedure, block, adjoint)
    with pytest.raises(InternalError, match=message):
        check_adjoint(procedure, block, change(adjoint))
