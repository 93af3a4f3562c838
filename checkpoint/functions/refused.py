"""What is refused in a Python function and in the functions that it reaches, found before anything runs.

In: a function, how it is called, the classes of its arguments. Out: the refusals, each with its place: the
py.refuse steps of the translated program, and the steps that use a hidden input, or a known function, that is
no value of a program. An object that travels further, through containers or calls, is met by a run alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.attributes import stored
from checkpoint.ad.entered import Entered
from checkpoint.ad.values import Unusable
from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError, Span
from checkpoint.functions.failures import users_places
from checkpoint.functions.pytrees import to_language
from checkpoint.lang.core import App, Const, Expr, Let, Letrec, Prim, Var
from checkpoint.lang.python.linking.late import code_of
from checkpoint.lang.python.linking.program import Linked, link
from checkpoint.lang.python.linking.shapes import Shape
from checkpoint.lang.python.source.mismatch import source_name
from checkpoint.lang.walk import preorder

MAX_JUDGED = 48  # functions of a large program that are judged, beside those that its first translation has

# The primitives that an object which is no value may be an operand of.
_HARMLESS = frozenset(
    f"py.{name}"
    for name in (
        *("is", "instance", "truth", "not", "callable", "eq", "ne", "callee", "call-primitive"),
        *("are-beside", "sums-of-parts"),
        *("tuple", "list", "record", "new", "dict", "set", "append", "insert", "set-attribute", "put-back"),
    )
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One use of Python that ends a run when it is reached.

    file, line, column: its place. what: what is refused. instead: what to write instead.
    """

    file: str
    line: int
    column: int
    what: str
    instead: str

    def __str__(self) -> str:
        """Return the refusal in one line."""
        return f"{self.file}:{self.line}:{self.column}: {self.what}: {self.instead}"


def refusals_in(f: Callable[..., Any], shape: Shape, classes: tuple[type, ...]) -> list[Refusal]:
    """Return what is refused in a function and in those that it reaches, in the order of the text."""
    try:
        linked = _linked(f, shape, classes)
    except SourceError as error:
        return [refusal_of(error, f)]
    found = {_refusal(message, span, f): None for message, span in _found(linked, f)}
    return sorted(found, key=lambda each: (each.file, each.line, each.column, each.what))


def _linked(f: Callable[..., Any], shape: Shape, classes: tuple[type, ...]) -> Linked:
    """Return the program of a function; of a large one with those that the fewest calls lead to."""
    linked = link(f, shape, classes)
    while linked.facts is not None and linked.facts.reached is not None:
        found, reached = _stubs(linked), linked.facts.reached
        if not found or len(found) + len(reached.keys) > MAX_JUDGED:
            break
        reached.keys |= found
        linked = link(f, shape, classes, linked.facts)
    return linked


def _stubs(linked: Linked) -> set[Hashable]:
    """Return the functions of a program that are not translated."""
    stubs = [
        expr.args[0] for expr in preorder(linked.thunk) if isinstance(expr, Prim) and expr.op == "py.stub"
    ]
    return {
        each.value.value.key for each in stubs if isinstance(each, Const) and isinstance(each.value, Native)
    }


def _found(linked: Linked, f: Callable[..., Any]) -> Iterator[tuple[str, Span]]:
    unusable, internal = _unusable_inputs(linked, f), _internal(linked)
    for expr in preorder(linked.thunk):
        if isinstance(expr, Let):
            made = _unusable(expr.value, unusable)
            if made is not None:
                unusable[expr.name] = made
        for message in _messages(expr, unusable, internal):
            if users_places([expr.span]):
                yield message, expr.span


def _internal(linked: Linked) -> set[str]:
    """Return the names of the functions that stand for Python's own, and call what they are given."""
    body = linked.thunk.body
    bindings = body.bindings if isinstance(body, Letrec) else ()
    return {name for name, lam in bindings if not users_places([lam.span]) and lam.name != "callable"}


def _messages(expr: Expr, unusable: dict[str, Unusable], internal: set[str]) -> Iterator[str]:
    """Yield why the step of an expression ends a run."""
    used: tuple[Expr, ...] = ()
    if isinstance(expr, Prim) and expr.op == "py.refuse":
        (message,) = expr.args
        yield str(message.value) if isinstance(message, Const) else ""
    elif isinstance(expr, Prim) and expr.op not in _HARMLESS:
        used = expr.args
    elif isinstance(expr, App):
        used = (expr.fn,)
        if isinstance(expr.fn, Var) and expr.fn.name in internal:
            used = tuple([each for each in expr.args if _is_function(each, unusable)])
    for each in used:
        held = _unusable(each, unusable)
        if held is not None:
            yield held.explain()


def _unusable(expr: Expr, unusable: dict[str, Unusable]) -> Unusable | None:
    """Return the object that an expression certainly is, if it is no value of a program."""
    if isinstance(expr, Const):
        return expr.value if type(expr.value) is Unusable else None
    if isinstance(expr, Prim) and expr.op == "py.callee":
        return _unusable(expr.args[0], unusable)
    return unusable.get(expr.name) if isinstance(expr, Var) else None


def _is_function(expr: Expr, unusable: dict[str, Unusable]) -> bool:
    held = _unusable(expr, unusable)
    return held is not None and callable(held.thing)


def _unusable_inputs(linked: Linked, f: Callable[..., Any]) -> dict[str, Unusable]:
    """Return, by their core variables, the hidden inputs that are no values of a program."""
    inputs = linked.inputs.read(f) or []
    found = {}
    for i, param in zip(linked.hidden, linked.thunk.params, strict=True):
        if inputs and i != linked.functions_input:
            value = to_language(inputs[i], source_name(param), _other, entered=Entered())
            if type(value) is Unusable:
                found[param] = value
    return found


def _other(thing: Any) -> Any:
    """Return a value for what is neither number nor container: functions are judged where they are called."""
    return None if callable(thing) else NotImplemented


def refusal_of(error: SourceError, f: Callable[..., Any]) -> Refusal:
    """Return the refusal in which a run of a function has ended."""
    return _refusal(error.message, error.span, f)


def _refusal(message: str, span: Span | None, f: Callable[..., Any]) -> Refusal:
    what, found, instead = message.partition(" cannot be differentiated: ")
    if not found:
        what, _, instead = message.partition(": ")
    if span is not None:
        return Refusal(span.source.name, span.line, span.column, what.rstrip(","), instead)
    code = code_of(f)
    file, line = stored(code, "co_filename") or stored(f, "__module__") or "", stored(code, "co_firstlineno")
    return Refusal(str(file), line or 0, 1, what.rstrip(","), instead)
