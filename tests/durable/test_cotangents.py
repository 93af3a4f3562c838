"""Cotangents of capsules as files: sparse, and bound to their capsules."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.identity import identity_of
from checkpoint.ad.values import Opaque
from checkpoint.errors import DurableError
from tests.durable import subjects
from tests.durable.round_trips import bits


def cotangent(f: Any, x: Any, steps: int, engine: str | None = None) -> tuple[Any, Any]:
    z = checkpoint.interrupt(f, x, steps, engine=engine)
    return z, checkpoint.vjp(checkpoint.resume, z)[1]


def all_bits(opaque: Any) -> list[str]:
    return [bits(number) for number in opaque.numbers]


@pytest.mark.parametrize("name", ["loop", "containers", "arrays", "derivatives", "primitives"])
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    f, x = getattr(subjects, name), subjects.ARGUMENTS[name]
    steps = checkpoint.primops(f, x) // 2
    z, zbar = cotangent(f, x, steps)
    zbar.save(tmp_path / "zbar")
    for again in (checkpoint.load(tmp_path / "zbar", z), pickle.loads(pickle.dumps(zbar))):
        assert all_bits(again) == all_bits(zbar)
        assert again.identity == zbar.identity
    _, expected = checkpoint.vjp(f, x)
    __, xbar = checkpoint.vjp(
        lambda x: checkpoint.interrupt(f, x, steps), x, checkpoint.load(tmp_path / "zbar", z)
    )
    assert np.array(xbar).tobytes() == np.array(expected).tobytes()


def test_of_a_capsule_that_was_loaded(tmp_path: Path) -> None:
    """A cotangent for the loaded capsule fits the one that was saved, and the run that it was cut out of."""
    z, zbar = cotangent(subjects.loop, 0.7, 100)
    again = pickle.loads(pickle.dumps(z))
    there = checkpoint.vjp(checkpoint.resume, again)[1]
    assert identity_of(again) == identity_of(z)
    _, xbar = checkpoint.vjp(lambda x: checkpoint.interrupt(subjects.loop, x, 100), 0.7, there)
    assert xbar == checkpoint.grad(subjects.loop)(0.7)
    there.save(tmp_path / "zbar")
    assert all_bits(checkpoint.load(tmp_path / "zbar", z)) == all_bits(zbar)


def test_zeros_take_no_room(tmp_path: Path) -> None:
    def middle(ws: Any) -> Any:
        y = 1.0
        for i in range(3):
            y = y * ws[50][i]
        return y

    ws = [np.full(1000, float(i + 1)) for i in range(100)]
    z, zbar = cotangent(middle, ws, checkpoint.primops(middle, ws) - 1)
    zbar.save(tmp_path / "zbar")
    assert (tmp_path / "zbar").stat().st_size <= 8192
    again = checkpoint.load(tmp_path / "zbar", z)
    assert all_bits(again) == all_bits(zbar)
    steps = checkpoint.primops(middle, ws) - 1
    _, xbar = checkpoint.vjp(lambda ws: checkpoint.interrupt(middle, ws, steps), ws, again)
    _, expected = checkpoint.vjp(middle, ws)
    assert [each.tobytes() for each in xbar] == [each.tobytes() for each in expected]


def test_the_sign_of_zero(tmp_path: Path) -> None:
    z, zbar = cotangent(subjects.loop, 0.7, 100)
    signed = Opaque(tuple(-0.0 if i == 0 else number for i, number in enumerate(zbar.numbers)), zbar.identity)
    signed.save(tmp_path / "zbar")
    assert all_bits(checkpoint.load(tmp_path / "zbar", z)) == all_bits(signed)


def other_rate(x: float) -> float:
    y = x
    for _ in range(30):
        y = y * 0.99
    return y


def test_another_capsule_is_an_error(tmp_path: Path) -> None:
    _, zbar = cotangent(subjects.loop, 0.7, 100)
    path = tmp_path / "zbar"
    zbar.save(path)
    others = {
        "a capsule of loop after 101 steps": checkpoint.interrupt(subjects.loop, 0.7, 101),
        "a capsule of other_rate after 100 steps": checkpoint.interrupt(other_rate, 0.7, 100),
        "a capsule of containers after 100 steps": checkpoint.interrupt(subjects.containers, 0.7, 100),
    }
    for text, z in others.items():
        with pytest.raises(DurableError) as caught:
            checkpoint.load(path, z)
        other = "" if "101" in text else ", which is another function"
        assert str(caught.value) == (
            f"{path} holds that of a capsule of loop after 100 steps{other}, and the capsule wants that of "
            f"{text}: pass its own capsule"
        )
        with pytest.raises(checkpoint.RunError):
            checkpoint.jvp(checkpoint.resume, z, pickle.loads(pickle.dumps(zbar)))


def test_other_hidden_inputs_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, zbar = cotangent(subjects.loop, 0.7, 100)
    zbar.save(tmp_path / "zbar")
    monkeypatch.setattr(subjects, "RATE", 0.5)
    with pytest.raises(DurableError, match="where it had other hidden inputs"):
        checkpoint.load(tmp_path / "zbar", checkpoint.interrupt(subjects.loop, 0.7, 100))


def test_texts(tmp_path: Path) -> None:
    z, zbar = cotangent(subjects.loop, 0.7, 100)
    zbar.save(tmp_path / "zbar")
    z.save(tmp_path / "z")
    with pytest.raises(DurableError) as caught:
        checkpoint.load(tmp_path / "zbar", subjects.loop)
    assert str(caught.value) == (
        f"{tmp_path / 'zbar'} holds a tangent or cotangent of a capsule: pass its capsule, load(path, z), "
        f"not a function"
    )
    with pytest.raises(DurableError) as caught:
        checkpoint.load(tmp_path / "z", z)
    assert str(caught.value) == (
        f"{tmp_path / 'z'} holds a capsule: pass the function that was interrupted, load(path, f), not a "
        f"PythonCapsule"
    )
    with pytest.raises(DurableError) as caught:
        Opaque((1.0,)).save(tmp_path / "procedure")
    assert str(caught.value) == (
        "the tangent or cotangent of a procedure cannot be saved or pickled, that of a capsule can: save the "
        "numbers that the procedure is made of"
    )


def test_copies_are_the_capsule_itself() -> None:
    z, zbar = cotangent(subjects.loop, 0.7, 100)
    assert copy.copy(z) is z
    assert copy.deepcopy([z, zbar])[1] is zbar
