"""The identity of a capsule, which says what capsule a tangent or cotangent belongs to.

In: capsules, and the Opaques that are their tangents and cotangents. Out: the identities of both, and for
messages descriptions of two that differ.

An Opaque is a sequence of numbers in the canonical order of the capsule's locations. Another capsule may have
equally many locations, so comparing counts is not enough: the cotangent of a run that was cut two steps later
would give a plausible but wrong gradient. So an Opaque holds the identity of the capsule that it was made
for, and it fits only capsules of an equal identity. An identity consists of:

- the origin: f's own code (checkpoint.lang.origins), the values that f closed over, and the structure of x,
  including the values of its parts without derivatives (integers, strings, booleans). The reals of x are not
  included: vjp is linear in the cotangent at any x, and the same cotangent may be applied at a nearby x;
- the settings of array libraries (a default dtype, autocast) that are not the usual ones, with the origin;
- the number of steps since the start of f, however often the run has been interrupted since;
- the place: a fingerprint of the point and of all return points below it;
- the engines that can resume it, since other engines divide the run's state into other locations.

The program around the call of `interrupt` is not included. So a cotangent that `vjp(resume, z, ybar)` returns
for `z = interrupt(f, x, l)` outside of any program fits `vjp(lambda x: interrupt(f, x, l), x, zbar)`, which
gives the gradient of f bit for bit. This works because f runs from its own program in both cases
(checkpoint.prims.python.own): its steps are counted equally, and its states have the same locations.

A capsule that was made without an origin (by an engine directly, in tests) has the origin None.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from checkpoint.ad.values import Capsule, Opaque
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The run that a capsule was cut out of.

    code: f's own code, equal to that of the same function in another program; `code.name` is for messages.
    inputs: a fingerprint of the values that f closed over.
    shape: a fingerprint of the structure of x.
    modes: the unusual settings of array libraries under which it began, in words.
    """

    code: Any
    inputs: Any
    shape: Any
    modes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of one capsule.

    origin: the run that it was cut out of.
    steps: the number of steps from the start of f.
    place: a fingerprint of where it was cut.
    points: how its engine numbers points; equal for engines that resume each other's capsules.
    engine: the name of its engine, for messages only.
    """

    origin: Origin | None
    steps: int
    place: int
    points: str
    engine: str = field(compare=False)


def identity_of(value: Any) -> Identity | None:
    """Return the identity of a capsule, or the one that an Opaque holds; None for any other value."""
    if type(value) is Opaque:
        identity: Identity | None = value.identity
        return identity
    if not isinstance(value, Capsule):
        return None
    state = value.state
    return Identity(value.origin, value.steps, state.place(), state.points, value.engine)


def descriptions(expected: Identity | None, found: Identity | None) -> tuple[str, str]:
    """Return texts that describe the expected tangent or cotangent and the one found, for a message."""
    difference = "" if expected is None or found is None else _difference(expected, found)
    return f"that of {_described(expected)}", f"that of {_described(found)}{difference}"


def _described(identity: Identity | None) -> str:
    if identity is None:
        return "a procedure"
    steps = "1 step" if identity.steps == 1 else f"{identity.steps} steps"
    name = "" if identity.origin is None else f" of {identity.origin.code.name}"
    return f"a capsule{name} after {steps}"


def _difference(expected: Identity, found: Identity) -> str:
    """Return a text that names the difference of two capsules with the same description, or an empty text."""
    if expected.points != found.points:
        return f", taken on engine {found.engine} and not on {expected.engine}"
    one, other = expected.origin, found.origin
    if one is not None and other is not None:
        if one.code != other.code:
            return ", which is another function"
        if one.inputs != other.inputs:
            return ", where it had other hidden inputs"
        if one.shape != other.shape:
            return ", at an argument of another shape"
        if one.modes != other.modes:
            return f", under other settings: {', '.join({*one.modes} ^ {*other.modes})}"
    same = expected.steps == found.steps and expected.place != found.place
    return ", at another place in its text" if same else ""
