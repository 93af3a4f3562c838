"""States of the C engine and their heaps, and the conversion of hybrid's states to C's and back.

In: a hybrid State, or a Held from C. Out: a State, with the interface of every engine's; `python` converts
    it to the hybrid State. A Held is dropped with its wrapper, in whatever thread that happens
    (ctemplates/api/held.h); any Held keeps its heap alive.

What always holds: a state crosses as a whole, so what its slots and frames share stays shared. A frame is a
return point and, if the call that it waits for is to be shown, the block with that call.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from checkpoint.ad.state import settled
from checkpoint.ad.versions import Version
from checkpoint.ctarget.code import block_of_call, block_peer, peer_at, return_point
from checkpoint.ctarget.library import runtime
from checkpoint.interp.hybrid.machine import HALT, Frame
from checkpoint.interp.hybrid.machine import State as PythonState

Held = Any  # of cffi: Held *, dropped with its wrapper


class Heap:
    """Owns a heap of at most `limit` bytes, if there is a limit."""

    __slots__ = ("held", "limit")

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        lib = runtime().lib
        self.held = lib.ck_heap_create(limit or 0)
        if not self.held:
            raise MemoryError("out of memory: a run cannot begin")
        self.held = dropped_with_wrapper(self.held)

    @property
    def bytes(self) -> int:
        """Return the number of bytes in use."""
        used: int = runtime().lib.ck_heap_bytes(self.held)
        return used

    @property
    def peak(self) -> int:
        """Return the largest number of bytes that were in use."""
        peak: int = runtime().lib.ck_heap_peak(self.held)
        return peak

    @property
    def runs(self) -> int:
        """Return the number of the next epoch (ctemplates/state/versions.h)."""
        runs: int = runtime().lib.ck_heap_runs(self.held)
        return runs

    def fail_at(self, allocation: int) -> None:
        """Make this allocation, counted from now on, fail in the hostile build; 0: none."""
        runtime().lib.ck_heap_fail_at(self.held, allocation)

    def check(self) -> None:
        """Abort the process if the heap is inconsistent."""
        runtime().lib.ck_heap_check(self.held)

    def full(self) -> MemoryError:
        """Return the error to be raised if C found no memory."""
        bounded = "" if self.limit is None else f" and may hold no more than {self.limit:,}"
        return MemoryError(f"out of memory: the run holds {self.bytes:,} bytes{bounded}")

    def got(self, held: Held, errors: list[BaseException] | None = None) -> Held:
        """Return the wrapper of a Held from a C function; raise the reason in `errors` if it is NULL."""
        if held:
            return dropped_with_wrapper(held)
        raise errors[0] if errors else self.full()


def dropped_with_wrapper(held: Held) -> Held:
    """Return a wrapper that drops the Held with its last Python reference, or by ffi.release."""
    module = runtime()
    return module.ffi.gc(held, module.lib.ck_drop)


class State:
    """A moment of a run, as a C state, a hybrid state, or both.

    start: the hybrid state that it was made from, with the caller's own objects.
    version: of the objects that `value` returns, which are its own; C has that of the C state.
    settles: whether its value belongs to a finished recording, which never changes.
    """

    __slots__ = (
        "_held",
        "_value",
        "_version",
        "births",
        "finished",
        "heap",
        "settles",
        "start",
        "steps",
        "tags",
    )

    def __init__(self, heap: Heap, held: Held = None, start: PythonState | None = None) -> None:
        self.heap = heap
        self.start = start
        self.settles = False
        self._held = held
        self._value: list[Any] = []  # once it is known
        self._version: Version | None = None
        if start is not None:
            self.steps, self.tags, self.births = start.steps, start.tags, start.births
            self.finished = start.finished
        else:
            at = runtime().lib.ck_state_position(held)
            self.steps, self.tags, self.births = at.steps, at.tags, at.births
            self.finished = at.finished

    @property
    def version(self) -> Version:
        """Return the version of its own objects, made on first use: most states need none."""
        if self.start is not None:
            return self.start.version
        if self._version is None:
            self._version = Version()
        return self._version

    @property
    def held(self) -> Held:
        """Return the C state, made on first use."""
        if self._held is None:
            assert self.start is not None
            self._held = imported(self.heap, self.start)
        return self._held

    @property
    def address(self) -> int:
        """Return the address of the C struct, valid as long as this wrapper lives."""
        return address_of(runtime().lib.ck_state_address(self.held))

    @property
    def value(self) -> Any:
        """Return the value of a finished state, the same object each time."""
        if not self._value:
            if self.start is not None:
                self.start.version.show()
            value = self.start.value if self.start is not None else self._exported_value()
            self._value.append(settled(value, self.steps) if self.settles else value)
        return self._value[0]

    def _exported_value(self) -> Any:
        module = runtime()
        real = module.ffi.new("double *")
        if module.lib.ck_state_real(self.held, real):
            return real[0]
        values: list[Any] = []
        errors: list[BaseException] = []
        if not module.lib.ck_state_value(self.held, id(values), id(errors)):
            raise errors[0] if errors else self.heap.full()
        return values[0]

    def python(self) -> PythonState:
        """Return the hybrid state: the one that it was made from, or a new one."""
        return self.start if self.start is not None else exported(self.heap, self.held)


def address(value: Any) -> Any:
    """Return the address of a Python object for C; the caller keeps the object alive."""
    return runtime().ffi.cast("void *", id(value))


def address_of(pointer: Any) -> int:
    """Return a C pointer as a number."""
    return int(runtime().ffi.cast("uintptr_t", pointer))


def imported(heap: Heap, state: PythonState) -> Held:
    """Convert a hybrid state to a C state of a heap."""
    module = runtime()
    state.version.show()
    frames: list[Frame] = []
    frame = state.frame
    while frame is not None:
        frames.append(frame)
        frame = frame.next
    frames.reverse()
    values = list(state.values)
    for frame in frames:
        values.extend(frame.saved)
    errors: list[BaseException] = []
    held = module.lib.ck_state_import(
        heap.held,
        block_peer(state.block).pointer,
        state.index,
        state.steps,
        state.births,
        state.tags,
        len(state.values),
        len(frames),
        _points(frames),
        [call_address(frame.call) for frame in frames],
        id(values),
        id(errors),
    )
    return heap.got(held, errors)


def _points(frames: list[Frame]) -> list[int]:
    """Return the addresses of the return points of frames, each looked up once."""
    if len(frames) == 1 and frames[0].block is HALT and frames[0].handler is None:
        return [_halt()]
    known: dict[tuple[Any, Any], int] = {}
    found = []
    for frame in frames:
        key = (frame.block, frame.handler)
        if key not in known:
            known[key] = return_point(*key)
        found.append(known[key])
    return found


@cache
def _halt() -> int:
    """Return the address of the return point at which runs end; that block lives as long as the process."""
    return return_point(HALT)


def call_address(call: Any) -> int:
    """Return the address of the block of a call, at its place, that a frame waits for; 0: it is not shown."""
    return 0 if call is None else int(block_of_call(call).address)


def exported(heap: Heap, held: Held) -> PythonState:
    """Convert a C state to a hybrid state."""
    module = runtime()
    ffi, lib = module.ffi, module.lib
    depth, count = lib.ck_state_depth(held), lib.ck_state_values(held)
    points, calls = ffi.new("uintptr_t[]", depth + 1), ffi.new("uintptr_t[]", depth + 1)
    values: list[Any] = []
    errors: list[BaseException] = []
    if not lib.ck_state_export(held, depth, points, calls, id(values), id(errors)):
        raise errors[0] if errors else heap.full()
    at = lib.ck_state_position(held)
    frame = _frames(ffi.unpack(points, depth), ffi.unpack(calls, depth), values)
    block = peer_at(at.block).code
    return PythonState(block, at.index, tuple(values[:count]), frame, at.steps, at.tags, at.births)


def _frames(points: list[int], calls: list[int], values: list[Any]) -> Frame | None:
    """Return the top frame; frames are made from the bottom up, of values from the end of `values`."""
    ffi = runtime().ffi
    known: dict[int, tuple[Any, Any, int]] = {}
    frame: Frame | None = None
    end = len(values)
    for point, call in zip(reversed(points), reversed(calls), strict=True):
        if point not in known:
            known[point] = saved_by(point)
        block, handler, count = known[point]
        span = peer_at(ffi.cast("Block *", call)).block.end.span if call else None
        frame = Frame(block, tuple(values[end - count : end]), frame, handler, span)
        end -= count
    return frame


def saved_by(point: int) -> tuple[Any, Any, int]:
    """Return the block, the handler, and the number of values of a return point."""
    struct = runtime().ffi.cast("ReturnPoint *", point)
    handler = peer_at(struct.handler).code if struct.handler else None
    return peer_at(struct.block).code, handler, struct.count
