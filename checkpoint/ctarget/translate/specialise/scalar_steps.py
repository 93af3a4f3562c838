"""The rule for scalar primitives on numbers, by their definitions in C. (On duals: dual_steps.py.)

In: a block (steps.py), a step. Out: the place of its result; an Apply. What the machine does by other means
than a definition (scalar_step in vm_steps.c) is not translated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from checkpoint.ad.record import Scalar, lookup
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate.ops.check_ops import ExpectReal
from checkpoint.ctarget.translate.ops.places import Constant, Kind, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Domain
from checkpoint.ctarget.translate.ops.scalar_words import CHEAP
from checkpoint.ctarget.translate.specialise.builder import Expected
from checkpoint.ctarget.translate.specialise.steps import Steps
from checkpoint.ctarget.translate.specialise.values import Abstract
from checkpoint.scalars.definition import Definition, find

_PLAIN = frozenset(("real", "integer", "boolean"))
_PROBE = (7, 2)  # integers for which every definition has a value, whose kind is that of all its results


def of_numbers(steps: Steps, step: t.Compute, uses: Uses) -> Abstract | None:
    """Translate a scalar primitive; None: an operand is no number, or of a kind that it is not defined on.

    Numbers have no references, so none is taken or released.
    """
    operands = [steps.operand(operand) for operand in step.operands]
    numbers = tuple([value for value in operands if isinstance(value, Place | Constant)])
    found = kind_of_result(step.op, tuple([value.kind for value in numbers]))
    if found is None or len(numbers) < len(operands):
        return None
    domain, kind = found
    known = [value.value for value in numbers if isinstance(value, Constant)]
    if len(known) == len(numbers):
        folded = _folded(step.op, domain, known)
        if folded is not None and folded.kind == kind:
            return folded
    expected = _expected(steps, step.op, domain, numbers)
    if expected is not None and kind == "boolean":
        if steps.builder.knows:
            steps.node.ops += [ExpectReal(place, bits) for place, bits in expected.of]
            return Constant(bool(expected.number))
        steps.builder.could_know, expected = True, None
    to = steps.builder.place(step.name, kind)
    steps.node.ops.append(apply(step.op, domain, to, numbers, step.span.line))
    if expected is not None:
        steps.builder.expected[to] = expected
    return to


def _expected(steps: Steps, op: str, domain: Domain, operands: Sequence[Place | Constant]) -> Expected | None:
    """Return what a primitive on reals is expected to give; None: an operand may be any number."""
    known = steps.builder.expected
    roots = [known[each].of for each in operands if isinstance(each, Place) and each in known]
    if not roots or domain != "reals":
        return None
    values = [
        each.value if isinstance(each, Constant) else known[each].number
        for each in operands
        if isinstance(each, Constant) or each in known
    ]
    folded = _folded(op, domain, values) if len(values) == len(operands) else None
    if folded is None:
        return None
    return Expected(
        float(folded.value or 0.0), tuple(dict.fromkeys([root for each in roots for root in each]))
    )


def _folded(op: str, domain: Domain, known: Sequence[Any]) -> Constant | None:
    """Return the value on constants, where it is exactly what the machine computes; else None."""
    if domain == "integers":
        return _of_integers(op, tuple(known))
    definition = definition_of(op)
    if not all(isinstance(value, float) for value in known):
        return None
    if definition.partials is None:
        return Constant(bool(definition.value(*known)))
    return Constant(float(definition.value(*known))) if definition.name in CHEAP else None


def kind_of_result(op: str, kinds: tuple[Kind, ...]) -> tuple[Domain, Kind] | None:
    """Return how a primitive is done on operands of these kinds, and the kind of its result; None: not."""
    found = _facts(op)
    if found is None or found[1].arity != len(kinds) or not _PLAIN.issuperset(kinds):
        return None
    facts = found[1]
    of_reals: Kind = "boolean" if facts.is_predicate else "real"
    if all(kind == "real" for kind in kinds):
        return "reals", of_reals
    if not facts.takes_integers:
        return None
    if "real" in kinds:
        return "reals", of_reals
    if facts.has_integers and all(kind == "integer" for kind in kinds):
        return "integers", _kind_of_integers(op)
    return None


def apply(op: str, domain: Domain, to: Place, operands: tuple[Source, ...], line: int) -> Apply:
    """Return the op that does a primitive, as kind_of_result says."""
    found, record = _facts(op), lookup(op)
    assert found is not None
    assert isinstance(record, Scalar)
    return Apply(to, found[0], domain, operands, found[1].singular, record.needs, line)


def definition_of(op: str) -> Definition:
    """Return the definition that a primitive is, which kind_of_result knows."""
    found = _facts(op)
    assert found is not None
    return find(found[0])


def definition_named(op: str) -> str | None:
    """Return the name of the definition that a primitive is; None: it is none."""
    found = _facts(op)
    return None if found is None else found[0]


@cache
def _facts(op: str) -> tuple[str, Any] | None:
    """Return the name of a primitive's definition, and what scalars.h says of it; None: it has none."""
    lib = runtime().lib
    number = lib.ck_scalar_number(op.encode())
    if number == lib.NO_SCALAR:
        return None
    return runtime().ffi.string(lib.ck_scalar_name(number)).decode(), lib.ck_scalar_facts(number)


@cache
def _kind_of_integers(op: str) -> Kind:
    """Return the kind of what a primitive gives for integers."""
    found = _of_integers(op, _PROBE)
    assert found is not None
    return found.kind


def _of_integers(op: str, operands: tuple[int, ...]) -> Constant | None:
    """Return what a primitive gives for integers; None: the machine refuses it."""
    module = runtime()
    number = module.lib.ck_scalar_number(op.encode())
    kind, integer, real = module.ffi.new("int *"), module.ffi.new("int64_t *"), module.ffi.new("double *")
    if not module.lib.ck_scalar_integers(number, list(operands), kind, integer, real):
        return None
    if kind[0] == module.lib.REAL:
        return Constant(real[0])
    return Constant(bool(integer[0]) if kind[0] == module.lib.BOOLEAN else integer[0])
