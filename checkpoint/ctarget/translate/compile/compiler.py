"""The C compiler that translates units: which there is, how it is called; and loading of what it has made.

In: the environment (CC, PATH). Out: a `Compiler`, or None where there is none; of a shared object a `Loaded`.

What always holds: a shared object is mapped only after its content has been found whole (cache.py); one that
lacks what it should export is not called.
"""

from __future__ import annotations

import _ctypes
import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from checkpoint.ctarget.library import built_with, runtime

# Beside the packages, in a source tree as where they are installed.
HEADERS = Path(__file__).resolve().parents[4] / "ctemplates"
# Only what keeps all bits (checkpoint/ctarget/build.py says more); of a unit only its functions are exported.
FLAGS = (
    *("-std=c11", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-fno-math-errno"),
    # What is live where the unit is left must not be in memory within its loops.
    "-fcaller-saves",
    *("-fno-tree-slp-vectorize", "-fvisibility=hidden"),
)
# As of checkpoint/ctarget/build.py, which is not imported for this: it loads what no run needs.
FROM_LIBM = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 floor fmod "
    "frexp hypot ldexp lgamma log log10 log1p log2 modf pow remainder rint round sin sincos sinh tan tanh "
    "tgamma trunc"
)
# Where the runtime was built with sanitizers, so are units: what its headers say depends on it.
_HOSTILE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-DCK_HOSTILE")
# Of zig's own: it looks for undefined behaviour unless told.
_OF_ZIG = ("-fno-sanitize=undefined",)
NONE = "none; set CC to name one, or install ziglang"
EXPORTED = {"plain": "unit_plain", "tape": "unit_tape", "reverse": "unit_reverse"}


class CompilationError(Exception):
    """The compiler did not do it; the text says why."""


class LoadingError(Exception):
    """A file is no shared object that can be loaded here, or not one of a unit."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """words: the command, without arguments. Its file is known by where it is, how large and of when."""

    words: tuple[str, ...]

    def command(self, source: str, target: str) -> list[str]:
        """What compiles a C file to a shared object."""
        given = [*self.words, *flags(self.is_zig), "-I", str(HEADERS), source, "-o", target]
        return [*given, *libraries(self.is_zig)]

    @property
    def is_zig(self) -> bool:
        """Whether it is the one of the package ziglang."""
        return "ziglang" in self.words

    def identity(self) -> str:
        """What tells its file from others; changes where it is replaced."""
        path = os.path.realpath(shutil.which(self.words[0]) or self.words[0])
        found = os.stat(path)
        return f"{self.words} {path} {found.st_size} {found.st_mtime_ns}"

    def version(self) -> str:
        """What it says of itself: one line."""
        try:
            said = subprocess.run(
                [*self.words, "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=30,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompilationError(f"{self.words[0]} does not run: {error}") from None
        first = said.stdout.partition("\n")[0].strip()
        if said.returncode or not first:
            raise CompilationError(f"{self.words[0]} --version ends with the status {said.returncode}")
        return first


@cache
def flags(is_zig: bool) -> tuple[str, ...]:
    """All flags of a compilation."""
    builtins = tuple(f"-fno-builtin-{name}" for name in FROM_LIBM.split())
    hostile = _HOSTILE if "-DCK_HOSTILE" in built_with() else ()
    return (*FLAGS, *builtins, *(_OF_ZIG if is_zig else ()), *hostile)


def libraries(is_zig: bool) -> tuple[str, ...]:
    """What is linked with. A unit needs nothing done when it is loaded: linking is quicker without it."""
    if sys.platform != "linux" or is_zig or "-DCK_HOSTILE" in built_with():
        return ("-lm",)
    return ("-nostdlib", "-lm", "-lc")


def find() -> Compiler | None:
    """The compiler that is taken here: CC, cc, gcc, clang, ziglang, the first that is there."""
    return _find(os.environ.get("CC", ""), os.environ.get("PATH", ""))


@cache
def _find(named: str, path: str) -> Compiler | None:
    for command in [named] if named.strip() else ["cc", "gcc", "clang"]:
        words = _split(command)
        if words and shutil.which(words[0], path=path):
            return Compiler(words)
    if not named.strip() and find_spec("ziglang") is not None:
        return Compiler((sys.executable, "-m", "ziglang", "cc"))
    return None


def _split(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:  # a quotation that is not closed
        return ()


@cache
def headers_digest() -> str:
    """Of all that a unit's C may include of ours."""
    digest = hashlib.sha256()
    for path in sorted(HEADERS.rglob("*.[hd]*")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(HEADERS)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


@dataclass(slots=True)
class Loaded:
    """The functions that a shared object exports, by their addresses. keep: what keeps it loaded."""

    plain: int | None
    tape: int | None
    reverse: int | None
    keep: Any


def services() -> int:
    """The address of what the runtime offers to units (ctemplates/machine/fast.h)."""
    module = runtime()
    return int(module.ffi.cast("uintptr_t", module.lib.ck_services()))


def load(path: Path) -> Loaded:
    """Load a shared object and bind it to the runtime."""
    try:
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        raise LoadingError(str(error)) from None
    found = {name: _address(library, symbol) for name, symbol in EXPORTED.items()}
    bind = getattr(library, "unit_bind", None)
    if bind is None or (found["plain"] is None and (found["tape"] is None or found["reverse"] is None)):
        _ctypes.dlclose(library._handle)  # another one is to get its name
        raise LoadingError("it lacks what a unit exports")
    bind.argtypes, bind.restype = [ctypes.c_void_p], None
    bind(services())
    return Loaded(**found, keep=library)


def _address(library: ctypes.CDLL, symbol: str) -> int | None:
    function = getattr(library, symbol, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value
