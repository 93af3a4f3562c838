"""The operands that steps take as they are, whatever these hold: they store them or pass them on.

In OPAQUE_AT, for such a step, the positions at which an operand matters itself: there, too, it may be a
container that holds values of many lanes, but not itself be one. A step that is not named here is done as it
is only where no operand holds any.
"""

from __future__ import annotations

from checkpoint.ad.record import Primitive, Update

OPAQUE_AT: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("cons", "py.tuple", "py.list", "py.record", "py.new", "py.raise-check"), ()),
    **dict.fromkeys(("car", "cdr", "null?", "pair?"), (0,)),
    **dict.fromkeys(("py.len", "py.truth", "py.not", "py.list-of", "py.tuple-of", "py.sequence"), (0,)),
    **dict.fromkeys(("py.list-of-star", "py.tuple-of-star", "py.unpack", "py.unpack-star"), (0,)),
    **dict.fromkeys(("py.unpack-rest", "py.index", "py.callee", "py.general", "py.has-general"), (0,)),
    **dict.fromkeys(("py.callable", "py.attribute", "py.has-attribute", "py.variable"), (0,)),
    **dict.fromkeys(("py.kind", "py.instance", "py.instance-of", "py.class-of", "py.type"), (0,)),
    **dict.fromkeys(
        ("py.is-object", "py.is-array", "real?", "py.is-mapping", "py.keys", "py.values", "py.copy"), (0,)
    ),
    **dict.fromkeys(("py.float", "py.append", "py.set-attribute", "py.clear", "py.reverse"), (0,)),
    **dict.fromkeys(("py.same-class", "py.item", "py.pop-item", "py.set", "py.insert", "py.delete"), (0, 1)),
    **dict.fromkeys(("py.extend", "py.checked-set"), (0, 1)),
    "py.is-class": (0,),
    "py.range": (0, 1, 2),
    "py.slice": (0, 1, 2, 3),
}

# What would let lanes that do not agree have another derivative for the same elements, or none.
WITHOUT_FORM = frozenset(
    ("py.stop", "py.call-primitive", "py.attached", "py.underived", "py.with-derivative", "py.moved")
)

# Operators that change their first operand, if it is an array or a list.
CHANGING = frozenset(
    f"py.i{name}"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
) | {"py.ilshift", "py.irshift"}


def may_change(record: Primitive) -> bool:
    """Return whether a step may change its first operand."""
    return isinstance(record, Update) or getattr(record, "changes", False) or record.name in CHANGING
