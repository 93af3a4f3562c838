"""The cores that this process may use are those that the system names, and fewer where a group says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checkpoint.cores import cores

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system has no affinities")


@pytest.fixture
def of_eight(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let there be eight cores; return the folder in which the system describes itself."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)))
    (tmp_path / "self").mkdir()
    return tmp_path


def put(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)


def found(folder: Path, memberships: str) -> int:
    (folder / "self" / "cgroup").write_text(memberships)
    return cores(folder, folder / "groups")


def test_all_cores_where_there_are_no_groups(of_eight: Path) -> None:
    assert cores(of_eight, of_eight / "groups") == 8


@pytest.mark.parametrize(
    ("limit", "count"), [("max 100000", 8), ("300000 100000", 3), ("150000 100000", 2), ("1000 100000", 1)]
)
def test_the_time_of_a_group(of_eight: Path, limit: str, count: int) -> None:
    put(of_eight / "groups" / "jobs" / "one", cpu_max=limit)
    assert found(of_eight, "0::/jobs/one\n") == count


def test_the_least_of_the_groups_around_it(of_eight: Path) -> None:
    put(of_eight / "groups" / "jobs" / "one", cpu_max="500000 100000")
    put(of_eight / "groups" / "jobs", cpu_max="200000 100000")
    assert found(of_eight, "0::/jobs/one\n") == 2


@pytest.mark.parametrize(("quota", "count"), [("-1", 8), ("400000", 4)])
def test_groups_of_version_1(of_eight: Path, quota: str, count: int) -> None:
    put(of_eight / "groups" / "cpu" / "one", cpu_cfs_quota_us=quota, cpu_cfs_period_us="100000")
    assert found(of_eight, "3:cpu,cpuacct:/one\n2:memory:/\n") == count


def test_no_more_than_threads_may_run_on(of_eight: Path) -> None:
    put(of_eight / "groups" / "one", cpu_max="1600000 100000")
    assert found(of_eight, "0::/one\n") == 8
