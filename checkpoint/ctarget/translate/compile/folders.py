"""Folders that nobody else can put files in: what is found in one is run.

In: a path. Out: a Folder, whose descriptor is held: whatever becomes of the path, files are read and written
in the very folder that was checked. A folder is trusted if it is the user's and nobody else may write to it,
and if nobody but the user and root can rename any folder on the way to it: each is theirs, and others may
write to it only where a sticky bit keeps them from renaming what is not theirs, as in /tmp. (Access control
lists are not read.)

Linux opens a file of the folder by /proc/self/fd. Elsewhere the path is used, which is safe as long as the
check of the way holds: only the user and root can change the way later.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_DESCRIPTORS = Path("/proc/self/fd")
LARGEST = 256 * 2**20  # bytes of a file that is read


class Folder:
    """A folder that is kept open. reason: why it is a temporary one, if it is."""

    def __init__(self, path: Path, reason: str | None = None, within: int | None = None) -> None:
        self.path = path
        self.reason = reason
        self.descriptor = os.open(path if within is None else path.name, _FOLDER, dir_fd=within)
        weakref.finalize(self, os.close, self.descriptor).atexit = False
        found = os.fstat(self.descriptor)
        self._identity = found.st_dev, found.st_ino
        if found.st_uid != os.geteuid() or found.st_mode & _WRITABLE_BY_OTHERS:
            raise PermissionError(f"{path} is not yours alone: others may write to it")

    @property
    def is_there(self) -> bool:
        """Return whether the path still leads here."""
        try:
            found = os.stat(self.path)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._identity

    def reachable(self, name: str) -> str:
        """Return the path by which this process opens a file of the folder, if no other part of it does."""
        held = _DESCRIPTORS / str(self.descriptor)
        return str((held if held.exists() else self.path) / name)

    # Files

    def read(self, name: str) -> bytes:
        """Return the content of a file of the user's; OSError."""
        with os.fdopen(os.open(name, _READ, dir_fd=self.descriptor), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_size > LARGEST:
                raise PermissionError(f"{self.path / name} is no file of yours")
            return file.read()

    def create(self, name: str) -> int:
        """Return the descriptor of a new file, which only the user may read and write."""
        return os.open(name, _NEW, 0o600, dir_fd=self.descriptor)

    def write(self, name: str, content: bytes) -> None:
        """Write a new file."""
        with os.fdopen(self.create(name), "wb") as file:
            file.write(content)

    def replace(self, name: str, content: bytes) -> None:
        """Write a file that gets its name when it is whole."""
        new = f"{secrets.token_hex(8)}.new"
        try:
            self.write(new, content)
            os.replace(new, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        except OSError:
            self.remove(new)
            raise

    def remove(self, name: str) -> None:
        """Remove a file, if it is there and can be removed."""
        with suppress(OSError):
            os.unlink(name, dir_fd=self.descriptor)

    def touch(self, name: str) -> None:
        """Mark a file as used now."""
        os.utime(name, dir_fd=self.descriptor, follow_symlinks=False)

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the names of all that is in the folder, with what the system says of each."""
        for name in os.listdir(self.descriptor):
            with suppress(OSError):  # it is gone meanwhile
                yield name, os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    # Folders within

    def new_folder(self, suffix: str) -> Folder:
        """Return a new folder within this one."""
        name = secrets.token_hex(8) + suffix
        os.mkdir(name, 0o700, dir_fd=self.descriptor)
        return Folder(self.path / name, within=self.descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove a folder with all that is in it, as far as that can be."""
        shutil.rmtree(name, ignore_errors=True, dir_fd=self.descriptor)


def trusted(path: Path) -> Folder:
    """Return a folder, made if it is not there; OSError says why it cannot be used."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    resolved = path.resolve(strict=True)
    for parent in resolved.parents:
        _check(parent)
    folder = Folder(resolved)
    if not os.access(resolved, os.W_OK | os.X_OK):
        raise PermissionError(f"{path} cannot be written to")
    return folder


def _check(path: Path) -> None:
    """Raise PermissionError if somebody else could put another folder where one on the way is."""
    found = path.lstat()
    if found.st_uid not in (0, os.geteuid()):
        raise PermissionError(f"{path} belongs to another user")
    others = found.st_mode & _WRITABLE_BY_OTHERS
    if others == stat.S_IWGRP and _is_private(found.st_gid):
        return
    if others and not found.st_mode & stat.S_ISVTX:
        raise PermissionError(f"others may write to {path}")


def _is_private(group: int) -> bool:
    """Return whether a group is the user's own, of the user's name and without other members."""
    import grp  # noqa: PLC0415  (few need it)
    import pwd  # noqa: PLC0415

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user.pw_name and not set(found.gr_mem) - {user.pw_name}


def temporary(reason: str) -> Folder:
    """Return a new folder, which is removed when this process ends."""
    folder = Folder(Path(tempfile.mkdtemp(prefix="checkpoint-")).resolve(), reason)
    _temporaries.append((str(folder.path), os.getpid()))
    return folder


_temporaries: list[tuple[str, int]] = []


def remove_temporaries() -> None:
    """Remove the temporary folders of this process."""
    for path, process in _temporaries:
        if process == os.getpid():
            shutil.rmtree(path, ignore_errors=True)
