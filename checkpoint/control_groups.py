"""The control groups around this process: where Linux says what containers, services and batch jobs may take.

In: a resource, such as "memory". Out: the folders of all groups that may bound it.

Sources: the kernel's documentation, admin-guide/cgroup-v2.rst and cgroup-v1/cgroups.rst.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache

Folder = str | os.PathLike[str]

PROC, GROUPS = "/proc", "/sys/fs/cgroup"
LONGEST = 2**16  # bytes of such a file


def folders(resource: str, proc: Folder = PROC, groups: Folder = GROUPS) -> Iterator[tuple[int, str]]:
    """Yield the version (1 or 2) and folder of each group around this process, the inner ones first.

    Not all folders are there. proc, groups: where the system describes itself.
    """
    yield from _folders(resource, text_of(f"{os.fspath(proc)}/self/cgroup"), os.fspath(groups))


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
def _folders(resource: str, memberships: str, groups: str) -> tuple[tuple[int, str], ...]:
    """Return what `folders` yields for the text that names the groups of a process."""
    return tuple(_found(resource, memberships, groups))


def _found(resource: str, memberships: str, groups: str) -> Iterator[tuple[int, str]]:
    for line in memberships.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            # Beside groups of version 1 those of version 2 have a folder of their own.
            for root in (groups, f"{groups}/unified"):
                yield from ((2, folder) for folder in _along(root, path))
        elif resource in controllers.split(","):
            yield from ((1, folder) for folder in _along(f"{groups}/{resource}", path))


def _along(root: str, path: str) -> Iterator[str]:
    """Yield the folder of a group and of those around it, up to the root.

    In a container the path may be the one outside, which does not exist here; the group is then the root.
    """
    inner = path.strip("/")
    while inner:
        yield f"{root}/{inner}"
        inner = inner.rpartition("/")[0]
    yield root
