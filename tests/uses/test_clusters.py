"""k-means: what the data contribute to how tightly they cluster, with soft and with hard assignments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.uses.support import engines, gradients, is_gradient


def k_means(points: Any, centers: Any, turns: int) -> Any:
    """Return the inertia after some turns of Lloyd's algorithm; centers that lose all points do not move."""
    k = len(centers)
    for _ in range(turns):
        distances = np.sum((points[:, None, :] - centers[None, :, :]) ** 2, axis=2)
        nearest = np.argmin(distances, axis=1)
        moved = []
        for j in range(k):
            mine = points[nearest == j]
            moved.append(mine.mean(axis=0) if len(mine) > 0 else centers[j])
        centers = np.stack(moved)
    distances = np.sum((points[:, None, :] - centers[None, :, :]) ** 2, axis=2)
    return distances.min(axis=1).sum()


def soft_k_means(points: Any, centers: Any, stiffness: float, tolerance: float) -> Any:
    """Return the mean distance to soft centers, once these have settled."""
    while True:
        distances = np.sqrt(np.sum((points[:, None] - centers) ** 2, axis=-1))
        scores = -stiffness * distances
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        moved = (weights.T @ points) / weights.sum(axis=0)[:, None]
        shift = np.linalg.norm(moved - centers)
        centers = moved
        if shift < tolerance:
            return np.sum(weights * distances) / len(points)


def counted_k_means(points: Any, centers: Any, turns: int) -> Any:
    """Run Lloyd's algorithm with sums by index, as vectorised code has it; no center may lose all points."""
    for _ in range(turns):
        labels = np.argmin(((points[:, None] - centers) ** 2).sum(-1), axis=1)
        sums = np.zeros(centers.shape)
        np.add.at(sums, labels, points)
        centers = sums / np.bincount(labels, minlength=len(centers))[:, None]
    return ((points - centers[labels]) ** 2).sum()


def blobs(n: int) -> tuple[Any, Any]:
    """Return points around three places, and centers to start from."""
    rng = np.random.default_rng(3)
    places = np.array([[0.0, 0.0], [4.0, 0.5], [1.0, 5.0]])
    points = np.concatenate([place + 0.4 * rng.normal(size=(n, 2)) for place in places])
    return points, places + 0.8 * rng.normal(size=places.shape)


@engines
def test_hard_assignments(engine: str) -> None:
    points, centers = blobs(15 if engine != "interp" else 4)
    for use in (k_means, counted_k_means):
        _, gradient = gradients(use, points, centers, 4, engine=engine)
        assert is_gradient(gradient, use, points, centers, 4)
        # Of settled centers each is the mean of its points, where the inertia does not change with it.
        labels = np.repeat(np.arange(3), len(points) // 3)
        means = np.stack([points[labels == j].mean(axis=0) for j in range(3)])
        assert np.allclose(gradient, 2.0 * (points - means[labels]))


def test_hard_assignments_where_a_center_has_no_points() -> None:
    points, centers = blobs(8)
    centers = np.concatenate([centers, [[99.0, 99.0]]])
    args = (centers, points)

    def by_centers(centers: Any, points: Any) -> Any:
        return k_means(points, centers, 3)

    _, gradient = gradients(by_centers, *args, engine="hybrid")
    assert np.array_equal(gradient, np.zeros((4, 2)))


@engines
def test_soft_assignments(engine: str) -> None:
    points, centers = blobs(15 if engine != "interp" else 4)
    args = (points, centers, 2.0, 1e-4)
    _, gradient = gradients(soft_k_means, *args, engine=engine)
    assert is_gradient(gradient, soft_k_means, *args)
