"""Points, curves, rays and rotations, and the fractals that real arithmetic draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tests.python.corpus import Example

Point = tuple[float, float]
EARTH_RADIUS = 6371.0


class Vec3(NamedTuple):
    """A vector in space."""

    x: float
    y: float
    z: float

    def dot(self, other: Vec3) -> float:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def plus(self, other: Vec3, times: float = 1.0) -> Vec3:
        return Vec3(self.x + times * other.x, self.y + times * other.y, self.z + times * other.z)


@dataclass(frozen=True)
class Sphere:
    """A ball that reflects."""

    center: Vec3
    radius: float
    color: float = 1.0

    def hit(self, origin: Vec3, direction: Vec3) -> float | None:
        """The distance along a ray of unit length, or None."""
        to_center = self.center.plus(origin, -1.0)
        along = to_center.dot(direction)
        gap = to_center.dot(to_center) - along * along
        if gap > self.radius**2:
            return None
        near = along - math.sqrt(self.radius**2 - gap)
        return near if near > 1e-4 else None


def trace(spheres: Sequence[Sphere], origin: Vec3, direction: Vec3, depth: int = 3) -> float:
    """The light that comes along a ray, with reflections."""
    nearest, hit_sphere = math.inf, None
    for sphere in spheres:
        distance = sphere.hit(origin, direction)
        if distance is not None and distance < nearest:
            nearest, hit_sphere = distance, sphere
    if hit_sphere is None or depth == 0:
        return 0.5 * (direction.y + 1.0)
    point = origin.plus(direction, nearest)
    normal = point.plus(hit_sphere.center, -1.0)
    unit = Vec3(*[c / hit_sphere.radius for c in normal])
    bounced = direction.plus(unit, -2 * direction.dot(unit))
    return hit_sphere.color * (0.3 + 0.7 * trace(spheres, point, bounced, depth - 1))


def render(spheres: Sequence[Sphere], slant: float) -> float:
    """The light of one ray into a scene."""
    length = math.sqrt(1 + slant * slant)
    return trace(spheres, Vec3(0.0, 0.0, 0.0), Vec3(slant / length, 0.0, 1 / length))


def bezier(points: list[Point], t: float) -> Point:
    """A point of a Bezier curve, by de Casteljau."""
    while len(points) > 1:
        points = [
            ((1 - t) * points[i][0] + t * points[i + 1][0], (1 - t) * points[i][1] + t * points[i + 1][1])
            for i in range(len(points) - 1)
        ]
    return points[0]


def catmull_rom(values: Sequence[float], t: float) -> float:
    """A spline through values at 0, 1, 2, ..."""
    i = min(max(int(t), 1), len(values) - 3)
    a, b, c, d = values[i - 1 : i + 3]
    u = t - i
    return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)))


def b_spline(knots: Sequence[float], i: int, degree: int, x: float) -> float:
    """A basis function, by the recursion of Cox and de Boor."""
    if degree == 0:
        return 1.0 if knots[i] <= x < knots[i + 1] else 0.0
    left = (x - knots[i]) / (knots[i + degree] - knots[i])
    right = (knots[i + degree + 1] - x) / (knots[i + degree + 1] - knots[i + 1])
    return left * b_spline(knots, i, degree - 1, x) + right * b_spline(knots, i + 1, degree - 1, x)


def polygon_area(points: Sequence[Point]) -> float:
    """The area by the shoelace formula."""
    total = 0.0
    x0, y0 = points[-1]
    for x1, y1 in points:
        total += x0 * y1 - x1 * y0
        x0, y0 = x1, y1
    return abs(total) / 2


def convex_hull(points: Sequence[Point]) -> list[Point]:
    """The hull of points, by the monotone chain."""

    def turns_left(o: Point, a: Point, b: Point) -> bool:
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) > 0

    def half(ordered: list[Point]) -> list[Point]:
        chain: list[Point] = []
        for p in ordered:
            while len(chain) >= 2 and not turns_left(chain[-2], chain[-1], p):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    ordered = sorted(points)
    return half(ordered) + half(ordered[::-1])


def hull_area(points: list[Point], stretch: float) -> float:
    """The area of the hull of stretched points."""
    return polygon_area(convex_hull([(stretch * x, y) for x, y in points]))


def haversine(place: Point, other: Point) -> float:
    """The distance of two places on the earth."""
    (lat1, lon1), (lat2, lon2) = [(math.radians(lat), math.radians(lon)) for lat, lon in (place, other)]
    h = math.sin((lat2 - lat1) / 2) ** 2
    h += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(h))


def segment_distance(p: Point, a: Point, b: Point) -> float:
    """How far a point is from a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    along = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy)
    t = 0.0 if along < 0.0 else 1.0 if along > 1.0 else along
    return math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)


def circumcircle(a: Point, b: Point, c: Point) -> tuple[float, float, float]:
    """The circle through three points."""
    d = 2 * (a[0] * (b[1] - c[1]) + b[0] * (c[1] - a[1]) + c[0] * (a[1] - b[1]))
    if d == 0:
        raise ZeroDivisionError("the points are on a line")
    sa, sb, sc = [x * x + y * y for x, y in (a, b, c)]
    x = (sa * (b[1] - c[1]) + sb * (c[1] - a[1]) + sc * (a[1] - b[1])) / d
    y = (sa * (c[0] - b[0]) + sb * (a[0] - c[0]) + sc * (b[0] - a[0])) / d
    return x, y, math.dist((x, y), a)


def rotate(vector: list[float], axis: Sequence[float], angle: float) -> list[float]:
    """Rodrigues' formula."""
    length = math.hypot(*axis)
    ux, uy, uz = [component / length for component in axis]
    x, y, z = vector
    c, s = math.cos(angle), math.sin(angle)
    along = (1 - c) * (ux * x + uy * y + uz * z)
    return [
        c * x + s * (uy * z - uz * y) + along * ux,
        c * y + s * (uz * x - ux * z) + along * uy,
        c * z + s * (ux * y - uy * x) + along * uz,
    ]


def barycentric(p: Point, triangle: tuple[Point, Point, Point]) -> dict[str, float]:
    """The shares of the corners in a point."""
    (x1, y1), (x2, y2), (x3, y3) = triangle
    area = (y2 - y3) * (x1 - x3) + (x3 - x2) * (y1 - y3)
    a = ((y2 - y3) * (p[0] - x3) + (x3 - x2) * (p[1] - y3)) / area
    b = ((y3 - y1) * (p[0] - x3) + (x1 - x3) * (p[1] - y3)) / area
    return {"a": a, "b": b, "c": 1 - a - b}


def arm_reach(lengths: Sequence[float], angles: Sequence[float]) -> Point:
    """Where the hand of a robot arm is."""
    x = y = heading = 0.0
    for length, angle in zip(lengths, angles, strict=True):
        heading += angle
        x += length * math.cos(heading)
        y += length * math.sin(heading)
    return x, y


def mandelbrot(cx: float, cy: float, limit: int = 40) -> float:
    """The smooth escape time of a point."""
    x = y = 0.0
    for n in range(limit):
        x, y = x * x - y * y + cx, 2 * x * y + cy
        if (r2 := x * x + y * y) > 100.0:
            return n + 1 - math.log2(math.log(r2) / 2)
    return float(limit)


def julia_distance(x: float, y: float, c: Point) -> float:
    """An estimate of the distance to a Julia set."""
    dx, dy = 1.0, 0.0
    steps = 0
    while x * x + y * y < 1e4 and steps < 60:
        dx, dy = 2 * (x * dx - y * dy), 2 * (x * dy + y * dx)
        x, y = x * x - y * y + c[0], 2 * x * y + c[1]
        steps += 1
    r = math.hypot(x, y)
    return r * math.log(r) / math.hypot(dx, dy)


def newton_fractal(x: float, y: float) -> tuple[float, float, int]:
    """Four steps of Newton for z^3 = 1, and the nearest root."""
    for _ in range(4):
        a, b = x * x - y * y, 2 * x * y
        size = 3 * (a * a + b * b)
        x, y = (2 * x + a / (size / 3)) / 3, (2 * y - b / (size / 3)) / 3
    roots = [(math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3)) for k in range(3)]
    distances = [math.dist((x, y), root) for root in roots]
    return x, y, distances.index(min(distances))


def koch_length(start: Point, end: Point, depth: int, bump: float) -> float:
    """The length of a curve with bumps on its bumps."""
    if depth == 0:
        return math.dist(start, end)
    (x0, y0), (x1, y1) = start, end
    dx, dy = (x1 - x0) / 3, (y1 - y0) / 3
    a, b = (x0 + dx, y0 + dy), (x0 + 2 * dx, y0 + 2 * dy)
    tip = (x0 + 1.5 * dx - bump * dy, y0 + 1.5 * dy + bump * dx)
    corners = [start, a, tip, b, end]
    return sum(koch_length(corners[i], corners[i + 1], depth - 1, bump) for i in range(4))


SCENE = (
    Sphere(Vec3(0.2, 0.1, 4.0), 1.0, 0.8),
    Sphere(Vec3(-0.5, 1.5, 2.0), 0.9),
    Sphere(Vec3(0.0, -9.0, 4.0), 7.5, 0.5),
)
TRIANGLE = ((0.0, 0.0), (4.0, 0.5), (1.0, 3.0))

EXAMPLES = [
    Example(render, (SCENE, 0.05)),
    Example(bezier, ([(0.0, 0.0), (1.0, 2.0), (3.0, 2.5), (4.0, 0.0)], 0.3)),
    Example(catmull_rom, ([0.0, 1.0, 3.0, 2.0, 2.5], 2.4)),
    Example(b_spline, ((0.0, 1.0, 2.5, 3.0, 4.0), 0, 3, 1.7)),
    Example(hull_area, ([(0.0, 0.0), (2.0, 0.3), (1.0, 1.0), (2.2, 2.0), (0.1, 1.8), (1.2, 0.7)], 1.5)),
    Example(haversine, ((52.5, 13.4), (40.7, -74.0))),
    Example(segment_distance, ((1.0, 2.0), (0.0, 0.0), (3.0, 1.0))),
    Example(segment_distance, ((-1.0, 2.0), (0.0, 0.0), (3.0, 1.0))),
    Example(circumcircle, TRIANGLE),
    Example(circumcircle, ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0)), raises=ZeroDivisionError),
    Example(rotate, ([1.0, 2.0, 3.0], (0.0, 1.0, 1.0), 0.7)),
    Example(barycentric, ((1.5, 1.0), TRIANGLE)),
    Example(arm_reach, ([1.0, 0.8, 0.3], [0.5, -0.2, 1.1])),
    Example(mandelbrot, (0.5, 0.6)),
    Example(mandelbrot, (-0.1, 0.1), differentiable=False),
    Example(julia_distance, (0.9, 0.6, (-0.4, 0.6))),
    Example(newton_fractal, (0.8, 0.7)),
    Example(koch_length, ((0.0, 0.0), (1.0, 0.2), 3, 0.7)),
]
