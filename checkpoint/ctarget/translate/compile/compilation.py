"""Compilations of units' C, each in a thread of its own that mostly waits for the compiler.

In: C text. Out: what was loaded, or why nothing was; nothing is raised. What this process has loaded, or the
cache has, is there at once, with no thread and no other process.

What always holds: when the process ends its compilers are ended before, and one that is forked knows of none.
A text is loaded once in a process, however many functions use it.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from time import perf_counter
from weakref import WeakValueDictionary

from checkpoint.ctarget.peers import making
from checkpoint.ctarget.translate import boundary
from checkpoint.ctarget.translate.compile import cache, compiler, folders, processes
from checkpoint.ctarget.translate.compile.compiler import Compiler
from checkpoint.ctarget.translate.compile.folders import Folder
from checkpoint.ctarget.translate.compile.loading import Loaded, LoadingError, load
from checkpoint.ctarget.translate.compile.object_files import damage
from checkpoint.ctarget.translate.compile.processes import CompilationError

PATIENCE = 1.0  # seconds that a thread has to end when the process does
LONGEST_REASON = 500  # characters

_loaded: WeakValueDictionary[str, Loaded] = WeakValueDictionary()  # by their keys


class Compilation:
    """The compilation of one file of C.

    loaded, failure: once it has ended, one of them. A CompilationError or OSError has its reason outside of
    this package. seconds: how long the compiler took.
    """

    def __init__(self, source: str, by: Compiler) -> None:
        self.loaded: Loaded | None = None
        self.failure: Exception | None = None
        self.seconds = 0.0
        self._source = source
        self._compiler = by
        self._thread: threading.Thread | None = None
        if not self._load_known():
            self._start()

    @property
    def ended(self) -> bool:
        """Return whether there is a result."""
        return self.loaded is not None or self.failure is not None

    @property
    def reason(self) -> str | None:
        """Return why it failed, as text for people, or None."""
        return None if self.failure is None else str(self.failure)[:LONGEST_REASON]

    def wait(self) -> None:
        """Wait until it has ended; the caller holds no lock of checkpoint.ctarget.peers."""
        if self._thread is not None:
            self._thread.join()
        elif isinstance(self.failure, _NoThreadError):
            self.failure = None
            self._work()

    def _start(self) -> None:
        thread = threading.Thread(target=self._work_in_thread, name="checkpoint compiles", daemon=True)
        _at_work.add(thread)
        try:
            thread.start()
        except RuntimeError as error:
            _at_work.discard(thread)
            self.failure = _NoThreadError(f"no thread can be started: {error}")
        else:
            self._thread = thread

    def _load_known(self) -> bool:
        version = cache.known_version(self._compiler)
        if version is not None:
            self.loaded = _known(cache.key(self._source, version, self._compiler), self._compiler)
        return self.loaded is not None

    def _work_in_thread(self) -> None:
        try:
            self._work()
        except BaseException as error:  # nobody else would ever report it
            self.failure = CompilationError(f"{type(error).__name__}: {error}")
        finally:
            _at_work.discard(threading.current_thread())

    def _work(self) -> None:
        began = perf_counter()
        try:
            with boundary.stage("compiling"):
                loaded = self._make()
        except Exception as error:
            self.failure = error
        else:
            self.seconds = perf_counter() - began
            self.loaded = loaded

    def _make(self) -> Loaded:
        by = self._compiler
        with making:  # no process is forked meanwhile, in which an import would never end
            cache.key("", "", by)
            cache.folder()
        name = cache.key(self._source, cache.version(by), by)
        with cache.locked(name):
            found = _known(name, by)  # another thread or process may have made it meanwhile
            if found is not None:
                return found
            with cache.workplace() as place:
                content = _compile(by, self._source, place)
            loaded = _load(name, content, by)
            cache.put(name, content)
            return loaded


class _NoThreadError(CompilationError):
    """Raised when no thread can be started: the first caller that waits compiles by itself."""


def _known(name: str, by: Compiler) -> Loaded | None:
    """Return what this process or the cache has under a key. What does not load is forgotten."""
    there = _loaded.get(name)
    if there is not None:
        return there
    content = cache.found(name)
    if content is None:
        return None
    try:
        return _load(name, content, by)
    except CompilationError:
        cache.forget(name)
        return None


def _load(name: str, content: bytes, by: Compiler) -> Loaded:
    with boundary.stage("loading"):
        try:
            loaded = load(content, cache.folder(), keeps=by.debugs)
        except LoadingError as error:
            raise CompilationError(f"what was compiled does not load: {error}") from None
    with making:
        return _loaded.setdefault(name, loaded)


def _compile(by: Compiler, source: str, place: Folder) -> bytes:
    """Return what the compiler makes of a source, in a folder of its own, its temporary files included."""
    place.write("unit.c", source.encode())
    command = by.command(str(place.path / "unit.c"), str(place.path / "unit.so"))
    with os.fdopen(place.create("said"), "wb") as said:
        environment = {"TMPDIR": str(place.path), "LC_ALL": "C"}
        status = processes.run(command, said.fileno(), processes.COMPILE_SECONDS, environment)
    if status is None:
        raise CompilationError(f"{by.words[0]} did not end within {processes.COMPILE_SECONDS:g} s")
    try:
        content = b"" if status else place.read("unit.so")
    except OSError:
        content = b""
    if not content:
        text = place.read("said").decode(errors="replace").strip()
        raise CompilationError(f"{by.words[0]} ended with the status {status}: {text or 'it said nothing'}")
    reason = damage(content)
    if reason is not None:
        raise CompilationError(f"what {by.words[0]} has compiled does not load: {reason}")
    return content


_at_work: set[threading.Thread] = set()


def _end() -> None:
    """End the compilers, since the process ends."""
    processes.end_all()
    for thread in list(_at_work):
        thread.join(PATIENCE)
    folders.remove_temporaries()


def _forget() -> None:
    """Forget the compilers in a forked process: they belong to its parent."""
    processes.forget()
    _at_work.clear()
    cache.forget_locks()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def described() -> str:
    """Return the compiler that there is and what it says of itself, for people."""
    if sys.platform == "win32":
        return "none for Windows yet"
    by = compiler.find()
    if by is None:
        return compiler.NONE
    try:
        return f"{' '.join(by.words)}: {cache.version(by)}"
    except CompilationError as error:
        return str(error)
