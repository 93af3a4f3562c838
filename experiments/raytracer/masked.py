"""The same tracer for whole arrays of pixels, as users of PyTorch and of JAX must write it.

In: the library (torch or jax.numpy), arrays of places on the screen, and a Scene, whose numbers may be arrays
without axes. Out: three arrays. Every pixel evaluates every bounce, shadow and miss, and `where` selects.
What is not selected must be finite, or its derivative is zero times infinity, NaN: hence a `where` before
each square root and each division, too.
"""

from __future__ import annotations

from typing import Any

from checkpoint.cli.demo_tracer import AMBIENT, BOUNCES, NEAR, Plane, Scene, Sphere, dot, plus, scaled

FAR = 1e9  # further than all that is seen; with inf, positions of rays that miss would be NaN


def shoot_rays(lib: Any, x: Any, y: Any, scene: Scene) -> tuple[Any, Any, Any]:
    """Return the colours of the pixels at (x, y)."""
    one, zero = lib.ones_like(x), lib.zeros_like(x)
    start, ray = (zero, zero, zero), scaled(1.0 / lib.sqrt(x * x + y * y + 1.0), (x, y, one))
    seen, share = (zero, zero, zero), one
    for _ in range(BOUNCES + 1):
        near, normal, color, mirror = _first_hit(lib, start, ray, scene)
        is_hit = near < FAR
        start = plus(start, lib.where(is_hit, near, 0.0), ray)
        light = share * (1.0 - mirror) * _brightness(lib, start, normal, scene)
        seen = plus(seen, lib.where(is_hit, light, 0.0), color)
        share = lib.where(is_hit, share * mirror, 0.0)
        ray = plus(ray, -2.0 * dot(normal, ray), normal)
    return seen


def _first_hit(lib: Any, start: Any, ray: Any, scene: Scene) -> tuple[Any, Any, Any, Any]:
    one, zero = lib.ones_like(ray[0]), lib.zeros_like(ray[0])
    near, normal, color, mirror = FAR * one, (zero, zero, one), (zero, zero, zero), zero
    for sphere in scene.spheres:
        far = _to_sphere(lib, start, ray, sphere)
        is_hit = far < near
        point = plus(start, lib.where(is_hit, far, 0.0), ray)
        outwards = scaled(1.0 / sphere.radius, plus(point, -1.0, sphere.center))
        near, mirror = lib.where(is_hit, far, near), lib.where(is_hit, sphere.mirror, mirror)
        normal, color = _chosen(lib, is_hit, outwards, normal), _chosen(lib, is_hit, sphere.color, color)
    for plane in scene.planes:
        far = _to_plane(lib, start, ray, plane)
        is_hit = far < near
        point = plus(start, lib.where(is_hit, far, 0.0), ray)
        squares = lib.floor(point[0] / plane.side) + lib.floor(point[2] / plane.side)
        board = _chosen(lib, squares % 2 == 0, plane.color, plane.other)
        near, mirror = lib.where(is_hit, far, near), lib.where(is_hit, plane.mirror, mirror)
        normal, color = _chosen(lib, is_hit, plane.normal, normal), _chosen(lib, is_hit, board, color)
    return near, normal, color, mirror


def _chosen(lib: Any, where: Any, u: Any, v: Any) -> tuple[Any, Any, Any]:
    return lib.where(where, u[0], v[0]), lib.where(where, u[1], v[1]), lib.where(where, u[2], v[2])


def _to_sphere(lib: Any, start: Any, ray: Any, sphere: Sphere) -> Any:
    away = plus(sphere.center, -1.0, start)
    along = dot(away, ray)
    inside = along * along - dot(away, away) + sphere.radius * sphere.radius
    is_met = (along > 0.0) & (inside > 0.0)
    found = along - lib.sqrt(lib.where(is_met, inside, 1.0))
    return lib.where(is_met & (found > NEAR), found, FAR)


def _to_plane(lib: Any, start: Any, ray: Any, plane: Plane) -> Any:
    down = dot(plane.normal, ray)
    is_met = down < 0.0
    found = (plane.height - dot(plane.normal, start)) / lib.where(is_met, down, -1.0)
    return lib.where(is_met & (found > NEAR), found, FAR)


def _brightness(lib: Any, point: Any, normal: Any, scene: Scene) -> Any:
    to_light = plus(scene.light, -1.0, point)
    squared = dot(to_light, to_light)
    far = lib.sqrt(squared)  # no surface is at the light
    facing = dot(normal, to_light) / far
    is_lit, ray = facing > 0.0, scaled(1.0 / far, to_light)
    for sphere in scene.spheres:
        is_lit = is_lit & (_to_sphere(lib, point, ray, sphere) >= far)
    for plane in scene.planes:
        is_lit = is_lit & (_to_plane(lib, point, ray, plane) >= far)
    return lib.where(is_lit, AMBIENT + scene.brightness * facing, AMBIENT)
