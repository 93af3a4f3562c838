"""RSBench's cross sections by poles, each a function of floats under `map` or over lanes; of arrays for JAX.

Source: Tramm, Siegel, Forget, Josey 2014, "Performance analysis of a reduced data movement algorithm for
neutron cross section data in Monte Carlo simulations", at 0 K (without Doppler broadening). The sizes are
those of its small reactor, but for the number of lookups; data are random. Derivatives are taken by all
residues and places of poles, what windows are fitted by, and all amounts of nuclides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import checkpoint
from experiments.adbench.reactor import NUCLIDES, Lookups, lookups, within

POLES, WINDOWS = 1000, 100  # of each nuclide
WAVES = 4  # numbers of angular momentum
WEIGHTS = (5.0, 1.0, 2.0)  # of total, absorption and fission: their sum is what is differentiated


class Model(NamedTuple):
    """What is differentiated: of each pole real and imaginary parts, (poles, 4, 2), of its place and of its
    residues of total, absorption, fission; of each window what these are fitted by, (windows, 3); of each
    member of a material its amount.
    """

    poles: Any
    windows: Any
    amounts: Any


class Visits(NamedTuple):
    """Pairs of a lookup and a nuclide, with their energies, members, windows, and the radii of the nuclide
    for each wave, (pairs, WAVES); and of each pole that a pair visits the pole, the pair and the wave.
    """

    energy: Any
    member: Any
    window: Any
    radii: Any
    pole: Any
    pair: Any
    wave: Any


def phases(roots: Any, radii: Any, np: Any) -> Any:
    """Return twice the shift of the phase of each wave at the roots of energies, (pairs, WAVES)."""
    shift = roots[:, None] * radii
    s, p, d, f = (shift[:, k] for k in range(WAVES))
    p = p - np.arctan(p)
    d = d - np.arctan(3.0 * d / (3.0 - d**2))
    f = f - np.arctan(f * (15.0 - f**2) / (15.0 - 6.0 * f**2))
    return 2.0 * np.stack([s, p, d, f], 1)


def visited(pole: Any, root: Any, cosine: Any, sine: Any, amount: Any) -> Any:
    """Return what a pole adds to the weighted sum of cross sections; numbers, or arrays of them."""
    place, whole, absorbed, fission = pole
    real = place[0] - root
    scale = 1.0 / ((real * real + place[1] * place[1]) * root * root)
    # -i / (place - root) / energy
    x, y = -place[1] * scale, -real * scale
    turned = x * cosine + y * sine, y * cosine - x * sine  # by exp(-i phase)
    total = whole[0] * turned[0] - whole[1] * turned[1]
    return amount * (
        WEIGHTS[0] * total
        + WEIGHTS[1] * (absorbed[0] * x - absorbed[1] * y)
        + WEIGHTS[2] * (fission[0] * x - fission[1] * y)
    )


def by_lanes(pole: Any, *rest: Any) -> Any:
    """Apply `visited` to each item."""
    return checkpoint.vmap(visited)(pole, *rest)


def by_map(pole: Any, *rest: Any) -> Any:
    """Apply `visited` to each item, as a combinator."""
    return checkpoint.arrays.map(visited, pole, *rest)


def total(model: Model, visits: Visits, np: Any = np, apply: Any = by_lanes) -> Any:
    """Return the weighted sum of the macroscopic cross sections of all lookups."""
    roots, amounts = np.sqrt(visits.energy), model.amounts[visits.member]
    twice = phases(roots, visits.radii, np)
    flat = visits.pair * WAVES + visits.wave
    cosine, sine = np.cos(twice).reshape(-1)[flat], np.sin(twice).reshape(-1)[flat]
    columns = model.poles[visits.pole]
    pole = tuple([(columns[:, k, 0], columns[:, k, 1]) for k in range(4)])
    fitted = amounts * visits.energy * (model.windows[visits.window] @ np.array(WEIGHTS))
    return np.sum(fitted) + np.sum(apply(pole, roots[visits.pair], cosine, sine, amounts[visits.pair]))


def data(count: int, seed: int = 0) -> tuple[Model, Visits]:
    """Return a random model, and the visits of so many lookups."""
    rng = np.random.default_rng(seed)
    met: Lookups = lookups(count, rng)
    nuclide = met.members[met.member]
    cuts = np.sort(rng.integers(0, POLES, (NUCLIDES, WINDOWS - 1)), axis=1)
    starts = np.concatenate([np.zeros((NUCLIDES, 1), int), cuts], 1) + POLES * np.arange(NUCLIDES)[:, None]
    ends = np.concatenate([starts.ravel()[1:], [POLES * NUCLIDES]])
    window = nuclide * WINDOWS + (met.energy * WINDOWS).astype(int)
    first = starts.ravel()[window]
    counts = ends[window] - first
    pole, pair = within(first, counts), np.repeat(np.arange(len(window)), counts)
    radii, waves = rng.random((NUCLIDES, WAVES)), rng.integers(0, WAVES, NUCLIDES * POLES)
    model = Model(rng.random((NUCLIDES * POLES, 4, 2)), rng.random((NUCLIDES * WINDOWS, 3)), met.amounts)
    return model, Visits(met.energy, met.member, window, radii[nuclide], pole, pair, waves[pole])
