"""Real ends of real processes: kill -9 at random moments, and a second process beside the first one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

import checkpoint
from checkpoint.durable.journal.lock import Lock, holder, this_process, unlock
from checkpoint.errors import DurableError
from tests.durable.journal import killed
from tests.support.corpus import usable_engines

ROOT = Path(__file__).resolve().parents[3]
FASTEST = usable_engines()[-1].name


def started(folder: Path) -> subprocess.Popen[str]:
    """Return a process that takes the gradient of `killed.swing`, with its hash seed."""
    command = [sys.executable, "-m", "tests.durable.journal.killed", str(folder), FASTEST, "0.02"]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def begun(folder: Path) -> None:
    """Wait until a process has begun its journal."""
    while not any(name.startswith("log-") for name in (os.listdir(folder) if folder.is_dir() else ())):
        time.sleep(0.01)


@pytest.mark.skipif(FASTEST != "c", reason="takes too long without engine c")
def test_kill_9(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = checkpoint.value_and_grad(killed.swing, argnums=(0, 1))(1.5, 0.7)
    random, folder, printed = Random(9), tmp_path / "j", ""
    for attempt in range(6):
        process = started(folder)
        begun(folder)
        if attempt < 5:
            time.sleep(random.uniform(0.0, 0.3))
            process.send_signal(signal.SIGKILL)
        printed += process.communicate(timeout=60)[0]
    assert f"result {expected!r}" in printed
    for i in (0, 100_000, 200_000, 300_000):
        assert f"after {i}\n" in printed
    assert not capsys.readouterr().err


def test_second_process(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from checkpoint.durable.journal.lock import Lock; "
        "lock = Lock(Path(sys.argv[1])); print('locked', flush=True); sys.stdin.read()"
    )
    command, pipe = [sys.executable, "-c", code, str(tmp_path)], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(DurableError) as caught:
            checkpoint.grad(lambda x: x * x, journal=tmp_path)(2.0)
        host = os.uname().nodename
        said = f"{tmp_path}: process {other.pid} on {host} goes on with this journal"
        assert str(caught.value) == said
        other.kill()
        other.wait()
    assert checkpoint.grad(lambda x: x * x, journal=tmp_path)(2.0) == 4.0


def test_second_call_in_one_process(tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    with pytest.raises(DurableError, match="another call of this process goes on with this journal"):
        Lock(tmp_path)
    lock.release()
    Lock(tmp_path).release()


def test_who_asks_for_the_holder_keeps_the_lock(tmp_path: Path) -> None:
    """The system releases a lock where its process closes the file, even one that was opened to read it."""
    lock = Lock(tmp_path)
    assert holder(tmp_path) == this_process()
    with pytest.raises(DurableError, match="another call of this process"):
        unlock(tmp_path)
    code = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    assert "BlockingIOError" in subprocess.run(command, capture_output=True, text=True, check=False).stderr
    lock.release()
    assert holder(tmp_path) is None
    assert subprocess.run(command, check=False).returncode == 0
