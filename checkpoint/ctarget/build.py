"""Builds the C engine's extension module from the C sources in ctemplates/.

In: ctemplates/. Out: `ffibuilder`, which setup.py hands to setuptools; and, as a command, a module beside
this file for those who work on the sources:

    python -m checkpoint.ctarget.build [--strict] [--hostile | --races] [--force]

--strict makes every warning of our own files an error. --hostile builds with the address and the undefined
behaviour sanitizer, --races with that of threads, into a place of its own: the command prints it, and the
environment variable CHECKPOINT_RUNTIME makes the engine load it. Objects stay in build/ctarget/, and only
what has changed is compiled again. Status 0: the module is up to date, or there is no C compiler, which a
line on stderr says.

What always holds: of the package this file imports only checkpoint.ctarget.flags and checkpoint.scalars, and
these without their parent, since setup.py runs it before there is one: it makes the table scalars.def of the
scalar functions defined there.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

from cffi import FFI

MODULE = "checkpoint.ctarget._runtime"
# Where this is run by setup.py, __file__ is relative to the root.
ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "ctemplates"
OBJECTS = ROOT / "build" / "ctarget"
ALONE = "alone"  # the folder of the executables of programs (checkpoint/ctarget/alone)
GENERATED = OBJECTS / "generated"  # the headers that are made of definitions in Python
# What cffi reads, in this order: declarations only. Those of the first line are included by others.
DECLARED = (
    *("program/kinds.h", "program/code.h", "program/opcodes.h", "state/outcomes.h"),
    *("tasks/plan_flags.h", "driver/schedule.h"),
    *("api/api_code.h", "api/api.h", "api/api_machine.h", "api/api_cotangent.h", "api/api_driver.h"),
    *("api/api_scalars.h", "api/api_arrays.h", "api/api_fast.h", "api/api_runs.h", "api/api_closed.h"),
    *("at_once/small_gradient.h", "at_once/lane_run.h", "at_once/lane_loop.h", "at_once/lane_tape.h"),
)


def imported(name: str) -> ModuleType:
    """Return a module of the package, imported without its parent where there is no package yet."""
    alone = "checkpoint" not in sys.modules
    if alone:
        parent = ModuleType("checkpoint")
        parent.__path__ = [str(ROOT / "checkpoint")]
        sys.modules["checkpoint"] = parent
    try:
        return importlib.import_module(name)
    finally:
        if alone:
            for each in [each for each in sys.modules if each.partition(".")[0] == "checkpoint"]:
                del sys.modules[each]


_SHARED = imported("checkpoint.ctarget.flags")
FROM_LIBM: str = _SHARED.FROM_LIBM
# The builds with sanitizers, by their names: the flags of compiling, and those of linking.
SHOWN = "-fno-omit-frame-pointer"
SANITIZED: dict[str, tuple[list[str], list[str]]] = {
    "hostile": ([*_SHARED.HOSTILE, SHOWN], [*_SHARED.SANITIZERS]),
    "races": ([*_SHARED.RACES, "-O1", SHOWN], [_SHARED.RACES[0]]),
}
FLAGS: list[str] = [*_SHARED.RUNTIME]
WARNINGS: list[str] = [*_SHARED.WARNINGS]
# What cffi adds itself when setuptools does the work; the option that lists what an object is made from.
OURS = ["-D_CFFI_NO_LIMITED_API", "-MMD"]


def declarations(text: str) -> str:
    r"""Return a header as cffi reads it: no comments, X-macros expanded, constants left to the compiler.

    >>> declarations("#ifndef X /* a guard */\nint f(int); // it\n#define MOST 7\n#endif").split("\n")
    ['int f(int);', '#define MOST ...']
    """
    macros: dict[str, tuple[list[str], str]] = {}
    found = []
    for line in _without_comments(text).replace("\\\n", " ").splitlines():
        if not line.lstrip().startswith("#"):
            found.append(line)
        elif macro := re.match(r"\s*#\s*define (\w+)\(([^)]*)\)(.*)", line):
            macros[macro[1]] = (re.findall(r"\w+", macro[2]), macro[3].strip())
        elif constant := re.match(r"\s*#\s*define (\w+) +\S", line):
            found.append(f"#define {constant[1]} ...")
        elif included := re.match(r'\s*#\s*include "(.+\.def)"', line):
            found.append(_expanded(SOURCES / included[1], macros))
    return "\n".join(line.rstrip() for line in found if line.strip())


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def _expanded(path: Path, macros: dict[str, tuple[list[str], str]]) -> str:
    """Return the entries `NAME(argument, ...)` of a file, as the macros of these names expand them."""
    found = []
    for name, given in re.findall(r"^(\w+)\((.*)\)", _without_comments(path.read_text()), re.MULTILINE):
        names, body = macros[name]
        arguments = dict(zip(names, re.split(r",\s*", given), strict=True))
        body = re.sub(r"\w+", lambda word, arguments=arguments: arguments.get(word[0], word[0]), body)  # type: ignore[misc]
        found.append(re.sub(r"\s*##\s*", "", body))
    return "\n".join(found)


def generate() -> None:
    """Write the headers that are made of definitions in Python; what is as it should be is left alone."""
    path, text = GENERATED / "scalars" / "scalars.def", imported("checkpoint.scalars.c_text").table()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        copy = path.with_suffix(f".{os.getpid()}")
        copy.write_text(text, encoding="utf-8")
        copy.replace(path)


def c_files() -> list[Path]:
    """Return the C files of the module: all but those that executables have instead of Python."""
    return [path for path in sorted(SOURCES.rglob("*.c")) if path.parent.name != ALONE]


def sources() -> list[str]:
    """Return the paths of the C files, relative to the root, as setuptools requires."""
    return [str(path.relative_to(ROOT)) for path in c_files()]


def builder(flags: list[str]) -> FFI:
    """Return the builder of the module; its function ck_built_with() returns the compiler and the flags."""
    generate()
    ffi = FFI()
    headers = [name for name in DECLARED if (SOURCES / name).exists()]
    for name in headers:
        ffi.cdef(declarations((SOURCES / name).read_text(encoding="utf-8")))
    ffi.cdef("const char *ck_built_with(void);")
    shown = " ".join(flag for flag in flags if not flag.startswith("-fno-builtin-"))
    lines = [f'#include "{name}"' for name in headers]
    lines += ["#ifndef __clang__", '#define COMPILER "gcc " __VERSION__', "#else"]
    lines += ["#define COMPILER __VERSION__", "#endif"]
    lines += ["static const char *ck_built_with(void) {", f'    return COMPILER " {shown}";', "}"]
    ffi.set_source(
        MODULE,
        "\n".join(lines),
        sources=sources(),
        include_dirs=[str(folder.relative_to(ROOT)) for folder in (SOURCES, GENERATED)],
        depends=[
            str(path.relative_to(ROOT))
            for folder in (SOURCES, GENERATED)
            for path in sorted(folder.rglob("*.[hd]*"))
        ],
        extra_compile_args=flags,
        libraries=["m"],
        # The bridge uses what the limited interface of Python lacks.
        py_limited_api=False,
        # Without a compiler the package is installed without this engine.
        optional=True,
    )
    return ffi


def ffibuilder() -> FFI:
    """Return the builder that setup.py names in cffi_modules."""
    return builder(FLAGS)


def suffix() -> str:
    """Return the suffix of extension modules here."""
    return str(sysconfig.get_config_var("EXT_SUFFIX"))


def compiler() -> list[str] | None:
    """Return the command of the C compiler, the environment's CC first; None if there is none."""
    for command in (os.environ.get("CC"), sysconfig.get_config_var("CC"), "cc", "gcc", "clang"):
        words = shlex.split(command or "")
        if words and shutil.which(words[0]):
            return words
        if command and command == os.environ.get("CC"):
            return None
    return None


def build(strict: bool = False, sanitized: str | None = None, force: bool = False) -> Path | None:
    """Bring the module up to date; return its path, or None without a compiler.

    sanitized: which of the builds with sanitizers it is; None: the usual one.
    Raise CalledProcessError if something does not compile; the compiler has printed why.
    """
    command = compiler()
    if command is None:
        return None
    own, of_link = SANITIZED[sanitized] if sanitized else ([], [])
    kind = "-".join([*([sanitized] if sanitized else ()), *(["strict"] * strict)]) or "plain"
    folder = OBJECTS / kind
    folder.mkdir(parents=True, exist_ok=True)
    target = (folder if sanitized else Path(__file__).resolve().parent) / f"_runtime{suffix()}"
    with (folder / "lock").open("w") as lock:
        wait_for(lock.fileno())
        flags = [*FLAGS, *own]
        if force or _changed(folder / "command", f"{command} {flags} {sys.version}"):
            for path in folder.glob("*.o"):
                path.unlink()
        objects = _objects([*command, "-fPIC", *flags], folder, flags, strict)
        linked = folder / f"linked{suffix()}"
        if not linked.exists() or any(_newer(path, linked) for path in objects):
            _link(command, objects, linked, of_link)
        if not target.exists() or target.read_bytes() != linked.read_bytes():
            copy = target.with_suffix(f".{os.getpid()}")
            shutil.copyfile(linked, copy)
            copy.replace(target)
    return target


def wait_for(lock: int) -> None:
    """Wait for other builds of the same kind."""
    import fcntl  # noqa: PLC0415  (setup.py reads this file on Windows, which has none)

    fcntl.flock(lock, fcntl.LOCK_EX)


def _changed(path: Path, text: str) -> bool:
    """Return whether the file held another text; write this one then."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def _newer(path: Path, than: Path) -> bool:
    return path.stat().st_mtime_ns > than.stat().st_mtime_ns


def _objects(command: list[str], folder: Path, flags: list[str], strict: bool) -> list[Path]:
    """Return the object files, each compiled if it is out of date."""
    generated = folder / "_runtime.c"
    with redirect_stdout(None):
        builder(flags).emit_c_code(str(generated))  # leaves a file alone that is as it should be
    include = ["-I", str(SOURCES), "-I", str(GENERATED), "-I", sysconfig.get_path("include")]
    jobs: list[Callable[[], None]] = []
    objects = []
    for source in [*c_files(), generated]:
        target = folder / f"{source.stem}.o"
        ours = ["-w"] if source == generated else WARNINGS if strict else []
        if is_stale(target, source):
            arguments = [*command, *ours, *include, *OURS, "-c", str(source), "-o", str(target)]
            jobs.append(lambda arguments=arguments: _do(arguments))  # type: ignore[misc]
        objects.append(target)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()
    return objects


def is_stale(target: Path, source: Path) -> bool:
    """Return whether an object is older than anything that it was made from, which the compiler lists."""
    listed = target.with_suffix(".d")
    if not target.exists() or not listed.exists() or _newer(source, target):
        return True
    used = [Path(name) for name in listed.read_text(encoding="utf-8").replace("\\\n", " ").split()[1:]]
    return any(not path.exists() or _newer(path, target) for path in used)


def _link(command: list[str], objects: list[Path], target: Path, flags: list[str]) -> None:
    shared = shlex.split(str(sysconfig.get_config_var("LDSHARED")))[1:]
    _do([*command, *shared, *flags, *map(str, objects), "-lm", "-o", str(target)])


def _do(arguments: list[str]) -> None:
    subprocess.run(arguments, check=True)


def main() -> int:
    """Build as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description="Build the C engine's module.")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    for name, what in (("hostile", "sanitizers of memory"), ("races", "the sanitizer of threads")):
        parser.add_argument(f"--{name}", action="store_true", help=f"with {what}, into build/ctarget/{name}/")
    parser.add_argument("--force", action="store_true", help="compile everything again")
    options = parser.parse_args()
    try:
        sanitized = "hostile" if options.hostile else "races" if options.races else None
        target = build(options.strict, sanitized, options.force)
    except subprocess.CalledProcessError as error:
        command = [word for word in error.cmd if not word.startswith("-fno-builtin-")]
        print(f"failed: {shlex.join(command)}", file=sys.stderr)
        return 1
    if target is None:
        print("there is no C compiler: engine c is not built (set CC to name one)", file=sys.stderr)
    elif sanitized:
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
