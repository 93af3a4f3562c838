"""Recurrent layers of torch.nn, and their cells: one step of the program for each step of time.

So a sequence of any length is differentiated within a budget. The part that the input gives the gates is one
product for all steps, as in PyTorch. Sequences are dense: packed ones are refused.
"""
# PyTorch's names

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as
from tensorlib.networks.activations import relu
from tensorlib.networks.affine import linear
from tensorlib.networks.cells import gru_step, lstm_step
from tensorlib.pytorch.drawing import dropout

_PACKED = "a PackedSequence is not differentiated in a program: pass a padded tensor, and mask its result"


def _by_time(self: Any, input: Any) -> Any:
    """Return the input as (times, n, inputs)."""
    if not isinstance(input, torch.Tensor):
        raise refusal(_PACKED)
    if len(input.shape) not in (2, 3):
        raise ValueError(f"{self.mode}: expected an input of 2 or 3 axes, not {len(input.shape)}")
    if input.shape[-1] != self.input_size:
        raise ValueError(f"{self.mode}: expected inputs of {self.input_size} features, not {input.shape[-1]}")
    if len(input.shape) == 2:
        return input[:, None]
    return np.swapaxes(input, 0, 1) if self.batch_first else input


def _as_given(self: Any, found: Any, input: Any) -> Any:
    """Return a result (times, n, ...) with the axes of the input."""
    if len(input.shape) == 2:
        return found[:, 0]
    return np.swapaxes(found, 0, 1) if self.batch_first else found


def _states(self: Any, given: Any, x: Any, size: Any) -> Any:
    """Return a list of the states at the start, by layer and direction."""
    count = self.num_layers * (2 if self.bidirectional else 1)
    if given is None:
        zero = np.zeros_like(np.broadcast_to(x[0, :, :1], (x.shape[1], size)))
        return [zero for _ in range(count)]
    if len(given.shape) == 2:
        given = given[:, None]
    return [given[i] for i in range(count)]


def _weights(self: Any, layer: Any, is_back: Any) -> Any:
    """Return the weights of input and states, the biases and the projection of a layer and direction."""
    end = f"_l{layer}_reverse" if is_back else f"_l{layer}"
    each = self._parameters
    biases = (each["bias_ih" + end], each["bias_hh" + end]) if self.bias else (None, None)
    projection = each["weight_hr" + end] if self.proj_size > 0 else None
    return each["weight_ih" + end], each["weight_hh" + end], *biases, projection


def _run(self: Any, x: Any, states: Any, others: Any) -> Any:
    """Return the result of the last layer, the last states and the last of the other ones, lists by layer."""
    directions = 2 if self.bidirectional else 1
    last, last_others = [], []
    for layer in range(self.num_layers):
        parts = []
        for direction in range(directions):
            i = layer * directions + direction
            weights = _weights(self, layer, direction == 1)
            found, h, c = _along(self, x, states[i], others[i], weights, direction == 1)
            parts.append(found)
            last.append(h)
            last_others.append(c)
        x = parts[0] if directions == 1 else np.concatenate(parts, axis=-1)
        if layer < self.num_layers - 1:
            x = dropout(x, self.dropout, self.training)
    return x, last, last_others


def _along(self: Any, x: Any, h: Any, c: Any, weights: Any, is_back: Any) -> Any:
    """Return the states after each step (times, n, size), and the last ones."""
    w_ih, w_hh, b_ih, b_hh, projection = weights
    given = linear(x, w_ih, b_ih)
    count = x.shape[0]
    found = []
    for i in range(count):
        part = given[count - 1 - i if is_back else i]
        if self.mode == "LSTM":
            h, c = lstm_step(part, (h, c), w_hh, b_hh)
            if projection is not None:
                h = linear(h, projection)
        elif self.mode == "GRU":
            h = gru_step(part, h, w_hh, b_hh)
        elif self.mode == "RNN_RELU":
            h = relu(part + linear(h, w_hh, b_hh))
        else:
            h = np.tanh(part + linear(h, w_hh, b_hh))
        found.append(h)
    return np.stack(found[::-1] if is_back else found, axis=0), h, c


def recurrent(self: Any, input: Any, hx: Any = None) -> Any:
    """Return what nn.RNN.forward and nn.GRU.forward do."""
    x = _by_time(self, input)
    states = _states(self, hx, x, self.hidden_size)
    found, last, _ = _run(self, x, states, states)
    after = np.stack(last, axis=0)
    return _as_given(self, found, input), (after[:, 0] if len(input.shape) == 2 else after)


def lstm(self: Any, input: Any, hx: Any = None) -> Any:
    """Return what nn.LSTM.forward does."""
    x = _by_time(self, input)
    h, c = (None, None) if hx is None else hx
    size = self.proj_size if self.proj_size > 0 else self.hidden_size
    found, hs, cs = _run(self, x, _states(self, h, x, size), _states(self, c, x, self.hidden_size))
    h, c = np.stack(hs, axis=0), np.stack(cs, axis=0)
    states = (h[:, 0], c[:, 0]) if len(input.shape) == 2 else (h, c)
    return _as_given(self, found, input), states


# Cells


def _start(self: Any, input: Any) -> Any:
    """Return the state 0 beside an input (n, inputs), or (inputs)."""
    return np.zeros_like(np.broadcast_to(input[..., :1], (*input.shape[:-1], self.hidden_size)))


def _check(self: Any, input: Any) -> None:
    if len(input.shape) not in (1, 2) or input.shape[-1] != self.input_size:
        raise ValueError(
            f"a cell takes an input (n, {self.input_size}), or one of its rows, not of shape "
            f"{tuple(input.shape)}"
        )


def cell(self: Any, input: Any, hx: Any = None) -> Any:
    """Return what nn.RNNCell.forward does."""
    _check(self, input)
    h = _start(self, input) if hx is None else hx
    x = linear(input, self.weight_ih, self.bias_ih) + linear(h, self.weight_hh, self.bias_hh)
    return relu(x) if self.nonlinearity == "relu" else np.tanh(x)


def gru_cell(self: Any, input: Any, hx: Any = None) -> Any:
    """Return what nn.GRUCell.forward does."""
    _check(self, input)
    h = _start(self, input) if hx is None else hx
    return gru_step(linear(input, self.weight_ih, self.bias_ih), h, self.weight_hh, self.bias_hh)


def lstm_cell(self: Any, input: Any, hx: Any = None) -> Any:
    """Return what nn.LSTMCell.forward does."""
    _check(self, input)
    states = (_start(self, input), _start(self, input)) if hx is None else hx
    return lstm_step(linear(input, self.weight_ih, self.bias_ih), states, self.weight_hh, self.bias_hh)


def translate_all() -> None:
    """Register how recurrent layers are called."""
    nn = torch.nn
    translated_as(nn.RNN.forward, recurrent)
    translated_as(nn.GRU.forward, recurrent)
    translated_as(nn.LSTM.forward, lstm)
    translated_as(nn.RNNCell.forward, cell)
    translated_as(nn.GRUCell.forward, gru_cell)
    translated_as(nn.LSTMCell.forward, lstm_cell)
