"""The functions of random in programs that seed them, written in the language that is translated.

Once a program has called random.seed or random.setstate, the generator that these functions share is one of
the run. Before, its state is hidden, and what draws from it is refused. What a run leaves of it is lost, as
of other globals.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from checkpoint.errors import refusal
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.standard.randoms import Random

SHARED: Any = None  # the generator, once it is seeded


class Shared(Random):
    """The generator; a program that knows this class seeds it, and so the class has a member."""

    is_shared = True


class HiddenState:
    """Stands for the state that random.getstate returns before a seed: only random.setstate takes it."""

    def __getitem__(self, index: Any) -> Any:
        return _refused()

    def __len__(self) -> Any:
        return _refused()

    def __iter__(self) -> Any:
        return _refused()

    def __eq__(self, other: object) -> Any:
        return _refused()

    __hash__ = None  # type: ignore[assignment]  # as that of what defines __eq__


def _refused() -> Any:
    """End the run."""
    prim(
        "py.refuse",
        "random numbers of a hidden state cannot be differentiated: call random.seed(0) before, or draw "
        "from a generator with a seed, rng = random.Random(0)",
    )


def seed(a: Any = None, version: Any = 2) -> Any:
    """See random.seed; with a seed."""
    global SHARED  # noqa: PLW0603  # a cell of the run
    if a is None:
        raise refusal("random.seed() without a seed is another state at each call: pass a seed")
    made = Shared(0)
    made.seed(a, version)
    SHARED = made


def getstate() -> Any:
    """See random.getstate."""
    return HiddenState() if SHARED is None else SHARED.getstate()


def setstate(state: Any) -> Any:
    """See random.setstate."""
    global SHARED  # noqa: PLW0603  # a cell of the run
    if isinstance(state, HiddenState):
        SHARED = None
    else:
        made = Shared(0)
        made.setstate(state)
        SHARED = made


def _shared() -> Any:
    """Return the generator; the run ends where nothing has seeded it."""
    if SHARED is None:
        _refused()
    return SHARED


def real() -> Any:
    """See random.random."""
    return _shared().random()


def getrandbits(k: Any) -> Any:
    """See random.getrandbits."""
    return _shared().getrandbits(k)


def randrange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """See random.randrange."""
    return _shared().randrange(start, stop, step)


def randint(a: Any, b: Any) -> Any:
    """See random.randint."""
    return _shared().randint(a, b)


def choice(seq: Any) -> Any:
    """See random.choice."""
    return _shared().choice(seq)


def choices(population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> Any:
    """See random.choices."""
    return _shared().choices(population, weights, cum_weights=cum_weights, k=k)


def sample(population: Any, k: Any, *, counts: Any = None) -> Any:
    """See random.sample."""
    return _shared().sample(population, k, counts=counts)


def shuffle(x: Any) -> Any:
    """See random.shuffle."""
    _shared().shuffle(x)


def uniform(a: Any, b: Any) -> Any:
    """See random.uniform."""
    return _shared().uniform(a, b)


def triangular(low: Any = 0.0, high: Any = 1.0, mode: Any = None) -> Any:
    """See random.triangular."""
    return _shared().triangular(low, high, mode)


def gauss(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    """See random.gauss."""
    return _shared().gauss(mu, sigma)


def normalvariate(mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    """See random.normalvariate."""
    return _shared().normalvariate(mu, sigma)


def lognormvariate(mu: Any, sigma: Any) -> Any:
    """See random.lognormvariate."""
    return _shared().lognormvariate(mu, sigma)


def expovariate(lambd: Any) -> Any:
    """See random.expovariate."""
    return _shared().expovariate(lambd)


def gammavariate(alpha: Any, beta: Any) -> Any:
    """See random.gammavariate."""
    return _shared().gammavariate(alpha, beta)


def betavariate(alpha: Any, beta: Any) -> Any:
    """See random.betavariate."""
    return _shared().betavariate(alpha, beta)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    random.seed: seed,
    random.getstate: getstate,
    random.setstate: setstate,
}

# What stands for the others where the program has seeded them.
DRAWING: dict[Any, Callable[..., Any]] = {
    random.random: real,
    **{
        getattr(random, each.__name__): each
        for each in (
            *(getrandbits, randrange, randint, choice, choices, sample, shuffle, uniform, triangular, gauss),
            *(normalvariate, lognormvariate, expovariate, gammavariate, betavariate),
        )
    },
}
