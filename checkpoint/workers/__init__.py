"""Workers that run functions for a caller: on threads, in processes of this machine, or on a cluster.

    Threads      in this process: nothing is copied, and what runs in C runs at the same time
    Processes    in processes of their own, for programs that spend their time in Python
    Ray          tasks of Ray, on this machine or a cluster
    Dask         tasks of Dask, likewise

`checkpoint.mapped` and `checkpoint.summed` take them as `workers=`. A back end is one class that has the
verbs of `checkpoint.workers.protocol`.
"""

from checkpoint.workers.dask import Dask
from checkpoint.workers.processes import Processes
from checkpoint.workers.protocol import Workers
from checkpoint.workers.ray import Ray
from checkpoint.workers.threads import Threads

__all__ = ["Dask", "Processes", "Ray", "Threads", "Workers"]
