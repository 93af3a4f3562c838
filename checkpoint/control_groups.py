"""The control groups around this process: where Linux says what containers, services and batch jobs may take.

In: a resource, such as "memory". Out: the folders of all groups that may bound it.

Sources: the kernel's documentation, admin-guide/cgroup-v2.rst and cgroup-v1/cgroups.rst.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def folders(resource: str, proc: Path = PROC, groups: Path = GROUPS) -> Iterator[tuple[int, Path]]:
    """Yield the version (1 or 2) and folder of each group around this process, the inner ones first.

    Not all folders are there. proc, groups: where the system describes itself.
    """
    try:
        memberships = (proc / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return  # there are no control groups here
    for line in memberships:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            # Beside groups of version 1 those of version 2 have a folder of their own.
            for root in (groups, groups / "unified"):
                yield from ((2, folder) for folder in _along(root, path))
        elif resource in controllers.split(","):
            yield from ((1, folder) for folder in _along(groups / resource, path))


def _along(root: Path, path: str) -> Iterator[Path]:
    """Yield the folder of a group and of those around it, up to the root.

    In a container the path may be the one outside, which does not exist here; the group is then the root.
    """
    inner = PurePosixPath(path.lstrip("/"))
    yield from (root / inner, *[root / parent for parent in inner.parents])
