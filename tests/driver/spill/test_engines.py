"""Gradients whose states are on a disk have the same bits on all engines, whatever the disk does."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.driver.spill import policy
from checkpoint.driver.spill import store as stores
from checkpoint.driver.spill.file import File
from checkpoint.driver.spill.setting import Spill
from tests.driver.spill.everything import Everything, Failing

pytestmark = pytest.mark.engines_in_turn

ENGINES = engines.usable()
FULL = OSError(errno.ENOSPC, "No space left on device")


def mixed(w: Any, x: Any, n: int) -> Any:
    """Changes arrays in place, and holds views, integers, transposes and what two names share."""
    y = x
    kept = [x, x * 0.5]
    index = np.arange(w.shape[0] * 40) % w.shape[0]
    for i in range(n):
        y = np.tanh(w @ y) + 0.1 * kept[0]
        kept[0] = (y * 1.0)[::-1]
        z = y.copy()
        z[1:3] = z[1:3] * 2.0
        kept[1] = z.T
        index = (index + 1) % w.shape[0]
        y = z[index[: w.shape[0]]] + kept[1].T[i % 3]
    return np.sum(y * y) + np.sum(kept[1] * kept[0].T)


def nested(x: Any, n: int) -> Any:
    """Holds a derivative's duals and a dictionary of arrays that grows."""
    found = {"last": x, "sum": x * 0.0}
    for i in range(n):
        slope = checkpoint.grad(lambda y: np.sum(y * y * y))(found["last"])
        found[f"step{i % 3}"] = slope * 0.01
        found["last"] = found["last"] * 0.9 + found[f"step{i % 3}"]
        found["sum"] = found["sum"] + found["last"]
    return np.sum(found["sum"] * found["step0"])


RNG = np.random.default_rng(1)
WEIGHTS, INPUT = RNG.normal(size=(48, 48)) / 8, RNG.normal(size=(48, 60))
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (mixed, (WEIGHTS, INPUT, 9), (0, 1)),
    (nested, (RNG.normal(size=3000), 5), 0),
]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and np.array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("f", "args", "argnums"), CASES)
@pytest.mark.parametrize("how", [{}, {"fetches": False}, {"again": True}])
def test_the_same_bits(
    engine: str, f: Any, args: tuple[Any, ...], argnums: Any, how: dict[str, Any], tmp_path: Path
) -> None:
    plain = checkpoint.value_and_grad(f, argnums, engine=engine, schedule="plain")(*args)
    schedule = Everything(tmp_path, **{"every": 11, **how})
    assert same(checkpoint.value_and_grad(f, argnums, engine=engine, schedule=schedule)(*args), plain)


@pytest.mark.parametrize("engine", ENGINES)
def test_tensors(engine: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    def f(w: Any, x: Any) -> Any:
        y = x
        for _ in range(6):
            y = torch.tanh(w @ y).T.contiguous().T + 0.1 * x.flip(0)
        return (y * y).sum()

    w, x = torch.tensor(WEIGHTS), torch.tensor(INPUT[:, :48])
    plain = checkpoint.value_and_grad(f, (0, 1), engine=engine, schedule="plain")(w, x)
    found = checkpoint.value_and_grad(f, (0, 1), engine=engine, schedule=Everything(tmp_path, 5))(w, x)
    assert found[0].equal(plain[0])
    assert all(a.equal(b) for a, b in zip(found[1], plain[1], strict=True))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", ["write_at", "sync", "read_at"])
@pytest.mark.parametrize("at", [0, 1, 2, 5, 9])
def test_a_fault_at_each_call(
    engine: str, method: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "WINDOW", 2**15)
    monkeypatch.setattr(stores, "_rates", {os.stat(tmp_path).st_dev: 1e9})  # no probe
    plain = checkpoint.value_and_grad(mixed, (0, 1), engine=engine, schedule="plain")(WEIGHTS, INPUT, 12)
    failing = Failing(monkeypatch, method, at, FULL)
    gradient = checkpoint.value_and_grad(mixed, (0, 1), engine=engine, schedule=Everything(tmp_path, 17))
    with pytest.warns(checkpoint.SpillWarning, match="No space left on device") as said:
        found = gradient(WEIGHTS, INPUT, 12)
    assert same(found, plain)
    assert failing.calls > at
    assert len(said) == 1


@pytest.mark.parametrize("code", [errno.EDQUOT, errno.EROFS, errno.EIO])
def test_a_quota_and_the_like(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the reason for which the disk takes no more, the gradient goes on and says it."""
    plain = checkpoint.value_and_grad(mixed, (0, 1), schedule="plain")(WEIGHTS, INPUT, 4)
    Failing(monkeypatch, "write_at", 1, OSError(code, os.strerror(code)))
    with pytest.warns(checkpoint.SpillWarning, match=f"{os.strerror(code)}. The gradient goes on"):
        found = checkpoint.value_and_grad(mixed, (0, 1), schedule=Everything(tmp_path))(WEIGHTS, INPUT, 4)
    assert same(found, plain)


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the system refuse what a file would hold beyond 64 KiB, as it does beyond a quota.

    Python does not see that its own write of a module's bytecode was broken off, so it writes none.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    signal.signal(signal.SIGXFSZ, before)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_limit_of_the_system(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that the system breaks off in the middle is a fault like others: nothing of it counts."""
    monkeypatch.setattr(stores, "_rates", {os.stat(tmp_path).st_dev: 1e9})  # no probe
    plain = checkpoint.value_and_grad(mixed, (0, 1), engine=engine, schedule="plain")(WEIGHTS, INPUT, 6)
    gradient = checkpoint.value_and_grad(mixed, (0, 1), engine=engine, schedule=Everything(tmp_path))
    with pytest.warns(checkpoint.SpillWarning, match="File too large"):
        found = gradient(WEIGHTS, INPUT, 6)
    assert same(found, plain)


def test_what_the_warnings_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = checkpoint.value_and_grad(mixed, schedule=Everything(tmp_path))
    Failing(monkeypatch, "write_at", 0, FULL)
    with pytest.warns(checkpoint.SpillWarning) as said:
        gradient(WEIGHTS, INPUT, 3)
    assert str(said[0].message) == (
        f"spill={str(tmp_path)!r}: [Errno 28] No space left on device. The gradient goes on, and runs steps "
        f"again instead"
    )
    monkeypatch.setattr("checkpoint.driver.spill.shelf.kind_of_files", lambda folder: "tmpfs")
    with pytest.warns(
        checkpoint.SpillWarning, match=r"it is in memory itself \(tmpfs\), so that states there"
    ):
        gradient(WEIGHTS, INPUT, 3)


def test_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file cannot be made, as in a folder that may only be read, the gradient goes on, too."""
    folder = tmp_path / "gone"
    folder.mkdir()
    gradient = checkpoint.value_and_grad(mixed, memory="64MiB", spill=folder)
    folder.rmdir()
    with pytest.raises(checkpoint.RunError, match="there is no such folder"):
        gradient(WEIGHTS, INPUT, 3)

    def refused(*_: Any, **__: Any) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    with pytest.warns(checkpoint.SpillWarning, match="Permission denied"):
        checkpoint.value_and_grad(mixed, schedule=Everything(tmp_path))(WEIGHTS, INPUT, 3)


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "interp"])
def test_a_budget_with_a_disk_holds(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """States do go to the disk, and fewer steps run again than without one."""
    monkeypatch.setattr(policy, "PATIENCE", 0.0)
    monkeypatch.setattr(policy, "TIMES_COST", 0.0)
    monkeypatch.setattr(policy, "TIMES_WRITING", 0.0)
    monkeypatch.setattr(stores, "_rates", {os.stat(tmp_path).st_dev: 1e9})
    monkeypatch.setattr(File, "sync", lambda file: None)  # whatever else the disk is doing
    x = RNG.normal(size=(64, 128))

    def f(x: Any) -> Any:
        y = x
        for _ in range(500):
            y = np.sin(y) + 0.1 * x
        return np.sum(y)

    def profiled(spill: Path | None) -> tuple[Any, Any]:
        with checkpoint.profile() as p:
            found = checkpoint.value_and_grad(f, engine=engine, memory="2MiB", spill=spill)(x)
        return found, p.total

    (found, total), (other, without) = profiled(tmp_path), profiled(None)
    assert same(found, other)
    assert total.peak_bytes <= 2**21
    assert total.most_kept > without.most_kept
    assert total.recomputed + total.taped_again < without.recomputed + without.taped_again


def test_a_run_that_fits_asks_no_disk(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = tmp_path / "read-only"
        folder.mkdir(mode=0o500)
        assert checkpoint.grad(lambda x: x * x, memory="64MiB", spill=folder)(3.0) == 6.0


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(
        checkpoint.RunError, match=r"spill='/nowhere': there is no such folder; make it first"
    ):
        checkpoint.grad(mixed, spill="/nowhere")
    with pytest.raises(checkpoint.RunError, match=r"spill is a folder, or Spill\(folder, size\), not 3"):
        checkpoint.grad(mixed, spill=3)  # type: ignore[arg-type]
    with pytest.raises(checkpoint.RunError, match="the size of Spill is 'much': write bytes as an int, or a"):
        Spill(tmp_path, "much")
    with pytest.raises(checkpoint.RunError, match="give spill or a schedule, not both: spill=s is short for"):
        checkpoint.vjp(mixed, 1.0, schedule="plain", spill=tmp_path)
    assert Spill(tmp_path, "2KiB").bytes == 2048
