"""The ray tracer: one image and one gradient by all methods, in Python and in the small language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import config, engines
from checkpoint.cli import demo_inverse as inverse
from checkpoint.ctarget import library
from experiments import common
from experiments.raytracer import methods
from experiments.raytracer import run as running

SIZE = (8, 6)
ENGINES = engines.usable()
IMAGE = methods.image(*SIZE, inverse.SCENE)
TRACER = common.HERE / "raytracer" / "tracer.vlad"
has_c = pytest.mark.skipif(library.reason() is not None, reason="the experiment runs on engine c")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_image_has_the_bits_of_python(engine: str) -> None:
    with config.override(convert=("checkpoint",)):
        found = inverse.image_at(inverse.SOUGHT, inverse.pixels(*SIZE), engine)
    assert all(map(np.array_equal, found, IMAGE))
    assert len(np.unique(IMAGE)) > 30  # it shows something


def of_the_small_language(engine: str) -> Any:
    width, height = SIZE
    places = inverse.pixels(width, height)
    image = np.stack([places.xs, places.ys], -1).reshape(height, width, 2)
    sought = [part.reshape(height, width) for part in IMAGE]
    f = checkpoint.read(TRACER)
    value, slopes = checkpoint.value_and_grad(f, engine=engine)([list(inverse.BEGIN), image, sought])
    return value, slopes[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_small_language_has_the_same_gradient(engine: str) -> None:
    _agree(of_the_small_language(engine), _by_hand())


@has_c
def test_all_methods_have_the_same_gradient() -> None:
    for name in running.available(methods.METHODS):
        if name != methods.JAX:  # XLA rounds otherwise: a pixel at an edge may be another (below)
            _agree(methods.method(name, *SIZE, 64 * methods.MIB)(inverse.BEGIN), _by_hand())


def _by_hand() -> Any:
    places, sought = methods.data(SIZE, in_a_loop=True)
    gradient = checkpoint.value_and_grad(methods.loop_loss)
    with config.override(convert=("checkpoint",)):
        return gradient(inverse.BEGIN, inverse.SCENE, places, sought)


def _agree(found: Any, want: Any) -> None:
    assert np.isclose(found[0], want[0], rtol=1e-12)
    assert np.allclose(found[1], want[1], rtol=1e-9)


def test_the_gradient_is_that_of_differences() -> None:
    places, sought = methods.data(SIZE, in_a_loop=True)
    _, slope = _by_hand()
    h = 1e-5
    for i, own in enumerate(slope):
        ends = []
        for sign in (1.0, -1.0):
            light = list(inverse.BEGIN)
            light[i] += sign * h
            ends.append(methods.loop_loss((light[0], light[1], light[2]), inverse.SCENE, places, sought))
        assert np.isclose((ends[0] - ends[1]) / (2 * h), own, rtol=1e-5)


def test_jax_has_the_same_image_but_for_edges() -> None:
    jax = pytest.importorskip("jax")
    from experiments.raytracer.masked import shoot_rays  # noqa: PLC0415

    width, height = 32, 24
    places, want = inverse.pixels(width, height), methods.image(width, height, inverse.SCENE)
    with jax.enable_x64(True):
        xs, ys = jax.numpy.asarray(places.xs), jax.numpy.asarray(places.ys)
        found = np.stack(shoot_rays(jax.numpy, xs, ys, inverse.SCENE))
    others = ~np.isclose(found, want, rtol=1e-9).all(0)
    assert others.sum() <= 0.01 * width * height


@has_c
def test_rows_and_failures() -> None:
    names = running.available(methods.METHODS)
    rows = running.in_turn(SIZE, names, 64 * methods.MIB, 1)
    assert [row["method"] for row in rows] == names
    assert all((row["exits"] is not None) == (row["method"] in running.OURS) for row in rows)
    row = running.alone(SIZE, methods.LOOP, 64 * methods.MIB, None)
    assert row["size"] == "8x6"
    assert np.isclose(row["loss"], _by_hand()[0], rtol=1e-12)
    failed = running.alone((400, 300), methods.LOOP, 1024, None)
    assert "a budget of 1.0 KiB is too small" in failed["error"]


@has_c
def test_descents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from experiments.raytracer import descend  # noqa: PLC0415

    for problem in descend.PROBLEMS:
        found, losses, _ = descend.descended(problem, SIZE, 4, True, "64MiB")
        assert losses[-1] < 0.95 * losses[0]
        assert len(found) == len(losses) + 1
    monkeypatch.setattr(descend, "HERE", tmp_path)
    pytest.importorskip("matplotlib")
    descend.drawn(problem, found[-1], SIZE, losses)
    assert (tmp_path / "colours-and-radii.png").read_bytes().startswith(b"\x89PNG")
