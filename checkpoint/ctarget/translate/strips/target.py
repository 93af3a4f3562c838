"""The vectors of this processor, as the target that the C of units is compiled for.

In: /proc/cpuinfo, where there is one. Out: a pragma of GCC, which is part of a unit's text: so the cache
never gives the code of one processor to another. What always holds: without a pragma the C is right, too,
on the vectors that the compiler assumes (two doubles), and so it is for compilers that ignore the pragma.
No target has fused multiply-adds, and bits are the same.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_CPU = Path("/proc/cpuinfo")
_TARGETS = ("avx512f,avx512dq", "avx2")  # the widest first; machine/strips.h knows them
_OF_SCALARS = "avx2"  # instructions with a result apart from their operands: loops have fewer moves

MOST_ARRAYS = 64  # of vectors of all chunks, in a file; they are on the stack of a thread, and in its cache
FEW_ARRAYS = 16  # of which twice as many vectors are as quickly reached
MOST_CHUNKS = 64  # bits of a word


def chunks(text: str, is_taped: bool) -> list[str]:
    """Return what has strips of more chunks than usual, if the functions of a file have few arrays.

    Two words are a set of chunks where strips need no tape, which has room for few chunks anyway: the more
    lanes there are beside the longest one, the fewer turns it makes alone.
    """
    arrays = text.count("[CHUNKS")
    if arrays > MOST_ARRAYS:
        return []
    if is_taped or arrays > FEW_ARRAYS:
        return [f"#define CHUNKS {MOST_CHUNKS}"]
    wide, narrow = f"#define CHUNKS {2 * MOST_CHUNKS}", f"#define CHUNKS {MOST_CHUNKS}"
    return ["#ifdef __SIZEOF_INT128__", wide, "#else", narrow, "#endif"]


def pragma() -> str:
    """Return the line that a file of strips begins with; "": none."""
    return _line(_widest())


@cache
def pragma_of_scalars() -> str:
    """Return the line that a file without strips begins with; "": none."""
    return _line(_OF_SCALARS if _OF_SCALARS in _flags() else "")


def _line(target: str) -> str:
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
