"""Strips that several threads run agree with hybrid in every bit, for any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate.strips import together
from checkpoint.prims import lanes
from tests.ctarget.translate import test_strips as programs
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.alone import check_alone, is_alone
from tests.support.sampling import sample
from tests.support.strips import counted, translate_soon

pytestmark = [needs_c, needs_compiler]

WIDTH = 2000
BLOCK = 640
THREADS = (1, 2, 3, 7)
TOO_LONG = 300  # seconds, for a run of some 5
# Lanes that end in one way and in several, that make objects, that fail in the middle of a loop, that print.
CHOSEN = (programs.early, programs.returns)
FAILING = (programs.roots, programs.prints)


def arguments(f: Any) -> tuple[Any, ...]:
    rng = np.random.default_rng(5)
    found = rng.random(WIDTH) * 2.0, rng.integers(1, 40, WIDTH).astype(float)
    return (*found, programs.scene(1.25)) if f in programs.SHARING else found


def turns(x: float, n: float) -> float:
    while n > 0.0:
        x = x * 0.5 if x > 1.0 else x * 1.5 + 0.1
        n = n - 1.0
    return x


def axes(f: Any) -> Any:
    return (0, 0, None) if f in programs.SHARING else 0


def total(f: Any) -> Callable[..., Any]:
    def loss(xs: Any, ns: Any, k: float) -> Any:
        shared = (programs.scene(k),) if f in programs.SHARING else ()
        found = checkpoint.vmap(f, axes(f))(xs * k, ns, *shared)
        return sum([np.sum(part * k) for part in programs.parts(found)])

    return loss


@pytest.fixture
def teams(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Translate soon; let other threads run strips, a few at a time. Return what sets their number."""
    translate_soon(monkeypatch)
    monkeypatch.setattr(together, "TEAM_STEPS", 10_000)
    monkeypatch.setattr(together, "PART_STEPS", 30_000)
    monkeypatch.setattr(together, "PART_RECORDS", 500)
    runtime().lib.ck_wait_for_helpers(1)
    yield lambda count: monkeypatch.setenv("CHECKPOINT_THREADS", str(count))
    runtime().lib.ck_wait_for_helpers(0)


def helped() -> int:
    return int(runtime().lib.ck_strips_by_helpers())


def until_helped(count: int) -> Iterator[None]:
    """Yield until other threads have run strips, if there are any: what is hot is found in a run or two."""
    for number in range(8):
        before = helped()
        yield
        assert count > 1 or helped() == before
        if number > 0 and (count == 1 or helped() > before):
            return
    raise AssertionError("no other thread has run a strip")


def test_alone() -> None:
    """What is compiled here is compiled with other numbers, once in a process."""
    if not is_alone():
        check_alone(__file__, "in_threads")


@pytest.mark.skipif(not is_alone(), reason="it runs in a process of its own")
@pytest.mark.parametrize("f", sample(CHOSEN), ids=lambda f: f.__name__)
def test_values_and_steps_in_threads(f: Any, teams: Callable[[int], None]) -> None:
    args, mapped = arguments(f), checkpoint.vmap(f, axes(f))
    want = checkpoint.vmap(f, axes(f), engine="hybrid")(*args)
    steps = {checkpoint.primops(lambda given: mapped(*given), args, engine="hybrid")}
    for count in THREADS:
        teams(count)
        for _ in until_helped(count):
            assert programs.same(checkpoint.vmap(f, axes(f), engine="c")(*args), want)
        steps.add(checkpoint.primops(lambda given: mapped(*given), args, engine="c"))
    assert len(steps) == 1


@pytest.mark.skipif(not is_alone(), reason="it runs in a process of its own")
def test_all_strips_of_all_blocks_in_threads(
    teams: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "BLOCK", BLOCK)
    own = counted(monkeypatch)
    teams(2)
    args, mapped = arguments(programs.early), checkpoint.vmap(programs.early, engine="c")
    for _ in until_helped(2):
        mapped(*args)
    before, own.value = helped(), 0
    mapped(*args)
    assert helped() - before >= 2 * 4 * (WIDTH // BLOCK)  # threads, strips of each of them, blocks
    assert own.value <= WIDTH // BLOCK + 1  # what is left of each block


@pytest.mark.skipif(not is_alone(), reason="it runs in a process of its own")
@pytest.mark.parametrize("f", sample(CHOSEN[::-1]), ids=lambda f: f.__name__)
def test_gradients_in_threads(f: Any, teams: Callable[[int], None]) -> None:
    args, loss = (*arguments(f)[:2], 1.25), total(f)
    want = checkpoint.value_and_grad(loss, (0, 1, 2), engine="hybrid")(*args)
    for count in THREADS:
        teams(count)
        for _ in until_helped(count):
            gradient = checkpoint.value_and_grad(loss, (0, 1, 2), engine="c", schedule="plain")
            assert programs.same(want, gradient(*args))
        bounded = checkpoint.value_and_grad(loss, (0, 1, 2), engine="c", memory="8MiB")
        assert programs.same(want, bounded(*args))


@pytest.mark.skipif(not is_alone(), reason="it runs in a process of its own")
def test_strips_of_all_tapes_of_a_budget_in_threads(
    teams: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No tape begins with strips on one thread, though there are too few on each to ask others for those."""
    monkeypatch.setattr(together, "TEAM_STEPS", 400_000)
    monkeypatch.setattr(together, "PART_STEPS", 100_000)
    monkeypatch.setattr(together, "PART_RECORDS", 10**9)  # all are reversed by one thread
    own = counted(monkeypatch)
    xs, ns = np.linspace(0.0, 2.0, WIDTH), np.full(WIDTH, 500.0)
    gradient = checkpoint.grad(lambda xs: np.sum(checkpoint.vmap(turns)(xs, ns)), engine="c", memory="16MiB")
    teams(1)
    want = [gradient(xs) for _ in range(2)][-1]
    teams(2)
    for _ in until_helped(2):
        before, own.value = helped(), 0
        assert programs.same(gradient(xs), want)
    assert helped() - before > 9 * own.value


@pytest.mark.skipif(not is_alone(), reason="it runs in a process of its own")
@pytest.mark.parametrize("f", sample(FAILING), ids=lambda f: f.__name__)
def test_lanes_that_fail_in_threads(
    f: Any, teams: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    xs, ns = arguments(f)
    xs, ns = xs + 5.0, ns % 20.0 + 2.0  # those that fail are among the last lanes
    ns[-200:] = arguments(f)[1][-200:]
    want = programs.outcome(lambda: checkpoint.vmap(f, engine="hybrid")(xs, ns), capsys)
    for count in THREADS:
        teams(count)
        for _ in until_helped(count):
            assert programs.outcome(lambda: checkpoint.vmap(f, engine="c")(xs, ns), capsys) == want


@pytest.mark.skipif(not is_alone(), reason="it runs in a process of its own")
def test_forks_in_threads(teams: Callable[[int], None]) -> None:
    """A child has no helpers until it starts its own."""
    teams(3)
    args, mapped = arguments(programs.branches), checkpoint.vmap(programs.branches, engine="c")
    want = mapped(*args)
    for _ in until_helped(3):
        mapped(*args)
    child = os.fork()
    if not child:
        status = 1
        try:
            for _ in until_helped(3):
                assert programs.same(mapped(*args), want)
            status = 0
        finally:
            os._exit(status)
    assert programs.same(mapped(*args), want)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not is_alone(), reason="it runs in a process of its own")
def test_runs_at_once_in_threads(teams: Callable[[int], None]) -> None:
    """Threads of the user share the helpers: one has them, the others run alone."""
    teams(3)
    args, loss = (*arguments(programs.branches)[:2], 1.25), total(programs.branches)
    gradient = checkpoint.value_and_grad(loss, (0, 1, 2), engine="c", schedule="plain")
    want = gradient(*args)
    for _ in until_helped(3):
        gradient(*args)
    found: list[Any] = []
    users = [
        threading.Thread(target=lambda: found.extend([gradient(*args) for _ in range(5)])) for _ in range(3)
    ]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert len(found) == 15
    assert all(programs.same(each, want) for each in found)


LONG = """
import os, signal, threading, time
import numpy as np
import checkpoint
from checkpoint.ctarget.library import runtime
from tests.ctarget.translate.test_strips import branches
mapped = checkpoint.vmap(branches, engine="c")
xs, ns = np.random.default_rng(0).random(2_000_000) * 2.0, np.full(2_000_000, 30.0)
lib = runtime().lib
lib.ck_wait_for_helpers(1)
for _ in range(3):
    mapped(xs[:40_000], ns[:40_000])
before = lib.ck_strips_by_helpers()
def interrupt():
    while lib.ck_strips_by_helpers() == before:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    mapped(xs, ns * 10.0)  # 600 million turns of lanes that fit into strips of every width
    print("ended", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
mapped(xs[:40_000], ns[:40_000])
print("runs again", flush=True)
"""


def test_ctrl_c_ends_a_run() -> None:
    """It comes while helpers are at strips, and ends the run long before its end."""
    environment = {**os.environ, "CHECKPOINT_THREADS": "2", "CHECKPOINT_JIT": "wait"}
    ended = subprocess.run(
        [sys.executable, "-c", LONG], capture_output=True, text=True, env=environment, check=False
    )
    assert ended.stdout == "interrupted\nruns again\n", ended.stderr
    assert ended.returncode == 0


LARGER = """
import os
import numpy as np
import checkpoint
from checkpoint.ctarget.library import runtime
from tests.ctarget.translate.test_strip_activity import turns
rng = np.random.default_rng(0)
xs, ns = rng.random(4096) * 2.0, rng.integers(500, 1501, 4096).astype(float)
gradient = checkpoint.value_and_grad(lambda xs: np.sum(checkpoint.vmap(turns)(xs, ns)), engine="c")
runtime().lib.ck_wait_for_helpers(1)
found = set()
for threads in (1, 1, 2, 2, 2, 2):
    os.environ["CHECKPOINT_THREADS"] = str(threads)
    found.add(b"".join([np.asarray(each).tobytes() for each in gradient(xs)]))
print(len(found))
"""


def test_strips_that_record_more_than_those_before(tmp_path: Path) -> None:
    """A strip for which a part has too little room is not tried there again and again."""
    script = tmp_path / "larger.py"
    script.write_text(LARGER)
    environment = {**os.environ, "CHECKPOINT_JIT": "wait", "PYTHONPATH": str(Path.cwd())}
    command = [sys.executable, str(script)]
    ended = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, timeout=TOO_LONG
    )
    assert ended.stdout == "1\n", ended.stderr
