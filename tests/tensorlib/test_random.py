"""Random numbers from keys: the same key the same numbers, distributions, derivatives by parameters."""

from __future__ import annotations

import numpy as np
import pytest

from checkpoint.ad.tensors import ALWAYS, apply
from tensorlib import random
from tensorlib.rules import record
from tests.tensorlib.check import value

KEY = random.key(7)
COUNT = 20000


def test_the_same_key_gives_the_same_numbers() -> None:
    np.testing.assert_array_equal(random.normal(KEY, (3, 4)), random.normal(random.key(7), (3, 4)))
    assert not np.any(random.normal(KEY, 5) == random.normal(random.key(8), 5))


def test_keys_are_two_words_and_differ() -> None:
    keys = random.split(KEY, 1000)
    assert keys.shape == (1000, 2)
    assert keys.dtype == np.uint64
    assert len(np.unique(keys, axis=0)) == 1000
    np.testing.assert_array_equal(random.split(KEY)[0], random.split(KEY, 5)[0])
    assert not np.array_equal(random.fold_in(KEY, 1), random.fold_in(KEY, 2))


def test_a_wrong_key_is_refused() -> None:
    for wrong in (0, np.zeros(2), random.split(KEY)):
        with pytest.raises(TypeError, match="a key is an array of two uint64"):
            random.normal(wrong)


def test_distributions() -> None:
    first, second, third, fourth = random.split(KEY, 4)
    u = random.uniform(first, COUNT, 2.0, 4.0)
    assert u.min() >= 2.0
    assert u.max() < 4.0
    assert abs(u.mean() - 3.0) < 0.02
    n = random.normal(second, COUNT, 1.0, 3.0)
    assert abs(n.mean() - 1.0) < 0.1
    assert abs(n.std() - 3.0) < 0.1
    assert abs(random.exponential(third, COUNT, 2.0).mean() - 2.0) < 0.1
    assert abs(random.bernoulli(fourth, 0.3, COUNT).mean() - 0.3) < 0.02
    assert set(random.randint(KEY, 2, 5, 100).tolist()) == {2, 3, 4}


def test_streams_of_split_keys_are_independent() -> None:
    a, b = (random.normal(k, COUNT) for k in random.split(KEY))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.03
    assert abs(np.corrcoef(a, random.normal(KEY, COUNT))[0, 1]) < 0.03


def test_permutation_and_choice() -> None:
    np.testing.assert_array_equal(np.sort(random.permutation(KEY, 10)), np.arange(10))
    x = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(np.sort(random.permutation(KEY, x), 0), x)
    chosen = random.choice(KEY, x, 2, False)
    assert chosen.shape == (2, 3)
    assert len(np.unique(random.choice(KEY, 10, 10, False))) == 10
    assert set(random.choice(KEY, 3, 50, True, np.array([0.5, 0.0, 0.5])).tolist()) == {0, 2}


@pytest.mark.parametrize(
    "name", ["uniform", "normal", "exponential", "permutation", "choice", "split", "randint"]
)
def test_within_programs_the_numbers_are_the_same(name: str) -> None:
    operands = {"permutation": [KEY, 5], "choice": [KEY, 5, 3], "split": [KEY, 3], "randint": [KEY, 5]}
    given = operands.get(name, [KEY, 3])
    inside = apply(ALWAYS, record(f"tensorlib.random.{name}"), [value(x) for x in given])
    np.testing.assert_array_equal(inside.data, getattr(random, name)(*given))


def test_shapes() -> None:
    assert random.uniform(KEY).shape == ()
    assert random.normal(KEY, None, np.zeros(3), np.ones((2, 1))).shape == (2, 3)
    assert random.normal(KEY, (2, 3), 0.0, np.ones(3)).shape == (2, 3)
    assert random.bernoulli(KEY, np.array([0.0, 1.0])).tolist() == [False, True]
