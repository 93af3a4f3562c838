"""Differential equations: fixed and adaptive steps, mechanics, populations, fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tests.python.corpus import Example

Vector = list[float]
Field = Callable[[float, Vector], Vector]

GRAVITY = 9.81
# The tableau of Dormand and Prince: times, stages, the fifth-order weights and the fourth-order ones.
DP_TIMES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
DP_STAGES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
DP_HIGH = (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0)
DP_LOW = (5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40)


class State(NamedTuple):
    """A position and a velocity."""

    x: float
    v: float


@dataclass(frozen=True)
class Spring:
    """A damped spring."""

    mass: float
    stiffness: float
    damping: float = 0.0

    def acceleration(self, state: State) -> float:
        return -(self.stiffness * state.x + self.damping * state.v) / self.mass


@dataclass(frozen=True)
class Body:
    """A body in the plane."""

    mass: float
    position: tuple[float, float]
    velocity: tuple[float, float]


class StepTooSmallError(Exception):
    """The step size control gave up."""


def euler_decay(rate: float, start: float, steps: int = 50) -> float:
    """Explicit Euler for exponential decay."""
    y = start
    h = 1.0 / steps
    for _ in range(steps):
        y += h * (-rate * y)
    return y


def implicit_euler(stiffness: float, start: float) -> float:
    """Implicit Euler with an inner Newton iteration."""
    y = start
    h = 0.1
    for _ in range(10):
        guess = y
        for _ in range(5):
            residual = guess - y + h * stiffness * guess**3
            guess -= residual / (1 + 3 * h * stiffness * guess**2)
        y = guess
    return y


def rk4(f: Field, y: Vector, t: float, h: float) -> Vector:
    """One step of the classical Runge-Kutta method."""
    k1 = f(t, y)
    k2 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1, strict=True)])
    k3 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2, strict=True)])
    k4 = f(t + h, [a + h * b for a, b in zip(y, k3, strict=True)])
    return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4, strict=True)]


def lorenz(start: Sequence[float], sigma: float = 10.0, rho: float = 28.0, beta: float = 8 / 3) -> Vector:
    """The Lorenz system after a short time."""

    def field(_: float, state: Vector) -> Vector:
        x, y, z = state
        return [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]

    state = list(start)
    for k in range(20):
        state = rk4(field, state, k * 0.01, 0.01)
    return state


def lotka_volterra(prey: float, hunters: float, rates: dict[str, float]) -> list[tuple[float, float]]:
    """Hunters and prey, sampled at each unit of time."""
    samples = [(prey, hunters)]
    y = [prey, hunters]
    for step in range(1, 31):
        y = rk4(
            lambda _, s: [
                rates["birth"] * s[0] - rates["hunt"] * s[0] * s[1],
                rates["feed"] * s[0] * s[1] - rates["death"] * s[1],
            ],
            y,
            0.0,
            0.1,
        )
        if step % 10 == 0:
            samples.append((y[0], y[1]))
    return samples


def pendulum(angle: float, length: float, friction: float = 0.1) -> tuple[float, float]:
    """A damped pendulum by the semi-implicit Euler method."""
    speed = 0.0
    dt = 0.02
    for _ in range(100):
        speed += dt * (-GRAVITY / length * math.sin(angle) - friction * speed)
        angle += dt * speed
    return angle, speed


def verlet_orbit(x: float, y: float, vx: float, vy: float) -> tuple[float, float]:
    """A planet around the sun by velocity Verlet."""

    def pull(px: float, py: float) -> tuple[float, float]:
        r3 = math.hypot(px, py) ** 3
        return -px / r3, -py / r3

    dt = 0.05
    ax, ay = pull(x, y)
    for _ in range(60):
        x += vx * dt + ax * dt * dt / 2
        y += vy * dt + ay * dt * dt / 2
        bx, by = pull(x, y)
        vx, vy = vx + (ax + bx) * dt / 2, vy + (ay + by) * dt / 2
        ax, ay = bx, by
    return x, y


def leapfrog_energy(spring: Spring, x: float) -> float:
    """The energy of a spring after leapfrog steps."""
    dt = 0.05
    state = State(x, 0.0)
    for _ in range(50):
        half = state.v + dt / 2 * spring.acceleration(state)
        moved = State(x=state.x + dt * half, v=half)
        state = State(moved.x, half + dt / 2 * spring.acceleration(moved))
    return spring.mass * state.v**2 / 2 + spring.stiffness * state.x**2 / 2


def rk45(f: Field, y: Vector, end: float, tolerance: float) -> tuple[Vector, int, int]:
    """Dormand-Prince with step control: the state, the steps taken, and those refused."""
    t, h = 0.0, 0.1
    taken = refused = 0
    while t < end:
        h = min(h, end - t)
        stages: list[Vector] = []
        for time, row in zip(DP_TIMES, DP_STAGES, strict=True):
            point = [
                value + h * sum(a * stage[i] for a, stage in zip(row, stages, strict=True))
                for i, value in enumerate(y)
            ]
            stages.append(f(t + time * h, point))
        high = [v + h * sum(b * k[i] for b, k in zip(DP_HIGH, stages, strict=True)) for i, v in enumerate(y)]
        low = [v + h * sum(b * k[i] for b, k in zip(DP_LOW, stages, strict=True)) for i, v in enumerate(y)]
        error = max(abs(p - q) for p, q in zip(high, low, strict=True))
        if error <= tolerance:
            t += h
            y = high
            taken += 1
        else:
            refused += 1
        h *= min(5.0, max(0.2, 0.9 * (tolerance / (error + 1e-300)) ** 0.2))
        if h < 1e-9:
            raise StepTooSmallError(f"at time {t}")
    return y, taken, refused


def van_der_pol(mu: float, x: float) -> tuple[Vector, int, int]:
    """The oscillator of van der Pol with adaptive steps."""
    return rk45(lambda _, s: [s[1], mu * (1 - s[0] ** 2) * s[1] - s[0]], [x, 0.0], 1.5, 1e-4)


def blow_up(start: float) -> float:
    """An equation whose solution ends before the interval does."""
    y, _, _ = rk45(lambda _, s: [s[0] ** 2], [start], 2.0, 1e-3)
    return y[0]


def n_body(bodies: Sequence[Body], steps: int = 8, dt: float = 0.05) -> list[Body]:
    """Bodies under their mutual gravity."""

    def acceleration(i: int, current: Sequence[Body]) -> tuple[float, float]:
        ax = ay = 0.0
        xi, yi = current[i].position
        for j, other in enumerate(current):
            if j == i:
                continue
            dx, dy = other.position[0] - xi, other.position[1] - yi
            inverse = other.mass / (dx * dx + dy * dy + 0.01) ** 1.5
            ax += dx * inverse
            ay += dy * inverse
        return ax, ay

    current = list(bodies)
    for _ in range(steps):
        moved = []
        for i, body in enumerate(current):
            ax, ay = acceleration(i, current)
            vx, vy = body.velocity[0] + dt * ax, body.velocity[1] + dt * ay
            position = (body.position[0] + dt * vx, body.position[1] + dt * vy)
            moved.append(Body(body.mass, position, (vx, vy)))
        current = moved
    return current


def heat_rod(left: float, right: float, diffusivity: float) -> list[float]:
    """The temperatures along a rod held at both ends."""
    rod = [left] + [0.0] * 6 + [right]
    for _ in range(20):
        previous = rod[:]
        for i in range(1, len(rod) - 1):
            rod[i] = previous[i] + diffusivity * (previous[i - 1] - 2 * previous[i] + previous[i + 1])
    return rod


def epidemic_peak(contact: float, recovery: float) -> tuple[float, int]:
    """The largest share of infected people, and its day."""
    susceptible, infected = 0.99, 0.01
    peak, day_of_peak = infected, 0
    for day in range(1, 80):
        new = contact * susceptible * infected
        susceptible, infected = susceptible - new, infected + new - recovery * infected
        if infected > peak:
            peak, day_of_peak = infected, day
    return peak, day_of_peak


def projectile_range(speed: float, angle: float, drag: float) -> float:
    """How far a ball flies with air drag, the last step interpolated."""
    x = y = 0.0
    vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    dt = 0.02
    while True:
        v = math.hypot(vx, vy)
        vx -= dt * drag * v * vx
        vy -= dt * (GRAVITY + drag * v * vy)
        next_x, next_y = x + dt * vx, y + dt * vy
        if next_y < 0:
            return x + (next_x - x) * y / (y - next_y)
        x, y = next_x, next_y


BODIES = (
    Body(1.0, (0.0, 0.0), (0.0, 0.1)),
    Body(0.5, (1.0, 0.2), (0.0, -0.6)),
    Body(0.25, (-0.7, 0.9), (0.5, 0.0)),
)
RATES = {"birth": 1.1, "hunt": 0.4, "feed": 0.1, "death": 0.4}

EXAMPLES = [
    Example(euler_decay, (1.3, 2.0)),
    Example(implicit_euler, (5.0, 1.0)),
    Example(lorenz, ([1.0, 1.0, 20.0],)),
    Example(lorenz, ((1.0, 2.0, 3.0), 9.0, 20.0, 2.0)),
    Example(lotka_volterra, (10.0, 5.0, RATES)),
    Example(pendulum, (1.0, 2.0)),
    Example(verlet_orbit, (1.0, 0.0, 0.1, 1.1)),
    Example(leapfrog_energy, (Spring(1.5, 4.0, damping=0.2), 1.0)),
    Example(van_der_pol, (2.0, 1.0)),
    Example(blow_up, (2.0,), raises=StepTooSmallError),
    Example(n_body, (BODIES,)),
    Example(heat_rod, (100.0, 20.0, 0.24)),
    Example(epidemic_peak, (0.5, 0.15)),
    Example(projectile_range, (20.0, 0.8, 0.01)),
]
