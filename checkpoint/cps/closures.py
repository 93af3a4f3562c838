"""Closure conversion: from CPS to procedures of labelled blocks; calls of loops become jumps.

In: a program in CPS, its Scopes and its loops. Out: procedures (checkpoint.cps.blocks) without nesting: a
closure names its lambda and the slots that it captures, and a loop is a block of its procedure.

Captures are those of lang/closures.py. A group that became loops has no environment. Its captures are copied
once, at the step of the letrec, into slots of their own; each entry into a loop copies these into the slots
that the code of the loop uses, as a call copies the slots of a closure's environment.
"""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.contify import Loops
from checkpoint.dataclass import dataclass
from checkpoint.lang.closures import Group, Scopes

Renaming = dict[str, str]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Todo:
    """A term that is to become the block `label`, with the slot of each of its variables."""

    label: str
    params: b.Slots
    term: t.Term
    names: Renaming


def close(program: t.Function, scopes: Scopes, loops: Loops) -> list[b.Procedure]:
    """Return the procedures of a program, the program itself first, without those that are separate."""
    procedures = []
    pending = [program]
    while pending:
        function = pending.pop()
        if not function.is_separate:
            closer = Closer(function, scopes, loops)
            procedures.append(closer.procedure())
            pending.extend(closer.inner)
    return procedures


class Closer:
    """The conversion of one function and of the loops that it hosts."""

    def __init__(self, function: t.Function, scopes: Scopes, loops: Loops) -> None:
        self.function = function
        self.scopes = scopes
        self.loops = loops
        self.inner: list[t.Function] = []
        self.blocks: dict[str, b.Block] = {}
        self.pending: list[Todo] = []
        self.frames: set[str] = {function.k}  # the continuations that are the frame on top
        self.sources: dict[str, b.Slots] = {}  # copies of a loop's captures, made at the step of its letrec
        self.called: dict[str, str] = {}  # for a temporary, the loop that it names
        self.copies = 0

    def procedure(self) -> b.Procedure:
        lam = self.function.lam
        captures = self.scopes.captures(lam)
        group = self.scopes.group_of_lambda(lam)
        env = group.env if group is not None and group.env in self.scopes.free(lam) else None
        params = (*captures, *([env] if env else []), *lam.params)
        self.pending.append(Todo("entry", params, self.function.term, {}))
        while self.pending:
            todo = self.pending.pop()
            steps: list[t.Step] = []
            for step in todo.term.steps:
                self.step(step, todo.names, steps)
            end = self.end(todo.term.end, todo.names)
            self.blocks[todo.label] = b.Block(todo.label, todo.params, steps, end, len(todo.params))
        name = lam.name or "lambda"
        return b.Procedure(name, lam, captures, env, "entry", self.blocks)

    def step(self, step: t.Step, names: Renaming, out: list[t.Step]) -> None:
        match step:
            case t.Read():
                out.append(t.Read(step.span, rename(step.operand, names)))
            case t.Copy():
                out.append(t.Copy(step.span, step.name, rename(step.operand, names)))
            case t.Compute():
                operands = tuple([rename(operand, names) for operand in step.operands])
                out.append(t.Compute(step.span, step.name, step.op, operands, step.application))
            case t.Close():
                lam = step.function.lam
                self.inner.append(step.function)
                captures = self.slots(self.scopes.captures(lam), names)
                out.append(b.MakeClosure(step.span, step.name, lam, captures))
            case t.Member():
                out.append(self.member(step, names))
            case t.Letrec():
                out.append(self.letrec(step, names))

    def slots(self, variables: b.Slots, names: Renaming) -> b.Slots:
        return tuple([names.get(name, name) for name in variables])

    def member(self, step: t.Member, names: Renaming) -> t.Step:
        """Return the step that reads a letrec-bound name; that of a loop reads a constant."""
        if step.member in self.loops.of_name:
            self.called[step.name] = step.member
            return t.Read(step.span, t.Literal(step.member))
        storage = self.scopes.storage(step.member)
        env = None if storage is None else names.get(storage, storage)
        return b.MakeMember(step.span, step.name, self.scopes.lambda_of[step.member], env)

    def letrec(self, step: t.Letrec, names: Renaming) -> b.Letrec:
        groups: list[b.MakeEnvironment | b.CopyCaptures] = []
        for group in self.scopes.groups(step.letrec):
            if group.names[0] in self.loops.of_name:
                copies = self.copy_captures(group, names)
                groups.append(b.CopyCaptures(copies))
                self.sources.update(dict.fromkeys(group.names, tuple([new for new, _ in copies])))
            else:
                self.inner.extend(step.functions[name] for name in group.names)
                if not group.closed:
                    groups.append(b.MakeEnvironment(group.env, self.slots(group.captures, names)))
        self.add_loops(step, names)
        return b.Letrec(step.span, tuple(groups))

    def copy_captures(self, group: Group, names: Renaming) -> tuple[tuple[str, str], ...]:
        return tuple([(self.fresh(name), names.get(name, name)) for name in self.captures(group)])

    def captures(self, group: Group) -> b.Slots:
        """Return the captures of a group of loops, without the environments of loops that it calls."""
        loops = self.loops.of_name
        environments = {self.scopes.group_of[name].env for name in loops}
        return tuple([name for name in group.captures if name not in environments])

    def fresh(self, name: str) -> str:
        """Return another slot for a variable."""
        self.copies += 1
        return f"{name}~{self.copies}"

    def add_loops(self, step: t.Letrec, names: Renaming) -> None:
        for name, function in step.functions.items():
            if name in self.loops.of_name:
                captures = self.captures(self.scopes.group_of[name])
                inside = {variable: self.fresh(variable) for variable in captures}
                params = (*inside.values(), *function.lam.params)
                self.pending.append(Todo(f"{b.LOOP}{name}", params, function.term, {**names, **inside}))

    def end(self, end: t.End | None, names: Renaming) -> b.End:
        match end:
            case t.Continue():
                return self.give(end.k, rename(end.operand, names))
            case t.Branch():
                then, other = self.label("then"), self.label("else")
                self.add(then, (), end.then, names)
                self.add(other, (), end.other, names)
                return b.Branch(end.span, rename(end.test, names), then, other)
            case t.Call():
                return self.call(end, names)
            case t.Control():
                args = tuple([rename(operand, names) for operand in end.args])
                return b.Control(end.span, end.op, args, self.ret(end.k))
            case t.Throw():
                return b.Throw(end.span, rename(end.operand, names))
            case t.Handle():
                return self.install(end, names)
            case t.LetCont():
                self.add(end.cont.name, (end.cont.param,), end.cont.term, names)
                return self.flatten(end.body, names)
        raise AssertionError("every term has an end")

    def flatten(self, term: t.Term, names: Renaming) -> b.End:
        """Return a jump to a block of its own for the body around which a continuation is named."""
        label = self.label("go")
        self.add(label, (), term, names)
        return b.Jump(None, label, ())

    def add(self, label: str, params: b.Slots, term: t.Term, names: Renaming) -> None:
        self.pending.append(Todo(label, params, term, names))

    def label(self, hint: str) -> str:
        self.copies += 1
        return f"{hint}{self.copies}"

    def give(self, k: str, operand: t.Operand) -> b.End:
        k = self.loops.continuation(k)
        return b.Return(None, operand) if k in self.frames else b.Jump(None, k, (operand,))

    def ret(self, k: str) -> str | None:
        k = self.loops.continuation(k)
        return None if k in self.frames else k

    def call(self, end: t.Call, names: Renaming) -> b.End:
        args = tuple([rename(operand, names) for operand in end.args])
        loop = self.loop_of(end)
        if loop is not None:
            sources = self.slots(self.sources[loop], names)
            return b.Enter(end.span, f"{b.LOOP}{loop}", (*sources, *args))
        return b.Call(end.span, rename(end.fn, names), args, self.ret(end.k))

    def loop_of(self, end: t.Call) -> str | None:
        return self.called.get(end.fn) if isinstance(end.fn, str) else None

    def install(self, end: t.Handle, names: Renaming) -> b.Install:
        body = self.label("body")
        self.frames.add(end.leave.name)
        self.add(body, (), end.body, names)
        self.add(end.leave.name, (end.leave.param,), end.leave.term, names)
        self.add(end.handler.name, (end.handler.param,), end.handler.term, names)
        return b.Install(end.span, body, end.leave.name, end.handler.name)


def rename(operand: t.Operand, names: Renaming) -> t.Operand:
    """Return an operand with the name that the block has for it."""
    return names.get(operand, operand) if isinstance(operand, str) else operand
