"""Say why the text of a function is not known, and what to do about it.

In: the function or its code object. Out: the message of the SourceError.
"""

from __future__ import annotations

from types import CodeType

from checkpoint.ad.attributes import stored


def described(code: CodeType) -> str:
    """Return the name and the place of some code."""
    return f"{code.co_qualname} ({code.co_filename}:{code.co_firstlineno})"


def written_in_c(thing: object) -> str:
    """Return the message for what is no function written in Python."""
    if not callable(thing):
        return f"{thing!r} is not a function"
    name = stored(thing, "__qualname__") or f"{type(thing).__name__}(...)"
    module = stored(thing, "__module__")
    shown = f"{module}.{name}" if module and module != "builtins" else name
    return (
        f"{shown} is not a function written in Python, so it has no text to differentiate: "
        f"give it a derivative with checkpoint.primitive({shown}, vjp=..., jvp=...)"
    )


def without_text(code: CodeType) -> str:
    """Return the message for code whose text is not available."""
    return (
        f"the text of {described(code)} is not available, so it cannot be differentiated: define it in a "
        f"file or in a notebook cell. Code that exec or eval runs needs its text in linecache: "
        f"linecache.cache[name] = (len(text), None, text.splitlines(True), name), and "
        f"exec(compile(text, name, 'exec')) with the same name"
    )


def changed(code: CodeType, name: str) -> str:
    """Return the message for code that no known text of its file gives; name: that of the file."""
    return (
        f"the text of {described(code)} has changed since the function was made, so it no longer says what "
        f"the function does: import {name} anew (importlib.reload, or restart Python)"
    )
