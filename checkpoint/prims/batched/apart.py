"""The step that reports why the lanes of `vmap(f, exact=False)` run one after another.

In: f, and the exception that its batched form has raised, as a handler receives it. Out: None, and a
LanesWarning at the place of f. It comes once for a function and a reason, however often a run is repeated or
recomputed.
"""

from __future__ import annotations

import warnings
from typing import Any

from checkpoint.ad.containers import Record
from checkpoint.ad.values import Closure
from checkpoint.errors import LanesWarning
from checkpoint.prims.batched.program import NoForm
from checkpoint.prims.python.native import class_name, class_of
from checkpoint.prims.python.support import operator

_warned: set[tuple[str, str]] = set()  # places of functions, and the reasons that were reported


def _lanes_apart(_: Any, f: Any, error: Any) -> None:
    if type(f) is not Closure:
        return  # of a library, or a class: there is no text of the user's to be changed
    place, reason = f.lam.span, _reason(error)
    if (str(place), reason) in _warned:
        return
    _warned.add((str(place), reason))
    message = (
        f"the lanes of vmap({f.lam.name or 'f'}, exact=False) run one after another: {reason}. "
        f"docs/guide/lanes.md says what runs together; without exact=False lanes run so, without a warning"
    )
    warnings.warn_explicit(LanesWarning(message), None, place.source.name, place.line)


def _reason(error: Any) -> str:
    """Return why a batched form failed, in words."""
    args = error.items[0] if type(error) is Record and error.items else None
    texts = [item for item in args.items if type(item) is str] if type(args) is Record else []
    if class_of(error) is NoForm and texts:
        return texts[0].removeprefix("py.")
    return f"their batched form raises {class_name(error)}" + (f", {texts[0]}" if texts else "")


operator(
    "lanes-apart", 2, "None; warns that lanes run one after another", _lanes_apart, "none: it gives None"
)
