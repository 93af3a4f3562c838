"""The canonical listing of procedures, and its hash, by which a file and a program know that they agree.

In: a lambda of a prepared program. Out: SHA-256 of its blocks and of those of all procedures that it names,
in the order in which they are met. A listing has no positions, paths, addresses or names of variables: slots,
labels and procedures have ordinals. So it is the same in every process, wherever the text lies and whatever
is around it, and any other constant, primitive or order of steps makes another one.

    procedure arity captures environment shown
    block explicit (x ...)                    then its steps and its end, a line each

Containers among constants are written part by part, so nothing recurses.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from checkpoint.ad.containers import Dict, Record
from checkpoint.ad.graph import ATOMS, parts_of
from checkpoint.ad.values import Closure
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.interp.hybrid.code import ProcedureCode
from checkpoint.interp.hybrid.later import code_of
from checkpoint.lang.constants import constant_text
from checkpoint.lang.core import Lambda

_KEY = "durable"  # of the hash among what a lambda is compiled to


def digest_of(lam: Lambda) -> bytes:
    """Return the hash of a procedure and of all that its code names, made on first use."""
    found = lam.compiled.get(_KEY)
    if not isinstance(found, bytes):
        found = lam.compiled[_KEY] = _Listing(lam).digest()
    return found


class _Listing:
    """The listing of a procedure. ordinals: of the procedures met so far."""

    def __init__(self, lam: Lambda) -> None:
        self.ordinals = {lam: 0}
        self.pending = [lam]
        self.lines: list[str] = []

    def digest(self) -> bytes:
        found = sha256()
        while self.pending:
            self._procedure(code_of(self.pending.pop()))
            found.update("\n".join(self.lines).encode("utf-8", "surrogatepass"))
            self.lines = []
        return found.digest()

    def _procedure(self, code: ProcedureCode) -> None:
        procedure = code.procedure
        slots = _Slots()
        labels = {label: f"#{i}" for i, label in enumerate(procedure.blocks)}
        facts = (code.arity, len(procedure.captures), code.passes_env, code.shown)
        self.lines.append(f"procedure {facts} {labels[procedure.entry]}")
        for block in procedure.blocks.values():
            self.lines.append(f"block {block.explicit} {slots.all(block.params)}")
            for step in block.steps:
                self.lines.append(self._step(step, slots))
            self.lines.append(self._end(block.end, slots, labels))

    def _step(self, step: t.Step, slots: _Slots) -> str:
        match step:
            case t.Read():
                return f"read {self._operand(step.operand, slots)}"
            case t.Copy():
                return f"{slots[step.name]} copy {self._operand(step.operand, slots)}"
            case t.Compute():
                operands = " ".join([self._operand(x, slots) for x in step.operands])
                return f"{slots[step.name]} {step.op} {operands}"
            case b.MakeClosure():
                return f"{slots[step.name]} close {self._ordinal(step.lam)} {slots.all(step.captures)}"
            case b.MakeMember():
                env = "" if step.env is None else slots[step.env]
                return f"{slots[step.name]} member {self._ordinal(step.lam)} {env}"
            case b.Letrec():
                return f"letrec {' '.join([_group(group, slots) for group in step.groups])}"
        raise TypeError(f"a step that is not listed: {type(step).__name__}")

    def _end(self, end: b.End, slots: _Slots, labels: dict[str, str]) -> str:
        counted = "uncounted" if end.span is None else "counted"
        operands = " ".join([self._operand(x, slots) for x in b.operands_of_end(end)])
        to = " ".join([labels[label] for label in b.targets(end)])
        return f"{type(end).__name__} {counted} {getattr(end, 'op', '')} ({operands}) {to}"

    def _operand(self, operand: t.Operand, slots: _Slots) -> str:
        return slots[operand] if isinstance(operand, str) else self._constant(operand.value)

    def _ordinal(self, lam: Lambda) -> str:
        if lam not in self.ordinals:
            self.ordinals[lam] = len(self.ordinals)
            self.pending.append(lam)
        return f"@{self.ordinals[lam]}"

    def _constant(self, root: Any) -> str:
        """Return a constant as text, its parts after it."""
        found: list[str] = []
        pending = [root]
        while pending:
            value = pending.pop()
            kind = type(value)
            if kind is float:
                found.append(f"real {struct.pack('<d', value).hex()}")
            elif kind in ATOMS:
                found.append(constant_text(value))
            elif kind is Closure:
                found.append(self._ordinal(value.lam))
                pending.append(value.env)
            else:
                found.append(_head(value))
                pending.extend(reversed(parts_of(value)))
        return f"[{' '.join(found)}]"


class _Slots(dict[str, str]):
    """The slots of a procedure, by their ordinals, in the order in which they are met."""

    def __missing__(self, name: str) -> str:
        found = self[name] = f"%{len(self)}"
        return found

    def all(self, names: Iterable[str]) -> str:
        return f"({' '.join([self[name] for name in names])})"


def _group(group: b.MakeEnvironment | b.CopyCaptures, slots: _Slots) -> str:
    if isinstance(group, b.MakeEnvironment):
        return f"({slots[group.name]} env {slots.all(group.captures)})"
    return f"({' '.join([f'{slots[new]} {slots[source]}' for new, source in group.pairs])})"


def _head(value: Any) -> str:
    """Return what is to be known of a container beside its parts."""
    detail = ""
    if type(value) is Record:
        detail = constant_text(value.layout)
    elif type(value) is Dict:
        detail = repr(list(value.items))
    return f"{type(value).__name__} {len(parts_of(value))} {detail}"
