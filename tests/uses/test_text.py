"""Recurrent networks over a text: the small one whose gradient is written by hand, and ADBench's LSTM."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.uses.support import engines, gradients, is_gradient

TEXT = "the quick brown fox jumps over the lazy dog; the lazy dog sleeps on and on"


def rnn_loss(weights: Any, text: str, vocabulary: dict[str, int]) -> Any:
    """Return the sum of the cross entropies with which a recurrent network predicts each next character."""
    h = np.zeros(len(weights["bh"]))
    loss = 0.0
    for t in range(len(text) - 1):
        x = np.zeros(len(vocabulary))
        x[vocabulary[text[t]]] = 1.0
        h = np.tanh(weights["xh"] @ x + weights["hh"] @ h + weights["bh"])
        y = weights["hy"] @ h + weights["by"]
        p = np.exp(y) / np.sum(np.exp(y))
        loss += -np.log(p[vocabulary[text[t + 1]]])
    return loss


def rnn_gradient(weights: Any, text: str, vocabulary: dict[str, int]) -> Any:
    """Return the gradient of `rnn_loss`, by back-propagation through time as one writes it by hand."""
    xs, hs, ps = [], [np.zeros(len(weights["bh"]))], []
    for now in text[:-1]:
        x = np.zeros(len(vocabulary))
        x[vocabulary[now]] = 1.0
        xs.append(x)
        hs.append(np.tanh(weights["xh"] @ x + weights["hh"] @ hs[-1] + weights["bh"]))
        y = weights["hy"] @ hs[-1] + weights["by"]
        ps.append(np.exp(y) / np.exp(y).sum())
    out = {name: np.zeros_like(part) for name, part in weights.items()}
    dh_next = np.zeros_like(hs[0])
    for t in reversed(range(len(xs))):
        dy = ps[t].copy()
        dy[vocabulary[text[t + 1]]] -= 1.0
        out["hy"] += np.outer(dy, hs[t + 1])
        out["by"] += dy
        raw = (1.0 - hs[t + 1] ** 2) * (weights["hy"].T @ dy + dh_next)
        out["bh"] += raw
        out["xh"] += np.outer(raw, xs[t])
        out["hh"] += np.outer(raw, hs[t])
        dh_next = weights["hh"].T @ raw
    return out


def sigmoid(x: Any) -> Any:
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-x))


def lstm(weight: Any, bias: Any, hidden: Any, cell: Any, inputs: Any) -> tuple[Any, Any]:
    """Return the next hidden state and cell of one layer, whose gates have a weight for each number."""
    n = hidden.size
    forget = sigmoid(inputs * weight[:n] + bias[:n])
    ingate = sigmoid(hidden * weight[n : 2 * n] + bias[n : 2 * n])
    outgate = sigmoid(inputs * weight[2 * n : 3 * n] + bias[2 * n : 3 * n])
    change = np.tanh(hidden * weight[3 * n :] + bias[3 * n :])
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def lstm_objective(parameters: Any, state: Any, sequence: Any) -> Any:
    """Return ADBench's loss: layers of LSTM between weights on what goes in and what comes out."""
    main, extra = parameters
    b = sequence.shape[1]
    state = state.copy()
    total = 0.0
    count = 0
    now = sequence[0]
    for t in range(len(sequence) - 1):
        x = now * extra[0]
        for i in range(0, len(state), 2):
            state[i], state[i + 1] = lstm(main[i], main[i + 1], state[i].copy(), state[i + 1].copy(), x)
            x = state[i].copy()
        foretold = x * extra[1] + extra[2]
        normal = foretold - np.log(np.sum(np.exp(foretold)) + 2.0)
        gold = sequence[t + 1]
        total += np.sum(gold * normal)
        count += b
        now = gold
    return -total / count


def network(hidden: int) -> tuple[Any, dict[str, int]]:
    """Return weights, and the numbers of the characters."""
    rng = np.random.default_rng(8)
    vocabulary = {character: i for i, character in enumerate(sorted(set(TEXT)))}
    v = len(vocabulary)
    weights = {
        "xh": 0.3 * rng.normal(size=(hidden, v)),
        "hh": 0.3 * rng.normal(size=(hidden, hidden)),
        "hy": 0.3 * rng.normal(size=(v, hidden)),
        "bh": np.zeros(hidden),
        "by": np.zeros(v),
    }
    return weights, vocabulary


@engines
def test_the_gradient_is_that_of_back_propagation_by_hand(engine: str) -> None:
    text = TEXT if engine != "interp" else TEXT[:8]
    weights, vocabulary = network(20)
    _, gradient = gradients(rnn_loss, weights, text, vocabulary, engine=engine)
    for name, expected in rnn_gradient(weights, text, vocabulary).items():
        assert gradient[name] == pytest.approx(expected, rel=1e-9, abs=1e-11)
    if engine != "interp":
        assert is_gradient(gradient, rnn_loss, weights, text, vocabulary)


@engines
def test_the_lstm(engine: str) -> None:
    layers, b, length = (2, 14, 12) if engine != "interp" else (2, 4, 3)
    rng = np.random.default_rng(9)
    parameters = (rng.normal(size=(2 * layers, 4 * b)), rng.normal(size=(3, b)))
    state = rng.normal(size=(2 * layers, b))
    sequence = rng.integers(0, 2, size=(length, b)).astype(float)
    args = (parameters, state, sequence)
    _, (gradient, by_state) = gradients(lstm_objective, *args, engine=engine, argnums=(0, 1))
    assert is_gradient(gradient, lstm_objective, *args)
    assert is_gradient(by_state, lambda state: lstm_objective(parameters, state, sequence), state)
