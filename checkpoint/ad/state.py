"""What a run leaves: its values as of a step, for another run or for storing, and what came in from outside.

Settled values are such that the run cannot change them when it continues: their handles on arrays that were
changed under another name are dead. A State holds what a run may have changed, where its caller receives that
(`has_state`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from checkpoint.ad.arrays import Array, Discrete, Renewal, dead
from checkpoint.ad.containers import MUTABLE_CONTAINERS, Layout
from checkpoint.ad.graph import ATOMS, numbers, only_number, reach, rebuilt, replace, transform
from checkpoint.ad.numbers import NUMBERS, Number, real_part, renewed, with_outermost
from checkpoint.ad.storage import NEVER
from checkpoint.ad.values import Capsule, is_sealed
from checkpoint.ad.walk import DESCEND


class State(NamedTuple):
    """Holds what a run leaves of what came in from outside, where it may change that.

    args: the positional arguments. kwargs: those passed by name.
    globals: what the variables hold that the program assigns, by their names with those of their modules.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    globals: dict[str, Any]


STATE = Layout(State, State._fields)


class Shared:
    """Names the objects that lie at several places of what a run is given: none of them may be changed.

    paths: where they lie: the key of an argument or input, then positions of parts.
    """

    __slots__ = ("paths",)

    def __init__(self, paths: frozenset[tuple[Any, ...]]) -> None:
        self.paths = paths

    def __repr__(self) -> str:
        return "shared"


def settled(root: Any, steps: int) -> Any:
    """Return a value of a run that has done `steps` steps, for another run or for storing.

    Stale handles of arrays are replaced by dead ones, no other is stale, and mutable containers are copies,
    so that the run can continue. Reals are the same objects, and objects have the same births.
    """
    if type(root) is float or type(root) in ATOMS or is_sealed(root):
        return root
    if type(root) is Array:
        return _settled(root, steps, Renewal(same_run=True))
    only = only_number(root)
    if only is not None:
        return rebuilt(root, (_settled(only, steps, Renewal(same_run=True)),), births=True)
    if not reaches_mutable(root):
        return root
    renewal = Renewal(same_run=True)

    def special(value: Any) -> Any:
        kind = type(value)
        if kind in NUMBERS or kind is Discrete:
            return _settled(value, steps, renewal)
        return value if kind in ATOMS else DESCEND

    return transform(root, {}, special, births=True)


def _settled(value: Any, steps: int, renewal: Renewal) -> Any:
    """Return a number or an array of integers, settled."""
    array = value if type(value) is Discrete else real_part(value)
    if type(array) is float:
        return value
    if not array.memory.is_fixed:
        if array.memory.stale <= steps + 1:
            return dead()
        renewal.memory(array.memory).stale = NEVER
    return renewal(value) if type(value) is Discrete else renewed(value, renewal)


def with_own_tags_outermost(capsule: Capsule) -> Capsule:
    """Return a new capsule in whose duals its own tags are outside of those of the derivatives around it."""
    tags = sorted(capsule.open_tags, reverse=True)
    if not tags:
        return capsule
    found = numbers(capsule)
    outermost = [with_outermost(number, tags) for number in found]
    arranged: Capsule = replace(capsule, found, outermost, births=True)
    return arranged


def reaches_mutable(root: Any) -> bool:
    """Return whether a value reaches a mutable container or an array, which a run may change."""
    found, others = reach(root)
    kinds = set(map(type, others))
    return not MUTABLE_CONTAINERS.isdisjoint(kinds) or Discrete in kinds or any(map(_is_array, found))


def _is_array(number: Number) -> bool:
    return type(number) is not float and type(real_part(number)) is Array
