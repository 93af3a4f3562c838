"""Paths of C sources under ctemplates/ for tests that compile some of them, and objects that these share."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

from checkpoint.ctarget.build import OBJECTS, compiler, is_stale, wait_for

TEMPLATES = Path(__file__).parents[2] / "ctemplates"
SANITIZED = (
    *("-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-ffp-contract=off", "-pthread"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
)
# Races between threads, of which another sanitizer knows.
SANITIZED_FOR_RACES = tuple([flag.replace("address,undefined", "thread") for flag in SANITIZED])


def files(*names: str) -> list[Path]:
    """Return the path of `name`.c for each name, in whichever folder it is. ValueError: not in one."""
    found = []
    for name in names:
        (path,) = TEMPLATES.rglob(f"{name}.c")
        found.append(path)
    return found


def command(flags: Sequence[str]) -> list[str]:
    """Return the compiler with flags, and with the headers of the runtime."""
    return [*(compiler() or ()), *flags, f"-I{TEMPLATES}"]


def object_files(sources: Sequence[Path], flags: Sequence[str] = SANITIZED) -> list[Path]:
    """Return an object file for each of some sources under ctemplates/.

    They are shared by all tests, processes and later runs: only what has changed is compiled again.
    """
    own = command(flags)
    folder = OBJECTS / "models" / hashlib.sha256(repr(own).encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    made = {folder / f"{source.stem}.o": source for source in sources}
    with (folder / "lock").open("w") as lock:
        wait_for(lock.fileno())
        for target, source in made.items():
            if is_stale(target, source):
                subprocess.run([*own, "-MMD", "-c", source, "-o", target], check=True)
    return list(made)
