"""Folders whose files are run: who may write to them, and what is read if they are exchanged."""

from __future__ import annotations

import grp
import os
import pwd
from pathlib import Path
from types import SimpleNamespace

import pytest

from checkpoint.ctarget.translate.compile import folders
from checkpoint.ctarget.translate.compile.folders import Folder, temporary, trusted

OTHER = 54_321  # a user that is neither this one nor root
is_root = os.geteuid() == 0
needs_root = pytest.mark.skipif(not is_root, reason="only root can give files away")


def wanted(tmp_path: Path) -> Path:
    """Return a folder inside a folder of the test's own."""
    return tmp_path / "parent" / "cache" / "translated"


def test_a_folder_is_made_for_the_user_alone(tmp_path: Path) -> None:
    found = trusted(wanted(tmp_path))
    assert found.path == wanted(tmp_path).resolve()
    assert found.reason is None
    assert found.is_there
    assert found.path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o757])
@pytest.mark.parametrize("where", ["parent", "parent/cache"])
def test_a_parent_that_others_may_write_to(where: str, mode: int, tmp_path: Path) -> None:
    trusted(wanted(tmp_path))
    (tmp_path / where).chmod(mode)
    with pytest.raises(PermissionError, match="others may write to"):
        trusted(wanted(tmp_path))
    (tmp_path / where).chmod(0o755)
    trusted(wanted(tmp_path))


def test_a_parent_with_a_sticky_bit_is_like_tmp(tmp_path: Path) -> None:
    trusted(wanted(tmp_path))
    (tmp_path / "parent").chmod(0o1777)
    trusted(wanted(tmp_path))


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_may_write_to(mode: int, tmp_path: Path) -> None:
    trusted(wanted(tmp_path))
    wanted(tmp_path).chmod(mode)
    with pytest.raises(PermissionError, match="is not yours alone"):
        trusted(wanted(tmp_path))


@needs_root
@pytest.mark.parametrize(
    ("where", "reason"),
    [("parent", "belongs to another user"), ("parent/cache/translated", "is not yours alone")],
)
def test_a_folder_of_another_user(where: str, reason: str, tmp_path: Path) -> None:
    trusted(wanted(tmp_path))
    os.chown(tmp_path / where, OTHER, OTHER)
    with pytest.raises(PermissionError, match=reason):
        trusted(wanted(tmp_path))


@pytest.mark.parametrize(
    ("name", "members", "is_allowed"),
    [("me", [], True), ("me", ["me"], True), ("me", ["you"], False), ("all", [], False)],
)
def test_a_group_of_the_user_alone_may_write_to_parents(
    name: str, members: list[str], is_allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Allow it, as where the umask is 002."""
    trusted(wanted(tmp_path))
    (tmp_path / "parent").chmod(0o775)
    monkeypatch.setattr(pwd, "getpwuid", lambda user: SimpleNamespace(pw_name="me"))
    monkeypatch.setattr(grp, "getgrgid", lambda group: SimpleNamespace(gr_name=name, gr_mem=members))
    if is_allowed:
        trusted(wanted(tmp_path))
    else:
        with pytest.raises(PermissionError):
            trusted(wanted(tmp_path))


def test_a_link_on_the_way_is_followed_and_its_target_checked(tmp_path: Path) -> None:
    trusted(wanted(tmp_path))
    (tmp_path / "link").symlink_to(tmp_path / "parent")
    assert trusted(tmp_path / "link" / "cache" / "translated").path == wanted(tmp_path).resolve()
    (tmp_path / "parent").chmod(0o777)
    with pytest.raises(PermissionError):
        trusted(tmp_path / "link" / "cache" / "translated")


def test_what_is_put_in_the_place_of_a_folder_is_not_read(tmp_path: Path) -> None:
    """Use the folder that was checked, whatever becomes of its path."""
    found = trusted(wanted(tmp_path))
    found.write("file", b"mine")
    wanted(tmp_path).rename(tmp_path / "away")
    wanted(tmp_path).mkdir()
    (wanted(tmp_path) / "file").write_bytes(b"another's")
    assert not found.is_there
    assert found.read("file") == b"mine"
    if Path("/proc/self/fd").exists():
        assert Path(found.reachable("file")).read_bytes() == b"mine"
    found.replace("other", b"new")
    assert (tmp_path / "away" / "other").read_bytes() == b"new"
    found.remove("file")
    assert (wanted(tmp_path) / "file").exists()


def test_only_files_of_the_user_are_read(tmp_path: Path) -> None:
    found = Folder(tmp_path)
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    reasons = {"link": "symbolic", "pipe": "is no file", "folder": "directory", "missing": "No such file"}
    for name, reason in reasons.items():
        with pytest.raises(OSError, match=reason):
            found.read(name)


@needs_root
def test_a_file_of_another_user_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"another's")
    os.chown(tmp_path / "file", OTHER, OTHER)
    with pytest.raises(PermissionError):
        Folder(tmp_path).read("file")


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    found = Folder(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(FileExistsError):
        found.write("link", b"")
    assert not (tmp_path / "target").exists()


def test_a_file_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Folder, name: str, content: bytes) -> None:
        os.close(self.create(name))
        raise OSError("no space left")

    found = Folder(tmp_path)
    found.replace("file", b"old")
    monkeypatch.setattr(Folder, "write", full)
    with pytest.raises(OSError, match="no space left"):
        found.replace("file", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_temporary_folder_goes_with_the_process_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_temporaries", [])
    found = temporary("there is no other")
    assert found.reason == "there is no other"
    folders._temporaries.append((str(found.path), -1))  # of a parent
    folders._temporaries.reverse()
    with monkeypatch.context() as patch:
        patch.setattr(folders, "_temporaries", folders._temporaries[:1])
        folders.remove_temporaries()
    assert found.is_there
    folders.remove_temporaries()
    assert not found.path.exists()


def test_a_descriptor_is_closed_with_its_folder(tmp_path: Path) -> None:
    found = Folder(tmp_path)
    descriptor = found.descriptor
    del found
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
