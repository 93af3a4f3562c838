"""Random functions of arrays, as texts: assignments, loops, conditions on reductions, writes, products.

Programs take vectors x and y of three elements, a matrix a (3, 3) and a float s, and return some of their
variables. All vectors have three elements, all matrices (3, 3), so that every program is well formed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.python.texts import defined

HEAD = "import numpy as np\n\n\n"
VECTORS, MATRICES, SCALARS = ("x", "y", "u", "v"), ("a", "m"), ("s", "t")

OF_VECTOR = (
    "np.sin({v})", "np.tanh({v})", "{v} * {w}", "{v} + {w}", "{v} - {w}", "0.5 * {v}", "{v} + {s}",
    "{v} / ({w} ** 2 + 1.0)", "{v}[::-1]", "np.roll({v}, 1)", "{m} @ {v}", "{v} @ {m}", "{m}[{i}]",
    "{m}[:, {i}]",
    "np.cumsum({v})", "np.where({v} > {w}, {v}, {w})", "np.maximum({v}, {w})", "{m}.sum(axis=0)",
    "np.max({m}, axis=1)", "np.concatenate([{v}[1:], {w}[:1]])", "{v}[[{i}, {j}, 0]]", "np.abs({v})",
    "np.array([{s}, {v}[{i}], 2.0])", "-{v}", "np.diag({m})", "{v}.copy()", "np.zeros(3)",
    "{v}[np.argsort({w})]",
    "np.exp(-({v} ** 2))", "{v} * ({w} > 0)", "np.sort({v})", "np.clip({v}, -1.0, 1.0)", "{m}.T[{i}]",
    "np.linalg.solve({m} @ {m}.T + 3.0 * np.eye(3), {v})", "{m}.mean(axis=1)", "{v}.astype(np.float32)",
    "np.einsum('ij,j->i', {m}, {v})", "helper({v}, {w})", "np.array([e * e for e in {v}])",
)  # fmt: skip
OF_MATRIX = (
    "np.outer({v}, {w})", "{m} @ {n}", "{m}.T", "{m} * {v}", "{m} + {v}[:, None]", "np.tanh({m})",
    "0.5 * {m}",
    "np.stack([{v}, {w}, {v}])", "{m} - {n}", "np.diag({v})", "np.eye(3) * {s}", "{m}[::-1]",
    "np.zeros((3, 3))",
    "{m}[:, [{i}, {j}, 1]]", "np.where({m} > 0, {m}, {n})", "np.array([{v}, {w}, {w}])",
    "np.cumsum({m}, axis=1)",
    "{m}.copy()", "np.triu({m})", "{m}.reshape(-1).reshape(3, 3).T",
)  # fmt: skip
OF_SCALAR = (
    "{v}.sum()", "np.max({v})", "{v} @ {w}", "{v}[{i}]", "{m}[{i}, {j}]", "{v}[{i}] * {s}",
    "np.mean({m})",
    "0.5 * {s} + {v}[{j}]", "np.trace({m})", "np.sin({s})", "float({v}[{i}])",
    "np.linalg.norm({v} + 2.0)",
    "{s} * {t}", "np.prod({v})", "np.sum({m} * {n})", "sum({v})", "max({v}[{i}], {s})", "np.var({v})",
)  # fmt: skip
WRITES = (
    "{v}[{i}] = {s}", "{v}[{i}] += {w}[{j}]", "{v}[1:] = {w}[:-1]", "{v}[:] = {w}", "{v} += {w}",
    "{v} *= 0.5",
    "{v} -= {s}", "{v}[{v} > 0] = {s}", "{v}[[{i}, {j}]] *= 0.5", "{v}[::2] = {w}[1:] * {s}",
    "{v}[{i}] = {v}[{j}]",
    "{v}[{w} > 0] += 1.0", "{v} /= 2.0",
)  # fmt: skip
WRITES_TO_MATRIX = (
    "{m}[{i}] = {v}", "{m}[:, {i}] = {v}", "{m}[{i}, {j}] = {s}", "{m} += {n}", "{m}[{i}] += {m}[{j}]",
    "{m}[1:, 1:] *= 0.5", "{m}[{m} > 0] = {s}", "{m} *= {v}", "{m}[{i}, 1:] = {v}[:2]",
    "{m}[{i}][{j}] = {s}",
)  # fmt: skip
TESTS = (
    "{v}.sum() > {s}", "np.max({v}) > 0.5", "{s} < {t}", "np.all({v} > {w})", "{v}[{i}] > 0",
    "np.any({m} > 1.0)",
)  # fmt: skip
HELPER = """def helper(p, q):
    r = p * 0.5
    for i in range(3):
        r[i] += q[i] * p[0]
    return r


"""


@dataclass(frozen=True)
class Program:
    """A text that defines f."""

    text: str

    def function(self) -> Any:
        return defined(HEAD + self.text)["f"]

    @property
    def args(self) -> tuple[Any, ...]:
        a = np.array([[0.91, -0.43, 0.37], [0.22, 1.14, -0.73], [-0.56, 0.67, 0.79]])
        return np.array([0.31, -1.27, 0.83]), np.array([1.13, 0.41, -0.62]), a, 0.71


class Grammar:
    """A generator of at most a given number of statements. pick: chooses one of several items."""

    def __init__(self, pick: Callable[[Sequence[Any]], Any], fuel: int) -> None:
        self.pick = pick
        self.fuel = fuel
        self.loops = 0

    def filled(self, form: str) -> str:
        """Return a form with its holes filled by variables and indices."""
        holes = {
            **{hole: self.pick(VECTORS) for hole in "vw"},
            **{hole: self.pick(MATRICES) for hole in "mn"},
            **{hole: self.pick(SCALARS) for hole in "st"},
            **{hole: self.pick(("0", "1", "-1", *[f"k{i}" for i in range(self.loops)])) for hole in "ij"},
        }
        return form.format(**holes)

    def statement(self, depth: int) -> list[str]:
        """Return the lines of a statement."""
        self.fuel -= 1
        kind = self.pick(range(12))
        if kind <= 3:
            return [f"{self.pick(VECTORS[2:])} = {self.filled(self.pick(OF_VECTOR))}"]
        if kind <= 4:
            return [f"m = {self.filled(self.pick(OF_MATRIX))}"]
        if kind <= 5:
            return [f"t = {self.filled(self.pick(OF_SCALAR))}"]
        if kind <= 7:
            form = self.pick(WRITES).replace("{v}", self.pick(VECTORS[2:]), 1)
            return [self.filled(form)]
        if kind == 8:
            return [self.filled(self.pick(WRITES_TO_MATRIX).replace("{m}", "m", 1))]
        if depth == 0:
            return ["t = t * 0.5"]
        if kind == 9:
            test = self.filled(self.pick(TESTS))
            return [f"if {test}:", *self.block(depth), "else:", *self.block(depth)]
        return self.loop(depth)

    def loop(self, depth: int) -> list[str]:
        """Return a loop over a range or a vector, possibly with an early exit."""
        name = f"k{self.loops}"
        self.loops += 1
        body = self.block(depth)
        if self.pick((False, True)):
            body += [f"    if {self.filled(self.pick(TESTS))}:", "        break"]
        self.loops -= 1
        return [f"for {name} in range({self.pick((2, 3))}):", *body]

    def block(self, depth: int) -> list[str]:
        """Return some statements, indented."""
        lines = []
        for _ in range(self.pick((1, 2, 3))):
            if self.fuel > 0:
                lines += self.statement(depth - 1)
        return [f"    {line}" for line in lines or ["t = t + 1.0"]]


def program(pick: Callable[[Sequence[Any]], Any], fuel: int = 12) -> Program:
    """Return a random program."""
    grammar = Grammar(pick, fuel)
    lines = ["u = x * 1.0", "v = y + 0.0", "m = a * 1.0", "t = s * 2.0"]
    for _ in range(pick(range(1, 7))):
        if grammar.fuel > 0:
            lines += grammar.statement(2)
    result = pick(("u, v, m, t", "u.sum() + v @ v + t", "u", "m", "[u, {'t': t}]"))
    body = "".join(f"    {line}\n" for line in [*lines, f"return {result}"])
    return Program(f"{HELPER}def f(x, y, a, s):\n{body}")


@st.composite
def programs(draw: Any, fuel: int = 12) -> Program:
    """Return a strategy for programs, which shrinks them."""
    return program(lambda options: draw(st.sampled_from(options)), fuel)
