"""Primitives of sums in the small language: values with a tag that says which of several things they are.

    (tagged tag v)      v as the thing that the tag, a symbol, names; (inl v) and (inr v) are two of these
    (tag-of x)          its tag
    (untagged x)        its value

A `case` is made of these (checkpoint.lang.forms). The value is a tuple of both (checkpoint.ad.containers);
texts have no other tuples.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.numbers import fresh
from checkpoint.ad.record import Data, OperandError, Purity, Select, register


def _field(position: int, now: Any, x: Any) -> Any:
    if type(x) is not Record or x.layout is not TUPLE or len(x.items) != 2:
        raise OperandError("not a value of a sum: neither (inl v) nor (inr v)")
    return fresh(x.items[position])


register(
    Data(
        name="tagged",
        arity=2,
        purity=Purity.PURE,
        doc="a value with a tag",
        value=lambda tag, v: Record(TUPLE, (fresh(tag), fresh(v))),
        builds=True,
    )
)


def _register_field(name: str, position: int, doc: str) -> None:
    register(
        Select(
            name=name,
            arity=1,
            purity=Purity.MAY_FAIL,
            doc=doc,
            value=partial(_field, position),
            place=lambda now, x: position,
        )
    )


_register_field("tag-of", 0, "the tag of a value of a sum")
_register_field("untagged", 1, "a value of a sum without its tag")
