"""A network like DeepSpeech2 in small: convolutions over time and frequency, recurrence both ways, CTC.

In: weights, features (n, frames, bands). Out: logarithms of the probabilities of letters, for every second
frame, and CTC's loss. Plain Python on NumPy's arrays, by functions of tensorlib; no derivatives are in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from experiments.speech.spoken import BANDS, LETTERS
from tensorlib.networks import conv2d, ctc_loss, gru_cell, linear

CHANNELS, SIZE = 12, 40
CLASSES = len(LETTERS) + 1  # 0 is the blank


class Cell(NamedTuple):
    """The weights of a gated recurrent unit: of inputs, of states, and their biases."""

    inputs: Any
    states: Any
    input_bias: Any
    state_bias: Any


class Net(NamedTuple):
    """first, second: kernels of convolutions. forth, back: a cell for each layer. out, bias: of letters."""

    first: Any
    first_bias: Any
    second: Any
    second_bias: Any
    forth: list[Cell]
    back: list[Cell]
    out: Any
    bias: Any


def recurrent(steps: Any, cell: Cell, is_back: bool) -> Any:
    """Return the states after each of the steps, a list of arrays (n, inputs), from either end."""
    state = np.zeros((steps[0].shape[0], cell.states.shape[1]), dtype=steps[0].dtype)
    found = []
    for step in reversed(steps) if is_back else steps:
        state = gru_cell(step, state, *cell)
        found.append(state)
    return found[::-1] if is_back else found


def log_probabilities(net: Net, features: Any) -> Any:
    """Return those of letters, shape (frames / 2, n, CLASSES)."""
    x = conv2d(features[:, None], net.first, net.first_bias, (2, 2), (5, 5))
    x = np.minimum(np.maximum(x, 0.0), 20.0)
    x = conv2d(x, net.second, net.second_bias, (1, 2), (2, 2))
    x = np.minimum(np.maximum(x, 0.0), 20.0)
    x = np.reshape(np.transpose(x, (2, 0, 1, 3)), (x.shape[2], x.shape[0], -1))
    steps = [x[i] for i in range(x.shape[0])]
    for forth, back in zip(net.forth, net.back, strict=True):
        both = zip(recurrent(steps, forth, False), recurrent(steps, back, True), strict=True)
        steps = [np.concatenate([a, b], axis=1) for a, b in both]
    scores = linear(np.stack(steps), net.out, net.bias)
    scores = scores - np.max(scores, axis=2, keepdims=True)
    return scores - np.log(np.sum(np.exp(scores), axis=2, keepdims=True))


def loss(net: Net, features: Any, letters: Any, counts: Any) -> Any:
    """Return the mean of CTC's loss of words, each divided by its number of letters."""
    found = log_probabilities(net, features)
    return ctc_loss(found, letters, np.full(found.shape[1], found.shape[0]), counts)


def weights(layers: int = 1, size: int = SIZE, dtype: Any = np.float32, seed: int = 0) -> Net:
    """Return the weights of a new network."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int, inputs: int) -> Any:
        return (rng.normal(size=shape) / np.sqrt(inputs)).astype(dtype)

    def cell(inputs: int) -> Cell:
        w, u = normal(3 * size, inputs, inputs=inputs), normal(3 * size, size, inputs=size)
        return Cell(w, u, np.zeros(3 * size, dtype), np.zeros(3 * size, dtype))

    height = ((BANDS + 1) // 2 + 1) // 2
    widths = [CHANNELS * height, *[2 * size] * (layers - 1)]
    return Net(
        normal(CHANNELS, 1, 11, 11, inputs=60),
        np.zeros(CHANNELS, dtype),
        normal(CHANNELS, CHANNELS, 5, 5, inputs=13 * CHANNELS),
        np.zeros(CHANNELS, dtype),
        [cell(width) for width in widths],
        [cell(width) for width in widths],
        normal(CLASSES, 2 * size, inputs=2 * size),
        np.zeros(CLASSES, dtype),
    )


def decoded(log_probs: Any) -> list[str]:
    """Return the words of the most probable letters, repeated ones and blanks left out."""
    found = []
    for row in np.argmax(log_probs, axis=2).T:
        kept = [k for k, before in zip(row, [0, *row[:-1]], strict=True) if k not in (0, before)]
        found.append("".join(LETTERS[k - 1] for k in kept))
    return found


def distance(a: str, b: str) -> int:
    """Return how many letters are to be put in, left out or changed to make b of a."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def label_error(net: Net, features: Any, words: list[str]) -> float:
    """Return the number of wrong letters, for each letter of the words."""
    found = decoded(log_probabilities(net, features))
    return sum(map(distance, found, words)) / sum(map(len, words))
