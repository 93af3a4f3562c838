"""Distributions of a Generator or RandomState with parameters of shape: NumPy's bits, errors, derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.errors import RunError, SourceError
from tests.python.agreement import outcome
from tests.python.texts import defined, run
from tests.support.corpus import usable_engines

CALLS = [
    *("gamma(2.5, 1.5)", "gamma(0.4, 2.0)", "gamma(1.0, 2.0)", "gamma(0.0)", "gamma(2)"),
    *("beta(0.5, 0.7)", "beta(2.0, 3.5)", "beta(1, 2)", "chisquare(3.0)", "f(3.0, 7.0)"),
    *("standard_t(4.0)", "standard_cauchy()", "lognormal(0.2, 0.7)", "rayleigh(1.3)", "weibull(1.7)"),
    *("weibull(0.0)", "pareto(2.2)", "power(2.2)", "triangular(-1.0, 0.3, 2.0)", "standard_gamma(3.3)"),
    *("standard_exponential()", "geometric(0.3)", "negative_binomial(3, 0.4)", "multinomial(5, [0.2, 0.8])"),
    *("hypergeometric(5, 4, 3)", "gamma([1.0, 2.0], size=(3, 2))", "lognormal(size=2)", "beta(2.0, 3.0, 4)"),
    "gamma(np.array([1.0, 2.0]), np.array([[1.0], [2.0]]))",
]
WRONG = [
    *("gamma(-1.0, 1.0)", "gamma(1.0, -1.0)", "beta(0.0, 1.0)", "beta(1.0, -2.0)", "chisquare(0.0)"),
    *("f(0.0, 1.0)", "f(1.0, 0.0)", "standard_t(0.0)", "lognormal(0.0, -1.0)", "rayleigh(-1.0)"),
    *("weibull(-1.0)", "pareto(0.0)", "power(0.0)", "triangular(1.0, 0.0, 2.0)", "standard_gamma(-1.0)"),
    *("triangular(0.0, 3.0, 2.0)", "triangular(1.0, 1.0, 1.0)", "beta(np.array([1.0, -2.0]), 1.0)"),
]


MAKERS = ["default_rng", "RandomState"]


def drawing(call: str, maker: str) -> Any:
    """Return a function that draws several times, then once more, with a seed."""
    text = f"""\
import numpy as np
def f(seed):
    rng = np.random.{maker}(seed)
    return [rng.{call} for _ in range(12)], rng.{"random" if maker == "default_rng" else "random_sample"}()
"""
    return defined(text)["f"]


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("call", CALLS)
def test_numbers_are_those_of_numpy(call: str, maker: str) -> None:
    f = drawing(call, maker)
    for seed in range(3):
        want, got = f(seed), run(f, seed)
        assert got[1] == want[1]
        for a, b in zip(want[0], got[0], strict=True):
            assert type(a) is type(b)
            assert np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("call", WRONG)
def test_errors_are_those_of_numpy(call: str, maker: str) -> None:
    f = drawing(call, maker)
    want, got = outcome(lambda: f(0)), outcome(lambda: run(f, 0))
    assert (type(got.error), str(got.error)) == (ValueError, str(want.error))


def drawn(x: float, k: float, rng: Any = None) -> Any:
    rng = np.random.default_rng(5) if rng is None else rng
    total = rng.gamma(x, k) + rng.beta(x, k + 0.5) * rng.weibull(x) + rng.gamma(k * 0.5) * rng.standard_t(x)
    return total + float(np.sum(rng.lognormal(x, k, size=4))) + rng.triangular(-x, 0.1, x) * rng.beta(k, 0.7)


def test_derivatives_by_all_parameters() -> None:
    h = 1e-6
    gradients = [
        checkpoint.value_and_grad(drawn, argnums=(0, 1), engine=engine.name)(1.7, 0.6)
        for engine in usable_engines()
    ]
    assert all(each == gradients[0] for each in gradients)
    value, gradient = gradients[0]
    assert value == drawn(1.7, 0.6)
    by_x = (drawn(1.7 + h, 0.6) - drawn(1.7 - h, 0.6)) / (2 * h)
    by_k = (drawn(1.7, 0.6 + h) - drawn(1.7, 0.6 - h)) / (2 * h)
    assert gradient == pytest.approx((by_x, by_k), rel=1e-6)


def legacy(x: float, k: float) -> Any:
    rng = np.random.RandomState(5)
    return drawn(x, k, rng) + rng.pareto(x + 1.0) * rng.power(k) * rng.rayleigh(x)


def test_derivatives_of_legacy_numbers() -> None:
    h = 1e-6
    value, gradient = checkpoint.value_and_grad(legacy, argnums=(0, 1))(1.7, 0.6)
    assert value == legacy(1.7, 0.6)
    by_x = (legacy(1.7 + h, 0.6) - legacy(1.7 - h, 0.6)) / (2 * h)
    by_k = (legacy(1.7, 0.6 + h) - legacy(1.7, 0.6 - h)) / (2 * h)
    assert gradient == pytest.approx((by_x, by_k), rel=1e-6)


@pytest.mark.parametrize("call", ["vonmises(0.0, 1.0)", "wald(1.0, 2.0)", "dirichlet([1.0, 2.0])"])
def test_what_has_no_rule_is_refused_and_not_caught(call: str) -> None:
    text = "import numpy as np\ndef f(x):\n    rng = np.random.default_rng(0)\n    try:\n        return x * "
    f = defined(f"{text}rng.{call}\n    except Exception:\n        return x\n")["f"]
    name = call.partition("(")[0]
    with pytest.raises(RunError, match=f"{name} of a Generator has no rule here: do what needs it outside"):
        run(f, 1.0)
    f = defined(f"{text}rng.no_such()\n    except AttributeError:\n        return x\n")["f"]
    assert run(f, 1.0) == 1.0


def test_a_type_of_elements_in_a_variable_is_refused_by_isinstance() -> None:
    text = "import numpy as np\ndef f(x):\n    t = np.float64\n    return x if {} else 2.0 * x\n"
    assert run(defined(text.format("t.__name__ == 'float64'"))["f"], 1.5) == 1.5
    with pytest.raises(RunError, match=r"where t is a type of elements, float64"):
        run(defined(text.format("isinstance(np.float64(x), t)"))["f"], 1.5)


def test_an_endless_iterator_from_outside_says_what_to_write() -> None:
    text = "import itertools\nclass N:\n    ids = itertools.count()\ndef f(x):\n    return next(N.ids) * x\n"
    with pytest.raises(SourceError, match=r"make the iterator within the function, count\("):
        run(defined(text)["f"], 1.5)
