"""Functions of arrays: their records, and how a record is applied to numbers of any kind.

In: a Tensor record and its operands (checkpoint.ad.operands). Out: an array, a real, a boolean, or a tuple or
list of these. The functions of a record take native operands.

- Of duals, the highest of the outermost tags is split off, as for scalars (checkpoint.ad.numbers). The jvp
  rules apply records, so that higher derivatives need no further rules.
- On a tape an entry stores the operands and the result, as far as a vjp rule reads them. The vjp rules work
  on a library's arrays: a tape never holds a tape.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, cast

from checkpoint.ad.activity import mark_result, wanted_positions
from checkpoint.ad.array_library import functions_for, is_default, namespace, read_only_copy, zeros_beside
from checkpoint.ad.arrays import (
    ARRAYS,
    Array,
    Discrete,
    Memory,
    Native,
    Several,
    along_several,
    changeable_data,
    directions,
)
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.numbers import NUMBERS, Dual, Node, Tape, fresh, real_part, zero
from checkpoint.ad.operands import (
    has_tag,
    holds_array,
    leaves,
    native,
    natives_of,
    natives_without_derivatives,
    parts_of,
    primal_of,
    tangent_of,
    value_of,
    with_leaves,
)
from checkpoint.ad.pullbacks import Pull, Pullback
from checkpoint.ad.record import Primitive, Update, lookup
from checkpoint.ad.storage import in_place, supersede
from checkpoint.ad.tables import Table, called
from checkpoint.ad.tracing.traces import evaluated, refuse, traced
from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError

Rule = Callable[..., Any]


class Same:
    """The type of SAME."""


SAME = Same()  # the jvp rule of an operand in which the function is linear: apply it to the tangent


@dataclass(frozen=True, kw_only=True)
class Tensor(Primitive):
    """A function of arrays. Its functions take xp, the namespace of the arrays' library, with NumPy's names.

    value(xp, *operands): the function; its parameters after xp are those of the primitive, with the defaults
        of those that a call may leave out; a *parameter makes the primitive variadic.
    vjps: for each operand vjp(xp, g, y, *operands), which returns the operand's cotangent for the cotangent g
        of the result y: an array of the operand's shape and dtype or a Scattered, a float for a float, a list
        for a list. If y is a tuple, so is g. None for an operand that has no derivative. With `pull` they are
        left out, and made of it.
    pull(xp, wanted, g, y, saved, *operands): returns the cotangents of the operands at the positions
        `wanted`, in that order, where they share work. Two of them share no elements, except those of g.
        saved: what `saves` has saved; () without it.
    saves(xp, wanted, *operands): returns (y, saved): the value, to the last bit what `value` returns, and a
        tuple of arrays and plain numbers that `pull` reuses. It is called in place of `value` on a tape.
    saves_uncounted(xp, wanted, *operands): the same where nobody counts bytes: `saved` need not show them.
    jvps: for each operand SAME, or jvp(tangent, y, *operands), which returns the operand's part of the
        tangent of y. It takes numbers of the language and calls records.
    linear: whether the function is linear in all its differentiable operands together, so that the tangent of
        the result is the function of their tangents, zeros where there is none. jvps is then left out.
    needs: for each operand the positions that its vjp, or `pull` for it, reads, where RESULT or the number of
        operands is the result; None for all. Only shape and dtype are stored of arrays that no rule reads.
    operator: a row of the table in ctemplates/arrays/operators.c, or a slope of scalars.def, by its name: C
        then applies the function and reverses it in the plain cases, without the functions here.
    views: whether the result, or a part of it, may show the elements of operands.
    changes: whether in Python the first operand is changed; the result is the changed array.
    in_place(xp, *operands): changes the first operand itself; called only if nobody else holds it.
    writes(*operands): returns the index of the elements that the last operand overwrites; None: all elements.
    variadic: whether the last rule serves all further operands; it is then passed position=, the operand's.
    shape: the shapes of operands and result, in words or in NumPy's notation: (n, k), (k, m) -> (n, m).
    convention: the value of the derivative where the function is not differentiable, in words.
    samples(rng): returns operands to test it on, a list of tuples; rng is a numpy.random.Generator.
    overloads: the names of the primitives of Python programs that it replaces where an operand is an array.
    of_first: whether it replaces them only where the first operand is an array.
    methods: the names of the methods of arrays that it implements, with the array as first operand.
    """

    value: Callable[..., Any]
    vjps: tuple[Rule | None, ...] = ()
    pull: Callable[..., Sequence[Any]] | None = None
    saves: Callable[..., tuple[Any, tuple[Any, ...]]] | None = None
    saves_uncounted: Callable[..., tuple[Any, tuple[Any, ...]]] | None = None
    jvps: tuple[Rule | Same | None, ...] = ()
    linear: bool = False
    needs: tuple[tuple[int, ...], ...] | None = None
    operator: str = ""
    views: bool = False
    changes: bool = False
    in_place: Callable[..., Any] | None = None
    writes: Callable[..., Any] | None = None
    variadic: bool = False
    shape: str
    convention: str = ""
    samples: Callable[[Any], list[tuple[Any, ...]]]
    overloads: tuple[str, ...] = ()
    of_first: bool = False
    methods: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.saves is not None and (self.pull is None or self.changes):
            raise InternalError(f"the record of {self.name} saves for no pull, or changes an operand")
        if self.pull is not None and not self.vjps:
            alone = [
                None if rule is None else functools.partial(self._pulled_alone, position)
                for position, rule in enumerate(self.jvps)
            ]
            object.__setattr__(self, "vjps", tuple(alone))
        if not self.vjps or (not self.linear and len(self.jvps) != len(self.vjps)):
            raise InternalError(f"the record of {self.name} has {len(self.vjps)} vjps, {len(self.jvps)} jvps")

    def _pulled_alone(
        self, last: int, xp: Any, g: Any, y: Any, *operands: Any, position: int | None = None
    ) -> Any:
        """Return the cotangent of one operand by `pull`."""
        wanted = (last if position is None else position,)
        assert self.pull is not None
        saved = () if self.saves is None else self.saves(xp, wanted, *operands)[1]
        return self.pull(xp, wanted, g, y, saved, *operands)[0]

    def __call__(self, *operands: Any) -> Any:
        """Return the function's value for numbers of the language, or for a library's own arrays."""
        for operand in operands:
            if type(operand) in _HANDLES:
                return apply(ALWAYS, self, operands)
        return evaluated(self, namespace(operands), operands)

    def vjp(self, position: int) -> Rule | None:
        """Return the vjp rule of an operand; None if it has no derivative."""
        rule: Rule | None = _rule(self, self.vjps, position)
        return rule

    def is_differentiated(self, position: int) -> bool:
        """Return whether an operand has a derivative: whether `vjp` returns a rule."""
        rules = self.vjps
        if position < len(rules):
            return rules[position] is not None
        return self.variadic and rules[-1] is not None

    def jvp(self, position: int) -> Rule | Same | None:
        """Return the jvp rule of an operand; None if it has no derivative."""
        rule: Rule | Same | None = _rule(self, self.jvps, position)
        return rule


def _rule(record: Tensor, rules: tuple[Any, ...], position: int) -> Any:
    last = len(rules) - 1
    if position < last or not record.variadic:
        return rules[position] if position <= last else None
    rule = rules[last]
    return rule if rule is None or rule is SAME else functools.partial(rule, position=position)


class _Always:
    """The `now` of derivative arithmetic, outside of any run: no handle is stale there."""

    steps = -1
    owner = None


ALWAYS = _Always()
_HANDLES = frozenset((Array, Discrete, Dual, Node, Several))

# Applying


def apply(now: Any, record: Tensor, operands: Sequence[Any], literals: int = 0) -> Any:
    """Return the result of a record for operands with numbers of any kind; nothing is changed in place.

    literals: the bits of the operands that are constants whatever they are (checkpoint.ad.activity).
    """
    natives = natives_of(now, operands)
    if natives is not None:
        made = evaluated(record, functions_for(record.name, natives), natives)
        return handle(now, record, operands, made, literals)
    tag = tape = None
    for operand in operands:
        if type(operand) is Several:
            return along_several(record, operands)
        for number in leaves(operand):
            kind = type(number)
            if kind is Dual:
                tag = number.tag if tag is None or number.tag > tag else tag
            elif kind is Node and tape is None:
                tape = number.tape
    if tag is not None:
        return _on_duals(now, record, operands, tag, literals)
    if tape is not None:
        return _on_tape(now, record, operands, tape, literals)
    return plain(now, record, operands, literals)[0]


def plain(
    now: Any,
    record: Tensor,
    operands: Sequence[Any],
    literals: int = 0,
    wanted: tuple[int, ...] = (),
    counts: bool = True,
) -> tuple[Any, list[Any], Any, tuple[Any, ...]]:
    """Return the result of a record without derivatives, the native operands and result, and what it saves.

    wanted: the positions of the operands that are to receive a cotangent.
    counts: whether anybody counts the bytes of what it saves.
    """
    if type(operands[0]) is Table and record.name.startswith("ndarray."):
        result = called(record.name, operands[0], operands[1:])
        return value_of(now, result), [], result, ()
    natives = [native(now, operand) for operand in operands]
    result, saved = valued(record, natives, wanted, counts)
    return handle(now, record, operands, result, literals), natives, result, saved


def valued(
    record: Tensor, natives: list[Any], wanted: tuple[int, ...], counts: bool = True
) -> tuple[Any, tuple[Any, ...]]:
    """Return the native result of a record, and what it saves; counts: as in `plain`."""
    xp = functions_for(record.name, natives)
    saves = record.saves if counts else record.saves_uncounted or record.saves
    if not wanted or saves is None:
        return evaluated(record, xp, natives), ()
    found: tuple[Any, tuple[Any, ...]] = traced(saves, xp, wanted, *natives)
    return found


def handle(now: Any, record: Tensor, operands: Sequence[Any], result: Any, literals: int = 0) -> Any:
    """Return the native result of a record as a value of the language."""
    shown: list[Any] = []
    if record.views:
        shown = [real_part(x) for x in operands]
    made = value_of(now, result, [x for x in shown if type(x) in ARRAYS])
    mark_result(record, operands, literals, made)
    return made


def changes_here(record: Tensor, operands: Sequence[Any]) -> bool:
    """Return whether applying a record changes its first operand: only arrays with __setitem__ change."""
    if not record.changes or not holds_array(operands[:1]):
        return False
    return hasattr(type(real_part(operands[0]).data), "__setitem__")


def perform(
    now: Any, step: int, record: Tensor, operands: Sequence[Any], apart: bool = False, literals: int = 0
) -> Any:
    """Return the result of a record as a step of a run; an operand that it changes is stale from `step` on.

    apart: whether to leave the operand's elements alone, even if they could be changed in place.
    """
    if not changes_here(record, operands):
        return apply(now, record, operands, literals)
    refuse("an array that changes")
    array = real_part(operands[0])
    data = data_to_change(now, record, operands, array)
    alone = array is operands[0] and in_place(now, array) and record.in_place is not None
    natives = natives_without_derivatives(now, operands) if alone and not apart else None
    if natives is not None:
        assert record.in_place is not None
        record.in_place(functions_for(record.name, natives), *natives)
        result: Any = type(array)(data, Memory(now.owner))
        mark_result(record, operands, literals, result)
    else:
        result = apply(now, record, operands, literals)
    supersede(array, step)
    return result


def data_to_change(now: Any, record: Tensor, operands: Sequence[Any], array: Array | Discrete) -> Any:
    """Return the elements of the first operand's array, for a record to change; RunError if it may not.

    If the library's array is read-only, the change is first tried on a read-only copy, so that the library
    raises its own error; np.add.at would change the array all the same.
    """
    kept = read_only_copy(array.data)
    if kept is not None and record.in_place is not None:
        record.in_place(namespace([kept]), kept, *[native(now, operand) for operand in operands[1:]])
    return changeable_data(now, array)


# Forward


def _on_duals(now: Any, record: Tensor, operands: Sequence[Any], tag: int, literals: int) -> Any:
    primals = [primal_of(operand, tag) for operand in operands]
    result = apply(now, record, primals, literals)
    if type(result) not in NUMBERS and not leaves(result):
        return result
    together = directions.get()
    made = None if together is None else together.of_result(record, operands, primals, result, tag)
    tangents = tangents_of(record, operands, primals, result, tag) if made is None else made
    rest = iter(tangents)
    return with_leaves(result, lambda number: Dual(tag, number, next(rest)))


def tangents_of(
    record: Tensor, operands: Sequence[Any], primals: list[Any], result: Any, tag: int
) -> list[Any]:
    """Return the tangents of the numbers in a record's result, new numbers."""
    tangent = _tangent(record, operands, primals, result, tag)
    found = leaves(result)
    others = [None] * len(found) if tangent is None else parts_of(tangent)
    if len(others) != len(found):
        raise InternalError(f"the rule for tangents of {record.name} gives another structure than its value")
    return [
        zero(number) if other is None else fresh(_fitted(other, number))
        for number, other in zip(found, others, strict=True)
    ]


def _tangent(record: Tensor, operands: Sequence[Any], primals: list[Any], result: Any, tag: int) -> Any:
    """Return the tangent of the result; None means zero."""
    if record.linear:
        tangents = [
            tangent_of(x, tag) if record.is_differentiated(position) else x
            for position, x in enumerate(operands)
        ]
        return record_of(record, tangents)
    total = None
    for position, operand in enumerate(operands):
        if not has_tag(operand, tag) or (rule := record.jvp(position)) is None:
            continue
        tangent = tangent_of(operand, tag)
        if isinstance(rule, Same):
            term = record_of(record, [*primals[:position], tangent, *primals[position + 1 :]])
        else:
            term = rule(tangent, result, *primals)
        total = term if total is None else _sum(total, term)
    return total


def record_of(record: Tensor, operands: Sequence[Any]) -> Any:
    """Return the result of a record in derivative arithmetic."""
    return apply(ALWAYS, record, operands)


def _sum(x: Any, y: Any) -> Any:
    if isinstance(x, tuple):
        return tuple([b if a is None else a if b is None else _sum(a, b) for a, b in zip(x, y, strict=True)])
    return record_of(cast(Tensor, lookup("np.add")), (x, y))


def _fitted(tangent: Any, like: Any) -> Any:
    """Return a tangent with its number's shape and dtype, which a rule may leave to broadcasting."""
    value, other = real_part(like), real_part(tangent)
    if type(value) is not Array:
        return tangent if type(other) is float else record_of(cast(Tensor, lookup("np.float")), (tangent,))
    shape, dtype = tuple(value.data.shape), value.data.dtype
    if type(other) is not Array and not is_default(value.data):
        # A number tells neither the library nor the device.
        zeros = Array(zeros_beside(value.data, shape, dtype), Memory())
        return record_of(cast(Tensor, lookup("np.add")), (zeros, tangent))
    if type(other) is not Array or tuple(other.data.shape) != shape:
        tangent = record_of(cast(Tensor, lookup("np.broadcast_to")), (tangent, Record(TUPLE, shape)))
        other = real_part(tangent)
    if other.data.dtype != dtype:
        tangent = record_of(cast(Tensor, lookup("np.astype")), (tangent, Native(dtype)))
    return tangent


# Reverse


def _on_tape(now: Any, record: Tensor, operands: Sequence[Any], tape: Tape, literals: int) -> Any:
    wanted = wanted_positions(record, operands, lambda x: type(x) is Node, literals)
    result, natives, data, saved = plain(now, record, operands, literals, wanted)
    values = leaves(result)
    if not wanted or not values:
        return result
    outputs = [tape.leaf(value) for value in values]
    inputs = [number for i in wanted for number in leaves(operands[i])]
    tape.entries.append(Pull(outputs, inputs, Pullback(record, natives, data, wanted, saved)))
    rest = iter(outputs)
    return with_leaves(result, lambda _: next(rest))


def changes_operand(record: Primitive) -> bool:
    """Return whether applying a record may change its first operand in place."""
    return isinstance(record, Update) or (isinstance(record, Tensor) and record.changes)
