"""ADBench's fit of a hand to points (HAND, simple and complicated), in NumPy; with another `np` JAX runs it.

Source: Srajer, Kukelova, Fitzgibbon 2018, "A benchmark of selected algorithmic differentiation tools". Of 26
parameters the first three are a rotation of the whole hand, as axis times angle, the next three its
translation, and four angles bend each finger. In the complicated form each point is matched with a place on a
triangle, which two parameters of its own say. The model is made up, in the sizes of ADBench's small one.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

BONES = 22  # forearm, palm, and four in a chain for each finger, of which the last does not bend
FINGERS, CHAIN = 5, 4
PARAMETERS = 6 + 4 * FINGERS
VERTICES = 544


class Model(NamedTuple):
    """A hand at rest.

    angles: the places among parameters of each bone's angles about x, z and y, in rows; PARAMETERS: none.
    levels: bones whose parents are in the level before, and the places of these parents in it, of each level.
    order: the place of each bone among those of all levels.
    relatives: each bone's matrix in the frame of its parent, (BONES, 4, 4). inverses: those of the frames.
    positions: vertices, with a 1 behind each, (vertices, 4). weights: of bones, for each vertex.
    """

    angles: Any
    levels: tuple[tuple[Any, Any], ...]
    order: Any
    relatives: Any
    inverses: Any
    positions: Any
    weights: Any


def rotations(angles: Any, np: Any = np) -> Any:
    """Return the matrices (n, 3, 3) of turns about x, then y, then z; angles (n, 3) are about x, z and y."""
    sines, cosines = np.sin(angles), np.cos(angles)
    a, c, b = sines[:, 0], sines[:, 1], sines[:, 2]
    p, r, q = cosines[:, 0], cosines[:, 1], cosines[:, 2]
    ab, pb = a * b, p * b
    rows = [r * q, r * ab - c * p, r * pb + c * a, c * q, c * ab + r * p, c * pb - r * a, -b, q * a, q * p]
    return np.stack(rows, 1).reshape(-1, 3, 3)


def turned(vector: Any, np: Any = np) -> Any:
    """Return the matrix of a turn about a vector by its length."""
    angle = np.sqrt(np.sum(vector * vector))
    axis = vector / angle
    s, c = np.sin(angle), np.cos(angle)
    crossed = np.concatenate([axis, -axis, 0.0 * axis[:1]])[CROSSED]
    return axis[:, None] * axis * (1.0 - c) + c * np.eye(3) + s * crossed


# The places, among (x, y, z, -x, -y, -z, 0), of the elements of the matrix of a cross product.
CROSSED = np.array([[6, 5, 1], [2, 6, 3], [4, 0, 6]])


def skinned(theta: Any, model: Model, np: Any = np) -> Any:
    """Return the vertices (n, 3) of a hand in the pose of parameters."""
    bent = rotations(np.concatenate([theta, 0.0 * theta[:1]])[model.angles], np)
    rest = model.relatives
    relatives = np.concatenate([rest[:, :, :3] @ bent, rest[:, :, 3:]], 2)
    (first, _), *others = model.levels
    placed = [relatives[first]]
    for bones, above in others:
        placed.append(placed[-1][above] @ relatives[bones])
    transforms = np.concatenate(placed)[model.order] @ model.inverses
    by_bone = (model.weights[:, :, None] * model.positions[:, None, :]).reshape(-1, 4 * BONES)
    vertices = by_bone @ np.swapaxes(transforms[:, :3], 1, 2).reshape(4 * BONES, 3)
    return vertices @ turned(theta[:3], np).T + theta[3:6]


def errors(theta: Any, model: Model, points: Any, matched: Any, np: Any = np) -> Any:
    """Return how far points (n, 3) are from the vertices that they are matched with."""
    return points - skinned(theta, model, np)[matched]


def errors_on_triangles(
    theta: Any, places: Any, model: Model, points: Any, corners: Any, np: Any = np
) -> Any:
    """Return how far points (n, 3) are from places on triangles.

    places: the weights of a triangle's first two corners, for each point. corners: its vertices, (n, 3).
    """
    vertices = skinned(theta, model, np)[corners]
    u, v = places[:, :1], places[:, 1:]
    return points - (u * vertices[:, 0] + v * vertices[:, 1] + (1.0 - u - v) * vertices[:, 2])


def compressed(x: Any, places: Any, model: Model, points: Any, corners: Any, np: Any = np) -> Any:
    """Return the errors on triangles, whose Jacobian by x has the columns that ADBench compresses it to.

    x: what is added to the places of all points, two numbers, and the parameters of the hand. A point reads
    no place but its own, so two columns hold the derivatives by all places.
    """
    return errors_on_triangles(x[2:], places + x[:2], model, points, corners, np)


def model(vertices: int = VERTICES, seed: int = 0) -> Model:
    """Return a hand whose bones lie at random near a plane, with vertices around them."""
    rng = np.random.default_rng(seed)
    parents = [-1, 0] + [1 if k == 0 else 1 + CHAIN * f + k for f in range(FINGERS) for k in range(CHAIN)]
    first = [2 + CHAIN * f for f in range(FINGERS)]
    groups = [[0], [1], *[[bone + k for bone in first] for k in range(CHAIN)]]
    levels = [(np.array([0]), np.array([0]))]
    for above, bones in itertools.pairwise(groups):
        levels.append((np.array(bones), np.array([above.index(parents[bone]) for bone in bones])))
    angles = np.full((BONES, 3), PARAMETERS)
    for f, bone in enumerate(first):
        angles[bone, :2] = 6 + 4 * f, 7 + 4 * f
        angles[bone + 1, 0], angles[bone + 2, 0] = 8 + 4 * f, 9 + 4 * f
    relatives = np.tile(np.eye(4), (BONES, 1, 1))
    relatives[:, :3, :3] = rotations(0.2 * rng.normal(size=(BONES, 3)))
    relatives[:, :3, 3] = rng.normal(size=(BONES, 3)) * np.array([0.3, 1.0, 0.1])
    frames = relatives.copy()
    for bone in range(1, BONES):
        frames[bone] = frames[parents[bone]] @ relatives[bone]
    nearest = rng.integers(0, BONES, vertices)
    positions = np.ones((vertices, 4))
    positions[:, :3] = frames[nearest, :3, 3] + 0.2 * rng.normal(size=(vertices, 3))
    apart = np.sum((positions[:, None, :3] - frames[None, :, :3, 3]) ** 2, axis=2)
    weights = np.exp(-10.0 * (apart - apart.min(axis=1, keepdims=True)))
    weights[weights < 0.01] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    order = np.argsort([bone for bones in groups for bone in bones])
    return Model(angles, tuple(levels), order, relatives, np.linalg.inv(frames), positions, weights)


def data(count: int, seed: int = 0) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return arguments of `errors` and of `compressed`, for so many points."""
    rng = np.random.default_rng(seed)
    hand = model(seed=seed)
    theta, points = 0.3 * rng.normal(size=PARAMETERS), rng.normal(size=(count, 3))
    matched, corners = rng.integers(0, VERTICES, count), rng.integers(0, VERTICES, (count, 3))
    places = rng.dirichlet(np.ones(3), count)[:, :2]
    x = np.concatenate([np.zeros(2), theta])
    return (theta, hand, points, matched), (x, places, hand, points, corners)
