"""The rule for scalar primitives on duals: forward mode, with the parts of duals in places of their own.

In: a block (steps.py), a step of which an operand is a dual. Out: a virtual dual, made only where the unit
exits.

What always holds: the result is that of numbers_apply (numbers.c), in every bit. A primitive on duals of
reals with one tag is two operations; on duals of duals it is what the rule for duals makes of primitives on
their parts, in its order, so the adjoint has that of the tape of a step. The unit exits where tags are not in
the order that was expected when it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.nested.tangents import tangent
from checkpoint.ctarget.translate.ops.check_ops import Finite, Same
from checkpoint.ctarget.translate.ops.dual_ops import Newer
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.ops.scalar_ops import Apply
from checkpoint.ctarget.translate.specialise.builder import WITH_COTANGENTS
from checkpoint.ctarget.translate.specialise.scalar_steps import apply, definition_of, kind_of_result
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Held, Virtual, is_dual
from checkpoint.dataclass import dataclass
from checkpoint.scalars import algebra
from checkpoint.scalars.definition import Definition, find

assert "DUAL" in WITH_COTANGENTS


def of_duals(steps: Steps, step: t.Compute, uses: Uses) -> Abstract | None:
    """Translate a scalar primitive with an operand that is a dual; None: this rule does not apply."""
    values = [_opened(steps, operand) for operand in step.operands]
    reals = tuple([real for value in values if isinstance(real := _real(value), Place | Constant)])
    found = kind_of_result(step.op, tuple([each.kind for each in reals]))
    if not any(map(is_dual, values)) or found is None or len(reals) < len(values):
        return None
    domain, kind = found

    def on_reals(name: str, operands: tuple[Place | Constant, ...]) -> Place:
        result = steps.builder.place(name, kind)
        steps.node.ops.append(apply(step.op, domain, result, operands, step.span.line))
        return result

    if kind == "real":
        made = _Application(steps, step.name, step.span.line).of(definition_of(step.op), values, on_reals)
    else:
        made = on_reals(step.name, reals)
    steps.release_used(step, uses)
    return made


@dataclass(frozen=True, slots=True)
class _Application:
    """The application of a definition to numbers of any kind, as operations of a node.

    name: of the step's slot; line: in the program.
    """

    steps: Steps
    name: str
    line: int

    def of(self, definition: Definition, values: Sequence[Abstract], on_reals: OnReals) -> Abstract:
        """Return the result. on_reals: adds what computes it on the reals under all tags."""
        duals = [value for value in values if isinstance(value, Virtual)]
        if not duals:
            return on_reals(self.name, _as_sources(values))
        tag = self._newest(duals)
        primals = [value.cells[0] if _has(value, tag) else value for value in values]
        result = self.of(definition, primals, on_reals)
        tangents = [value.cells[1] if _has(value, tag) else None for value in values]
        if any(isinstance(part, Virtual) for part in (*primals, *tangents)):
            return Virtual("DUAL", [result, self._tangent(definition, primals, result, tangents)], tag)
        assert isinstance(result, Place)
        to = self.steps.builder.place(f"{self.name}_tangent", "real")
        sources = tuple([value if isinstance(value, Place | Constant) else None for value in tangents])
        self.steps.node.ops.append(
            tangent(definition.name, _as_sources(primals), result, sources, to, self._new_real)
        )
        return Virtual("DUAL", [result, to], tag)

    def _new_real(self) -> Place:
        return self.steps.builder.place(self.name, "real")

    def _newest(self, duals: Sequence[Virtual]) -> Place:
        """Return the newest tag of some duals; tags expected to be the same are one from here on."""
        newest = duals[0].birth
        for other in duals[1:]:
            order = related(self.steps, newest, other.birth)
            if order < 0:
                newest = other.birth
            elif order == 0:
                other.birth = newest
        return newest

    def _tangent(
        self,
        definition: Definition,
        primals: list[Abstract],
        result: Abstract,
        tangents: list[Abstract | None],
    ) -> Abstract:
        """Return the sum of partial times tangent, from the left, of which some are duals. The unit exits
        where a partial is infinite: then what is left out depends on the tangent.
        """
        total: Abstract | None = None
        for i, part in enumerate(definition.scalar_derivatives):
            value = tangents[i]
            if value is None or i in definition.flat:
                continue
            slope = self._partial(part, [*primals, result])
            if definition.singular and (parts := tuple(_parts(slope))):
                self.steps.node.ops.append(Finite(parts))
            term = self._done("multiply", [slope, value])
            total = term if total is None else self._done("add", [total, term])
        return Constant(0.0) if total is None else total

    def _done(self, name: str, values: list[Abstract]) -> Abstract:
        found = find(name)

        def on_reals(name: str, operands: tuple[Place | Constant, ...]) -> Place:
            result = self.steps.builder.place(name, "real")
            op = Apply(result, found.name, "reals", operands, found.singular, found.needs, self.line)
            self.steps.node.ops.append(op)
            return result

        return self.of(found, values, on_reals)

    def _partial(self, part: algebra.Expr | algebra.Test, operands: list[Abstract]) -> Abstract:
        match part:
            case algebra.Operand():
                return operands[part.position]
            case algebra.Constant():
                return Constant(float(part.value))
            case algebra.Call() if algebra.find_step_function(part.name) is None:
                return self._done(part.name, [self._partial(each, operands) for each in part.operands])
        raise Untranslatable


OnReals = Callable[[str, tuple[Place | Constant, ...]], Place]


def related(steps: Steps, tag: Place, other: Place) -> int:
    """Return whether a tag is newer than another one (1), the same (0) or older (-1), as it is expected; the
    unit exits where it is not.
    """
    if tag is other:
        return 0
    age, its = (steps.builder.ages.get(each, 0) for each in (tag, other))
    if age == its:
        steps.node.ops.append(Same(tag, other))
        steps.state.share_tag(tag, other)
        return 0
    steps.node.ops.append(Newer(tag, other) if age > its else Newer(other, tag))
    return 1 if age > its else -1


def number_under(steps: Steps, operand: t.Operand) -> Abstract:
    """Return the value of an operand, of a dual the real under all tags: for steps without a derivative."""
    return _real(_opened(steps, operand))


def _opened(steps: Steps, operand: t.Operand) -> Abstract:
    """Return the value of an operand; a dual that is an object is replaced by a virtual one, for good."""
    value = steps.operand(operand)
    if not isinstance(operand, str) or not isinstance(value, Held) or value.tag != "DUAL":
        return value
    if value.hint is None or any(field.tag != "REAL" for field in value.hint.fields):
        return value
    opened = steps.opened_dual(operand, value.hint.number, value.place, None, None)
    steps.release(value)
    steps.state.slots[operand] = opened
    return opened


def _real(value: Abstract) -> Abstract:
    """Return the real under all tags of a dual, or else the value itself."""
    while isinstance(value, Virtual) and is_dual(value):
        value = value.cells[0]
    return value


def _parts(value: Abstract) -> Iterator[Place]:
    """Yield the places of the reals that a number consists of."""
    if isinstance(value, Place):
        yield value
    for cell in value.cells if isinstance(value, Virtual) else ():
        yield from _parts(cell)


def _has(value: Abstract, tag: Place) -> TypeGuard[Virtual]:
    return isinstance(value, Virtual) and value.birth is tag


def _as_sources(values: Sequence[Abstract]) -> tuple[Place | Constant, ...]:
    found = tuple([value for value in values if isinstance(value, Place | Constant)])
    assert len(found) == len(values)
    return found
