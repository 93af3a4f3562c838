"""The boundary around translation: whatever fails inside of it, runs give what they give without it."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from checkpoint import TranslationWarning, config
from checkpoint.ctarget.translate import policy, watch
from checkpoint.ctarget.translate.compile import cache, compilation, compiler, install
from checkpoint.ctarget.translate.emit import text
from checkpoint.ctarget.translate.specialise import observe, region
from checkpoint.driver.effects import Effects
from checkpoint.driver.schedule import Bisection
from tests.ctarget.test_driver import swept
from tests.ctarget.test_engine import started
from tests.ctarget.translate.shared_objects import fake_compiler, needs_c, needs_compiler, new_translator

pytestmark = [needs_c, needs_compiler]

LOOP = """
(lambda (x)
  (let loop ((i 0) (y x))
    (if (= i 60000) y (loop (+ i 1) (+ y (* 0.001 (sin y)))))))
"""
# Failing functions by stage: the first ones fail while the run waits, the last ones in a thread of its own.
FAILURES: dict[str, tuple[Any, str, str]] = {
    "begin": (watch, "started_in", "translation to C failed"),
    "sample": (policy.Translator, "sample", "while sampling"),
    "observe": (observe, "seen", "while sampling"),
    "specialise": (region, "specialise", "while specialising"),
    "register": (policy, "_register", "while sampling"),
    "write": (text, "source", "while writing"),
    "start": (compilation.Compilation, "_start", "while compiling"),
    "install": (install, "install", "while installing"),
    "key": (cache, "key", "while compiling"),
    "compile": (compilation, "_compile", "while compiling"),
    "load": (compilation, "load", "while loading"),
    "keep": (cache, "put", "while compiling"),
}


@pytest.fixture(autouse=True)
def translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[policy.Translator]:
    monkeypatch.setattr(policy, "THRESHOLD", 100_000)
    yield from new_translator(tmp_path, monkeypatch)


def failing(body: str = "raise KeyError('injected')") -> Callable[..., Any]:
    """Return a function that counts as this package's own: what it raises is a failure of translation."""
    module: dict[str, Any] = {"__name__": "checkpoint.injected"}
    exec(f"def fails(*arguments, **keywords):\n    {body}", module)
    made: Callable[..., Any] = module["fails"]
    return made


def runs(translator: policy.Translator) -> list[Any]:
    """Return the results of runs and gradients; pending compilations end between them."""
    engine, start = started(LOOP)
    found: list[Any] = []
    for _ in range(3):
        found.append(engine.advance(start, None, Effects()).value)
        for each in translator.pending:
            each.wait()
        found.append(swept(engine, start, Bisection()))
    return found


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHECKPOINT_JIT", "off")
        return runs(policy.Translator())


@pytest.mark.parametrize("mode", ["wait", ""])
@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_one_warning_and_the_run_continues(
    name: str,
    mode: str,
    expected: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    translator: policy.Translator,
) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", mode)
    where, what, stage = FAILURES[name]
    monkeypatch.setattr(where, what, failing())
    with config.override(check=False), warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        assert runs(translator) == expected
    (warning,) = [each for each in recorded if each.category is TranslationWarning]
    said = str(warning.message)
    assert said.startswith("internal error, please report it: ")
    assert stage in said
    assert "KeyError: 'injected'" in said
    assert "runs continue without translation" in said


@pytest.mark.parametrize("mode", ["wait", ""])
@pytest.mark.parametrize("name", FAILURES)
def test_where_passes_are_checked_it_is_raised(
    name: str, mode: str, monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", mode)
    where, what, stage = FAILURES[name]
    monkeypatch.setattr(where, what, failing())
    with pytest.raises(KeyError, match="injected") as raised:
        runs(translator)
    if stage.startswith("while"):
        assert [note.endswith(stage) for note in raised.value.__notes__] == [True]


def test_after_some_failures_nothing_more_is_tried(
    monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    tried: list[int] = []
    fails = failing()

    def counted(*arguments: Any) -> None:
        tried.append(1)
        fails()

    monkeypatch.setattr(policy.Translator, "_begin", counted)
    monkeypatch.setattr("checkpoint.ctarget.translate.boundary.is_foreign", lambda error: False)
    with config.override(check=False), pytest.warns(TranslationWarning):
        runs(translator)
    assert translator.gives_up
    assert len(tried) >= policy.MAX_FAILURES
    tried.clear()
    with config.override(check=False):
        runs(translator)
    assert tried == []


def test_where_memory_ends_nobody_is_asked_for_a_report(
    expected: list[Any], monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setattr(region, "specialise", failing("raise MemoryError"))
    with config.override(check=False), pytest.warns(TranslationWarning, match="not enough memory") as told:
        assert runs(translator) == expected
    assert "report" not in str(told[0].message)


def test_what_ends_a_thread_does_not_end_the_run(
    expected: list[Any], monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setattr(compilation, "_compile", failing("raise SystemExit(3)"))
    with pytest.warns(TranslationWarning, match="SystemExit: 3"):
        assert runs(translator) == expected


def test_what_a_users_signal_handler_raises_goes_through(
    monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    def handler(*arguments: Any) -> None:
        raise TimeoutError("of the user")

    before = signal.signal(signal.SIGALRM, handler)
    body = "import signal; signal.raise_signal(signal.SIGALRM); raise KeyError('never')"
    monkeypatch.setattr(region, "specialise", failing(body))
    try:
        with config.override(check=False), pytest.raises(TimeoutError, match="of the user"):
            runs(translator)
    finally:
        signal.signal(signal.SIGALRM, before)


def no_thread(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_where_no_thread_can_be_started_a_run_that_waits_compiles_by_itself(
    expected: list[Any], monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    installed: list[Any] = []
    put = install.install

    def noted(*arguments: Any) -> None:
        installed.append(arguments)
        put(*arguments)

    monkeypatch.setattr(install, "install", noted)
    assert runs(translator) == expected
    assert installed


def test_where_no_thread_can_be_started_nothing_is_translated_in_the_background(
    expected: list[Any], monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "")
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    with pytest.warns(TranslationWarning, match="no thread can be started: can't start new thread") as warned:
        assert runs(translator) == expected
    assert len(warned) == 1


_PROCESS = """
import sys, threading
import checkpoint
PREPARE
f = checkpoint.read(sys.argv[1])
print(checkpoint.vjp(f, 0.5, 1.0, engine="c"))
"""


@functools.cache
def untranslated() -> str:
    """Return what the process prints where nothing is translated."""
    return process("", CHECKPOINT_JIT="off")[0]


def process(prepare: str, **environment: str) -> tuple[str, str]:
    """Return what a process prints that takes a gradient; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", _PROCESS.replace("PREPARE", prepare), LOOP],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return done.stdout, done.stderr


NO_THREAD = """
def start(thread): raise RuntimeError("can't start new thread")
threading.Thread.start = start
"""
NO_HOME = """
import os, pwd
def nobody(user): raise KeyError(user)
pwd.getpwuid = nobody
for name in ("HOME", "CHECKPOINT_CACHE", "XDG_CACHE_HOME"): os.environ.pop(name, None)
"""
# Python does not see that its own write of a module's bytecode was broken off, and others would load that.
NO_ROOM = """
import resource, sys
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""


@pytest.mark.parametrize("mode", ["wait", ""])
@pytest.mark.parametrize(
    ("prepare", "warning"),
    [
        (NO_THREAD, "no thread can be started"),
        (NO_HOME, ""),
        (NO_ROOM, "the C compiler has failed"),
    ],
    ids=["no thread", "no home", "no room"],
)
def test_a_process_where_something_is_missing_gives_the_same_and_ends_well(
    prepare: str, warning: str, mode: str
) -> None:
    printed, said = process(prepare, CHECKPOINT_JIT=mode)
    assert printed == untranslated()
    assert "Traceback" not in said
    if not warning or (mode == "wait" and prepare == NO_THREAD):
        assert said == ""
    elif said or mode == "wait":  # in the background the run may end before its compilation
        assert warning in said
        assert said.count("TranslationWarning") == 1


def test_doctor_says_that_there_is_no_folder() -> None:
    text = f"{NO_HOME}\nfrom checkpoint.cli.main import main\nmain(['doctor'])"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=True
    )
    assert "its folder: a temporary one, removed when the process ends: " in done.stdout


def test_a_watch_that_cannot_begin_is_none(
    monkeypatch: pytest.MonkeyPatch, translator: policy.Translator
) -> None:
    monkeypatch.setattr(watch, "started_in", failing())
    with config.override(check=False), pytest.warns(TranslationWarning):
        assert watch.watch(started(LOOP)[1], taped=False) is None


def test_a_compiler_that_leaves_half_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, translator: policy.Translator, expected: list[Any]
) -> None:
    by = compiler.find()
    assert by is not None
    script = f"""
for word; do [ "$before" = -o ] && out="$word"; before="$word"; done
{" ".join(by.words)} "$@" || exit 1
head -c 9000 "$out" >"$out.new"; mv "$out.new" "$out"
"""
    monkeypatch.setenv("CC", str(fake_compiler(tmp_path / "cc", script)))
    with pytest.warns(TranslationWarning, match="it is truncated"):
        assert runs(translator) == expected
