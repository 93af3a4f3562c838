"""Recurrent operators: RNN, GRU and LSTM, of one direction or both, as loops over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import beside, cast
from tensorlib.networks.activations import leaky_relu, relu, sigmoid, softplus


def _activation(name: Any, alpha: Any, beta: Any, x: Any) -> Any:
    """Return an activation by the name that it has in attributes."""
    if name == "Sigmoid":
        return sigmoid(x)
    if name == "Tanh":
        return np.tanh(x)
    if name == "Relu":
        return relu(x)
    if name == "Softplus":
        return softplus(x)
    if name == "Softsign":
        return x / (1.0 + np.abs(x))
    if name == "LeakyRelu":
        return leaky_relu(x, 0.01 if alpha is None else alpha)
    if name == "Affine":
        return (1.0 if alpha is None else alpha) * x + (0.0 if beta is None else beta)
    if name == "HardSigmoid":
        a = 0.2 if alpha is None else alpha
        return np.minimum(np.maximum(a * x + (0.5 if beta is None else beta), 0.0), 1.0)
    raise refusal(f"the activation {name} of a recurrent operator has no rule")


def _apply(activations: Any, i: Any, x: Any) -> Any:
    names, alphas, betas = activations
    alpha = alphas[i] if i < len(alphas) else None
    return _activation(names[i], alpha, betas[i] if i < len(betas) else None, x)


def _activations(names: Any, alphas: Any, betas: Any, default: Any, directions: Any, d: Any) -> Any:
    """Return the activations of one direction: their names, alphas and betas."""
    count = len(default)
    names = default * directions if names is None else names
    alphas = [] if alphas is None else alphas
    betas = [] if betas is None else betas
    first = d * count
    return names[first : first + count], alphas[first : first + count], betas[first : first + count]


def _bounded(x: Any, clip: Any) -> Any:
    return x if clip is None else np.minimum(np.maximum(x, -clip), clip)


def _directions(direction: Any) -> Any:
    """Return for each direction whether it goes from the last time to the first."""
    if direction == "bidirectional":
        return [False, True]
    return [direction == "reverse"]


def _masks(x: Any, lengths: Any) -> Any:
    """Return for each time which sequences reach it; None if all do."""
    if lengths is None:
        return None
    times = np.reshape(np.arange(x.shape[0]), (-1, 1, 1))
    return beside(times, lengths) < np.reshape(lengths, (1, -1, 1))


def _finished(ys: Any, backward: Any, last: Any) -> Any:
    """Return the results of all times in their order, with the last state."""
    return np.stack(ys[::-1] if backward else ys), last


def _times(n: Any, backward: Any) -> Any:
    return list(range(n - 1, -1, -1)) if backward else list(range(n))


def _outcome(found: Any, outputs: Any, layout: Any) -> Any:
    """Return the outputs of all directions: results by times, and each last state."""
    results = np.stack([each[0] for each in found], axis=1)
    lasts = [np.stack([each[1][i] for each in found]) for i in range(len(found[0][1]))]
    if layout:
        results = np.transpose(results, (2, 0, 1, 3))
        lasts = [np.transpose(last, (1, 0, 2)) for last in lasts]
    return (results, *lasts)[:outputs]


@onnx_operator("RNN")
def rnn(
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    lengths: Any = None,
    initial_h: Any = None,
    *,
    outputs: Any,
    activation_alpha: Any = None,
    activation_beta: Any = None,
    activations: Any = None,
    clip: Any = None,
    direction: Any = "forward",
    hidden_size: Any = None,
    layout: Any = 0,
) -> Any:
    """Return the states h = f(x W + h R + b) at all times, and the last."""
    hidden = r.shape[2]
    x = np.transpose(x, (1, 0, 2)) if layout else x
    found = []
    for d, backward in enumerate(_directions(direction)):
        acts = _activations(activations, activation_alpha, activation_beta, ["Tanh"], w.shape[0], d)
        gates = np.matmul(x, np.transpose(w[d]))
        if b is not None:
            gates = gates + (b[d, :hidden] + b[d, hidden:])
        h = _initial(x, initial_h, d, hidden, layout)
        masks = _masks(x, lengths)
        ys = []
        for t in _times(x.shape[0], backward):
            new = _apply(acts, 0, _bounded(gates[t] + np.matmul(h, np.transpose(r[d])), clip))
            h = new if masks is None else np.where(masks[t], new, h)
            ys.append(_seen(h, masks, t))
        found.append(_finished(ys, backward, [h]))
    return _outcome(found, outputs, layout)


def _initial(x: Any, states: Any, d: Any, hidden: Any, layout: Any) -> Any:
    """Return the state before the first time of a direction."""
    if states is None:
        return cast(beside(np.zeros((x.shape[1], hidden)), x), x)
    return states[:, d] if layout else states[d]


def _seen(h: Any, masks: Any, t: Any) -> Any:
    """Return the result at a time: 0 where a sequence has ended."""
    return h if masks is None else np.where(masks[t], h, 0.0 * h)


@onnx_operator("LSTM")
def lstm(
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    lengths: Any = None,
    initial_h: Any = None,
    initial_c: Any = None,
    peepholes: Any = None,
    *,
    outputs: Any,
    activation_alpha: Any = None,
    activation_beta: Any = None,
    activations: Any = None,
    clip: Any = None,
    direction: Any = "forward",
    hidden_size: Any = None,
    input_forget: Any = 0,
    layout: Any = 0,
) -> Any:
    """Return the states of long short-term memory at all times, the last, and the last cell."""
    hidden = r.shape[2]
    x = np.transpose(x, (1, 0, 2)) if layout else x
    found = []
    for d, backward in enumerate(_directions(direction)):
        default = ["Sigmoid", "Tanh", "Tanh"]
        acts = _activations(activations, activation_alpha, activation_beta, default, w.shape[0], d)
        gates = np.matmul(x, np.transpose(w[d]))
        if b is not None:
            gates = gates + (b[d, : 4 * hidden] + b[d, 4 * hidden :])
        h = _initial(x, initial_h, d, hidden, layout)
        c = _initial(x, initial_c, d, hidden, layout)
        peep = None if peepholes is None else peepholes[d]
        across = np.transpose(r[d])
        masks = _masks(x, lengths)
        ys = []
        for t in _times(x.shape[0], backward):
            new_h, new_c = _lstm_cell(gates[t] + np.matmul(h, across), c, peep, acts, clip, input_forget)
            h = new_h if masks is None else np.where(masks[t], new_h, h)
            c = new_c if masks is None else np.where(masks[t], new_c, c)
            ys.append(_seen(h, masks, t))
        found.append(_finished(ys, backward, [h, c]))
    return _outcome(found, outputs, layout)


def _lstm_cell(gates: Any, c: Any, peep: Any, acts: Any, clip: Any, coupled: Any) -> Any:
    """Return the new state and cell; gates: of the input, the output, forgetting and the cell."""
    n = c.shape[1]
    i, o, f, g = gates[:, :n], gates[:, n : 2 * n], gates[:, 2 * n : 3 * n], gates[:, 3 * n :]
    if peep is not None:
        i, f = i + peep[:n] * c, f + peep[2 * n :] * c
    i = _apply(acts, 0, _bounded(i, clip))
    f = 1.0 - i if coupled else _apply(acts, 0, _bounded(f, clip))
    c = f * c + i * _apply(acts, 1, _bounded(g, clip))
    if peep is not None:
        o = o + peep[n : 2 * n] * c
    return _apply(acts, 0, _bounded(o, clip)) * _apply(acts, 2, c), c


@onnx_operator("GRU")
def gru(
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    lengths: Any = None,
    initial_h: Any = None,
    *,
    outputs: Any,
    activation_alpha: Any = None,
    activation_beta: Any = None,
    activations: Any = None,
    clip: Any = None,
    direction: Any = "forward",
    hidden_size: Any = None,
    layout: Any = 0,
    linear_before_reset: Any = 0,
) -> Any:
    """Return the states of gated recurrent units at all times, and the last."""
    hidden = r.shape[2]
    x = np.transpose(x, (1, 0, 2)) if layout else x
    found = []
    for d, backward in enumerate(_directions(direction)):
        default = ["Sigmoid", "Tanh"]
        acts = _activations(activations, activation_alpha, activation_beta, default, w.shape[0], d)
        gates = np.matmul(x, np.transpose(w[d]))
        inner = None
        if b is not None:
            gates = gates + b[d, : 3 * hidden]
            inner = b[d, 3 * hidden :]
        h = _initial(x, initial_h, d, hidden, layout)
        masks = _masks(x, lengths)
        ys = []
        for t in _times(x.shape[0], backward):
            new = _gru_cell(gates[t], h, r[d], inner, acts, clip, linear_before_reset)
            h = new if masks is None else np.where(masks[t], new, h)
            ys.append(_seen(h, masks, t))
        found.append(_finished(ys, backward, [h]))
    return _outcome(found, outputs, layout)


def _gru_cell(gates: Any, h: Any, r: Any, b: Any, acts: Any, clip: Any, linear: Any) -> Any:
    """Return the new state; gates: of the update, the reset and the state."""
    n = h.shape[1]
    both = gates[:, : 2 * n] + np.matmul(h, np.transpose(r[: 2 * n]))
    if b is not None:
        both = both + b[: 2 * n]
    both = _apply(acts, 0, _bounded(both, clip))
    z, reset = both[:, :n], both[:, n:]
    across = np.transpose(r[2 * n :])
    own = np.matmul(h if linear else reset * h, across)
    if b is not None:
        own = own + b[2 * n :]
    new = _apply(acts, 1, _bounded(gates[:, 2 * n :] + (reset * own if linear else own), clip))
    return (1.0 - z) * new + z * h
