"""The benchmarks as subjects of measurement: what runs in each language and system, and what is right.

In: the name of a program, and whether the whole of it is to run. Out: a Subject, whose actions return a real.
The programs in the small language are those of experiments/nesting and tests/programs, and backprop.vlad.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import checkpoint
from checkpoint import engines
from checkpoint.ad.values import list_value
from checkpoint.functions.python_functions import run_of
from checkpoint.functions.runs import call_values
from experiments import common
from experiments.stalingrad import lambda_calculus, peers, programs, prolog
from experiments.stalingrad.programs import Function, Gradient, Vector

MODES = ("F", "R", "checkpoint-R")
PAIRS = tuple([(outer, inner) for outer in MODES for inner in MODES])
CORPUS = common.HERE.parent / "tests" / "programs"
RELATIVE = 1e-12

ERRORS = {
    1: 0.51056788825726,
    10: 0.49674968674138,
    100: 0.49111683107218,
    1_000: 0.29091925922504,
    10_000: 0.25137078713340,
}


def forward(f: Function) -> Callable[[Vector], Vector]:
    def gradient(x: Vector) -> Vector:
        units = [[1.0 if i == j else 0.0 for j in range(len(x))] for i in range(len(x))]
        return [checkpoint.jvp(f, x, unit)[1] for unit in units]

    return gradient


def reverse(f: Function) -> Callable[[Vector], Vector]:
    return checkpoint.grad(f)


def checkpointed(f: Function) -> Callable[[Vector], Vector]:
    return checkpoint.grad(f, schedule="bisection")


OWN: dict[str, Gradient] = {"F": forward, "R": reverse, "checkpoint-R": checkpointed}

# What a program makes of gradients, one for each mode of its nesting, and of an exp.
InPython = Callable[[list[Gradient], Callable[[Any], Any]], Any]


@dataclass(frozen=True)
class Subject:
    """A benchmark. text: in the small language, a procedure of the list of the modes and `steps`.

    nestings: of its modes, Fv among them. jits: whether no branch depends on a real.
    """

    name: str
    is_full: bool
    nestings: tuple[tuple[str, ...], ...]
    text: str
    steps: int
    in_python: InPython
    expected: float
    jits: bool
    relative: float = RELATIVE

    def action(self, modes: tuple[str, ...], language: str, system: str) -> Callable[[], float]:
        """Return what runs the program once; peers.Missing if the system cannot."""
        if system in peers.NAMES:
            operators, exps = zip(*[peers.of(system, mode, self.jits) for mode in modes], strict=True)
            return lambda: float(self.in_python(list(operators), exps[0]))
        if language == "python":
            return self._translated([OWN[mode] for mode in modes], system)
        engine = engines.get(system)
        procedure = common.value_of(self.text, engine)
        given = list_value([*modes, float(self.steps)])
        return lambda: float(call_values(procedure, given, engine))

    def _translated(self, operators: list[Gradient], system: str) -> Callable[[], float]:
        in_python = self.in_python

        def whole() -> Any:
            return in_python(operators, math.exp)

        return lambda: float(run_of(whole, (), {}, system).value())

    def is_right(self, found: float) -> bool:
        return abs(found - self.expected) <= self.relative * abs(self.expected)


def backprop(is_full: bool) -> Subject:
    steps = 1_000 if is_full else 10
    return Subject(
        "backprop",
        is_full,
        (("F",), ("Fv",), ("R",), ("checkpoint-R",)),
        '(include "stalingrad/backprop.vlad") (lambda ((list mode steps)) (train mode steps))',
        steps,
        lambda operators, exp: programs.backprop(operators[0], steps, exp),
        ERRORS[steps],
        jits=True,
        relative=1e-13,
    )


def particle(is_full: bool) -> Subject:
    step = """(include "nesting/modes.vlad") (include "nesting/flight.vlad")
        (lambda ((list outer inner steps))
          (let ((f (lambda ((list w)) (naive-euler (gradient-of inner) w))))
            (first (((gradient-of outer) f) (list 0)))))"""
    whole = _whole("particle", "(particle (argmin-of outer) (gradient-of inner))")
    run = programs.particle if is_full else programs.particle_step
    return Subject(
        "particle",
        is_full,
        PAIRS,
        whole if is_full else step,
        0,
        lambda operators, exp: run(operators[0], operators[1]),
        0.2071918746486 if is_full else -19.404636450028,
        jits=False,
    )


def saddle(is_full: bool) -> Subject:
    step = """(include "nesting/modes.vlad") (include "nesting/minimax.vlad")
        (lambda ((list outer inner steps))
          (first (((gradient-of outer) (highest (argmax-of inner))) start)))"""
    whole = _whole("saddle", "(first (first (saddle (argmin-of outer) (argmax-of inner))))")
    run = programs.saddle if is_full else programs.saddle_step
    return Subject(
        "saddle",
        is_full,
        PAIRS,
        whole if is_full else step,
        0,
        lambda operators, exp: run(operators[0], operators[1]),
        8.246324826140356e-06 if is_full else 2.0,
        jits=False,
    )


def _whole(name: str, call: str) -> str:
    """Return a program of experiments/nesting, with `call` for its last form."""
    text = _definitions((common.HERE / "nesting" / f"{name}.vlad").read_text(encoding="utf-8"))[0]
    text = text.replace('(include "', '(include "nesting/')
    return f"{text}\n(lambda ((list outer inner steps)) {call})"


def _definitions(text: str) -> tuple[str, str]:
    """Return a program's text but for its last form, and that form."""
    last = [found.start() for found in re.finditer(r"^[^\s;]", text, re.MULTILINE)][-1]
    return text[:last], text[last:]


def _interpreter(name: str, file: str, likelihood: Function, is_full: bool) -> Subject:
    steps = 1_000 if is_full else 10
    definitions, last = _definitions((CORPUS / file).read_text(encoding="utf-8"))
    return Subject(
        name,
        is_full,
        tuple([(mode,) for mode in MODES]),
        f"""(include "nesting/modes.vlad") {definitions} (define likely {last})
        (lambda ((list mode steps)) (first (first ((ascent-of mode) likely '(0.5 0.5) steps 0.1))))""",
        steps,
        lambda operators, exp: programs.ascent(likelihood, operators[0], [0.5, 0.5], steps)[0],
        climbed(steps),
        jits=True,
    )


def climbed(steps: int) -> float:
    """Return p after steps of ascent of p (1 - p)^3 q (1 - q)^2, by the derivative written out."""
    p = q = 0.5
    for _ in range(steps):
        by_p = (1 - p) ** 2 * (1 - 4 * p) * q * (1 - q) ** 2
        by_q = p * (1 - p) ** 3 * (1 - q) * (1 - 3 * q)
        p, q = p + 0.1 * by_p, q + 0.1 * by_q
    return p


PROGRAMS: dict[str, Callable[[bool], Subject]] = {
    "backprop": backprop,
    "particle": particle,
    "saddle": saddle,
    "lambda": lambda is_full: _interpreter(
        "lambda", "probabilistic-lambda.vlad", lambda_calculus.likelihood, is_full
    ),
    "prolog": lambda is_full: _interpreter("prolog", "probabilistic-prolog.vlad", prolog.likelihood, is_full),
}
