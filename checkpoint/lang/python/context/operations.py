"""The operations of Python that classes may define, with the methods that define them."""

from __future__ import annotations

# For each operation with two operands its sign, and its method; the reflected one begins with "r".
BINARY: dict[str, tuple[str, str]] = {
    "py.add": ("+", "add"),
    "py.sub": ("-", "sub"),
    "py.mul": ("*", "mul"),
    "py.truediv": ("/", "truediv"),
    "py.floordiv": ("//", "floordiv"),
    "py.mod": ("%", "mod"),
    "py.pow": ("** or pow()", "pow"),
    "py.matmul": ("@", "matmul"),
    "py.and": ("&", "and"),
    "py.or": ("|", "or"),
    "py.xor": ("^", "xor"),
    "py.lshift": ("<<", "lshift"),
    "py.rshift": (">>", "rshift"),
}
IN_PLACE: dict[str, str] = {f"py.i{op.removeprefix('py.')}": op for op in BINARY}
BINARY["py.divmod-check"] = ("divmod()", "divmod")  # without a form that is in place
# For each comparison its sign, and that of the same question with the operands exchanged.
COMPARISONS: dict[str, tuple[str, str, str]] = {
    "py.lt": ("<", "__lt__", "__gt__"),
    "py.le": ("<=", "__le__", "__ge__"),
    "py.gt": (">", "__gt__", "__lt__"),
    "py.ge": (">=", "__ge__", "__le__"),
    "py.eq": ("==", "__eq__", "__eq__"),
    "py.ne": ("!=", "__ne__", "__ne__"),
}
# For each operation on one object the methods of which the first that there is performs it.
SIMPLE: dict[str, tuple[str, ...]] = {
    "py.neg": ("__neg__",),
    "py.pos": ("__pos__",),
    "py.abs": ("__abs__",),
    "py.invert": ("__invert__",),
    "py.truth": ("__bool__", "__len__"),
    "py.len": ("__len__",),
    "py.item": ("__getitem__",),
    "py.item-to-change": ("__getitem__",),
    "py.str": ("__str__", "__repr__"),
    "py.repr": ("__repr__",),
    "py.float": ("__float__", "__index__"),
    "py.int": ("__int__", "__index__"),
    "py.index": ("__index__",),
    "py.round": ("__round__",),
    "py.hash": ("__hash__",),
}
# The methods whose results Python checks.
CHECKED = frozenset(("__bool__", "__len__", "__str__", "__repr__", "__int__", "__index__", "__hash__"))
