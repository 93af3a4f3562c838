"""The block language: first-order procedures, made of basic blocks with parameters.

    block  ::= block label (x ... | x ...) s ... e            explicit parameters | by name
    s      ::= (read a) | (x (copy a)) | (x (p a ...))        as in checkpoint.cps.terms
             | (x (close lambda x ...))                       a closure that captures x ...
             | (x (member lambda [env]))                      a closure of a letrec's member
             | (letrec g ...)                                 one g for each group that captures
    g      ::= (x (env x ...)) | ((x' x) ...)                 an environment, or copies for loops
    e      ::= (jump label a ...)                             no step
             | (enter label a ...)                            one step: a call that became a jump
             | (branch a label label)                         one step
             | (call a a ... [label])                         one step; without [label] a tail call
             | (control p a ... [label])                      one step: j*, resume
             | (return a)                                     no step
             | (raise a)                                      one step
             | (install label label label)                    one step: body, leave, handler

`checkpoint show --pass closures` and `--pass blocks` print this language; show_blocks.py explains the columns
of the step table.

A *slot* is a name within one procedure. It holds one value at a time, and each slot is a location of its own.
A *point* is (block, step): the moment before that step of the block.

After the pass `closures` a block has explicit parameters only: those for which the ends that lead to it give
arguments. After the pass `blocks` (checkpoint.cps.lower) its parameters are all slots that are live at its
head, in a fixed order. Then:
- jumps and branches pass every parameter of their target: explicit arguments first, the others by name;
- a block that a frame returns to has the returned value as its first parameter, and the frame holds the
  others; `leave` and `handler` of one `install` have the same others;
- the parameters of the entry are the captures, the group's own environment (if used) and the parameters of
  the lambda, all of them;
- `live[i]` are the slots that are live at point i; the step table is the steps with their spans and `live`;
- a step that runs programs or has an effect, and an end that is not a jump, branch, call or return, is alone
  in its block; an update is the last step of its block, which ends with a jump.
"""

from __future__ import annotations

from dataclasses import field

from checkpoint.cps.terms import Operand, Step
from checkpoint.dataclass import dataclass
from checkpoint.errors import Span
from checkpoint.lang import core

Slots = tuple[str, ...]
LOOP = "loop."  # the labels of the blocks where turns of loops begin start so


@dataclass(slots=True, eq=False, repr=False)
class MakeClosure(Step):
    name: str
    lam: core.Lambda
    captures: Slots


@dataclass(slots=True, eq=False, repr=False)
class MakeMember(Step):
    name: str
    lam: core.Lambda
    env: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MakeEnvironment:
    """The environment of a group, in the slot `name`, made of copies of `captures`."""

    name: str
    captures: Slots


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CopyCaptures:
    """The captures of a group that became loops, as pairs of a new slot and the slot that is copied."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(slots=True, eq=False, repr=False)
class Letrec(Step):
    """The step of a letrec: for each of its groups the environment or copies that it makes, in order."""

    groups: tuple[MakeEnvironment | CopyCaptures, ...]


@dataclass(slots=True, eq=False, repr=False)
class End:
    """The end of a block. span: None where the end is no step."""

    span: Span | None = field(repr=False)


@dataclass(slots=True, eq=False, repr=False)
class Jump(End):
    label: str
    args: tuple[Operand, ...]


@dataclass(slots=True, eq=False, repr=False)
class Enter(End):
    label: str
    args: tuple[Operand, ...]


@dataclass(slots=True, eq=False, repr=False)
class Branch(End):
    test: Operand
    then: str
    other: str


@dataclass(slots=True, eq=False, repr=False)
class Call(End):
    fn: Operand
    args: tuple[Operand, ...]
    ret: str | None


@dataclass(slots=True, eq=False, repr=False)
class Control(End):
    op: str
    args: tuple[Operand, ...]
    ret: str | None


@dataclass(slots=True, eq=False, repr=False)
class Return(End):
    operand: Operand


@dataclass(slots=True, eq=False, repr=False)
class Throw(End):
    operand: Operand


@dataclass(slots=True, eq=False, repr=False)
class Install(End):
    body: str
    leave: str
    handler: str


@dataclass(slots=True, eq=False, repr=False)
class Block:
    """A basic block.

    explicit: the number of explicit parameters, which come first.
    """

    label: str
    params: Slots
    steps: list[Step]
    end: End
    explicit: int = 0
    live: list[Slots] = field(default_factory=list)

    @property
    def cost(self) -> int:
        """Return the number of steps that the whole block takes."""
        return len(self.steps) + (self.end.span is not None)


@dataclass(slots=True, eq=False, repr=False)
class Procedure:
    """The code of one lambda.

    env: the slot of the environment of its group, if its code uses that.
    """

    name: str
    lam: core.Lambda
    captures: Slots
    env: str | None
    entry: str
    blocks: dict[str, Block]


def targets(end: End) -> Slots:
    """Return the labels that an end names, in a fixed order."""
    match end:
        case Jump() | Enter():
            return (end.label,)
        case Branch():
            return (end.then, end.other)
        case Call() | Control():
            return () if end.ret is None else (end.ret,)
        case Install():
            return (end.body, end.leave, end.handler)
    return ()


def operands_of_end(end: End) -> tuple[Operand, ...]:
    """Return the operands that an end itself reads."""
    match end:
        case Jump() | Enter():
            return end.args
        case Branch():
            return (end.test,)
        case Call():
            return (end.fn, *end.args)
        case Control():
            return end.args
        case Return() | Throw():
            return (end.operand,)
    return ()
