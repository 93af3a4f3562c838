"""checkpoint.jax.function: JAX's transformations take it, and its derivatives are JAX's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import checkpoint
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines()]


@pytest.fixture(autouse=True)
def _doubles() -> Iterator[None]:
    """Have JAX compute in 64 bits, as NumPy does."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def network(layers: Any, x: Any, *, times: int = 2, xp: Any = np) -> Any:
    for _ in range(times):
        for w, b in layers:
            x = xp.tanh(x @ w + b)
    return {"loss": (x * x).sum(), "last": x, "times": times}


oracle = functools.partial(network, xp=jnp)


def arguments(count: int = 3) -> tuple[Any, Any]:
    keys = iter(jax.random.split(jax.random.key(1), 2 * count + 1))
    layers = [
        (jax.random.normal(next(keys), (4, 4)), jax.random.normal(next(keys), (4,))) for _ in range(count)
    ]
    return layers, jax.random.normal(next(keys), (2, 4))


def total(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a real function of the result of a network."""

    def found(layers: Any, x: Any) -> Any:
        y = f(layers, 2.0 * x, times=3)
        return jnp.sin(2.0 * y["loss"] + y["last"].sum())

    return found


def assert_close(found: Any, expected: Any) -> None:
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("transform", [lambda f: f, jax.jit])
def test_gradients_of_nested_arguments_are_jaxs(engine: str, transform: Any) -> None:
    given = arguments()
    f = checkpoint.jax.function(network, engine=engine, schedule="bisection")
    assert_close(f(*given), jax.tree.map(jnp.asarray, oracle(*given)))
    gradient = transform(jax.value_and_grad(total(f), (0, 1)))
    assert_close(gradient(*given), jax.value_and_grad(total(oracle), (0, 1))(*given))


@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_of_derivatives(engine: str) -> None:
    layers, x = arguments(1)

    def curved(f: Any) -> Any:
        return jax.grad(lambda u: (jax.grad(total(f))(layers, u)[0][0] ** 2).sum())

    found = jax.jit(curved(checkpoint.jax.function(network, engine=engine)))(x)
    assert_close(found, curved(oracle)(x))


def test_third_derivatives_of_numbers() -> None:
    inverse = checkpoint.jax.function(lambda x: 1.0 / x, result=1.0)
    assert jax.grad(jax.grad(jax.grad(inverse)))(0.5) == pytest.approx(-6.0 / 0.5**4)


def test_maps() -> None:
    layers, x = arguments(1)
    rows = jnp.stack([x, 2.0 * x, 3.0 * x])
    found = jax.jit(jax.vmap(jax.grad(total(checkpoint.jax.function(network))), (None, 0)))(layers, rows)
    assert_close(found, jax.vmap(jax.grad(total(oracle)), (None, 0))(layers, rows))


def test_complex_numbers() -> None:
    def f(z: Any, w: Any) -> Any:
        return z * z * (2.0 - 1.0j) * w

    def loss(g: Any) -> Any:
        return lambda z, w: jnp.abs(g(z, w)).sum()

    z, w = jnp.array([1.0 + 2.0j, -0.5j]), jnp.array([3.0, 0.5])
    found = jax.grad(loss(checkpoint.jax.function(f)), (0, 1))(z, w)
    assert_close(found, jax.grad(loss(f), (0, 1))(z, w))


def test_integers_and_constants_have_no_derivative() -> None:
    class Settings(NamedTuple):
        name: str
        scale: Any

    def f(x: Any, index: Any, n: Any, settings: Any) -> Any:
        for _ in range(n):
            x = x * settings.scale
        return x[index], index + 1, len(settings.name)

    given = jnp.ones(4), jnp.array([0, 2]), 3, Settings("abc", jnp.array(2.0))
    called = checkpoint.jax.function(f)
    y = called(*given)
    assert [x.tolist() for x in y] == [[8.0, 8.0], [1, 3], 3]
    gradient = jax.grad(lambda x, c: called(x, *given[1:3], Settings("abc", c))[0].sum(), (0, 1))
    for transformed in (gradient, jax.jit(gradient)):
        found = transformed(given[0], given[3].scale)
        assert [x.tolist() for x in found] == [[8.0, 0.0, 8.0, 0.0], 24.0]
    counted = jax.jit(lambda x, n: jax.grad(lambda x: called(x, given[1], n, given[3])[0].sum())(x))
    assert counted(given[0], 2).tolist() == [4.0, 0.0, 4.0, 0.0]


def test_the_length_may_depend_on_values_within_a_compiled_function() -> None:
    def halvings(x: Any) -> Any:
        while np.abs(x).max() > 1.0:
            x = 0.5 * x
        return x

    f = checkpoint.jax.function(halvings, result=lambda x: x)
    compiled = jax.jit(jax.grad(lambda x: f(x).sum()))
    assert [compiled(c * jnp.ones(2)).tolist() for c in (0.5, 3.0, 100.0)] == [
        [c, c] for c in (1.0, 0.25, 2.0**-7)
    ]


def test_recursion_is_as_deep_as_elsewhere() -> None:
    def deep(x: Any, n: int) -> Any:
        return x if n == 0 else 0.5 * deep(x, n - 1) + x

    f = checkpoint.jax.function(deep)
    assert jax.jit(jax.grad(lambda x: f(x, 20_000).sum()))(jnp.ones(2)).tolist() == [2.0, 2.0]


def test_values_of_32_bits() -> None:
    jax.config.update("jax_enable_x64", False)
    layers, x = arguments()
    found = jax.jit(jax.grad(total(checkpoint.jax.function(network))))(layers, x)
    assert {leaf.dtype for leaf in jax.tree.leaves(found)} == {np.dtype("float32")}
    as_numpy = checkpoint.jax.function(lambda x: np.arange(2) * x)
    y = as_numpy(1.5)
    assert (y.dtype, y.tolist()) == (np.dtype("float32"), [0.0, 1.5])


def test_programs_of_the_small_language() -> None:
    f = checkpoint.jax.function(checkpoint.read("(lambda (x) (* x (sin x)))"))
    assert jax.grad(f)(2.0) == checkpoint.vjp(lambda x: x * np.sin(x), 2.0)[1]


def test_shapes_are_found_once_for_each_signature(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any, scale: Any) -> Any:
        print(x.shape, x[0])
        return scale * x

    called = checkpoint.jax.function(f)
    for size, scale in ((2, 3), (2, 3), (3, 3), (2, True)):
        called(jnp.ones(size), scale)
    shown = capsys.readouterr().out.split("\n")
    assert shown[:-1] == [
        *("(2,) 0.0", "(2,) 1.0", "(2,) 1.0"),
        *("(3,) 0.0", "(3,) 1.0"),
        *("(2,) 0.0", "(2,) 1.0"),
    ]


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.grad])
def test_arrays_of_jaxs_are_arguments(transform: Any) -> None:
    def inner(w: Any) -> Any:
        return checkpoint.jax.function(lambda x: (x * w).sum())(np.ones(2))

    with pytest.raises(
        checkpoint.RunError, match="w of <lambda> is an array of JAX's, which has to be an argument"
    ):
        transform(inner)(jnp.ones(2))


def test_what_fails_on_zeros_needs_the_shapes() -> None:
    f = checkpoint.jax.function(lambda x: 1.0 / x)
    with pytest.raises(
        checkpoint.RunError, match=r"fails on zeros, .* give them, function\(<lambda>, result="
    ):
        f(2.0)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (np.ones(3), r"returned float64\[2\], and its result is said to be float64\[3\]"),
        (np.arange(2), r"returned float64\[2\], and its result is said to be int64\[2\]"),
        ((1.0, 2.0), r"and its result is said to be PyTreeDef\(\(\*, \*\)\)"),
    ],
)
def test_results_of_other_shapes_are_refused(result: Any, text: str) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError, match=text):
        jax.block_until_ready(checkpoint.jax.function(lambda x: 2.0 * x, result=result)(np.ones(2)))


def test_results_that_are_no_arrays_are_refused() -> None:
    with pytest.raises(
        checkpoint.RunError, match="a result is a pytree of arrays and numbers, and has a str"
    ):
        checkpoint.jax.function(lambda x: (x, "text"))(1.0)


def test_errors_of_the_program_are_shown() -> None:
    f = jax.jit(checkpoint.jax.function(lambda x: 1.0 / x, result=1.0))
    with pytest.raises(jax.errors.JaxRuntimeError, match="ZeroDivisionError: float division by zero"):
        jax.block_until_ready(f(0.0))


def test_wrong_arguments_are_refused_at_once() -> None:
    with pytest.raises(checkpoint.RunError, match=r"checkpoint\.jax\.function takes a function, not an int"):
        checkpoint.jax.function(3)  # type: ignore[arg-type]  # it is refused
    with pytest.raises(checkpoint.RunError, match="there is no schedule 'none'"):
        checkpoint.jax.function(network, schedule="none")
