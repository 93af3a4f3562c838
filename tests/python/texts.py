"""Functions from texts that are in no file, like those of notebook cells."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from itertools import count
from typing import Any

from checkpoint.functions.python_functions import result, run_of

_numbers = count(1)


def defined(text: str, **names: Any) -> dict[str, Any]:
    """Return the names that a text defines; the name of the text is `__file__`."""
    name = f"<text {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = {"__name__": "texts", "__file__": name, **names}
    exec(compile(text, name, "exec", dont_inherit=True), module)
    return module


def run(f: Callable[..., Any], *args: Any, engine: str | None = None) -> Any:
    """Return the value of a function, by an engine."""
    call = run_of(f, args, {}, engine)
    return result(call.value(), call.engine)
