"""The plain and the taped function of a variant of a block.

- plain: does what checkpoint.interp.hybrid.parts does step by step;
- taped: does the same and records what the adjoint needs; returns None where an operand of arithmetic has
  another type than when the function was emitted, or one that has no arithmetic.
A parameter of another type than in the signature leads to another variant (checkpoint.interp.hybrid.code).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from checkpoint.ad.arrays import ARRAYS
from checkpoint.ad.library import overloads
from checkpoint.ad.numbers import INTEGERS
from checkpoint.ad.record import Data, Primitive, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.interp.hybrid.code import KNOWN
from checkpoint.interp.hybrid.emit_text import Text

# The texts that do what Python does on integers as well as on floats.
NATIVE = re.compile(r"\{0\} (\+|-|\*|/|//|%|<|<=|>|>=|==|!=) \{1\}|-\{0\}")


def is_native(record: Scalar) -> bool:
    """Return whether the text of a record is right for integers and booleans, too."""
    inline = record.inline
    return record.otherwise is not None and inline is not None and bool(NATIVE.fullmatch(inline[0]))


class Forward(Text):
    """The emitter of the functions that run a block forward."""

    def plain(self) -> Callable[..., Any]:
        return self.function("plain", taped=False)

    def taped(self) -> Callable[..., Any]:
        return self.function("taped", taped=True)

    def function(self, name: str, taped: bool) -> Callable[..., Any]:
        """Return the function: the guard, the steps, the record, the end."""
        self.kinds = {slot: kind for slot, kind in self.signature if kind in KNOWN}
        self.made = {}
        self.tensors = set()
        needed: set[str] = set()
        guard = " and ".join([self.test(slot, kind) for slot, kind in self.signature])
        if guard:
            params = self.tuple_of([self.names[slot] for slot in self.block.params])
            self.line(f"if not ({guard}): return other(this, m, {params}, {taped})")
        for i, step in enumerate(self.block.steps):
            self.step(step, taped)
            self.release(i, self.read_back(step, needed) if taped else ())
        if self.made:
            self.line(f"n = m.births; m.births = n + {len(self.made)}")
            for slot, place in self.made.items():
                self.line(f"{self.owner(slot)}.birth = n + {place}")
        if taped:
            self.record()
            self.line("m.ran = variant")
        self.end(self.block.end)
        return self.compile(name, self.header(name))

    def test(self, slot: str, kind: type) -> str:
        name = self.names[slot]
        return f"type({name}) is {kind.__name__}" if kind in KNOWN else f"type({name}) not in KNOWN"

    def is_closure(self, slot: str) -> bool:
        return any(isinstance(step, b.MakeClosure) and step.name == slot for step in self.block.steps)

    def step(self, step: t.Step, taped: bool) -> None:
        match step:
            case t.Copy():
                self.assign(step.name, self.operand(step.operand))
                self.copy_kind(step.name, step.operand)
            case t.Compute():
                self.compute(step, taped)
            case b.MakeMember():
                env = "EMPTY" if step.env is None else self.names[step.env]
                self.assign(step.name, f"Closure({self.constant('f', step.lam)}, {env})")
            case b.MakeClosure():
                lam = self.constant("f", step.lam)
                self.assign(step.name, f"Closure({lam}, {self.environment(step.captures)})")
            case b.Letrec():
                for group in step.groups:
                    self.group(group)
        for slot in a.births(step):
            self.number(slot)

    def assign(self, slot: str, text: str) -> None:
        self.line(f"{self.names[slot]} = {text}")

    def copy_kind(self, slot: str, operand: t.Operand) -> None:
        kind = self.kind(operand)
        if kind is not None:
            self.kinds[slot] = kind

    def number(self, slot: str) -> None:
        """Emit the birth of an object: at once, or together with all others at the end of the block."""
        if self.counts_as_it_goes:
            self.line(f"{self.owner(slot)}.birth = m.births; m.births += 1")
        else:
            self.made[slot] = len(self.made)

    def owner(self, slot: str) -> str:
        """Return the text of the object under whose birth the fields of a slot are stored."""
        called = isinstance(self.block.end, b.Call) and self.block.end.fn == slot
        return f"{self.names[slot]}.env" if called or self.is_closure(slot) else self.names[slot]

    def environment(self, captures: b.Slots) -> str:
        if not captures:
            return "EMPTY"
        return f"Environment({self.tuple_of([f'fresh({self.names[slot]})' for slot in captures])})"

    def group(self, group: b.MakeEnvironment | b.CopyCaptures) -> None:
        if isinstance(group, b.MakeEnvironment):
            self.assign(group.name, self.environment(group.captures))
            return
        for new, source in group.pairs:
            self.assign(new, self.names[source])
            self.copy_kind(new, source)

    def compute(self, step: t.Compute, taped: bool) -> None:
        record = lookup(step.op)
        texts = [self.operand(operand) for operand in step.operands]
        if taped and isinstance(record, Scalar):
            self.expect(step)
        tensor = self.tensor_of(step, record)
        if tensor is not None:
            self.on_arrays(step, tensor, texts, taped)
        elif isinstance(record, Scalar):
            self.scalar(step, record, texts, taped)
        elif isinstance(record, Data):
            inline = record.inline
            call = f"{self.constant('p', record.value)}({', '.join(texts)})"
            self.assign(step.name, inline.format(*texts) if inline else call)
            if record.mutable:
                self.line(f"{self.names[step.name]}.owner = m.owner")
        elif isinstance(record, Select):
            self.select(step, record, texts, taped)
        elif isinstance(record, Rearrange) and record.discrete and not (taped and record.constants):
            text = self.value_text(record, texts)
            self.assign(step.name, text if record.inline else f"all_born(m, {text})")
        elif isinstance(record, Update) and record.puts is not None:
            self.put(step, record, texts, taped)
        else:
            self.container(step, texts, taped)

    def value_text(self, record: Select | Rearrange, texts: list[str]) -> str:
        """Return the text of a value that is not a new object: that of the record if it has one."""
        function = self.constant("p", record.value)
        if record.inline is not None:
            return record.inline.format(*texts, p=function)
        return f"{function}({', '.join(['m', *texts])})"

    def select(self, step: t.Compute, record: Select, texts: list[str], taped: bool) -> None:
        """Emit the reading of a field, and the record of where it was read."""
        self.assign(step.name, self.value_text(record, texts))
        if not taped:
            return
        value = self.names[step.name]
        general = f"key_of(m, {self.constant('r', record)}, {value}, {self.tuple_of(texts)})"
        if record.inline_place is not None:
            key = f"({texts[0]}.birth, {record.inline_place.format(*texts)})"
            is_field = f"type({value}) is float and type({texts[0]}) in WITH_POSITIONS"
            general = f"{key} if {is_field} else {general}"
        self.line(f"{self.origin(step.name)} = {general}")

    def put(self, step: t.Compute, record: Update, texts: list[str], taped: bool) -> None:
        """Emit an update of one field; the result has the birth of the first operand."""
        value = self.names[step.name]
        self.assign(step.name, f"{self.constant('p', record.value)}(m, {', '.join(texts)})")
        self.line(f"if not {value}.birth: numbered(m, {value})")
        if not taped:
            return
        place = f"{self.constant('q', record.puts)}(m, {value}, {', '.join(texts)})"
        if record.inline_puts is not None:
            is_plain = f"type({value}) is List and type({texts[1]}) is int"
            place = f"({record.inline_puts.format(*texts, z=value)} if {is_plain} else {place})"
        self.line(f"{self.origin(step.name)} = ({value}.birth, {place})")

    def container(self, step: t.Compute, texts: list[str], taped: bool) -> None:
        """Emit a Rearrange or Update."""
        given = f"m, {self.constant('r', lookup(step.op))}, {self.tuple_of(texts)}"
        if not taped:
            self.assign(step.name, f"perform({given})")
            return
        slots = tuple([operand if isinstance(operand, str) else None for operand in step.operands])
        names = self.constant("s", slots)
        result = f"{self.names[step.name]}, {self.origin(step.name)}"
        self.line(f"{result} = perform_taped({given}, {names})")

    def origin(self, slot: str) -> str:
        return f"o{self.names[slot][1:]}"

    def scalar(self, step: t.Compute, record: Scalar, texts: list[str], taped: bool) -> None:
        """Emit arithmetic: directly where the types of the operands are known, else like `apply`."""
        kinds = [self.kind(operand) for operand in step.operands]
        general = self.general(record, texts, step)
        direct = self.direct(record, texts, [kind or float for kind in kinds])
        unknown = [
            text
            for text, operand, kind in zip(texts, step.operands, kinds, strict=True)
            if kind is None and isinstance(operand, str)
        ]
        is_literal = len(unknown) == sum(kind is None for kind in kinds)
        if direct is None or not is_literal:
            constant = record.otherwise is not None and set(kinds) <= INTEGERS
            self.assign(step.name, general) if constant or not taped else self.line("return None")
        elif unknown:
            accepted = "in REAL" if is_native(record) else "is float"
            test = " and ".join([f"type({text}) {accepted}" for text in dict.fromkeys(unknown)])
            self.assign(step.name, f"{direct} if {test} else {general}")
        else:
            self.assign(step.name, direct)
            self.kinds[step.name] = result_kind(record, [kind for kind in kinds if kind is not None])

    def expect(self, step: t.Compute) -> None:
        """Emit the check that operands have the types that they had before."""
        for slot in dict.fromkeys([operand for operand in step.operands if isinstance(operand, str)]):
            if slot not in self.kinds:
                kind = self.code.seen.get(slot, float)
                expected = kind if kind in KNOWN else float
                self.line(f"if type({self.names[slot]}) is not {expected.__name__}: return None")
                self.kinds[slot] = expected

    def direct(self, record: Scalar, texts: list[str], kinds: list[type]) -> str | None:
        """Return the text for operands of known types; None where there is none."""
        mixed = any(kind is not float for kind in kinds)
        if mixed and not is_native(record):
            if record.otherwise is None or record.partials is None or float not in kinds:
                return None
            texts = [
                text if kind is float else f"float({text})" for text, kind in zip(texts, kinds, strict=True)
            ]
        if record.inline:
            return record.inline[0].format(*texts)
        return f"{self.constant('p', record.value)}({', '.join(texts)})"

    def general(self, record: Scalar, texts: list[str], step: t.Compute) -> str:
        """Return the text for operands of any type."""
        name, operands = self.constant("r", record), self.tuple_of(texts)
        if record.otherwise is None and record.name not in overloads:
            return f"apply({name}, {operands})"
        other = None if record.otherwise is None else lookup(record.otherwise)
        return f"otherwise(m, {name}, {self.constant('r', other)}, {operands}, {self.literals(step)})"

    # Arrays

    def tensor_of(self, step: t.Compute, record: Primitive) -> Tensor | None:
        """Return the record of arrays that performs a step with operands of the types seen before."""
        if isinstance(record, Tensor):
            return record
        found = overloads.get(record.name)
        if found is None:
            return None
        deciding = step.operands[:1] if found.of_first else step.operands
        slots = [operand for operand in deciding if isinstance(operand, str)]
        seen = {slot: self.kinds.get(slot) or self.code.seen.get(slot, object) for slot in slots}
        if ARRAYS.isdisjoint(seen.values()):
            return None
        for slot, kind in seen.items():
            if slot not in self.kinds and kind in ARRAYS:
                self.line(f"if type({self.names[slot]}) is not {kind.__name__}: return None")
                self.kinds[slot] = kind
        return found

    def on_arrays(self, step: t.Compute, record: Tensor, texts: list[str], taped: bool) -> None:
        """Emit a step on arrays, and its origin."""
        self.tensors.add(step.name)
        self.kinds.pop(step.name, None)
        given = f"m, {self.constant('r', record)}, {self.tuple_of(texts)}"
        literals = self.literals(step)
        if not taped or not a.actions_of(step):
            is_last = step is self.block.steps[-1]
            function = "on_arrays_apart" if record.changes and not is_last else "on_arrays"
            self.assign(step.name, f"{function}({given}, {literals})")
            return
        slots = tuple([operand if isinstance(operand, str) else None for operand in step.operands])
        result = f"{self.names[step.name]}, {self.origin(step.name)}"
        self.line(f"{result} = on_tape({given}, {self.constant('s', slots)}, {literals})")

    def read_back(self, step: t.Step, needed: set[str]) -> set[str]:
        """Return the slots that the record of the tape reads: those `needed` and those of a step."""
        for action in a.actions_of(step):
            if not self.is_pulled(action):
                needed.update(a.values_needed(action), a.births_needed(action))
        return needed

    def release(self, index: int, needed: Collection[str]) -> None:
        """Emit the release of arrays whose last use a step was, except those still needed."""
        for slot in self.code.dying(index):
            if slot in needed:
                continue
            if slot in self.tensors or self.kinds.get(slot) in ARRAYS:
                self.line(f"{self.names[slot]} = None")

    def recorded(self) -> tuple[b.Slots, b.Slots]:
        """Return the slots whose values are recorded, and those whose origins are."""
        every = [action for _, actions in self.code.reversal().actions for action in actions]
        values = [name for act in every if not self.is_pulled(act) for name in a.values_needed(act)]
        origins = [name for act in every for name in (self.pulled(act) or a.origins_needed(act))]
        return tuple(dict.fromkeys(values)), tuple(dict.fromkeys(origins))

    def is_pulled(self, action: a.Action) -> bool:
        """Return whether an action belongs to a step on arrays."""
        return bool(self.pulled(action))

    def pulled(self, action: a.Action) -> b.Slots:
        """Return the result of the step on arrays that an action belongs to, if it does."""
        name = action.source if isinstance(action, a.Scale) else ""
        if isinstance(action, a.Pick | a.Move | a.Put | a.Pull):
            name = action.step.name
        return (name,) if name in self.tensors else ()

    def record(self) -> None:
        """Emit the record that the adjoint needs."""
        adjoint = self.code.reversal()
        values, origins = self.recorded()
        texts = [self.names[slot] for slot in values]
        if self.made:
            texts.append("n")
        texts += [f"{self.owner(slot)}.birth" for slot in adjoint.births if slot not in self.made]
        texts += [self.origin(slot) for slot in origins]
        self.variant.record_size = len(texts)
        if texts:
            self.line(f"m.tape.records.append({self.tuple_of(texts)})")

    def end(self, end: b.End) -> None:
        match end:
            case b.Jump() | b.Enter():
                given = [self.operand(operand) for operand in end.args]
                self.line(f"return {self.target(end.label, given)}")
            case b.Branch():
                test = self.operand(end.test)
                self.line(f"if {test} is True: return {self.target(end.then, [])}")
                self.line(f"if {test} is False: return {self.target(end.other, [])}")
                then, other = self.target(end.then, []), self.target(end.other, [])
                self.line(f"return ({then}) if boolean_of(m, {test}) else ({other})")
            case b.Call():
                args = self.tuple_of([self.operand(operand) for operand in end.args])
                ret, saved, span = "None", "()", self.constant("at", end.span)
                if end.ret is not None:
                    ret = self.block_name(end.ret)
                    names = self.code.target(end.ret).block.params[1:]
                    saved = self.tuple_of([self.names[slot] for slot in names])
                self.line(f"return m.call({self.operand(end.fn)}, {args}, {ret}, {saved}, {span})")
            case b.Install():
                names = self.code.target(end.leave).block.params[1:]
                saved = self.tuple_of([self.names[slot] for slot in names])
                blocks = f"{self.block_name(end.leave)}, {saved}, m.frame, {self.block_name(end.handler)}"
                self.line(f"m.frame = Frame({blocks})")
                self.line(f"return {self.target(end.body, [])}")
            case b.Return():
                self.line("f = m.frame; m.frame = f.next")
                self.line(f"return f.block, ({self.operand(end.operand)}, *f.saved)")

    def block_name(self, label: str) -> str:
        return self.constant("b", self.code.target(label))

    def target(self, label: str, given: list[str]) -> str:
        names = self.code.target(label).block.params[len(given) :]
        values = self.tuple_of([*given, *(self.names[slot] for slot in names)])
        return f"{self.block_name(label)}, {values}"


def result_kind(record: Scalar, kinds: list[type]) -> type:
    """Return the type of a direct result."""
    if record.partials is None:
        return bool
    whole = float not in kinds and record.inline is not None and " / " not in record.inline[0]
    return int if whole else float
