"""Workers that run functions for a caller: on threads, or in processes of this machine.

    Threads      in this process: nothing is copied, and what runs in C runs at the same time
    Processes    in processes of their own, for programs that spend their time in Python

`checkpoint.mapped` and `checkpoint.summed` take them as `workers=`. A back end is one class that has the five
verbs of `checkpoint.workers.protocol`.
"""

from checkpoint.workers.processes import Processes
from checkpoint.workers.protocol import Workers
from checkpoint.workers.threads import Threads

__all__ = ["Processes", "Threads", "Workers"]
