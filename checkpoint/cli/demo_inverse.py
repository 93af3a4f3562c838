"""The inverse problem of `checkpoint demo raytracer`: where is the light that makes an image what it is?

In: a size in pixels. Out: the image that is sought, and the steps of gradient descent on the light's place.
The derivative sees how shading changes with the light, not that edges of shadows move: so the descent ends
near the light that is sought, not at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import checkpoint
from checkpoint.cli.demo_tracer import Plane, Scene, Sphere, Vector, shoot_ray

WIDTH = 0.8  # of the screen, at a distance of one; its height follows from that of the image
BEGIN: Vector = (-20.0, -40.0, -60.0)  # of the light: above and behind the camera
SOUGHT: Vector = (-40.0, -15.0, 60.0)  # to the left of the spheres
RATE = 1.4e4
STEPS = 60

SPHERES = (
    Sphere((-9.0, 1.0, 62.0), 9.0, (0.9, 0.25, 0.2), 0.2),
    Sphere((10.0, 4.0, 52.0), 6.0, (0.2, 0.4, 0.9), 0.25),
    Sphere((4.0, -9.0, 84.0), 8.0, (0.3, 0.8, 0.3), 0.0),
)
FLOOR = Plane((0.0, -1.0, 0.0), -10.0, (0.9, 0.9, 0.85), (0.35, 0.35, 0.4), 0.15, 10.0)
WALL = Plane((0.0, 0.0, -1.0), -120.0, (0.5, 0.6, 0.8), (0.5, 0.6, 0.8), 0.0, 10.0)
SCENE = Scene(SPHERES, (FLOOR, WALL), SOUGHT, 0.85)

Image = tuple[Any, Any, Any]  # red, green and blue, each with a number for each pixel


class Pixels(NamedTuple):
    """The places of an image's pixels on the screen, row by row."""

    xs: Any
    ys: Any


def pixels(width: int, height: int) -> Pixels:
    """Return the middles of the pixels of an image."""
    side = WIDTH / width
    xs = (np.arange(width) + 0.5 - width / 2) * side
    ys = (np.arange(height) + 0.5 - height / 2) * side
    return Pixels(np.tile(xs, height), np.repeat(ys, width))


def render(scene: Scene, places: Pixels) -> Image:
    """Return the image of a scene: the tracer of one pixel, mapped over all."""
    image: Image = checkpoint.vmap(shoot_ray, (0, 0, None))(places.xs, places.ys, scene)
    return image


def difference(image: Image, sought: Image) -> Any:
    """Return the mean over pixels of the squared distance of colours."""
    total = 0.0
    for own, other in zip(image, sought, strict=True):
        total = total + np.sum((own - other) ** 2) / len(own)
    return total


def loss(light: Vector, scene: Scene, places: Pixels, sought: Image) -> Any:
    """Return how far a scene's image, with the light elsewhere, is from the one that is sought."""
    return difference(render(scene._replace(light=light), places), sought)


class Step(NamedTuple):
    """One step of the descent: where the light is, and the loss there."""

    light: Vector
    loss: float


def descent(sought: Image, places: Pixels, engine: str, steps: int = STEPS, **how: Any) -> Iterator[Step]:
    """Yield the steps of gradient descent from BEGIN; how: `memory` or `schedule` of the gradients."""
    gradient = checkpoint.value_and_grad(loss, engine=engine, **how)
    light = BEGIN
    for _ in range(steps):
        value, slope = gradient(light, SCENE, places, sought)
        yield Step(light, float(value))
        light = (light[0] - RATE * slope[0], light[1] - RATE * slope[1], light[2] - RATE * slope[2])


def image_at(light: Vector, places: Pixels, engine: str) -> Image:
    """Return the image of the scene with the light at a place."""
    picture: Image = checkpoint.vmap(shoot_ray, (0, 0, None), engine=engine)(
        places.xs, places.ys, SCENE._replace(light=light)
    )
    return picture
