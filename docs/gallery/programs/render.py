"""Render: find a scene from its picture.

Each pixel follows its ray until it touches a surface (sphere tracing), which takes a few steps or many. The
gradient of the difference between two pictures, by the places and sizes of the balls and by the direction
of the light, goes through all these loops.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import checkpoint

Scene = dict[str, list[float]]
TRUTH: Scene = {"left": [-0.55, 0.1, 0.6], "right": [0.6, -0.2, 0.45], "light": [0.5, 0.7]}
GUESS: Scene = {"left": [-0.25, -0.15, 0.45], "right": [0.3, 0.1, 0.6], "light": [-0.1, 0.2]}
BLEND = 0.15  # how far from each other two surfaces melt together


def height(scene: Scene, x: float, y: float, z: float) -> float:
    """Return the distance of a point from the nearest surface; two balls that melt into each other."""
    distances = []
    for name in ("left", "right"):
        bx, by, radius = scene[name]
        distances.append(math.sqrt((x - bx) ** 2 + (y - by) ** 2 + z * z + 1e-9) - radius)
    a, b = distances
    mix = max(BLEND - abs(a - b), 0.0) / BLEND
    return min(a, b) - 0.25 * BLEND * mix * mix


def pixel(scene: Scene, x: float, y: float) -> float:
    """Return the brightness where the ray through (x, y), along the z axis, meets the scene."""
    z, nearest = -2.0, 1e9
    for _ in range(60):
        distance = height(scene, x, y, z)
        nearest = min(nearest, distance)
        if distance < 1e-4 or z > 1.0:
            break
        z += distance
    if distance >= 1e-3:
        return 0.15 * math.exp(-30.0 * nearest * nearest)  # a glow around the balls
    e = 1e-3
    nx = height(scene, x + e, y, z) - height(scene, x - e, y, z)
    ny = height(scene, x, y + e, z) - height(scene, x, y - e, z)
    nz = height(scene, x, y, z + e) - height(scene, x, y, z - e)
    lx, ly = scene["light"]
    lit = (nx * lx + ny * ly - nz) / math.sqrt((nx * nx + ny * ny + nz * nz) * (lx * lx + ly * ly + 1.0))
    return 0.15 + 0.85 * max(lit, 0.0)


def picture(scene: Scene, size: int) -> list[list[float]]:
    """Return the brightness of size x size pixels, rows from the top."""
    places = [2.4 * (i + 0.5) / size - 1.2 for i in range(size)]
    return [[pixel(scene, x, -y) for x in places] for y in places]


@dataclass(frozen=True)
class Rendered:
    """scenes: after each descent. losses: mean squared differences of pixels. size: of the pictures."""

    scenes: list[Scene]
    losses: list[float]
    size: int


def solve(size: int = 24, turns: int = 80) -> Rendered:
    """Descend by Adam from the guess."""
    target = picture(TRUTH, size)

    def loss(scene: Scene) -> float:
        rows = zip(picture(scene, size), target, strict=True)
        return sum([(a - b) ** 2 for row, wanted in rows for a, b in zip(row, wanted, strict=True)]) / size**2

    value_and_gradient = checkpoint.value_and_grad(loss, memory="64MiB")
    scene, scenes, losses = GUESS, [], []
    mean = {name: [0.0] * len(part) for name, part in GUESS.items()}
    square = {name: [0.0] * len(part) for name, part in GUESS.items()}
    for turn in range(1, turns + 1):
        value, gradient = value_and_gradient(scene)
        scenes.append(scene)
        losses.append(value)
        rate = 0.03 * (1.0 - turn / (turns + 1))
        changed: Scene = {}
        for name, part in scene.items():
            m = mean[name] = [0.8 * a + 0.2 * g for a, g in zip(mean[name], gradient[name], strict=True)]
            s = square[name] = [
                0.95 * a + 0.05 * g * g for a, g in zip(square[name], gradient[name], strict=True)
            ]
            scale = math.sqrt(1.0 - 0.95**turn) / (1.0 - 0.8**turn)
            changed[name] = [
                p - rate * scale * a / (math.sqrt(b) + 1e-12) for p, a, b in zip(part, m, s, strict=True)
            ]
        scene = changed
    return Rendered(scenes, losses, size)


def report(found: Rendered) -> str:
    """Return what was found, as text."""
    parts = [
        f"{name} {', '.join(f'{value:.3f}' for value in part)}" for name, part in found.scenes[-1].items()
    ]
    return f"difference {found.losses[0]:.3g} at first, {found.losses[-1]:.2g} in the end; " + "; ".join(
        parts
    )


def draw(found: Rendered, file: str) -> None:
    """Draw the target, the guess, and what was found."""
    from matplotlib import pyplot  # noqa: PLC0415  # only pictures need it

    figure, axes = pyplot.subplots(1, 3, figsize=(8, 3), layout="constrained")
    last = len(found.scenes) - 1
    titles = ("the picture", "the first guess", f"after {last} descents")
    for axis, scene, title in zip(axes, (TRUTH, GUESS, found.scenes[last]), titles, strict=True):
        axis.imshow(picture(scene, 3 * found.size), cmap="gray", vmin=0.0, vmax=1.0)
        axis.set_title(title)
        axis.set_axis_off()
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


if __name__ == "__main__":
    solved = solve()
    print(report(solved))
    for name in sys.argv[1:]:
        draw(solved, name)
