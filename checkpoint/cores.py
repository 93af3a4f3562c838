"""The processor cores that this process may use.

In: what the system says. Out: a number, at least 1: of the cores that its threads may run on, or fewer where
a control group (of a container, a service, a batch job) lets them take less time than that.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from checkpoint import control_groups
from checkpoint.control_groups import Folder


def cores(proc: Folder = control_groups.PROC, groups: Folder = control_groups.GROUPS) -> int:
    """Return how many cores this process may use. proc, groups: where the system describes itself."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([own, *_of_groups(proc, groups)]))


def _of_groups(proc: Folder, groups: Folder) -> Iterator[int]:
    """Yield the cores that each control group with a limit allows, a part of one as one."""
    for version, folder in control_groups.folders("cpu", proc, groups):
        names = ("cpu.max",) if version == 2 else ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        words = [word for name in names for word in control_groups.text_of(f"{folder}/{name}").split()]
        if len(words) == 2 and all(map(str.isdecimal, words)):  # else "max", or -1: no limit
            yield math.ceil(int(words[0]) / int(words[1]))
