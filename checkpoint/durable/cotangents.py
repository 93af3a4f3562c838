"""A tangent or cotangent of a capsule as the bytes of a file, and back.

In: an Opaque. Out: the parts of a file of its own kind, which holds what is not zero: of a capsule with a
hundred weights that its rest does not touch, a few hundred bytes. It is bound to the identity of its capsule
(checkpoint.ad.identity): the function, its hidden inputs, the structure of its argument, the step and the
place.

    ORIGIN      the machine that wrote it
    COTANGENT   the identity; runs of locations of one form (a real, or library, dtype and shape); then each
                number that is not zero, after its location
    BUFFERS     the arrays among these
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from hashlib import blake2b
from itertools import groupby
from operator import lt
from typing import Any

from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, Memory
from checkpoint.ad.identity import descriptions, identity_of
from checkpoint.ad.values import Capsule, Opaque
from checkpoint.durable import machine
from checkpoint.durable.buffers import DTYPES, NUMPY, TORCH, Arrays, Buffers, library
from checkpoint.durable.capsules import read_facts, write_facts
from checkpoint.durable.format import COTANGENT, Buffer, Opened, packed
from checkpoint.durable.identities import read_identity, write_identity
from checkpoint.durable.stream import Reader, Writer
from checkpoint.errors import DurableError

Form = tuple[Any, ...]  # () of a real; else library, dtype, shape
_REAL: Form = ()
_FLOAT = frozenset((float,))
_PAIR = 16  # bytes of a real after its location
_MOST_AXES = 64
_NAMES = [name for name, _ in DTYPES]


def written(opaque: Opaque) -> list[Buffer]:
    """Return the parts of a cotangent's file; DurableError where it is none of a capsule."""
    if opaque.identity is None:
        raise DurableError(
            "the tangent or cotangent of a procedure cannot be saved or pickled, that of a capsule can: save "
            "the numbers that the procedure is made of"
        )
    origin = Writer()
    write_facts(origin)
    to, buffers = _numbers(opaque)
    sections = {"ORIGIN": [origin.data], "COTANGENT": [to.data], "BUFFERS": buffers.written()}
    return packed(COTANGENT, sections)


def digest(opaque: Opaque) -> bytes:
    """Return a hash of all bits of a cotangent of a capsule, whichever machine has computed it."""
    to, buffers = _numbers(opaque)
    found = blake2b(to.data, digest_size=16)
    for buffer in buffers.written():
        found.update(buffer)
    return found.digest()


def _numbers(opaque: Opaque) -> tuple[Writer, Buffers]:
    """Return the identity and the numbers of a cotangent as bytes, and the arrays among these."""
    to, buffers = Writer(), Buffers()
    write_identity(to, opaque.identity)
    if opaque.numbers and _FLOAT.issuperset(map(type, opaque.numbers)):
        _write_reals(to, opaque.numbers)
    else:
        _write_numbers(to, opaque.numbers, buffers)
    return to, buffers


def _write_numbers(to: Writer, numbers: Sequence[Any], buffers: Buffers) -> None:
    runs = [(form, len(list(group))) for form, group in groupby(map(_form, numbers))]
    to.u32(len(runs))
    for form, count in runs:
        _write_form(to, form)
        to.i64(count)
    kept = [(i, number) for i, number in enumerate(numbers) if not _is_zero(number)]
    to.u32(len(kept))
    for i, number in kept:
        to.i64(i)
        if type(number) is float:
            to.real(number)
        else:
            to.u32(buffers.add(number.data))


def _write_reals(to: Writer, numbers: Sequence[float]) -> None:
    """Write what `_write_numbers` does for reals alone: many are written at once."""
    to.u32(1)
    _write_form(to, _REAL)
    to.i64(len(numbers))
    words = memoryview(array("d", numbers)).cast("B").cast("q")
    kept = [i for i, word in enumerate(words) if word]  # the word of 0.0 is 0, that of -0.0 is not
    to.u32(len(kept))
    pairs = array("q", bytes(_PAIR * len(kept)))
    pairs[0::2] = array("q", kept)
    pairs[1::2] = array("q", map(words.__getitem__, kept))
    to.column("q", pairs)


def _is_zero(number: Any) -> bool:
    """Return whether a number is what is found where nothing is written."""
    if type(number) is float:
        return number == 0.0 and math.copysign(1.0, number) > 0.0
    return number.memory.owner is SYMBOLIC_ZERO


def _form(number: Any) -> Form:
    if type(number) is float:
        return _REAL
    if type(number) is not Array:
        raise DurableError(
            "a cotangent that carries derivatives itself cannot be saved: save it outside of these"
        )
    data = number.data
    name = str(data.dtype).removeprefix("torch.")
    if name not in _NAMES:
        raise DurableError(f"a cotangent of {data.dtype} has no place in a file")
    is_tensor = type(data).__module__.partition(".")[0] == "torch"
    return TORCH if is_tensor else NUMPY, _NAMES.index(name), tuple(data.shape)


def _write_form(to: Writer, form: Form) -> None:
    to.u8(len(form))
    if form:
        kind, dtype, shape = form
        to.u8(kind)
        to.u8(dtype)
        to.u8(len(shape))
        to.column("q", shape)


def _read_form(reader: Reader) -> Form:
    if not reader.u8():
        return _REAL
    kind, dtype, axes = reader.u8(), reader.u8(), reader.u8()
    shape = tuple(reader.column("q", axes))
    if kind not in (NUMPY, TORCH) or dtype >= len(DTYPES) or axes > _MOST_AXES or any(n < 0 for n in shape):
        raise reader.damaged()
    return kind, dtype, shape


def read(file: Opened, z: Capsule | None, *, anyway: bool) -> Opaque:
    """Return the cotangent of a file; DurableError where it is none of the capsule z, if that is given."""
    origin, reader = Reader(file, "ORIGIN"), Reader(file, "COTANGENT")
    written_on = read_facts(origin)
    origin.end()
    identity = read_identity(reader)
    if identity is None:
        raise reader.damaged()
    if z is not None and identity_of(z) != identity:
        wanted, found = descriptions(identity_of(z), identity)
        raise DurableError(f"{file.name} holds {found}, and the capsule wants {wanted}: pass its own capsule")
    machine.check(written_on, file.name, anyway=anyway)
    runs = [(_read_form(reader), reader.i64()) for _ in range(reader.count(9))]
    numbers = _zeros(runs, reader)
    _fill(numbers, _forms(runs), reader, Arrays(file))
    reader.end()
    return Opaque(tuple(numbers), identity)


def _forms(runs: Sequence[tuple[Form, int]]) -> list[Form]:
    """Return the form of each location."""
    forms: list[Form] = []
    for form, count in runs:
        forms += [form] * count
    return forms


def _zeros(runs: Sequence[tuple[Form, int]], reader: Reader) -> list[Any]:
    """Return a zero for each location: of arrays one that takes no room, whatever its shape."""
    limit = 4 * len(reader.data)  # of locations in all
    numbers: list[Any] = []
    for form, count in runs:
        if not 0 < count <= limit - len(numbers):
            raise reader.damaged()
        numbers += [0.0] * count if form is _REAL else [_zero(form, reader) for _ in range(count)]
    return numbers


def _zero(form: Form, reader: Reader) -> Array:
    kind, dtype, shape = form
    name = DTYPES[dtype][0]
    try:
        if kind == TORCH:
            torch = library("torch")
            data = torch.zeros((), dtype=getattr(torch, name)).expand(shape)
        else:
            np = library("numpy")
            data = np.broadcast_to(np.zeros((), name), shape)
    except (ValueError, TypeError, RuntimeError):  # more elements than there can be
        raise reader.damaged() from None
    return Array(data, Memory(SYMBOLIC_ZERO))


def _fill(numbers: list[Any], forms: list[Form], reader: Reader, arrays: Arrays) -> None:
    """Read the numbers that are not zero into their places."""
    count, before = reader.count(12), -1
    if _FLOAT.issuperset(map(type, numbers)):
        _fill_reals(numbers, reader, count)
        return
    for _ in range(count):
        at = reader.i64()
        if not before < at < len(numbers):
            raise reader.damaged()
        if forms[at] is _REAL:
            numbers[at] = reader.real()
        else:
            number = Array(arrays.array(reader.below(len(arrays))), Memory())
            if _form(number) != forms[at]:
                raise reader.damaged()
            numbers[at] = number
        before = at


def _fill_reals(numbers: list[Any], reader: Reader, count: int) -> None:
    """Do what `_fill` does where all numbers are reals."""
    pairs = reader.numbers("q", 2 * count)
    places, reals = pairs[0::2].tolist(), memoryview(pairs[1::2]).cast("B").cast("d").tolist()
    if places and not (places[0] >= 0 and places[-1] < len(numbers) and all(map(lt, places, places[1:]))):
        raise reader.damaged()
    if count == len(numbers):
        numbers[:] = reals
        return
    for at, real in zip(places, reals, strict=True):
        numbers[at] = real
