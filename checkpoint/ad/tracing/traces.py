"""Traces: the straight list of library calls that a run on arrays has made, to be made for other arrays.

In: what the run calls on a library's arrays, with results (checkpoint.ad.tensors and the rules for several
directions report it), and which other steps look at elements (checkpoint.interp.traced). Out: a Plan.

An array of a trace is *derived* from the inputs, or it is a *constant*, made of nothing derived. What always
holds of a trace that has not been refused:
- Each derived array is an input, or the result of a call in the list, by the identity of the object; the
  trace keeps it, so that no other one takes its identity. An array of which it does not know where it is
  from refuses the trace, and so does a derived real, since reals are copied.
- Integers, booleans and texts that a call has made of derived arrays are *guarded*: a plan compares them,
  since the program may have branched on them. So are shapes and dtypes, unless the operands' decide them.
- No array is changed, nothing is printed or raised, and no step of Python's has looked at a derived array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import EllipsisType, ModuleType
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.chaining import chained
from checkpoint.ad.tracing.fusing import fused
from checkpoint.ad.tracing.gathering import gathered_early
from checkpoint.ad.tracing.lines import Called, Line, compiled, wanted
from checkpoint.ad.tracing.loops import PRODUCTS, loop_of, part_of
from checkpoint.ad.tracing.owning import owned

_OF_SHAPES = frozenset(("np.shape", "np.ndim", "np.size", "np.len"))
_FORMED = frozenset(
    f"np.{name}"
    for name in (
        *("add", "subtract", "multiply", "divide", "negative", "matmul", "sqrt", "sin", "cos", "exp", "log"),
        *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isfinite", "where"),
        *("logical_and", "logical_or", "logical_not", "absolute", "maximum", "minimum", "square", "tanh"),
        *("sum", "mean", "concatenate", "stack", "reshape", "transpose", "swapaxes", "broadcast_to"),
    )
) | {"array.reshape", "ndarray.reshape", "py.pow/array"}
_PARTS = ("np.getitem", "np.slice")
FORMS: set[type] = set()  # of what depends on the forms of arrays alone, and stands for them in rules
PARTS: set[type] = (
    set()
)  # of what holds arrays that rules have made, and is used by functions that are traced
_PLAIN = frozenset((int, bool, str, type(None)))
_MAX_CALLS = 20_000  # of a trace: longer ones take much to compile, and their steps cost less than they do


class Plan:
    """Holds what a trace has found.

    runs: take the inputs and return the derived arrays among the outputs, or None where a guard fails. The
        first is taken that returns them.
    outputs: for each output a number: the position of a derived array, or the constant itself.
    """

    __slots__ = ("outputs", "runs")

    def __init__(self, runs: Sequence[Callable[..., Any]], outputs: list[Any]) -> None:
        self.runs = runs
        self.outputs = outputs

    def __call__(self, inputs: Sequence[Any]) -> list[Any] | None:
        """Return the outputs for other inputs of the same form; None: it cannot."""
        for run in self.runs:
            try:
                with defaults[0].errstate(divide="raise", over="raise", invalid="raise"):
                    found = run(*inputs)
            except Exception:  # the run raises it, or warns
                continue
            if found is not None:
                return [found[x] if type(x) is int else x.copy() for x in self.outputs]
        return None


class Trace:
    """The calls of a run, as they are made.

    refusal: why there is no plan; empty: there is one so far.
    has_lanes: whether a loop over lanes is one call of it (checkpoint/prims/planned_lanes.py): what its run
        has found does not count then if it is refused.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.refusal = ""
        self.has_lanes = False
        self._lines: list[Line] = []
        self._constants: dict[int, Any] = {}
        self._kept: list[Any] = list(inputs)
        self._scope: dict[str, Any] = {}
        self._inputs = [f"i{k}" for k in range(len(inputs))]
        # Of derived arrays, by their identities.
        self._names = {id(array): name for name, array in zip(self._inputs, inputs, strict=True)}

    @property
    def nbytes(self) -> int:
        """The bytes of the derived arrays."""
        return sum([getattr(x, "nbytes", 0) for x in self._kept])

    def refuse(self, reason: str) -> None:
        """There is no plan."""
        self.refusal = self.refusal or reason

    def constant(self, array: Any) -> None:
        """Learn of an array that depends on the forms of inputs alone."""
        self._constants[id(array)] = array

    def call(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        made: Any,
        name: str = "",
        is_formed: bool = False,
    ) -> None:
        """Learn that a function has been called, and what it has returned.

        name: of the record whose function it is, if it is one. is_formed: whether the forms of the operands
        decide that of the result.
        """
        if self.refusal:
            return
        if len(self._lines) > _MAX_CALLS or "random" in name:
            self.refuse(f"{name} is not called again")
            return
        read: list[str] = []
        texts = [self._text(arg, read) for arg in args]
        if not read:
            self._keep_constants(made)
        else:
            place, called = f"r{len(self._lines)}", self._called(name, function, args, texts, made)
            self._lines.append(Line(called.text(), tuple(read), place, called))
            if not _is_of_shapes(name, args):
                self._learn(made, place, is_formed or _is_formed(called))

    def _called(
        self, name: str, function: Callable[..., Any], args: Sequence[Any], texts: Sequence[str], made: Any
    ) -> Called:
        """Return a call, as its plan makes it. name: of the record whose function it is, or empty."""
        key, first = name or function, [function]
        if args and args[0] is defaults[0]:
            first, args, texts = [function, args[0]], args[1:], texts[1:]
        if key in _PARTS and isinstance(args[0], defaults[0].ndarray) and made is not args[0]:
            if key == "np.slice" and not any(type(x) is not int and x is not None for x in args[1:]):
                index = slice(*(*args[1:], None, None, None)[:3])
                key, args, texts = "np.getitem", (args[0], index), (texts[0], self._of(index))
            if key == "np.getitem":
                first = [part_of(*args)]
        loop, *before = loop_of(key, args, made) or first
        head = f"{self._of(loop)}({''.join([f'{self._of(x)}, ' for x in before])}"
        return Called(key, head, args, texts, made)

    def _of(self, value: Any) -> str:
        """Return the name of a constant in the scope of the plan."""
        name = f"c{len(self._scope)}"
        self._scope[name] = value
        return name

    def _text(self, arg: Any, read: list[str]) -> str:
        """Return an operand as text; add the names of derived arrays in it to `read`."""
        if id(arg) in self._names:
            read.append(self._names[id(arg)])
            return read[-1]
        kind = type(arg)
        if kind is tuple or kind is list:
            own: list[str] = []
            parts = ", ".join([self._text(item, own) for item in arg])
            read += own
            if kind is list:
                return f"[{parts}]"
            return f"({parts},)" if own else self._of(arg)
        if kind is slice:
            own = []
            parts = ", ".join([self._text(item, own) for item in (arg.start, arg.stop, arg.step)])
            read += own
            return f"slice({parts})" if own else self._of(arg)
        dtype = defaults[0].dtype
        if self._is_array(arg):
            if id(arg) not in self._constants:
                self.refuse("an array of unknown origin")
        elif kind in PARTS:
            if id(arg) not in self._constants:
                self.refuse("a part of unknown origin")
        elif not (
            kind in _PLAIN
            or kind is float
            or kind in FORMS
            or isinstance(arg, (type, ModuleType, EllipsisType, dtype))
        ):
            self.refuse(f"an operand that is a {kind.__name__}")
        return self._of(arg)

    def _keep_constants(self, made: Any) -> None:
        if self._is_array(made) or type(made) in PARTS:
            self._constants.setdefault(id(made), made)
        elif type(made) in (tuple, list):
            for item in made:
                self._keep_constants(item)

    def _learn(self, made: Any, place: str, is_formed: bool = False) -> None:
        """Name the derived arrays in a result, and guard what else it is.

        is_formed: whether shape and dtype are those that the operands' shapes and dtypes decide.
        """
        kind = type(made)
        if kind in (tuple, list):
            if not is_formed:
                self._guard(f"type({place}) is {self._of(kind)} and len({place}) == {len(made)}", place)
            for k, item in enumerate(made):
                self._lines.append(Line(f"{place}[{k}]", (place,), f"{place}_{k}"))
                self._learn(item, f"{place}_{k}", is_formed)
        elif kind is defaults[0].bool or id(made) in self._constants:
            self._constants.setdefault(id(made), made)
            self._guard(f"{place} is {self._of(made)}", place)
        elif id(made) in self._names:  # an operand, by whatever choice
            self._guard(f"{place} is {self._names[id(made)]}", place, self._names[id(made)])
        elif self._is_array(made):
            self._names[id(made)] = place
            self._kept.append(made)
            if not is_formed:
                shape, dtype = self._of(made.shape), self._of(made.dtype)
                self._guard(f"{place}.shape == {shape} and {place}.dtype == {dtype}", place, is_of_form=True)
        elif kind in PARTS:
            self._names[id(made)] = place
            self._kept.append(made)
            if not is_formed:
                self._guard(f"type({place}) is {self._of(kind)}", place)
        elif kind in _PLAIN:
            self._guard(f"type({place}) is {self._of(kind)} and {place} == {self._of(made)}", place)
        else:
            self.refuse(f"a result that is a {kind.__name__}")

    def _guard(self, test: str, *places: str, is_of_form: bool = False) -> None:
        self._lines.append(Line(f"if not ({test}): return None", places, is_of_form=is_of_form))

    @staticmethod
    def _is_array(x: Any) -> bool:
        return isinstance(x, (defaults[0].ndarray, defaults[0].generic))

    def truth(self, data: Any, outcome: bool) -> None:
        """Learn that the program has branched on an array of one element."""
        place = self._names.get(id(data))
        if place is not None:
            self._guard(f"bool({place}) is {outcome}", place)
        elif id(data) not in self._constants:
            self.refuse("a test of unknown origin")

    def plan(self, outputs: Sequence[Any]) -> Plan | None:
        """Return the plan that computes these arrays; None: there is none."""
        found: list[str] = []
        shown: list[Any] = []
        for output in outputs:
            name = self._names.get(id(output))
            if name is not None:
                shown.append(len(found))
                found.append(name)
            elif id(output) in self._constants:
                shown.append(output.copy())  # whoever has the run's own may change it
            else:
                self.refuse("a result of unknown origin")
        if self.refusal:
            return None
        return Plan(self._compiled(found), shown)

    def _compiled(self, results: Sequence[str]) -> list[Callable[..., Any]]:
        """Return the functions of the calls on which results or guards depend, the fastest first."""
        lines, arrays = wanted(self._lines, results), {self._names[id(x)]: x for x in self._kept}
        early = gathered_early(lines, arrays, results, self._scope)
        found = [fused(each, results, self._scope) for each in ([lines] if early is None else [early, lines])]
        found = [chained(each, arrays, results, self._scope) for each in found]
        found = [owned(each, results, self._scope) for each in found]
        return [compiled(self._inputs, each, results, self._scope) for each in found]


class Refused(BaseException):
    """Raised by a Probe. No program can handle it."""


class Probe(Trace):
    """Stands for a trace in a run that is to find out whether one would be refused: it ends there."""

    def __init__(self) -> None:
        super().__init__(())

    def refuse(self, reason: str) -> None:
        """End the run, before the step."""
        raise Refused(reason)

    def call(self, *_: Any, **__: Any) -> None:
        """Learn nothing."""

    def truth(self, data: Any, outcome: bool) -> None:
        """Learn nothing."""

    def constant(self, array: Any) -> None:
        """Learn nothing."""


def _is_formed(call: Called) -> bool:
    """Return whether a result has the shape and dtype that those of the operands decide."""
    if call.key == "np.getitem":
        index = call.args[1]
        return all(map(_is_formed_index, index if type(index) is tuple else (index,)))
    return (
        call.key in _FORMED
        or call.key in PRODUCTS
        or call.key in (defaults[0].reshape, defaults[0].broadcast_to)
    )


def _is_formed_index(x: Any) -> bool:
    """Return whether a part of an index takes as many elements whatever it has itself."""
    if isinstance(x, defaults[0].ndarray):
        return bool(x.dtype.kind == "i")
    return type(x) is int or type(x) is slice or x is None


def _is_of_shapes(name: str, args: Sequence[Any]) -> bool:
    """Return whether a record's result depends on shapes alone."""
    return name in _OF_SHAPES or (name == "np.attribute" and args[-1] in ("shape", "ndim", "size"))


tracing: ContextVar[Trace | None] = ContextVar("checkpoint.tracing", default=None)


def traced(function: Callable[..., Any], *args: Any, is_formed: bool = False) -> Any:
    """Return the result of a function of a library's arrays, which a trace learns of.

    is_formed: whether the forms of the operands decide that of the result. So it is of a rule for cotangents,
    which have the forms of operands, and of sums of these.
    """
    made = function(*args)
    if (trace := tracing.get()) is not None:
        trace.call(function, args, made, is_formed=is_formed)
    return made


def evaluated(record: Any, xp: Any, operands: Sequence[Any]) -> Any:
    """Return the value of a record for native operands, which a trace learns of."""
    made = record.value(xp, *operands)
    if (trace := tracing.get()) is not None:
        trace.call(record.value, (xp, *operands), made, record.name)
    return made


def constant(array: Any) -> Any:
    """Return an array that depends on the forms of inputs alone, as a trace learns."""
    if (trace := tracing.get()) is not None:
        trace.constant(array)
    return array


def refuse(reason: str) -> None:
    """Leave the present trace, if there is one, without a plan."""
    if (trace := tracing.get()) is not None:
        trace.refuse(reason)


def branched(test: Any, outcome: bool) -> bool:
    """Return what an array of one element was as a test, as a trace learns."""
    if (trace := tracing.get()) is not None:
        trace.truth(test.data, outcome)
    return outcome
