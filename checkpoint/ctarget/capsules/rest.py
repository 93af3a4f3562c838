"""The state of a capsule that C has made, as Python sees it.

In: a C state without tags. Out: an object with the attributes of hybrid's state of the same capsule. What
always holds: the C state is not changed, and what is asked most of a capsule (its steps, its place) needs no
hybrid state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.values import Contents
from checkpoint.ctarget.code import peer_at
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import State, saved_by
from checkpoint.interp.hybrid.machine import PLACES, PRIME
from checkpoint.interp.hybrid.machine import State as PythonState
from checkpoint.prims.sealed import give_births


class Rest:
    """The state of a capsule: the C state, which shares what it reaches, until its parts are read.

    steps, tags: as in the state. in_c: the C state, until then. made: makes the hybrid state.
    is_closed: whether C resumes it as it is (checkpoint.ctarget.capsules.closed); then `in_c` stays.
    first_birth: of the objects of a sealed one, which get their births when they are read.
    Other attributes are those of the hybrid state, which then replaces the C state.
    """

    points = PythonState.points

    def __init__(
        self,
        state: State,
        made: Callable[[State], PythonState],
        is_closed: bool = False,
        sealed: Contents | None = None,
    ) -> None:
        self.steps = state.steps
        self.tags = state.tags
        self.in_c: State | None = state
        self.made = made
        self.is_closed = is_closed
        self.first_birth = 0
        self._sealed = sealed

    @property
    def sealed(self) -> Contents | None:
        """Return what Capsule.sealed does."""
        return None if self.in_c is None else self._sealed

    def again(self) -> Rest:
        """Return the same state for another capsule; nobody has read this one's parts."""
        assert self.in_c is not None
        return Rest(self.in_c, self.made)

    def place(self) -> int:
        """Return what the hybrid state returns."""
        return self._python.place() if self.in_c is None else place_of(self.in_c)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the hybrid state, which is made on first use."""
        if name == "_python":
            state = self.__dict__["in_c"]
            self._python = self.made(state)
            if self._sealed is not None:
                give_births(self._python, self.first_birth)
            if not self.is_closed:
                self.in_c = None
            return self._python
        return getattr(self._python, name)


def state_in_c(capsule_state: Any) -> State | None:
    """Return the C state of a capsule that C has made and whose parts nobody has read; else None."""
    return capsule_state.in_c if type(capsule_state) is Rest else None


FEW_POINTS = 64


def place_of(state: State) -> int:
    """Return what the hybrid state's `place` does, at the cost of the code for each return point there is."""
    ffi, lib = runtime().ffi, runtime().lib
    at, room = lib.ck_state_position(state.held), FEW_POINTS
    block = peer_at(at.block).code
    found = block.fingerprint + (at.index << 8) + lib.ck_state_values(state.held)
    points = ffi.new("uintptr_t[]", room)
    count = lib.ck_state_points(state.held, points, room)
    if count > room:  # each that had no room was counted each time
        points = ffi.new("uintptr_t[]", count)
        count = lib.ck_state_points(state.held, points, count)
    known = [saved_by(point) for point in ffi.unpack(points, count)]
    terms = ffi.new("uint64_t[]", [(point[0].fingerprint + point[2]) % PRIME for point in known])
    return int(lib.ck_state_place(state.held, found % PRIME, PLACES, PRIME, points, terms, count))
