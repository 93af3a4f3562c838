"""The cache of shared objects: what is damaged, foreign or in nobody's hands, many processes, its size."""

from __future__ import annotations

import multiprocessing
import os
import platform
import shutil
import struct
import time
from pathlib import Path

import pytest

from checkpoint.ctarget.translate.compile import cache, compilation, compiler
from checkpoint.ctarget.translate.compile.compilation import Compilation
from tests.ctarget.translate.shared_objects import (
    calls,
    counting_compiler,
    needs_c,
    needs_compiler,
    number_of,
    plain,
    without_functions,
)

pytestmark = [needs_c, needs_compiler]


@pytest.fixture(autouse=True)
def in_a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def by(tmp_path: Path) -> compiler.Compiler:
    return compiler.Compiler((str(counting_compiler(tmp_path)),))


def made(source: str, by: compiler.Compiler) -> Compilation:
    """Return a compilation that has ended."""
    begun = Compilation(source, by)
    begun.wait()
    return begun


def number(source: str, by: compiler.Compiler) -> int:
    """Return the number of a unit that was compiled or found."""
    loaded = made(source, by).loaded
    assert loaded is not None
    return number_of(loaded)


def path_of(source: str, by: compiler.Compiler) -> Path:
    return cache.folder().path / cache.file_of(cache.key(source, cache.version(by), by))


def forgotten() -> None:
    """Forget what this process has loaded, so that the cache is read."""
    compilation._loaded.clear()


def test_a_known_unit_is_loaded_at_once(by: compiler.Compiler, tmp_path: Path) -> None:
    assert number(plain(7), by) == 7
    again = Compilation(plain(7), by)
    assert again.ended  # nothing was waited for
    assert again.loaded is not None
    assert number(plain(8), by) == 8
    assert calls(tmp_path) == 2


def test_only_the_user_can_read_or_write_the_folder(by: compiler.Compiler) -> None:
    number(plain(7), by)
    assert cache.folder().path.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in cache.folder().path.iterdir())


def foreign(content: bytes) -> bytes:
    """Return the same file, for another architecture."""
    machine = 183 if platform.machine() == "x86_64" else 62
    return content[:18] + struct.pack("<H", machine) + content[20:]


DAMAGES = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[:5000],
    "a byte": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "zeros": lambda content: content[:4096] + bytes(len(content) - 4096),
    "text": lambda content: b"rubbish",
    "another architecture": foreign,
}


@pytest.mark.parametrize(("kind", "k"), [(kind, k) for k, kind in enumerate(DAMAGES)])
def test_a_damaged_file_is_compiled_again(kind: str, k: int, by: compiler.Compiler, tmp_path: Path) -> None:
    source = plain(100 + k)
    content = _bytes_of(source, by)
    path_of(source, by).write_bytes(DAMAGES[kind](content))
    assert number(source, by) == 100 + k
    assert calls(tmp_path) == 2
    assert len(path_of(source, by).read_bytes()) == len(content)


def _compiled(source: str, by: compiler.Compiler) -> bytes:
    """Return what a source compiles to, neither loaded nor cached."""
    with cache.workplace() as folder:
        return compilation._compile(by, source, folder)


def _bytes_of(source: str, by: compiler.Compiler) -> bytes:
    """Return the cache's file for what a source compiles to, which is not loaded."""
    cache.put(cache.key(source, cache.version(by), by), _compiled(source, by))
    return path_of(source, by).read_bytes()


@pytest.mark.parametrize(
    ("kind", "k"),
    [(kind, k) for k, kind in enumerate(("another architecture", "text", "empty", "truncated"))],
)
def test_a_file_that_does_not_load_is_compiled_again_even_if_its_digest_is_right(
    kind: str, k: int, by: compiler.Compiler, tmp_path: Path
) -> None:
    source = plain(200 + k)
    _replace(source, DAMAGES[kind](_compiled(source, by)), by)
    assert number(source, by) == 200 + k
    assert calls(tmp_path) == 2


def _replace(source: str, content: bytes, by: compiler.Compiler) -> None:
    cache.put(cache.key(source, cache.version(by), by), content)


def test_another_library_under_a_key_is_compiled_again(by: compiler.Compiler, tmp_path: Path) -> None:
    _replace(plain(300), _compiled(without_functions(), by), by)
    assert number(plain(300), by) == 300
    assert calls(tmp_path) == 2


def test_a_missing_file_is_compiled_again(by: compiler.Compiler, tmp_path: Path) -> None:
    number(plain(7), by)
    path_of(plain(7), by).unlink()
    assert number(plain(7), by) == 7
    assert calls(tmp_path) == 2


def test_the_compiler_is_asked_again_where_its_version_is_no_text(by: compiler.Compiler) -> None:
    version = cache.version(by)
    (file,) = cache.folder().path.glob("*.version")
    file.write_bytes(b"\xff\xfe")
    cache._versions.clear()
    assert cache.known_version(by) is None
    assert cache.version(by) == version


def test_the_key_depends_on_all_that_the_code_depends_on(
    by: compiler.Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {
        cache.key("a", "1", by),
        cache.key("b", "1", by),
        cache.key("a", "2", by),
        cache.key("a", "1", compiler.Compiler((*by.words, "-m32"))),
    }
    monkeypatch.setattr(cache, "headers_digest", lambda: "others")
    keys.add(cache.key("a", "1", by))
    monkeypatch.setattr(platform, "machine", lambda: "other")
    keys.add(cache.key("a", "1", by))
    assert len(keys) == 6


def _worker(source: str, words: tuple[str, ...], ready: Path) -> None:
    while not ready.exists():
        time.sleep(0.001)
    assert number(source, compiler.Compiler(words)) == 55


def test_several_processes_compile_a_unit_once(by: compiler.Compiler, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready = tmp_path / "ready"
    workers = [context.Process(target=_worker, args=(plain(55), by.words, ready)) for _ in range(4)]
    for worker in workers:
        worker.start()
    ready.touch()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert calls(tmp_path) == 1


def test_several_threads_compile_a_unit_once(by: compiler.Compiler, tmp_path: Path) -> None:
    compilations = [Compilation(plain(56), by) for _ in range(6)]
    for each in compilations:
        each.wait()
    assert [number_of(each.loaded) for each in compilations] == [56] * 6
    assert calls(tmp_path) == 1


@pytest.mark.parametrize("where", ["/dev/null/cache", "/proc/cache"])
def test_a_folder_that_cannot_be_written_is_replaced(
    where: str, by: compiler.Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHECKPOINT_CACHE", where)
    assert not str(cache.folder().path).startswith(where)
    assert number(plain(9), by) == 9


def test_a_folder_that_others_may_write_to_is_not_used(
    by: compiler.Compiler, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "open" / "translated"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    monkeypatch.setenv("CHECKPOINT_CACHE", str(folder.parent))
    assert number(plain(9), by) == 9
    assert cache.folder().path != folder
    assert "is not yours alone" in cache.described()
    assert not list(folder.iterdir())


def test_a_folder_that_is_removed_is_made_again(by: compiler.Compiler) -> None:
    assert number(plain(10), by) == 10
    before = cache.folder().path
    shutil.rmtree(before)
    assert number(plain(11), by) == 11
    assert cache.folder().path == before
    assert path_of(plain(11), by).exists()


def test_the_default_is_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path in cache.wanted_folder("").parents


def test_the_least_recently_used_file_is_removed(
    by: compiler.Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Set the times of other files: the test does not depend on the clock."""
    number(plain(12), by)
    size = path_of(plain(12), by).stat().st_size
    others = [cache.folder().path / f"{name * 64}.unit" for name in "ab"]
    for at, path in enumerate([*others, path_of(plain(12), by)]):
        path.write_bytes(path.read_bytes() if path.exists() else bytes(size))
        os.utime(path, (at + 1, at + 1))
    forgotten()
    assert Compilation(plain(12), by).ended  # and so was used now
    monkeypatch.setattr(cache, "MOST", int(3.5 * size))
    monkeypatch.setattr(cache, "LEFT", 0.95)
    number(plain(13), by)  # the fourth
    assert [path.exists() for path in others] == [False, True]
    assert path_of(plain(12), by).exists()
    assert path_of(plain(13), by).exists()


def test_a_unit_larger_than_the_limit_still_runs(
    by: compiler.Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST", 10)
    assert number(plain(14), by) == 14
    assert number(plain(15), by) == 15


def test_abandoned_files_are_removed(by: compiler.Compiler) -> None:
    place = cache.folder().path
    old, new = place / "old.make", place / "new.make"
    for folder in (old, new):
        folder.mkdir()
        (folder / "unit.c").touch()
    files = [place / "old.new", place / "old.load", place / "old.so"]
    for file in files:
        file.touch()
    for path in (old, *files):
        os.utime(path, (1, 1))
    number(plain(16), by)
    assert not any(path.exists() for path in (old, *files))
    assert new.exists()
