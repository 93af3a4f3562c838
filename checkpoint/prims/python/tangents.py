"""Tangents and cotangents as users of Python write them: pytrees of the shape of the primal value.

In: a value of the language, and a Python nest. Out: a tangent of that value (checkpoint.ad.tangent). A
real has a real, and an int is taken for one; everything that is no real has None; a part that holds no
real at all may have None as a whole. Another shape is a RunError that names the place as Python would
write it: ybar[0]['a'].b. Nothing here recurses.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.array_library import dtype_kind, libraries, namespace_of
from checkpoint.ad.arrays import Array, Discrete, Memory, described
from checkpoint.ad.containers import CONTAINERS, ITEMS, Dict, List, Record
from checkpoint.ad.graph import NON_DIFFERENTIABLE, numbers, transform
from checkpoint.ad.identity import identity_of
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.storage import check_settled
from checkpoint.ad.tangent import tangent_of, zeros_of
from checkpoint.ad.values import Capsule, Closure, Opaque
from checkpoint.ad.walk import DESCEND, Branch, fold
from checkpoint.errors import RunError, an
from checkpoint.lang.python.library.complex_numbers import Complex
from checkpoint.lang.python.library.stand_ins import BY_STAND_IN, ITERATORS
from checkpoint.lang.python.library.standard.containers import Deque
from checkpoint.lang.python.library.standard.keyed import KeyedDict
from checkpoint.lang.python.source.plain_objects import items_of
from checkpoint.prims.python.native import class_of
from checkpoint.prims.python.support import is_object

Path = tuple[Any, str]  # the path of the whole, and the step from it; the outermost is (None, its name)


def written(path: Path | None) -> str:
    """Return a path as Python would write it."""
    steps = []
    while path is not None:
        path, step = path
        steps.append(step)
    return "".join(reversed(steps))


def is_complex(value: Any) -> bool:
    """Return whether a value is a complex number of Python's, not of an array."""
    return type(value) is Record and value.layout.cls is Complex


def holds_complex(value: Any) -> bool:
    """Return whether a value is or holds a complex number of Python's."""
    pending, seen = [value], set()
    while pending:
        part = pending.pop()
        if is_complex(part):
            return True
        if type(part) in CONTAINERS and id(part) not in seen:
            seen.add(id(part))
            pending.extend(part.parts())
    return False


def conjugated(cotangent: Any) -> Any:
    """Return a cotangent of floats with the complex numbers in it conjugated, as users write it."""

    def special(part: Any) -> Any:
        if is_complex(part):
            return Record(part.layout, (part.items[0], -part.items[1]))
        return DESCEND if type(part) in CONTAINERS else part

    return transform(cotangent, {}, special)


def cotangent_from(value: Any, given: Any, name: str) -> Any:
    """Return the cotangent of a value that a pytree stands for: of complex numbers the conjugates.

    A complex number is a record of two reals here, whose cotangents are a and b; users write a - ib for them.
    """
    return tangent_from(value, given, name, -1.0)


def tangent_from(value: Any, given: Any, name: str, sign: float = 1.0) -> Any:
    """Return the tangent of a value that a pytree stands for.

    name: what the user calls the pytree. sign: that of the imaginary parts of complex numbers in it.
    """

    def opened(item: tuple[Any, Any, Path]) -> Any:
        value, given, path = item
        if given is _ZERO:
            return zeros_of(value)
        if is_complex(value):
            number = _complex(given, path)
            return Record(value.layout, (number.real, sign * number.imag))
        if type(value) not in CONTAINERS or (given is None and not numbers(value)):
            return _leaf(value, given, path)
        entries = zip(value.parts(), _parts_given(value, given, path), _steps(value), strict=True)
        parts = [(part, other, (path, step)) for part, other, step in entries]
        return Branch(parts, lambda results: value.with_parts(tuple(results)))

    check_acyclic(value, name)
    return fold((value, given, (None, name)), opened)


def check_acyclic(value: Any, name: str) -> None:
    """Raise RunError for a value that contains itself, which has no tangent."""
    around: set[int] = set()
    done: set[int] = set()
    pending: list[tuple[Any, bool]] = [(value, False)]
    while pending:
        part, is_left = pending.pop()
        if is_left:
            around.discard(id(part))
            done.add(id(part))
        elif id(part) in around:
            raise RunError(
                f"{name} belongs to a value with {an(class_of(part).__name__)} that contains itself"
            )
        elif type(part) in CONTAINERS and id(part) not in done:
            around.add(id(part))
            pending.append((part, True))
            pending.extend([(each, False) for each in part.parts() if type(each) in CONTAINERS])


def _leaf(value: Any, given: Any, path: Path) -> Any:
    kind = type(value)
    if kind in NUMBERS:
        part = real_part(value)
        return _real(given, path) if type(part) is float else _array(part, given, path)
    if kind in CONTAINERS:
        return tangent_of(value, [])
    if kind in NON_DIFFERENTIABLE:
        if kind is Discrete:
            check_settled(value)
        if given is not None:
            raise _mismatch(path, f"None, since {_described(value)} has no derivative", given)
        return None
    if given is None and not numbers(value):
        return Opaque((), identity_of(value))
    if type(given) is not Opaque:
        raise _mismatch(path, "what another derivative gave for this function or capsule", given)
    return given


def _array(value: Array, given: Any, path: Path) -> Array:
    """Return the tangent of an array: one of its shape, whose elements are converted to its dtype."""
    data = value.data
    plain = float | int | complex if dtype_kind(data.dtype) == "c" else float | int
    if type(given) not in libraries and not isinstance(given, plain):
        raise _mismatch(path, f"an array {described(data)}", given)
    if tuple(getattr(given, "shape", ())) != tuple(data.shape):
        shape = tuple(getattr(given, "shape", ()))
        raise RunError(f"{written(path)} must have the shape {tuple(data.shape)}, not {shape}")
    xp = namespace_of(data)
    if not xp.can_cast(xp.asarray(given).dtype, data.dtype, "same_kind"):
        raise _mismatch(path, f"an array {described(data)}", given)
    return Array(xp.array(given, data.dtype), Memory())


def _complex(given: Any, path: Path) -> complex:
    """Return a given complex number; a real is taken for one."""
    if isinstance(given, complex | float | int) and not isinstance(given, bool):
        return complex(given)
    raise _mismatch(path, "a complex number", given)


def _real(given: Any, path: Path) -> float:
    if isinstance(given, float):
        return float(given)
    if isinstance(given, int) and not isinstance(given, bool):
        try:
            return float(given)
        except OverflowError:
            raise RunError(f"{written(path)} is too large for a real") from None
    raise _mismatch(path, "a real", given)


def _parts_given(value: Any, given: Any, path: Path) -> list[Any]:
    """Return what is given for each part of a container, in their order."""
    if is_object(value):
        return _attributes_given(value, given, path)
    cls: Any = class_of(value)
    of_tuple = cls is not tuple and issubclass(cls, tuple)  # any tuple will do for one with names
    if type(given) is not cls and not (of_tuple and isinstance(given, tuple)):
        raise _mismatch(path, _described(value), given)
    if cls is dict:
        missing, more = value.items.keys() - given.keys(), given.keys() - value.items.keys()
        if missing or more:
            what = (
                f"lacks the key {min(missing, key=repr)!r}"
                if missing
                else f"has the key {min(more, key=repr)!r}"
            )
            raise RunError(f"{written(path)} {what}: its keys must be those of its value")
        return [given[key] for key in value.items]
    if len(given) != len(value.items):
        raise RunError(f"{written(path)} must have length {len(value.items)}, not {len(given)}")
    return list(given)


_ZERO = object()  # what stands for the tangent of a part for which users write nothing


def _stand_in_given(value: Any, given: Any, path: Path) -> list[Any]:
    """Return what is given for each attribute of the stand-in of a dictionary or deque of Python's own."""
    stand_in = BY_STAND_IN[value.layout.cls]
    cls: Any = stand_in.of
    if type(given) is not cls:
        raise RunError(f"{written(path)} must be {_named(cls)}, not {_of_class(type(given), given)}")
    parts = dict(zip(value.layout.names, value.items, strict=True))
    if stand_in.cls is KeyedDict:
        return [_values_given(parts["held"], given, path) if name == "held" else _ZERO for name in parts]
    taken = stand_in.taken(given)
    if "table" not in parts:
        return [_ZERO if type(part) in NON_DIFFERENTIABLE else taken[name] for name, part in parts.items()]
    table = taken["table"]
    if stand_in.cls is Deque:
        table = [*[_ZERO] * parts["head"], *table]
    return [table if name == "table" else _ZERO for name in parts]


def _values_given(held: Dict, given: dict[Any, Any], path: Path) -> dict[Any, Any]:
    """Return what is given for the values of a dictionary by the tokens of their keys; both in one order."""
    if len(given) != len(held.items):
        raise RunError(f"{written(path)} must have length {len(held.items)}, not {len(given)}")
    return dict(zip(held.items, given.values(), strict=True))


def _attributes_given(value: Any, given: Any, path: Path) -> list[Any]:
    if value.layout.cls in BY_STAND_IN and value.layout.cls not in ITERATORS:
        return _stand_in_given(value, given, path)
    if type(given) is not value.layout.cls:
        raise _mismatch(path, _described(value), given)
    for name in value.layout.names:
        if name != ITEMS and not hasattr(given, name):
            raise RunError(f"{written(path)} lacks the attribute {name!r} of its value")
    return [
        items_of(given) if name == ITEMS else object.__getattribute__(given, name)
        for name in value.layout.names
    ]


def _steps(value: Any) -> list[str]:
    """Return how Python writes the access from a container to each of its parts."""
    if type(value) is Dict:
        return [f"[{key!r}]" for key in value.items]
    if type(value) is List or not value.layout.names:
        return [f"[{i}]" for i in range(len(value.items))]
    return ["" if name == ITEMS else f".{name}" for name in value.layout.names]


def _mismatch(path: Path, expected: str, given: Any) -> RunError:
    return RunError(f"{written(path)} must be {expected}, not {_of_class(type(given), given)}")


def _described(value: Any) -> str:
    if type(value) in (Closure, Capsule):
        return f"a {'function' if type(value) is Closure else 'capsule'}"
    return _of_class(class_of(value), value)


def _of_class(cls: type, value: Any) -> str:
    return "None" if value is None else _named(cls)


def _named(cls: type) -> str:
    article = "an" if cls.__name__[0] in "aeiouAEIOU" else "a"
    return f"{article} {cls.__name__}"
