"""Gathering early: of arrays of whose rows a plan reads some alone, it computes these alone.

In: the lines of a plan, and the arrays of its trace. Out: lines that compute the same in less time, or None
where there are none. In `f(x)[index]`, where f goes from row to row, the index moves before f, to
`f(x[index])`: before sums, differences and products of elements, products of matrices, reshapes and views, as
long as whoever reads one of their results reads the same rows of it.

What always holds:
- The bits are those of all rows. A product of matrices has those of each row for the forms at hand, which is
  found out on samples, else nothing moves.
- Rows that are not computed would not have warned. All magnitudes in them are bounded by the largest ones of
  the arrays that they are made of. The lines return None where a bound is near what overflows, or is not
  finite, or the library has been told to warn of numbers that are too small.
- Strides may be others only in what is found element by element, or shown by views, and is finite. They are
  those of the trace wherever they may decide bits, and in results.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.lines import Called, Line
from checkpoint.ad.tracing.loops import PRODUCTS, copied, order_of, peak
from checkpoint.ad.tracing.samples import form_of, has_rows_alike

LEAST = 1 << 16  # multiplications of elements: what saves fewer costs more
LARGEST = 1e300  # of magnitudes, and so far from overflowing that their own roundings do not matter
_SUMS = frozenset(("np.add", "np.subtract"))
_ELEMENTWISE = _SUMS | {"np.multiply", "np.negative"}
_RESHAPES = frozenset(("np.reshape", "array.reshape", "ndarray.reshape"))


class Rows(NamedTuple):
    """Says which part of an array is read: what an index array of this name has, along an axis."""

    axis: int
    name: str


Names = dict[str, Any]  # arrays, by their names


def gathered_early(
    lines: Sequence[Line], arrays: Names, results: Sequence[str], scope: dict[str, Any]
) -> list[Line] | None:
    """Return lines that compute the same of fewer rows; None: there are none.

    arrays: the derived arrays of the trace. scope: the constants of the lines.
    """
    rows = _wanted_rows(lines, arrays, results)
    saved = 0
    for line in lines:
        if line.made in rows and line.call is not None and line.call.key in PRODUCTS:
            axis, name = rows[line.made]
            kept = arrays[name].size / line.call.made.shape[axis]
            saved += int(line.call.made.size * line.call.args[0].shape[-1] * (1.0 - kept))
    if saved < LEAST:
        return None
    early = _Early(rows, arrays, scope)
    return early.lines if early.take(lines, results) else None


def _wanted_rows(lines: Sequence[Line], arrays: Names, results: Sequence[str]) -> dict[str, Rows]:
    """Return the arrays of which all that read them read the same rows, and which these are."""
    readers: dict[str, set[Rows | None]] = {name: {None} for name in results}
    found: dict[str, Rows] = {}
    for line in reversed(lines):
        if line.is_of_form:
            continue
        own = readers.get(line.made, {None})
        rows = next(iter(own)) if len(own) == 1 else None
        axes = None if rows is None or line.call is None else axes_of(line.call, rows.axis)
        names = dict.fromkeys(line.read)
        passed: list[tuple[str, Rows | None]] = [(name, None) for name in names]
        if rows is not None and axes is not None and line.call is not None:
            found[line.made] = rows
            passed = [
                (text, None if axis is None else Rows(axis, rows.name))
                for text, axis in zip(line.call.texts, axes, strict=True)
                if text in names
            ]
        elif (gathered := _gathered(line, arrays)) is not None:
            assert line.call is not None
            passed = [(line.call.texts[0], gathered), (gathered.name, None)]
        for name, of_it in passed:
            readers.setdefault(name, set()).add(of_it)
    return found


def _gathered(line: Line, arrays: Names) -> Rows | None:
    """Return which rows a line takes of its first operand, if it does nothing else, and if they are few."""
    if line.call is None or line.call.key != "np.getitem" or line.call.texts[0] not in arrays:
        return None
    whole, index = line.call.args
    parts = index if type(index) is tuple else (index,)
    *before, last = parts
    names = [name for name in line.read if arrays.get(name) is last and name.startswith("i")]
    if not names or not _is_index(last) or not all(type(x) is slice and x == slice(None) for x in before):
        return None
    return Rows(len(before), names[0]) if 4 * last.size <= 3 * whole.shape[len(before)] else None


def _is_index(x: Any) -> bool:
    return isinstance(x, defaults[0].ndarray) and x.ndim > 0 and x.size > 0 and x.dtype.kind == "i"


def axes_of(call: Called, axis: int) -> list[int | None] | None:
    """Return along which axis of each operand rows are that those along an axis of the result are made of.

    None for an operand of which each row needs all. None: the call does not go from row to row.
    """
    if not all(_is_of_doubles(x) for x in (call.made, *call.args[: 2 if _has_two(call) else 1])):
        return None
    key, made = call.key, call.made
    if key in _ELEMENTWISE:
        return [_aligned(x, made, axis) for x in call.args]
    if key in PRODUCTS:
        x, y = call.args
        is_of_rows = x.ndim >= 2 and y.ndim >= 2 and axis == made.ndim - 2
        return [x.ndim - 2, None] if is_of_rows else None
    if key == "np.getitem":
        own = _viewed(call.args[1], axis)
        return None if own is None else [own, None]
    if key in _RESHAPES:
        own = _reshaped(call, axis)
        return None if own is None else [own, *[None for _ in call.args[1:]]]
    return None


def _has_two(call: Called) -> bool:
    return call.key in PRODUCTS or (call.key in _ELEMENTWISE and call.key != "np.negative")


def _is_of_doubles(x: Any) -> bool:
    return type(x) is float or type(x) is int or getattr(x, "dtype", None) == defaults[0].float64


def _aligned(x: Any, made: Any, axis: int) -> int | None:
    """Return along which axis of an operand the rows of a result lie that is found element by element."""
    own = axis - (made.ndim - getattr(x, "ndim", 0))
    return own if own >= 0 and x.shape[own] == made.shape[axis] else None


def _is_view(index: Any) -> bool:
    """Return whether an index shows a part of an array."""
    return all(type(x) in (int, slice) or x is None for x in (index if type(index) is tuple else (index,)))


def _viewed(index: Any, axis: int) -> int | None:
    """Return the axis of an array that its part at an index has as an axis; None: there is none."""
    own = place = 0
    for part in index if type(index) is tuple else (index,):
        if type(part) is not int and type(part) is not slice and part is not None:
            return None
        if place == axis and type(part) is not int:
            return own if part == slice(None) else None
        own += part is not None
        place += type(part) is not int
    return own + axis - place


def _reshaped(call: Called, axis: int) -> int | None:
    """Return the axis of an array that the reshaped one has as an axis; None: there is none."""
    x, *shape = call.args
    if any(type(n) is not int for n in (shape[0] if len(shape) == 1 and type(shape[0]) is tuple else shape)):
        return None
    before, length = prod(call.made.shape[:axis]), call.made.shape[axis]
    for own in range(x.ndim):
        if prod(x.shape[:own]) == before and x.shape[own] == length:
            return own
    return None


class _Early:
    """Writes lines in which what takes rows comes first, and runs them on the arrays of the trace.

    rows: which rows are computed of which arrays. lines: what has been written.
    """

    def __init__(self, rows: dict[str, Rows], arrays: Names, scope: dict[str, Any]) -> None:
        self.lines: list[Line] = []
        self._rows = rows
        self._arrays = arrays
        self._scope = scope
        scope.update(early_peak=peak, early_modes=defaults[0].geterr, early_copied=copied)
        self._found = dict(arrays)  # arrays of these lines
        self._bounds: dict[str, str] = {}  # of magnitudes, by the names of arrays
        self._tests: list[str] = []  # bounds that are not compared yet
        self._loose: set[str] = set()  # arrays that have other strides than those of the trace

    def take(self, lines: Sequence[Line], results: Sequence[str]) -> bool:
        """Write the lines; return whether they compute the same."""
        self.lines.append(Line('if early_modes()["under"] != "ignore": return None', ()))
        for line in lines:
            if line.made in self._rows and line.call is not None:
                if not self._computes(line.made, line.call, self._rows[line.made]):
                    return False
            elif line.is_of_form and line.read[0] in self._rows:
                continue  # its form is that of the operands
            elif (rows := self._is_early(line)) is not None:
                assert line.call is not None
                if not self._returns(line.made, line.call, rows):
                    return False
            elif line.call is not None and not self._loose.isdisjoint(line.read):
                self._follows(line, line.call)
            else:
                self.lines.append(line)
        for name in self._loose.intersection(results):
            self._straighten(name)
        return True

    def _follows(self, line: Line, call: Called) -> None:
        """Write a call some of whose operands have other strides than in the trace."""
        if call.key in _ELEMENTWISE or (call.key == "np.getitem" and _is_view(call.args[1])):
            if self._add(line.text, line.read, line.made).strides != self._arrays[line.made].strides:
                self._loose.add(line.made)
            return
        for name in self._loose.intersection(line.read):
            self._straighten(name)
        self.lines.append(line)

    def _straighten(self, name: str) -> None:
        """Give an array the strides of the trace, if it is finite."""
        self._loose.remove(name)
        self._add(f"early_peak({name})", [name], f"last_{name}")
        self.lines.append(Line(f"if not (last_{name} <= {LARGEST}): return None", (f"last_{name}",)))
        self._add(f"early_copied({name}, {order_of(self._arrays[name])})", [name], name)

    def _is_early(self, line: Line) -> Rows | None:
        """Return which rows a line takes that have been taken already."""
        if line.call is None or self._rows.get(line.call.texts[0] if line.call.texts else "") is None:
            return None
        return _gathered(line, self._arrays)

    def _add(self, text: str, read: Sequence[str], made: str) -> Any:
        """Write a line, and return what it makes."""
        self.lines.append(Line(text, tuple(read), made))
        with defaults[0].errstate(all="ignore"):
            self._found[made] = found = eval(text, self._scope, self._found)
        return found

    def _computes(self, name: str, call: Called, rows: Rows) -> bool:
        """Write a call that computes rows of its result; return whether they have the bits of the whole."""
        axes = axes_of(call, rows.axis)
        assert axes is not None
        texts = [
            text if axis is None else self._part(text, x, Rows(axis, rows.name))
            for text, x, axis in zip(call.texts, call.args, axes, strict=True)
        ]
        if call.key in PRODUCTS:
            whole, some, other = (_matrix(x) for x in (call.args[0], self._found[texts[0]], call.args[1]))
            if not has_rows_alike(form_of(whole), form_of(some), form_of(other)):
                return False
        if call.key in _RESHAPES:
            shape = _with(call.made.shape, rows.axis, self._found[self._flat(rows.name)].shape)
            text, texts = f"{texts[0]}.reshape({shape})", texts[:1]
        else:
            text = call._replace(texts=texts).text()
        self._bound(name, call, texts)
        self._add(text, [x for x in texts if x in self._found], name)
        return True

    def _flat(self, index: str) -> str:
        """Return the name of an index in one row."""
        if self._found[index].ndim == 1:
            return index
        if f"{index}_flat" not in self._found:
            self._add(f"{index}.reshape(-1)", [index], f"{index}_flat")
        return f"{index}_flat"

    def _part(self, text: str, x: Any, rows: Rows) -> str:
        """Return the name of the rows of an operand."""
        if text in self._rows:
            return text
        made = f"{text}_{rows.axis}_{rows.name}"
        if made not in self._found:
            index = self._flat(rows.name)
            read = [text, index] if text in self._arrays else [index]
            self._add(f"{text}.take({index}, {rows.axis})", read, made)
            self._bounds[made] = self._peak(text, x)
        return made

    def _peak(self, text: str, x: Any) -> str:
        """Return a bound on the magnitudes in an operand, all of whose rows there are."""
        if text not in self._bounds:
            if text in self._arrays:
                self._bounds[text] = f"peak_{text}"
                self._add(f"early_peak({text})", [text], f"peak_{text}")
                self._tests.append(f"peak_{text}")
            else:
                self._bounds[text] = f"float({peak(x)!r})"
        return self._bounds[text]

    def _bound(self, name: str, call: Called, texts: Sequence[str]) -> None:
        """Write the bound on the magnitudes in all rows of a result."""
        count = 2 if _has_two(call) else 1
        bounds = [
            self._bounds[text] if text in self._bounds else self._peak(text, x)
            for text, x in zip(texts[:count], call.args[:count], strict=True)
        ]
        if count == 1:
            self._bounds[name] = bounds[0]
            return
        text = (" + " if call.key in _SUMS else " * ").join(bounds)
        if call.key in PRODUCTS:
            text += f" * {float(call.args[0].shape[-1])}"
        self._bounds[name] = f"bound_{name}"
        self._add(text, [x for x in bounds if x in self._found], f"bound_{name}")
        self._tests.append(f"bound_{name}")

    def _returns(self, name: str, call: Called, rows: Rows) -> bool:
        """Write the rows, in the shape of those that are taken last; return whether the bits agree."""
        tests, self._tests = self._tests, []
        if tests:
            text = " and ".join([f"{test} <= {LARGEST}" for test in tests])
            self.lines.append(Line(f"if not ({text}): return None", tuple(tests)))
        source, made = call.texts[0], call.made
        text = source if self._found[source].shape == made.shape else f"{source}.reshape({made.shape})"
        found = self._add(text, [source], name)
        if found.strides != made.strides:
            self._loose.add(name)
        return bool(found.tobytes() == made.tobytes())


def _matrix(x: Any) -> Any:
    """Return the first matrix of a stack."""
    return x[(0,) * (x.ndim - 2)]


def _with(shape: tuple[int, ...], axis: int, other: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:axis], *other, *shape[axis + 1 :])
