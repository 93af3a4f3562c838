"""Programs of the second table of experiments/adbench agree in all forms, and their derivatives are right."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
import pytest

import checkpoint
from experiments.adbench import grids, hand, lstm, more, poles
from experiments.adbench.run import jax_of

STEP = 1e-6


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small = ["--layers", "1", "--length", "4", "--points", "5", "--lookups", "3", "--visits", "2"]
    small += ["--matches", "3"]
    monkeypatch.setattr(sys, "argv", ["more", *small, "--repeats", "1"])
    monkeypatch.setattr(more, "jax_of", lambda: None)
    monkeypatch.setattr(more, "torch_of", lambda: None)
    more.main()
    assert capsys.readouterr().out.count("\n") == 9


def along(f: Any, x: Any, seed: int) -> tuple[float, float]:
    """Return the derivative of f at arrays along a random direction, by reverse mode and by differences."""
    rng = np.random.default_rng(seed)
    direction = [rng.normal(size=part.shape) for part in x]
    found = checkpoint.grad(f)(tuple(x))
    product = sum([float(np.sum(a * b)) for a, b in zip(found, direction, strict=True)])
    ends = [
        f(tuple([a + sign * STEP * b for a, b in zip(x, direction, strict=True)])) for sign in (1.0, -1.0)
    ]
    return product, (ends[0] - ends[1]) / (2.0 * STEP)


def test_the_gradient_of_an_lstm() -> None:
    main, extra, state, sequence = lstm.data(2, 6)
    product, difference = along(lambda x: lstm.loss(x[0], x[1], state, sequence), (main, extra), 0)
    assert product == pytest.approx(difference, rel=1e-7)


def test_the_gradient_of_lookups_on_grids() -> None:
    sections, grid, met = grids.data(9, 20)
    pairs, lists = grids.of_pairs(sections, grid, met), grids.of_lists(sections, grid, met)
    value = grids.total(*pairs)
    assert value == pytest.approx(grids.total_by_nuclides(sections, grid, met), rel=1e-13)
    assert value == pytest.approx(grids.total_in_loops(*lists), rel=1e-13)
    product, difference = along(lambda x: grids.total(*x, *pairs[2:]), pairs[:2], 1)
    assert product == pytest.approx(difference, rel=1e-6)
    by_arrays = checkpoint.grad(grids.total, (0, 1))(*pairs)
    in_loops = checkpoint.grad(grids.total_in_loops, (0, 1))(*lists)
    for one, other in zip(by_arrays, in_loops, strict=True):
        assert one.ravel() == pytest.approx(np.array(other), rel=1e-12)


def test_the_gradient_of_lookups_by_poles() -> None:
    model, visits = poles.data(3)
    arrays = functools.partial(poles.total, apply=poles.visited)
    items = functools.partial(poles.total, apply=poles.by_map)
    value, by_arrays = checkpoint.value_and_grad(arrays)(model, visits)
    for form in (poles.total, items):
        same, found = checkpoint.value_and_grad(form)(model, visits)
        assert value == pytest.approx(same, rel=1e-12)
        for one, other in zip(found, by_arrays, strict=True):
            assert np.allclose(one, other, rtol=1e-9, atol=1e-9 * float(np.max(np.abs(other))))
    windows, amounts = model.windows, model.amounts
    product, difference = along(lambda x: arrays(poles.Model(model.poles, *x), visits), (windows, amounts), 2)
    assert product == pytest.approx(difference, rel=1e-6)


HAND = pytest.mark.parametrize(("f", "form"), [(hand.errors, 0), (hand.compressed, 1)])


@HAND
def test_the_jacobian_of_a_hand(f: Any, form: int) -> None:
    x, *rest = hand.data(7)[form]
    found = checkpoint.jacfwd(f)(x, *rest)
    for column in range(len(x)):
        step = STEP * np.eye(len(x))[column]
        difference = (f(x + step, *rest) - f(x - step, *rest)) / (2.0 * STEP)
        assert found[..., column] == pytest.approx(difference, rel=1e-6, abs=1e-8)


@HAND
def test_the_jacobian_of_a_hand_is_that_of_jax(f: Any, form: int) -> None:
    jax = jax_of()
    if jax is None:
        pytest.skip("JAX is missing")
    args = hand.data(7)[form]
    theirs = jax.jacfwd(functools.partial(f, np=jax.numpy))(*args)
    assert np.allclose(checkpoint.jacfwd(f)(*args), theirs, rtol=1e-10, atol=1e-10)


def test_the_columns_of_places_are_those_of_each_point() -> None:
    x, places, *rest = hand.data(4)[1]
    whole = checkpoint.jacfwd(hand.errors_on_triangles, 1)(x[2:], places, *rest)
    found = checkpoint.jacfwd(hand.compressed)(x, places, *rest)
    for point in range(4):
        assert np.array_equal(found[point, :, :2], whole[point, :, point])


def test_a_hand_is_posed_bone_by_bone() -> None:
    theta, model, *_ = hand.data(1)[0]
    angles = np.append(theta, 0.0)[model.angles]
    bent = np.tile(np.eye(4), (hand.BONES, 1, 1))
    for bone, (a, c, b) in enumerate(angles):
        x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
        bent[bone, :3, :3] = z @ y @ x
    frames = [model.relatives[0] @ bent[0]]
    for bone in range(1, hand.BONES):
        parent = 0 if bone == 1 else 1 if (bone - 2) % hand.CHAIN == 0 else bone - 1
        frames.append(frames[parent] @ model.relatives[bone] @ bent[bone])
    vertex, weights = model.positions[5], model.weights[5]
    parts = [w * (f @ i @ vertex) for w, f, i in zip(weights, frames, model.inverses, strict=True)]
    axis = theta[:3] / np.linalg.norm(theta[:3])
    place = np.sum(parts, axis=0)[:3]
    angle = np.linalg.norm(theta[:3])
    turned = place * np.cos(angle) + np.cross(axis, place) * np.sin(angle)
    turned += axis * (axis @ place) * (1.0 - np.cos(angle))
    assert hand.skinned(theta, model)[5] == pytest.approx(turned + theta[3:6])


def test_a_pole_is_that_of_complex_arithmetic() -> None:
    place, whole, absorbed, fission = 0.3 + 0.2j, 1.0 - 2.0j, 0.5 + 0.25j, 3.0 + 1.0j
    root, phase = 0.7, 0.4
    term = -1j / (place - root) / root**2
    total = (whole * term * np.exp(-1j * phase)).real
    want = 5.0 * total + (absorbed * term).real + 2.0 * (fission * term).real
    pole = tuple([(each.real, each.imag) for each in (place, whole, absorbed, fission)])
    assert poles.visited(pole, root, np.cos(phase), np.sin(phase), 2.0) == pytest.approx(2.0 * want)
