"""Shared objects of units in this process: mapped, bound to the runtime, and unmapped with their last user.

In: the content of a file. Out: a `Loaded`. What is mapped is a copy, in a file of its own that is removed at
once, of the bytes that were checked: whatever becomes of the cache's file, what runs does not change, and no
page of it can vanish.

What always holds: a shared object that is not whole, or lacks what a unit exports, is not called. Whoever may
run code of a `Loaded` refers to it (install.py); then nobody is in that code when it is unmapped.
"""

from __future__ import annotations

import _ctypes
import ctypes
import os
import secrets
import weakref
from typing import Any

from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate.compile.folders import Folder
from checkpoint.ctarget.translate.compile.object_files import damage

EXPORTED = {"plain": "unit_plain", "tape": "unit_tape", "reverse": "unit_reverse", "abreast": "unit_abreast"}


class LoadingError(Exception):
    """Raised for a file that is not a shared object loadable here, or not one of a unit."""


class Loaded:
    """A shared object, mapped as long as there is a reference to this.

    plain, tape, reverse, abreast: addresses of the functions that it exports, if it does. library: the shared
    object.
    """

    __slots__ = ("__weakref__", "abreast", "library", "plain", "reverse", "tape")

    def __init__(self, library: ctypes.CDLL) -> None:
        # At exit nothing is unmapped: other threads may be in it.
        weakref.finalize(self, _ctypes.dlclose, library._handle).atexit = False
        self.library: Any = library
        addresses = [_address(library, symbol) for symbol in EXPORTED.values()]
        self.plain, self.tape, self.reverse, self.abreast = addresses
        bind = getattr(library, "unit_bind", None)
        if bind is None or (self.plain is None and (self.tape is None or self.reverse is None)):
            raise LoadingError("it lacks what a unit exports")
        bind.argtypes, bind.restype = [ctypes.c_void_p], None
        bind(services())


def _address(library: ctypes.CDLL, symbol: str) -> int | None:
    function = getattr(library, symbol, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


def services() -> int:
    """Return the address of the functions that the runtime offers to units (ctemplates/machine/fast.h)."""
    module = runtime()
    return int(module.ffi.cast("uintptr_t", module.lib.ck_services()))


def load(content: bytes, folder: Folder, keeps: bool = False) -> Loaded:
    """Map a shared object and bind it to the runtime.

    folder: where a file is made for a moment; its name is new, for a loader gives back what it has already
    loaded under a name. keeps: whether the file stays, for debuggers and sanitizers.
    """
    reason = damage(content)
    if reason is not None:
        raise LoadingError(reason)
    name = f"{secrets.token_hex(8)}.load"
    try:
        folder.write(name, content)
        path = str(folder.path / name) if keeps else folder.reachable(name)
        return Loaded(ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL))
    except OSError as error:
        raise LoadingError(str(error)) from None
    finally:
        if not keeps:
            folder.remove(name)
