"""Finds the C compiler that translates units, and builds its command lines.

In: the environment (CC, PATH). Out: a `Compiler`, or None where there is none.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from checkpoint.ctarget.flags import HOSTILE, NO_BUILTINS, RACES, STANDARD
from checkpoint.ctarget.library import built_with
from checkpoint.ctarget.translate.compile.processes import first_line
from checkpoint.dataclass import dataclass

# Beside the packages, in a source tree as where they are installed.
HEADERS = Path(__file__).resolve().parents[4] / "ctemplates"
# These keep all bits; only the functions of a unit are exported.
FLAGS = (
    *(*STANDARD, "-O1", "-fPIC", "-shared", "-fno-math-errno"),
    # Keeps in registers, within loops, what is live only where the unit is left.
    "-fcaller-saves",
)
# Zig checks for undefined behaviour by default.
OF_ZIG = ("-fno-sanitize=undefined",)
INSTEAD = "set CC to name one, or install ziglang"
NONE = f"none; {INSTEAD}"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A command. words: without arguments."""

    words: tuple[str, ...]

    def command(self, source: str, target: str) -> list[str]:
        """Return the command that compiles a C file to a shared object."""
        given = [*self.words, *flags(self.is_zig), "-I", str(HEADERS), source, "-o", target]
        return [*given, *libraries(self.is_zig)]

    @property
    def is_zig(self) -> bool:
        """Return whether it is the compiler of the package ziglang."""
        return "ziglang" in self.words

    def identity(self) -> str:
        """Return what tells its file from others: path, size and time, which change when it is replaced."""
        path = os.path.realpath(shutil.which(self.words[0]) or self.words[0])
        found = os.stat(path)
        return f"{self.words} {path} {found.st_size} {found.st_mtime_ns}"

    def version(self) -> str:
        """Return the line in which it says what it is; CompilationError."""
        return first_line([*self.words, "--version"])

    @property
    def debugs(self) -> bool:
        """Return whether debuggers or sanitizers need the program's lines in the compiled code."""
        return "-g" in self.words or bool(_sanitizers())


@cache
def flags(is_zig: bool) -> tuple[str, ...]:
    """Return all flags of a compilation."""
    return (*FLAGS, *NO_BUILTINS, *(OF_ZIG if is_zig else ()), *_sanitizers())


def _sanitizers() -> tuple[str, ...]:
    """Return the flags of sanitizers: units are built with those of the runtime; headers depend on them."""
    if "-DCK_RACES" in built_with():
        return RACES
    return HOSTILE if "-DCK_HOSTILE" in built_with() else ()


def libraries(is_zig: bool) -> tuple[str, ...]:
    """Return the libraries that are linked. A unit needs no code that runs when it is loaded: linking is
    quicker without it.
    """
    if sys.platform != "linux" or is_zig or _sanitizers():
        return ("-lm",)
    return ("-nostdlib", "-lm", "-lc")


def find() -> Compiler | None:
    """Return the compiler that is used here, the first that is there of CC, cc, gcc, clang, ziglang."""
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
    """Return a digest of all headers that a unit's C may include."""
    digest = hashlib.sha256()
    for path in sorted(HEADERS.rglob("*.[hd]*")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(HEADERS)} {len(content)}\n".encode() + content)
    return digest.hexdigest()
