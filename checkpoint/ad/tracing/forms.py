"""Forms of arguments: tests that find arguments again which differ from others in elements of arrays alone.

In: Python objects that have been arguments or inputs of a call. Out: a function of others, compiled, which
returns their arrays in order, or None where anything but the elements of arrays is different: what equals
under a form enters a program as the same value. Only nests of containers of Python's own, named tuples,
numbers, texts, and arrays of the default library have a form; each container and each array is met once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.array_library import holds_numbers, is_default, libraries

Arrays = Callable[[Sequence[Any]], list[Any] | None]
_EQUAL = frozenset((int, bool, str, bytes, type(None)))
_MAX_DEPTH = 32


class _NoForm(Exception):
    """Raised for an object that has no form."""


class Form:
    """The form of some objects.

    arrays: the arrays among them, in the order of what `of` returns.
    of: returns the arrays of other objects; None: these have another form.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.arrays: list[Any] = []
        self._scope: dict[str, Any] = {}
        self._lines: list[str] = []
        self._found: list[str] = []  # the names of arrays
        self._once: dict[int, str] = {}  # the names of what is met once, by identity
        for k, value in enumerate(values):
            self._visit(f"x{k}", value, 0)
        self.of = self._compiled(len(values))

    def _visit(self, name: str, value: Any, depth: int) -> None:
        """Add the tests of an object."""
        kind = type(value)
        if kind in libraries and is_default(value) and holds_numbers(value):
            self._note(name, value)
            self.arrays.append(value)
            self._found.append(name)
            dtype, form = self._constant(value.dtype), f"{name}.strides == {value.strides}"
            self._test(name, kind, f"{name}.shape == {value.shape}", form, f"{name}.dtype == {dtype}")
        elif kind in _EQUAL:
            self._test(name, kind, f"{name} == {self._constant(value)}")
        elif kind is float:
            self._test(name, kind, f"{name}.hex() == {value.hex()!r}")
        elif kind is dict and set(map(type, value)) <= {str}:
            self._test(name, kind, f"tuple({name}) == {tuple(value)}", f"set(map(type, {name})) <= {{str}}")
            self._descend(name, value, f"{name}.values()", list(value.values()), depth)
        elif kind is list or kind is tuple or _is_named(value):
            self._test(name, kind, f"len({name}) == {len(value)}")
            self._descend(name, value, name, list(value), depth)
        else:
            raise _NoForm

    def _descend(self, name: str, value: Any, parts: str, items: list[Any], depth: int) -> None:
        """Add the tests of a container's parts."""
        if depth == _MAX_DEPTH:
            raise _NoForm
        if not items:
            return
        self._note(name, value)
        names = [f"{name}_{k}" for k in range(len(items))]
        self._lines.append(f"    {', '.join(names)}, = {parts}")
        for each, item in zip(names, items, strict=True):
            self._visit(each, item, depth + 1)

    def _note(self, name: str, value: Any) -> None:
        """Note that an object is met; two places of one have no form."""
        if id(value) in self._once:
            raise _NoForm
        self._once[id(value)] = name

    def _constant(self, value: Any) -> str:
        name = f"c{len(self._scope)}"
        self._scope[name] = value
        return name

    def _test(self, name: str, kind: type, *tests: str) -> None:
        whole = " and ".join([f"type({name}) is {self._constant(kind)}", *tests])
        self._lines.append(f"    if not ({whole}): return None")

    def _compiled(self, count: int) -> Arrays:
        """Return the function of all tests."""
        names = [f"x{k}" for k in range(count)]
        ids = ", ".join([f"id({name})" for name in self._once.values()])
        lines = [
            "def of(values):",
            f"    if len(values) != {count}: return None",
            *([f"    {', '.join(names)}, = values"] if names else []),
            *self._lines,
            *([f"    if len({{{ids}}}) != {len(self._once)}: return None"] if len(self._once) > 1 else []),
            f"    return [{', '.join(self._found)}]",
        ]
        exec("\n".join(lines), self._scope)
        made: Arrays = self._scope["of"]
        return made


def form_of(values: Sequence[Any]) -> Form | None:
    """Return the form of objects; None: they have none."""
    try:
        return Form(values)
    except _NoForm:
        return None


def _is_named(value: Any) -> bool:
    """Return whether an object is a named tuple without attributes of its own."""
    kind: Any = type(value)
    return isinstance(value, tuple) and hasattr(kind, "_fields") and not kind.__dictoffset__
