"""The identity of a capsule: what a tangent or cotangent of a capsule belongs to.

In: capsules, and the Opaques that are their tangents and cotangents. Out: whether an Opaque fits a capsule,
and a description of both where it does not.

An Opaque is a row of numbers in the canonical order of the capsule's locations. Another capsule may well have
as many, so counting them is no check: a run that was cut two steps later gives a plausible and wrong
gradient. Hence an Opaque carries the identity of the capsule that it was made for, and only a capsule of an
equal identity takes it:

- the origin: f's own code (checkpoint.lang.origins), the values that f closed over, and the structure of x,
  in which whatever has no derivative (integers, texts, flags) counts with its value. The reals of x are no
  part of it: vjp is linear in the cotangent at any x, and the same cotangent may be applied at a neighbouring
  one;
- the number of steps from the start of f, however often the run was interrupted on the way there;
- the place: a fingerprint of the point and of all return points below it;
- the engines that can resume it, since others divide the run's state into other locations.

The program around the call of `interrupt` is no part of it. A cotangent that `vjp(resume, z, ybar)` gives for
`z = interrupt(f, x, l)` outside of any program therefore fits `vjp(lambda x: interrupt(f, x, l), x, zbar)`,
and that gives the gradient of f bit for bit. What makes that possible is that f runs from its own program in
both places (checkpoint.prims.python.own); so its steps are counted alike, and its states have the same
locations.

A capsule whose maker states no origin (an engine's own, in tests) has one of None, which fits its like.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from checkpoint.ad.values import Capsule, Opaque


@dataclass(frozen=True, slots=True)
class Origin:
    """The run that a capsule was cut out of.

    code: f's own code, which equals that of the same function in another program; `code.name` is for
    messages. inputs: a fingerprint of the values that f closed over. shape: one of the structure of x.
    """

    code: Any
    inputs: Any
    shape: Any


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of one capsule.

    steps: from the start of f. place: a fingerprint of where it was cut. points: what the engine that made it
    counts places by, the same for engines that resume each other's capsules; `engine` is that engine's name,
    for messages.
    """

    origin: Origin | None
    steps: int
    place: int
    points: str
    engine: str = field(compare=False)


def identity_of(value: Any) -> Identity | None:
    """Return the identity of a capsule, or the one that an Opaque carries; None for anything else."""
    if type(value) is Opaque:
        identity: Identity | None = value.identity
        return identity
    if not isinstance(value, Capsule):
        return None
    state = value.state
    return Identity(value.origin, value.steps, state.place(), state.points, value.engine)


def descriptions(expected: Identity | None, given: Identity | None) -> tuple[str, str]:
    """Return what to say of the tangent that was expected and of the one that was given instead."""
    difference = "" if expected is None or given is None else _difference(expected, given)
    return f"that of {_described(expected)}", f"that of {_described(given)}{difference}"


def _described(identity: Identity | None) -> str:
    if identity is None:
        return "a procedure"
    steps = "1 step" if identity.steps == 1 else f"{identity.steps} steps"
    name = "" if identity.origin is None else f" of {identity.origin.code.name}"
    return f"a capsule{name} after {steps}"


def _difference(expected: Identity, given: Identity) -> str:
    """Return what tells two capsules apart besides their descriptions."""
    if expected.points != given.points:
        return f", taken on engine {given.engine} and not on {expected.engine}"
    one, other = expected.origin, given.origin
    if one is not None and other is not None:
        if one.code != other.code:
            return ", which is another function"
        if one.inputs != other.inputs:
            return ", where it had other hidden inputs"
        if one.shape != other.shape:
            return ", at an argument of another shape"
    same = expected.steps == given.steps and expected.place != given.place
    return ", at another place in its text" if same else ""
