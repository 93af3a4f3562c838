"""`make test-hostile`: the C engine under sanitizers, with allocations that fail, and under valgrind.

In: nothing. Out: status 0 if nothing was found. In this order:
1. the tests of the engine and of the laws, on engine c alone, with the address and the undefined behaviour
   sanitizer (build.py --hostile), which end the process at the first thing that they find;
2. allocations.py over the whole corpus, with the same module;
3. some programs under valgrind, with the usual module: an error or a leak counts if it is in the module (what
   Python itself never frees is not ours).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checkpoint.ctarget import build

ROOT = Path(__file__).resolve().parents[2]
UNDER_VALGRIND = ("capsules", "closures", "handlers", "nested-checkpoint", "recursion", "rotations")


def main() -> int:
    """Everything; the exit status."""
    module = build.build(hostile=True)
    if module is None or build.build(strict=True) is None:
        print("make test-hostile needs a C compiler (set CC to name one)", file=sys.stderr)
        return 1
    tests = ["-m", "pytest", "-n", "auto", "-p", "no:cacheprovider", "tests/ctarget", "tests/laws"]
    return (
        _python(tests, _sanitized(module))
        or _python(["-m", "tests.hostile.allocations"], _sanitized(module))
        or _valgrind()
    )


def _python(arguments: list[str], environment: dict[str, str]) -> int:
    print(f"\n$ python {' '.join(arguments)}", flush=True)
    return subprocess.run([sys.executable, *arguments], env=environment, cwd=ROOT, check=False).returncode


def _sanitized(module: Path) -> dict[str, str]:
    """The environment of a Python that loads the module with sanitizers: their runtime must come first."""
    preloaded = [_library(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so")]
    return {
        **os.environ,
        "CHECKPOINT_RUNTIME": str(module),
        "CHECKPOINT_TEST_ENGINES": "c",
        "LD_PRELOAD": " ".join(preloaded),
        # Python frees much only by ending.
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:detect_stack_use_after_return=0",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }


def _library(name: str) -> str:
    command = build.compiler()
    assert command is not None
    found = subprocess.run([*command, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def _valgrind() -> int:
    """Programs of the corpus; 1 if a report of valgrind names the module."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: nothing was run under it", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        command = ["valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=40"]
        command += [f"--log-file={log}", sys.executable, "-m", "tests.hostile.runs", *UNDER_VALGRIND]
        environment = {**os.environ, "PYTHONMALLOC": "malloc"}
        print(f"\n$ {' '.join(command)}", flush=True)
        status = subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode
        reports = ours(log.read_text(encoding="utf-8", errors="replace"))
    print("\n\n".join(reports) or "valgrind found nothing")
    return 1 if status or reports else 0


def ours(log: str) -> list[str]:
    """The reports of a log that have a frame in the module."""
    lines = [re.sub(r"^==\d+== ?", "", line) for line in log.splitlines()]
    return [report for report in "\n".join(lines).split("\n\n") if "_runtime." in report]


if __name__ == "__main__":
    sys.exit(main())
