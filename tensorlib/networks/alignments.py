"""Losses of sequences that are not aligned: ctc_loss, by the forward recursion over time.

It is written with other functions of arrays, so its derivatives of every order are theirs, on every library
(Graves et al. 2006, Connectionist Temporal Classification).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as
from tensorlib.layout.transfer import to

_NEVER = -1e30  # the logarithm of the probability of what cannot be: finite, so that differences are numbers


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any = 0,
    reduction: Any = "mean",
    zero_infinity: Any = False,
) -> Any:
    """Return minus the logarithm of the probability of the targets, over all alignments.

    log_probs: (times, n, classes). targets: (n, most labels), padded. reduction: "mean" divides each loss by
    its number of labels first. zero_infinity: 0 for what no alignment gives, in the place of infinity.
    """
    if len(log_probs.shape) == 2:
        lengths = np.reshape(input_lengths, (1,)), np.reshape(target_lengths, (1,))
        rest = lengths[0], lengths[1], blank, reduction, zero_infinity
        found = ctc_loss(log_probs[:, None], np.reshape(targets, (1, -1)), *rest)
        return found[0] if reduction == "none" else found
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f'ctc_loss: reduction must be "mean", "sum" or "none", not {reduction!r}')
    if len(targets.shape) != 2:
        raise refusal("ctc_loss takes targets of shape (n, most labels), padded, not all in one row")
    inputs, labels = _lengths(input_lengths, targets), _lengths(target_lengths, targets)
    alphas = _alphas(log_probs, _extended(targets, blank), inputs, blank)
    last = np.take_along_axis(alphas, (2 * labels)[:, None], 1)[:, 0]
    before = np.take_along_axis(alphas, np.maximum(2 * labels - 1, 0)[:, None], 1)[:, 0]
    losses = -np.where(labels > 0, np.logaddexp(last, before), last)
    impossible = losses > -0.5 * _NEVER
    losses = np.where(impossible, 0.0 if zero_infinity else np.inf, losses)
    if reduction == "none":
        return losses
    return np.sum(losses) if reduction == "sum" else np.mean(losses / np.maximum(labels, 1))


def _lengths(lengths: Any, targets: Any) -> Any:
    if isinstance(lengths, list | tuple):
        return to(np.array(lengths), targets.dtype)
    return lengths


def _extended(targets: Any, blank: Any) -> Any:
    """Return the labels with a blank before, between and after them."""
    blanks = targets * 0 + blank
    pairs = np.reshape(np.stack([blanks, targets], axis=-1), (targets.shape[0], -1))
    return np.concatenate([pairs, blanks[:, :1]], axis=1)


def _alphas(log_probs: Any, labels: Any, inputs: Any, blank: Any) -> Any:
    """Return the logarithms of the probabilities of all beginnings of the labels, after the inputs."""
    first = np.take_along_axis(log_probs[0], labels, 1)
    never = np.zeros_like(first) + _NEVER
    alphas = np.concatenate([first[:, :2], never[:, 2:]], axis=1)
    skips = np.logical_and(labels[:, 2:] != blank, labels[:, 2:] != labels[:, :-2])
    for t in range(1, log_probs.shape[0]):
        one = np.concatenate([never[:, :1], alphas[:, :-1]], axis=1)
        found = np.logaddexp(alphas, one)
        two = np.where(skips, alphas[:, :-2], _NEVER)
        found = np.concatenate([found[:, :2], np.logaddexp(found[:, 2:], two)], axis=1)
        found = found + np.take_along_axis(log_probs[t], labels, 1)
        alphas = np.where((inputs > t)[:, None], found, alphas)
    return alphas


translated_as(ctc_loss, ctc_loss)
