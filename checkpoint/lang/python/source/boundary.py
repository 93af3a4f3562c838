"""Which functions are the user's own code, and are translated when they are called.

A function of the standard library, or of an installed package, is not: its text may be anything, and its
users mean it as a whole. `CHECKPOINT_CONVERT` names packages that are translated nevertheless.
"""

from __future__ import annotations

import sysconfig
from functools import cache
from typing import Any

from checkpoint import config


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_allowed(function: Any) -> bool:
    """Whether a function is translated."""
    module = str(function.__module__ or "")
    if module.startswith("checkpoint.lang.python.library.") or module == "tensorlib.functional":
        return True
    if module.partition(".")[0] in config.current().convert:
        return True
    file = function.__code__.co_filename
    return not any(file.startswith((path + "/", path + "\\")) for path in _installed())
