"""The identity of a call: all that decides the bits of its gradient, and how two that differ are told apart.

In: a call of the interface, entered, and its options. Out: pairs of a name, for messages, and a text, equal
in all processes for equal ones. The machine is among them (checkpoint.durable.machine); the memory and the
schedule are not, nor is the engine, for they change no bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from checkpoint.ad.values import Closure
from checkpoint.durable import machine
from checkpoint.durable.identities import write_identity
from checkpoint.durable.journal.contents import Payload
from checkpoint.durable.stream import Writer
from checkpoint.errors import DurableError
from checkpoint.functions.interface import Call
from checkpoint.lang.constants import qualified
from checkpoint.lang.origins import Fingerprint, OwnCode, fingerprint

Identity = dict[str, str]


def identity_of(call: Call, function: Any, options: Mapping[str, Any]) -> Identity:
    """Return the identity of a call. function: what is called. options: those that change the result."""
    f = call.run.u.car
    found = {"the function": f"{_name(function)} {_code(f)}"}
    if type(f) is Closure:
        found["what the function reads from its surroundings"] = _values(f.env)
    for i, part in enumerate(call.parts):
        found[f"argument {i}"] = _values(part)
    found["the sharing among arguments"] = _values(call.run.u.cdr)
    for name, value in options.items():
        found[name] = value if type(value) is str else _values(value)
    return found


def _name(function: Any) -> str:
    closure = getattr(function, "closure", None)
    return qualified(function) if type(closure) is not Closure else closure.lam.name or "a procedure"


def _code(f: Any) -> str:
    return OwnCode(f.lam).digest.hex() if type(f) is Closure else ""


def _values(value: Any) -> str:
    return _digest(fingerprint(value, with_reals=True))


def _digest(found: Fingerprint) -> str:
    to = Writer()
    for identity in found.capsules:
        write_identity(to, identity)
    for held in found.held:
        to.text(held.text)
    codes = b"".join([code.digest for code in found.procedures])
    return blake2b(found.digest + codes + to.data, digest_size=16).hexdigest()


def written(identity: Identity) -> bytes:
    """Return an identity, and the machine, as bytes."""
    to = Writer()
    for facts in (machine.facts(), identity):
        to.u32(len(facts))
        for key, value in facts.items():
            to.text(key)
            to.text(value)
    return bytes(to.data)


def read(data: bytes, name: str) -> tuple[machine.Facts, Identity]:
    """Return what `written` has written."""
    payload = Payload(data, name)
    facts, identity = [{payload.text(): payload.text() for _ in range(payload.count(8))} for _ in range(2)]
    return facts, identity


def check(data: bytes, identity: Identity, name: str) -> None:
    """Raise DurableError, with what differs, unless a journal is that of this call on this machine."""
    facts, other = read(data, name)
    here = machine.facts()
    differing = [
        f"{key} ({value or 'none'} there, {here[key] or 'none'} here)"
        for key, value in facts.items()
        if key in here and here[key] != value
    ]
    if differing:
        raise DurableError(
            f"{name} was begun where a run may have other bits: {'; '.join(differing)}. Go on there, or "
            "begin in another directory"
        )
    for key in {**other, **identity}:
        if other.get(key) != identity.get(key):
            raise DurableError(
                f"{name} is the journal of another call: {key} differs. A directory holds one call: go on "
                "with that one, or give this one another directory"
            )
