"""Hashes. Their module is loaded when something is hashed: it loads OpenSSL, 3 ms of an import."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b


def digest(data: bytes | memoryview = b"", *, size: int) -> blake2b:
    """Return a hash of so many bytes, of data and of what it is updated with."""
    from hashlib import blake2b  # noqa: PLC0415  # as the head of this file says

    return blake2b(data, digest_size=size)
