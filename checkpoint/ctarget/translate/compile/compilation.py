"""Compilations of units' C, each in a thread of its own that mostly waits for the compiler.

In: C text. Out: what was loaded, or why nothing was; nothing is raised. What the cache has is loaded at once,
with no thread and no other process.

What always holds: when the process ends its compilers are ended before, and one that is forked knows of none.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from checkpoint.ctarget.peers import making
from checkpoint.ctarget.translate.compile import cache, compiler
from checkpoint.ctarget.translate.compile.compiler import (
    CompilationError,
    Compiler,
    Loaded,
    LoadingError,
    load,
)

PATIENCE = 1.0  # seconds that a compiler has to end when it is told to
LONGEST_REASON = 500  # characters


class Compilation:
    """One file of C on its way. loaded, reason: once it has ended, one of them. seconds: how long it took."""

    def __init__(self, source: str, by: Compiler) -> None:
        self.loaded: Loaded | None = None
        self.reason: str | None = None
        self.seconds = 0.0
        self._source = source
        self._compiler = by
        self._thread: threading.Thread | None = None
        if not self._load_known():
            self._thread = threading.Thread(target=self._work, name="checkpoint compiles", daemon=True)
            _at_work.add(self._thread)
            self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether there is a result."""
        return self.loaded is not None or self.reason is not None

    def wait(self) -> None:
        """Until it has ended; whoever waits holds no lock of checkpoint.ctarget.code."""
        if self._thread is not None:
            self._thread.join()

    def _load_known(self) -> bool:
        version = cache.known_version(self._compiler)
        if version is None:
            return False
        self.loaded = _loaded(cache.key(self._source, version, self._compiler))
        return self.loaded is not None

    def _work(self) -> None:
        thread, began = threading.current_thread(), perf_counter()
        try:
            loaded = self._make()
        except (CompilationError, OSError) as error:
            self.reason = str(error)[:LONGEST_REASON]
        except BaseException as error:  # nobody else would ever say it
            self.reason = f"{type(error).__name__}: {error}"[:LONGEST_REASON]
        else:
            self.seconds = perf_counter() - began
            self.loaded = loaded
        finally:
            _at_work.discard(thread)

    def _make(self) -> Loaded:
        with making:  # no process is forked meanwhile, in which an import would never end
            cache.key("", "", self._compiler)
            cache.folder()
        name = cache.key(self._source, cache.version(self._compiler), self._compiler)
        with cache.locked(name):
            loaded = _loaded(name)  # another process may have made it meanwhile
            if loaded is not None:
                return loaded
            with cache.workplace() as folder:
                made = _compile(self._compiler, self._source, folder)
                try:
                    loaded = load(made)
                except LoadingError as error:
                    raise CompilationError(f"what was compiled does not load: {error}") from None
                cache.put(name, made)
                return loaded


def _loaded(name: str) -> Loaded | None:
    """What the cache has under a key. What it has in vain goes; it is then made again."""
    path = cache.found(name)
    if path is None:
        return None
    try:
        return load(path)
    except LoadingError:
        cache.forget(name)
        return None


def _compile(by: Compiler, source: str, folder: Path) -> Path:
    """Run the compiler in a folder that is then removed, its own temporary files included."""
    given, made, said = (folder / name for name in ("unit.c", "unit.so", "said"))
    given.write_text(source, encoding="utf-8")
    with said.open("wb") as errors:
        status = _run(by.command(str(given), str(made)), folder, errors.fileno())
    if status or not made.exists():
        text = said.read_text(encoding="utf-8", errors="replace").strip()
        raise CompilationError(f"{by.words[0]} ended with the status {status}: {text or 'it said nothing'}")
    return made


def _run(command: list[str], folder: Path, errors: int) -> int:
    # No process is forked meanwhile: it would inherit the pipe whose end is waited for here.
    with making, _starting:
        if _ending:
            raise CompilationError("the process ends")
        # A group of its own: Ctrl-C is not for the compiler, and the whole group can be ended.
        process = subprocess.Popen(
            command,
            env={**os.environ, "TMPDIR": str(folder), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            start_new_session=True,
        )
        _processes.add(process)
    try:
        return process.wait()
    finally:
        _processes.discard(process)


_at_work: set[threading.Thread] = set()
_processes: set[subprocess.Popen[bytes]] = set()
_starting = threading.Lock()
_ending: list[bool] = []


def _end() -> None:
    """The process ends: so do its compilers."""
    with _starting:
        _ending.append(True)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in list(_processes):
            with suppress(OSError):
                os.killpg(process.pid, number)
        for thread in list(_at_work):
            thread.join(PATIENCE)
        if not _at_work:
            return


def _forget() -> None:
    """In a process that was forked: the compilers are its parent's."""
    global _starting  # noqa: PLW0603
    for process in _processes:
        process.returncode = 0
    _processes.clear()
    _at_work.clear()
    cache.forget_locks()
    _starting = threading.Lock()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def described() -> str:
    """The compiler that there is and what it says of itself, for people."""
    if sys.platform == "win32":
        return "none for Windows yet"
    by = compiler.find()
    if by is None:
        return compiler.NONE
    try:
        return f"{' '.join(by.words)}: {cache.version(by)}"
    except CompilationError as error:
        return str(error)
