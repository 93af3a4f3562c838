"""Cells of recurrent networks: one step of an LSTM or a GRU, with PyTorch's names and weights; of a TreeLSTM.

Each is a few other functions, so its derivatives are theirs. Rows are samples: input (n, inputs), states
(n, size); one sample may come without the axis of samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as
from tensorlib.networks.activations import relu, sigmoid
from tensorlib.networks.affine import linear


def lstm_cell(
    input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[Any, Any]:
    """Return the states (h, c) after the states hx = (h, c), as torch.lstm_cell.

    w_ih (4 size, inputs), w_hh (4 size, size): the rows of the input, forget, cell and output
    gates in this order.
    """
    return lstm_step(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def lstm_step(part: Any, hx: Any, w_hh: Any, b_hh: Any = None) -> tuple[Any, Any]:
    """Return the states after the states hx, by the part that the input gives the gates."""
    h, c = hx
    gates = part + linear(h, w_hh, b_hh)
    size = c.shape[-1]
    opened = sigmoid(gates[..., : 2 * size])
    cell = np.tanh(gates[..., 2 * size : 3 * size])
    c = opened[..., size:] * c + opened[..., :size] * cell
    return sigmoid(gates[..., 3 * size :]) * np.tanh(c), c


def gru_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """Return the state after the state hx, as torch.gru_cell.

    w_ih (3 size, inputs), w_hh (3 size, size): the rows of the reset, update and new gates in this order.
    """
    return gru_step(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def gru_step(new: Any, hx: Any, w_hh: Any, b_hh: Any = None) -> Any:
    """Return the state after the state hx, by the part that the input gives the gates."""
    size = hx.shape[-1]
    old = linear(hx, w_hh, b_hh)
    opened = sigmoid(new[..., : 2 * size] + old[..., : 2 * size])
    n = np.tanh(new[..., 2 * size :] + opened[..., :size] * old[..., 2 * size :])
    return n + opened[..., size:] * (hx - n)


def rnn_tanh_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """Return tanh of the input and the state hx, each times its weights, as torch.rnn_tanh_cell."""
    return np.tanh(linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh))


def rnn_relu_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    """Return what rnn_tanh_cell does with relu in the place of tanh."""
    return relu(linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh))


def tree_lstm_cell(
    input: Any, children: Any, w_iou: Any, u_iou: Any, b_iou: Any, w_f: Any, u_f: Any, b_f: Any
) -> tuple[Any, Any]:
    """Return the states (h, c) of a node by those of its children, a list of (h, c): a child-sum TreeLSTM.

    w_iou (3 size, inputs), u_iou (3 size, size), b_iou (3 size): the rows of the input, output and update
    gates in this order. w_f, u_f, b_f: of the forget gate, which each child has of its own. After Tai,
    Socher and Manning, 2015.
    """
    size = len(b_f)
    gates = _product(w_iou, input) + b_iou
    if children:
        gates = gates + _product(u_iou, sum([h for h, _ in children[1:]], children[0][0]))
    opened = _opened(gates[..., : 2 * size])
    c = opened[..., :size] * np.tanh(gates[..., 2 * size :])
    if children:
        forget = _product(w_f, input) + b_f
        for h, kept in children:
            c = c + _opened(forget + _product(u_f, h)) * kept
    return opened[..., size:] * np.tanh(c), c


def _product(weight: Any, x: Any) -> Any:
    """Return what `linear` does, of one sample as a step that costs less."""
    return weight @ x if x.ndim == 1 else linear(x, weight)


def _opened(x: Any) -> Any:
    """Return sigmoid(x), up to rounding, by functions that cost little on small arrays."""
    return 0.5 * np.tanh(0.5 * x) + 0.5


for _function in (
    lstm_cell,
    gru_cell,
    rnn_tanh_cell,
    rnn_relu_cell,
    tree_lstm_cell,
    lstm_step,
    gru_step,
):
    translated_as(_function, _function)
