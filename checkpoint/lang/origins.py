"""The origins of runs: f's own code, what it closed over and the structure of x (checkpoint.ad.identity).

In: a procedure f and its argument x. Out: an Origin, which equals that of the same function at an argument of
the same structure, whatever program each of them is part of.

f's own code is its lambda and those that it reaches through letrecs. Two such texts are the same where they
differ in names of variables only: every front end numbers these, so that a name depends on what else is in
the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any
from zlib import crc32

from checkpoint import hashing
from checkpoint.ad.array_library import library_of, modes
from checkpoint.ad.arrays import Discrete
from checkpoint.ad.containers import Dict, Record
from checkpoint.ad.graph import ATOMS, numbers, parts_of
from checkpoint.ad.identity import Identity, Origin, identity_of
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.values import Capsule, Closure, Foreign, Opaque, Unusable, is_resume
from checkpoint.dataclass import dataclass
from checkpoint.lang.constants import constant_text
from checkpoint.lang.core import Const, Expr, If, Lambda, Prim, Var
from checkpoint.lang.walk import binders, preorder

SLICE = 1 << 15  # elements of an array that are hashed at once
_OBJECTS = frozenset((Foreign, Unusable))


class OwnCode:
    """The code of a procedure without the program around it, to be compared.

    lam: the procedure; None of one that is known by its digest alone. name: for messages.
    may_shift: whether functions of its program may shift.
    """

    __slots__ = ("_digest", "lam", "may_shift", "name")

    def __init__(self, lam: Lambda | None, name: str = "", digest: bytes | None = None) -> None:
        self.lam = lam
        self.may_shift = lam is not None and lam.may_shift
        self.name = name or (lam and lam.name) or "a procedure"
        self._digest = digest

    @property
    def digest(self) -> bytes:
        """Return a hash of the code, made when two lambdas are first compared."""
        if self._digest is None:
            assert self.lam is not None
            self._digest = _digest_of_code(self.lam)
        return self._digest

    def __eq__(self, other: object) -> bool:
        if type(other) is not OwnCode:
            return False
        return (self.lam is other.lam and self.lam is not None) or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


class Held:
    """An object of Python among values, which is compared as such. thing: None of one in another process.

    text: tells it from others there (checkpoint.lang.constants).
    """

    __slots__ = ("text", "thing")

    def __init__(self, text: str, thing: Any = None) -> None:
        self.text = text
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        if type(other) is not Held or self.text != other.text:
            return False
        return self.thing is None or other.thing is None or self.thing is other.thing

    def __hash__(self) -> int:
        return hash(self.text)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Values as a hash, and what a hash does not say: procedures, capsules and objects among them."""

    digest: bytes
    procedures: tuple[OwnCode, ...]
    capsules: tuple[Identity | None, ...]
    held: tuple[Held, ...] = ()


def origin_of(f: Any, x: Any) -> Origin | None:
    """Return the origin of the run of f at x; a capsule's rest has that of the capsule."""
    if is_resume(f):
        return x.origin if isinstance(x, Capsule) else None
    if type(f) is not Closure:
        return None
    inputs, shape = fingerprint(f.env, with_reals=True), fingerprint(x, with_reals=False)
    return Origin(OwnCode(f.lam), inputs, shape, modes())


def fingerprint(root: Any, with_reals: bool) -> Fingerprint:
    """Return a fingerprint of the structure of a value and of what has no derivative in it.

    with_reals: of the reals and the elements of arrays, too.
    """
    digest = hashing.digest(size=16)
    procedures: list[OwnCode] = []
    capsules: list[Identity | None] = []
    held: list[Held] = []
    seen: dict[int, int] = {}
    pending = [root]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind in NUMBERS:
            _add_number(digest, real_part(value), with_reals)
        elif kind in ATOMS:
            digest.update(_atom(value))
            if kind in _OBJECTS:
                held.append(Held(constant_text(value), value.value if kind is Foreign else value.thing))
        elif id(value) in seen:
            digest.update(b"again %d;" % seen[id(value)])
        else:
            seen[id(value)] = len(seen)
            if kind is Closure:
                procedures.append(OwnCode(value.lam))
            elif kind in (Capsule, Opaque):
                capsules.append(identity_of(value))
                digest.update(b"capsule;")
                pending.extend(reversed(numbers(value)))
                continue
            if kind is Discrete:
                _add_array(digest, value.data, True)
            else:
                digest.update(_head(value))
            pending.extend(reversed(parts_of(value)))
    return Fingerprint(digest.digest(), tuple(procedures), tuple(capsules), tuple(held))


def _add_number(digest: Any, value: Any, with_reals: bool) -> None:
    if type(value) is float:
        digest.update(b"real %s;" % value.hex().encode() if with_reals else b"real;")
    else:
        _add_array(digest, value.data, with_reals)


def _add_array(digest: Any, data: Any, with_elements: bool) -> None:
    digest.update(f"array {data.dtype} {tuple(data.shape)};".encode() if data is not None else b"no array;")
    if with_elements and data is not None:
        for part in _parts(data):  # no copy of a whole array
            digest.update(crc32(library_of(part).content(part)).to_bytes(4, "big"))


def _parts(data: Any) -> Iterator[Any]:
    """Divide an array along its first axis into parts of about SLICE elements."""
    if not data.ndim or prod(data.shape) <= SLICE:
        yield data
        return
    count = max(1, SLICE * len(data) // prod(data.shape))
    for start in range(0, len(data), count):
        yield data[start : start + count]


def _atom(value: Any) -> bytes:
    if type(value) is int:
        return b"int %x;" % value
    return f"{constant_text(value)};".encode("utf-8", "surrogatepass")


def _head(value: Any) -> bytes:
    """Return what is to be known of a container besides its parts."""
    kind = type(value)
    if kind is Record:
        return _atom(value.layout) + b"%d;" % len(value.items)
    names = f" {list(value.items)!r}" if kind is Dict else ""
    return f"{kind.__name__} {len(parts_of(value))}{names};".encode()


def _digest_of_code(lam: Lambda) -> bytes:
    """Return a hash of a lambda and of those that it reaches by letrecs; names are numbered as they come."""
    digest = hashing.digest(size=16)
    ordinals: dict[str, int] = {}
    definitions = lam.definitions
    pending = [lam]
    met = {lam}
    while pending:
        for expr in preorder(pending.pop()):
            names = (expr.name,) if isinstance(expr, Var) else binders(expr)
            numbered = [ordinals.setdefault(name, len(ordinals)) for name in names]
            digest.update(f"{type(expr).__name__} {numbered} {_detail(expr)};".encode())
            other = definitions.get(expr.name) if isinstance(expr, Var) else None
            if other is not None and other not in met:
                met.add(other)
                pending.append(other)
    return digest.digest()


def _detail(expr: Expr) -> str:
    if isinstance(expr, Prim):
        return f"{expr.op} {len(expr.args)}"
    if not isinstance(expr, Const):
        return "" if isinstance(expr, If) else str(len(getattr(expr, "args", ())))
    found = fingerprint(expr.value, with_reals=True)
    return found.digest.hex()
