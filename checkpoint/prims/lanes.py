"""The steps of `vmap`: a loop over lanes (checkpoint/lang/python/library/lanes.py, docs/design/lanes.md).

    (py.lanes f args keywords in_axes)       what the fields of Lanes are, in their order
    (py.lanes-at-once loop arrays out_axes)  the results of such a loop, one call of the trace
                                             (planned_lanes.py)
    (py.lane-blocks n)                       the blocks in which n lanes are run: for each the lane behind it
    (py.enter-lane f args keywords row)      (f args keywords) of one lane: copies, with the items of the row
                                             in the holes
    (py.are-reals results out_axes)          whether all results are reals, to be stacked along the first axis
    (py.common-width results out_axes)       how many elements all have, if they are tuples; else -1
    (py.plain-width result out_axes)         how many elements one has, if it is a tuple; else -1
    (py.lane-rows columns)                   the list of tuples whose elements are in lists
    (py.stack-lanes arrays results out_axes within)
                                             what the lanes returned, leaf by leaf along new axes; within:
                                             whose lanes these are (checkpoint/lang/lanes.py), or None

Those of texts in the language are in lane_tensors.py. Each works on numbers of any kind: items are taken and
results stacked by records of arrays, and all else is copying.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, Discrete, Memory, Native, Renewal
from checkpoint.ad.containers import CONTAINERS, TUPLE, Dict, List, Record
from checkpoint.ad.graph import enter, renew
from checkpoint.ad.library import record_named
from checkpoint.ad.numbers import fresh, real_part
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.tensors import ALWAYS, apply
from checkpoint.ad.values import Closure, Pair
from checkpoint.ad.walk import Branch, fold
from checkpoint.dataclass import dataclass
from checkpoint.lang.lanes import place_of
from checkpoint.lang.python.source.mismatch import source_name
from checkpoint.prims.lane_values import (
    builder,
    check_size,
    equal,
    in_words,
    is_array,
    is_complex,
    is_pytree,
    pytree_branch,
    shape_of,
    structure,
)
from checkpoint.prims.planned_lanes import are_learnt, at_once
from checkpoint.prims.python.iteration import callee_of
from checkpoint.prims.python.support import is_tuple, operator, rearrange

BLOCK = 2**13  # lanes: entering and leaving their loop costs 1% of theirs, and a state has no more results
MAX_POSITIONAL = 10  # the most arguments that the loop over lanes passes by position


class Hole:
    """The place of a lane's item in the arguments. index: its position in the row of the lane."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


@cache
def hole(index: int) -> Native:
    """Return the hole for an index as a value: one object, by which translated code knows it."""
    return Native(Hole(index))


class _Sharing(Renewal):
    """Makes handles that no lane may change; constants stay constants."""

    def memory(self, old: Memory) -> Memory:
        """Return a frozen memory, the old one if it is frozen."""
        if old.is_fixed or old.owner is SYMBOLIC_ZERO:
            return old
        new: Memory = super().memory(old)
        new.constant = old.constant
        return new


def apart(value: Any) -> Any:
    """Return a frozen copy of what lanes share, all of whose locations are its own."""
    return enter(value, renewal=_Sharing(FROZEN))


# From arguments to lanes


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes of a call.

    count: how many there are. function, arguments, keywords: what they share, frozen, with holes for the
        items of a lane; keywords: None where all are arguments.
    arity: how many arguments the function takes, where that is known and they are `arguments`; else -1.
    arrays: for each hole the array that holds the items, and its axis.
    at_once: whether a trace learns, to which the loop is to be one call.
    """

    count: int
    function: Any
    arity: int
    arguments: Any
    keywords: Any
    arrays: Record
    at_once: bool


def lanes_of(f: Any, args: Any, keywords: Any, in_axes: Any) -> Lanes:
    """Return the lanes of a call of f."""
    mapped: list[tuple[Any, int]] = []
    f, args, axes, keywords = _arranged(f, args, _axes_of(args, in_axes), keywords)
    shared = fold((args, axes), lambda item: _opened(item, mapped))
    named = fold((keywords, 0), lambda item: _opened(item, mapped))
    if not mapped:
        raise ValueError("vmap needs an argument with an axis over lanes: in_axes is None for all of them")
    sizes = {shape_of(leaf)[axis] for leaf, axis in mapped}
    if len(sizes) > 1:
        shown = ", ".join([f"{shape_of(x)[axis]} (axis {axis} of {shape_of(x)})" for x, axis in mapped])
        raise ValueError(f"vmap needs one number of lanes in all mapped arguments, not {shown}")
    count = sizes.pop()
    if not count:
        raise ValueError("vmap needs at least one lane: what f returns cannot be known without one")
    own, shared, named = apart(Record(TUPLE, (f, shared, named))).items
    arity = -1 if named is not None else len(shared.items)
    arrays = Record(TUPLE, tuple([Record(TUPLE, pair) for pair in mapped]))
    return Lanes(count, own, arity, shared, named, arrays, are_learnt())


def _lanes(_: Any, f: Any, args: Any, keywords: Any, in_axes: Any) -> Record:
    found = lanes_of(f, args, keywords, in_axes)
    shared = found.function, found.arity, found.arguments, found.keywords
    return Record(TUPLE, (found.count, *shared, found.arrays, found.at_once))


def _lane_blocks(_: Any, count: int) -> Record:
    """Return the ends of blocks: the first has one lane more, for lane 0 is run before the loop."""
    return Record(TUPLE, (*range(1 + BLOCK, count, BLOCK), count))


def _arranged(f: Any, args: Any, axes: Any, keywords: Any) -> tuple[Any, Any, Any, Any]:
    """Return a function, its positional arguments, their axes and its keywords: None if all are positional
    and fit, and the function is a closure that takes just these. Else what was given.
    """
    count = len(args.items) + len(keywords.items)
    by_count = callee_of(f, count)
    if type(by_count) is not Closure or count > MAX_POSITIONAL:
        return f, args, axes, keywords
    names = [source_name(each) for each in by_count.lam.params]
    rest = names[len(args.items) :]
    if len(names) != count or keywords.items.keys() != set(rest):
        return f, args, axes, keywords
    own = axes if type(axes) is Record else Record(TUPLE, (axes,) * len(args.items))
    whole = Record(TUPLE, (*args.items, *[keywords.items[name] for name in rest]))
    return by_count, whole, Record(TUPLE, (*own.items, *[0] * len(rest))), None


def _axes_of(args: Any, in_axes: Any) -> Any:
    """Return in_axes; ValueError unless it is one axis, or an entry for each positional argument."""
    if in_axes is None or type(in_axes) is int:
        return in_axes
    if type(in_axes) is not List and not is_tuple(in_axes):
        raise TypeError(f"vmap: in_axes is an int, None, or a tuple or list, not {in_words(in_axes)}")
    if len(in_axes.items) != len(args.items):
        entries, given = len(in_axes.items), len(args.items)
        raise ValueError(
            f"vmap: in_axes has {entries} entries, and f is called with {given} arguments: write an axis for "
            f"each argument that is passed by position, None for what all lanes share"
        )
    return Record(TUPLE, tuple(in_axes.items))


def _opened(item: tuple[Any, Any], mapped: list[tuple[Any, int]]) -> Any:
    """Return a value with a hole for each array that is mapped; those are added to `mapped`."""
    value, axes = item
    if axes is None:
        return value
    if type(axes) is not int:
        return pytree_branch(item, "in_axes")
    if is_array(value):
        mapped.append((fresh(value), _checked_axis(value, axes)))  # a list of arrays may be there twice
        return hole(len(mapped) - 1)
    if value is None:
        return value
    if is_pytree(value):
        return pytree_branch(item, "in_axes")
    raise ValueError(
        f"vmap: an argument is {in_words(value)}, which has no axis {axes}: pass an array, or share it among "
        f"all lanes by None in in_axes, which is for arguments that are passed by position"
    )


def _checked_axis(value: Any, axis: int) -> int:
    rank = len(shape_of(value))
    if not -rank <= axis < rank:
        advice = f"write {-rank} to {rank - 1}, or None" if rank else "write None"
        raise ValueError(
            f"vmap: in_axes has the axis {axis} for an array of shape {shape_of(value)}: {advice} for what "
            f"all lanes share"
        )
    return axis % rank


def _enter_lane(_: Any, f: Any, args: Any, keywords: Any, row: Any) -> Record:
    def opened(value: Any) -> Any:
        if type(value) is Native and type(value.value) is Hole:
            return row.items[value.value.index]
        return Branch(value.parts(), builder(value)) if _holds_parts(value) else value

    filled = [fold(part, opened) for part in (args, keywords)]
    whole: Record = apart(Record(TUPLE, (f, *filled)))
    return whole


def _holds_parts(value: Any) -> bool:
    return type(value) in CONTAINERS or type(value) is Pair


# From results to arrays


def _are_reals(_: Any, results: Any, out_axes: Any) -> bool:
    if type(out_axes) is not int or out_axes not in (0, -1):
        return False
    kinds = set(map(type, results.items))
    return kinds == {float} or all(type(real_part(result)) is float for result in results.items)


def _common_width(_: Any, results: Any, out_axes: Any) -> int:
    """Return how many elements all results have, if these are tuples without names; else -1."""
    widths = {_plain_width(_, result, out_axes) for result in results.items}
    return widths.pop() if len(widths) == 1 else -1


def _plain_width(_: Any, result: Any, out_axes: Any) -> int:
    is_plain = type(result) is Record and result.layout.cls is tuple and type(out_axes) is int
    return len(result.items) if is_plain else -1


def _lane_rows(_: Any, columns: Any) -> List:
    return List([Record(TUPLE, row) for row in zip(*[column.items for column in columns.items], strict=True)])


class Stacking(NamedTuple):
    """How results are stacked. like: an array of the library of the result; within: whose lanes these are."""

    like: Any
    within: Any = None

    def stacked(self, results: tuple[Any, ...], axes: Any) -> Any:
        """Return what lanes returned as arrays."""
        return fold((results, axes), lambda item: stacked_results(item, self))

    def check(self, fits: bool, lane: int, value: Any, first: Any) -> None:
        """Raise ValueError for the value of a lane that does not fit that of the first one."""
        if not fits:
            raise ValueError(
                f"{self.at(lane)} returns {in_words(value)}, and {self.first} {in_words(first)}: all return "
                f"the same structure, shapes and dtypes"
            )

    @property
    def first(self) -> str:
        """The words for the first lane beside another."""
        return self.at(0).removesuffix(f" of {place_of(self.within, 0).of}")

    def at(self, lane: int) -> str:
        """Return the words for a lane."""
        return str(place_of(self.within, lane))


def _stack_lanes(_: Any, arrays: Any, results: Any, out_axes: Any, within: Any) -> Any:
    return Stacking(arrays.items[0].items[0], within).stacked(tuple(results.items), out_axes)


def stacked_results(item: tuple[tuple[Any, ...], Any], how: Stacking) -> Any:
    """Return the values of one part of the results of all lanes as one; a Branch where they have parts."""
    values, axes = item
    first = values[0]
    if axes is None:
        return _the_same(values, how)
    if is_pytree(first):
        return _stacked_parts(values, axes, how)
    if type(axes) is not int:
        raise ValueError(f"vmap: out_axes has {in_words(axes)} where f returns {in_words(first)}")
    if first is None:
        for lane, value in enumerate(values):
            how.check(value is None, lane, value, first)
        return None
    if is_complex(first):
        return _stacked_arrays(_complex_arrays(values, how), axes, how)
    if is_array(first):
        return _stacked_arrays(values, axes, how)
    return _stacked_numbers(values, axes, how)


def _stacked_parts(values: tuple[Any, ...], axes: Any, how: Stacking) -> Branch:
    """Return a branch of the parts of a pytree, each with its values in all lanes."""
    first = values[0]
    for lane, value in enumerate(values):
        how.check(is_pytree(value) and structure(value) == structure(first), lane, value, first)
    if type(first) is Dict:
        parts = [[value.items[key] for key in first.items] for value in values]
    else:
        parts = [value.parts() for value in values]
    branch = pytree_branch((first, axes), "out_axes")
    columns = zip(*parts, strict=True)
    found = [(column, axis) for column, (_, axis) in zip(columns, branch.parts, strict=True)]
    return Branch(found, branch.build)


def _stacked_arrays(values: tuple[Any, ...], axis: int, how: Stacking) -> Any:
    shape, dtype = shape_of(values[0]), real_part(values[0]).data.dtype
    for lane, value in enumerate(values):
        fits = is_array(value) and shape_of(value) == shape and real_part(value).data.dtype == dtype
        how.check(fits, lane, value, values[0])
    rank = len(shape) + 1
    if not -rank <= axis < rank:
        raise ValueError(
            f"vmap: out_axes has the axis {axis} for results of shape {shape}: write {-rank} to {rank - 1}"
        )
    return apply(ALWAYS, record_named("tensorlib.joined"), (how.like, List(list(values)), axis % rank))


def _complex_arrays(values: tuple[Any, ...], how: Stacking) -> tuple[Any, ...]:
    """Return complex numbers as arrays without axes."""
    for lane, value in enumerate(values):
        how.check(is_complex(value), lane, value, values[0])
    record = record_named("tensorlib.complex")
    return tuple([apply(ALWAYS, record, (*value.items, how.like)) for value in values])


def _stacked_numbers(values: tuple[Any, ...], axis: int, how: Stacking) -> Any:
    """Return an array of reals, of integers, or of booleans; integers beside reals are reals."""
    kinds = set()
    for lane, value in enumerate(values):
        plain = real_part(value)
        kinds.add(type(plain))
        fits = kinds <= _REALS or kinds == {bool}
        how.check(fits or not (type(plain) in _STACKED or is_complex(value)), lane, value, values[0])
        if not fits:
            raise TypeError(f"{how.at(lane)} returns {in_words(value)}, which cannot be stacked: {_ADVICE}")
    if axis not in (0, -1):
        raise ValueError(f"vmap: out_axes has the axis {axis} for results that are numbers: write 0")
    if float not in kinds:
        for lane, value in enumerate(values):
            check_size(value, how.at(lane))
    else:
        values = tuple([float(value) if type(value) is int else value for value in values])
    return apply(ALWAYS, record_named("tensorlib.joined"), (how.like, List(list(values)), 0))


_REALS = frozenset((float, int))
_STACKED = frozenset((float, int, bool, Array, Discrete))
_ADVICE = "return numbers, arrays, or tuples, lists, dicts and objects of these"


def _the_same(values: tuple[Any, ...], how: Stacking) -> Any:
    """Return what all lanes return, where they return the same."""
    first = values[0]
    for lane, value in enumerate(values):
        if not equal(value, first):
            raise ValueError(
                f"{how.at(lane)} returns another value than {how.first}, and out_axes=None is for what all "
                f"lanes return alike"
            )
    return renew(first)


operator(
    "lanes",
    4,
    "the lanes of a call: their number, f and arguments that they share, arrays of items, with axes",
    _lanes,
    "that of the copies and items",
)
operator(
    "lane-blocks", 1, "the blocks in which so many lanes are run: the lane behind each", _lane_blocks, "none"
)
rearrange(
    *("are-reals", 2, "whether results of lanes are reals, to be stacked", _are_reals, ()),
    discrete=True,
)
rearrange(
    *("common-width", 2, "how many elements lanes return, if tuples; else -1", _common_width, ()),
    discrete=True,
)
rearrange(
    *("plain-width", 2, "how many elements a lane's result has, if a tuple; else -1", _plain_width, ()),
    discrete=True,
)
operator("lanes-at-once", 3, "the results of lanes as one call of a trace", at_once, "that of the lanes")
operator("lane-rows", 1, "tuples, of lists of their elements", _lane_rows, "that of the tuples")
operator("enter-lane", 4, "f and the arguments of one lane, copied", _enter_lane, "that of the copies")
operator("stack-lanes", 4, "what lanes returned as arrays", _stack_lanes, "that of the stacking")
