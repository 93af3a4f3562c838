"""Plans of the steps that Python performs for C: the function of each, an array library's or its record's.

In: a block and the index of a step. Out: its StepPlan (None for steps that compute nothing), which
    array_steps/array_steps.c and foreign/data_steps.c read. The part for arrays is made when a program that
    has met an array first reaches the step: before that, the records of arrays are not registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from checkpoint.ad.activity import Unwanted, literals_of
from checkpoint.ad.array_library import builtins_of
from checkpoint.ad.library import overloads
from checkpoint.ad.numbers import apply, takes_reals
from checkpoint.ad.pullbacks import NESTS, RESULT, Pullback, is_number, needed
from checkpoint.ad.record import Data, Effect, Operator, Primitive, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.cps import terms as t
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.errors import InternalError
from checkpoint.interp.hybrid.array_origins import IDLE, Pulled
from checkpoint.interp.hybrid.array_origins import Unwanted as UnwantedResult
from checkpoint.interp.hybrid.cotangent import Key
from checkpoint.interp.hybrid.origins import all_born, born, perform, perform_taped
from checkpoint.interp.hybrid.tensors import (
    carries_derivative,
    literals_among,
    on_arrays,
    perform_tensor,
    perform_tensor_taped,
)

ALL = -1  # the bits of every operand and of the result


Names = tuple[str | None, ...]
Function = Callable[..., Any]
Pulls = tuple[tuple[int, ...], list[str | None], int, int]


class StepPlan:
    """The functions that do one step.

    plain(machine, *operands): returns the value of the step on data, with its birth; None: use `perform`.
    taped: the same, but returns (value, origin); None: the step leaves no origin.

    Set by `ask`, for a function of arrays, or what does with arrays what it does with other data:
    name, value, in_place, writes: of its record.
    on_arrays, on_tape: as `plain` and `taped`, for cases that C does not handle itself; they return
        NotImplemented if only `perform` can do the step.
    flags: see ctemplates/tasks/plan_flags.h.
    builtins: by a library's namespace the function that C calls for value(namespace, *arrays), if any.
    saves, pull: those of its record, if it reverses its operands together; else None.
    saves_uncounted: `saves` where nobody counts a tape's bytes.
    operator: the number of the record's operator in C; 0: it has none.
    rules: the bits of the operands that may have a cotangent.
    differentiable: the bits of those that the record differentiates and that are no literals; what is made of
        constants in their place is constant (checkpoint.ad.activity).
    likes: for each operand the last Like that C has made of it; None: none yet.
    unwanted: what a sweep last knew of operands that are constants whatever they are; constants: their bits
        here (checkpoint.ad.activity).
    pulls: by the bits of the operands that do: their positions, their slots, the bits of what the rules read,
        and these bits again. last: those that were used last; None: none yet.
    """

    __slots__ = (
        "builtins",
        "constants",
        "differentiable",
        "flags",
        "in_place",
        "last",
        "likes",
        "name",
        "names",
        "on_arrays",
        "on_tape",
        "operator",
        "plain",
        "pull",
        "pulls",
        "record",
        "rules",
        "saves",
        "saves_uncounted",
        "step",
        "taped",
        "unwanted",
        "value",
        "writes",
    )

    def __init__(self, step: t.Compute) -> None:
        self.step = step
        self.flags = int(runtime().lib.UNASKED)
        self.names: Names = tuple([x if isinstance(x, str) else None for x in step.operands])
        self.plain, self.taped = functions_of(lookup(step.op), self.names)
        self.record: Any = None
        self.name = ""
        self.on_arrays: Function | None = None
        self.on_tape: Function | None = None
        self.value: Function | None = None
        self.in_place: Function | None = None
        self.writes: Function | None = None
        self.saves: Function | None = None
        self.saves_uncounted: Function | None = None
        self.pull: Function | None = None
        self.builtins: dict[Any, Any] = {}
        self.operator = 0
        self.rules = self.differentiable = 0
        self.unwanted: Unwanted | None = None
        self.constants = 0
        self.likes: list[Any] = [None] * len(self.names)
        self.pulls: dict[int, Pulls] = {}
        self.last: Pulls | None = None

    def ask(self) -> None:
        """Find the function of arrays that does the step, if there is one."""
        own = lookup(self.step.op)
        record = own if isinstance(own, Tensor) else overloads.get(own.name)
        lib = runtime().lib
        self.flags = lib.ANYWAY | lib.ENTERS * (self.step.op == "py.enter-lane")
        self.flags |= lib.SHARES * (self.step.op == "py.lanes")
        if record is None:
            if isinstance(own, Data) or (isinstance(own, Rearrange) and own.discrete):
                self.on_arrays, self.on_tape = _of_handles(own)
            return
        self.record, self.name = record, record.name
        self.value = record.value
        self.in_place, self.writes = record.in_place, record.writes
        self.builtins = builtins_of(record.name)
        self.saves, self.pull = record.saves, record.pull
        self.saves_uncounted = record.saves_uncounted or record.saves
        self.operator = lib.ck_operator_named(record.operator.encode())
        self.on_arrays, self.on_tape = _of_arrays(own, record, self.step)
        self.flags = (
            lib.OVERLOADS * (own is not record) | lib.OF_FIRST * record.of_first | lib.VIEWS * record.views
        )
        self.flags |= lib.CHANGES * record.changes
        self.flags |= lib.VARIADIC * record.variadic
        self.flags |= lib.ITEMS * (record.name == "tensorlib.items")
        self.flags |= lib.JOINS * (record.name == "tensorlib.joined")
        for i, name in enumerate(self.names):
            if name is not None and record.vjp(i) is not None:
                self.differentiable |= 1 << i
        self.rules = self.differentiable

    def know(self, unwanted: Unwanted) -> None:
        """Learn which operands are constants in a sweep."""
        self.constants = unwanted.operands(self.step.application)
        self.unwanted = unwanted


def functions_of(record: Primitive, names: Names) -> tuple[Function | None, Function | None]:
    """Return a StepPlan's `plain` and `taped`, for operands that are neither arrays nor duals."""
    match record:
        case Tensor() | Operator():
            return None, None
        case Scalar():
            return _of_scalar(record, names)
        case Effect():
            effect = record.value
            return (lambda now, *given: all_born(now, effect(now.effects, now.steps, *given))), None
    plain = _of_data(record)
    if isinstance(record, Data) or (isinstance(record, Rearrange) and not record.has_origin):
        return plain, None
    return plain, lambda now, *given: perform_taped(now, record, given, names)


def _of_data(record: Any) -> Function:
    """Return what checkpoint.interp.hybrid.origins.perform does for this record, as a function."""
    value: Function = record.value
    match record:
        case Data():
            if record.builds:
                return lambda now, *given: perform(now, record, given)
            return lambda now, *given: value(*given)
        case Select():
            return value
        case Rearrange():
            give = all_born if record.discrete else born
            return lambda now, *given: give(now, value(now, *given))
        case Update():
            return lambda now, *given: born(now, value(now, *given))
    raise InternalError(f"{record.name} is no step on data")


def _of_scalar(record: Scalar, names: Names) -> tuple[Function, Function | None]:
    if record.otherwise is None:
        return (lambda now, *given: apply(record, given)), None
    plain, taped = functions_of(lookup(record.otherwise), names)
    assert plain is not None

    def run(now: Any, *given: Any) -> Any:
        return apply(record, given) if takes_reals(given) else plain(now, *given)

    def tape(now: Any, *given: Any) -> Any:
        if takes_reals(given):
            return apply(record, given), None
        value, origin = taped(now, *given)  # type: ignore[misc]
        return value, origin or IDLE  # the partials of `record` are not those of what was done

    return run, None if taped is None else tape


def _of_arrays(own: Primitive, record: Tensor, step: t.Compute) -> tuple[Function, Function]:
    """Return a StepPlan's `on_arrays` and `on_tape`."""
    names: Names = tuple([x if isinstance(x, str) else None for x in step.operands])
    own_literals = literals_among(names)

    def run(now: Any, *given: Any) -> Any:
        if on_arrays(own, given) is None:
            return NotImplemented
        literals = literals_of(now, step.application, own_literals)
        return perform_tensor(now, record, given, literals)

    def tape(now: Any, *given: Any) -> Any:
        if on_arrays(own, given) is None or carries_derivative(given):
            return NotImplemented
        literals = literals_of(now, step.application, own_literals)
        value, origin = perform_tensor_taped(now, record, given, names, literals)
        return value, origin or IDLE

    return run, tape


def _of_handles(own: Data | Rearrange) -> tuple[Function, Function]:
    """Return a StepPlan's `on_arrays` and `on_tape` for a step without derivatives: arrays are data there."""
    value = own.value
    is_test = own.name in ("py.instance", "py.is-class")  # a boolean, made of the classes alone

    def run(now: Any, *given: Any) -> Any:
        return value(now, *given) if is_test else perform(now, own, given)

    def tape(now: Any, *given: Any) -> Any:
        return (value(now, *given), None) if is_test else perform_taped(now, own, given, ())

    return run, tape


def plan_of(peer: BlockPeer, index: int) -> StepPlan | None:
    """Return the plan of a step; the block's peer keeps it alive."""
    step = peer.block.steps[index]
    if not isinstance(step, t.Compute):
        return None
    plan = StepPlan(step)
    peer.owned.append(plan)
    return plan


def pulls_of(plan: StepPlan, bits: int) -> Pulls:
    """Return what the origin of a step is made with if these operands receive cotangents."""
    wanted = tuple([i for i in range(len(plan.names)) if bits >> i & 1])
    read = needed(plan.record, wanted)
    kept = ALL
    if read is not None:
        count = len(plan.names)
        kept = sum([1 << i for i in read if 0 <= i < count])
        kept |= (count in read or RESULT in read) << runtime().lib.RESULT_BIT
    plan.pulls[bits] = (wanted, [plan.names[i] for i in wanted], kept, bits)
    return plan.pulls[bits]


def origin_of(
    plan: StepPlan,
    pulls: Pulls,
    natives: list[Any],
    result: Any,
    saved: tuple[Any, ...],
    births: tuple[tuple[int, ...], ...],
    result_birth: int,
) -> Pulled:
    """Return what a tape of C keeps of an application as an origin of hybrid's.

    natives, result: as far as rules read them, with a Like for each other array. saved: by the record.
    births: for each operand those of its tuples and lists, each before those within it; () if its number is
        in a slot. Empty if that is so for all. result_birth: of a tuple or list of arrays; 0: it is none.
    """
    wanted, names, _, _ = pulls
    pullback = Pullback(plan.record, natives, result, wanted, saved)
    results = _numbers_in(result, result_birth) if result_birth else None
    if not births:
        return Pulled(pullback, names, results, is_simple=plan.pull is None and results is None)
    places: list[Any] = []
    for i, name in zip(wanted, names, strict=True):
        places += _places_in(natives[i], iter(births[i])) if births[i] else [name]
    return Pulled(pullback, places, results)


def unwanted_of(birth: int, result: Any) -> UnwantedResult:
    """Return the origin of a tuple or list of arrays whose cotangents nobody wants."""
    return UnwantedResult(_numbers_in(result, birth))


def _numbers_in(result: Any, birth: int) -> list[Key]:
    """Return the fields of the arrays in a tuple or list that have derivatives."""
    return [(birth, field) for field, part in enumerate(result) if is_number(part)]


def _places_in(parts: Any, births: Iterator[int]) -> Iterator[Key]:
    """Yield the locations of the numbers in a nest, as `ad.operands.leaves` orders them."""
    birth = next(births)
    for field, part in enumerate(parts):
        if isinstance(part, NESTS):
            yield from _places_in(part, births)
        elif is_number(part):
            yield birth, field
