"""Objects on a disk: their bytes, their places, what is written once, and what a disk that fails leaves."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checkpoint.driver.spill import store as stores
from checkpoint.driver.spill.file import GRAIN, File, Places
from checkpoint.driver.spill.setting import UNBOUNDED, kind_of_files
from checkpoint.driver.spill.store import Store, Stored
from tests.driver.spill.everything import Failing

FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path, UNBOUNDED)
    yield made
    made.close()


def put(store: Store, array: Any) -> Stored:
    return store.put(array, 0, array.nbytes, memoryview(array).cast("B"))


def read(store: Store, stored: Stored) -> Any:
    into: Any = np.empty(stored.length, np.uint8)
    found = store.read(stored, memoryview(into))
    store.wait_for(found)
    if found.error is not None:
        raise found.error
    return into.view(float)


@pytest.mark.parametrize("seed", range(20))
def test_places_never_overlap_and_are_used_again(seed: int) -> None:
    chance = random.Random(seed)
    places = Places(40 * GRAIN)
    taken: list[tuple[int, int]] = []
    for _ in range(400):
        if taken and chance.random() < 0.5:
            places.give_back(*taken.pop(chance.randrange(len(taken))))
        else:
            length = chance.randrange(1, 5 * GRAIN)
            first = places.take(length)
            if first is not None:
                taken.append((first, length))
        spans = sorted((first, first + Places.rounded(length)) for first, length in taken)
        assert all(a[1] <= b[0] for a, b in pairwise(spans))
        assert all(end <= places.most for _, end in spans)
        assert places.used == sum(end - first for first, end in spans)
    for first, length in taken:
        places.give_back(first, length)
    assert places.used == 0
    assert places.take(places.end) == 0  # all that was free is one place again


def test_what_is_put_is_read(store: Store) -> None:
    arrays = [np.random.default_rng(n).normal(size=1000 * (n + 1)) for n in range(20)]
    stored = [put(store, array) for array in arrays]
    store.wait()
    assert store.pending == 0
    assert all(each.arrived and each.data is None for each in stored)
    for array, each in zip(arrays, stored, strict=True):
        assert np.array_equal(read(store, each), array)
    assert store.rate > 0


def test_an_object_is_written_once(store: Store) -> None:
    array = np.arange(10_000.0)
    stored = [put(store, array), put(store, array), put(store, array.copy())]
    assert stored[0] is stored[1]
    store.wait()
    assert store.written == array.nbytes
    store.release(stored[0])
    store.release(stored[2])
    assert np.array_equal(read(store, stored[1]), array)
    store.release(stored[1])
    again = put(store, np.arange(10_000.0) + 1)
    store.wait()
    assert store.written == 2 * array.nbytes
    assert again.place is not None
    assert again.place.first == 0  # where the first one was


def test_an_identity_is_not_taken_for_another(store: Store) -> None:
    """Of two arrays at one address, one after the other, each has its own bytes."""
    for n in range(50):
        array = np.full(5000, float(n))
        stored = put(store, array)
        del array
        store.wait()
        assert set(read(store, stored)) == {float(n)}


@pytest.mark.parametrize("method", ["write_at", "sync"])
@pytest.mark.parametrize("at", range(6))
def test_a_disk_that_fails_leaves_what_has_not_arrived(
    method: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "WINDOW", 2**16)
    failing = Failing(monkeypatch, method, at, FULL)
    store = Store(tmp_path, UNBOUNDED)
    try:
        arrays = [np.full(5000, float(n)) for n in range(12)]
        stored = []
        for array in arrays:
            stored.append(put(store, array))
            if len(stored) % 4 == 0:
                store.wait()
        store.wait()
        assert failing.calls > at
        assert store.lost is FULL
        assert store.room == 0
        for array, each in zip(arrays, stored, strict=True):
            if each.arrived:
                assert np.array_equal(read(store, each), array)
            else:
                assert each.data is not None
                assert np.array_equal(np.frombuffer(each.data), array)
    finally:
        store.close()


def test_a_size_that_is_used_up_is_a_full_disk(tmp_path: Path) -> None:
    store = Store(tmp_path, 20 * GRAIN)
    try:
        stored = [put(store, np.full(5000, float(n))) for n in range(4)]
        store.wait()
        assert str(store.lost) == "the size that spill= allows is used up"
        assert [each.arrived for each in stored].count(True) <= 2
    finally:
        store.close()


def test_bytes_that_have_changed_are_found(store: Store) -> None:
    stored = put(store, np.arange(5000.0))
    store.wait()
    assert stored.place is not None
    store._file.write_at(memoryview(b"x"), stored.place.first + 77)
    with pytest.raises(OSError, match="the disk returned other bytes than were written"):
        read(store, stored)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning", "ignore:os.fork:RuntimeWarning")
def test_a_forked_process_reads_and_writes_nothing(store: Store) -> None:
    array = np.arange(5000.0)
    stored = put(store, array)
    store.wait()
    child = os.fork()
    if not child:
        fine = store.is_lost and store.room == 0 and np.array_equal(read(store, stored), array)
        store.close()
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert not store.is_lost


def test_the_file_has_no_name(store: Store, tmp_path: Path) -> None:
    put(store, np.arange(5000.0))
    store.wait()
    assert list(tmp_path.iterdir()) == []


def test_file_systems_in_memory_are_known(tmp_path: Path) -> None:
    number = os.stat(tmp_path).st_dev
    mounts = tmp_path / "mountinfo"
    here = f"{os.major(number)}:{os.minor(number)}"
    mounts.write_text(f"21 1 0:999 / /a rw - ext4 a rw\n22 1 {here} / /b rw shared:1 - tmpfs b rw\n")
    assert kind_of_files(tmp_path, mounts) == "tmpfs"
    assert kind_of_files(tmp_path, tmp_path / "none") == ""


def test_partial_writes_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda number, data, place: works(number, data[:7], place))
    file = File(tmp_path)
    file.write_at(memoryview(bytes(range(100))), 5)
    into = bytearray(100)
    file.read_at(memoryview(into), 5)
    assert into == bytes(range(100))
    with pytest.raises(OSError, match="shorter"):
        file.read_at(memoryview(bytearray(10)), 100)
    file.close()
