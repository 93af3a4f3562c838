"""Hares and lynxes of Hudson Bay, and the model whose parameters are estimated: Lotka and Volterra's.

Pelts in thousands that the Hudson's Bay Company collected from 1900 to 1920, as in Odum, Fundamentals of
Ecology (1953). The model is in logarithms, which keep populations positive:

    u' = a - b exp(v)      hares
    v' = d exp(u) - c      lynxes

A series is estimated by the logarithms of a, b, c, d and of both populations in the first year: those with
the least sum of squares of the errors of logarithms, in units of NOISE, beside a weak prior on the rates.
"""

from __future__ import annotations

import math
from random import Random

HARE = [30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1, 40.3, 57.0, 76.6, 52.3, 19.5, 11.2,
        7.6, 14.6, 16.2, 24.7]  # fmt: skip
LYNX = [4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4, 8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8,
        9.7, 10.1, 8.6]  # fmt: skip
NOISE = 0.25  # of a logarithm
PRIOR = 1.0  # the spread of the logarithms of rates
START = [math.log(0.55), math.log(0.028), math.log(0.8), math.log(0.024), math.log(34.0), math.log(6.0)]
STEPS = 50  # of Heun's method, a year

Series = tuple[list[float], list[float]]
REAL: Series = ([math.log(x) for x in HARE], [math.log(x) for x in LYNX])


def loss(p: list[float], hares: list[float], lynxes: list[float], steps: int) -> float:
    """Return the misfit of a model to the logarithms of a series. p: its parameters, as logarithms."""
    a, b, c, d = math.exp(p[0]), math.exp(p[1]), math.exp(p[2]), math.exp(p[3])
    u, v, h = p[4], p[5], 1.0 / steps
    total = 0.0
    for i in range(4):
        total = total + ((p[i] - START[i]) / PRIOR) ** 2
    for year in range(len(hares)):
        total = total + ((u - hares[year]) / NOISE) ** 2 + ((v - lynxes[year]) / NOISE) ** 2
        for _ in range(steps):
            du = a - b * math.exp(v)
            dv = d * math.exp(u) - c
            du2 = a - b * math.exp(v + h * dv)
            dv2 = d * math.exp(u + h * du) - c
            u = u + 0.5 * h * (du + du2)
            v = v + 0.5 * h * (dv + dv2)
    return 0.5 * total


def simulated(p: list[float], random: Random, steps: int) -> Series:
    """Return a series that a model gives, with noise."""
    a, b, c, d = map(math.exp, p[:4])
    u, v, h = p[4], p[5], 1.0 / steps
    hares, lynxes = [], []
    for _ in range(len(HARE)):
        hares.append(u + random.gauss(0.0, NOISE))
        lynxes.append(v + random.gauss(0.0, NOISE))
        for _ in range(steps):
            du, dv = a - b * math.exp(v), d * math.exp(u) - c
            du2, dv2 = a - b * math.exp(v + h * dv), d * math.exp(u + h * du) - c
            u, v = u + 0.5 * h * (du + du2), v + 0.5 * h * (dv + dv2)
    return hares, lynxes
