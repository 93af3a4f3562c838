"""The storage of arrays: who may change it in place, and when a handle no longer shows it.

A program's arrays are *handles* on storage. A handle is a value like all others: nothing that a program does
can be seen through a second reference. What changes one in Python (`y[i] = v`) makes another handle here, an
*update*, and the program continues with that one. What always holds:

- An update leaves the old handle *stale* from its step on: a program that reads it later is one for which
  Python would show the change, and is refused. `stale` is the number of steps from which on that is so:
  that of the update, itself included, and one more.
- An update is done in place if the storage was made by the uninterrupted run that updates it (`owner`): no
  other state of a run can hold it. Otherwise the storage is copied first. So a kept state costs each array
  one copy, when it is next updated, and nothing if it is not.
- What came in as an argument has the owner FROZEN; what a program read from its surroundings has FROZEN or
  CONSTANT. Neither can be changed, and no cotangent of a CONSTANT array is computed, in any run.

Arrays that show the same elements share one storage. Lists, dictionaries and objects are no handles: they
are changed in place for every reference (checkpoint.ad.versions), and have an owner in the same sense. This
file decides what may be read and written and what an update leaves behind:

    check(now, handle)            raise RunError if the program can no longer read the handle
    check_writable(now, handle)   raise RunError unless the program may change what the handle shows
    in_place(now, handle)         return whether an update may write where the elements are
    supersede(handle, step)       record that an update at this step has made another handle

Undoing an update in place is the reversal's part: the tape holds what was overwritten (`Memory.transient`).
"""

from __future__ import annotations

from typing import Any, Protocol

from checkpoint.errors import RunError

NEVER = 1 << 62  # a step that no run reaches
OR_STATE = ", or pass has_state=True, which returns what the run leaves"  # of arguments and globals
FROZEN = object()
CONSTANT = object()


class Now(Protocol):
    """The moment of a run at which a primitive is applied: every engine's machine is one.

    steps: how many steps the run has made, the present one counted; where a run makes several at once,
        all of them. An update is the last of those.
    owner: what containers and arrays that this machine makes or copies belong to, until its next state; no
        other machine has the same.
    changes: what containers that it has changed held at its last state, by their identities
        (checkpoint.ad.versions).
    """

    steps: int
    owner: object
    changes: dict[int, tuple[Any, Any]]


class Storage:
    """The storage that a handle shows, or several arrays together.

    owner: the machine that may change it in place, None, FROZEN or CONSTANT.
    stale: the number of steps from which on its handles no longer show what Python would; NEVER if they do.
    """

    __slots__ = ("owner", "stale")
    # For messages: what Python calls it, the names by which it may be reached, and how to copy it.
    noun = "object"
    aliases = "another name"
    copy_by = ""
    remedy = ""

    def __init__(self, owner: object = None) -> None:
        self.owner = owner
        self.stale = NEVER

    @property
    def storage(self) -> Storage:
        """The handle itself, which is its own storage."""
        return self

    @property
    def is_fixed(self) -> bool:
        """True if no run may change it."""
        return self.owner is FROZEN or self.owner is CONSTANT


def check(now: Now, handle: Any) -> None:
    """Raise RunError if the program can no longer read a handle."""
    if now.steps >= handle.storage.stale:
        raise changed_elsewhere(handle)


def check_settled(handle: Any) -> None:
    """Raise RunError if a handle was superseded by the end of its run."""
    if handle.storage.stale != NEVER:
        raise changed_elsewhere(handle)


def check_writable(now: Now, handle: Any) -> None:
    """Raise RunError unless the program may change what a handle shows."""
    check(now, handle)
    storage = handle.storage
    if storage.is_fixed:
        raise RunError(
            f"this {storage.noun} came in as an argument (or was read from outside of the function) and "
            f"cannot be changed: change a copy of it, {storage.copy_by}{OR_STATE}"
        )


def in_place(now: Now, handle: Any) -> bool:
    """Return whether an update of a handle may write where its elements are."""
    return handle.storage.owner is now.owner


def supersede(handle: Any, step: int) -> None:
    """Make a handle stale: an update at this step has made another one."""
    handle.storage.stale = step


def changed_elsewhere(handle: Any) -> RunError:
    """Return the error for reading a handle after what it shows was changed."""
    storage = handle.storage
    return RunError(
        f"this {storage.noun} was changed through {storage.aliases} or in a function it was passed to, and "
        f"is looked at here as it was before: Python would show the change. Change it through one name only, "
        f"return the changed {storage.noun} and use the result, or change a copy of it{storage.remedy}"
    )
