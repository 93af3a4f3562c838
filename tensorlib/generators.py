"""Generators of random numbers with a seed: np.random.default_rng, RandomState, Generator(PCG64(seed)).

A seed may be a SeedSequence. In a program a generator is an object that has the words of its state, which a
draw replaces. So a run that is interrupted, or run again for its derivative, draws the numbers that NumPy
draws. The numbers are differentiable by location and scale.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import StandIn, stands_for, tensor, translated_as
from tensorlib.distributions import LegacyShaped, Shaped
from tensorlib.layout.moving import call, shape_now
from tensorlib.rules import discrete, unbroadcast

_WORD = (1 << 64) - 1


def _words(generator: Any) -> Any:
    """Return the state of a Generator or RandomState as an array of uint64."""
    if isinstance(generator, np.random.RandomState):
        state: Any = generator.get_state(legacy=True)
        _, key, position, has_gauss, gauss = state
        rest = np.array([position, has_gauss], np.uint64)
        return np.concatenate([key.astype(np.uint64), rest, np.array([gauss]).view(np.uint64)])
    state = generator.bit_generator.state
    numbers = [state["state"]["state"], state["state"]["inc"]]
    halves = [half for number in numbers for half in (number >> 64, number & _WORD)]
    return np.array([*halves, state["has_uint32"], state["uinteger"]], np.uint64)


class _Ready(threading.local):
    """The generators of a thread, which are given the state of each draw: making one takes much longer."""

    @cached_property
    def legacy(self) -> Any:
        return np.random.RandomState(0)

    @cached_property
    def generator(self) -> Any:
        return np.random.Generator(np.random.PCG64(0))


_READY = _Ready()


def _generator(words: Any) -> Any:
    """Return the thread's Generator or RandomState, in a state; the next call gives it another."""
    if len(words) > 6:
        gauss = float(words[626:].view(np.float64)[0])
        key = words[:624].astype(np.uint32)
        _READY.legacy.set_state(("MT19937", key, int(words[624]), int(words[625]), gauss))
        return _READY.legacy
    parts = [int(word) for word in words]
    _READY.generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": parts[0] << 64 | parts[1], "inc": parts[2] << 64 | parts[3]},
        "has_uint32": parts[4],
        "uinteger": parts[5],
    }
    return _READY.generator


def start(name: str, seed: Any) -> Any:
    """Return the state of a generator with a seed; name: default_rng or RandomState."""
    return _words(getattr(np.random, name)(seed))


def draw(words: Any, method: str, args: Any, size: Any) -> Any:
    """Return what a method draws, and the state after it; args: its arguments before the size."""
    generator = _generator(words)
    options = {} if size is False else {"size": size}
    return getattr(generator, method)(*args, **options), _words(generator)


def draw_moved(words: Any, method: str, loc: Any, scale: Any, size: Any) -> Any:
    """Return numbers of a location and scale, and the state after them."""
    return draw(words, method, (loc, scale) if method in _BOTH else (scale,), size)


_BOTH = frozenset(("normal", "laplace", "logistic", "gumbel"))


def _standard(words: Any, method: str, shape: Any) -> Any:
    """Return the numbers of location 0 and scale 1 that are drawn in a state."""
    return np.asarray(draw_moved(words, method, 0.0, 1.0, tuple(shape))[0])


_STATE = _words(np.random.default_rng(3))
_LEGACY = _words(np.random.RandomState(3))

START = discrete(
    "tensorlib.generator-start",
    lambda xp, name, seed: start(name, seed),
    2,
    implements=(start,),
    shape="(n,)",
    samples=lambda rng: [("default_rng", 3), ("RandomState", 3)],
)
DRAW = discrete(
    "tensorlib.draw",
    lambda xp, words, method, args, size: draw(words, method, args, size),
    4,
    implements=(draw,),
    shape="the one asked for",
    samples=lambda rng: [(_STATE, "random", (), (2, 3)), (_LEGACY, "randint", (5,), 4)],
)
STANDARD = discrete(
    "tensorlib.draw-standard",
    lambda xp, words, method, shape: _standard(words, method, shape),
    3,
    shape="the one asked for",
    samples=lambda rng: [(_STATE, "normal", (2, 3))],
)


def _scale_vjp(xp: Any, g: Any, y: Any, words: Any, method: str, loc: Any, scale: Any, size: Any) -> Any:
    return unbroadcast(xp, xp.asarray(g[0] * _standard(words, method, np.shape(g[0]))), scale)


DRAW_MOVED = tensor(
    "tensorlib.draw-moved",
    lambda xp, words, method, loc, scale, size: draw_moved(words, method, loc, scale, size),
    vjps=(
        None,
        None,
        lambda xp, g, y, words, method, loc, scale, size: unbroadcast(xp, xp.asarray(g[0]), loc),
        _scale_vjp,
        None,
    ),
    jvps=(
        None,
        None,
        lambda t, y, words, method, loc, scale, size: call("np.add", call("np.multiply", y.items[0], 0.0), t),
        lambda t, y, words, method, loc, scale, size: call(
            "np.multiply", t, call("tensorlib.draw-standard", words, method, shape_now(y.items[0]))
        ),
        None,
    ),
    needs=((), (), (), (0, 1), ()),
    implements=(draw_moved,),
    shape="the one asked for, or that to which location and scale broadcast",
    samples=lambda rng: [
        (_STATE, "normal", 0.5, 1.5, (2, 3)),
        (_STATE, "normal", rng.normal(size=3), rng.uniform(0.5, 2.0, (2, 1)), None),
        (_LEGACY, "normal", 0.5, rng.uniform(0.5, 2.0, 3), None),
        (_STATE, "laplace", 0.5, 1.5, 4),
        (_STATE, "gumbel", 0.5, rng.uniform(0.5, 2.0, ()), (2, 3)),
        (_STATE, "normal", 0.5, 1.5, None),
    ],
)

# As a program sees them


class SeedSequence:
    """See numpy.random.SeedSequence; of an entropy alone."""

    def __init__(self, entropy: Any = None, *, spawn_key: Any = (), pool_size: Any = 4) -> None:
        if entropy is None:
            raise refusal(_WITHOUT.format("SeedSequence"))
        if len(spawn_key) or pool_size != 4:
            raise refusal("np.random.SeedSequence with spawn_key or pool_size: pass a seed alone")
        self.entropy = entropy


_WITHOUT = "np.random.{}() without a seed is another one at each call: pass a seed"


def _seed_of(seed: Any, name: Any) -> Any:
    """Return the number, or numbers, from which a generator starts."""
    if seed is None:
        raise refusal(_WITHOUT.format(name))
    return seed.entropy if isinstance(seed, SeedSequence) else seed


class PCG64:
    """See numpy.random.PCG64. words: its state."""

    def __init__(self, seed: Any = None) -> None:
        self.words = start("default_rng", _seed_of(seed, "PCG64"))


class Distributions:
    """Gives generators their methods; `_drawn` and `_moved` draw."""

    def normal(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.normal."""
        return self._moved("normal", loc, scale, size)

    def laplace(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.laplace."""
        return self._moved("laplace", loc, scale, size)

    def logistic(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.logistic."""
        return self._moved("logistic", loc, scale, size)

    def gumbel(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.gumbel."""
        return self._moved("gumbel", loc, scale, size)

    def exponential(self: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.exponential."""
        return self._moved("exponential", 0.0, scale, size)

    def standard_normal(self: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.standard_normal."""
        return self._drawn("standard_normal", (), size)

    def random(self: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.random."""
        return self._drawn("random", (), size)

    def uniform(self: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.uniform."""
        shape = np.broadcast_shapes(np.shape(low), np.shape(high)) if size is None else size
        found = self._drawn("random", (), shape)
        moved = low + (high - low) * found
        return moved if np.ndim(moved) or size == () else float(moved)

    def poisson(self: Any, lam: Any = 1.0, size: Any = None) -> Any:
        """See numpy.random.Generator.poisson; an integer, so without derivative."""
        return self._drawn("poisson", (lam,), size)

    def binomial(self: Any, n: Any, p: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.binomial; an integer, so without derivative."""
        return self._drawn("binomial", (n, p), size)

    def geometric(self: Any, p: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.geometric; an integer, so without derivative, as those that follow."""
        return self._drawn("geometric", (p,), size)

    def negative_binomial(self: Any, n: Any, p: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.negative_binomial."""
        return self._drawn("negative_binomial", (n, p), size)

    def hypergeometric(self: Any, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.hypergeometric."""
        return self._drawn("hypergeometric", (ngood, nbad, nsample), size)

    def multinomial(self: Any, n: Any, pvals: Any, size: Any = None) -> Any:
        """See numpy.random.Generator.multinomial."""
        return self._drawn("multinomial", (n, pvals), size)

    def choice(self: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        """See numpy.random.Generator.choice; of integers, or of the rows of an array."""
        if np.ndim(a) == 0:
            return self._drawn("choice", (a, size, replace, p), False)
        return np.asarray(a)[self._drawn("choice", (len(a), size, replace, p), False)]

    def shuffle(self: Any, x: Any) -> Any:
        """See numpy.random.Generator.shuffle; it draws what `permutation` of as many draws."""
        order = self._drawn("permutation", (len(x),), False)
        x[:] = [x[i] for i in order] if isinstance(x, list) else x[order]

    def permutation(self: Any, x: Any) -> Any:
        """See numpy.random.Generator.permutation."""
        if np.ndim(x) == 0:
            return self._drawn("permutation", (x,), False)
        return np.asarray(x)[self._drawn("permutation", (len(x),), False)]


class Generator(Distributions, Shaped):
    """See numpy.random.Generator; of a PCG64."""

    def __init__(self, bit_generator: Any) -> None:
        if not isinstance(bit_generator, PCG64):
            raise refusal("np.random.Generator: pass it an np.random.PCG64")
        self.bit_generator = bit_generator

    def _drawn(self, method: Any, args: Any, size: Any) -> Any:
        found, self.bit_generator.words = draw(self.bit_generator.words, method, args, size)
        return found

    def _moved(self, method: Any, loc: Any, scale: Any, size: Any) -> Any:
        found, self.bit_generator.words = draw_moved(self.bit_generator.words, method, loc, scale, size)
        return found

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = "int64", endpoint: Any = False
    ) -> Any:
        """See numpy.random.Generator.integers."""
        return self._drawn("integers", (low, high, size, dtype, endpoint), False)


class RandomState(Distributions, LegacyShaped):
    """See numpy.random.RandomState; with a seed. words: its state."""

    def __init__(self, seed: Any = None) -> None:
        self.words = start("RandomState", _seed_of(seed, "RandomState"))

    def _drawn(self, method: Any, args: Any, size: Any) -> Any:
        found, self.words = draw(self.words, method, args, size)
        return found

    def _moved(self, method: Any, loc: Any, scale: Any, size: Any) -> Any:
        found, self.words = draw_moved(self.words, method, loc, scale, size)
        return found

    def random_sample(self, size: Any = None) -> Any:
        """See numpy.random.RandomState.random_sample."""
        return self._drawn("random_sample", (), size)

    def rand(self, *shape: Any) -> Any:
        """See numpy.random.RandomState.rand."""
        return self._drawn("random_sample", (), shape if shape else None)

    def randn(self, *shape: Any) -> Any:
        """See numpy.random.RandomState.randn."""
        return self._drawn("standard_normal", (), shape if shape else None)

    def randint(self, low: Any, high: Any = None, size: Any = None) -> Any:
        """See numpy.random.RandomState.randint."""
        return self._drawn("randint", (low, high), size)


def default_rng(seed: Any = None) -> Any:
    """See numpy.random.default_rng; with a seed."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, PCG64) else PCG64(_seed_of(seed, "default_rng")))


# Those from outside


def _restored(made: Any, words: Any) -> None:
    """Give a generator the state of the words."""
    source = _generator(words)
    if isinstance(made, np.random.RandomState):
        made.set_state(source.get_state(legacy=True))
    else:
        made.state = source.bit_generator.state


translated_as(np.random.default_rng, default_rng)
translated_as(np.random.Generator.shuffle, Distributions.shuffle, writes=True)
stands_for(
    StandIn(
        np.random.SeedSequence,
        SeedSequence,
        lambda thing: {"entropy": thing.entropy},
        lambda attributes: np.random.SeedSequence(attributes["entropy"]),
        lambda made, attributes: None,
    )
)
stands_for(
    StandIn(
        np.random.PCG64,
        PCG64,
        lambda thing: {"words": _words(np.random.Generator(thing))},
        lambda _: np.random.PCG64(0),
        lambda made, attributes: _restored(made, attributes["words"]),
    )
)
stands_for(
    StandIn(
        np.random.Generator,
        Generator,
        lambda thing: {"bit_generator": thing.bit_generator},
        lambda _: np.random.Generator(np.random.PCG64(0)),
        lambda made, attributes: _restored(
            made.bit_generator, _words(np.random.Generator(attributes["bit_generator"]))
        ),
    )
)
stands_for(
    StandIn(
        np.random.RandomState,
        RandomState,
        lambda thing: {"words": _words(thing)},
        lambda _: np.random.RandomState(0),
        lambda made, attributes: _restored(made, attributes["words"]),
    )
)
