"""Signs of life of processes, and the end of those that give none.

In: processes that do jobs. Out: each that has given no sign of life for some time is killed, so that whoever
waits for it sees it die. A sign of life is a beat, which a thread of the process counts in shared memory, or
processor time that it has used: a call that keeps Python's lock for minutes gives no beats, but computes.
What always holds: the time is that in which this process has looked, so that one which is suspended together
with its workers takes none of them for dead.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.process import BaseProcess
from typing import Any

from checkpoint.errors import RunError

SILENCE = 60.0  # seconds without a sign of life after which a process is taken for dead
LEAST = 1.0  # such seconds
PERIOD = 0.25  # seconds between beats, and between looks at them

Signs = tuple[int, float]  # beats, and seconds of processor time


class Life:
    """Whether a process gives signs of life. beats: the memory in which it counts beats.

    is_over: whether it was taken for dead.
    """

    def __init__(self, beats: Any, process: BaseProcess) -> None:
        self._beats = beats
        self._process = process
        self._seen = import_module("psutil").Process(process.pid)
        self.is_over = False

    def signs(self) -> Signs:
        """Return what changes as long as it lives."""
        try:
            times = self._seen.cpu_times()
        except import_module("psutil").Error:  # it has ended, which whoever waits for it sees
            return self._beats.value, 0.0
        return self._beats.value, times.user + times.system

    def end(self) -> None:
        """Take it for dead, and see to it that it is."""
        self.is_over = True
        self._process.kill()


class Watch:
    """Looks at processes that have a job. silence: the seconds after which one is taken for dead."""

    def __init__(self, silence: float) -> None:
        if isinstance(silence, bool) or not isinstance(silence, int | float) or not silence >= LEAST:
            raise RunError(f"silence is a number of seconds from {LEAST} on, or None, not {silence!r}")
        self._most = round(silence / PERIOD)
        self._lives: dict[Life, tuple[Signs | None, int]] = {}  # the last signs; how often found
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, life: Life) -> None:
        """Look at a process from now on."""
        with self._lock:
            self._lives[life] = None, 0
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, name="checkpoint-watch", daemon=True)
                self._thread.start()

    def remove(self, life: Life) -> None:
        """Look at a process no more."""
        with self._lock:
            self._lives.pop(life, None)

    def end(self) -> None:
        """Look at none any more."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(PERIOD):
            with self._lock:
                for life, (before, count) in list(self._lives.items()):
                    signs = life.signs()
                    self._lives[life] = signs, 0 if signs != before else count + 1
                    if signs == before and count + 1 >= self._most:
                        del self._lives[life]
                        life.end()


@contextmanager
def watched(watch: Watch | None, life: Life) -> Iterator[None]:
    """Have a process looked at within a `with`."""
    if watch is None:
        yield
        return
    watch.add(life)
    try:
        yield
    finally:
        watch.remove(life)


# In a worker


def beat(beats: Any) -> None:
    """Begin to give signs of life."""

    def go_on() -> None:
        while True:
            beats.value += 1
            time.sleep(PERIOD)

    threading.Thread(target=go_on, name="checkpoint-beats", daemon=True).start()
