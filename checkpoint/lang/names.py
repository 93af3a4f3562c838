"""Names: keywords, the surface names of primitives, and the binder that a name denotes.

There are two kinds of names. A *surface* name is one that a user wrote. While a text is desugared each binder
has an *internal* name, the surface name, a space and something unique ("x 17"), so that expressions raise no
question of scope; rename.py then assigns readable unique names.

A primitive's core name is also its surface name, except that one-operand `-` is the primitive "neg" and
two-operand `atan` is "atan2".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from checkpoint.lang.tensors import TENSORS

# Each keyword with its form.
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
    "begin": "(begin expression ... expression)",
    "case": "(case value ((inl name) body) ((inr name) body))",
    "raise": "(raise value)",
    "handle": "(handle body (name) handler)",
    "reset": "(reset expression)",
    "reset-at": "(reset-at tag expression)",
    "shift": "(shift k expression)",
    "shift-at": "(shift-at tag k expression)",
}

# Keywords that apply to a whole text; they cannot be bound.
TOP_LEVEL = frozenset({"define", "include"})

# Names of Scheme that this language lacks, with what to write instead.
ABSENT: Mapping[str, str] = {
    "set!": "a variable does not change; bind the new value with let, or assign to a reference: (:= r value)",
    "do": "write a named let: (let loop ((i 0)) (if (= i n) result (loop (+ i 1))))",
    "when": "an if has both branches; write (if test then else)",
    "unless": "an if has both branches; write (if test then else)",
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
    """Return the name of a primitive in a text."""
    return _SURFACE.get(op, op)


def is_primitive(name: str, arities: Mapping[str, int]) -> bool:
    """Return whether a surface name denotes a primitive."""
    return name in arities and name not in _SURFACE


def operation(name: str, operands: int) -> str:
    """Return the primitive that a surface name denotes before so many operands."""
    return _BY_OPERANDS.get((name, operands), name)


def operation_as_value(name: str) -> str:
    """Return the primitive that a surface name denotes where it is not applied."""
    return _AS_VALUE.get(name, name)


def is_reserved(name: str, arities: Mapping[str, int], used: Collection[str]) -> bool:
    """Return whether no binder may have this name, so that the printed program reads back.

    used: the primitives that the program uses; only these reserve the names of functions of tensors.
    """
    return name in KEYWORDS or (name in arities and (name not in TENSORS or name in used))


def internal(name: str, unique: object) -> str:
    return f"{name} {unique}"


def base(name: str) -> str:
    """Return the surface name in an internal name."""
    return name.split(" ", 1)[0]


class Scope:
    """The names in scope, each with the internal name of its innermost binder."""

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
