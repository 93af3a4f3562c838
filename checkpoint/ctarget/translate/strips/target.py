"""The vectors of this processor, as the target that the C of strips is compiled for.

In: /proc/cpuinfo, where there is one. Out: a pragma of GCC, which is part of a unit's text: so the cache
never gives the code of one processor to another. What always holds: without a pragma the C is right, too,
on the vectors that the compiler assumes (two doubles), and so it is for compilers that ignore the pragma.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_CPU = Path("/proc/cpuinfo")
_TARGETS = ("avx512f,avx512dq", "avx2")  # the widest first; machine/strips.h knows them


MOST_ARRAYS = 64  # of vectors of all chunks, in a file; they are on the stack of a thread, and in its cache
MOST_CHUNKS = 64  # bits of a set of chunks


def chunks(text: str) -> list[str]:
    """Return what has strips of more chunks than usual, if the functions of a file have few arrays."""
    return [f"#define CHUNKS {MOST_CHUNKS}"] if text.count("[CHUNKS") <= MOST_ARRAYS else []


def pragma() -> str:
    """Return the line that a file of strips begins with; "": none."""
    target = _widest()
    return f'#pragma GCC target("{target}")' if target else ""


@cache
def _widest() -> str:
    flags = _flags()
    return next((target for target in _TARGETS if set(target.split(",")) <= flags), "")


def _flags() -> set[str]:
    """Return what the processor can do, as Linux names it on x86."""
    try:
        lines = _CPU.read_text().splitlines()
    except OSError:
        return set()
    return next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), set())
