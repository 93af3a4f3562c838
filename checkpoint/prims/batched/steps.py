"""The steps of batched programs, and the two around one: `vmap(f, exact=False)` is made of these.

(py.batched-lanes f args keywords in_axes)
                                  (f args arrays n arity), as py.lanes has them: f batched, and batches in
                                  args for the items of all lanes
(py.exact-lanes f args keywords in_axes)
                                  the same, of the form that has each lane's own bits, or fails (exact.py)
(py.batched-results arrays n results out_axes)
                                  the results, with the axis of lanes where out_axes says
(py.batched f)                    the batched form of a procedure; py.batched-exactly
(py.is-own-form f form)           whether a procedure belongs to a batched program of this form: it is called
                                  itself, so that all see what it changes
(py.is-batched x ...)             whether one of the operands is a batch
(py.holds-batched x ...)          whether one of the operands is or holds a batch
(py.may-change x y ...)           whether a list, dictionary, object or array is a group's own, and takes
                                  the other operands as they are
(py.batched-step op x ...)        a step on operands that hold batches; py.batched-step-exactly
(py.no-batched-form what)         fails
(py.agreed test)                  the test if all lanes agree, else None
(py.split test lanes n x m y)     the group of the lanes for which the test holds, at block n with its part
                                  of x, and that of the others, at m with y
(py.is-split x)                   whether a block has returned groups
(py.first-groups groups)          the groups at the first block
(py.other-groups groups)          the groups that are not at the first block
(py.next-group groups whole)      (n lanes x): the groups at a block n, as one; whole: whether they are all
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.array_library import dtype_kind
from checkpoint.ad.containers import MUTABLE_CONTAINERS, Record
from checkpoint.ad.graph import reach, renew
from checkpoint.ad.numbers import fresh, real_part
from checkpoint.ad.record import VARIADIC
from checkpoint.ad.storage import CONSTANT, FROZEN
from checkpoint.ad.values import Closure, Environment
from checkpoint.ad.walk import Branch, fold
from checkpoint.errors import RunError, SourceError
from checkpoint.lang.closures import Scopes, analyse, captured
from checkpoint.lang.core import Lambda
from checkpoint.prims.batched import rules
from checkpoint.prims.batched.blocks import GROUPS, Groups
from checkpoint.prims.batched.exact import check_exact, check_kinks
from checkpoint.prims.batched.program import NoForm, batched_lambda
from checkpoint.prims.batched.text import FORMS, IS_BATCHED
from checkpoint.prims.batched.values import (
    applied,
    batch,
    data_of,
    holds_batch,
    is_batch,
    merged,
    places,
    taken,
    true_at,
    tuple_of,
)
from checkpoint.prims.lane_values import builder, is_array, is_pytree, pytree_branch
from checkpoint.prims.lanes import Hole, Stacking, lanes_of, stacked_results
from checkpoint.prims.python.iteration import callee_of
from checkpoint.prims.python.support import operator, rearrange

Value = Callable[..., Any]


def _failing_softly(value: Value) -> Value:
    """Return a function that raises NoForm for what a run cannot handle, since the loop over lanes can."""

    @functools.wraps(value)
    def attempt(*operands: Any) -> Any:
        try:
            return value(*operands)
        except (RunError, SourceError) as error:
            raise NoForm(str(error)) from error

    return attempt


# Procedures


def batched(context: Any, f: Any, *, exact: bool = False) -> Closure:
    """Return the batched form of a procedure; exact: the one that has each lane's own bits."""
    if type(f) is not Closure:
        raise NoForm("a value that is no procedure is called")
    form = f.lam.compiled.get(FORMS[exact])
    if form is IS_BATCHED:
        found: Closure = renew(f)
        return found
    if any(_may_change(None, each) for each in reach(f)[1] if type(each) in MUTABLE_CONTAINERS):
        raise NoForm("a function of other code that may change what it has captured")
    if form is None:
        f.lam.compiled[FORMS[exact]] = form = _form_of(f.lam, exact)
    if isinstance(form, NoForm):
        raise NoForm(str(form))
    entry, thunk, scopes = form
    context.engine.prepare(thunk, scopes)
    values = _captured(f)
    slots = tuple([values[name] for name in scopes.captures(entry)])
    closed: Closure = renew(Closure(entry, Environment(slots)))
    return closed


def _is_own_form(_: Any, f: Any, form: str) -> bool:
    return type(f) is Closure and f.lam.compiled.get(form) is IS_BATCHED


def _form_of(lam: Lambda, exact: bool) -> Any:
    """Return the lambda of a batched form, the program that it is of and its scopes; or why there is none."""
    try:
        entry = batched_lambda(lam, exact)
    except NoForm as error:
        return error
    entry.compiled[FORMS[exact]] = IS_BATCHED
    names = Scopes(entry, is_part=True).free_names(entry)
    thunk = Lambda(lam.span, names, entry, name="batched")
    return entry, thunk, analyse(thunk)


def _captured(f: Closure) -> dict[str, Any]:
    """Return the values that a closure has captured, and the procedures that it may call, by their names."""
    try:
        return dict(captured(f))
    except ValueError:
        raise NoForm("a function of a program that grows") from None


# Tests and groups


def _agreed(_: Any, test: Any) -> Any:
    if not is_batch(test):
        return test
    data = data_of(test)
    if dtype_kind(data.dtype) != "b" or len(data.shape) != 1:
        raise NoForm("a test of what is no boolean")
    if bool(data.all()):
        return True
    return None if bool(data.any()) else False


def _split(_: Any, test: Any, lanes: Any, then: int, for_then: Any, other: int, for_other: Any) -> Record:
    data = data_of(test)
    groups = []
    for number, held, mask in ((then, for_then, data), (other, for_other, ~data)):
        at = true_at(mask)
        own = at if lanes is None else lanes.data[at]
        groups.append(tuple_of(number, places(own), taken(held, places(at))))
    return Record(GROUPS, tuple(groups))


def _is_split(_: Any, value: Any) -> bool:
    return type(value) is Record and value.layout.cls is Groups


def _first_groups(_: Any, groups: Any) -> Record:
    first = min(group.items[0] for group in groups.items)
    return tuple_of(*[group for group in groups.items if group.items[0] == first])


def _next_group(_: Any, groups: Any, is_whole: bool) -> Record:
    here = [group.items for group in groups.items]
    first = here[0][0]
    if len(here) == 1:
        (_, lanes, held) = here[0]
        return tuple_of(first, None if is_whole else places(lanes.data), renew(held))
    ranks, lanes = _ranks([lanes.data for _, lanes, _ in here])
    held = merged([held for _, _, held in here], list(map(places, ranks)), len(lanes))
    return tuple_of(first, None if is_whole else places(lanes), held)


def _ranks(lanes: Sequence[Any]) -> tuple[list[Any], Any]:
    """Return the places of each group's lanes among those of all, in ascending order, and those lanes."""
    whole = applied("np.concatenate", tuple_of(*map(places, lanes)), 0).data
    order = whole.argsort()
    ranks = order.argsort()
    found, start = [], 0
    for each in lanes:
        found.append(ranks[start : start + len(each)])
        start += len(each)
    return found, whole[order]


def _other_groups(_: Any, groups: Any) -> Record:
    first = min(group.items[0] for group in groups.items)
    return tuple_of(*[group for group in groups.items if group.items[0] != first])


# Steps


def _may_change(_: Any, x: Any, *others: Any) -> bool:
    if is_array(x) and holds_batch(others):
        return False
    plain = real_part(x) if is_array(x) else x
    owner = getattr(getattr(plain, "memory", plain), "owner", None)
    return owner is not FROZEN and owner is not CONSTANT


def _batched_step(context: Any, op: str, *operands: Any) -> Any:
    return rules.step(context, op, operands)


def _batched_step_exactly(context: Any, op: str, *operands: Any) -> Any:
    check_kinks(op, operands)
    return rules.step(context, op, operands, check_exact)


def _no_form(_: Any, what: str) -> None:
    raise NoForm(f"{what} has no batched form")


# Arguments and results


def _batched_lanes(
    context: Any, f: Any, args: Any, keywords: Any, in_axes: Any, *, exact: bool = False
) -> Record:
    lanes = lanes_of(f, args, keywords, in_axes)
    if lanes.arity < 0:
        raise NoForm("arguments that are passed by name")
    batches = [batch_of(*pair.items) for pair in lanes.arrays.items]

    def opened(value: Any) -> Any:
        hole = getattr(value, "value", None)
        if isinstance(hole, Hole):
            return batches[hole.index]
        return Branch(value.parts(), builder(value)) if is_pytree(value) else value

    form = batched(context, callee_of(lanes.function, lanes.arity), exact=exact)
    own = renew(fold(lanes.arguments, opened))
    return tuple_of(form, own, renew(lanes.arrays), lanes.count, lanes.arity)


def batch_of(array: Any, axis: int) -> Record:
    """Return an array as what all lanes have, along an axis."""
    moved = applied("np.moveaxis", array, axis, 0) if axis else fresh(array)
    data = real_part(moved).data
    return batch(moved, len(data.shape) == 1 and dtype_kind(data.dtype) == "f" and data.dtype.itemsize == 8)


def batched_results(_: Any, arrays: Any, count: int, results: Any, out_axes: Any) -> Any:
    """Return what a batched form has returned, as arrays of `count` lanes."""
    like = arrays.items[0].items[0]

    def placed(item: tuple[Any, Any]) -> Any:
        value, axes = item
        if is_batch(value):
            if type(axes) is not int:
                raise NoForm("what lanes return apart")
            array = value.items[0]
            rank = len(data_of(value).shape)
            if not -rank <= axes < rank:
                raise NoForm("an axis that does not fit")
            return applied("np.moveaxis", array, 0, axes % rank) if axes % rank else fresh(array)
        if axes is not None and is_pytree(value):
            return pytree_branch(item, "out_axes")
        if axes is None:
            return renew(value)
        return stacked_results(((value,) * count, axes), Stacking(like))

    return fold((results, out_axes), placed)


operator(
    "batched-lanes",
    4,
    "the batched form of f, its arguments for all lanes, the arrays of these, the number of lanes",
    _failing_softly(_batched_lanes),
    "that of the copies",
)
operator(
    "exact-lanes",
    4,
    "the same of the batched form that has each lane's own bits",
    _failing_softly(functools.partial(_batched_lanes, exact=True)),
    "that of the copies",
)
operator(
    *("batched-results", 4, "what a batched form returned, as arrays", _failing_softly(batched_results)),
    "that of the axes moved",
)
operator("batched", 1, "the batched form of a procedure", _failing_softly(batched), "that of the copies")
operator(
    "batched-exactly",
    1,
    "the batched form of a procedure that has each lane's own bits",
    _failing_softly(functools.partial(batched, exact=True)),
    "that of the copies",
)
operator(
    "batched-step-exactly",
    VARIADIC,
    "a step on values of many lanes, with the bits that each has alone",
    _failing_softly(_batched_step_exactly),
    "that of the step for each lane",
)
operator(
    *("batched-step", VARIADIC, "a step on values of many lanes", _failing_softly(_batched_step)),
    "that of the step for each lane",
)
operator("split", 6, "two groups of lanes, by a test", _failing_softly(_split), "that of the copies")
operator(
    "next-group",
    2,
    "the groups at the first block, as one",
    _failing_softly(_next_group),
    "that of the copies",
)
rearrange("is-own-form", 2, "whether a procedure is batched itself", _is_own_form, discrete=True)
rearrange("first-groups", 1, "the groups that are at the first block", _first_groups)
rearrange("other-groups", 1, "the groups that are not at the first block", _other_groups)
rearrange("agreed", 1, "what all lanes have for a test, or None", _agreed, discrete=True)
rearrange("is-split", 1, "whether a block returned groups of lanes", _is_split, discrete=True)
rearrange(
    *("is-batched", VARIADIC, "whether an operand is a batch", lambda _, *xs: any(map(is_batch, xs)), ()),
    discrete=True,
)
rearrange(
    *("holds-batched", VARIADIC, "whether an operand holds a batch", lambda _, *xs: holds_batch(xs), ()),
    discrete=True,
)
rearrange("may-change", VARIADIC, "whether a group may change a container", _may_change, discrete=True)
rearrange("no-batched-form", 1, "fails: there is no batched form of something", _no_form, discrete=True)
