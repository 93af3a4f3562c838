"""Capsules and their cotangents as files, and as what `pickle` sends to other processes.

In: a capsule or a tangent or cotangent of one, and a path. Out: a file; or of a file the same again, in
whatever process, with the function whose run was interrupted. What always holds: loading a file imports
nothing and runs nothing of it, and a file that was changed is refused (checkpoint.durable.format).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from checkpoint.ad.values import Capsule, Opaque
from checkpoint.durable import capsules, cotangents, format
from checkpoint.durable.programs import is_of_users
from checkpoint.errors import DurableError

__all__ = ["load", "reduced", "save"]

_PICKLE = "the pickle"


def save(value: Capsule | Opaque, path: str | os.PathLike[str]) -> None:
    """Write a capsule, or a tangent or cotangent of one, to a file: see Capsule.save."""
    format.write(path, _written(value))


def _written(value: Capsule | Opaque) -> list[format.Buffer]:
    return cotangents.written(value) if isinstance(value, Opaque) else capsules.written(value)


def load(path: str | os.PathLike[str], f: Any, *, known: Sequence[Any] = (), anyway: bool = False) -> Any:
    """Return what a file holds: see checkpoint.api.files.load."""
    file = format.Opened(Path(path).read_bytes(), os.fspath(path))
    return _loaded(file, f, known, anyway=anyway)


def _loaded(file: format.Opened, f: Any, known: Sequence[Any], *, anyway: bool) -> Capsule | Opaque:
    if file.kind == format.COTANGENT:
        if not isinstance(f, Capsule):
            raise DurableError(
                f"{file.name} holds {format.KINDS[format.COTANGENT]}: pass its capsule, load(path, z), not a "
                f"{type(f).__name__}"
            )
        return cotangents.read(file, f, anyway=anyway)
    capsules.check_function(f, file)
    return capsules.read(file, capsules.Programs(f, known), anyway=anyway)


def reduced(value: Capsule | Opaque) -> tuple[Any, ...]:
    """Return what `pickle` writes for a capsule, with a reference to its function, or for a cotangent."""
    if isinstance(value, Opaque):
        return _cotangent, (b"".join(cotangents.written(value)),)
    by = getattr(value, "made_by", None)
    if by is None:
        raise DurableError(
            "only a capsule that `checkpoint.interrupt` returned for a Python function knows that function, "
            "and can be pickled: save this one, z.save(path), and load it with its function, "
            "checkpoint.load(path, f)"
        )
    known = (*filter(is_of_users, by.classes), *by.functions)
    return _capsule, (b"".join(capsules.written(value)), by.function, known)


def _capsule(data: bytes, f: Any, known: tuple[Any, ...]) -> Capsule | Opaque:
    """Return a capsule that was pickled."""
    return _loaded(format.Opened(data, _PICKLE), f, known, anyway=False)


def _cotangent(data: bytes) -> Opaque:
    """Return a cotangent that was pickled."""
    return cotangents.read(format.Opened(data, _PICKLE), None, anyway=False)
