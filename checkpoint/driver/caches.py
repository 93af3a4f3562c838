"""The caches of the processor: how much a tape may hold and yet stay in one.

In: what Linux says of the first processor; elsewhere a usual size is assumed.
"""

from __future__ import annotations

from functools import cache

from checkpoint.control_groups import text_of

USUAL = 512 * 2**10  # bytes
LEAST, MOST = 256 * 2**10, 2 * 2**20  # what is believed
_UNITS = {"K": 2**10, "M": 2**20}


@cache
def second_level() -> int:
    """Return the bytes of the second-level cache of a processor."""
    text = text_of("/sys/devices/system/cpu/cpu0/cache/index2/size").strip()
    try:
        bytes = int(text.rstrip("KM")) * _UNITS.get(text[-1:], 1)
    except ValueError:
        return USUAL
    return min(max(bytes, LEAST), MOST)
