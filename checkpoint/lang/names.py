"""Names: keywords, what primitives are called in a text, and which binder a name means.

Two kinds of name exist. A *surface* name is what a user wrote. While a text is desugared each binder
has an *internal* name, the surface name, a space and something unique ("x 17"), so that no scope
question is left in the expressions; rename.py ends this and gives readable unique names.

A primitive's core name is also its surface name, except that one-operand `-` is the primitive "neg"
and two-operand `atan` is "atan2".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from checkpoint.lang.tensors import TENSORS

# Each keyword, and how its form is written.
KEYWORDS: Mapping[str, str] = {
    "define": "(define name value) or (define (name parameter ...) body)",
    "include": '(include "file")',
    "lambda": "(lambda (parameter ...) body)",
    "let": "(let ((name value) ...) body)",
    "let*": "(let* ((name value) ...) body)",
    "letrec": "(letrec ((name (lambda (parameter ...) body)) ...) body)",
    "if": "(if test then else)",
    "cond": "(cond (test value) ... (else value))",
    "else": "(cond (test value) ... (else value))",
    "and": "(and test ...)",
    "or": "(or test ...)",
    "list": "(list value ...)",
    "cons*": "(cons* value ... list)",
    "quote": "(quote datum)",
    "raise": "(raise value)",
    "handle": "(handle body (name) handler)",
}

# Keywords that act on a whole text; these cannot be bound.
TOP_LEVEL = frozenset({"define", "include"})

# What Scheme has and this language has not, and what to write instead.
ABSENT: Mapping[str, str] = {
    "begin": "there is no mutation, so only the last value would matter; write (let ((name value)) body)",
    "set!": "there is no mutation; bind the new value with let, or pass it to a named let",
    "do": "write a named let: (let loop ((i 0)) (if (= i n) result (loop (+ i 1))))",
    "when": "an if has both branches; write (if test then else)",
    "unless": "an if has both branches; write (if test then else)",
    "case": "write (cond ((= x 1) value) ... (else value))",
    "letrec*": "write letrec",
    "named-lambda": "write lambda",
    "equal?": "compare reals with =, and symbols and booleans with eq?",
    "eqv?": "compare reals with =, and symbols and booleans with eq?",
    "apply": "a procedure takes a fixed number of arguments; write (f a b)",
}

_SURFACE = {"neg": "-", "atan2": "atan"}
_BY_OPERANDS = {("-", 1): "neg", ("atan", 2): "atan2"}
_AS_VALUE = {"atan": "atan2"}


def surface(op: str) -> str:
    """What a text calls a primitive."""
    return _SURFACE.get(op, op)


def is_primitive(name: str, arities: Mapping[str, int]) -> bool:
    """Whether a surface name is that of a primitive."""
    return name in arities and name not in _SURFACE


def operation(name: str, operands: int) -> str:
    """The primitive that a surface name means before so many operands."""
    return _BY_OPERANDS.get((name, operands), name)


def operation_as_value(name: str) -> str:
    """The primitive that a surface name means where it is no operator."""
    return _AS_VALUE.get(name, name)


def is_reserved(name: str, arities: Mapping[str, int], used: Collection[str]) -> bool:
    """Whether no binder of a core program may have this name, so that it prints and reads back.

    used: the primitives that the program uses; only these reserve the names of functions of tensors.
    """
    return name in KEYWORDS or (name in arities and (name not in TENSORS or name in used))


def internal(name: str, unique: object) -> str:
    return f"{name} {unique}"


def base(name: str) -> str:
    """The surface name in an internal name."""
    return name.split(" ", 1)[0]


class Scope:
    """What each surface name in scope means: the internal name of its innermost binder."""

    def __init__(self) -> None:
        self._meanings: dict[str, list[str]] = {}

    def enter(self, bound: Iterable[tuple[str, str]]) -> None:
        for name, meaning in bound:
            self._meanings.setdefault(name, []).append(meaning)

    def leave(self, bound: Iterable[tuple[str, str]]) -> None:
        for name, _ in bound:
            meanings = self._meanings[name]
            meanings.pop()
            if not meanings:
                del self._meanings[name]

    def lookup(self, name: str) -> str | None:
        meanings = self._meanings.get(name)
        return meanings[-1] if meanings else None

    def names(self) -> Iterable[str]:
        return self._meanings.keys()
