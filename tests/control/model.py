"""What programs with shift and reset mean: an abstract machine, over the core before they are replaced.

In: a text. Out: the value of a procedure of it at a value. The machine has its continuation as a list of
frames; a reset is a frame, a shift takes the frames up to one with its tag, and resuming puts them back under
a reset. So it shares nothing with the procedures that programs run, whose continuations are made where calls
return.

It knows reals, booleans, null, pairs, symbols, strings, references and sums, and no derivatives, capsules,
input or output.
Source: Felleisen & Flatt's machine of the CEK kind, with prompts as frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from checkpoint.ad.record import Data, OperandError, Scalar, lookup
from checkpoint.ad.values import Closure, Pair
from checkpoint.errors import Source
from checkpoint.lang.control import RESET, SHIFT
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.desugar import expanded
from checkpoint.prims import text_arities


class Failed(Exception):
    """The run failed: nobody handled what was raised, or a primitive's failure."""


@dataclass(frozen=True)
class Procedure:
    lam: Lambda
    env: dict[str, Any]


@dataclass(frozen=True)
class Frame:
    """What is done with a value, and the frames below. tag: of a reset. handler: of a handle."""

    then: Callable[[Any, Frame | None], Any]
    below: Frame | None
    tag: Any = None
    handler: Callable[[Any, Frame | None], Any] | None = None


@dataclass(frozen=True)
class Continuation:
    frames: tuple[Frame, ...]  # the innermost first
    tag: Any


def value_at(text: str, x: Any) -> Any:
    """Return the value of a text's procedure at x; Failed if the run fails."""
    _, program = expanded(Source("<model>", text), text_arities(), None)
    return run(lambda: evaluate(program, {}, Frame(lambda f, below: apply(f, (x,), below), None)))


def run(step: Any) -> Any:
    while callable(step):
        step = step()
    return step[0]


def give(value: Any, k: Frame | None) -> Any:
    """Return the next step: a frame's with a value, or the end."""
    return (value,) if k is None else lambda: k.then(value, k.below)


def throw(value: Any, k: Frame | None) -> Any:
    while k is not None and k.handler is None:
        k = k.below
    if k is None or k.handler is None:
        raise Failed
    return k.handler(value, k.below)


def apply(fn: Any, args: tuple[Any, ...], k: Frame | None) -> Any:
    if isinstance(fn, Continuation):
        if len(args) != 1:
            return throw("wrong call", k)
        k = Frame(give, k, tag=fn.tag)
        for frame in reversed(fn.frames):
            k = Frame(frame.then, k, frame.tag, frame.handler)
        return give(args[0], k)
    if not isinstance(fn, Procedure) or len(args) != len(fn.lam.params):
        return throw("wrong call", k)
    env = {**fn.env, **dict(zip(fn.lam.params, args, strict=True))}
    return lambda: evaluate(fn.lam.body, env, k)


def capture(tag: Any, receiver: Any, k: Frame | None) -> Any:
    frames, at = [], k
    while at is not None and not (at.tag is not None and same(at.tag, tag)):
        frames.append(at)
        at = at.below
    if at is None:
        return throw("no reset", k)
    return apply(receiver, (Continuation(tuple(frames), tag),), at)


def same(a: Any, b: Any) -> bool:
    return bool(lookup("eq?").value(a, b))  # type: ignore[attr-defined]


def evaluate(e: Expr, env: dict[str, Any], k: Frame | None) -> Any:
    match e:
        case Const():
            return give(e.value, k)
        case Var():
            return give(env[e.name], k)
        case Lambda():
            return give(Procedure(e, env), k)
        case App():
            return operands((e.fn, *e.args), env, k, lambda got, k: apply(got[0], got[1:], k))
        case If():
            return evaluate(e.test, env, Frame(lambda test, k: branch(e, test, env, k), k))
        case Let():
            bound = Frame(lambda v, k: lambda: evaluate(e.body, {**env, e.name: v}, k), k)
            return evaluate(e.value, env, bound)
        case Letrec():
            inner = dict(env)
            inner.update({name: Procedure(lam, inner) for name, lam in e.bindings})
            return evaluate(e.body, inner, k)
        case Raise():
            return evaluate(e.value, env, Frame(throw, k))
        case Handle():
            return evaluate(e.body, env, Frame(give, k, handler=lambda v, k: handled(e, v, env, k)))
        case Prim() if e.op == RESET:
            return operands(e.args, env, k, lambda got, k: apply(got[1], (), Frame(give, k, tag=got[0])))
        case Prim() if e.op == SHIFT:
            return operands(e.args, env, k, lambda got, k: capture(got[0], got[1], k))
        case Prim():
            return operands(e.args, env, k, lambda got, k: primitive(e.op, got, k))
    raise TypeError(e)


def handled(e: Handle, value: Any, env: dict[str, Any], k: Frame | None) -> Any:
    return lambda: evaluate(e.handler, {**env, e.name: value}, k)


def branch(e: If, test: Any, env: dict[str, Any], k: Frame | None) -> Any:
    if type(test) is not bool:
        return throw("no boolean", k)
    return lambda: evaluate(e.then if test else e.other, env, k)


def operands(
    exprs: tuple[Expr, ...], env: dict[str, Any], k: Frame | None, then: Callable[[tuple[Any, ...], Any], Any]
) -> Any:
    def after(got: tuple[Any, ...], k: Frame | None) -> Any:
        if len(got) == len(exprs):
            return then(got, k)
        frame = Frame(lambda v, below: lambda: after((*got, v), below), k)
        return lambda: evaluate(exprs[len(got)], env, frame)

    return after((), k)


def assigned(r: list[Any], v: Any) -> list[Any]:
    r[0] = v
    return r


STORE: dict[str, Callable[..., Any]] = {
    "procedure?": lambda v: isinstance(v, Procedure | Continuation),
    "ref": lambda v: [v],
    "!": lambda r: r[0],
    ":=": assigned,
    "tag-of": lambda v: v.items[0],
    "untagged": lambda v: v.items[1],
}


def primitive(op: str, got: tuple[Any, ...], k: Frame | None) -> Any:
    record = lookup(op)
    if op in STORE:
        return give(STORE[op](*got), k)
    assert isinstance(record, Scalar | Data), op
    try:
        if isinstance(record, Scalar) and not all(type(v) is float for v in got):
            raise OperandError
        return give(record.value(*got), k)
    except record.failures:
        return throw("failure", k)


def plain(value: Any) -> Any:
    """Return a value with nothing of a machine in it, to be compared."""
    if isinstance(value, Procedure | Continuation | Closure):
        return "procedure"
    if type(value) is Pair:
        return (plain(value.car), plain(value.cdr))
    return value
