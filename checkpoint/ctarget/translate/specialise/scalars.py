"""How translated code does scalar primitives: by their definitions in ctemplates/scalars/scalars.def.

In: the name of a record and the kinds of its operands. Out: the Apply that does it, or None where translated
code
cannot: what the machine does by other means (scalar_step in ctemplates/machine/vm_steps.c) it does there.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from checkpoint.ad.record import Scalar, lookup
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate.ops.places import Kind, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Apply

Domain = Literal["reals", "integers"]
_PROBE = (7, 2)  # integers on which every definition has a value: their result tells its kind


@cache
def _facts(op: str) -> tuple[str, Any] | None:
    """The definition of a primitive, and what ctemplates/scalars/scalars.h says of it."""
    lib = runtime().lib
    number = lib.ck_scalar_number(op.encode())
    if number == lib.NO_SCALAR:
        return None
    return runtime().ffi.string(lib.ck_scalar_name(number)).decode(), lib.ck_scalar_facts(number)


@cache
def _of_integers(op: str) -> Kind:
    """The kind of what a definition gives for integers."""
    module = runtime()
    number = module.lib.ck_scalar_number(op.encode())
    kind, integer, real = module.ffi.new("int *"), module.ffi.new("int64_t *"), module.ffi.new("double *")
    module.lib.ck_scalar_integers(number, list(_PROBE), kind, integer, real)
    kinds: dict[int, Kind] = {
        module.lib.REAL: "real",
        module.lib.INTEGER: "integer",
        module.lib.BOOLEAN: "boolean",
    }
    return kinds[kind[0]]


def kind_of_result(op: str, kinds: tuple[Kind, ...]) -> tuple[Domain, Kind] | None:
    """How a primitive is done on operands of such kinds, and the kind of its result; None: it is not."""
    found = _facts(op)
    if found is None or found[1].arity != len(kinds) or "value" in kinds:
        return None
    facts = found[1]
    of_reals: Kind = "boolean" if facts.tells else "real"
    if all(kind == "real" for kind in kinds):
        return "reals", of_reals
    if not facts.takes_integers:
        return None
    if "real" in kinds:
        return "reals", of_reals
    if facts.has_integers and all(kind == "integer" for kind in kinds):
        return "integers", _of_integers(op)
    return None


def apply(op: str, domain: Domain, to: Place, operands: tuple[Source, ...], line: int) -> Apply:
    """The op that does a primitive, as kind_of_result says."""
    found, record = _facts(op), lookup(op)
    assert found is not None
    assert isinstance(record, Scalar)
    return Apply(to, found[0], domain, operands, found[1].singular, record.needs, line)
