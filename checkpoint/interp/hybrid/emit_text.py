"""The text of emitted functions: names, constants, operands, lines.

In: a block, and the types that its parameters are assumed to have (a *signature*). Out: compiled functions. A
slot x is called v0, v1, ... and its accumulator a0, a1, ...; a comment states the correspondence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

from checkpoint.ad.activity import literals_of
from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.containers import TUPLE, WITH_ATTRIBUTES, WITH_POSITIONS, List, Record
from checkpoint.ad.numbers import apply, fresh, takes_reals
from checkpoint.ad.operands import holds_array
from checkpoint.ad.record import OperandError, Primitive, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.ad.values import EMPTY, Closure, Environment, Pair
from checkpoint.cps import adjoint as a
from checkpoint.cps import terms as t
from checkpoint.interp.hybrid.code import KNOWN, BlockCode, Signature, Variant
from checkpoint.interp.hybrid.machine import Frame
from checkpoint.interp.hybrid.origins import Values, all_born, key_of, numbered, perform, perform_taped
from checkpoint.interp.hybrid.structured import RESULT
from checkpoint.interp.hybrid.tensors import (
    literals_among,
    perform_apart,
    perform_tensor,
    perform_tensor_taped,
)
from checkpoint.prims.arrays import boolean_of, overload, scalar_on_arrays

SMALL = 1 << 30  # bound of the integers that are written into the text


def not_a_pair() -> Any:
    raise OperandError("not a pair")


def otherwise(machine: Any, record: Scalar, other: Primitive | None, operands: Values, literals: int) -> Any:
    """Perform a scalar step on operands of any kind."""
    if takes_reals(operands):
        return apply(record, operands)
    tensor = overload(record, operands)
    if tensor is not None:
        return perform_apart(machine, tensor, operands, literals)
    if holds_array(operands):
        return scalar_on_arrays(machine, machine.steps + 1, record, operands, True, literals)
    if other is None:
        return apply(record, operands)
    if isinstance(other, Update):
        raise TypeError  # a step in place is the last of its block, which then runs step by step
    return perform(machine, other, operands)


REAL = frozenset((float, int))

# What the sources name.
NAMES: dict[str, Any] = {
    "apply": apply,
    "otherwise": otherwise,
    "all_born": all_born,
    "perform": perform,
    "perform_taped": perform_taped,
    "on_arrays": perform_tensor,
    "on_arrays_apart": perform_apart,
    "on_tape": perform_tensor_taped,
    "literals_of": literals_of,
    "boolean_of": boolean_of,
    "Array": Array,
    "Discrete": Discrete,
    "RESULT": RESULT,
    "key_of": key_of,
    "numbered": numbered,
    "List": List,
    "Record": Record,
    "WITH_ATTRIBUTES": WITH_ATTRIBUTES,
    "WITH_POSITIONS": WITH_POSITIONS,
    "Frame": Frame,
    "TUPLE": TUPLE,
    "fresh": fresh,
    "not_a_pair": not_a_pair,
    "Pair": Pair,
    "Closure": Closure,
    "Environment": Environment,
    "EMPTY": EMPTY,
    "REAL": REAL,
    "KNOWN": KNOWN,
}


class Text:
    """The source of one variant of a block, and the values of the names in it.

    kinds: the types of the slots for which they are known, each one of KNOWN.
    """

    def __init__(self, code: BlockCode, signature: Signature) -> None:
        self.code = code
        self.signature = signature
        self.variant = Variant(code)
        self.block = code.block
        self.names = {slot: f"v{i}" for i, slot in enumerate(a.all_slots(code.block))}
        self.constants: dict[str, Any] = {**NAMES, "this": code, "variant": self.variant}
        self.lines: list[str] = []
        self.births: dict[str, str] = {}
        self.accumulators: dict[str, str] = {}
        self.kinds: dict[str, type] = {}
        self.tensors: set[str] = set()  # the results of steps on arrays
        self.made: dict[str, int] = {}  # the objects that the block makes, with the indices of their births
        steps = code.block.steps
        made = {slot for step in steps for slot in a.births(step)}
        made |= {step.name for step in steps if isinstance(step, t.Copy) and step.operand in made}
        self.counts_as_it_goes = any(may_make(step) or looks_into(step, made) for step in steps)

    # Text

    def constant(self, prefix: str, value: Any) -> str:
        """Return a name for a value."""
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
        if type(value) is int and abs(value) < SMALL:
            return f"({value})" if value < 0 else f"{value}"
        return self.constant("c", value)

    def literals(self, step: t.Compute) -> str:
        """Return the text of the bits of a step's operands that are constants whatever they are."""
        found = literals_among(step.operands)
        more = f"literals_of(m, {self.constant('x', step.application)}, {found})"
        return f"({found} if m.unwanted is None else {more})"

    def tuple_of(self, texts: list[str]) -> str:
        return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"

    def line(self, text: str, depth: int = 1) -> None:
        self.lines.append("    " * depth + text)

    def compile(self, name: str, header: str) -> Callable[..., Any]:
        """Return the function that the lines so far define."""
        legend = ", ".join(f"{short} {slot}" for slot, short in self.names.items())
        text = "\n".join([f"# {self.block.label}: {legend}", header, *self.lines]) + "\n"
        self.lines = []
        self.code.source += text
        exec(compile(text, f"<{self.block.label}>", "exec"), self.constants)
        function: Callable[..., Any] = self.constants[name]
        return function

    def header(self, name: str) -> str:
        return f"def {name}(m, {', '.join(self.names[slot] for slot in self.block.params)}):"

    def kind(self, operand: t.Operand) -> type | None:
        """Return the known type of an operand, one of KNOWN, or None."""
        if isinstance(operand, str):
            return self.kinds.get(operand)
        return type(operand.value) if type(operand.value) in KNOWN else None


def looks_into(step: t.Step, made: Collection[str]) -> bool:
    """Return whether a step reads an object that the block makes, of which the birth is the field's key."""
    if not isinstance(step, t.Compute) or not isinstance(lookup(step.op), Select):
        return False
    return any(operand in made for operand in step.operands if isinstance(operand, str))


def may_make(step: t.Step) -> bool:
    """Return whether only the run decides if a step makes an object; births are then counted one by one."""
    record = lookup(step.op) if isinstance(step, t.Compute) else None
    if isinstance(record, Scalar):
        return record.otherwise is not None
    return isinstance(record, Update | Tensor) or (isinstance(record, Rearrange) and not record.inline)
