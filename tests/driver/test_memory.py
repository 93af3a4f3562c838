"""Amounts of memory as users write them, in bytes; free memory as a system's files, made here, report it."""

from __future__ import annotations

import subprocess
import sys
from collections import OrderedDict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from checkpoint.config import SettingError
from checkpoint.driver import memory
from checkpoint.errors import RunError

MIB, GIB = 2**20, 2**30
UNLIMITED = 9223372036854771712  # what version 1 writes where there is no limit

SIZES: list[tuple[Any, int]] = [
    (1, 1),
    (64 * MIB, 64 * MIB),
    (np.int64(4096), 4096),
    ("512MiB", 512 * MIB),
    (" 1.5 gb ", 1_500_000_000),
    ("4096", 4096),
    ({"host": "2 KiB"}, 2048),
    (OrderedDict(host=7), 7),
]
# Of 1000 bytes that are free.
SHARES: list[tuple[Any, int]] = [
    (1.0, 1000),
    (0.25, 250),
    (1e-300, 1),
    (np.float32(0.5), 500),
    (Fraction(1, 8), 125),
    ("25%", 250),
    (" 12.5 % ", 125),
    ("100%", 1000),
    ({"host": "10%"}, 100),
    ({"host": 0.5}, 500),
]
WRITE = "write a size, such as '512MiB', or a share of what is free, such as '25%'"
FLOAT = (
    "and a float is a share of what is free, above 0 and at most 1.0: "
    "write bytes as an int, or a text such as '512MiB'"
)
WRONG: list[tuple[Any, str]] = [
    (0, f"memory must be at least 1 byte, not 0: {WRITE}"),
    (-5, f"memory must be at least 1 byte, not -5: {WRITE}"),
    (True, f"memory is a size in bytes or a text, not True: {WRITE}"),
    (1j, f"memory is a size in bytes or a text, not 1j: {WRITE}"),
    ([1], f"memory is a size in bytes or a text, not [1]: {WRITE}"),
    (0.0, f"memory is 0.0, {FLOAT}"),
    (-0.5, f"memory is -0.5, {FLOAT}"),
    (2.0**29, f"memory is 536870912.0, {FLOAT}"),
    (float("nan"), f"memory is nan, {FLOAT}"),
    (float("inf"), f"memory is inf, {FLOAT}"),
    ("", f"memory is '': {WRITE}"),
    ("lots", f"memory is 'lots': {WRITE}"),
    ("-1MiB", f"memory is '-1MiB': {WRITE}"),
    ("0GiB", f"memory is '0GiB': {WRITE}"),
    ("0.1B", f"memory is '0.1B': {WRITE}"),
    ("512MB/s", f"memory is '512MB/s': {WRITE}"),
    ("0%", "memory is '0%': a share is above 0% and at most 100%"),
    ("101%", "memory is '101%': a share is above 0% and at most 100%"),
    ("nan%", "memory is 'nan%': a share is above 0% and at most 100%"),
    ("%", "memory is '%': a share is above 0% and at most 100%"),
    ({}, "memory has no entry: write {'host': '512MiB'}, or the size alone"),
    (
        {"host": "1GiB", "cuda": "1GiB"},
        (
            "memory has an entry for 'cuda', but no imported library has arrays there: there is no device "
            "here, so write {'host': ...}, or the size alone"
        ),
    ),
    ({"host": 0}, f"memory['host'] must be at least 1 byte, not 0: {WRITE}"),
    ({"host": None}, f"memory['host'] is a size in bytes or a text, not None: {WRITE}"),
    ({"host": {"host": 1}}, f"memory['host'] is a size in bytes or a text, not {{'host': 1}}: {WRITE}"),
]


@pytest.fixture
def a_thousand_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "lately_free", lambda: 1000)


def refuse_to_look() -> int:
    raise AssertionError("the machine was looked at")


@pytest.mark.parametrize(("given", "bytes"), SIZES)
def test_sizes(given: Any, bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "lately_free", refuse_to_look)
    memory.check(given)
    found = memory.resolve(given)
    assert (type(found), found) == (int, bytes)


@pytest.mark.parametrize(("given", "bytes"), SHARES)
def test_shares(given: Any, bytes: int, a_thousand_free: None) -> None:
    found = memory.resolve(given)
    assert (type(found), found) == (int, bytes)


@pytest.mark.parametrize("given", [None, *[given for given, _ in SHARES]])
def test_a_check_does_not_look_at_the_machine(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "lately_free", refuse_to_look)
    memory.check(given)


@pytest.mark.parametrize(
    ("free", "default"),
    [(1000, 500), (3, 1), (0, 1), (40 * MIB, 16 * MIB), (GIB, 256 * MIB), (20 * GIB, 4 * GIB)],
)
def test_the_default(free: int, default: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "lately_free", lambda: free)
    assert memory.resolve(None) == default


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_no_memory(given: Any, message: str) -> None:
    for refused in (memory.check, memory.resolve):
        with pytest.raises(RunError) as caught:
            refused(given)
        assert caught.value.message == message


@pytest.mark.parametrize(
    ("bytes", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (64 * MIB, "64.0 MiB"), (5000 * 2**40, "5000.0 TiB")],
)
def test_bytes_for_readers(bytes: int, text: str) -> None:
    assert memory.written(bytes) == text


# Free memory


class System:
    """A fake system that describes itself: its /proc and /sys/fs/cgroup as folders of files."""

    def __init__(self, folder: Path) -> None:
        self.proc = folder / "proc"
        self.cgroups = folder / "cgroup"

    def belongs_to(self, *lines: str) -> None:
        """Declare that the asking process belongs to these groups."""
        path = self.proc / "self" / "cgroup"
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"{line}\n" for line in lines))

    def group(self, path: str, **files: object) -> None:
        """Make a group with files of these texts; a line of its memory.stat is a name without `memory`."""
        folder = self.cgroups / path
        folder.mkdir(parents=True, exist_ok=True)
        lines = {name: text for name, text in files.items() if not name.startswith("memory_")}
        for name, text in files.items():
            if name not in lines:
                (folder / name.replace("_", ".", 1)).write_text(f"{text}\n")
        (folder / "memory.stat").write_text("".join(f"{name} {text}\n" for name, text in lines.items()))

    def free(self) -> int:
        return memory.free(self.proc, self.cgroups)


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """Return a system whose machine has 8 GiB available, and no other limits."""
    machine = psutil.virtual_memory()
    monkeypatch.setattr(psutil, "virtual_memory", lambda: machine._replace(available=8 * GIB))
    monkeypatch.setattr(memory, "_left_by_limits", lambda: iter(()))
    monkeypatch.delenv("CHECKPOINT_MEMORY", raising=False)
    return System(tmp_path)


def test_without_groups(system: System) -> None:
    assert system.free() == 8 * GIB


def test_version_2(system: System) -> None:
    system.belongs_to("0::/")
    system.group("", memory_max=GIB, memory_current=300 * MIB, inactive_file=100 * MIB, active_file=MIB)
    assert system.free() == 824 * MIB


def test_a_group_without_a_limit(system: System) -> None:
    system.belongs_to("0::/user.slice/session")
    system.group("user.slice/session", memory_max="max", memory_high="max", memory_current=3 * GIB)
    assert system.free() == 8 * GIB


def test_the_limit_from_which_on_all_is_slow(system: System) -> None:
    system.belongs_to("0::/a")
    system.group("a", memory_max=2 * GIB, memory_high=GIB, memory_current=GIB // 2)
    assert system.free() == GIB // 2


def test_the_tightest_group_of_all_around(system: System) -> None:
    system.belongs_to("0::/slice/service/inner")
    system.group("slice/service/inner", memory_max="max", memory_current=MIB)
    system.group("slice/service", memory_max=2 * GIB, memory_current=GIB)
    system.group("slice", memory_max=3 * GIB, memory_current=5 * GIB // 2, inactive_file=MIB)
    system.group("slice/other", memory_max=MIB, memory_current=MIB)
    assert system.free() == GIB // 2 + MIB


def test_a_group_that_is_full(system: System) -> None:
    system.belongs_to("0::/a")
    system.group("a", memory_max=GIB, memory_current=2 * GIB)
    assert system.free() == 0


def test_no_more_is_taken_back_than_is_used(system: System) -> None:
    system.belongs_to("0::/a")
    system.group("a", memory_max=GIB, memory_current=MIB, inactive_file=2 * MIB)
    assert system.free() == GIB


def test_version_1(system: System) -> None:
    system.belongs_to("5:cpu,cpuacct:/batch", "4:memory:/batch/job", "1:name=systemd:/")
    system.group("memory", memory_limit_in_bytes=UNLIMITED, memory_usage_in_bytes=6 * GIB)
    system.group(
        "memory/batch/job",
        memory_limit_in_bytes=2 * GIB,
        memory_usage_in_bytes=GIB,
        inactive_file=1,
        total_inactive_file=MIB,
    )
    assert system.free() == GIB + MIB
    system.group("memory/batch", memory_limit_in_bytes=3 * GIB, memory_usage_in_bytes=5 * GIB // 2)
    assert system.free() == GIB // 2


def test_version_1_without_a_limit(system: System) -> None:
    system.belongs_to("4:memory:/")
    system.group("memory", memory_limit_in_bytes=UNLIMITED, memory_usage_in_bytes=GIB)
    assert system.free() == 8 * GIB


def test_both_versions(system: System) -> None:
    system.belongs_to("4:memory:/a", "0::/b")
    system.group("memory/a", memory_limit_in_bytes=3 * GIB, memory_usage_in_bytes=GIB)
    assert system.free() == 2 * GIB
    system.group("unified/b", memory_max=GIB, memory_current=MIB)
    assert system.free() == GIB - MIB


def test_a_container_that_sees_its_group_as_the_root(system: System) -> None:
    system.belongs_to("4:memory:/docker/0123456789ab")
    system.group("memory", memory_limit_in_bytes=GIB, memory_usage_in_bytes=MIB)
    assert system.free() == GIB - MIB


def test_a_group_outside_of_what_can_be_seen(system: System) -> None:
    system.belongs_to("0::/../elsewhere")
    system.group("", memory_max=GIB, memory_current=MIB)
    assert system.free() == GIB - MIB


def test_the_limit_of_this_package(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_MEMORY", "64MiB")
    assert system.free() == 64 * MIB
    monkeypatch.setenv("CHECKPOINT_MEMORY", "64GiB")
    assert system.free() == 8 * GIB
    monkeypatch.setenv("CHECKPOINT_MEMORY", "much")
    with pytest.raises(SettingError, match="CHECKPOINT_MEMORY is 'much'; write a size"):
        system.free()


LIMITED = """
import resource
import psutil
from checkpoint.driver.memory import free

unlimited = free()
which, used = getattr(resource, "{limit}"), psutil.Process().memory_info().{use}
resource.setrlimit(which, (used + 2**25, resource.RLIM_INFINITY))
print(unlimited, free())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the system enforces other limits")
@pytest.mark.parametrize(("limit", "use"), [("RLIMIT_AS", "vms"), ("RLIMIT_DATA", "data")])
def test_the_limits_of_a_process(limit: str, use: str) -> None:
    code = LIMITED.format(limit=limit, use=use)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before > 2**25 >= after > 2**23


def test_the_system_is_not_asked_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, left = [100.0], iter([8 * GIB, 6 * GIB])
    monkeypatch.setattr(memory, "_system", memory._System())
    monkeypatch.setattr(memory, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(memory, "_left_by_system", lambda proc, cgroups: next(left))
    monkeypatch.setattr(memory, "_left_by_limits", lambda: iter(()))
    monkeypatch.delenv("CHECKPOINT_MEMORY", raising=False)
    assert memory.resolve("50%") == 4 * GIB
    clock[0] += memory.FRESH / 2
    assert memory.resolve("50%") == 4 * GIB
    monkeypatch.setenv("CHECKPOINT_MEMORY", "2GiB")
    assert memory.resolve("50%") == GIB
    monkeypatch.delenv("CHECKPOINT_MEMORY")
    clock[0] += memory.FRESH
    assert memory.resolve("50%") == 3 * GIB


def test_this_machine() -> None:
    assert 0 <= memory.free() <= psutil.virtual_memory().total
    assert 0 < memory.resolve(None) <= memory.MOST
