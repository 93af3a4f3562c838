"""Start a Python that loads the C engine's module with sanitizers.

In: the hostile module (checkpoint/ctarget/build.py). Out: an environment, or what is missing for one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from checkpoint.ctarget import build

# Those of the sanitizers must be there before Python is; exceptions of C++ pass through the first one.
_LIBRARIES = ("libasan.so", "libubsan.so", "libstdc++.so")
_OF_RACES = ("libtsan.so", "libstdc++.so")


def missing(libraries: tuple[str, ...] = _LIBRARIES) -> str | None:
    """Return why no sanitizer can run here, or None if one can; libraries: that it needs."""
    if build.compiler() is None:
        return "there is no C compiler"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "there are no headers of Python"
    if sys.platform != "linux":
        return "sanitizers are loaded by LD_PRELOAD, on Linux alone"
    found = {name: _library(name) for name in libraries}
    return next((f"the C compiler has no {name}" for name, path in found.items() if path is None), None)


def missing_for_races() -> str | None:
    """Return why the sanitizer of threads cannot run here, or None if it can."""
    return missing(_OF_RACES)


def environment(module: Path) -> dict[str, str]:
    """Return the environment of a Python that loads the module; requires that nothing is missing."""
    return {
        **_loading(module, _LIBRARIES),
        # Python frees much only by ending.
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:detect_stack_use_after_return=0",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }


def environment_for_races(module: Path) -> dict[str, str]:
    """Return the same for a module with the sanitizer of threads; the process then ends with RACE.

    Python and its libraries are as they are: of what they do, locks and the memory that they copy are seen.
    """
    return {
        **_loading(module, _OF_RACES),
        "TSAN_OPTIONS": f"halt_on_error=0:exitcode={RACE}:report_signal_unsafe=0:die_after_fork=0",
        "OPENBLAS_NUM_THREADS": "1",
    }


RACE = 66


def _loading(module: Path, libraries: tuple[str, ...]) -> dict[str, str]:
    return {
        **os.environ,
        "CHECKPOINT_RUNTIME": str(module),
        "CHECKPOINT_TEST_ENGINES": "c",
        "LD_PRELOAD": " ".join(str(_library(name)) for name in libraries),
    }


def _library(name: str) -> Path | None:
    """Return the path of a compiler's library, or None where it has none (it then prints the bare name)."""
    command = [*(build.compiler() or ()), f"-print-file-name={name}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    path = Path(done.stdout.strip())
    return path if done.returncode == 0 and path.is_absolute() and path.exists() else None
