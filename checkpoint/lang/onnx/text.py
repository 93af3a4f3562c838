"""The text of a Python function while it is written, and what the names of a graph are in it.

Values that only say how large others are (shapes, constants) are NumPy's arrays on the host; all others are
of the library and on the device of the inputs. Which is which is known from the graph: a value is on the host
if nothing that it is computed from is not. Where one meets the others, the text moves it: `placed(x, place)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError
from checkpoint.lang.onnx import operators
from checkpoint.lang.onnx.names import Names


@dataclass(frozen=True, slots=True)
class Value:
    """Says what a value of the graph is in the text.

    text: an expression; "" for an array that no expression has named yet. array: of a constant. is_host:
    whether it is on the host.
    """

    text: str
    array: Any = None
    is_host: bool = False


class Text:
    """The lines that are written, and the meanings of their names.

    meanings: what the global names are. values: by the names of the graph.
    """

    def __init__(self, reserved: dict[str, Any]) -> None:
        self.meanings = dict(reserved)
        self.names = Names(reserved)
        self.lines: list[str] = []
        self.values: dict[str, Value] = {}
        self._depth = 0
        self._place = ""

    # Lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """Write a line, and what follows inside of it; what is named there has no name after it."""
        known = dict(self.values)
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1
        self.values = known

    @contextmanager
    def lasting(self, head: str) -> Iterator[None]:
        """Write a line, and what follows inside of it, whose names other functions have, too."""
        self.line(head)
        self._depth += 1
        yield
        self._depth -= 1

    # Values

    def bind(self, name: str, is_host: bool = False) -> str:
        """Return a new identifier for a value of the graph."""
        found = self.names.fresh(name or "unused")
        if name:
            self.values[name] = Value(found, is_host=is_host)
        return found

    def name(self, name: str, text: str, is_host: bool) -> None:
        """Note which identifier of the text a value of the graph has."""
        self.values[name] = Value(text, is_host=is_host)

    def bind_array(self, name: str, array: Any) -> None:
        """Note that a value of the graph is a constant."""
        self.values[name] = Value("", array, is_host=True)

    def value(self, name: str) -> Value:
        """Return what a name of the graph is in the text; a constant gets a global name."""
        if name not in self.values:
            raise SourceError(f"the graph uses {name!r}, which nothing before it makes")
        found = self.values[name]
        if not found.text:
            text = self.names.fresh(name)
            self.meanings[text] = found.array
            found = self.values[name] = Value(text, found.array, is_host=True)
        return found

    def name_place(self) -> None:
        """Name the variable of each function that says where the inputs are."""
        self._place = self.names.fresh("place")

    def place_names(self) -> list[str]:
        """Return the name of that variable, if there is one."""
        return [self._place] if self._place else []

    def write_place(self, of: str) -> None:
        """Write where the inputs are; of: an identifier of one."""
        self.line(f"{self._place} = {self.function('place_of')}({of})")

    def placed(self, text: str) -> str:
        """Return an expression for an array in the place of the inputs."""
        return f"{self.function('placed')}({text}, {self._place})" if self._place else text

    def operand(self, name: str, beside_others: bool = False) -> str:
        """Return an expression for a value; beside_others: in the place of the inputs."""
        if not name:
            return "None"
        found = self.value(name)
        return self.placed(found.text) if found.is_host and beside_others else found.text

    def number(self, name: str) -> str:
        """Return an expression for a value as a number, or as a list of numbers."""
        if not name:
            return "None"
        found = self.values.get(name)
        if found is not None and found.array is not None:
            return literal(found.array.tolist())
        return f"{self.value(name).text}.tolist()"

    def are_on_host(self, names: list[str]) -> bool:
        """Return whether all values of some names are on the host."""
        return all(self._is_array(name) or self.value(name).is_host for name in names if name)

    def _is_array(self, name: str) -> bool:
        return name in self.values and self.values[name].array is not None

    def is_scalar(self, name: str) -> bool:
        """Return whether a value is a constant of no axes, a finite number."""
        array = self.values[name].array if self._is_array(name) else None
        return array is not None and array.shape == () and array.dtype.kind in "fiu" and math.isfinite(array)

    def function(self, name: str) -> str:
        """Return a global name for a function that the text needs beside those of operators."""
        found = operators.find(f"checkpoint.{name}", 1)
        assert found is not None, name
        self.meanings[name] = found.function
        return name


def literal(value: Any) -> str:
    """Return the text of a number, a text or a list of these."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"np.{value}".replace("-inf", "inf * -1.0") if value < 0 else f"np.{value}"
    return repr(value)
