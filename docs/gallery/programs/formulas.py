"""Formulas: learn what `and`, `or`, `not` and `implies` mean from formulas and whether they are true.

A formula is parsed by recursive descent, and a network is built along its tree: a vector for each truth
value, and for each word a small layer that makes a vector of the vectors below it. Parser and network are one
recursive function, which reads the text; every formula has a tree of its own. The words are never explained:
their truth tables are read from the trained layers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

import checkpoint

WIDTH = 6
Connective = Callable[[bool, bool], bool]
MEANING: dict[str, Connective] = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "implies": lambda a, b: b or not a,
}
Weights = dict[str, np.ndarray]


def meaning(weights: Weights, words: list[str], place: int) -> tuple[np.ndarray, int]:
    """Return the vector of the formula that begins at a place of the words, and where it ends."""
    word = words[place]
    if word == "not":
        below, place = meaning(weights, words, place + 1)
        return np.tanh(weights["not"] @ below + weights["not shift"]), place
    if word != "(":
        return weights[word], place + 1
    left, place = meaning(weights, words, place + 1)
    name = words[place]
    right, place = meaning(weights, words, place + 1)
    return np.tanh(weights[name] @ np.concatenate([left, right]) + weights[name + " shift"]), place + 1


def loss(weights: Weights, texts: list[str], answers: list[bool]) -> float:
    """Return the mean logistic loss of the answers to the formulas."""
    total = 0.0
    for text, answer in zip(texts, answers, strict=True):
        vector, _ = meaning(weights, text.split(), 0)
        score = np.sum(weights["answer"] * vector)
        total += np.logaddexp(0.0, -score if answer else score)
    return total / len(texts)


def formula(rng: np.random.Generator, depth: int) -> tuple[str, bool]:
    """Return a formula that chance has made, of words with spaces between, and whether it is true."""
    if depth == 0 or rng.random() < 0.1:
        value = bool(rng.random() < 0.5)
        return str(value).lower(), value
    if rng.random() < 0.25:
        text, value = formula(rng, depth - 1)
        return f"not {text}", not value
    name = ("and", "or", "implies")[rng.integers(3)]
    (a, left), (b, right) = formula(rng, depth - 1), formula(rng, depth - 1)
    return f"( {a} {name} {b} )", MEANING[name](left, right)


@dataclass(frozen=True)
class Learnt:
    """weights: as trained. losses: of each batch. right: the share of correct answers by depth."""

    weights: Weights
    losses: list[float]
    right: list[float]


def says(weights: Weights, text: str) -> float:
    """Return the probability that the network gives to a formula's being true."""
    return float(1.0 / (1.0 + np.exp(-np.sum(weights["answer"] * meaning(weights, text.split(), 0)[0]))))


def solve(batches: int = 150, size: int = 30, deepest: int = 7) -> Learnt:
    """Train by Adam on formulas up to depth 3; test on deeper ones."""
    rng = np.random.default_rng(0)
    weights: Weights = {name: rng.normal(size=WIDTH) for name in ("true", "false", "answer")}
    for name, count in (("not", 1), ("and", 2), ("or", 2), ("implies", 2)):
        weights[name] = rng.normal(size=(WIDTH, count * WIDTH)) / np.sqrt(count * WIDTH)
        weights[name + " shift"] = np.zeros(WIDTH)
    value_and_gradient = checkpoint.value_and_grad(loss)
    mean = {name: np.zeros_like(part) for name, part in weights.items()}
    square = {name: np.zeros_like(part) for name, part in weights.items()}
    losses = []
    for turn in range(1, batches + 1):
        texts, answers = zip(*[formula(rng, 1 + i % 3) for i in range(size)], strict=True)
        value, gradient = value_and_gradient(weights, list(texts), list(answers))
        losses.append(float(value))
        for name, part in gradient.items():
            mean[name] = 0.9 * mean[name] + 0.1 * part
            square[name] = 0.99 * square[name] + 0.01 * part**2
            scale = np.sqrt(1 - 0.99**turn) / (1 - 0.9**turn)
            weights[name] = weights[name] - 0.05 * scale * mean[name] / (np.sqrt(square[name]) + 1e-12)
    tests = [[formula(rng, depth) for _ in range(100)] for depth in range(1, deepest + 1)]
    right = [float(np.mean([(says(weights, text) > 0.5) == true for text, true in each])) for each in tests]
    return Learnt(weights, losses, right)


def report(found: Learnt) -> str:
    """Return what was found, as text."""
    lines = [f"loss {found.losses[0]:.3f} at first, {found.losses[-1]:.4f} in the end"]
    for name, (a, b) in product(MEANING, product(("false", "true"), repeat=2)):
        text = f"( {a} {name} {b} )"
        lines.append(f"  {text}: {says(found.weights, text):.3f}")
    shares = ", ".join(f"{100 * share:.0f}% at depth {depth}" for depth, share in enumerate(found.right, 1))
    return "\n".join([*lines, f"correct: {shares}"])


def draw(found: Learnt, file: str) -> None:
    """Draw the loss, the learnt truth tables, and correct answers by depth."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, axes = pyplot.subplots(
        1, 5, figsize=(10, 2.6), layout="constrained", width_ratios=(2, 1, 1, 1, 2)
    )
    axes[0].semilogy(found.losses)
    axes[0].set(xlabel="batch", ylabel="loss")
    values = ("false", "true")
    for axis, name in zip(axes[1:4], MEANING, strict=True):
        table = [[says(found.weights, f"( {a} {name} {b} )") for b in values] for a in values]
        axis.imshow(table, cmap="Blues", vmin=0.0, vmax=1.4)
        for i, j in product(range(2), repeat=2):
            axis.text(j, i, f"{table[i][j]:.2f}", ha="center", va="center")
        axis.set(xticks=(0, 1), xticklabels=values, yticks=(0, 1), yticklabels=values, title=name)
    axes[4].bar(range(1, len(found.right) + 1), [100 * share for share in found.right], color="tab:blue")
    axes[4].axvspan(0.5, 3.5, color="tab:orange", alpha=0.2, label="trained")
    axes[4].set(xlabel="depth of the formula", ylabel="% correct", ylim=(50, 101))
    axes[4].legend(fontsize="small", loc="lower left")
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
