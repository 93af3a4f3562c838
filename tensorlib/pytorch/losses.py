"""Losses of torch.nn.functional with PyTorch's parameters, for programs to be translated with.

Those that have no old parameters are tensorlib.networks.deviations' own.
"""
# PyTorch's names

from __future__ import annotations

from typing import Any

from checkpoint.prims.arrays import prim
from tensorlib.networks import deviations
from tensorlib.pytorch.networks import refuse_old


def l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    weight: Any = None,
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.l1_loss(input, target, reduction, weight)


def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    beta: Any = 1.0,
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.smooth_l1_loss(input, target, reduction, beta)


def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    log_target: Any = False,
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.kl_div(input, target, reduction, log_target)


def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return prim("tensorlib.binary_cross_entropy", input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    pos_weight: Any = None,
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weight)


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: Any = True,
    full: Any = False,
    size_average: Any = None,
    eps: Any = 1e-8,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.poisson_nll_loss(input, target, log_input, full, eps, reduction)


def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Any = None,
    weight: Any = None,
    reduction: Any = "mean",
    ignore_index: Any = None,
    label_smoothing: Any = 0.0,
    options: Any = None,
) -> Any:
    ignored = -100 if ignore_index is None else ignore_index
    return deviations.linear_cross_entropy(
        input, linear_weight, target, linear_bias, weight, ignored, reduction, label_smoothing
    )


def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean"
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.soft_margin_loss(input, target, reduction)


def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: Any = 1.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.hinge_embedding_loss(input, target, margin, reduction)


def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: Any = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.margin_ranking_loss(input1, input2, target, margin, reduction)


def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: Any = 0.0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.cosine_embedding_loss(input1, input2, target, margin, reduction)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: Any = 1.0,
    p: Any = 2,
    eps: Any = 1e-6,
    swap: Any = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction)


def multi_margin_loss(
    input: Any,
    target: Any,
    p: Any = 1,
    margin: Any = 1.0,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.multi_margin_loss(input, target, p, margin, weight, reduction)


def multilabel_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean"
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.multilabel_margin_loss(input, target, reduction)


def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return deviations.multilabel_soft_margin_loss(input, target, weight, reduction)


NAMES = (
    "l1_loss smooth_l1_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits poisson_nll_loss "
    "linear_cross_entropy soft_margin_loss hinge_embedding_loss margin_ranking_loss cosine_embedding_loss "
    "triplet_margin_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss"
)
ALIKE = "huber_loss gaussian_nll_loss cosine_similarity pairwise_distance triplet_margin_with_distance_loss"
