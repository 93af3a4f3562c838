"""Shared objects of units that were made before, in a folder of the user's.

In: keys, which say all that a shared object depends on; new files. Out: the content of files that are whole.
The folder is "translated" in what the environment variable CHECKPOINT_CACHE names, else in the user's cache
folder for checkpoint; where there is none, where it cannot be written to, or where others could put files
(folders.py), a temporary one that is removed when the process ends.

    KEY.unit   a shared object, behind MAGIC and the SHA-256 of its content
    XX.lock    held while one is made whose key begins so
    *.make     folders in which compilers are at work; *.new, *.load files on their way

What always holds: files get their names when they are whole; one whose content is not what its digest says is
not used. Any of them may vanish at any time. All together have MOST bytes at most, about.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from checkpoint.ctarget.peers import making
from checkpoint.ctarget.translate.compile import folders, processes
from checkpoint.ctarget.translate.compile.compiler import Compiler, flags, headers_digest, libraries
from checkpoint.ctarget.translate.compile.folders import Folder
from checkpoint.ctarget.translate.compile.processes import CompilationError

MOST = 256 * 2**20  # bytes
LEFT = 3 / 4  # of MOST, after files were removed
ABANDONED = 3600  # seconds after which an unfinished file counts as abandoned
MAGIC = b"checkpoint unit 2\n"
_DIGEST = 32  # bytes
_UNFINISHED = (".make", ".new", ".load", ".so", ".sum")  # the last two are of a format that is no longer read
LOCK_SECONDS = 30.0  # the longest wait for another process that makes the same file
LOCK_PAUSE = 0.02  # seconds between two tries

_opened: dict[str, Folder] = {}  # the last one, by the CHECKPOINT_CACHE that names it


def folder() -> Folder:
    """Return the folder where the files are; CompilationError if there is not even a temporary one."""
    named = os.environ.get("CHECKPOINT_CACHE", "")
    found = _opened.get(named)
    if found is None or not found.is_there:
        try:
            found = _open(named)
        except OSError as error:
            raise CompilationError(f"there is no folder to compile in: {error}") from None
        _opened.clear()
        _opened[named] = found
    return found


def _open(named: str) -> Folder:
    try:
        return folders.trusted(wanted_folder(named))
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        return folders.temporary(str(error))


def wanted_folder(named: str) -> Path:
    """Return where the files should be, with that CHECKPOINT_CACHE; RuntimeError if there is no home."""
    # Here and below imported when first needed: most runs translate nothing.
    import platformdirs  # noqa: PLC0415

    base = Path(named or platformdirs.user_cache_dir("checkpoint", appauthor=False)).expanduser()
    if not named and not base.is_absolute():
        raise RuntimeError("there is no home folder")
    return base.absolute() / "translated"


def described() -> str:
    """Return where the files are kept, for people."""
    try:
        found = folder()
    except CompilationError as error:
        return str(error)
    if found.reason is None:
        return str(found.path)
    return f"a temporary one, removed when the process ends: {found.reason}"


# Keys


def key(source: str, version: str, compiler: Compiler) -> str:
    """Return the key of the shared object that a compiler of this version makes of a source here."""
    command = " ".join((*compiler.words, *flags(compiler.is_zig), *libraries(compiler.is_zig)))
    system = (platform.machine(), sys.platform, _libc(), str(sys.maxsize))
    digest = hashlib.sha256()
    for text in (version, command, headers_digest(), *system, source):
        content = text.encode()
        digest.update(b"%d " % len(content) + content)
    return digest.hexdigest()


def _libc() -> str:
    names = getattr(os, "confstr_names", {})
    return str(os.confstr("CS_GNU_LIBC_VERSION")) if "CS_GNU_LIBC_VERSION" in names else "libc"


_versions: dict[str, str] = {}


def known_version(compiler: Compiler) -> str | None:
    """Return what that compiler said of itself, if it was ever asked; it is not started."""
    try:
        identity = compiler.identity()
        if identity not in _versions:
            _versions[identity] = folder().read(_version_file(identity)).decode()
        return _versions[identity]
    except (OSError, UnicodeDecodeError, CompilationError):
        return None


def version(compiler: Compiler) -> str:
    """Return what the compiler says of itself; CompilationError."""
    found = known_version(compiler)
    if found is not None:
        return found
    said = compiler.version()
    with suppress(OSError):  # it is queried again later
        identity = compiler.identity()
        _versions[identity] = said
        folder().replace(_version_file(identity), said.encode())
    return said


def _version_file(identity: str) -> str:
    return f"{hashlib.sha256(identity.encode()).hexdigest()}.version"


# Files


def file_of(name: str) -> str:
    """Return the name of the file with a key's shared object, if there is one."""
    return f"{name}.unit"


def found(name: str) -> bytes | None:
    """Return the content of a key's shared object, if it is there and whole; it counts as used now."""
    place = folder()
    try:
        content = place.read(file_of(name))
        place.touch(file_of(name))
    except OSError:
        return None
    head = len(MAGIC) + _DIGEST
    return content[head:] if content[:head] == MAGIC + _digest(content[head:]) else None


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def put(name: str, content: bytes) -> None:
    """Keep a new shared object, if there is room; the least recently used ones are removed."""
    with suppress(OSError):  # it is then made again another time
        folder().replace(file_of(name), MAGIC + _digest(content) + content)
    _bound()


def forget(name: str) -> None:
    """Remove the shared object of a key."""
    folder().remove(file_of(name))


@contextmanager
def workplace() -> Iterator[Folder]:
    """Yield a folder for one compilation, on the file system of the cache."""
    place = folder()
    try:
        made = place.new_folder(".make")
    except OSError as error:
        raise CompilationError(f"there is no place to compile in: {error}") from None
    try:
        yield made
    finally:
        place.remove_folder(made.path.name)


# Locks


def locked(name: str) -> AbstractContextManager[bool]:
    """Hold off other processes and threads that make the shared object of a key, but not for ever: one that
    was waited for too long is not waited for any more, and the file is made twice.
    """
    return _lock(f"{name[:2]}.lock", LOCK_SECONDS)


# Files of locks that are held. By flock itself rather than by the package filelock: that does things before
# and after a fork, and of a fork in another thread while it is imported only what is to be done after it.
_held: set[int] = set()


@contextmanager
def _lock(name: str, seconds: float) -> Iterator[bool]:
    """Yield whether the lock was acquired within so many seconds, or the file system has no locks."""
    import fcntl  # noqa: PLC0415  (there is none on Windows, nor this engine)

    try:
        with making:  # a process that is forked knows of all of them
            file = os.open(
                name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600, dir_fd=folder().descriptor
            )
            _held.add(file)
    except OSError:
        yield True
        return
    try:
        yield _acquired(file, seconds)
    finally:
        with making:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)
            _held.discard(file)
            os.close(file)


def _acquired(file: int, seconds: float) -> bool:
    """Return whether a lock was acquired within so many seconds, or the file system has none."""
    import fcntl  # noqa: PLC0415  (there is none on Windows, nor this engine)

    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end or processes.is_ending():
                return False
        except OSError:
            return True
        else:
            return True
        time.sleep(LOCK_PAUSE)


def forget_locks() -> None:
    """Close the locks in a forked process: they belong to its parent."""
    for file in _held:
        os.close(file)
    _held.clear()


# What goes


def _bound() -> None:
    """Remove the least recently used files if the total is too large; only one process does so."""
    with _lock("bound.lock", 0.0) as alone:
        if alone:
            _remove_abandoned()
            _remove_oldest()


def _remove_oldest() -> None:
    place = folder()
    units = [(at.st_mtime, at.st_size, name) for name, at in place.files() if name.endswith(".unit")]
    held = sum(size for _, size, _ in units)
    if held <= MOST:
        return
    for _, size, name in sorted(units):
        if held <= MOST * LEFT:
            return
        place.remove(name)
        held -= size


def _remove_abandoned() -> None:
    place, before = folder(), time.time() - ABANDONED
    for name, at in place.files():
        if name.endswith(_UNFINISHED) and at.st_mtime < before:
            (place.remove_folder if stat.S_ISDIR(at.st_mode) else place.remove)(name)
