"""Workers that run functions for a caller: on threads, in processes of this machine, or on a cluster.

    Threads      in this process: nothing is copied, and what runs in C runs at the same time
    Processes    in processes of their own, for programs that spend their time in Python
    Ray          tasks of Ray, on this machine or a cluster
    Dask         tasks of Dask, likewise

`checkpoint.mapped` and `checkpoint.summed` take them as `workers=`. A back end is one class that has the
verbs of `checkpoint.workers.protocol`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint.workers.protocol import Workers
from checkpoint.workers.threads import Threads

if TYPE_CHECKING:
    from checkpoint.workers.dask import Dask
    from checkpoint.workers.processes import Processes
    from checkpoint.workers.ray import Ray

__all__ = ["Dask", "Processes", "Ray", "Threads", "Workers"]


def __getattr__(name: str) -> Any:
    """Import what is sent as bytes where it is first used: `import checkpoint` is to be quick."""
    if name == "Dask":
        from checkpoint.workers.dask import Dask  # noqa: PLC0415

        return Dask
    if name == "Processes":
        from checkpoint.workers.processes import Processes  # noqa: PLC0415

        return Processes
    if name == "Ray":
        from checkpoint.workers.ray import Ray  # noqa: PLC0415

        return Ray
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
