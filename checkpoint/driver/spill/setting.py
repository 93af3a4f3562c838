"""The folder to which states may be spilled, as a user names it, and how many bytes of it.

In: `spill` as users give it. Out: a Spill. A folder that is in memory itself (tmpfs, ramfs) is of no use,
since what lies there would count as memory; the system says which are.
"""

from __future__ import annotations

import os

from checkpoint import config
from checkpoint.control_groups import Folder
from checkpoint.dataclass import dataclass
from checkpoint.errors import RunError

IN_MEMORY = frozenset(("tmpfs", "ramfs", "devtmpfs"))
UNBOUNDED = 1 << 62


@dataclass(frozen=True)
class Spill:
    """A folder on a disk, in which a gradient may keep states that outgrow its memory.

    Its file there has no name, so nothing is left behind, however the process ends.

    Args:
        folder: an existing folder on a disk that is faster than running steps again.
        size: how many bytes it may take there: an int, or a text such as "100GiB"; None: any number.

    Raises:
        RunError: where there is no such folder, or the size means nothing.

    Examples:
        >>> Spill(".", "100GiB").bytes == 100 * 2**30
        True
    """

    folder: Folder
    size: int | str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.folder, str | os.PathLike):
            raise RunError(f"spill is a folder, or Spill(folder, size), not {self.folder!r}")
        if not os.path.isdir(self.folder):
            raise RunError(f"spill={os.fspath(self.folder)!r}: there is no such folder; make it first")
        if self.size is not None and (isinstance(self.size, bool) or self._size() < 1):
            raise RunError(
                f"the size of Spill is {self.size!r}: write bytes as an int, or a text such as '100GiB'"
            )

    def _size(self) -> int:
        found = config.size(self.size) if isinstance(self.size, str) else self.size
        return found if isinstance(found, int) else 0

    @property
    def bytes(self) -> int:
        """Return how many bytes it may take at most."""
        return UNBOUNDED if self.size is None else self._size()


SpillOption = Spill | Folder | None


def spill_of(spill: SpillOption) -> Spill | None:
    """Return what a user means by `spill`; RunError where it means nothing."""
    return spill if spill is None or isinstance(spill, Spill) else Spill(spill)


def kind_of_files(folder: Folder, mounts: Folder = "/proc/self/mountinfo") -> str:
    """Return the name of the file system that a folder is on, as the system says; "" where it does not.

    mounts: where the system lists them: the third field has the device, the first after "-" the name.
    """
    device = os.stat(folder).st_dev
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return ""
    here = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        left, _, right = line.partition(" - ")
        if left.split()[2] == here:
            return right.split()[0]
    return ""
