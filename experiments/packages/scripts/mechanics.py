"""Simulations of bodies, springs, heat and light."""

from __future__ import annotations

import logging
import math
from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

from experiments.packages.case import Case

logger = logging.getLogger(__name__)


class Particle:
    def __init__(self, mass, position, velocity):
        self.mass = mass
        self.x, self.y = position
        self.vx, self.vy = velocity
        self.trail = []

    def kick(self, ax, ay, dt):
        self.vx += ax * dt
        self.vy += ay * dt

    def drift(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt
        self.trail.append((self.x, self.y))

    @property
    def kinetic(self):
        return 0.5 * self.mass * (self.vx**2 + self.vy**2)


class Universe:
    G = 1.0

    def __init__(self, particles, dt=0.01):
        self.particles = particles
        self.dt = dt
        self.time = 0.0

    def pairs(self):
        for i, a in enumerate(self.particles):
            for b in self.particles[i + 1 :]:
                yield a, b

    def step(self):
        for a, b in self.pairs():
            dx, dy = b.x - a.x, b.y - a.y
            r3 = (dx * dx + dy * dy + 0.01) ** 1.5
            a.kick(self.G * b.mass * dx / r3, self.G * b.mass * dy / r3, self.dt)
            b.kick(-self.G * a.mass * dx / r3, -self.G * a.mass * dy / r3, self.dt)
        for particle in self.particles:
            particle.drift(self.dt)
        self.time += self.dt

    def energy(self):
        total = sum(p.kinetic for p in self.particles)
        for a, b in self.pairs():
            total -= self.G * a.mass * b.mass / math.hypot(b.x - a.x, b.y - a.y)
        return total


def n_body(mass, speed):
    sun = Particle(10.0, (0.0, 0.0), (0.0, 0.0))
    planet = Particle(mass, (1.0, 0.0), (0.0, speed))
    moon = Particle(0.01, (1.1, 0.0), (0.0, speed + 1.0))
    universe = Universe([sun, planet, moon])
    for _ in range(30):
        universe.step()
    return universe.energy() + len(planet.trail) * planet.trail[-1][0]


class Node:
    def __init__(self, name, position, fixed=False):
        self.name = name
        self.position = np.array(position)
        self.velocity = np.zeros(2)
        self.force = np.zeros(2)
        self.fixed = fixed
        self.springs = []


class Spring:
    def __init__(self, a, b, stiffness):
        self.a, self.b = a, b
        self.stiffness = stiffness
        self.rest = np.linalg.norm(a.position - b.position)
        a.springs.append(self)
        b.springs.append(self)

    def pull(self):
        difference = self.b.position - self.a.position
        length = np.sqrt(np.sum(difference**2))
        force = self.stiffness * (length - self.rest) * difference / length
        self.a.force += force
        self.b.force -= force


def spring_network(stiffness, load):
    nodes = {name: Node(name, at, name == "anchor") for name, at in
             [("anchor", [0.0, 0.0]), ("left", [1.0, 0.5]), ("right", [2.0, 0.0])]}  # fmt: skip
    springs = [Spring(nodes["anchor"], nodes["left"], stiffness), Spring(nodes["left"], nodes["right"], 5.0)]
    for _ in range(20):
        for node in nodes.values():
            node.force[:] = 0.0
            node.force[1] -= load
        for spring in springs:
            spring.pull()
        for node in nodes.values():
            if node.fixed:
                continue
            node.velocity += 0.05 * (node.force - 0.2 * node.velocity)
            node.position += 0.05 * node.velocity
    assert len(nodes["left"].springs) == 2
    return nodes["right"].position[1] + nodes["left"].position[0]


@dataclass
class Vec:
    x: float
    y: float
    z: float

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, scale):
        return Vec(self.x * scale, self.y * scale, self.z * scale)

    __rmul__ = __mul__

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def length(self):
        return math.sqrt(self.dot(self))

    def unit(self):
        return self * (1.0 / self.length())


class Shape:
    def distance(self, p):
        raise NotImplementedError


class Sphere(Shape):
    def __init__(self, centre, radius):
        self.centre = centre
        self.radius = radius

    def distance(self, p):
        return (p - self.centre).length() - self.radius


class Plane(Shape):
    def __init__(self, height):
        super().__init__()
        self.height = height

    def distance(self, p):
        return p.y - self.height


class SmoothUnion(Shape):
    def __init__(self, *shapes, sharpness=8.0):
        self.shapes = shapes
        self.sharpness = sharpness

    def distance(self, p):
        return -math.log(sum(math.exp(-self.sharpness * s.distance(p)) for s in self.shapes)) / self.sharpness


def ray_marcher(radius, height):
    scene = SmoothUnion(Sphere(Vec(0.0, 0.0, 5.0), radius), Plane(height))
    light = Vec(0.5, 1.0, -0.5).unit()
    brightness = 0.0
    for px in (-0.2, 0.0, 0.2):
        p, direction = Vec(0.0, 0.0, 0.0), Vec(px, 0.05, 1.0).unit()
        travelled = 0.0
        while travelled < 20.0:
            d = scene.distance(p)
            if d < 1e-3:
                eps = 1e-3
                normal = Vec(
                    scene.distance(p + Vec(eps, 0.0, 0.0)) - scene.distance(p - Vec(eps, 0.0, 0.0)),
                    scene.distance(p + Vec(0.0, eps, 0.0)) - scene.distance(p - Vec(0.0, eps, 0.0)),
                    scene.distance(p + Vec(0.0, 0.0, eps)) - scene.distance(p - Vec(0.0, 0.0, eps)),
                ).unit()
                brightness += max(0.0, normal.dot(light))
                break
            p = p + direction * d
            travelled += d
    return brightness


def heat(conductivity, source):
    u = np.zeros(12)
    u[0] = source
    for _ in range(25):
        new = u.copy()
        new[1:-1] += conductivity * (u[2:] - 2 * u[1:-1] + u[:-2])
        new[-1] = new[-2]
        u, new = new, u
    return u[1:].sum()


class Automaton:
    def __init__(self, size, weights):
        self.size = size
        self.weights = weights
        self.cells = [[1.0 if (i + j) % 3 == 0 else 0.0 for j in range(size)] for i in range(size)]

    def neighbours(self, i, j):
        for (di, dj), w in self.weights.items():
            yield w, self.cells[(i + di) % self.size][(j + dj) % self.size]

    def step(self):
        new = []
        for i in range(self.size):
            row = []
            for j in range(self.size):
                total = sum(w * c for w, c in self.neighbours(i, j))
                row.append(1.0 / (1.0 + math.exp(-total)))
            new.append(row)
        self.cells = new


def cellular_automaton(w, v):
    automaton = Automaton(4, {(0, 1): w, (1, 0): v, (0, -1): -w, (-1, 0): 0.5})
    for _ in range(3):
        automaton.step()
    return sum(map(sum, automaton.cells))


def projectile(speed, angle):
    try:
        if speed <= 0:
            raise ValueError("speed must be positive")
        x, y, vx, vy = 0.0, 1.0, speed * math.cos(angle), speed * math.sin(angle)
        history = deque(maxlen=3)
        while y > 0:
            drag = 0.02 * math.hypot(vx, vy)
            vx -= 0.01 * drag * vx
            vy -= 0.01 * (9.81 + drag * vy)
            x, y = x + 0.01 * vx, y + 0.01 * vy
            history.append((x, y))
            logger.debug("at %f %f", x, y)
    except ValueError as error:
        logger.warning("bad input: %s", error)
        return 0.0
    finally:
        logger.info("done")
    (x0, y0), (x1, y1) = history[-2], history[-1]
    return x0 - y0 * (x1 - x0) / (y1 - y0)


@dataclass
class Body:
    name: str
    state: list[float] = field(default_factory=lambda: [0.0, 1.0])
    log: dict = field(default_factory=dict)

    def derivative(self, t, state, damping):
        return [state[1], -damping * state[1] - math.sin(state[0]) + 0.5 * math.cos(t)]


def runge_kutta(damping, start):
    body = Body("pendulum", [start, 0.0])
    h, t = 0.1, 0.0

    def add(a, b, s):
        return [p + s * q for p, q in zip(a, b)]

    for step in range(15):
        k1 = body.derivative(t, body.state, damping)
        k2 = body.derivative(t + h / 2, add(body.state, k1, h / 2), damping)
        k3 = body.derivative(t + h / 2, add(body.state, k2, h / 2), damping)
        k4 = body.derivative(t + h, add(body.state, k3, h), damping)
        body.state = [
            s + h / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(body.state, k1, k2, k3, k4)
        ]
        t += h
        body.log.setdefault("angle", []).append(body.state[0])
    return max(body.log["angle"]) + body.state[1]


def traffic(gain, gap):
    cars = [{"x": -10.0 * i, "v": 10.0 + 0.1 * i, "history": []} for i in range(4)]
    counts = defaultdict(float)
    for step in range(20):
        for i, car in enumerate(cars):
            if i == 0:
                car["a"] = 0.5 * math.sin(0.3 * step)
            else:
                ahead = cars[i - 1]
                car["a"] = gain * (ahead["v"] - car["v"]) + 0.1 * (ahead["x"] - car["x"] - gap)
        for i, car in enumerate(cars):
            car["v"] += 0.1 * car["a"]
            car["x"] += 0.1 * car["v"]
            car["history"].append(car["v"])
            counts[i % 2] += car["v"]
    return counts[0] - counts[1] + sum(abs(c["a"]) for c in cars)


ME = __name__
CASES = (
    Case(ME, n_body, (0.1, 3.0)),
    Case(ME, spring_network, (10.0, 0.3)),
    Case(ME, ray_marcher, (1.0, -0.8), tolerance=1e-4),
    Case(ME, heat, (0.2, 3.0)),
    Case(ME, cellular_automaton, (0.7, -0.4)),
    Case(ME, projectile, (12.0, 0.8)),
    Case(ME, runge_kutta, (0.3, 0.9)),
    Case(ME, traffic, (0.4, 9.0)),
)
