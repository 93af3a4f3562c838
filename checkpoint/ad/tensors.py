"""Functions of arrays: what a record says, and how it is applied to numbers of any kind.

Comes in: a Tensor record and its operands: arrays, reals, and what says how (integers, strings, None, dtypes,
slices); lists and tuples of such. Goes out: an array, a real, a boolean, or a tuple or list of such. The
functions of a record work on a library's own arrays, with Python's own objects beside them.

- Among duals the highest outermost tag is split off, as for scalars (checkpoint.ad.numbers). The rules of
  tangents are made of records, so that derivatives of derivatives need no further rules.
- On a tape an entry keeps the operands and the result, as far as a rule needs them. The rules of cotangents
  are on a library's arrays: a tape never holds a tape.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from checkpoint.ad.arrays import (
    ARRAYS,
    Array,
    Discrete,
    Memory,
    Native,
    array_of,
    backend_of,
    backends,
    changeable_data,
    namespace,
    read_only_copy,
)
from checkpoint.ad.containers import TUPLE, Layout, List, Record
from checkpoint.ad.numbers import (
    DERIVED,
    INTEGERS,
    NUMBERS,
    Dual,
    Node,
    Tape,
    fresh,
    highest_tag,
    primal_at,
    real_part,
    tangent_at,
    zero,
)
from checkpoint.ad.operands import holds_array, leaves, native, natives_of, with_leaves
from checkpoint.ad.pullbacks import Pull, Pullback
from checkpoint.ad.record import Primitive, Update, lookup
from checkpoint.ad.storage import CONSTANT, in_place, supersede
from checkpoint.ad.values import list_value
from checkpoint.errors import InternalError

Rule = Callable[..., Any]


class _Same:
    """The type of SAME."""


SAME = _Same()  # the rule of an operand in which the function is linear: it is applied to the tangent


@dataclass(frozen=True, kw_only=True)
class Tensor(Primitive):
    """A function of arrays. xp: the namespace of their library, with NumPy's names.

    value(xp, *operands): its parameters after xp are those of the primitive, their defaults what a call may
        leave out; a *parameter makes the primitive variadic.
    vjps: by operand, vjp(xp, g, y, *operands): the operand's cotangent, for g that of the result y: an array
        of the operand's shape and dtype, or a Scattered; a float for a float; a list of these for a list. Of
        a result that is a tuple g is one, too. None: the operand is never differentiated.
    jvps: by operand, SAME, or jvp(tangent, y, *operands) on numbers of the language, made of records (a
        record is applied by calling it): what the operand's tangent contributes to that of y.
    linear: the function is linear in all its differentiable operands together: the tangent of the result is
        the function of their tangents, with zeros where there is none. jvps is then left out.
    needs: by operand, the positions that its vjp reads, that of the result being RESULT or the number of
        operands; None: all. Of what no rule reads only shape and dtype are kept.
    views: the result, or parts of it, may show the elements of operands.
    changes: in Python the first operand is changed; the result is the changed array.
    in_place(xp, *operands): changes the first operand itself, where nobody else holds it.
    writes(*operands): the index of the elements that a change overwrites, with the last operand; None: all.
    variadic: the last rule serves all further operands, and is given position=, that of its operand.
    shape: how shapes go together, in words or as NumPy writes it: (n, k), (k, m) -> (n, m).
    convention: what holds where the function is not differentiable.
    samples(rng): operands to test it on, as a list of tuples; rng is a numpy.random.Generator.
    overloads: the primitives of Python programs that it is where an operand is an array.
    of_first: it is these only where the first operand is one; another one says which element, or what.
    methods: the methods of arrays that it is, the array being the first operand.
    """

    value: Callable[..., Any]
    vjps: tuple[Rule | None, ...]
    jvps: tuple[Rule | _Same | None, ...] = ()
    linear: bool = False
    needs: tuple[tuple[int, ...], ...] | None = None
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
        if not self.linear and len(self.jvps) != len(self.vjps):
            raise InternalError(f"the record of {self.name} has {len(self.vjps)} vjps, {len(self.jvps)} jvps")

    def __call__(self, *operands: Any) -> Any:
        """The function, of numbers of the language or of a library's own arrays."""
        if any(type(operand) in _HANDLES for operand in operands):
            return apply(ALWAYS, self, operands)
        return self.value(namespace(operands), *operands)

    def vjp(self, position: int) -> Rule | None:
        """The rule for the cotangent of an operand."""
        rule: Rule | None = _rule(self, self.vjps, position)
        return rule

    def jvp(self, position: int) -> Rule | _Same | None:
        """The rule for what the tangent of an operand contributes."""
        rule: Rule | _Same | None = _rule(self, self.jvps, position)
        return rule


def _rule(record: Tensor, rules: tuple[Any, ...], position: int) -> Any:
    last = len(rules) - 1
    rule = rules[min(position, last)] if record.variadic or position <= last else None
    if rule is None or rule is SAME or not record.variadic or position < last:
        return rule
    return functools.partial(rule, position=position)


class Items(list[Any]):
    """What a record's function gives for a proper list of pairs; such results have no derivative."""


class _Always:
    """No moment of a run: where derivatives are computed, nothing is looked at too late."""

    steps = -1
    owner = None


ALWAYS = _Always()
_HANDLES = frozenset((Array, Discrete, Dual, Node))

# Applying


def apply(now: Any, record: Tensor, operands: Sequence[Any]) -> Any:
    """The value of a record on operands that may hold any number; nothing is changed in place."""
    natives = natives_of(now, operands)
    if natives is not None:
        return handle(now, record, operands, record.value(namespace(natives), *natives))
    found = [number for operand in operands for number in leaves(operand)]
    tag = highest_tag(found)
    if tag is not None:
        return _on_duals(now, record, operands, tag)
    for number in found:
        if type(number) is Node:
            return _on_tape(now, record, operands, number.tape)
    return plain(now, record, operands)[0]


def plain(now: Any, record: Tensor, operands: Sequence[Any]) -> tuple[Any, list[Any], Any]:
    """The value on plain numbers; with it the operands and the result as the library's own."""
    natives = [native(now, operand) for operand in operands]
    result = record.value(namespace(natives), *natives)
    return handle(now, record, operands, result), natives, result


def handle(now: Any, record: Tensor, operands: Sequence[Any], result: Any) -> Any:
    """The result of a record's function as a value of the language."""
    if record.views:
        shown = [real_part(x) if type(x) in NUMBERS else x for x in operands]
        return value_of(now, result, [x for x in shown if type(x) in ARRAYS])
    return value_of(now, result)


def shares(view: Any, data: Any) -> bool:
    """Whether an array shows the elements of another one, or of the one which that shows."""
    base = getattr(view, "base", None)
    if base is None:
        return view is data
    return base is data or base is getattr(data, "base", None)


def value_of(now: Any, result: Any, shown: Sequence[Any] = ()) -> Any:
    """A library's array, a number, a tuple or list of such, as a value of the language.

    shown: the arrays whose elements the result may show.
    """
    kind = type(result)
    if kind in backends:
        for array in shown:
            if shares(result, array.data):
                return array_of(result, array.memory)
        return array_of(result, Memory(now.owner))
    if kind is float:
        return result * 1.0
    if isinstance(result, tuple):
        names = getattr(kind, "_fields", ())
        layout = Layout(kind, names) if names else TUPLE
        return Record(layout, tuple([value_of(now, item, shown) for item in result]))
    if kind is list:
        return List([value_of(now, item, shown) for item in result], owner=now.owner)
    if kind is Items:
        return list_value([value_of(now, item, shown) for item in result])
    if result is None or kind in (int, bool, str):
        return result
    return Native(result)


def changes_here(record: Tensor, operands: Sequence[Any]) -> bool:
    """Whether applying a record changes its first operand, which numbers and a library's scalars never do."""
    if not record.changes:
        return False
    first = operands[0]
    if type(first) not in ARRAYS:
        if not holds_array(operands[:1]):
            return False
        first = real_part(first)
    return hasattr(type(first.data), "__setitem__")


def perform(now: Any, step: int, record: Tensor, operands: Sequence[Any], apart: bool = False) -> Any:
    """The value as a step of a run; what the record changes is stale from `step` on.

    apart: nothing is changed in place.
    """
    if not changes_here(record, operands):
        return apply(now, record, operands)
    array = real_part(operands[0]) if type(operands[0]) in NUMBERS else operands[0]
    data = data_to_change(now, record, operands, array)
    alone = array is operands[0] and in_place(now, array) and record.in_place is not None
    natives = _without_derivatives(now, operands) if alone and not apart else None
    if natives is not None:
        assert record.in_place is not None
        record.in_place(namespace(natives), *natives)
        result: Any = type(array)(data, Memory(now.owner))
    else:
        result = apply(now, record, operands)
    supersede(array, step)
    return result


def data_to_change(now: Any, record: Tensor, operands: Sequence[Any], array: Array | Discrete) -> Any:
    """The elements of the first operand's array, for a record to change, unless its library lets nobody.

    That is tried on a copy, since np.add.at writes all the same.
    """
    kept = read_only_copy(array.data)
    if kept is not None and record.in_place is not None:
        record.in_place(namespace([kept]), kept, *[native(now, operand) for operand in operands[1:]])
    return changeable_data(now, array)


def _without_derivatives(now: Any, operands: Sequence[Any]) -> list[Any] | None:
    """The operands as a record's functions get them; None where a number in them carries a derivative."""
    natives = natives_of(now, operands)
    if natives is None and not any(type(x) in DERIVED for operand in operands for x in leaves(operand)):
        natives = [native(now, operand) for operand in operands]
    return natives


# Forward


def _on_duals(now: Any, record: Tensor, operands: Sequence[Any], tag: int) -> Any:
    primals = [with_leaves(operand, lambda x: primal_at(x, tag)) for operand in operands]
    result = apply(now, record, primals)
    found = list(leaves(result))
    if not found:
        return result
    tangent = _tangent(record, operands, primals, result, tag)
    others = [zero(x) for x in found] if tangent is None else _parts(tangent)
    if len(others) != len(found):
        raise InternalError(f"the rule for tangents of {record.name} gives another structure than its value")
    pairs = iter(zip(found, others, strict=True))

    def dual(number: Any) -> Dual:
        _, other = next(pairs)
        return Dual(tag, number, zero(number) if other is None else fresh(_fitted(other, number)))

    return with_leaves(result, dual)


def _parts(tangent: Any) -> list[Any]:
    """The tangents of the numbers of a result; None for zero."""
    if isinstance(tangent, tuple):
        return [part for item in tangent for part in _parts(item)]
    return [None] if tangent is None else list(leaves(tangent))


def _tangent(record: Tensor, operands: Sequence[Any], primals: list[Any], result: Any, tag: int) -> Any:
    """The tangent of the result; None for zero."""
    if record.linear:
        tangents = [
            x if record.vjp(position) is None else _tangents_of(x, tag) for position, x in enumerate(operands)
        ]
        return record_of(record, tangents)
    total = None
    for position, operand in enumerate(operands):
        rule = record.jvp(position)
        if rule is None or all(tangent_at(x, tag) is None for x in leaves(operand)):
            continue
        given = _tangents_of(operand, tag)
        if isinstance(rule, _Same):
            term = record_of(record, [*primals[:position], given, *primals[position + 1 :]])
        else:
            term = rule(given, result, *primals)
        total = term if total is None else _sum(total, term)
    return total


def record_of(record: Tensor, operands: Sequence[Any]) -> Any:
    """A record applied where derivatives are computed."""
    return apply(ALWAYS, record, operands)


def _tangents_of(operand: Any, tag: int) -> Any:
    """The tangents in an operand: zero for numbers without one, and for what is exact."""

    def other(number: Any) -> Any:
        found = tangent_at(number, tag)
        return zero(primal_at(number, tag)) if found is None else found

    return with_leaves(operand, other, _exact_zero)


def _exact_zero(value: Any) -> Any:
    if type(value) is Discrete:
        return Discrete(backend_of(value.data).zeros(value.data.shape, value.data.dtype), Memory())
    return 0 if type(value) in INTEGERS else value


def _sum(x: Any, y: Any) -> Any:
    if isinstance(x, tuple):
        return tuple([b if a is None else a if b is None else _sum(a, b) for a, b in zip(x, y, strict=True)])
    return record_of(cast(Tensor, lookup("np.add")), (x, y))


def _fitted(tangent: Any, like: Any) -> Any:
    """A tangent with its number's shape and dtype, which a rule may leave to broadcasting."""
    value, other = real_part(like), real_part(tangent)
    if type(value) is not Array:
        return tangent if type(other) is float else record_of(cast(Tensor, lookup("np.float")), (tangent,))
    shape, dtype = tuple(value.data.shape), value.data.dtype
    if type(other) is not Array or tuple(other.data.shape) != shape:
        tangent = record_of(cast(Tensor, lookup("np.broadcast_to")), (tangent, Record(TUPLE, shape)))
        other = real_part(tangent)
    if other.data.dtype != dtype:
        tangent = record_of(cast(Tensor, lookup("np.astype")), (tangent, Native(dtype)))
    return tangent


# Reverse


def _on_tape(now: Any, record: Tensor, operands: Sequence[Any], tape: Tape) -> Any:
    result, natives, data = plain(now, record, operands)
    values = list(leaves(result))
    wanted = wanted_positions(record, operands, lambda x: type(x) is Node) if values else ()
    if not wanted:
        return result
    outputs = [tape.leaf(value) for value in values]
    inputs = [number for i in wanted for number in leaves(operands[i])]
    tape.entries.append(Pull(outputs, inputs, Pullback(record, natives, data, wanted)))
    rest = iter(outputs)
    return with_leaves(result, lambda _: next(rest))


def wanted_positions(
    record: Tensor, operands: Sequence[Any], is_wanted: Callable[[Any], bool]
) -> tuple[int, ...]:
    """The operands that receive a cotangent: with a rule, and a number that is wanted and no constant."""
    found = []
    for position, operand in enumerate(operands):
        if record.vjp(position) is None:
            continue
        if any(is_wanted(x) and not is_constant(x) for x in leaves(operand)):
            found.append(position)
    return tuple(found)


def is_constant(number: Any) -> bool:
    """Whether it is an array that the program read from its surroundings."""
    value = real_part(number)
    return type(value) is Array and value.memory.owner is CONSTANT


def changes_operand(record: Primitive) -> bool:
    """Whether applying a record may change its first operand in place."""
    return isinstance(record, Update) or (isinstance(record, Tensor) and record.changes)
