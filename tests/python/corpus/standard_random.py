"""Generators of random numbers with a seed: the numbers are Python's own, to the last bit."""

from __future__ import annotations

import random

from tests.python.corpus import Example


def walk(x: float, steps: int) -> float:
    """A random walk with a drift."""
    rng = random.Random(42)
    place = 0.0
    for _ in range(steps):
        place += rng.gauss(x, 0.5) if rng.random() < 0.7 else rng.uniform(-x, x)
    return place * x


def distributions(x: float) -> tuple[object, ...]:
    """One number of each distribution."""
    rng = random.Random("a text")
    return (
        rng.random(),
        rng.uniform(1.0, x),
        rng.triangular(0.0, x, 1.0),
        rng.normalvariate(x, 1.5),
        rng.gauss(0.0, x),
        rng.lognormvariate(0.0, 0.25 * x),
        rng.expovariate(x),
        rng.betavariate(2.0, x),
        rng.gammavariate(x, 2.0),
        rng.paretovariate(x),
        rng.weibullvariate(x, 1.5),
        rng.vonmisesvariate(x, 4.0),
    )


def choices(x: float) -> tuple[object, ...]:
    """Integers, items and orders."""
    rng = random.Random(3)
    cards = [x * i for i in range(8)]
    rng.shuffle(cards)
    return (
        rng.randint(1, 6),
        rng.randrange(10),
        rng.randrange(1, 100, 7),
        rng.choice(cards),
        rng.choices("abc", weights=[1, 2, 3], k=4),
        rng.choices([x, 2.0], k=3),
        rng.sample(range(100), 5),
        rng.sample(cards, 3),
        rng.getrandbits(10),
        rng.getrandbits(70),
        cards,
    )


def estimate(x: float, count: int) -> float:
    """An average of many draws, which need several blocks of numbers."""
    rng = random.Random(7)
    return sum(max(0.0, x * rng.lognormvariate(0.0, 0.2) - 1.0) for _ in range(count)) / count


def restored(x: float) -> tuple[float, float, bool]:
    """The same numbers twice."""
    rng = random.Random(1)
    rng.gauss(0.0, 1.0)
    state = rng.getstate()
    first = x * rng.gauss(0.0, 1.0) + rng.random()
    rng.setstate(state)
    second = x * rng.gauss(0.0, 1.0) + rng.random()
    rng.seed(5)
    return first, second * rng.random(), random.Random(5).random() == random.Random(5).random()


class Simulation:
    """Queues that hold their generator."""

    def __init__(self, rate: float, seed: int) -> None:
        self.rate = rate
        self.rng = random.Random(seed)
        self.waited = 0.0

    def step(self) -> None:
        """Serve one customer."""
        arrival, service = self.rng.expovariate(self.rate), self.rng.expovariate(1.5 * self.rate)
        self.waited = max(0.0, self.waited + service - arrival)


def queue(x: float) -> float:
    """Mean waiting time."""
    simulation = Simulation(x, 11)
    total = 0.0
    for _ in range(20):
        simulation.step()
        total += simulation.waited
    return total / 20.0


def no_items(x: float) -> float:
    """A choice of nothing."""
    return x * random.Random(1).choice([])


def no_range(x: float) -> float:
    """An integer between bounds in the wrong order."""
    return x * random.Random(1).randint(5, 1)


def seeded(x: float) -> tuple[object, ...]:
    """The functions of the module, after a seed; the state that they share is put back."""
    before = random.getstate()
    random.seed(5)
    xs = [1, 2, 3, 4]
    random.shuffle(xs)
    drawn = (
        *(random.random(), random.gauss(x, 2.0), random.uniform(-x, x), random.triangular(0.0, x, 1.0)),
        *(random.randint(1, 6), random.randrange(10), random.getrandbits(5), random.choice([1.0, 2.0]) * x),
        *(random.choices([1, 2, 3], k=2), random.sample(range(10), 2), random.normalvariate(x, 1.0)),
        *(random.lognormvariate(0.0, x), random.expovariate(x), random.gammavariate(2.0, x), xs),
    )
    after = random.getstate()
    again = random.random()
    random.setstate(after)
    same = again == random.random()
    random.setstate(before)
    return drawn, random.betavariate if x < 0.0 else None, same, again * x


EXAMPLES = [
    Example(seeded, (1.5,)),
    Example(walk, (0.3, 30)),
    Example(distributions, (1.25,)),
    Example(choices, (1.5,)),
    Example(estimate, (1.1, 150)),
    Example(restored, (1.5,)),
    Example(queue, (0.8,)),
    Example(no_items, (1.0,), raises=IndexError),
    Example(no_range, (1.0,), raises=ValueError),
]
