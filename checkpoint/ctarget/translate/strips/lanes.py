"""Operations that one lane after another does: the text of one lane, in a loop over the lanes of a mask.

In: statements on numbers of one lane. Out: statements in which names that are vectors outside are numbers
of the lane. What always holds: only lanes of the mask are touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from checkpoint.ctarget.translate.ops.places import C_TYPES, Kind

Variable = tuple[str, Kind]
_CALL = re.compile(r"\w\(")


def in_lanes(
    mask: str, reads: Iterable[Variable], sets: Sequence[Variable], lines: Sequence[str]
) -> list[str]:
    """Return the loop. reads, sets: vectors by their names; lines: what is done for one lane."""
    used = set(re.findall(r"\w+", "\n".join(lines)))
    reads = [(name, kind) for name, kind in dict.fromkeys(reads) if name in used]
    return [
        f"FOR_LANES(k, {mask}) {{",
        *[f"    const {C_TYPES[kind]} of_{name} = {_element(name, kind)};" for name, kind in reads],
        *[f"    {C_TYPES[kind]} of_{name};" for name, kind in sets],
        "    {",
        *[f"        const {C_TYPES[kind]} {name} = of_{name};" for name, kind in reads],
        *[f"        {C_TYPES[kind]} {name};" for name, kind in sets],
        *(["        CLEAN_VECTORS();"] if any(map(_CALL.search, lines)) else []),
        *[f"        {line}" for line in lines],
        *[f"        of_{name} = {name};" for name, kind in sets],
        "    }",
        *[f"    {_stored(name, kind)}" for name, kind in sets],
        "}",
    ]


def _element(name: str, kind: Kind) -> str:
    return f"is_in({name}, (int)k)" if kind == "boolean" else f"{name}[k]"


def _stored(name: str, kind: Kind) -> str:
    return f"set_lane(&{name}, (int)k, of_{name});" if kind == "boolean" else f"{name}[k] = of_{name};"
