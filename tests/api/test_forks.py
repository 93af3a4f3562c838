"""A process that is forked while another thread is in the front end can differentiate in the child, too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import os
import signal
import sys
import threading

import checkpoint
from checkpoint.functions import closures

checkpoint.grad(lambda x: x * x)(3.0)  # all is loaded
inside = threading.Event()
find = closures._programs.find


def slow(*arguments):
    inside.set()
    threading.Event().wait(0.5)
    return find(*arguments)


closures._programs.find = slow
thread = threading.Thread(target=lambda: checkpoint.grad(lambda x: x * x * x)(2.0))
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    signal.alarm(100)
    closures._programs.find = find
    sys.stdout.write(str(checkpoint.grad(lambda x: x * x * x * x)(2.0)))
    sys.stdout.flush()
    os._exit(0)
status = os.waitpid(child, 0)[1]
thread.join()
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_fork_while_another_thread_is_in_the_front_end(tmp_path: Path) -> None:
    program = tmp_path / "forks.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "32.0"
