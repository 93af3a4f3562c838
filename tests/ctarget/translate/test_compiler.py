"""The compiler of units: which one is taken, its command line, what happens where it fails or must end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from checkpoint.ctarget import build
from checkpoint.ctarget.flags import NO_BUILTINS
from checkpoint.ctarget.peers import making
from checkpoint.ctarget.translate.compile import cache, compilation, compiler, processes
from checkpoint.ctarget.translate.compile.compilation import Compilation
from tests.ctarget.translate.shared_objects import fake_compiler, needs_c, needs_compiler, number_of, plain
from tests.support.processes import PATIENCE

pytestmark = needs_c


@pytest.fixture(autouse=True)
def in_a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_CACHE", str(tmp_path / "cache"))


def found(monkeypatch: pytest.MonkeyPatch, **environment: str) -> tuple[str, ...] | None:
    """Return the command that is found there."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    by = compiler.find()
    return None if by is None else by.words


def test_cc_comes_first_and_may_have_arguments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = fake_compiler(tmp_path / "my cc", "exit 0")
    assert found(monkeypatch, CC=f"'{path}' -m64 '-DX=a b'") == (str(path), "-m64", "-DX=a b")


def test_a_missing_cc_is_not_replaced_by_another_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, CC="/nonexistent/cc") is None
    assert found(monkeypatch, CC="cc 'open") is None


@pytest.mark.parametrize(
    ("there", "expected"),
    [(("cc", "gcc", "clang"), "cc"), (("gcc", "clang"), "gcc"), (("clang",), "clang"), ((), None)],
)
def test_the_order_of_compilers(
    there: tuple[str, ...], expected: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in there:
        fake_compiler(tmp_path / name, "exit 0")
    monkeypatch.setattr(compiler, "find_spec", lambda name: None)
    words = found(monkeypatch, CC="", PATH=str(tmp_path))
    assert words == (None if expected is None else (expected,))
    compiler._find.cache_clear()


def test_ziglang_is_the_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiler, "find_spec", lambda name: object() if name == "ziglang" else None)
    compiler._find.cache_clear()
    words = found(monkeypatch, CC="", PATH=str(tmp_path))
    compiler._find.cache_clear()
    assert words == (sys.executable, "-m", "ziglang", "cc")
    by = compiler.Compiler(words)
    assert by.command("a.c", "a.so")[:4] == list(words)
    assert "-fno-sanitize=undefined" in by.command("a.c", "a.so")


def test_no_flag_changes_the_bits_of_numbers() -> None:
    flags = compiler.flags(False)
    assert "-ffp-contract=off" in flags
    assert not any("fast-math" in flag or "march" in flag for flag in flags)
    assert set(NO_BUILTINS) <= set(build.FLAGS)
    assert {f"-fno-builtin-{name}" for name in build.FROM_LIBM.split()} <= set(flags)


def test_the_digest_of_the_headers_changes_with_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert (compiler.HEADERS / "machine" / "fast.h").exists()
    before = compiler.headers_digest()
    copy = tmp_path / "headers"
    shutil.copytree(compiler.HEADERS, copy)
    monkeypatch.setattr(compiler, "HEADERS", copy)
    compiler.headers_digest.cache_clear()
    same = compiler.headers_digest()
    functions = copy / "scalars" / "scalar_functions.h"
    functions.write_text(functions.read_text() + "\n")
    compiler.headers_digest.cache_clear()
    other = compiler.headers_digest()
    compiler.headers_digest.cache_clear()
    assert before == same != other


@needs_compiler
def test_a_compiled_unit_is_loaded_and_bound() -> None:
    by = compiler.find()
    assert by is not None
    made = Compilation(plain(41), by)
    made.wait()
    assert made.ended
    assert made.reason is None
    assert made.loaded is not None
    assert made.loaded.plain
    assert made.loaded.tape
    assert number_of(made.loaded) == 41


@needs_compiler
def test_the_compilers_message_is_the_reason_of_a_failure() -> None:
    by = compiler.find()
    assert by is not None
    made = Compilation("int f(void) { return nonsense; }", by)
    made.wait()
    assert made.loaded is None
    assert made.reason is not None
    assert "nonsense" in made.reason
    assert not list(cache.folder().path.glob("*.make"))
    assert not list(cache.folder().path.glob("*.unit"))


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo no licence >&2; exit 3", "status 3: no licence"),
        ("exit 0", "it said nothing"),
        ('while [ "$1" != -o ]; do shift; done; echo rubbish >"$2"', "does not load"),
        ("kill -9 $$", "status -9"),
    ],
)
def test_a_compiler_that_fails(script: str, reason: str, tmp_path: Path) -> None:
    path = fake_compiler(tmp_path / "cc", script)
    made = Compilation(plain(1), compiler.Compiler((str(path),)))
    made.wait()
    assert made.loaded is None
    assert made.reason is not None
    assert reason in made.reason
    assert not list(cache.folder().path.glob("*.unit"))


def test_a_compiler_that_does_not_report_its_version(tmp_path: Path) -> None:
    path = tmp_path / "cc"
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    made = Compilation(plain(1), compiler.Compiler((str(path),)))
    made.wait()
    assert made.reason == f"{path} --version ends with the status 1"


HANGS = 'sleep 1000 & echo $$ >"{folder}/pid.new"; mv "{folder}/pid.new" "{folder}/pid"; sleep 1000'


def hanging(folder: Path) -> Compilation:
    """Return a compilation that never ends; its compiler has started another process."""
    path = fake_compiler(folder / "hangs", HANGS.format(folder=folder))
    made = Compilation(plain(1), compiler.Compiler((str(path),)))
    while not (folder / "pid").exists():
        time.sleep(0.01)
    return made


def test_a_compiler_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "COMPILE_SECONDS", 1.0)
    made = hanging(tmp_path)
    with making:  # which nobody holds meanwhile
        assert not made.ended
    made.wait()
    assert made.reason == f"{tmp_path / 'hangs'} did not end within 1 s"
    assert not left_in_group(int((tmp_path / "pid").read_text()))
    assert not list(cache.folder().path.glob("*.make"))
    assert not processes._running


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_time_is_limited_without_descriptors_of_processes_too(
    has_pidfd: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_pidfd:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    with (tmp_path / "printed").open("wb") as file:
        assert processes.run(["sleep", "1000"], file.fileno(), 0.2) is None
        assert processes.run(["sh", "-c", "exit 3"], file.fileno(), 60.0) == 3


@needs_compiler
def test_a_lock_that_is_never_released_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hold the lock of a key elsewhere: it is waited for, but not for ever."""
    by = compiler.find()
    assert by is not None
    monkeypatch.setattr(cache, "LOCK_SECONDS", 0.3)
    with cache.locked(cache.key(plain(1), cache.version(by), by)) as is_first:
        assert is_first
        made = Compilation(plain(1), by)
        made.wait()
    assert made.loaded is not None
    assert number_of(made.loaded) == 1


def test_a_compiler_that_does_not_report_its_version_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups: list[int] = []
    end = processes._end_group

    def noted(process: subprocess.Popen[bytes]) -> None:
        groups.append(process.pid)
        end(process)

    monkeypatch.setattr(processes, "_end_group", noted)
    monkeypatch.setattr(processes, "VERSION_SECONDS", 0.5)
    path = tmp_path / "cc"
    path.write_text(f"#!/bin/sh\n{HANGS.format(folder=tmp_path)}\n")
    path.chmod(0o755)
    made = Compilation(plain(1), compiler.Compiler((str(path),)))
    made.wait()
    assert made.reason == f"{path} does not run: it did not end within 0.5 s"
    assert [left_in_group(group) for group in groups] == [[]]


@needs_compiler
def test_a_compiler_that_was_replaced_is_asked_again(tmp_path: Path) -> None:
    path = fake_compiler(tmp_path / "cc", "exit 1", "one")
    by = compiler.Compiler((str(path),))
    assert cache.known_version(by) is None
    assert cache.version(by) == "one"
    assert cache.known_version(by) == "one"
    fake_compiler(path, "exit 1", "another")
    assert cache.known_version(by) is None
    assert cache.version(by) == "another"


_SLOW = """
import os, sys, time
from checkpoint.ctarget.translate.compile import compiler
from checkpoint.ctarget.translate.compile.compilation import Compilation
made = Compilation(sys.stdin.read(), compiler.find())
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
print(made.ended, flush=True)
if sys.argv[2] == "fork":
    if os.fork() == 0:
        sys.exit(0)
    os.wait()
"""


def left_in_group(group: int) -> list[str]:
    """Return the processes of a group that do not end: one that was killed ends a moment later."""
    last = time.monotonic() + 10
    while (alive := alive_in_group(group)) and time.monotonic() < last:
        time.sleep(0.01)
    return alive


def alive_in_group(group: int) -> list[str]:
    """Return the processes of a group that have not ended."""
    alive = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                alive.append(str(process))
    return alive


@pytest.mark.parametrize("by", ["end", "fork"])
def test_a_process_that_ends_leaves_no_compiler_behind(by: str, tmp_path: Path) -> None:
    script = f'echo $$ >"{tmp_path}/pid.new"; mv "{tmp_path}/pid.new" "{tmp_path}/pid"; sleep 1000; exit 1'
    path = fake_compiler(tmp_path / "cc", script)
    done = subprocess.run(
        [sys.executable, "-c", _SLOW, str(tmp_path / "pid"), by],
        env={**os.environ, "CC": str(path), "PYTHONWARNINGS": "error"},
        input=plain(1),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("False\n", "")
    assert not left_in_group(int((tmp_path / "pid").read_text()))
    assert not list(cache.folder().path.glob("*.make"))


@needs_compiler
def test_ctrl_c_does_not_reach_the_compiler(tmp_path: Path) -> None:
    by = compiler.find()
    assert by is not None
    script = f'touch "{tmp_path}/began"; sleep 0.3; exec {" ".join(by.words)} "$@"'
    path = fake_compiler(tmp_path / "cc", script)
    text = (
        "import os, signal, sys, time\n"
        "from checkpoint.ctarget.translate.compile import compiler\n"
        "from checkpoint.ctarget.translate.compile.compilation import Compilation\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "made = Compilation(sys.stdin.read(), compiler.find())\n"
        "while not os.path.exists(sys.argv[1]): time.sleep(0.01)\n"
        "os.killpg(0, signal.SIGINT)\n"
        "made.wait()\n"
        "print(made.reason)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text, str(tmp_path / "began")],
        env={**os.environ, "CC": str(path)},
        input=plain(2),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        start_new_session=True,
        check=True,
    )
    assert done.stdout == "None\n"


def test_the_compiler_is_described_for_people(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = fake_compiler(tmp_path / "cc", "exit 1", "my compiler 3")
    monkeypatch.setenv("CC", str(path))
    assert compilation.described() == f"{path}: my compiler 3"
    monkeypatch.setenv("CC", "/nonexistent/cc")
    assert compilation.described() == compiler.NONE
