"""The functions of re that may call a function: `re.sub` and `re.subn`, also as methods of patterns.

They are written in the language that is translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


def sub_(pattern: Any, repl: Any, string: Any, count: Any = 0, flags: Any = 0) -> Any:
    """See re.sub."""
    return subn_(pattern, repl, string, count, flags)[0]


def subn_(pattern: Any, repl: Any, string: Any, count: Any = 0, flags: Any = 0) -> Any:
    """See re.subn."""
    if not callable(repl):
        return prim("py.standard", "re.subn", pattern, repl, string, count, flags)
    pieces: Any = []
    at, made = 0, 0
    for found in re.finditer(pattern, string, flags):
        if 0 < count <= made:
            break
        if at < found.start():
            pieces.append(string[at : found.start()])
        piece = repl(found)
        if piece is not None:
            pieces.append(piece)
        at = found.end()
        made += 1
    if at < len(string):
        pieces.append(string[at:])
    return (string[:0].join(pieces), made)


def method_sub(x: Any, *args: Any, **keywords: Any) -> Any:
    """See re.Pattern.sub; of other objects the method that Python calls."""
    if len(args) > 0 and callable(args[0]):
        return subn_(x, *args, **keywords)[0]
    return prim("py.text-call", x, "sub", args, keywords)


def method_subn(x: Any, *args: Any, **keywords: Any) -> Any:
    """See re.Pattern.subn."""
    if len(args) > 0 and callable(args[0]):
        return subn_(x, *args, **keywords)
    return prim("py.text-call", x, "subn", args, keywords)


FUNCTIONS: dict[Any, Callable[..., Any]] = {re.sub: sub_, re.subn: subn_}
METHODS: dict[str, Callable[..., Any]] = {"sub": method_sub, "subn": method_subn}
