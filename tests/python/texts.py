"""Functions from texts that stand in no file, as a notebook's cells do."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from itertools import count
from typing import Any

from checkpoint.functions.python_functions import result, run_of

_numbers = count(1)


def defined(text: str, **names: Any) -> dict[str, Any]:
    """What a text defines; its name is `__file__`."""
    name = f"<text {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = {"__name__": "texts", "__file__": name, **names}
    exec(compile(text, name, "exec", dont_inherit=True), module)
    return module


def run(f: Callable[..., Any], *args: Any, engine: str | None = None) -> Any:
    """The value of a function, by an engine."""
    call = run_of(f, args, {}, engine)
    return result(call.value(), call.engine)
