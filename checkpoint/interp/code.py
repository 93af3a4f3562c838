"""The code of the reference engine: resolved core expressions, each with the work of its step.

Each class implements one form of the core. Variables are slots of the environment, a tuple; where a frame is
pushed, a `Projection` reduces the environment to what the rest of the frame can use. An *atom* is ready as
soon as it begins; a compound form waits in a frame for its operands, from the left, and is ready when it has
them. Whatever makes a location makes a new number object (`fresh`).

checkpoint.interp.resolve builds this code from the core; checkpoint.interp.primitives has the code of
primitives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.numbers import fresh
from checkpoint.ad.record import OperandError, WrongCall
from checkpoint.ad.tangent import split
from checkpoint.ad.tracing.traces import branched
from checkpoint.ad.values import Closure, Environment, Pair
from checkpoint.driver.raised import SHOWN_OF_OPERAND, Raised, failure
from checkpoint.errors import Span
from checkpoint.interp.machine import Code, Frame, Machine, State
from checkpoint.lang.printer import write_value
from checkpoint.prims.arrays import truth_of

Env = tuple[Any, ...]
Projection = Callable[[Env], Env]


def begin(code: Any, env: Env, next: Frame | None) -> Frame:
    """Begin an expression: push the frames of compound forms down to the first ready one, and return it."""
    while code.operands:
        next = Frame(code, (), code.keep[0](env), next)
        code = code.operands[0]
    frame: Frame = code.ready(env, next)
    return frame


class Atom(Code):
    """A constant, a variable, or a reference to a procedure of a letrec: ready at once."""

    __slots__ = ("read",)

    def __init__(self, read: Callable[[Env], Any], span: Span) -> None:
        self.read = read
        super().__init__(span)

    def ready(self, env: Env, next: Frame | None) -> Frame:
        return Frame(self, (self.read(env),), (), next)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        return machine.deliver(frame.values[0], frame.next)


class Copy(Atom):
    """A variable that is the value of a body or branch, copied into a location of its own."""

    __slots__ = ()

    def step(self, machine: Machine, frame: Frame) -> Frame:
        return machine.deliver(fresh(frame.values[0]), frame.next)


class MakeClosure(Code):
    """A lambda. capture: takes what the body uses from the environment."""

    __slots__ = ("capture", "lam")

    def __init__(self, lam: Any, capture: Projection, span: Span) -> None:
        self.lam = lam
        self.capture = capture
        super().__init__(span)

    def ready(self, env: Env, next: Frame | None) -> Frame:
        return Frame(self, (), self.capture(env), next)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        return machine.deliver(Closure(self.lam, Environment(tuple(map(fresh, frame.env)))), frame.next)


class Compound(Code):
    """A form with operands. keep[i] reduces the environment to what is used after operand i."""

    __slots__ = ("keep", "operands")

    def __init__(self, operands: tuple[Any, ...], keep: tuple[Projection, ...], span: Span) -> None:
        self.operands = operands
        self.keep = keep
        super().__init__(span)

    def ready(self, env: Env, next: Frame | None) -> Frame:
        """Return the ready frame of a form without operands, such as `(read-real)`."""
        return Frame(self, (), (), next)

    def accept(self, machine: Machine, value: Any, frame: Frame) -> Frame:
        values = (*frame.values, value)
        position = len(values)
        if position == len(self.operands):
            return Frame(self, values, frame.env, frame.next)
        waiting = Frame(self, values, self.keep[position](frame.env), frame.next)
        return begin(self.operands[position], frame.env, waiting)


class Call(Compound):
    """An application; its operands are the procedure and the arguments."""

    __slots__ = ()

    def step(self, machine: Machine, frame: Frame) -> Frame:
        procedure, *arguments = frame.values
        next = frame.next
        if type(procedure) is Closure and procedure.lam.shown:
            if next is not None:
                next = next.waiting_for(self.span)
            if machine.calls is not None and machine.calls.are_of(procedure.lam):
                machine.last = machine.steps
        try:
            return call(procedure, tuple(arguments), next)
        except OperandError as exception:
            name = write_value(procedure, limit=SHOWN_OF_OPERAND)
            raise failure(name, tuple(arguments), exception, self.span) from None


class Branch(Compound):
    """An `if`; its branches run in the environment that `keep[0]` leaves."""

    __slots__ = ("other", "then")

    def __init__(self, test: Any, keep: Projection, then: Any, other: Any, span: Span) -> None:
        super().__init__((test,), (keep,), span)
        self.then = then
        self.other = other

    def step(self, machine: Machine, frame: Frame) -> Frame:
        test = frame.values[0]
        if type(test) is not bool:
            test = branched(test, truth_of(machine, test, self.span))
        if test is True:
            return begin(self.then, frame.env, frame.next)
        return begin(self.other, frame.env, frame.next)


class Bind(Compound):
    """A `let`; the bound variable is the last slot that the body sees, if the body uses it.

    of_lanes: where the environment of its body says something of lanes (checkpoint.lang.lanes.positions).
    """

    __slots__ = ("body", "of_lanes", "used")

    def __init__(
        self,
        value: Any,
        keep: Projection,
        body: Any,
        used: bool,
        span: Span,
        of_lanes: tuple[int, int] = (-1, -1),
    ) -> None:
        super().__init__((value,), (keep,), span)
        self.body = body
        self.used = used
        self.of_lanes = of_lanes

    def step(self, machine: Machine, frame: Frame) -> Frame:
        env = (*frame.env, fresh(frame.values[0])) if self.used else frame.env
        return begin(self.body, env, frame.next)


class BindGroups(Code):
    """A `letrec`: one environment for each group of lambdas that needs one, in order of dependence."""

    __slots__ = ("body", "captures", "keep")

    def __init__(self, keep: Projection, captures: tuple[Projection, ...], body: Any, span: Span) -> None:
        self.keep = keep
        self.captures = captures
        self.body = body
        super().__init__(span)

    def ready(self, env: Env, next: Frame | None) -> Frame:
        return Frame(self, (), self.keep(env), next)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        env = frame.env
        for capture in self.captures:
            env = (*env, Environment(tuple(map(fresh, capture(env)))))
        return begin(self.body, env, frame.next)


class Throw(Compound):
    """A `raise`."""

    __slots__ = ()

    def step(self, machine: Machine, frame: Frame) -> Frame:
        raise Raised(frame.values[0], self.span)


class Install(Code):
    """A `handle`: its step pushes the frame of the handler and begins the body with copies."""

    __slots__ = ("body", "handler", "keep", "keep_handler")

    def __init__(
        self, keep: Projection, body: Any, keep_handler: Projection, handler: Handler, span: Span
    ) -> None:
        self.keep = keep
        self.body = body
        self.keep_handler = keep_handler
        self.handler = handler
        super().__init__(span)

    def ready(self, env: Env, next: Frame | None) -> Frame:
        return Frame(self, (), self.keep(env), next)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        handler = Frame(self.handler, (), self.keep_handler(frame.env), frame.next)
        return begin(self.body, tuple(map(fresh, frame.env)), handler)


class Handler(Code):
    """The frame that a raise unwinds to. When ready, it binds what was raised and runs the handler."""

    __slots__ = ("body", "span", "used")

    def __init__(self, body: Any, used: bool, span: Span) -> None:
        self.body = body
        self.used = used
        super().__init__(span)

    def accept(self, machine: Machine, value: Any, frame: Frame) -> Frame:
        return machine.deliver(value, frame.next)

    def handler_frame(self, raised: Any, frame: Frame) -> Frame:
        return Frame(self, (raised,), frame.env, frame.next)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        env = (*frame.env, fresh(frame.values[0])) if self.used else frame.env
        return begin(self.body, env, frame.next)


class LeaveTag(Code):
    """The exit of `j*`: splits the value under its tag."""

    __slots__ = ()

    def frame(self, tag: int, next: Frame | None) -> Frame:
        return Frame(self, (tag,), (), next)

    def accept(self, machine: Machine, value: Any, frame: Frame) -> Frame:
        return Frame(self, (*frame.values, value), (), frame.next)

    def step(self, machine: Machine, frame: Frame) -> Frame:
        tag, value = frame.values
        return machine.deliver(Pair(*split(value, tag)), frame.next)

    def without_tag(self, raised: Any, frame: Frame) -> Any:
        """Return a value that is raised through this frame without its tangents under the tag."""
        return split(raised, frame.values[0])[0]


def open_tags(state: State) -> frozenset[int]:
    """Return the tags of the derivatives that the rest of a run will leave."""
    tags = set()
    frame: Frame | None = state.frame
    while frame is not None:
        if isinstance(frame.code, LeaveTag):
            tags.add(frame.values[0])
        frame = frame.next
    return frozenset(tags)


class Body:
    """The body of a lambda, which is resolved at its first call.

    resolve: returns whether it sees its group's own environment, too, and what runs. code: what runs; None
    before the first call.
    """

    __slots__ = ("arity", "code", "recursive", "_resolve")

    def __init__(self, arity: int, resolve: Callable[[], tuple[bool, Any]]) -> None:
        self.arity = arity
        self.recursive = False
        self.code: Any = None
        self._resolve: Callable[[], tuple[bool, Any]] | None = resolve

    def resolved(self) -> Any:
        """Return what runs, resolved now unless another thread has just done so."""
        resolve = self._resolve
        if resolve is not None:
            self.recursive, self.code = resolve()  # the code last: other threads look at it
            self._resolve = None
        return self.code


def call(procedure: Any, arguments: tuple[Any, ...], next: Frame | None) -> Frame:
    """Bind copies of the captures and of the arguments, and begin the body."""
    if type(procedure) is not Closure:
        raise WrongCall(procedure, len(arguments))
    body: Body = procedure.lam.compiled["interp"]
    if len(arguments) != body.arity:
        raise WrongCall(procedure, len(arguments), body.arity)
    resolved = body.resolved() if body.code is None else body.code
    env = tuple(map(fresh, procedure.env.values))
    if body.recursive:
        env = (*env, procedure.env)
    return begin(resolved, env + tuple(map(fresh, arguments)), next)


class Entry(Code):
    """The start of a run, before its first step: the call of a procedure by nobody."""

    __slots__ = ()

    def frame(self, procedure: Any, argument: Any, next: Frame | None) -> Frame:
        return Frame(self, (procedure, argument), (), next)

    def call(self, frame: Frame) -> Frame:
        procedure, argument = frame.values
        return call(procedure, (argument,), frame.next)
