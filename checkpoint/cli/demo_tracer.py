"""The ray tracer of `checkpoint demo raytracer`: spheres, planes, shadows, two bounces, a light.

In: the place of one pixel on a screen one unit before the camera, and a Scene. Out: the pixel's colour, a
tuple of red, green and blue. The camera is at the origin and looks along z; x is to the right, y downwards.
It is ordinary Python, which knows nothing of this package, of arrays or of derivatives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

Vector = tuple[float, float, float]
Color = tuple[float, float, float]

BOUNCES = 2
AMBIENT = 0.15
NEAR = 1e-6  # a ray does not hit what is closer: it may start there
BLACK: Color = (0.0, 0.0, 0.0)


class Sphere(NamedTuple):
    """A ball. mirror: the share of light that it reflects."""

    center: Vector
    radius: float
    color: Color
    mirror: float


class Plane(NamedTuple):
    """The points p with dot(normal, p) = height, seen from where the normal points; a board of squares."""

    normal: Vector
    height: float
    color: Color
    other: Color
    mirror: float
    side: float  # of a square


class Scene(NamedTuple):
    """All that is seen. brightness: of a surface that faces the light."""

    spheres: tuple[Sphere, ...]
    planes: tuple[Plane, ...]
    light: Vector
    brightness: float


def plus(u: Vector, k: float, v: Vector) -> Vector:
    """Return u + k v."""
    return (u[0] + k * v[0], u[1] + k * v[1], u[2] + k * v[2])


def dot(u: Vector, v: Vector) -> float:
    """Return the scalar product."""
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def scaled(k: float, v: Vector) -> Vector:
    """Return k v."""
    return (k * v[0], k * v[1], k * v[2])


def to_sphere(start: Vector, ray: Vector, sphere: Sphere) -> float:
    """Return how far along a ray of length one a sphere is, seen from outside; inf if the ray misses it."""
    away = plus(sphere.center, -1.0, start)
    along = dot(away, ray)
    inside = along * along - dot(away, away) + sphere.radius * sphere.radius
    if along <= 0.0 or inside <= 0.0:
        return math.inf
    found = along - math.sqrt(inside)
    return found if found > NEAR else math.inf


def to_plane(start: Vector, ray: Vector, plane: Plane) -> float:
    """Return how far along a ray a plane is; inf if the ray does not come down on it."""
    down = dot(plane.normal, ray)
    if down >= 0.0:
        return math.inf
    found = (plane.height - dot(plane.normal, start)) / down
    return found if found > NEAR else math.inf


def board(point: Vector, plane: Plane) -> Color:
    """Return the colour of a plane's square."""
    is_even = (math.floor(point[0] / plane.side) + math.floor(point[2] / plane.side)) % 2 == 0
    return plane.color if is_even else plane.other


def is_lit(point: Vector, ray: Vector, far: float, scene: Scene) -> bool:
    """Return whether nothing is between a point and the light, `far` away along the ray."""
    for sphere in scene.spheres:
        if to_sphere(point, ray, sphere) < far:
            return False
    return all(to_plane(point, ray, plane) >= far for plane in scene.planes)


def brightness(point: Vector, normal: Vector, scene: Scene) -> float:
    """Return how bright a surface is at a point."""
    to_light = plus(scene.light, -1.0, point)
    squared = dot(to_light, to_light)
    far = math.sqrt(squared)
    facing = dot(normal, to_light) / far
    if facing > 0.0 and is_lit(point, scaled(1.0 / far, to_light), far, scene):
        return AMBIENT + scene.brightness * facing
    return AMBIENT


def shoot_ray(x: float, y: float, scene: Scene) -> Color:
    """Return the colour of the pixel at (x, y)."""
    start, ray = (0.0, 0.0, 0.0), scaled(1.0 / math.sqrt(x * x + y * y + 1.0), (x, y, 1.0))
    seen, share = BLACK, 1.0
    for _ in range(BOUNCES + 1):
        near, normal, color, mirror = math.inf, BLACK, BLACK, 0.0
        for sphere in scene.spheres:
            far = to_sphere(start, ray, sphere)
            if far < near:
                point = plus(start, far, ray)
                normal = scaled(1.0 / sphere.radius, plus(point, -1.0, sphere.center))
                near, color, mirror = far, sphere.color, sphere.mirror
        for plane in scene.planes:
            far = to_plane(start, ray, plane)
            if far < near:
                near, normal, mirror = far, plane.normal, plane.mirror
                color = board(plus(start, far, ray), plane)
        if near == math.inf:
            return seen
        start = plus(start, near, ray)
        seen = plus(seen, share * (1.0 - mirror) * brightness(start, normal, scene), color)
        share = share * mirror
        if share == 0.0:
            return seen
        ray = plus(ray, -2.0 * dot(normal, ray), normal)
    return seen
