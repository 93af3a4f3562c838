"""Bundle adjustment as ADBench has it: reprojection errors of points in cameras, and their Jacobian.

A camera is 11 numbers: the rotation as an axis times an angle, the center, the focal length, the principal
point, two coefficients of radial distortion.
Source: Srajer, Kukelova, Fitzgibbon 2018, "A benchmark of selected algorithmic differentiation tools".
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.uses.support import engines, gradients, is_gradient

EPSILON = 1e-14


def rotated(rotation: Any, point: Any) -> Any:
    """Return a point after a rotation, by the formula of Rodrigues."""
    square = np.sum(rotation * rotation)
    if square.real > EPSILON:
        theta = np.sqrt(square)
        axis = rotation / theta
        around = np.cross(axis, point)
        along = axis * (np.dot(axis, point) * (1.0 - np.cos(theta)))
        return point * np.cos(theta) + around * np.sin(theta) + along
    return point + np.cross(rotation, point)


def projected(camera: Any, point: Any) -> Any:
    """Return the pixel at which a camera sees a point."""
    in_camera = rotated(camera[:3], point - camera[3:6])
    flat = in_camera[:2] / in_camera[2]
    radius = np.sum(flat * flat)
    distorted = flat * (1.0 + camera[9] * radius + camera[10] * radius**2)
    return distorted * camera[6] + camera[7:9]


def residuals(inputs: Any, observations: Any, features: Any) -> Any:
    """Return the weighted reprojection errors and how far the weights are from one, as one vector."""
    cameras, points, weights = inputs["cameras"], inputs["points"], inputs["weights"]
    p = len(observations)
    out = np.zeros(3 * p, dtype=weights.dtype)
    for i, (c, j) in enumerate(observations):
        out[2 * i : 2 * i + 2] = weights[i] * (projected(cameras[c], points[j]) - features[i])
        out[2 * p + i] = 1.0 - weights[i] ** 2
    return out


def cost(inputs: Any, observations: Any, features: Any) -> Any:
    """Return half the squared length of the residuals."""
    errors = residuals(inputs, observations, features)
    return 0.5 * np.dot(errors, errors)


def vectorised_cost(inputs: Any, observations: Any, features: Any) -> Any:
    """Return the cost of all observations at once, vectorised."""
    index = np.array(observations)
    camera, point = inputs["cameras"][index[:, 0]], inputs["points"][index[:, 1]]
    weights = inputs["weights"]
    theta = np.linalg.norm(camera[:, :3], axis=1, keepdims=True)
    axis, moved = camera[:, :3] / theta, point - camera[:, 3:6]
    along = np.sum(axis * moved, axis=1, keepdims=True) * (1.0 - np.cos(theta))
    x = moved * np.cos(theta) + np.cross(axis, moved) * np.sin(theta) + axis * along
    flat = x[:, :2] / x[:, 2:]
    radius = (flat**2).sum(axis=1)
    factor = 1.0 + camera[:, 9] * radius + camera[:, 10] * radius**2
    seen = flat * factor[:, None] * camera[:, 6:7] + camera[:, 7:9]
    errors = weights[:, None] * (seen - features)
    return 0.5 * (np.sum(errors**2) + np.sum((1.0 - weights**2) ** 2))


def problem(n: int, m: int, seen: int) -> tuple[Any, Any, Any]:
    """Return cameras before which points lie, which of the points each camera sees, and where."""
    rng = np.random.default_rng(6)
    cameras = 0.1 * rng.normal(size=(n, 11))
    cameras[:, 6] += 1.5
    points = rng.normal(size=(m, 3)) + np.array([0.0, 0.0, 6.0])
    observations = [(int(rng.integers(n)), int(rng.integers(m))) for _ in range(seen)]
    features = rng.normal(size=(seen, 2))
    weights = 0.5 + rng.random(seen)
    return {"cameras": cameras, "points": points, "weights": weights}, observations, features


def complex_step(inputs: Any, *rest: Any) -> dict[str, Any]:
    """Return the Jacobian of the residuals, a column for each input, exact to rounding."""
    step = 1e-30
    found = {}
    for name, value in inputs.items():
        columns = []
        for i in range(value.size):
            moved = {key: part.astype(complex) for key, part in inputs.items()}
            moved[name].flat[i] += 1j * step
            columns.append(residuals(moved, *rest).imag / step)
        found[name] = np.stack(columns, axis=1)
    return found


@engines
def test_each_row_of_the_jacobian(engine: str) -> None:
    inputs, *rest = problem(2, 3, 4)
    expected = complex_step(inputs, *rest)
    length = 3 * len(rest[0])
    rows = range(length) if engine != "interp" else range(0, length, 5)
    for i in rows:
        unit = np.zeros(length)
        unit[i] = 1.0
        _, row = checkpoint.vjp(lambda inputs: residuals(inputs, *rest), inputs, unit, engine=engine)
        for name, part in row.items():
            assert part.ravel() == pytest.approx(expected[name][i], rel=1e-11, abs=1e-12)


def test_derivatives_that_are_easily_written_down() -> None:
    inputs, *rest = problem(2, 3, 4)
    (c, j), feature, weight = rest[0][0], rest[1][0], inputs["weights"][0]
    camera, point = inputs["cameras"][c], inputs["points"][j]
    seen = projected(camera, point)
    for k in range(2):
        unit = np.zeros(12)
        unit[k] = 1.0
        _, row = checkpoint.vjp(lambda inputs: residuals(inputs, *rest), inputs, unit)
        assert row["weights"] == pytest.approx([seen[k] - feature[k], 0.0, 0.0, 0.0], rel=1e-12)
        by_camera = row["cameras"][c]
        assert by_camera[6] == pytest.approx(weight * (seen[k] - camera[7 + k]) / camera[6], rel=1e-12)
        assert by_camera[7:9] == pytest.approx(np.eye(2)[k] * weight, rel=1e-12)
        assert by_camera[3:6] == pytest.approx(-row["points"][j], rel=1e-12)


@engines
@pytest.mark.parametrize("use", [cost, vectorised_cost])
def test_the_gradient_of_the_cost_is_the_jacobian_times_the_residuals(engine: str, use: Any) -> None:
    inputs, *rest = problem(3, 8, 20) if engine != "interp" else problem(2, 2, 3)
    _, gradient = gradients(use, inputs, *rest, engine=engine)
    jacobian, errors = complex_step(inputs, *rest), residuals(inputs, *rest)
    for name, part in gradient.items():
        assert part.ravel() == pytest.approx(errors @ jacobian[name], rel=1e-9, abs=1e-10)


def test_a_camera_that_is_not_turned() -> None:
    inputs, *rest = problem(1, 2, 3)
    inputs["cameras"][0, :3] = 0.0
    _, gradient = gradients(cost, inputs, *rest, engine="hybrid")
    assert is_gradient(gradient, cost, inputs, *rest, step=1e-5)
