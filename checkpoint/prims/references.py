"""Primitives of what changes in the small language: references, each a mutable container of one value.

    (ref v)        a new reference that holds v
    (! r)          what it holds now
    (:= r v)       the reference, after it has come to hold v

A reference is a list of one (checkpoint.ad.containers), so its identity, its versions in the states of a run
and its cotangent are those of Python's lists; texts have no other lists of that kind. One that came in from
outside of a run cannot be changed in it.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.containers import List, changeable
from checkpoint.ad.numbers import fresh
from checkpoint.ad.record import Data, OperandError, Purity, Select, Update, register
from checkpoint.ad.storage import FROZEN, Now
from checkpoint.errors import RunError

CAME_IN = (
    "this reference was made outside of what runs here and cannot be changed: make one inside, (ref (! r)), "
    "and return it"
)


def _reference(value: Any) -> List:
    if type(value) is not List:
        raise OperandError("not a reference")
    return value


def _assign(now: Now, r: Any, v: Any) -> List:
    reference = _reference(r)
    if reference.owner is FROZEN:
        raise RunError(CAME_IN)
    changeable(now, reference)[0] = fresh(v)
    return reference


register(
    Data(
        name="ref",
        arity=1,
        purity=Purity.PURE,
        doc="a new reference to a value",
        value=lambda v: List([fresh(v)]),
        builds=True,
        mutable=True,
    )
)
register(
    Select(
        name="!",
        arity=1,
        purity=Purity.MAY_FAIL,
        doc="what a reference holds",
        value=lambda now, r: fresh(_reference(r).items[0]),
        place=lambda now, r: 0,
    )
)
register(
    Update(
        name=":=",
        arity=2,
        purity=Purity.MAY_FAIL,
        doc="change what a reference holds: the reference, the value",
        value=_assign,
        writes=lambda now, r, v: [(0, 1, None)],
        puts=lambda now, result, r, v: 0,
    )
)
