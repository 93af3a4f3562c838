"""Files that were changed, cut, or are others: one class of error, and never more memory than they "
"deserve.
"""

from __future__ import annotations

import os
import stat
import struct
import tracemalloc
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import checkpoint
from checkpoint.ad.arrays import Array
from checkpoint.ad.values import Capsule
from checkpoint.durable import format
from checkpoint.durable.machine import facts
from checkpoint.durable.programs import Program
from checkpoint.errors import DurableError
from tests.durable import subjects
from tests.durable.round_trips import bits

KEPT = Path(__file__).parent / "kept"


def written(tmp_path: Path, f: Any, x: Any, steps: int) -> bytes:
    checkpoint.interrupt(f, x, steps).save(tmp_path / "z")
    return (tmp_path / "z").read_bytes()


def refused(path: Path, data: bytes, f: Any) -> str:
    path.write_bytes(data)
    with pytest.raises(DurableError) as caught:
        checkpoint.load(path, f)
    return str(caught.value).replace(str(path), "z")


def test_every_byte_and_every_length(tmp_path: Path) -> None:
    def small(x: float) -> float:
        return x * x + 1.0

    data = written(tmp_path, small, 2.0, 2)
    said = set()
    for i in range(len(data)):
        changed = bytearray(data)
        changed[i] ^= 1 << i % 8
        with pytest.raises(DurableError) as caught:
            format.Opened(bytes(changed), "z")
        said.add(" ".join(str(caught.value).split()[1:3]))
        if i % 97 == 0:
            refused(tmp_path / "z", bytes(changed), small)
    assert said == {"is damaged", "is no", "is cut", "has format"}
    for length in range(len(data)):
        with pytest.raises(DurableError) as caught:
            format.Opened(data[:length], "z")
        assert "is cut short" in str(caught.value) or (length == 0 and "is no file" in str(caught.value))
    assert "is cut short, or longer than it was" in refused(tmp_path / "z", data + b"\0", small)


def test_texts(tmp_path: Path) -> None:
    data = written(tmp_path, subjects.loop, 0.7, 10)
    path = tmp_path / "z"
    assert refused(path, b"PK\x03\x04" * 20, subjects.loop) == (
        "z is no file of checkpoint: it begins with other bytes"
    )
    newer = data[:8] + struct.pack("<H", 2) + data[10:]
    assert refused(path, newer, subjects.loop) == (
        "z has format version 2, and this version of checkpoint reads version 1: load it with the version of "
        "checkpoint that wrote it"
    )
    assert refused(path, data[:700], subjects.loop) == (
        f"z is cut short, or longer than it was: it has 700 bytes, and its header wants {len(data):,}. Copy "
        f"it again, or save the capsule again"
    )
    changed = bytearray(data)
    changed[-1] ^= 1
    assert refused(path, bytes(changed), subjects.loop) == (
        "z is damaged in its section BUFFERS: copy it again, or save the capsule again"
    )
    assert refused(path, data, subjects.containers) == (
        "containers is not the function of this capsule: its program has no procedure loop with the same "
        "steps and constants. Pass the function that was interrupted, as it was then; functions among its "
        "arguments are passed as known=(g, ...). A very large program is complete after a run of it, "
        "checkpoint.primops(f, x): run it before it is interrupted, and before its capsule is loaded"
    )
    end = written(tmp_path, subjects.loop, 0.7, checkpoint.primops(subjects.loop, 0.7))
    assert refused(path, end, subjects.containers).startswith(
        "containers is not the function of this capsule"
    )
    assert refused(path, data, 3.0) == (
        "z holds a capsule: pass the function that was interrupted, load(path, f), not a float"
    )


def resealed(data: bytes, change: Callable[[str, bytearray], None]) -> bytes:
    """Return a file with changed sections and right checksums."""
    file = format.Opened(data, "z")
    sections: dict[str, list[Any]] = {}
    for name in format.SECTIONS:
        if name in file._sections:
            content = bytearray(file.section(name))
            change(name, content)
            sections[name] = [bytes(content)]
    return b"".join(format.packed(file.kind, sections))


HOSTILE = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CHANGES = st.lists(
    st.tuples(st.sampled_from(format.SECTIONS[:5]), st.integers(0, 4000), st.integers(0, 255)),
    min_size=1,
    max_size=4,
)


def check_hostile(data: bytes, f: Any, changes: list[tuple[str, int, int]], path: Path) -> None:
    """Load a file with changed bytes and right checksums: an error or a capsule, within the bound of "
    "memory.
    """

    def change(name: str, content: bytearray) -> None:
        for section, at, byte in changes:
            if section == name and content:
                content[at % len(content)] = byte

    hostile = resealed(data, change)
    path.write_bytes(hostile)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        try:
            assert isinstance(checkpoint.load(path, f, anyway=True), Capsule)
        except DurableError as error:
            assert str(error)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    if all(section != "CODE" for section, _, _ in changes):  # which may name another call, translated anew
        assert peak <= 33 * len(hostile) + (1 << 20)


NAMES = ("containers", "deep", "arrays", "derivatives")
STEPS = {"containers": 100, "deep": 500, "arrays": 60, "derivatives": 800}


@pytest.mark.parametrize("name", NAMES)
@given(changes=CHANGES)
@settings(HOSTILE, max_examples=25)
def test_hostile(name: str, changes: list[tuple[str, int, int]], tmp_path: Path) -> None:
    f = getattr(subjects, name)
    data = written(tmp_path, f, subjects.ARGUMENTS[name], STEPS[name])
    check_hostile(data, f, changes, tmp_path / "hostile")


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", NAMES)
@given(changes=CHANGES)
@settings(HOSTILE, max_examples=20_000, derandomize=False)
def test_hostile_for_long(name: str, changes: list[tuple[str, int, int]], tmp_path: Path) -> None:
    f = getattr(subjects, name)
    data = written(tmp_path, f, subjects.ARGUMENTS[name], STEPS[name])
    check_hostile(data, f, changes, tmp_path / "hostile")


def test_files_are_the_users_own_and_replaced_as_a_whole(tmp_path: Path) -> None:
    z = checkpoint.interrupt(subjects.loop, 0.7, 10)
    z.save(tmp_path / "z")
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "z").stat().st_mode) == 0o600
    (tmp_path / "z").write_bytes(b"old")
    z.save(str(tmp_path / "z"))
    assert [path.name for path in tmp_path.iterdir()] == ["z"]
    assert checkpoint.load(str(tmp_path / "z"), subjects.loop).steps == 10


def test_what_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    z = checkpoint.interrupt(subjects.loop, 0.7, 10)
    z.save(tmp_path / "z")
    before = (tmp_path / "z").read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        checkpoint.interrupt(subjects.loop, 0.7, 20).save(tmp_path / "z")
    assert (tmp_path / "z").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["z"]
    with pytest.raises(FileNotFoundError):
        z.save(tmp_path / "nowhere" / "z")


def test_views_share_their_elements(tmp_path: Path) -> None:
    def f(w: Any) -> Any:
        parts = [w[i] for i in range(50)]
        total = 0.0
        for part in parts:
            total += part.sum()
        return total

    w = np.arange(50_000.0).reshape(50, 1000)
    z = checkpoint.interrupt(f, w, checkpoint.primops(f, w) // 2)
    z.save(tmp_path / "z")
    assert w.nbytes < (tmp_path / "z").stat().st_size < w.nbytes + 20_000
    again = checkpoint.load(tmp_path / "z", f)
    assert checkpoint.resume(again) == checkpoint.resume(z)


@pytest.mark.parametrize("key", ["Python", "bits of scalar functions", "bits of NumPy"])
def test_another_machine(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.interrupt(subjects.loop, 0.7, 10).save(tmp_path / "z")
    here = facts()
    monkeypatch.setattr("checkpoint.durable.machine.facts", lambda: {**here, key: "another"})
    with pytest.raises(DurableError) as caught:
        checkpoint.load(tmp_path / "z", subjects.loop)
    assert str(caught.value) == (
        f"{tmp_path / 'z'} was written where a run may have other bits: {key} ({here[key]} there, another "
        f"here). Pass anyway=True to go on here all the same"
    )
    again = checkpoint.load(tmp_path / "z", subjects.loop, anyway=True)
    assert checkpoint.resume(again) == subjects.loop(0.7)


@pytest.mark.parametrize("version", [1])
def test_files_of_each_version(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A capsule at its start, of `kept.weighted`: all of the format but what another front end would "
    "change.
    """
    from tests.durable.kept import weighted  # noqa: PLC0415

    def by_name(program: Program, name: str, arity: int, *hashes: Any) -> Any:
        (entry,) = [lam for lam in program._lambdas[name, arity] if not lam.shown]
        return entry

    monkeypatch.setattr(Program, "procedure", by_name)
    again = checkpoint.load(KEPT / f"weighted.{version}.capsule", weighted.weighted, anyway=True)
    expected = weighted.weighted(weighted.argument())
    assert checkpoint.resume(again) == expected
    _, zbar = checkpoint.vjp(checkpoint.resume, again)
    kept = checkpoint.load(KEPT / f"weighted.{version}.cotangent", again, anyway=True)
    assert list(map(bits, kept.numbers)) == list(map(bits, zbar.numbers))
    assert {type(number) for number in kept.numbers} == {float, Array}


def test_digests_are_of_the_standard_library() -> None:
    assert format._digest(b"a", b"b") == blake2b(b"ab", digest_size=16).digest()
