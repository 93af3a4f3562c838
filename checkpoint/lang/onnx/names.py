"""Names of values of a graph as Python's: identifiers, each of one value."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable


class Names:
    """Gives out identifiers that nothing else has. taken: what is named already."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def fresh(self, name: str) -> str:
        """Return an identifier like a name."""
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "value"
        if plain[0].isdigit() or keyword.iskeyword(plain) or keyword.issoftkeyword(plain):
            plain = f"v{plain}" if plain[0].isdigit() else f"{plain}_"
        found, count = plain, 1
        while found in self._taken:
            count += 1
            found = f"{plain}_{count}"
        self._taken.add(found)
        return found
