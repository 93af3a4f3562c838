"""Random programs of each kind, drawn from a generator of random numbers, that any engine can run.

In: a `random.Random`. Out: a Subject. The grammars, and what equality is, are those of the tests.
"""

from __future__ import annotations

import copy
import inspect
import operator
from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from checkpoint import engines
from checkpoint.ad.graph import numbers
from checkpoint.ad.tangent import match, tangent_of
from checkpoint.ad.values import Capsule
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Plain, Schedule
from checkpoint.errors import Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from checkpoint.functions.python_functions import rest_of, result, run_of
from checkpoint.functions.run import Run
from checkpoint.lang.python.source.plain_objects import attribute_names, getattr_of
from checkpoint.prims.python.tangents import check_acyclic
from tests.arrays import agreement as of_arrays
from tests.arrays import generator as arrays
from tests.laws import random_programs as texts
from tests.python import agreement as of_python
from tests.python import generator as functions
from tests.python import generator_mutation as objects
from tests.python import generator_objects as fixed_classes
from tests.support.same import difference

Value = Any


class Subject(Protocol):
    """A program and its argument; an engine is named."""

    text: str

    def whole(self, engine: str) -> tuple[Value, int]:
        """Return the value and the number of steps."""

    def cut(self, engine: str, steps: int) -> Capsule:
        """Return the capsule after a number of steps."""

    def rest(self, z: Capsule, engine: str) -> Value:
        """Return the value of a capsule's rest, on any engine that can run it."""

    def of_capsule(self, z: Capsule, engine: str) -> tuple[Value, Value]:
        """Return the value of a capsule's rest, and the capsule's cotangent."""

    def vjp(self, engine: str, schedule: Schedule) -> tuple[Value, Value]:
        """Return the value and the argument's cotangent."""

    def jvp(self, engine: str) -> tuple[Value, Value]:
        """Return the value and its tangent."""

    def differ(self, a: Value, b: Value) -> str | None:
        """Return how two values differ, or None where all bits are the same."""

    def natively(self) -> of_python.Outcome | None:
        """Return Python's outcome, or None for no Python program; raise TooLong past a limit."""

    def same_outcomes(self, a: of_python.Outcome, b: of_python.Outcome) -> bool:
        """Return whether the outcomes of Python and of an engine are the same."""


class OfText:
    """A procedure of one real, in the language."""

    def __init__(self, random: Random) -> None:
        self.x = random.choice(texts.NUMBERS)
        program = self.drawn(random)
        self.text = f"{program} at {self.x}"
        self._program = load(Source("<random>", program))
        self._procedures: dict[str, Value] = {}

    def drawn(self, random: Random) -> str:
        """Return a program."""
        return texts.program(random.choice, random.choice((2, 3, 4)))

    def _on(self, name: str) -> tuple[Value, Engine]:
        engine = engines.get(name)
        if name not in self._procedures:
            self._procedures[name] = runs.run_program(self._program, engine)
        return self._procedures[name], engine

    def _run(self, name: str) -> runs.Run:
        f, engine = self._on(name)
        return runs.Run(f, self.x, engine)

    def whole(self, engine: str) -> tuple[Value, int]:
        return _ends(self._run(engine))

    def cut(self, engine: str, steps: int) -> Capsule:
        return self._run(engine).interrupt(steps)

    def rest(self, z: Capsule, engine: str) -> Value:
        return runs.call_values(runs.RESUME, z, engines.get(engine))

    def of_capsule(self, z: Capsule, engine: str) -> tuple[Value, Value]:
        return runs.vjp_values(runs.RESUME, z, 1.0, engines.get(engine), Plain())

    def vjp(self, engine: str, schedule: Schedule) -> tuple[Value, Value]:
        f, on = self._on(engine)
        return runs.vjp_values(f, self.x, 1.0, on, schedule)

    def jvp(self, engine: str) -> tuple[Value, Value]:
        return self._run(engine).jvp(1.0)

    def differ(self, a: Value, b: Value) -> str | None:
        return difference(a, b)

    def natively(self) -> of_python.Outcome | None:
        return None

    def same_outcomes(self, a: of_python.Outcome, b: of_python.Outcome) -> bool:
        return True


class OfFunction:
    """A Python function of numbers and lists."""

    equality = of_python

    def __init__(self, random: Random) -> None:
        program = functions.program(random)
        self.text = f"{program.text.removeprefix(functions.HEAD)}main{program.args}"
        self.function, self.args = program.function(), program.args

    def _call(self, name: str) -> Run:
        return run_of(self.function, self.args, {}, name)

    def whole(self, engine: str) -> tuple[Value, int]:
        call = self._call(engine)
        value, steps = _ends(call)
        return result(value, call.engine), steps

    def cut(self, engine: str, steps: int) -> Capsule:
        return self._call(engine).interrupt(steps)

    def rest(self, z: Capsule, engine: str) -> Value:
        on = engines.get(engine)
        return result(_resumption(z, on).value(), on)

    def of_capsule(self, z: Capsule, engine: str) -> tuple[Value, Value]:
        on = engines.get(engine)
        value, zbar = _resumption(z, on).vjp(self.direction, Plain())
        return result(value, on), zbar

    def vjp(self, engine: str, schedule: Schedule) -> tuple[Value, Value]:
        call = self._call(engine)
        value, xbar = call.vjp(self.direction, schedule)
        return result(value, call.engine), xbar

    def jvp(self, engine: str) -> tuple[Value, Value]:
        call = self._call(engine)
        value, tangent = call.jvp(self.direction(call.argument))
        return result(value, call.engine), tangent

    def direction(self, value: Value) -> Value:
        """Return a tangent or cotangent, always the same for a value."""
        random = Random(3)
        return tangent_of(value, [random.uniform(-1.0, 1.0) for _ in numbers(value)])

    def differ(self, a: Value, b: Value) -> str | None:
        return None if self.equality.same_values(a, b) else f"{a!r} and {b!r}"

    def natively(self) -> of_python.Outcome | None:
        return of_python.natively(self.function, self.args)

    def same_outcomes(self, a: of_python.Outcome, b: of_python.Outcome) -> bool:
        return self.equality.same_outcomes(a, b)


class OfObjects(OfFunction):
    """A Python function that makes, shares and changes objects."""

    def __init__(self, random: Random) -> None:
        if random.random() < 0.15:
            program = fixed_classes.program(random)
        else:
            program = objects.program(random, random.choice((3, 6, 6, 12)))
        self.text = program.text
        self.function, self.args = program.function(), program.args
        self._calls: dict[str, Run] = {}

    def _call(self, name: str) -> Run:
        """Return the call, whose inputs are read once for each engine."""
        if name not in self._calls:
            self._calls[name] = super()._call(name)
        call = copy.copy(self._calls[name])
        call.effects = Effects()
        return call

    def direction(self, value: Value) -> Value:
        check_acyclic(value, "the direction")
        return super().direction(value)

    def rest(self, z: Capsule, engine: str) -> Value:
        """Return the value of a capsule's rest, which raises what Python raises."""
        call = rest_of(Capsule(z.state, engine, z.open_tags), engine)
        return result(call.value(), call.engine)

    def forward(self, engine: str) -> tuple[Value, Value, float | None]:
        """Return the value, its tangent, and its product with a cotangent; None if parts are shared."""
        call = self._call(engine)
        value, tangent = call.jvp(self.direction(call.argument))
        seed = self.direction(value)  # an error where the value contains itself: then no match ends
        parts = [part for _, part in match(value, tangent, "tangent")]
        weights = [part for _, part in match(value, seed, "cotangent")]
        whole = len(parts) == len(numbers(value)) == len(weights)
        product = sum(map(operator.mul, weights, parts)) if whole else None
        return result(value, call.engine), tangent, product

    def weighted(self, xbar: Value) -> tuple[float, float]:
        """Return the product of the argument's cotangent with its tangent, and the sum of absolute terms."""
        argument = self._call("interp").argument
        parts = [part for _, part in match(argument, xbar, "cotangent")]
        weights = [part for _, part in match(argument, self.direction(argument), "tangent")]
        terms = list(map(operator.mul, weights, parts))
        return sum(terms), sum(map(abs, terms))

    def differ(self, a: Value, b: Value) -> str | None:
        return None if same_graphs(a, b) else f"{shown(a)} and {shown(b)}"

    def same_outcomes(self, a: of_python.Outcome, b: of_python.Outcome) -> bool:
        """Return whether two runs returned, raised and printed the same; exceptions with all they hold."""
        if not isinstance(a.error, NameError):
            said = [(type(each.error), str(each.error), each.text) for each in (a, b)]
            return said[0] == said[1] and same_graphs((a.value, _held(a)), (b.value, _held(b)))
        return super().same_outcomes(a, b)


def _held(outcome: of_python.Outcome) -> Value:
    """Return what an exception holds: its arguments, and attributes other than the places that are noted."""
    error = outcome.error
    if error is None or type(error).__module__ == "builtins":
        return getattr(error, "args", None)
    return error.args, {name: part for name, part in vars(error).items() if name != "__notes__"}


def same_graphs(a: Value, b: Value) -> bool:
    """Return whether two Python values are the same to the last bit and share the same mutable parts.

    Objects of classes are compared by their attributes, whatever their `__eq__` says.
    """
    met: tuple[dict[int, int], dict[int, int]] = ({}, {})
    seen: set[int] = set()
    pending = [(a, b)]
    while pending:
        x, y = pending.pop()
        if type(x) is not type(y):
            return False
        named = parts_of(x), parts_of(y)
        if named[0] is None or named[1] is None:
            if not of_python.same_values(x, y):
                return False
            continue
        if not isinstance(x, tuple):
            numbers = [
                known.setdefault(id(part), len(known)) for known, part in zip(met, (x, y), strict=True)
            ]
            if numbers[0] != numbers[1]:
                return False
            if id(x) in seen:
                continue
            seen.add(id(x))
        if list(named[0]) != list(named[1]):
            return False
        pending += zip(named[0].values(), named[1].values(), strict=True)
    return True


def parts_of(value: Value) -> dict[Any, Value] | None:
    """Return the parts of a tuple, list, dict or object by their names, or None for what has none."""
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return value
    if hasattr(value, "__dict__") and not isinstance(value, type) and not inspect.isroutine(value):
        return {name: getattr_of(value, name) for name in attribute_names(value)}
    return None


def shown(value: Value, numbers: dict[int, int] | None = None) -> str:
    """Return a Python value as text, with the attributes of objects and a number for each mutable part."""
    known = {} if numbers is None else numbers
    parts = parts_of(value)
    if parts is None:
        return repr(value)
    if id(value) in known:
        return f"#{known[id(value)]}"
    number = "" if isinstance(value, tuple) else f"#{known.setdefault(id(value), len(known))}"
    inside = ", ".join(f"{key}: {shown(part, known)}" for key, part in parts.items())
    return f"{number}{type(value).__name__}({inside})"


class OfArrays(OfFunction):
    """A Python function of NumPy's arrays."""

    equality = of_arrays

    def __init__(self, random: Random) -> None:
        program = arrays.program(random.choice)
        self.text = program.text
        self.function, self.args = program.function(), program.args

    def direction(self, value: Value) -> Value:
        return of_arrays.weights(value)


class OfDerivatives(OfText):
    """A procedure that takes derivatives, of those above, or in a loop."""

    def drawn(self, random: Random) -> str:
        while not ("*j " in (program := super().drawn(random)) or "(j* " in program):
            pass
        if random.random() < 0.5:
            return program
        turned = "(let turn ((n 0) (y x)) (if (= n {}) y (turn (+ n 1) (+ (* 0.5 x) (* 0.25 ({} y))))))"
        return f"(lambda (x) {turned.format(random.choice((3, 10, 40)), program)})"


def _resumption(z: Capsule, engine: Engine) -> Run:
    return Run(runs.RESUME, Capsule(z.state, engine.name, z.open_tags), engine)


def _ends(run: runs.Run) -> tuple[Value, int]:
    start, end = run.ends()
    return end.value, end.steps - start.steps


KINDS: dict[str, Callable[[Random], Subject]] = {
    "vlad": OfText,
    "derivatives": OfDerivatives,
    "python": OfFunction,
    "arrays": OfArrays,
    "objects": OfObjects,
}
