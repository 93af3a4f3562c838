"""Shared objects of units that were made before, in a folder of the user's.

In: keys, which say all that a shared object depends on; new files. Out: files that are whole. The folder is
"translated" in what the environment variable CHECKPOINT_CACHE names, else in the user's cache folder for
checkpoint; where it cannot be written to, or is not the user's alone, a temporary one of the process.

    KEY.so   a shared object          KEY.sum   the SHA-256 of its content
    XX.lock  held while one is made whose key begins so
    *.make   folders in which compilers are at work

What always holds: files get their names when they are whole; one whose content is not what its sum says is
not used. Any of them may vanish at any time. All together have MOST bytes at most, about.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path

from checkpoint.ctarget.peers import making
from checkpoint.ctarget.translate.compile.compiler import (
    CompilationError,
    Compiler,
    flags,
    headers_digest,
    libraries,
)

MOST = 256 * 2**20  # bytes
LEFT = 3 / 4  # of MOST, after files were removed
ABANDONED = 3600  # seconds after which what is not finished is nobody's any more
FORMAT = "1"  # of the files here


def folder() -> Path:
    """Where the files are; it exists."""
    return _folder(os.environ.get("CHECKPOINT_CACHE", ""), os.getpid())


@cache
def _folder(named: str, process: int) -> Path:
    path = wanted_folder(named)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(path):
            return _temporary(process)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError:
        return _temporary(process)


def wanted_folder(named: str) -> Path:
    """Where the files should be, with that CHECKPOINT_CACHE."""
    # Here and below by name, when first needed: most runs translate nothing.
    base = named or import_module("platformdirs").user_cache_dir("checkpoint", appauthor=False)
    return Path(base).expanduser().absolute() / "translated"


def _is_ours(path: Path) -> bool:
    """Whether nobody else can put files there: what is found is run."""
    found = path.stat()
    others = stat.S_IWGRP | stat.S_IWOTH
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & others)


@cache
def _temporary(process: int) -> Path:
    path = tempfile.mkdtemp(prefix="checkpoint-")
    atexit.register(_remove_temporary, path, process)
    return Path(path)


def _remove_temporary(path: str, process: int) -> None:
    if process == os.getpid():
        shutil.rmtree(path, ignore_errors=True)


# Keys


def key(source: str, version: str, compiler: Compiler) -> str:
    """Of the shared object that a compiler of this version makes of a source here."""
    used = (
        *(
            FORMAT,
            version,
            " ".join((*compiler.words, *flags(compiler.is_zig), *libraries(compiler.is_zig))),
            headers_digest(),
        ),
        *(platform.machine(), sys.platform, _libc(), str(sys.maxsize), source),
    )
    digest = hashlib.sha256()
    for text in used:
        content = text.encode()
        digest.update(b"%d " % len(content) + content)
    return digest.hexdigest()


def _libc() -> str:
    names = getattr(os, "confstr_names", {})
    return str(os.confstr("CS_GNU_LIBC_VERSION")) if "CS_GNU_LIBC_VERSION" in names else "libc"


_versions: dict[str, str] = {}


def known_version(compiler: Compiler) -> str | None:
    """What that compiler said of itself, if it was ever asked; it is not started."""
    try:
        identity = compiler.identity()
        if identity not in _versions:
            _versions[identity] = _version_file(identity).read_text(encoding="utf-8")
        return _versions[identity]
    except (OSError, UnicodeDecodeError):
        return None


def version(compiler: Compiler) -> str:
    """What the compiler says of itself; CompilationError."""
    found = known_version(compiler)
    if found is not None:
        return found
    said = compiler.version()
    try:
        identity = compiler.identity()
        _versions[identity] = said
        _write(_version_file(identity), said.encode())
    except OSError:
        return said  # it will be asked again
    return said


def _version_file(identity: str) -> Path:
    return folder() / f"{hashlib.sha256(identity.encode()).hexdigest()}.version"


# Files


def path_of(name: str) -> Path:
    """Where the shared object of a key is, if there is one."""
    return folder() / f"{name}.so"


def found(name: str) -> Path | None:
    """The shared object of a key, if it is there and whole; it counts as used now."""
    path = path_of(name)
    try:
        if path.with_suffix(".sum").read_bytes() != _sum(path.read_bytes()):
            return None
        os.utime(path)
    except OSError:
        return None
    return path


def _sum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def put(name: str, made: Path) -> None:
    """A new shared object gets its name, if there is room; its key is locked. Too many others go."""
    path = path_of(name)
    forget(name)
    with suppress(OSError):  # it is then made again another time
        content = made.read_bytes()
        made.replace(path)
        _write(path.with_suffix(".sum"), _sum(content))
    _bound()


def forget(name: str) -> None:
    """What there is of a key goes."""
    for suffix in (".sum", ".so"):
        with suppress(OSError):
            path_of(name).with_suffix(suffix).unlink()


def _write(path: Path, content: bytes) -> None:
    number, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        raise


def locked(name: str) -> AbstractContextManager[bool]:
    """While the shared object of a key is made: no other process makes it, nor another thread."""
    return _lock(f"{name[:2]}.lock", waits=True)


# Files of locks that are held. By flock itself rather than by the package filelock: that does things before
# and after a fork, and of a fork in another thread while it is imported only what is to be done after it.
_held: set[int] = set()


@contextmanager
def _lock(name: str, waits: bool) -> Iterator[bool]:
    """Whether there is no other holder. Where the file system has no locks, things may be made twice."""
    import fcntl  # noqa: PLC0415  (there is none on Windows, nor this engine)

    try:
        with making:  # a process that is forked knows of all of them
            file = os.open(folder() / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            _held.add(file)
    except OSError:
        yield True
        return
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:
            yield True
            return
        try:
            yield True
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        with making:
            _held.discard(file)
            os.close(file)


def forget_locks() -> None:
    """In a process that was forked: they are its parent's."""
    for file in _held:
        os.close(file)
    _held.clear()


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for one compilation, on the file system of the cache."""
    try:
        path = tempfile.mkdtemp(dir=folder(), suffix=".make")
    except OSError as error:
        raise CompilationError(f"there is no place to compile in: {error}") from None
    try:
        yield Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _bound() -> None:
    """Remove what was not used for longest, where all together is too much; only one process does."""
    with _lock("bound.lock", waits=False) as alone:
        if alone:
            _remove_abandoned()
            _remove_oldest()


def _remove_oldest() -> None:
    files: list[tuple[float, int, str]] = []
    for path in folder().glob("*.so"):
        with suppress(OSError):
            at = path.stat()
            files.append((at.st_mtime, at.st_size, path.stem))
    held = sum(size for _, size, _ in files)
    if held <= MOST:
        return
    for _, size, name in sorted(files):
        if held <= MOST * LEFT:
            return
        forget(name)
        held -= size


def _remove_abandoned() -> None:
    before = time.time() - ABANDONED
    for path in [*folder().glob("*.make"), *folder().glob("*.new")]:
        with suppress(OSError):
            if path.stat().st_mtime < before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
