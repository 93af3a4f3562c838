"""Complex arrays as arguments: JAX's convention, against closed forms; what is refused.

The gradient of a real function of z = x + iy is df/dx - i df/dy. A cotangent g pairs with a tangent t as
Re(sum(g t)); of a holomorphic function the vjp of g is g f'(z), the jvp of t is f'(z) t.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.errors import RunError, SourceError
from tests.arrays.agreement import ENGINES

pytestmark = pytest.mark.engines_in_turn

Z = np.array([1.0 + 2.0j, 3.0 - 1.0j, -0.5 + 0.25j])
W = np.array([0.5 - 1.0j, 2.0j, 1.0 + 0.0j])
A = np.array([[1.0, 2.0j], [0.5j, -1.0 + 1.0j]])


def absolute(z: Any) -> Any:
    return np.abs(z)


def written(z: Any) -> Any:
    u = np.zeros(3, complex)
    u[:] = z
    u[1] *= 2.0
    return np.sum(np.abs(u) ** 2)


# Real functions, with the closed forms of their gradients.
REAL: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda z: np.sum(np.abs(z) ** 2), lambda z: 2.0 * np.conj(z)),
    (lambda z: np.sum(z.real), lambda z: np.ones(3) + 0j),
    (lambda z: np.sum(z.imag), lambda z: -1j * np.ones(3)),
    (lambda z: np.sum(np.abs(z)), lambda z: np.conj(z) / np.abs(z)),
    (lambda z: np.sum(np.angle(z)), lambda z: -1j / z),
    (lambda z: np.sum((z * z * z).real), lambda z: 3.0 * z**2),
    (lambda z: np.sum(np.exp(z).imag), lambda z: -1j * np.exp(z)),
    (lambda z: np.sum((z * np.conj(z)).real), lambda z: 2.0 * np.conj(z)),
    (lambda z: np.sum(np.log(np.abs(z))), lambda z: 1.0 / z),
    (lambda z: np.sum((W * z).real), lambda z: W),
    (lambda z: np.vdot(W, z).real, lambda z: np.conj(W)),
    (lambda z: np.sum(np.abs(np.fft.fft(z)) ** 2), lambda z: 6.0 * np.conj(z)),
    (lambda z: sum([np.abs(v) ** 2 for v in z]), lambda z: 2.0 * np.conj(z)),
    (lambda z: z[0].real * z[1].imag, lambda z: np.array([z[1].imag, -1j * z[0].real, 0.0])),
    (written, lambda z: 2.0 * np.conj(z) * np.array([1.0, 4.0, 1.0])),
    (lambda z: np.correlate(W, z).imag[0], lambda z: np.conj(-1j * W)),
]
# Holomorphic functions, with their derivatives.
HOLOMORPHIC: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (np.square, lambda z: 2.0 * z),
    (np.sin, np.cos),
    (lambda z: np.exp(z) / z, lambda z: np.exp(z) / z - np.exp(z) / z**2),
    (np.sqrt, lambda z: 0.5 / np.sqrt(z)),
    (lambda z: np.log(z) * W, lambda z: W / z),
    (np.tanh, lambda z: 1.0 / np.cosh(z) ** 2),
]


@pytest.mark.parametrize("number", range(len(REAL)))
def test_gradients_of_real_functions(number: int, engine: str) -> None:
    f, gradient = REAL[number]
    value, found = checkpoint.value_and_grad(f, engine=engine)(Z)
    assert np.allclose(value, f(Z), rtol=1e-12)
    assert found.dtype == complex
    assert np.allclose(found, gradient(Z), rtol=1e-12, atol=1e-14)
    along = checkpoint.jvp(f, Z, W, engine=engine)[1]
    assert np.allclose(along, np.sum(gradient(Z) * W).real, rtol=1e-12)


@pytest.mark.parametrize("number", range(len(HOLOMORPHIC)))
def test_holomorphic_functions(number: int, engine: str) -> None:
    f, derivative = HOLOMORPHIC[number]
    value, found = checkpoint.vjp(f, Z, W, engine=engine)
    assert np.allclose(value, f(Z), rtol=1e-14)
    assert np.allclose(found, W * derivative(Z), rtol=1e-12)
    assert np.allclose(checkpoint.jvp(f, Z, W, engine=engine)[1], W * derivative(Z), rtol=1e-12)


def test_conjugates_and_products_of_matrices(engine: str) -> None:
    assert np.allclose(checkpoint.vjp(np.conj, Z, W, engine=engine)[1], np.conj(W))
    assert np.allclose(checkpoint.jvp(np.conj, Z, W, engine=engine)[1], np.conj(W))
    assert np.allclose(checkpoint.vjp(lambda a: a @ A, A, A, engine=engine)[1], A @ A.T)


def test_real_arrays_among_complex_ones(engine: str) -> None:
    """The cotangent of a real argument is real, that of a complex one complex."""

    def f(parts: Any) -> Any:
        return np.sum(np.abs(parts["z"] * parts["x"] + parts["s"]) ** 2)

    x = np.array([1.0, 2.0, -1.0])
    found = checkpoint.grad(f, engine=engine)({"z": Z, "x": x, "s": 0.5})
    inner = np.conj(Z * x + 0.5)
    assert found["x"].dtype == float
    assert np.allclose(found["x"], 2.0 * (inner * Z).real)
    assert np.allclose(found["z"], 2.0 * inner * x)
    assert np.isclose(found["s"], 2.0 * np.sum(inner).real)


def test_widths_and_single_numbers(engine: str) -> None:
    narrow = checkpoint.grad(lambda z: np.sum(np.abs(z) ** 2), engine=engine)(Z.astype(np.complex64))
    assert narrow.dtype == np.complex64
    assert checkpoint.grad(lambda z: np.abs(z) ** 2, engine=engine)(np.array(1.0 + 2.0j)) == 2.0 - 4.0j
    assert np.allclose(
        checkpoint.vjp(lambda z: z[0], Z, 1.0 + 1.0j, engine=engine)[1], [1.0 + 1.0j, 0.0, 0.0]
    )


def test_second_derivatives_along_a_direction(engine: str) -> None:
    product = checkpoint.hvp(lambda z: np.sum(np.abs(z) ** 2), Z, W, engine=engine)
    assert np.allclose(product, 2.0 * np.conj(W))

    def squared(z: Any) -> Any:
        return np.sum(np.abs(checkpoint.grad(lambda w: np.sum(np.abs(w) ** 4))(z)) ** 2)

    assert np.allclose(checkpoint.grad(squared, engine=engine)(Z), 96.0 * np.abs(Z) ** 4 * np.conj(Z))


@pytest.mark.parametrize("schedule", ["plain", "bisection", "budget"])
def test_schedules(schedule: str, engine: str) -> None:
    def spun(z: Any) -> Any:
        for _ in range(50):
            z = z * np.exp(W * 0.01) + np.conj(z) * 0.01
        return np.sum(np.abs(z) ** 2)

    found = checkpoint.grad(spun, engine=engine, schedule=schedule)(Z)
    assert np.array_equal(found, checkpoint.grad(spun, engine="interp", schedule="plain")(Z))


REFUSED: dict[str, Callable[..., Any]] = {
    "gradient needs a function that returns a real, .*return its real or imaginary part": lambda e: (
        checkpoint.grad(np.sum, engine=e)(Z)
    ),
    "no matrix of derivatives of complex arrays: jacfwd": lambda e: checkpoint.jacfwd(absolute, engine=e)(Z),
    "no matrix of derivatives of complex arrays: jacfwd and": lambda e: checkpoint.hessian(
        lambda z: np.sum(np.abs(z)), engine=e
    )(Z),
    "no matrix .* jacrev real results": lambda e: checkpoint.jacrev(lambda z: z * z, engine=e)(Z),
    "no matrix .* of complex arrays": lambda e: checkpoint.grad(
        lambda z: np.sum(checkpoint.jacfwd(np.square)(z).real), engine=e
    )(Z),
}


@pytest.mark.parametrize("said", REFUSED)
def test_refused(said: str, engine: str) -> None:
    with pytest.raises(RunError, match=said):
        REFUSED[said](engine)


def test_jacobians_of_real_results(engine: str) -> None:
    found = checkpoint.jacrev(absolute, engine=engine)(Z)
    assert np.allclose(found, np.diag(np.conj(Z) / np.abs(Z)))


@pytest.mark.parametrize("f", [np.histogram, lambda z: np.logspace(z[0], 1.0, 3), np.linalg.svd])
def test_functions_of_reals(f: Callable[..., Any]) -> None:
    with pytest.raises(SourceError, match="only real ones are taken here"):
        checkpoint.vjp(f, Z, None)


INVERSES = [np.arcsin, np.arccos, np.arctan, np.arcsinh, np.arccosh, np.arctanh, np.sqrt, np.log]


@pytest.mark.parametrize("function", INVERSES, ids=lambda f: f.__name__)
def test_inverse_functions(function: Any) -> None:
    """The derivatives have the sign of their branch in each half plane, and along the branch cuts."""
    z = np.array([2.2 + 0j, -1.3 + 0j, 0.3 + 0.4j, -2 + 1j, -2 - 1j, 2 - 1j])
    slopes = (function(z + 1e-6) - function(z - 1e-6)) / 2e-6
    np.testing.assert_allclose(checkpoint.vjp(function, z, np.ones(6, complex))[1], slopes, rtol=1e-8)
    np.testing.assert_allclose(checkpoint.jvp(function, z, np.ones(6, complex))[1], slopes, rtol=1e-8)


# Complex numbers of Python beside arrays

K = np.array([0.5, 1.0, 2.0])


def changed(x: Any) -> Any:
    a = np.zeros(3, dtype=complex)
    a[1] = x * 1j
    a += 1j * x
    a *= 2j
    a[0:2] = 3j * x
    a.fill(2j * x) if x > 100.0 else a.conj()
    return a


# Functions of a real, which give what NumPy does.
BESIDE: list[Callable[[Any], Any]] = [
    lambda x: np.exp(1j * x * K),
    lambda x: np.array([1j, x, 2.0 + x * 1j]),
    lambda x: [np.sqrt(x + 1j), np.abs(x * 1j), np.angle(1j * x), np.conj(1j * x), np.exp(2j * x)],
    lambda x: [np.real(x * 1j), np.imag(x * 1j), complex(K[0] * x), cmath.exp(K[1] * 1j) * x],
    changed,
    lambda x: np.fft.ifft(np.fft.fft(K * x) * np.exp(1j * K)),
    lambda x: np.array([[1j, x], [0.5, 1 + 1j]]) @ np.array([1j, 2.0 * x]),
    lambda x: np.linalg.solve(np.array([[1j, x], [0.5, 1 + 1j]]), np.array([1.0, 2j * x])),
    lambda x: K * x * (1 + 2j) - 1j / K + (x * 1j) ** 2 * K + K ** (x + 0.5j) + (x + 2j) ** K,
    lambda x: np.sum([1j * x, x]) + np.where(K > 0.7, 1j * x, K).sum(),
    lambda x: np.array([1.0, 2.0], np.float32) * 1j * x,
    lambda x: np.prod(K * (x + 2j)) * 1j + 1j * (K * x)[0],
]


def drawn(y: Any, rng: np.random.Generator) -> Any:
    """Return a random cotangent of a result."""
    if isinstance(y, list):
        return [drawn(part, rng) for part in y]
    data = rng.normal(size=np.shape(y)) + 1j * rng.normal(size=np.shape(y))
    return data.astype(np.asarray(y).dtype)[()] if np.iscomplexobj(y) else float(data.real)


def paired(ybar: Any, y: Any) -> float:
    if isinstance(y, list):
        return sum(paired(one, other) for one, other in zip(ybar, y, strict=True))
    return float(np.sum(ybar * y).real)


@pytest.mark.parametrize("case", range(len(BESIDE)))
def test_complex_numbers_beside_arrays(case: int, engine: str) -> None:
    f = BESIDE[case]
    expected = f(1.5)
    ybar = drawn(expected, np.random.default_rng(1))
    y, xbar = checkpoint.vjp(f, 1.5, ybar, engine=engine)
    assert repr(y) == repr(expected)
    h = 1e-2 if case == 10 else 1e-6  # single precision
    slope = paired(ybar, f(1.5 + h)) - paired(ybar, f(1.5 - h))
    assert xbar == pytest.approx(slope / (2 * h), rel=1e-4 if case == 10 else 1e-7)
    along = checkpoint.jvp(f, 1.5, 1.0, engine=engine)[1]
    assert xbar == pytest.approx(paired(ybar, along), rel=1e-6)


def test_questions_of_arrays(engine: str) -> None:
    def questions(x: float) -> Any:
        a = K * 1j * x
        return [a == 1.5j, a != 1.5j, isinstance(a[0], complex), np.iscomplexobj(x * 1j), np.isclose(a, 1.5j)]

    assert repr(checkpoint.vjp(questions, 1.5, engine=engine)[0]) == repr(questions(1.5))


def test_a_complex_number_as_argument_beside_an_array(engine: str) -> None:
    def power(z: complex) -> Any:
        return np.sum(np.abs(np.exp(z * K) * z) ** 2)

    z, h = 0.3 - 0.4j, 1e-6
    slopes = [(power(z + h * t) - power(z - h * t)) / (2 * h) for t in (1, 1j)]
    assert checkpoint.grad(power, engine=engine)(z) == pytest.approx(slopes[0] - 1j * slopes[1], rel=1e-8)


def iterated(x: Any) -> Any:
    """Products of complex numbers of NumPy, whose last bits differ from those of arrays of them."""
    z = 0j
    for v in x:
        z = z * z + complex(v, 0.3) * np.exp(1j * v)
    return z.real * z.conjugate().imag


def test_products_of_complex_numbers_have_the_bits_of_python(engine: str) -> None:
    x = np.array([0.7, 1.3, -0.4])
    assert checkpoint.vjp(iterated, x, 1.0, engine=engine)[0] == iterated(x)


def squared(x: float) -> Any:
    z = np.complex128(complex(x, 0.3)) * np.complex128(2.3 - 1.1j)
    return (z * z).imag


def test_gradients_through_products_of_complex_numbers_have_equal_bits() -> None:
    for x in np.linspace(0.1, 3.0, 40):
        found = {checkpoint.grad(squared, engine=name)(float(x)) for name in ENGINES}
        assert len(found) == 1


def test_the_size_of_a_complex_number_of_numpy_has_the_bits_of_python(engine: str) -> None:
    """NumPy's scalars have other bits than its function, which programs ask for by its name."""

    def sizes(z: Any) -> Any:
        return np.array([abs(v) for v in z]), np.array([np.abs(v) for v in z]), abs(z)

    z = np.random.default_rng(0).normal(size=(40, 2)) @ np.array([1.0, 1.0j])
    found, _ = checkpoint.vjp(sizes, z, (z.real, z.real, z.real), engine=engine)
    np.testing.assert_array_equal(found, sizes(z))


NUMBERS_OF_PYTHON = {
    "item": (lambda z: z[0].item() * 2, r"item\(\) of an array of complex numbers: write complex\(a\[i\]\)"),
    "tolist": (lambda z: z.tolist()[0] * 2, r"tolist\(\) of .*: write \[complex\(z\) for z in a\]"),
}


@pytest.mark.parametrize("name", NUMBERS_OF_PYTHON)
def test_complex_numbers_of_python_are_made_of_single_elements(name: str, engine: str) -> None:
    f, said = NUMBERS_OF_PYTHON[name]
    with pytest.raises(SourceError, match=said):
        checkpoint.vjp(f, np.array([1.0 + 2.0j]), 1.0 + 0.0j, engine=engine)
