"""Builds the same network in PyTorch, by its own functions and their own derivatives.

In: weights and data as arrays. Out: the loss and the gradients, in the order of `leaves`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.extras import needed
from experiments.speech.net import Net


def leaves(net: Any) -> list[Any]:
    """Return the arrays of weights or gradients, in order."""
    if isinstance(net, tuple | list):
        return [leaf for part in net for leaf in leaves(part)]
    return [net]


def _recurrent(torch: Any, cells: list[list[Any]], x: Any) -> Any:
    """Return what PyTorch's own layer that runs both ways returns; cells: the weights forth, and back."""
    flat = [weight for cell in cells for weight in cell]
    state = torch.zeros(2, x.shape[1], cells[0][1].shape[1], dtype=x.dtype)
    return torch.gru(x, state, flat, True, 1, 0.0, True, True, False)[0]


def gradients(net: Net, features: np.ndarray, letters: np.ndarray, counts: np.ndarray) -> tuple[float, Any]:
    """Return the loss, and the gradients by all weights."""
    with needed():
        import torch  # noqa: PLC0415  # only this comparison needs it

    parameters = [torch.tensor(leaf, requires_grad=True) for leaf in leaves(net)]
    first, first_bias, second, second_bias = parameters[:4]
    out, bias = parameters[-2:]
    cells = [parameters[4 + 4 * i : 8 + 4 * i] for i in range(2 * len(net.forth))]
    functional = torch.nn.functional
    x = functional.conv2d(torch.tensor(features)[:, None], first, first_bias, (2, 2), (5, 5))
    x = functional.hardtanh(x, 0.0, 20.0)
    x = functional.hardtanh(functional.conv2d(x, second, second_bias, (1, 2), (2, 2)), 0.0, 20.0)
    x = x.permute(2, 0, 1, 3).flatten(2)
    for i in range(len(net.forth)):
        x = _recurrent(torch, [cells[i], cells[len(net.forth) + i]], x)
    found = functional.log_softmax(functional.linear(x, out, bias), dim=2)
    lengths = torch.full((x.shape[1],), x.shape[0])
    loss = functional.ctc_loss(found, torch.tensor(letters), lengths, torch.tensor(counts))
    loss.backward()
    return float(loss.detach()), [parameter.grad.numpy() for parameter in parameters]
