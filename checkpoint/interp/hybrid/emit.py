"""Python source for blocks: plain, taped and adjoint.

In: a block that can be emitted, and a signature. Out: functions that do what checkpoint.interp.hybrid.parts
does step by step, and the adjoint, which reverses what the taped function recorded: a tuple of values, births
and origins, or None if nothing is needed. Integers and booleans take part in arithmetic as constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.interp.hybrid.code import BlockCode, Signature, Variant
from checkpoint.interp.hybrid.emit_forward import Forward
from checkpoint.interp.hybrid.origins import Values

MOST_VARIANTS = 4
GENERIC: Signature = ()  # plain, for all types at once


def emit_plain(code: BlockCode, values: Values) -> None:
    """Emit the plain function of a block for these values of its parameters."""
    variant = variant_for(code, values, taped=False)
    code.run = None if variant is None else variant.run


def emit_taped(code: BlockCode, values: Values) -> None:
    """Emit the taped and the adjoint function of a block."""
    variant = variant_for(code, values, taped=True)
    code.tape = None if variant is None else variant.run


def variant_for(code: BlockCode, values: Values, taped: bool) -> Variant | None:
    """Return the variant of a block for these values; None if it would be one too many to be taped.

    Threads that run one block may make variants at the same time: the first of each kind is the one.
    """
    signature = code.signature(values)
    made = [other_signature for was_taped, other_signature in tuple(code.variants) if was_taped is taped]
    if signature not in made and len(made) >= MOST_VARIANTS:
        if taped:
            return None
        signature = GENERIC
    found = code.variants.get((taped, signature))
    return found or code.variants.setdefault((taped, signature), emit(code, signature, taped))


def other(code: BlockCode, machine: Any, values: Values, taped: bool) -> Any:
    """Run the variant for parameters of other types than those of the variant that was called."""
    variant = variant_for(code, values, taped)
    return None if variant is None else variant.run(machine, *values)


def emit(code: BlockCode, signature: Signature, taped: bool) -> Variant:
    """Return a new variant of a block: its plain function, or its taped and its adjoint function."""
    emitter = Emitter(code, signature)
    variant = emitter.variant
    if taped:
        variant.run = emitter.taped()
        variant.reverse = emitter.reversal()
    else:
        variant.run = emitter.plain()
    return variant


class Emitter(Forward):
    """The emitter of all functions of one variant."""

    def __init__(self, code: BlockCode, signature: Signature) -> None:
        super().__init__(code, signature)
        self.constants["other"] = other

    # Backward

    def reversal(self) -> Callable[..., Any]:
        """Return the adjoint function.

        Its parameters: c, the cotangent; after, the block that followed; g, the accumulators of its
        parameters.
        """
        self.accumulators = {slot: f"a{name[1:]}" for slot, name in self.names.items()}
        adjoint = self.code.reversal()
        values, origins = self.recorded()
        recorded = [self.names[slot] for slot in values]
        self.births = {slot: f"n + {place}" for slot, place in self.made.items()}
        if self.made:
            recorded.append("n")
        for slot in adjoint.births:
            if slot not in self.made:
                self.births[slot] = f"n{self.names[slot][1:]}"
                recorded.append(self.births[slot])
        recorded += [self.origin(slot) for slot in origins]
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
        """Emit the reversal of the end, and return the slots whose accumulators it has set."""
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
            case b.Install():
                saved = self.code.target(end.leave).block.params[1:]
                self.unpack(saved, "c.stack.pop()") if saved else self.line("c.stack.pop()")
                self.add_operands(self.code.target(end.body).block.params, "g[{}]", 0)
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
        """Emit the addition of what copies received to their operands, the last first."""
        for place in range(len(operands) - 1, -1, -1):
            operand = operands[place]
            if isinstance(operand, str):
                self.line(f"{self.accumulators[operand]} += {received.format(first + place)}")

    def action(self, action: a.Action) -> None:
        match action:
            case a.Scale() | a.Pick() | a.Move() | a.Put() | a.Pull() if self.is_pulled(action):
                self.pull(action)
            case a.Add():
                self.line(f"{self.accumulators[action.target]} += {self.accumulators[action.source]}")
            case a.Scale():
                self.scale(action)
            case a.Take():
                taken = f"c.take({self.births[action.owner]}, {action.field})"
                self.line(
                    taken if action.target is None else f"{self.accumulators[action.target]} += {taken}"
                )
            case a.Give():
                source, birth = self.accumulators[action.source], self.births[action.owner]
                self.line(f"if {source} != 0.0: c.give({birth}, {action.field}, {source})")
            case a.Pick():
                source, origin = self.accumulators[action.step.name], self.origin(action.step.name)
                self.line(f"if {origin} is not None and {source} != 0.0: c.give(*{origin}, {source})")
            case a.Move():
                self.move(action.step)
            case a.Put():
                self.put_back(action.step)

    def put_back(self, step: t.Compute) -> None:
        """Emit the return of what a written field has received to the value that was written."""
        content, taken = step.operands[-1], f"c.take(*{self.origin(step.name)})"
        self.line(f"{self.accumulators[content]} += {taken}" if isinstance(content, str) else taken)

    def pull(self, action: a.Scale | a.Pick | a.Move | a.Put | a.Pull) -> None:
        """Emit the reversal of a step on arrays."""
        name = action.source if isinstance(action, a.Scale) else action.step.name
        operands = action.operands if isinstance(action, a.Scale) else action.step.operands
        slots = dict.fromkeys([operand for operand in operands if isinstance(operand, str)])
        pairs = "".join([f"{slot!r}: {self.accumulators[slot]}, " for slot in slots])
        origin = self.origin(name)
        self.line(f"if {origin} is not None:")
        self.line(f"d = {{{pairs}RESULT: {self.accumulators[name]}}}; {origin}.reverse(d, c)", 2)
        for slot in slots:
            self.line(f"{self.accumulators[slot]} = d[{slot!r}]", 2)

    def move(self, step: t.Compute) -> None:
        """Emit the return of what moved fields have received to what they are copies of."""
        slots = [operand for operand in step.operands if isinstance(operand, str)]
        pairs = ", ".join([f"{slot!r}: {self.accumulators[slot]}" for slot in dict.fromkeys(slots)])
        self.line(f"if {self.origin(step.name)} is not None:")
        self.line(f"d = {{{pairs}}}; {self.origin(step.name)}.reverse(d, c)", 2)
        for slot in dict.fromkeys(slots):
            self.line(f"{self.accumulators[slot]} = d[{slot!r}]", 2)

    def scale(self, action: a.Scale) -> None:
        record, source = action.record, self.accumulators[action.source]
        targets = [i for i in action.targets if self.kind(action.operands[i]) is float]
        depth = 1
        if not targets:
            return
        if record.singular:
            self.line(f"if {source} != 0.0:")
            depth = 2
        for position in targets:
            operand = action.operands[position]
            assert isinstance(operand, str)
            target, partial = self.accumulators[operand], self.partial(action, position)
            additions = {"1.0": f"+= {source}", "-1.0": f"-= {source}"}
            self.line(f"{target} {additions.get(partial, f'+= {partial} * {source}')}", depth)

    def partial(self, action: a.Scale, position: int) -> str:
        record = action.record
        needs = record.needs[position] if record.needs is not None else range(record.arity + 1)
        slots = [*action.operands, action.source]
        texts = [self.real(slot) if i in needs else "0.0" for i, slot in enumerate(slots)]
        if record.inline and len(record.inline) > 1:
            return record.inline[position + 1].format(*texts[:-1], z=texts[-1])
        assert record.slopes is not None
        return f"{self.constant('d', record.slopes[position])}({', '.join(texts)})"

    def real(self, operand: t.Operand) -> str:
        """Return the text of an operand of a partial, which takes floats."""
        text = self.operand(operand)
        return text if self.kind(operand) is float else f"float({text})"
