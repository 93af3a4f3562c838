"""Python source for blocks: plain, taped, and adjoint.

In: a block that can be emitted. Out: functions that do what checkpoint.interp.hybrid.parts does step by
step, on the assumption that what arithmetic is done on are floats:
- plain: where a parameter that arithmetic reads is no float, all arithmetic goes through `apply`;
- taped: where something that arithmetic reads is no float, the function answers None, and the machine
  runs the block step by step;
- adjoint: reverses what the taped function recorded, a tuple of values and births, or None if nothing
  is needed.
A slot x is called v0, v1, ... and its accumulator a0, a1, ...; a comment says which is which.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from checkpoint.ad.numbers import apply, fresh
from checkpoint.ad.record import Data, OperandError, Scalar, lookup
from checkpoint.ad.values import EMPTY, Closure, Environment, Pair
from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.interp.hybrid.code import BlockCode


def emit_plain(code: BlockCode) -> None:
    """Give a block its plain function."""
    code.run = Emitter(code).plain()


def emit_taped(code: BlockCode) -> None:
    """Give a block its taped and its adjoint function."""
    emitter = Emitter(code)
    code.tape = emitter.taped()
    code.reverse = emitter.reversal()


def not_a_pair() -> Any:
    raise OperandError("not a pair")


class Emitter:
    """The source of one block's functions, and what their names stand for."""

    def __init__(self, code: BlockCode) -> None:
        self.code = code
        self.block = code.block
        self.names = {slot: f"v{i}" for i, slot in enumerate(a.all_slots(code.block))}
        self.constants: dict[str, Any] = {
            "apply": apply,
            "fresh": fresh,
            "not_a_pair": not_a_pair,
            "Pair": Pair,
            "Closure": Closure,
            "Environment": Environment,
            "EMPTY": EMPTY,
        }
        self.lines: list[str] = []
        self.guarded: list[str] = []
        self.births: dict[str, str] = {}
        self.accumulators: dict[str, str] = {}
        self.floats: set[str] = set()
        self.made: dict[str, int] = {}  # the objects that the block makes, with their place among its births

    # Text

    def constant(self, prefix: str, value: Any) -> str:
        """A name for a value."""
        name = f"{prefix}{len(self.constants)}"
        self.constants[name] = value
        return name

    def operand(self, operand: t.Operand) -> str:
        if isinstance(operand, str):
            return self.names[operand]
        value = operand.value
        if type(value) is float and math.isfinite(value):
            return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"
        if value is None or value is True or value is False:
            return repr(value)
        return self.constant("c", value)

    def tuple_of(self, texts: list[str]) -> str:
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"

    def line(self, text: str, depth: int = 1) -> None:
        self.lines.append("    " * depth + text)

    def compile(self, name: str, header: str) -> Callable[..., Any]:
        """The function of the lines so far."""
        legend = ", ".join(f"{short} {slot}" for slot, short in self.names.items())
        text = "\n".join([f"# {self.block.label}: {legend}", header, *self.lines]) + "\n"
        self.lines = []
        self.code.source += text
        exec(compile(text, f"<{self.block.label}>", "exec"), self.constants)
        function: Callable[..., Any] = self.constants[name]
        return function

    def header(self, name: str) -> str:
        return f"def {name}(m, {', '.join(self.names[slot] for slot in self.block.params)}):"

    # Forward

    def plain(self) -> Callable[..., Any]:
        guard = self.guard()
        if guard:
            self.line(f"if {guard}:")
            self.forward(2, exact=True)
            self.forward(1, exact=False)
        else:
            self.forward(1, exact=True)
        return self.compile("plain", self.header("plain"))

    def taped(self) -> Callable[..., Any]:
        guard = self.guard()
        if guard:
            self.line(f"if not ({guard}): return None")
        self.forward(1, exact=True, taped=True)
        return self.compile("taped", self.header("taped"))

    def guard(self) -> str:
        """Whether all parameters that arithmetic reads are floats; they then count as such."""
        read = dict.fromkeys(
            operand
            for step in self.block.steps
            if isinstance(step, t.Compute) and isinstance(lookup(step.op), Scalar)
            for operand in step.operands
            if isinstance(operand, str)
        )
        self.guarded = [slot for slot in self.block.params if slot in read]
        return " and ".join(f"type({self.names[slot]}) is float" for slot in self.guarded)

    def forward(self, depth: int, exact: bool, taped: bool = False) -> None:
        """The steps and the end. exact: the guarded slots hold floats."""
        self.floats = set(self.guarded) if exact else set()
        self.made = {}
        for step in self.block.steps:
            self.step(step, depth, exact, taped)
        if self.made:
            self.line(f"n = m.births; m.births = n + {len(self.made)}", depth)
            for slot, place in self.made.items():
                owner = f"{self.names[slot]}.env" if self.is_closure(slot) else self.names[slot]
                self.line(f"{owner}.birth = n + {place}", depth)
        if taped:
            self.record(depth)
        self.end(self.block.end, depth)

    def is_closure(self, slot: str) -> bool:
        return any(isinstance(step, b.MakeClosure) and step.name == slot for step in self.block.steps)

    def step(self, step: t.Step, depth: int, exact: bool, taped: bool) -> None:
        for slot in a.births(step):
            self.made[slot] = len(self.made)
        match step:
            case t.Copy():
                self.assign(step.name, self.operand(step.operand), depth)
                if isinstance(step.operand, str) and step.operand in self.floats:
                    self.floats.add(step.name)
            case t.Compute():
                self.compute(step, depth, exact, taped)
            case b.MakeMember():
                env = "EMPTY" if step.env is None else self.names[step.env]
                self.assign(step.name, f"Closure({self.constant('f', step.lam)}, {env})", depth)
            case b.MakeClosure():
                lam = self.constant("f", step.lam)
                self.assign(step.name, f"Closure({lam}, {self.environment(step.captures)})", depth)
            case b.Letrec():
                for group in step.groups:
                    self.group(group, depth)

    def assign(self, slot: str, text: str, depth: int) -> None:
        self.line(f"{self.names[slot]} = {text}", depth)

    def environment(self, captures: b.Slots) -> str:
        if not captures:
            return "EMPTY"
        return f"Environment({self.tuple_of([f'fresh({self.names[slot]})' for slot in captures])})"

    def group(self, group: b.MakeEnvironment | b.CopyCaptures, depth: int) -> None:
        if isinstance(group, b.MakeEnvironment):
            self.assign(group.name, self.environment(group.captures), depth)
            return
        for new, source in group.pairs:
            self.assign(new, self.names[source], depth)
            if source in self.floats:
                self.floats.add(new)

    def compute(self, step: t.Compute, depth: int, exact: bool, taped: bool) -> None:
        record = lookup(step.op)
        texts = [self.operand(operand) for operand in step.operands]
        if isinstance(record, Scalar):
            self.scalar(step, record, texts, depth, exact, taped)
        else:
            assert isinstance(record, Data)
            inline = record.inline
            call = f"{self.constant('p', record.value)}({', '.join(texts)})"
            self.assign(step.name, inline.format(*texts) if inline else call, depth)

    def scalar(
        self, step: t.Compute, record: Scalar, texts: list[str], depth: int, exact: bool, taped: bool
    ) -> None:
        """Arithmetic: directly where the operands are floats, else as `apply` does it."""
        if record.inline:
            direct = record.inline[0].format(*texts)
        else:
            direct = f"{self.constant('p', record.value)}({', '.join(texts)})"
        slots = [operand for operand in step.operands if isinstance(operand, str)]
        literal = all(type(o.value) is float for o in step.operands if isinstance(o, t.Literal))
        unknown = [self.names[slot] for slot in dict.fromkeys(slots) if slot not in self.floats]
        test = " and ".join(f"type({name}) is float" for name in unknown) if literal else "False"
        general = f"apply({self.constant('r', record)}, {self.tuple_of(texts)})"
        if not test:
            self.assign(step.name, direct, depth)
        elif taped:
            self.line(f"if not ({test}): return None", depth)
            self.floats.update(slots)
            self.assign(step.name, direct, depth)
        elif exact and literal:
            self.assign(step.name, f"{direct} if {test} else {general}", depth)
            return
        else:
            self.assign(step.name, general, depth)
            return
        if record.partials is not None:
            self.floats.add(step.name)

    def record(self, depth: int) -> None:
        """Push what the adjoint needs."""
        adjoint = self.code.reversal()
        texts = [self.names[slot] for slot in adjoint.values]
        if self.made:
            texts.append("n")
        texts += [self.birth(slot) for slot in adjoint.births if slot not in self.made]
        self.code.record_size = len(texts)
        if texts:
            self.line(f"m.tape.records.append({self.tuple_of(texts)})", depth)

    def birth(self, slot: str) -> str:
        """The birth of an object that the block did not make."""
        called = isinstance(self.block.end, b.Call) and self.block.end.fn == slot
        return f"{self.names[slot]}.env.birth" if called else f"{self.names[slot]}.birth"

    def end(self, end: b.End, depth: int) -> None:
        match end:
            case b.Jump() | b.Enter():
                given = [self.operand(operand) for operand in end.args]
                self.line(f"return {self.target(end.label, given)}", depth)
            case b.Branch():
                test = self.operand(end.test)
                self.line(f"if {test} is True: return {self.target(end.then, [])}", depth)
                self.line(f"if {test} is False: return {self.target(end.other, [])}", depth)
                self.line("raise TypeError", depth)
            case b.Call():
                args = self.tuple_of([self.operand(operand) for operand in end.args])
                ret, saved = "None", "()"
                if end.ret is not None:
                    ret = self.block_name(end.ret)
                    names = self.code.target(end.ret).block.params[1:]
                    saved = self.tuple_of([self.names[slot] for slot in names])
                self.line(f"return m.call({self.operand(end.fn)}, {args}, {ret}, {saved})", depth)
            case b.Return():
                self.line("f = m.frame; m.frame = f.next", depth)
                self.line(f"return f.block, ({self.operand(end.operand)}, *f.saved)", depth)

    def block_name(self, label: str) -> str:
        return self.constant("b", self.code.target(label))

    def target(self, label: str, given: list[str]) -> str:
        names = self.code.target(label).block.params[len(given) :]
        values = self.tuple_of([*given, *(self.names[slot] for slot in names)])
        return f"{self.block_name(label)}, {values}"

    # Backward

    def reversal(self) -> Callable[..., Any]:
        """The adjoint: c the cotangent, after the block that followed, g what its parameters received."""
        self.accumulators = {slot: f"a{name[1:]}" for slot, name in self.names.items()}
        adjoint = self.code.reversal()
        recorded = [self.names[slot] for slot in adjoint.values]
        self.births = {slot: f"n + {place}" for slot, place in self.made.items()}
        if self.made:
            recorded.append("n")
        for slot in adjoint.births:
            if slot not in self.made:
                self.births[slot] = f"n{self.names[slot][1:]}"
                recorded.append(self.births[slot])
        if recorded:
            self.line(f"{self.tuple_of(recorded)} = r")
        known = self.back_end(self.block.end)
        for slot, name in self.accumulators.items():
            if slot not in known:
                self.lines.insert(0, f"    {name} = 0.0")
        for _, actions in adjoint.actions:
            for action in actions:
                self.action(action)
        params = [self.accumulators[slot] for slot in self.block.params]
        self.line(f"return {self.tuple_of(params)}")
        return self.compile("reversed", "def reversed(c, after, g, r):")

    def unpack(self, slots: b.Slots, text: str, depth: int = 1) -> None:
        if slots:
            self.line(f"{self.tuple_of([self.accumulators[slot] for slot in slots])} = {text}", depth)

    def back_end(self, end: b.End) -> set[str]:
        """Reverse the end; the slots whose accumulators it has set."""
        match end:
            case b.Jump() | b.Enter():
                passed = self.code.target(end.label).block.params[len(end.args) :]
                self.unpack(passed, f"g[{len(end.args)}:]")
                self.add_operands(end.args, "g[{}]", 0)
                return set(passed)
            case b.Branch():
                return self.back_branch(end)
            case b.Call():
                saved: b.Slots = ()
                if end.ret is not None:
                    saved = self.code.target(end.ret).block.params[1:]
                    self.unpack(saved, "c.stack.pop()") if saved else self.line("c.stack.pop()")
                self.add_operands(end.args, "g[{}]", -len(end.args))
                assert isinstance(end.fn, str)
                count = f"len(g) - {len(end.args)}"
                self.line(f"c.give_environment({self.births[end.fn]}, g, {count})")
                return set(saved)
            case b.Return():
                self.line("c.stack.append(g[1:])")
                self.add_operands((end.operand,), "g[{}]", 0)
        return set()

    def back_branch(self, end: b.Branch) -> set[str]:
        then = self.code.target(end.then).block.params
        other = self.code.target(end.other).block.params
        self.line(f"if after is {self.block_name(end.then)}:")
        self.line("pass", 2)
        self.unpack(then, "g", 2)
        self.line("else:")
        self.line("pass", 2)
        self.unpack(other, "g", 2)
        return set(then) & set(other)

    def add_operands(self, operands: tuple[t.Operand, ...], received: str, first: int) -> None:
        """To operands from what their copies received, the last first."""
        for place in range(len(operands) - 1, -1, -1):
            operand = operands[place]
            if isinstance(operand, str):
                self.line(f"{self.accumulators[operand]} += {received.format(first + place)}")

    def action(self, action: a.Action) -> None:
        match action:
            case a.Add():
                self.line(f"{self.accumulators[action.target]} += {self.accumulators[action.source]}")
            case a.Scale():
                self.scale(action)
            case a.Take():
                birth = self.births[action.owner]
                self.line(f"{self.accumulators[action.target]} += c.take({birth}, {action.field})")
            case a.Give():
                source, birth = self.accumulators[action.source], self.births[action.owner]
                self.line(f"if {source} != 0.0: c.give({birth}, {action.field}, {source})")

    def scale(self, action: a.Scale) -> None:
        record, source = action.record, self.accumulators[action.source]
        depth = 1
        if record.singular:
            self.line(f"if {source} != 0.0:")
            depth = 2
        for position in action.targets:
            operand = action.operands[position]
            assert isinstance(operand, str)
            target, partial = self.accumulators[operand], self.partial(action, position)
            amounts = {"1.0": f"+= {source}", "-1.0": f"-= {source}"}
            self.line(f"{target} {amounts.get(partial, f'+= {partial} * {source}')}", depth)

    def partial(self, action: a.Scale, position: int) -> str:
        record = action.record
        needs = record.needs[position] if record.needs is not None else range(record.arity + 1)
        slots = [*action.operands, action.source]
        texts = [self.operand(slot) if i in needs else "0.0" for i, slot in enumerate(slots)]
        if record.inline:
            return record.inline[position + 1].format(*texts[:-1], z=texts[-1])
        assert record.partials is not None
        return f"{self.constant('d', record.partials[position])}({', '.join(texts)})"
