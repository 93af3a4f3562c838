"""Compilers of units may take an hour: for builds with sanitizers, whose units are several times as large.

In: nothing; pytest loads this as a plugin (`-p tests.hostile.patience`), allocations.py imports it. Out: the
limit of checkpoint/ctarget/translate/compile/processes.py is raised in this process, so that no test fails
because the machine is loaded.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.compile import processes

processes.COMPILE_SECONDS = 3600.0
