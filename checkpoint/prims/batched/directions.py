"""Tangents along several directions in one run: what steps do while it is running (checkpoint.ad.arrays).

In: duals whose tangents are Several, a stack over the directions. Out: such duals. The primals are computed
once. A tangent is computed for all directions at once where a batched rule (rules.py) has the bits of each
direction alone (exact.py), the tangent is the record itself at tangents or made by records (ByRecords), and
all arrays are NumPy's, of float64, integers or booleans. Else it is computed direction by direction.

What needs the tangents of one direction (a derivative within the program, a solver, a capsule) raises
NotTogether: the run is given up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, prod
from typing import Any

from checkpoint.ad.array_library import defaults, dtype_kind, is_default, namespace_of
from checkpoint.ad.arrays import ARRAYS, Array, ByRecords, Discrete, Memory, NotTogether, Several, array_of
from checkpoint.ad.containers import CONTAINERS
from checkpoint.ad.library import record_named
from checkpoint.ad.numbers import Dual, Node, apply, primal_at, zero
from checkpoint.ad.operands import exact_zero, leaves, with_leaves
from checkpoint.ad.record import Scalar
from checkpoint.ad.tensors import SAME, Tensor, tangents_of
from checkpoint.ad.tracing.traces import constant, refuse, traced
from checkpoint.ad.values import Pair
from checkpoint.prims.batched import direct
from checkpoint.prims.batched.exact import check_exact
from checkpoint.prims.batched.operands import Unfit
from checkpoint.prims.batched.program import NoForm
from checkpoint.prims.batched.rules import rule_of
from checkpoint.prims.batched.values import batch, data_of, is_batch

LARGEST = 2**17  # elements of an array of tangents: more leave the caches
FEWEST = 6  # directions for which a run of their own pays
AS_A_RECORD = 2**15  # elements of tangents that leave the caches: they take as long as the steps of a record


class Measure:
    """Counts in a run along one direction what one along several would do.

    records: the applications of records of arrays to duals. sizes: the elements of their arrays.
    is_plain: whether all these are NumPy's, of float64.
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what was counted: the run begins again."""
        self.records, self.sizes, self.is_plain = 0, [1], True

    def at_once(self, count: int, steps: int) -> int:
        """Return along how many of `count` further directions to run at once; 0: along one after another.

        steps: the number of the run's steps. Engine interp takes some 3 us for one, a record of arrays takes
        30 for one direction and up to 300 for several, a scalar step on engine c far less.
        """
        fitting = min(count, LARGEST // max(self.sizes))
        size = count if self._few_leave(count, fitting) else fitting
        is_worthwhile = self.is_plain and size >= FEWEST and steps <= 4 * count * self.records
        return size if is_worthwhile else 0

    def _few_leave(self, count: int, fitting: int) -> bool:
        """Return whether one run along all directions is less work than several within the caches."""
        leaving = count * sum(size for size in self.sizes if count * size > LARGEST)
        runs = -(-count // max(fitting, 1))
        return leaving <= AS_A_RECORD * self.records * (runs - 1)

    def of_scalar(self, record: Any, operands: Sequence[Any], tag: int, strict: bool) -> None:
        """Leave it to the usual way."""

    def of_result(
        self, record: Any, operands: Sequence[Any], primals: list[Any], result: Any, tag: int
    ) -> None:
        """Count an application."""
        self.records += 1
        for number in leaves(result):
            if type(number) is Array:
                self.sizes.append(prod(number.data.shape))
                self.is_plain = self.is_plain and _is_plain(number)

    def applied(self, record: Any, operands: Sequence[Any]) -> Several:
        """Refuse what does not occur along one direction."""
        raise NotTogether


class Together:
    """Computes the tangents along several directions, of which there are `count`, for duals of one tag."""

    def __init__(self, tag: int, count: int) -> None:
        self.tag = tag
        self.count = count

    def of_scalar(self, record: Scalar, operands: Sequence[Any], tag: int, strict: bool) -> Dual | None:
        """Return the dual that a scalar primitive gives; None if no tangent under the tag is Several."""
        if tag != self.tag or not any(_is_several(x, tag) for x in operands):
            return None
        refuse("a real with tangents")
        primals = [primal_at(x, tag) for x in operands]
        result = apply(record, primals, strict)
        if type(result) is not float or record.partials is None:
            raise NotTogether
        total: Any = None
        for i, partial in enumerate(record.partials):
            operand = operands[i]
            if type(operand) is not Dual or i in record.flat:
                continue
            if operand.tag != tag:
                raise NotTogether
            slope, tangent = partial(*primals, result), operand.tangent
            if record.singular and not isfinite(slope):
                raise NotTogether  # whether it contributes depends on each tangent
            term = slope * (tangent.stack if type(tangent) is Several else tangent)
            total = term if total is None else total + term
        return Dual(tag, result, Several(total))

    def of_result(
        self, record: Tensor, operands: Sequence[Any], primals: list[Any], result: Any, tag: int
    ) -> list[Any] | None:
        """Return the tangents of the numbers in a record's result; None if no tangent is Several."""
        if tag != self.tag or not any(_is_several(x, tag) for operand in operands for x in leaves(operand)):
            return None
        if type(result) is Array or type(result) is float:
            try:
                return [self._fitted(self._tangent(record, operands, primals, result), result)]
            except (NoForm, Unfit):
                pass  # no batched rule, or none for these operands, has the bits of each direction
        return self._by_direction(record, operands, primals, result)

    def applied(self, record: Tensor, operands: Sequence[Any]) -> Several:
        """Return the result of a record for operands with Several; NoForm or Unfit: not for all at once."""
        found = direct.at_once(record, operands)
        if found is not None:
            return Several(found)
        return self._by_rule(record, [_batched(x) for x in operands])

    def _by_rule(self, record: Tensor, operands: Sequence[Any]) -> Several:
        if not all(map(_is_plain, operands)):
            raise Unfit
        check_exact(record, operands)
        rule = rule_of(record)
        if rule is None:
            raise Unfit
        found = rule(record, operands)
        if not is_batch(found):
            raise Unfit
        return Several(data_of(found))

    def _tangent(self, record: Tensor, operands: Sequence[Any], primals: list[Any], result: Any) -> Several:
        """Return the tangent of a record's result, a number."""
        if record.linear:
            tangents = [
                self._tangent_of(x) if record.is_differentiated(position) else x
                for position, x in enumerate(operands)
            ]
            return self.applied(record, tangents)
        is_plain = all(map(_is_plain, (*primals, result)))
        total: Any = None
        for position, operand in enumerate(operands):
            has_tangent = any(type(x) is Dual and x.tag == self.tag for x in leaves(operand))
            if not has_tangent or (rule := record.jvp(position)) is None:
                continue
            if not (is_plain or rule is SAME):
                raise Unfit
            term = self._term(record, rule, position, self._tangent_of(operand), primals, result)
            total = term if total is None else self.applied(record_named("np.add"), (total, term))
        if type(total) is not Several:
            raise Unfit
        return total

    def _term(
        self, record: Tensor, rule: Any, position: int, tangent: Any, primals: list[Any], result: Any
    ) -> Any:
        """Return an operand's part of the tangent: Several, or an array that is alike for all directions."""
        if rule is SAME:
            return self.applied(record, [*primals[:position], tangent, *primals[position + 1 :]])
        if not isinstance(rule, ByRecords):
            raise Unfit
        if rule.itself is not None:
            name, first = rule.itself
            return self.applied(record_named(name), [first(_batched(tangent)), *primals[1:]])
        if type(tangent) in CONTAINERS:
            raise Unfit
        return rule(tangent, result, *primals)

    def _tangent_of(self, operand: Any) -> Any:
        """Return the tangent of an operand: of a number Several, or what is alike for all directions; in a
        container batches for Several.
        """
        if type(operand) is Dual and type(operand.tangent) is Several:
            return operand.tangent

        def other(number: Any) -> Any:
            return _batched(number.tangent) if type(number) is Dual else _constant(zero(number))

        return with_leaves(operand, other, lambda x: _constant(exact_zero(x)))

    def _fitted(self, tangent: Several, like: Any) -> Several:
        """Return a tangent with its number's shape in each direction; a rule may leave it to broadcasting."""
        stack = tangent.stack
        shape = () if type(like) is float else tuple(like.data.shape)
        own = tuple(stack.shape)[1:]
        if type(like) is float and prod(own) != 1:
            raise Unfit
        if type(like) is Array and like.data.dtype != stack.dtype:
            raise Unfit
        if own == shape:
            return tangent
        xp = namespace_of(stack)
        if prod(own) == prod(shape) == 1:
            return Several(traced(xp.reshape, stack, (self.count, *shape)))
        added = traced(xp.reshape, stack, (self.count, *(1,) * (len(shape) - len(own)), *own))
        return Several(traced(xp.broadcast_to, added, (self.count, *shape)))

    def _by_direction(
        self, record: Tensor, operands: Sequence[Any], primals: list[Any], result: Any
    ) -> list[Any]:
        """Return the tangents of the numbers in a record's result, found for one direction after another."""

        def along(k: int) -> Callable[[Any], Any]:
            return lambda x: Dual(self.tag, x.primal, part(x, k)) if _is_several(x, self.tag) else x

        refuse(f"{record.name} finds tangents one by one")
        rows = []
        for k in range(self.count):
            alone = [with_leaves(operand, along(k)) for operand in operands]
            rows.append(tangents_of(record, alone, primals, result, self.tag))
        return [stacked(column) for column in zip(*rows, strict=True)]


def stacked(tangents: Sequence[Any]) -> Several:
    """Return the tangents of one number along each direction as Several."""
    if type(tangents[0]) is float:
        return Several(_numpy().array(tangents))
    if type(tangents[0]) is not Array or not is_default(tangents[0].data):
        raise NotTogether
    return Several(_numpy().stack([x.data for x in tangents]))


def part(number: Dual, direction: int) -> Any:
    """Return the tangent of a dual along one direction."""
    found = number.tangent
    if type(found) is not Several:
        return found
    row = found.stack[direction]
    return float(row) if type(number.primal) is float else Array(row, Memory())


def _numpy() -> Any:
    """Return the functions of the default library, whose arrays all stacks are."""
    return defaults[0]


def _is_several(x: Any, tag: int) -> bool:
    return type(x) is Dual and x.tag == tag and type(x.tangent) is Several


def _constant(zeros: Any) -> Any:
    """Return zeros themselves, which depend on no element of any array."""
    if type(zeros) in ARRAYS:
        constant(zeros.data)
    return zeros


def _batched(x: Any) -> Any:
    """Return Several as a batch; anything else itself."""
    return batch(array_of(x.stack, Memory()), False) if type(x) is Several else x


def _is_plain(x: Any) -> bool:
    """Return whether all arrays in an operand are NumPy's, of float64, integers or booleans."""
    waiting = [x]
    while waiting:
        x = waiting.pop()
        kind = type(x)
        if kind is Array or kind is Discrete:
            if not is_default(x.data) or not (kind is Discrete or _is_double(x.data.dtype)):
                return False
        elif kind in CONTAINERS:  # or a batch
            waiting.extend(x.parts())
        elif kind is Dual or kind is Node or kind is Pair:
            return False
    return True


def _is_double(dtype: Any) -> bool:
    return dtype_kind(dtype) == "f" and int(dtype.itemsize) == _DOUBLE


_DOUBLE = 8  # bytes of a float64
