"""The control groups around this process: where Linux says what containers, services and batch jobs may take.

In: a resource, such as "memory". Out: the folders of all groups that may bound it.

Sources: the kernel's documentation, admin-guide/cgroup-v2.rst and cgroup-v1/cgroups.rst.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

PROC, GROUPS = Path("/proc"), Path("/sys/fs/cgroup")
LONGEST = 2**16  # bytes of such a file


def folders(resource: str, proc: Path = PROC, groups: Path = GROUPS) -> Iterator[tuple[int, Path]]:
    """Yield the version (1 or 2) and folder of each group around this process, the inner ones first.

    Not all folders are there. proc, groups: where the system describes itself.
    """
    yield from _folders(resource, text_of(f"{proc}/self/cgroup"), groups)


def text_of(path: str) -> str:
    """Return the text of a file of the system's; "" where there is none. Each gradient reads a dozen."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(file, LONGEST).decode()
    except OSError:
        return ""
    finally:
        os.close(file)


@lru_cache(maxsize=8)
def _folders(resource: str, memberships: str, groups: Path) -> tuple[tuple[int, Path], ...]:
    """Return what `folders` yields for the text that names the groups of a process."""
    return tuple(_found(resource, memberships, groups))


def _found(resource: str, memberships: str, groups: Path) -> Iterator[tuple[int, Path]]:
    for line in memberships.splitlines():
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
