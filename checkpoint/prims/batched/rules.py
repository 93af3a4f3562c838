"""The rules by which steps are done for many lanes at once: one table, by the names of records.

In: a step's name and operands, of which one at least is or holds a batch. Out: a batch. A rule turns the step
into functions of arrays whose first axis is that of the lanes. A function of arrays without a rule, or with
operands that its rule does not take, is applied lane by lane, and the results are stacked. Any other step
fails: it has no batched form, and the lanes run one after another.

What Python's own numbers would raise (1.0 / 0.0) shows in elements that are not finite; then the step fails,
too, so that the loop over lanes raises what it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.array_library import dtype_kind, is_default
from checkpoint.ad.arrays import ARRAYS, Native
from checkpoint.ad.containers import CONTAINERS, TUPLE, List, Record
from checkpoint.ad.graph import renew
from checkpoint.ad.library import overloads, silently
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.record import Rearrange, lookup
from checkpoint.ad.tensors import ALWAYS, Tensor, apply
from checkpoint.errors import an
from checkpoint.prims.batched import array_rules as on_arrays
from checkpoint.prims.batched.operands import (
    Rule,
    Unfit,
    aligned,
    is_container,
    is_shared_array,
    only_first,
    rank,
    tuple_of,
)
from checkpoint.prims.batched.program import NoForm
from checkpoint.prims.batched.values import (
    applied,
    batch,
    data_of,
    holds_batch,
    is_batch,
    is_mixed,
    is_numbers,
    mixed,
    width,
)

# Rules


def elementwise(record: Tensor, operands: Sequence[Any]) -> Any:
    """Align operands, so that they broadcast in each lane."""
    count = max(map(rank, operands))
    if any(is_shared_array(x) or _holds_arrays(x) for x in operands):
        found = applied(record.name, *[aligned(x, count) for x in operands])
        if not is_shared_array(found):
            raise NoForm(f"{record.name}, which gives no array,")
        return batch(found, False)
    return on_numbers(record, operands)


def selected(record: Tensor, operands: Sequence[Any]) -> Any:
    """Choose elements of two operands, of which one at least or the condition is an array in each lane."""
    if len(operands) != 3 or not any(is_shared_array(x) or _holds_arrays(x) for x in operands):
        raise Unfit
    return elementwise(record, operands)


def _holds_arrays(x: Any) -> bool:
    return is_batch(x) and not is_numbers(x)


def unary(record: Tensor, operands: Sequence[Any]) -> Any:
    """Apply a function of each element, with settings that are alike for all lanes."""
    only_first(operands)
    if is_numbers(operands[0]):
        return on_numbers(record, operands)
    return batch(applied(record.name, operands[0].items[0], *operands[1:]), False)


def on_numbers(record: Tensor, operands: Sequence[Any]) -> Any:
    """Apply a function to numbers of Python's; fail where one might raise, or be a large integer."""
    datas = [data_of(x) for x in operands if is_batch(x)]
    letters = {dtype_kind(data.dtype) for data in datas}
    is_test = record.name in _TESTS
    if "b" in letters and not is_test:
        raise NoForm("arithmetic on booleans")
    whole = [abs(x) for x in operands if type(x) is int]
    whole += [int(abs(data).max()) for data in datas if dtype_kind(data.dtype) in "iu"]
    if whole and max(whole) >= _BOUND:
        raise NoForm("an integer of more than 30 bits")
    with silently():
        found = applied(record.name, *[x.items[0] if is_batch(x) else x for x in operands])
        if not is_shared_array(found):
            raise NoForm(f"{record.name}, which gives no array,")
        data = real_part(found).data
        letter = dtype_kind(data.dtype)
        if letter == "f" and record.name not in _SAFE and not bool(((data - data) == 0.0).all()):
            raise NoForm("a number that is not finite")
    if letter in "iu" and record.name not in _SAFE:
        raise NoForm("integers that are divided, or raised to powers")
    if letter != "b" and any(map(is_mixed, operands)):
        return mixed(found)
    return batch(found, True)


_BOUND = 1 << 30
_SAFE = frozenset(
    (
        *("np.add", "np.subtract", "np.multiply", "np.negative", "np.positive", "np.absolute", "np.where"),
        "py.abs/array",
    )
)
_TESTS = frozenset(
    (
        *("np.less", "np.less_equal", "np.greater", "np.greater_equal", "np.equal", "np.not_equal"),
        *("np.where", "np.logical_and", "np.logical_or", "np.logical_xor", "np.logical_not"),
    )
)


ROUNDED = ("np.sign", "np.floor", "np.ceil", "np.rint", "np.trunc", "np.fix", "np.round")
UNARY = (
    *("np.logical_not", "np.isfinite", "np.isinf", "np.isnan", "np.absolute", "np.fabs", *ROUNDED),
    *("tensorlib.relu", "tensorlib.leaky_relu", "tensorlib.sigmoid", "tensorlib.silu", "tensorlib.softplus"),
    *("tensorlib.erf", "tensorlib.gelu", "tensorlib.elu", "tensorlib.selu", "tensorlib.hardtanh"),
    *("tensorlib.mish", "tensorlib.log_sigmoid", "np.copy", "array.copy", "py.abs/array"),
)
REDUCTIONS = (
    *("np.sum", "np.mean", "np.var", "np.std", "np.max", "np.min", "np.prod", "np.any", "np.all"),
    *("np.argmax", "np.argmin", "np.median", "np.ptp", "tensorlib.logsumexp"),
)
RULES: dict[str, Rule] = {
    **dict.fromkeys(UNARY, unary),
    **dict.fromkeys(REDUCTIONS, on_arrays.reduction),
    **dict.fromkeys(("np.cumsum", "np.cumprod", "np.diff", "np.flip"), on_arrays.along_axis),
    **dict.fromkeys(("tensorlib.special.softmax", "tensorlib.special.log_softmax"), on_arrays.along_axis),
    **dict.fromkeys(("np.matmul", "np.dot"), on_arrays.product),
    "tensorlib.layer_norm": on_arrays.normalised,
    **dict.fromkeys(("np.reshape", "array.reshape"), on_arrays.reshape),
    **dict.fromkeys(("np.ravel", "array.flatten"), on_arrays.flat),
    **dict.fromkeys(("np.transpose", "array.transpose"), on_arrays.transpose),
    **dict.fromkeys(("np.swapaxes", "np.moveaxis"), on_arrays.axes_exchanged),
    **dict.fromkeys(("np.stack", "np.concatenate"), on_arrays.joined),
    **dict.fromkeys(("np.array", "np.asarray"), on_arrays.array_of),
    **dict.fromkeys(("np.truth", "np.not"), on_arrays.truth),
    "np.where": selected,
    "np.expand_dims": on_arrays.with_axis,
    "np.squeeze": on_arrays.without_axis,
    "np.getitem": on_arrays.item,
    "np.slice": on_arrays.part_of,
    "np.float": on_arrays.as_number,
    "np.attribute": on_arrays.attribute,
}
BROADCASTING = frozenset(("all operands broadcast together", "both operands broadcast together"))
# Shapes of functions, as their records state them, to whose first operand further axes may be added in front.
_LEADING = frozenset(
    (
        *("(..., n), (m, n), (m,) -> (..., m)", "(...), (n, m) -> (..., m)"),
        *("(..., n, n) -> (..., n, n)", "(..., n, n) -> (...)"),
    )
)

# Functions of Python's numbers by the functions of arrays.
_OF_NUMBERS = {
    "py.math.asin": "np.arcsin",
    "py.math.acos": "np.arccos",
    "py.math.atan": "np.arctan",
    "py.math.atan2": "np.arctan2",
    "py.math.pow": "np.power",
    "py.math.degrees": "np.rad2deg",
    "py.math.radians": "np.deg2rad",
    "py.math.erf": "tensorlib.erf",
    **{
        f"py.math.{name}": f"np.{name}"
        for name in ("sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p")
    },
    **{
        f"py.math.{name}": f"np.{name}"
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot", "fabs", "copysign")
    },
}

# Operators that change an array, but make another number.
_IN_PLACE = {
    "py.iadd": "np.add",
    "py.isub": "np.subtract",
    "py.imul": "np.multiply",
    "py.itruediv": "np.divide",
    "py.ipow": "py.pow/array",
}

# Steps whose result depends on what an operand is, but on no number: one lane tells it for all.
_BY_ONE_LANE = frozenset(
    (
        *("py.kind", "py.instance", "py.instance-of", "py.class-of", "py.type", "py.is-object"),
        *("py.same-class", "py.callable", "py.is-mapping", "py.len", "py.attribute", "py.has-attribute"),
        *("np.shape", "np.ndim", "np.size", "np.len", "np.attribute", "np.isscalar", "tensorlib.is_real"),
        *("py.is-array", "py.is-class", "real?"),
    )
)
_WITH_CONTAINERS = frozenset(("py.item", "py.slice", "py.matmul"))
_TYPES_ALONE = frozenset(("shape", "ndim", "size", "dtype", "device", "requires_grad"))


def _of_arrays(name: str) -> Tensor:
    """Return a function of arrays by its name."""
    record = lookup(name)
    return record if isinstance(record, Tensor) else overloads[name]


def step(
    context: Any,
    name: str,
    operands: Sequence[Any],
    check: Callable[[Tensor, Sequence[Any]], None] = lambda record, operands: None,
) -> Any:
    """Return the result of a step for all lanes; NoForm: it has none. check: fails for what it refuses."""
    record = lookup(name)
    target = record if isinstance(record, Tensor) else overloads.get(name)
    if target is None and name in _OF_NUMBERS:
        target = _of_arrays(_OF_NUMBERS[name])
    if any(map(is_mixed, operands)) and name in _BY_ONE_LANE:
        raise NoForm(f"{name} where some lanes have integers")
    if name in _BY_ONE_LANE and (not name.endswith("attribute") or operands[1] in _TYPES_ALONE):
        return _of_one_lane(context, record, target, operands)
    if target is not None and name in _IN_PLACE and not _is_changed(operands[0]):
        target = _of_arrays(_IN_PLACE[name])
    if target is None or target.changes:
        raise NoForm(f"{name} on values of many lanes")
    if name == "py.add" and all(type(x) is Record and x.layout is TUPLE for x in operands):
        return renew(Record(TUPLE, (*operands[0].items, *operands[1].items)))
    if target is not record and name not in _WITH_CONTAINERS and any(map(is_container, operands)):
        raise NoForm(f"{name} on containers with values of many lanes")
    check(target, operands)
    rule = rule_of(target)
    if rule is not None:
        try:
            return rule(target, operands)
        except Unfit:
            pass
    return lane_by_lane(target, operands)


def _is_changed(x: Any) -> bool:
    """Return whether an operator in place would change an operand, which others might see."""
    if is_batch(x) and not is_numbers(x):
        return rank(x) > 0 or not is_default(data_of(x))
    return not is_batch(x) and (type(x) in CONTAINERS or is_shared_array(x))


def rule_of(record: Tensor) -> Rule | None:
    """Return the rule of a function of arrays; None: it is applied lane by lane."""
    found = RULES.get(record.name.replace("ndarray.", "np."))
    if found is not None:
        return found
    if record.shape in BROADCASTING:
        return elementwise
    return on_arrays.leading if record.shape in _LEADING else None


def _lane(x: Any, lane: int) -> Any:
    """Return what an operand is in one lane."""
    if is_batch(x):
        return _number(x, lane)
    if not holds_batch((x,)):
        return x
    if type(x) not in (List, Record):
        raise NoForm(f"{an(type(x).__name__)} with values of many lanes")
    return x.with_parts(tuple([_lane(part, lane) for part in x.items]))


def _number(x: Record, lane: int) -> Any:
    """Return what a batch is in one lane."""
    if is_mixed(x):
        raise NoForm("floats beside integers")
    found = applied("np.getitem", x.items[0], tuple_of((lane, Native(...))))
    plain = real_part(found) if type(found) in NUMBERS else found
    if not is_numbers(x) or type(plain) not in ARRAYS:
        return found
    return applied("np.float", found) if dtype_kind(plain.data.dtype) == "f" else plain.data.item()


def _some_batch(operands: Sequence[Any]) -> Record:
    """Return a batch that is among operands or in one of them."""
    waiting = list(operands)
    while True:
        x = waiting.pop()
        if is_batch(x):
            found: Record = x
            return found
        if type(x) in (List, Record):
            waiting.extend(x.items)


def _of_one_lane(context: Any, record: Any, target: Tensor | None, operands: Sequence[Any]) -> Any:
    """Return the result of a step that is alike for all lanes."""
    first = [_lane(x, 0) for x in operands]
    if target is not None and any(map(is_shared_array, first)):
        return apply(ALWAYS, target, first)
    if not isinstance(record, Rearrange):
        raise NoForm(f"{record.name} on values of many lanes")
    return record.value(context, *first)


def lane_by_lane(record: Tensor, operands: Sequence[Any]) -> Any:
    """Return the results of a function of arrays for each lane, as one batch."""
    if any(type(x) not in (List, Record) and holds_batch((x,)) for x in operands):
        raise NoForm(f"{record.name} on containers with values of many lanes")
    some = _some_batch(operands)
    results = [apply(ALWAYS, record, [_lane(x, lane) for x in operands]) for lane in range(width(some))]
    if any(not is_shared_array(x) and type(real_part(x)) is not float for x in results):
        raise NoForm(f"{record.name} on values of many lanes")
    return batch(
        applied("tensorlib.joined", some.items[0], List(results), 0), not is_shared_array(results[0])
    )
