"""XSBench's lookups of macroscopic cross sections: in NumPy (with another `np` JAX runs it), and in loops.

Source: see reactor.py; of XSBench's ways to search this is that of the nuclide grid. The sizes of grids and
data are chosen here. Derivatives are taken by all cross sections on the grids and by all amounts of nuclides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.adbench.reactor import NUCLIDES, Lookups, lookups

KINDS = 5  # total, elastic, absorption, fission, and fission times the neutrons that it sets free


def total(
    sections: Any, amounts: Any, grid: Any, nuclide: Any, member: Any, energy: Any, np: Any = np
) -> Any:
    """Return the sum of all macroscopic cross sections, of pairs of a lookup and a nuclide that it meets.

    sections: of each point of each nuclide's grid, (nuclides, points, KINDS). grid: of energies. amounts: of
    the members of materials. nuclide, member, energy: of each pair.
    """
    points = grid.shape[1]
    flat, low = grid.reshape(-1), nuclide * points
    high, span = low + (points - 1), points - 1
    while span > 1:
        middle = (low + high) // 2
        above = flat[middle] > energy
        low, high = np.where(above, low, middle), np.where(above, middle, high)
        span = (span + 1) // 2
    share = (flat[low + 1] - energy) / (flat[low + 1] - flat[low])
    rows = sections.reshape(-1, KINDS)
    above = rows[low + 1]
    found = above - share[:, None] * (above - rows[low])
    return np.sum(amounts[member] * np.sum(found, axis=1))


def total_in_loops(
    sections: list[float],
    amounts: list[float],
    grid: list[float],
    members: list[int],
    starts: list[int],
    points: int,
    energies: list[float],
    materials: list[int],
) -> float:
    """Return the same of lists, one lookup after the other, as XSBench's own program does."""
    found = 0.0
    for i in range(len(energies)):
        energy = energies[i]
        for j in range(starts[materials[i]], starts[materials[i] + 1]):
            low = members[j] * points
            high = low + points - 1
            while high - low > 1:
                middle = (low + high) // 2
                if grid[middle] > energy:
                    high = middle
                else:
                    low = middle
            share = (grid[low + 1] - energy) / (grid[low + 1] - grid[low])
            at, above = KINDS * low, KINDS * low + KINDS
            whole = sections[above] - share * (sections[above] - sections[at])
            elastic = sections[above + 1] - share * (sections[above + 1] - sections[at + 1])
            absorbed = sections[above + 2] - share * (sections[above + 2] - sections[at + 2])
            fission = sections[above + 3] - share * (sections[above + 3] - sections[at + 3])
            freed = sections[above + 4] - share * (sections[above + 4] - sections[at + 4])
            found += amounts[j] * (whole + elastic + absorbed + fission + freed)
    return found


def total_by_nuclides(sections: Any, grid: Any, met: Lookups) -> Any:
    """Return the same by NumPy: of each nuclide of each material all lookups at once."""
    found = 0.0
    for m in range(len(met.starts) - 1):
        energies = met.energies[met.materials == m]
        for j in range(met.starts[m], met.starts[m + 1]):
            own, values = grid[met.members[j]], sections[met.members[j]]
            low = np.searchsorted(own, energies, "right") - 1
            share = (own[low + 1] - energies) / (own[low + 1] - own[low])
            above = values[low + 1]
            found += met.amounts[j] * np.sum(above - share[:, None] * (above - values[low]))
    return found


def data(points: int, count: int, seed: int = 0) -> tuple[Any, Any, Lookups]:
    """Return cross sections on grids of so many points, the grids, and as many lookups as `count`."""
    rng = np.random.default_rng(seed)
    met = lookups(count, rng)
    grid = np.sort(rng.random((NUCLIDES, points)), axis=1)
    grid[:, 0], grid[:, -1] = 0.0, 1.0
    return rng.random((NUCLIDES, points, KINDS)), grid, met


def of_pairs(sections: Any, grid: Any, met: Lookups) -> tuple[Any, ...]:
    """Return the arguments of `total`."""
    return sections, met.amounts, grid, met.members[met.member], met.member, met.energy


def of_lists(sections: Any, grid: Any, met: Lookups) -> tuple[Any, ...]:
    """Return the arguments of `total_in_loops`."""
    reals = [part.ravel().tolist() for part in (sections, met.amounts, grid)]
    return (
        *reals,
        met.members.tolist(),
        met.starts.tolist(),
        grid.shape[1],
        met.energies.tolist(),
        met.materials.tolist(),
    )
