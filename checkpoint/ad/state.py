"""What a run leaves of what came in from outside, where its caller receives that (`has_state`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from checkpoint.ad.containers import Layout


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
