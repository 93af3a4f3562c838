"""Compiles programs to executables: the runtime once, and then each program with it.

In: a program as C (checkpoint.ctarget.alone.program). Out: an executable. The runtime is the machine's C
without the parts that work on Python's objects, and with those of ctemplates/alone/ in their place; it is
kept as one object file where translated units are kept, under a key that says all that it depends on.
"""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from checkpoint.ctarget.flags import HOSTILE, RUNTIME, SANITIZERS, WARNINGS
from checkpoint.ctarget.translate.compile import cache as kept
from checkpoint.ctarget.translate.compile import compiler, processes
from checkpoint.ctarget.translate.compile.compiler import HEADERS, Compiler
from checkpoint.ctarget.translate.compile.folders import Folder
from checkpoint.ctarget.translate.compile.processes import CompilationError
from checkpoint.scalars import c_text

# What works on Python's objects, or is for callers from Python: folders, and files of others.
OF_PYTHON = frozenset(
    (
        "api",
        "array_steps",
        "arrays",
        "at_once",
        "bridge",
        "by_name",
        "foreign",
        "lanes",
        "numpy",
        "tasks",
        "unit_arrays",
    )
)
FILES_OF_PYTHON = frozenset(
    ("containers/peek.c", "control/closed.c", "memory/exceptions.c", "memory/memory.c", "operators/code.c")
)
WITHOUT_PYTHON = frozenset(("foreign/unwind.c",))  # in such a folder, but needed
SECONDS = 300.0  # the longest that the compiler may take for one file
LIBRARIES = ("-lm", "-pthread")


def build(program: str, target: Path, strict: bool = False, hostile: bool = False) -> None:
    """Make the executable of a program, which is given as C; CompilationError.

    strict: every warning is an error. hostile: with the address and the undefined behaviour sanitizer.
    """
    command = compiler.find()
    if command is None:
        raise CompilationError(f"there is no C compiler: {compiler.INSTEAD}")
    flags = (*RUNTIME, *(compiler.OF_ZIG if command.is_zig else ()))
    flags += (*(WARNINGS if strict else ()), *(HOSTILE if hostile else ()))
    with kept.workplace() as place:
        place.write("runtime.o", _runtime(command, flags, place))
        place.write("program.c", program.encode("utf-8", "surrogatepass"))
        _compile(command, flags, place.path / "program.c", place.path / "program.o")
        linked = place.path / "linked"
        objects = [str(place.path / name) for name in ("program.o", "runtime.o")]
        _run([*command.words, *(SANITIZERS if hostile else ()), *objects, *LIBRARIES, "-o", str(linked)])
        _replace(linked, target)


def sources() -> list[Path]:
    """Return the C files of the runtime of executables."""
    found = []
    for path in sorted(HEADERS.rglob("*.c")):
        name = path.relative_to(HEADERS).as_posix()
        if name in WITHOUT_PYTHON or not (path.parent.name in OF_PYTHON or name in FILES_OF_PYTHON):
            found.append(path)
    return found


def _runtime(command: Compiler, flags: tuple[str, ...], place: Folder) -> bytes:
    """Return the object file of the runtime, made if it is not kept."""
    key = kept.key(" ".join((_digest(), *flags)), kept.version(command), command)
    found = kept.found(key)
    if found is not None:
        return found
    objects = [str(place.path / f"{path.parent.name}-{path.stem}.o") for path in sources()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(_compile, command, flags, path, Path(name))
            for path, name in zip(sources(), objects, strict=True)
        ]
        for job in jobs:
            job.result()
    linked = place.path / "whole.o"
    _run([*command.words, "-r", "-nostdlib", *objects, "-o", str(linked)])
    content = linked.read_bytes()
    kept.put(key, content)
    return content


@cache
def _digest() -> str:
    """Return a digest of all that the runtime is compiled from."""
    digest = hashlib.sha256(c_text.table().encode())
    for path in sources():
        content = path.read_bytes()
        digest.update(f"{path.relative_to(HEADERS)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _compile(command: Compiler, flags: tuple[str, ...], source: Path, target: Path) -> None:
    generated = _generated(target.parent)
    include = ["-I", str(HEADERS), "-I", str(generated)]
    _run([*command.words, *flags, *include, "-c", str(source), "-o", str(target)])


def _generated(place: Path) -> Path:
    """Return the folder of the headers that are made of definitions in Python."""
    folder = place / "generated"
    path = folder / "scalars" / "scalars.def"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        copy = path.with_name(f"{os.urandom(8).hex()}.def")
        copy.write_text(c_text.table(), encoding="utf-8")
        copy.replace(path)
    return folder


def _run(command: list[str]) -> None:
    """Run a compiler; what it prints is the error's text."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as said, ThreadPoolExecutor(1) as pool:
        text = pool.submit(said.read)
        try:
            status = processes.run(command, writing, SECONDS)
        finally:
            os.close(writing)
        printed = text.result().decode(errors="replace").strip()
    if status is None:
        raise CompilationError(f"{command[0]} was not done after {SECONDS:.0f} seconds")
    if status:
        raise CompilationError(f"{command[0]} failed with status {status}: {printed}")


def _replace(made: Path, target: Path) -> None:
    """Put an executable where it is wanted, whole or not at all."""
    copy = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        copy.write_bytes(made.read_bytes())
        copy.chmod(0o777 & ~_umask())
        copy.replace(target)
    except OSError as error:
        copy.unlink(missing_ok=True)
        raise CompilationError(f"{target}: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
