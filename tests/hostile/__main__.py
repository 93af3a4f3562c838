"""`make test-hostile`: the C engine under sanitizers, with allocations that fail, and under valgrind.

In: nothing. Out: status 0 if nothing was found. In this order:
1. the tests of the engine, of the laws and of derivatives, on engine c alone, with the address and the
   undefined behaviour sanitizer (build.py --hostile), which end the process at the first thing found;
2. allocations.py over all programs and a sample of the functions, with the same module, and over some
   programs whose lists and frames translated code makes;
3. the tests of threads as workers, and of lanes with helpers, with the sanitizer of threads (build.py
   --races), which reports what two threads touch without one waiting for the other;
4. some programs under valgrind, with the usual module: an error or a leak counts if it is in the module (what
   Python itself never frees is not ours).

Units are built with the sanitizers of the module, not optimised, and their compilers have time (patience.py).
For a part alone, build with `python -m checkpoint.ctarget.build --strict --hostile` (or --races), and run the
command that is printed here in the environment that sanitized.py makes.

What cannot be run here is named on stderr and left out; without a C compiler the status is 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checkpoint.ctarget import build
from tests.hostile import sanitized
from tests.support.alone import ALONE

ROOT = Path(__file__).resolve().parents[2]
PYTEST = ("-m", "pytest", "-p", "no:cacheprovider", "-p", "tests.hostile.patience")
SANITIZED = (
    *("tests/ctarget", "tests/laws", "tests/driver", "tests/derivatives", "tests/engine_containers"),
    *("tests/python/test_corpus.py", "tests/python/test_random.py"),
    *("tests/arrays/test_corpus.py", "tests/arrays/test_random.py"),
)
# Programs of lists and recursions, for runs in translated code in which memory ends.
TRANSLATED = ("--translated", "benchmark", "lists", "pairs", "recursion", "rotations")
# What runs on several threads: those of workers, which hand heaps on, and the helpers of lanes.
RACING = (
    *("tests/workers/test_workers.py", "tests/workers/test_relay.py", "tests/api/test_sums_beside.py"),
    *("tests/ctarget/translate/test_strip_threads.py", "tests/api/test_lane_gradients.py"),
)
# Processes; a child that starts threads, which the sanitizer does not know; what is run by the same tests.
NO_THREADS = ("processes", "dies", "from_outside", "forks", "alone", "ctrl_c")
# What asks for other engines, and what measures the memory of a process, which sanitizers keep for a while.
LEFT_OUT = ("every_engine_is_tried", "capsule_of_another_engine", "constant_memory")
# Programs, and functions of the corpora: lists, dictionaries, classes, exceptions and arrays.
UNDER_VALGRIND = (
    *("capsules", "closures", "handlers", "lists", "nested-checkpoint", "nested-mixed", "raise-through"),
    *("recursion", "rotations", "calls.keywords", "classes.reflect", "exceptions.reraise"),
)


def main() -> int:
    """Run everything, and return the exit status."""
    parser = argparse.ArgumentParser("python -m tests.hostile", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.parse_args()
    if build.build(strict=True) is None:
        print("make test-hostile needs a C compiler (set CC to name one)", file=sys.stderr)
        return 1
    return _sanitizers() or _races() or _valgrind()


def _sanitizers() -> int:
    if reason := sanitized.missing():
        print(f"nothing was run with sanitizers: {reason}", file=sys.stderr)
        return _python(["-m", "tests.hostile.allocations"], dict(os.environ))
    module = build.build(strict=True, sanitized="hostile")
    assert module is not None
    environment = sanitized.environment(module)
    tests = [*PYTEST, "-n", "auto", "-k", f"not ({' or '.join(LEFT_OUT)})", *SANITIZED]
    allocations = ["-m", "tests.hostile.allocations"]
    runs = (tests, allocations, [*allocations, *TRANSLATED])
    return next((status for each in runs if (status := _python(each, environment))), 0)


def _races() -> int:
    if reason := sanitized.missing_for_races():
        print(f"nothing was run with the sanitizer of threads: {reason}", file=sys.stderr)
        return 0
    module = build.build(strict=True, sanitized="races")
    assert module is not None
    tests = [*PYTEST, "-k", f"not ({' or '.join(NO_THREADS)})", *RACING]
    return _python(tests, sanitized.environment_for_races(module) | {ALONE: "1"})


def _python(arguments: list[str], environment: dict[str, str]) -> int:
    print(f"\n$ python {' '.join(arguments)}", flush=True)
    return subprocess.run([sys.executable, *arguments], env=environment, cwd=ROOT, check=False).returncode


def _valgrind() -> int:
    """Run programs of the corpus, and return 1 if a report of valgrind names the module."""
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
    """Return a log's reports with a frame in the module, unless cffi did it within a step that Python did:
    what it finds out of a function it keeps for good.
    """
    lines = [re.sub(r"^==\d+== ?", "", line) for line in log.splitlines()]
    found = []
    for report in "\n".join(lines).split("\n\n"):
        before, module, _ = report.partition("_runtime.")
        if module and "_cffi_backend" not in before:
            found.append(report)
    return found


if __name__ == "__main__":
    sys.exit(main())
