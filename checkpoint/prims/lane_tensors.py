"""The steps of `map` over a tensor in texts of the language, whose prelude has a loop over the items.

    (tensor-lanes f tensor)                (f . items): f frozen, the proper list of the items
    (enter-lane f item)                    (f . item) of one lane: copies
    (stack-lanes tensor results)           the results of a proper list, leaf by leaf, along new first axes

They are those of lanes.py, on pairs and lists of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.containers import TUPLE, Dict, Record
from checkpoint.ad.library import record_named
from checkpoint.ad.record import PYTHON_FAILURES, Operator, Purity, register
from checkpoint.ad.tensors import ALWAYS, apply
from checkpoint.ad.values import Pair, list_value
from checkpoint.prims.lanes import Stacking, apart, lanes_of


def _tensor_lanes(_: Any, f: Any, tensor: Any) -> Pair:
    lanes = lanes_of(f, Record(TUPLE, (tensor,)), Dict({}), 0)
    items = apply(ALWAYS, record_named("tensorlib.items"), (tensor, 0))
    return Pair(lanes.function, list_value(list(items.items)))


def _enter_tensor_lane(_: Any, f: Any, item: Any) -> Pair:
    entered: Pair = apart(Pair(f, item))
    return entered


def _stack_tensor_lanes(_: Any, like: Any, results: Any) -> Any:
    found = []
    while results is not None:
        found.append(results.car)
        results = results.cdr
    return Stacking(like).stacked(tuple(found), 0)


def _in_texts(name: str, doc: str, value: Callable[..., Any], derivative: str) -> None:
    register(
        Operator(
            name=name,
            arity=2,
            purity=Purity.MAY_FAIL,
            doc=doc,
            failures=PYTHON_FAILURES,
            value=value,
            derivative=derivative,
        )
    )


_in_texts(
    "tensor-lanes", "(f . items) for the lanes of a tensor", _tensor_lanes, "that of the copies and items"
)
_in_texts("enter-lane", "(f . item) of one lane, copied", _enter_tensor_lane, "that of the copies")
_in_texts("stack-lanes", "what lanes returned as tensors", _stack_tensor_lanes, "that of the stacking")
