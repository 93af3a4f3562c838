"""The reactor whose materials XSBench and RSBench look up: which nuclides a neutron meets, and how often.

Source: the small reactor of Tramm, Siegel, Islam, Schulz 2014, "XSBench: the development and verification of
a performance abstraction for Monte Carlo reactor analysis", whose fuel has 34 nuclides. Contents are random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

NUCLIDES = 68
MEMBERS = (34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9)  # nuclides of each material
MET = (0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.012)


@dataclass(frozen=True)
class Lookups:
    """Random lookups.

    members, starts: the nuclides of material m are members[starts[m]:starts[m + 1]]. amounts: of these.
    energies, materials: of each lookup. member, energy: of each pair of a lookup and a nuclide that is
    met, the place in members, and the energy.
    """

    members: Any
    starts: Any
    amounts: Any
    energies: Any
    materials: Any
    member: Any
    energy: Any


def lookups(count: int, rng: np.random.Generator) -> Lookups:
    """Return so many lookups, of random energies from 0 to 1 in random materials."""
    members = np.concatenate([rng.choice(NUCLIDES, size, replace=False) for size in MEMBERS])
    starts = np.concatenate([[0], np.cumsum(MEMBERS)])
    energies, materials = rng.random(count), rng.choice(len(MEMBERS), count, p=MET)
    counts = np.array(MEMBERS)[materials]
    member = within(starts[materials], counts)
    return Lookups(
        members, starts, rng.random(len(members)), energies, materials, member, np.repeat(energies, counts)
    )


def within(starts: Any, counts: Any) -> Any:
    """Return the integers from each start on, as many as its count, in a row."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1]) + np.repeat(starts - ends + counts, counts)
