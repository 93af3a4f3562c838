"""Capsules and cotangents as files: load, and `save` of both (checkpoint.ad.values.Durable)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from checkpoint.ad.values import Durable

__all__ = ["load"]


def _room() -> ModuleType:
    """Return the package that reads and writes files, which few programs need."""
    from checkpoint import durable  # noqa: PLC0415

    return durable


Durable.room = _room


def load(path: str | os.PathLike[str], f: Any, *, known: Sequence[Any] = (), anyway: bool = False) -> Any:
    """Return the capsule of a file that `z.save(path)` has written, or the cotangent of a capsule.

    The capsule continues as z does: `resume`, `primops`, `vjp` and `interrupt` give the same to the last
    bit, in another process, too. Loading runs no code of the file and imports nothing: the code is that of
    f, which is translated as for a call, and compared with what the file says. Hidden inputs come from the
    file. A checksum finds accidents; it is no signature, so load files of those alone whom you trust with
    your results.

    Args:
        path: the file.
        f: the function that was interrupted, of Python or of a `.vlad` program; for a cotangent its capsule.
        known: classes of objects in f's arguments that f's module does not name, and functions in them.
        anyway: go on where the file comes from a machine, or with packages, that may give other bits.

    Raises:
        DurableError: if the file is damaged, of another kind or version of format; if f is another function;
            if the cotangent is one of another capsule; if the file comes from where runs may have other bits.
        OSError: if the file cannot be read.

    Examples:
        >>> import tempfile
        >>> from checkpoint import interrupt, primops, resume
        >>> def power(x):
        ...     y = 1.0
        ...     for _ in range(10):
        ...         y *= x
        ...     return y
        >>> z = interrupt(power, 2.0, 20)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     z.save(f"{folder}/power.capsule")
        ...     again = load(f"{folder}/power.capsule", power)
        >>> resume(again), primops(resume, again) == primops(resume, z)
        (1024.0, True)
    """
    return _room().load(path, f, known=known, anyway=anyway)
