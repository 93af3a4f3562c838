"""Chaining: functions element by element that a plan computes tile by tile, without whole arrays between.

In: the lines of a plan, and the arrays of its trace. Out: lines in which sums, differences, products,
quotients and negatives of arrays of one shape, that nothing reads but the last of them, are one call of
engine c's, which reads what an index array takes of an array where that lies.

What always holds: the bits and strides are those of the calls, as is found out on the arrays of the trace;
where the loop refuses, since there is a NaN, NumPy would warn, or an index is out of bounds, the calls
are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import getitem
from typing import Any, NamedTuple

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.lines import Called, Line
from checkpoint.scalars.kernels import kernel_of

LEAST = 4096  # elements of arrays that do not stay in the cache next to the processor
MOST_STEPS, MOST_OPERANDS, FIRST_VALUE = 28, 32, 128  # within the bounds of ctemplates/by_name
_LETTERS = {"np.add": "+", "np.subtract": "-", "np.multiply": "*", "np.divide": "/", "np.negative": "n"}
WINDOW = 200  # lines, up to the last one of a chain
_EXACT = 1 << 53  # below it all integers are floats
_LOOP, _PART = "chain", "part_of"


def chained(
    lines: Sequence[Line], arrays: dict[str, Any], results: Sequence[str], scope: dict[str, Any]
) -> list[Line]:
    """Return lines that compute the same. arrays: those of the trace. scope: the constants of the lines."""
    if kernel_of(_LOOP) is None:
        return list(lines)
    scope.update({_LOOP: kernel_of(_LOOP), _PART: getitem})
    readers: dict[str, set[int]] = {name: {len(lines)} for name in results}
    for k, line in enumerate(lines):
        for name in line.read:
            readers.setdefault(name, set()).add(k)
    written: dict[int, list[Line]] = {}
    for k in range(len(lines) - 1, -1, -1):
        if k in written or not _is_step(lines[k].call) or _called(lines[k]).made.size < LEAST:
            continue
        members = _members(lines, k, readers, written)
        if made := _Writer([lines[each] for each in reversed(members)], arrays, scope).lines():
            written.update({each: [] for each in members})
            written[k] = made
    return [each for k, line in enumerate(lines) for each in written.get(k, [line])]


def _called(line: Line) -> Called:
    """Return the call that a line is."""
    assert line.call is not None
    return line.call


def _is_double(x: Any) -> bool:
    return isinstance(x, (defaults[0].ndarray, defaults[0].float64)) and x.dtype == defaults[0].float64


def _is_operand(x: Any) -> bool:
    return type(x) is float or (type(x) is int and abs(x) < _EXACT) or _is_double(x)


def _is_step(call: Called | None) -> bool:
    """Return whether a call computes an array of doubles element by element."""
    if call is None or call.key not in _LETTERS or not isinstance(call.made, defaults[0].ndarray):
        return False
    count = 1 if call.key == "np.negative" else 2
    return len(call.args) == count and _is_double(call.made) and all(map(_is_operand, call.args))


class Gathered(NamedTuple):
    """Says what a line takes of an array: at an index array, along an axis."""

    index: Any
    axis: int


def _gathered(call: Called | None) -> Gathered | None:
    """Return what a call takes at an array of integers, if it does nothing else."""
    if call is None or call.key != "np.getitem" or not _is_double(call.args[0]):
        return None
    *before, last = call.args[1] if type(call.args[1]) is tuple else (call.args[1],)
    is_index = isinstance(last, defaults[0].ndarray) and last.dtype == defaults[0].int64 and last.ndim > 0
    if not is_index or not all(type(x) is slice and x == slice(None) for x in before):
        return None
    return Gathered(last, len(before))


def _viewed(call: Called | None, gathered: Gathered) -> tuple[Any, ...] | None:
    """Return which part of the index a view shows of what was taken at it; None: it shows something else."""
    if call is None or call.key != "np.getitem":
        return None
    parts = call.args[1] if type(call.args[1]) is tuple else (call.args[1],)
    if any(type(x) is not int and type(x) is not slice for x in parts):
        return None
    first, end = gathered.axis, gathered.axis + gathered.index.ndim
    others = (*parts[:first], *parts[end:])
    own = parts[first:end]
    if any(x != slice(None) for x in others) or gathered.index[own].ndim == 0:
        return None
    return own


def _members(
    lines: Sequence[Line], root: int, readers: dict[str, set[int]], written: dict[int, list[Line]]
) -> list[int]:
    """Return the lines that nothing reads but the root and others of them, the last one first."""
    members, steps, shape = [root], 1, _called(lines[root]).made.shape
    views: dict[int, str] = {}  # lines that show parts of arrays, and the names of these
    for k in range(root - 1, max(root - WINDOW, -1), -1):
        line, call = lines[k], lines[k].call
        if k in written or call is None or not readers.get(line.made, {root + 1}).issubset(members):
            continue
        is_of_shape = getattr(call.made, "shape", None) == shape
        if is_of_shape and steps < MOST_STEPS and _is_step(call):
            members.append(k)
            steps += 1
        elif _gathered(call) is not None and (is_of_shape or line.made in views.values()):
            members.append(k)
        elif is_of_shape and call.key == "np.getitem" and _is_of_gathered(lines, k):
            members.append(k)
            views[k] = call.texts[0]
    gathers = {lines[k].made for k in members if _gathered(lines[k].call) is not None}
    return [k for k in members if views.get(k) is None or views[k] in gathers]


def _is_of_gathered(lines: Sequence[Line], k: int) -> bool:
    """Return whether a line is a view of what a line takes at an index, along axes of that."""
    call = _called(lines[k])
    source = next((line.call for line in lines[max(k - WINDOW, 0) : k] if line.made == call.texts[0]), None)
    gathered = _gathered(source)
    return gathered is not None and _viewed(call, gathered) is not None


class _Writer:
    """Writes the lines of a chain. members: the lines that it stands for."""

    def __init__(self, members: Sequence[Line], arrays: dict[str, Any], scope: dict[str, Any]) -> None:
        self._members = members
        self._made = {line.made: line for line in self._members}
        self._arrays = arrays
        self._scope = scope
        self._before: list[Line] = []  # what the call reads besides
        self._operands: dict[str, int] = {}
        self._values: dict[str, int] = {}
        self._left: Counter[str] = Counter()  # how often steps to come read it
        self._steps = b""

    def lines(self) -> list[Line]:
        """Return the lines; none: they would save nothing, or are not written."""
        steps = [line for line in self._members if _is_step(line.call)]
        if len(steps) < 2 and len(steps) == len(self._members):
            return []
        self._left.update([text for line in steps for text in _called(line).texts])
        for line in steps:
            self._step(line)
        root = self._members[-1]
        call = _called(root)
        read = [name for line in self._members for name in line.read if name not in self._made]
        is_known = self._arrays.keys() >= set(read) and len(self._operands) <= MOST_OPERANDS
        if not is_known or not self._has_bits(call):
            return []
        again = "".join([f"\n        {line.made} = {line.text}" for line in self._members])
        text = self._text(call)
        names = [line.made for line in self._before if line.made]
        return [
            *self._before,
            Line(text, (*dict.fromkeys(read), *names), root.made),
            Line(f"if {root.made} is None:{again}", tuple(dict.fromkeys(read))),
        ]

    def _text(self, call: Called) -> str:
        steps, shape, strides = self._steps, call.made.shape, call.made.strides
        return f"{_LOOP}({steps!r}, {shape!r}, {strides!r}, {', '.join(self._operands)})"

    def _has_bits(self, call: Called) -> bool:
        """Return whether the call makes what has been made. It is not of arrays that nobody knows."""
        names = {**self._arrays}
        for line in self._before:
            if line.made:
                names[line.made] = eval(line.text, self._scope, names)
        found = eval(self._text(call), self._scope, names)
        return found is not None and bool(
            found.strides == call.made.strides and found.tobytes() == call.made.tobytes()
        )

    def _step(self, line: Line) -> None:
        call = _called(line)
        places = [self._place(text, x) for text, x in zip(call.texts, call.args, strict=True)]
        self._left.subtract(call.texts)
        self._values = {name: value for name, value in self._values.items() if self._left[name]}
        taken = set(self._values.values())
        value = next(k for k in range(FIRST_VALUE, FIRST_VALUE + MOST_STEPS + 1) if k not in taken)
        self._values[line.made] = value
        self._steps += bytes((ord(_LETTERS[str(call.key)]), value, places[0], places[-1]))

    def _place(self, text: str, x: Any) -> int:
        """Return the number of an operand of a step, in the form of the loop's."""
        if text in self._values:
            return self._values[text]
        own = f"{float(x)!r}" if type(x) is int else text
        if text in self._made:
            own = self._taken(self._made[text])
        return self._operands.setdefault(own, len(self._operands))

    def _taken(self, line: Line) -> str:
        """Return the text for what is taken at an index, or for a view of that."""
        call, part, gathered = _called(line), None, _gathered(line.call)
        if gathered is None:
            line = self._made[call.texts[0]]
            gathered = _gathered(line.call)
            assert gathered is not None
            call, part = _called(line), _viewed(call, gathered)
        index = next((name for name in line.read if self._arrays.get(name) is gathered.index), "")
        if not index:
            index = f"index_of_{line.made}"
            self._scope[index] = gathered.index
        if part:
            index = self._part(index, part, gathered, call.args[0].shape[gathered.axis])
        return f"({call.texts[0]}, {index}, {gathered.axis})"

    def _part(self, index: str, part: tuple[Any, ...], gathered: Gathered, length: int) -> str:
        """Return the name of a part of an index, all of which names places on an axis."""
        test = f"if not (-{length} <= {index}.min() and {index}.max() < {length}): return None"
        read = (index,) if index in self._arrays else ()
        if read and not any(line.text == test for line in self._before):
            self._before.append(Line(test, read))
        name = f"part_{index}_{'_'.join([_word(x) for x in part])}"
        if not any(line.made == name for line in self._before):
            self._scope[f"of_{name}"] = part
            self._before.append(Line(f"{_PART}({index}, of_{name})", read, name))
        return name


def _word(part: Any) -> str:
    """Return a name for a part of an index."""
    text = str(part) if type(part) is int else f"{part.start}_{part.stop}_{part.step}"
    return text.replace("-", "m")
