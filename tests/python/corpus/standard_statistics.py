"""The functions of statistics: exact values, the derivatives of the formulas."""

from __future__ import annotations

import statistics
from statistics import mean, stdev

from tests.python.corpus import Example


def means(xs: list[float], weights: list[float]) -> tuple[float, ...]:
    """Means of each kind."""
    return (
        mean(xs),
        statistics.fmean(xs),
        statistics.fmean(xs, weights),
        statistics.geometric_mean(xs),
        statistics.harmonic_mean(xs),
        statistics.harmonic_mean(xs, weights),
    )


def spreads(xs: list[float], center: float) -> tuple[float, ...]:
    """Variances and their roots, about the mean and about another center."""
    return (
        statistics.variance(xs),
        statistics.pvariance(xs),
        statistics.variance(xs, center),
        statistics.pvariance(xs, mu=center),
        stdev(xs),
        statistics.pstdev(xs),
        statistics.pstdev(xs, center),
    )


def places(xs: list[float]) -> list[float]:
    """Medians and quantiles."""
    found = [statistics.median(xs), statistics.median_low(xs), statistics.median_high(xs)]
    found += statistics.quantiles(xs) + statistics.quantiles(xs, n=3, method="inclusive")
    return [*found, statistics.median(xs[1:])]


def common(xs: list[float], names: list[str]) -> tuple[object, ...]:
    """The most common items."""
    return statistics.mode(xs), statistics.multimode(xs), statistics.mode(names), statistics.multimode(names)


def related(xs: list[float], ys: list[float]) -> tuple[float, ...]:
    """Covariance, correlation and the line through points."""
    line = statistics.linear_regression(xs, ys)
    slope, intercept = statistics.linear_regression(xs, ys, proportional=True)
    return (
        statistics.covariance(xs, ys),
        statistics.correlation(xs, ys),
        line.slope * 2.0 + line.intercept,
        slope + intercept,
    )


def of_integers(ns: list[int]) -> tuple[object, ...]:
    """Integers, whose mean may be one."""
    return (
        mean(ns),
        statistics.median(ns),
        statistics.variance(ns),
        statistics.pstdev(ns),
        statistics.fmean(ns),
    )


def standardised(xs: list[float]) -> list[float]:
    """Items as distances from the mean in standard deviations."""
    center, width = mean(xs), stdev(xs)
    return [(x - center) / width for x in xs]


def mean_of_none(xs: list[float]) -> float:
    """The mean of nothing, which is handled, then not."""
    try:
        return mean(xs)
    except statistics.StatisticsError as error:
        print(error)
    return statistics.median(xs)


def of_different_lengths(xs: list[float]) -> float:
    """A correlation of lists of different lengths."""
    return statistics.correlation(xs, xs[1:])


def normal(x: float) -> tuple[object, ...]:
    """Normal distributions: densities, quantiles, sums."""
    one, other = statistics.NormalDist(x, 2.0), statistics.NormalDist(mu=1.0, sigma=x)
    both = one + other
    return (
        one.pdf(1.0) + one.cdf(0.5),
        both.inv_cdf(0.3),
        both.variance,
        one.zscore(x * x),
        (one * 2 + 1.0).mean,
        both.quantiles(4),
        one.overlap(statistics.NormalDist(0.0, 1.0)),
        one,
    )


def no_quantile(x: float) -> float:
    """A probability that is none."""
    return statistics.NormalDist(x, 1.0).inv_cdf(1.5)


XS = [0.1, 2.5, 1.7, 3.3, 0.9, 2.2]
YS = [1.1, 0.5, 2.0, 4.0, 1.5, 3.1]

EXAMPLES = [
    Example(normal, (1.5,)),
    Example(no_quantile, (1.5,), raises=statistics.StatisticsError),
    Example(means, (XS, YS)),
    Example(means, ([2.5], [0.5])),
    Example(spreads, (XS, 1.5)),
    Example(places, (XS,)),
    Example(common, ([1.5, 2.5, 2.5, 1.5, 0.5], ["b", "a", "a"]), differentiable=False),
    Example(related, (XS, YS)),
    Example(of_integers, ([1, 4, 2, 9],), differentiable=False),
    Example(of_integers, ([1, 2, 3],), differentiable=False),
    Example(standardised, (XS,)),
    Example(mean_of_none, ([],), raises=statistics.StatisticsError),
    Example(of_different_lengths, (XS,), raises=statistics.StatisticsError),
    Example(means, ([], []), raises=statistics.StatisticsError),
    Example(means, ([1.0, -1.0], [1.0, 1.0]), raises=statistics.StatisticsError),
]
