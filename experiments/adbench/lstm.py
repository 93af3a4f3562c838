"""ADBench's LSTM with diagonal weights (D-LSTM), in NumPy; with another `np` JAX and PyTorch run it.

Source: Srajer, Kukelova, Fitzgibbon 2018, "A benchmark of selected algorithmic differentiation tools".
Derivatives are taken by all weights. Data are random, as in its generator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH = 14  # the number of different characters in ADBench's text


def sigmoid(x: Any, np: Any = np) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def cell_step(weight: Any, bias: Any, hidden: Any, cell: Any, x: Any, np: Any = np) -> tuple[Any, Any]:
    """Return the next hidden state and cell of one layer; rows of weight and bias belong to the gates."""
    forget = sigmoid(x * weight[0] + bias[0], np)
    entering = sigmoid(hidden * weight[1] + bias[1], np)
    leaving = sigmoid(x * weight[2] + bias[2], np)
    change = np.tanh(hidden * weight[3] + bias[3])
    cell = cell * forget + entering * change
    return leaving * np.tanh(cell), cell


def loss(main: Any, extra: Any, state: Any, sequence: Any, np: Any = np) -> Any:
    """Return the negative mean logarithm of how likely each row of the sequence is after those before it.

    main: weights and biases, (2 layers, 4, width). extra: weights and a bias of what goes in and comes out,
    (3, width). state: hidden states and cells at the beginning, (2 layers, width).
    """
    layers = len(main) // 2
    hidden = [state[2 * i] for i in range(layers)]
    cells = [state[2 * i + 1] for i in range(layers)]
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for i in range(layers):
            hidden[i], cells[i] = cell_step(main[2 * i], main[2 * i + 1], hidden[i], cells[i], x, np)
            x = hidden[i]
        guess = x * extra[1] + extra[2]
        total = total + np.sum(sequence[t + 1] * (guess - np.log(np.sum(np.exp(guess)) + 2.0)))
    return -total / ((len(sequence) - 1) * len(sequence[0]))


def scanned(jax: Any, main: Any, extra: Any, state: Any, sequence: Any) -> Any:
    """Return the loss by a scan of JAX's, which compiles one turn instead of all."""
    xp, layers = jax.numpy, len(main) // 2

    def turn(state: Any, rows: Any) -> Any:
        new: list[Any] = []
        x, after = rows[0] * extra[0], rows[1]
        for i in range(layers):
            pair = cell_step(main[2 * i], main[2 * i + 1], state[2 * i], state[2 * i + 1], x, xp)
            new += pair
            x = pair[0]
        guess = x * extra[1] + extra[2]
        return xp.stack(new), xp.sum(after * (guess - xp.log(xp.sum(xp.exp(guess)) + 2.0)))

    _, found = jax.lax.scan(turn, state, (sequence[:-1], sequence[1:]))
    return -xp.sum(found) / ((len(sequence) - 1) * sequence.shape[1])


def data(layers: int, length: int, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Return arguments of `loss`: a sequence of characters, each a row with one 1."""
    rng = np.random.default_rng(seed)
    main, extra = rng.normal(size=(2 * layers, 4, WIDTH)), rng.normal(size=(3, WIDTH))
    return main, extra, rng.normal(size=(2 * layers, WIDTH)), np.eye(WIDTH)[rng.integers(0, WIDTH, length)]
