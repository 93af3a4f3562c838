"""Identities of capsules (checkpoint.ad.identity) as bytes, and back: hashes, equal in all processes.

What is read has no lambdas and objects, only their hashes and texts; it compares as what was written does.
"""

from __future__ import annotations

from checkpoint.ad.identity import Identity, Origin
from checkpoint.durable.stream import Reader, Writer
from checkpoint.errors import DurableError
from checkpoint.lang.origins import Fingerprint, Held, OwnCode

_DEEPEST = 50  # capsules within the arguments of capsules


def write_origin(to: Writer, origin: Origin | None, depth: int = 0) -> None:
    """Write the origin of a run, or that there is none."""
    if depth > _DEEPEST:
        raise DurableError(
            f"capsules in arguments of capsules, more than {_DEEPEST} deep, have no place in a file"
        )
    to.u8(origin is not None)
    if origin is None:
        return
    _write_code(to, origin.code)
    for fingerprint in (origin.inputs, origin.shape):
        _write_fingerprint(to, fingerprint, depth)
    to.u32(len(origin.modes))
    for mode in origin.modes:
        to.text(mode)


def write_identity(to: Writer, identity: Identity | None, depth: int = 0) -> None:
    """Write the identity of a capsule, or that there is none."""
    to.u8(identity is not None)
    if identity is not None:
        write_origin(to, identity.origin, depth)
        to.i64(identity.steps)
        to.i64(identity.place)
        to.text(identity.points)
        to.text(identity.engine)


def _write_code(to: Writer, code: OwnCode) -> None:
    to.text(code.name)
    to.block(code.digest)


def _write_fingerprint(to: Writer, fingerprint: Fingerprint, depth: int) -> None:
    to.block(fingerprint.digest)
    to.u32(len(fingerprint.procedures))
    for code in fingerprint.procedures:
        _write_code(to, code)
    to.u32(len(fingerprint.capsules))
    for identity in fingerprint.capsules:
        write_identity(to, identity, depth + 1)
    to.u32(len(fingerprint.held))
    for held in fingerprint.held:
        to.text(held.text)


def read_origin(reader: Reader, depth: int = 0) -> Origin | None:
    """Read the origin of a run; None where it has none."""
    if depth > _DEEPEST:
        raise reader.damaged()
    if not reader.u8():
        return None
    code = _read_code(reader)
    inputs, shape = _read_fingerprint(reader, depth), _read_fingerprint(reader, depth)
    return Origin(code, inputs, shape, tuple([reader.text() for _ in range(reader.count(4))]))


def read_identity(reader: Reader, depth: int = 0) -> Identity | None:
    """Read the identity of a capsule; None where it has none."""
    if not reader.u8():
        return None
    origin = read_origin(reader, depth)
    return Identity(origin, reader.i64(), reader.i64(), reader.text(), reader.text())


def _read_code(reader: Reader) -> OwnCode:
    return OwnCode(None, reader.text(), reader.block())


def _read_fingerprint(reader: Reader, depth: int) -> Fingerprint:
    digest = reader.block()
    procedures = tuple([_read_code(reader) for _ in range(reader.count(8))])
    capsules = tuple([read_identity(reader, depth + 1) for _ in range(reader.count())])
    return Fingerprint(
        digest, procedures, capsules, tuple([Held(reader.text()) for _ in range(reader.count(4))])
    )
