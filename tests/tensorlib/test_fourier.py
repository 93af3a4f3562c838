"""Fourier transforms: published cases, the convention for complex arrays, what is between two transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlib  # noqa: F401
from checkpoint import grad
from checkpoint.ad.accumulators import Accumulator
from checkpoint.ad.numbers import Dual, Tape
from checkpoint.ad.tensors import ALWAYS, apply
from tests.tensorlib.check import check, data_of, value
from tests.tensorlib.pulled import called, pulled, pushed, record

# Of autograd: the transform, the shape of the operand, what else is given. A transform back to reals gets
# the spectrum of the array.
AUTOGRAD: list[tuple[str, tuple[int, ...], tuple[Any, ...]]] = [
    ("fft", (5, 5), ()),
    ("fft", (5, 5), (None, -1, "ortho")),
    ("fft", (5, 5), (None, 0)),
    ("fft", (5, 5), (3,)),
    ("fft", (5, 5), (7,)),
    ("ifft", (5, 5), (3,)),
    ("ifft", (5, 5), (7,)),
    ("rfft", (4, 4), (2,)),
    ("rfft", (4, 4), (6,)),
    ("irfft", (4, 4), (2,)),
    ("irfft", (4, 4), (6,)),
    *[(name, (5, 5, 5), ((7, 3), (0, 2))) for name in ("fft2", "ifft2", "fftn", "ifftn")],
    *[(name, (4, 4, 4), ((6, 2), (0, 2))) for name in ("rfft2", "irfft2", "rfftn", "irfftn")],
    *[(name, (5, 5), ()) for name in ("ifft", "fft2", "ifft2", "fftn", "ifftn")],
    *[(name, (4, 4), ()) for name in ("rfft", "irfft", "rfft2", "irfft2")],
    *[(name, (4, 4), (None, -1, "ortho")) for name in ("rfft", "irfft")],
    ("rfft", (4, 4), (None, 0)),
    *[(name, (4, 4, 4), ()) for name in ("rfftn", "irfftn")],
    ("rfftn", (4, 4, 4), (None, (0, 2))),
    *[(name, (5, 5), (None, (0, 0))) for name in ("fft2", "ifft2", "fftn", "ifftn")],
    *[(name, (size, size), ()) for name in ("fftshift", "ifftshift") for size in (4, 5)],
    *[(name, (5, 5), (1,)) for name in ("fftshift", "ifftshift")],
]


@pytest.mark.parametrize("case", AUTOGRAD, ids=str)
def test_published_cases(case: Any) -> None:
    name, shape, options = case
    x = np.random.default_rng(1).normal(size=shape)
    if name.startswith("ir"):
        x = getattr(np.fft, name[1:])(x)
    check(record(f"np.fft.{name}"), (x, *options))


def test_odd_lengths_which_autograd_has_no_rule_for() -> None:
    check(record("np.fft.rfftn"), (np.random.default_rng(1).normal(size=(5, 5, 5)),))


@pytest.mark.parametrize("n", range(1, 10))
@pytest.mark.parametrize("size", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_every_parity(n: int, size: int, norm: Any) -> None:
    rng = np.random.default_rng(n)
    real, other = rng.normal(size=size), rng.normal(size=size) * 1j
    check(record("np.fft.rfft"), (real, n, 0, norm), order=1)
    check(record("np.fft.irfft"), (real + other, n, 0, norm), order=1)


def test_the_convention() -> None:
    """The cotangent of z pairs with a tangent t as Re(g t): that of f(z), holomorphic, is g f'(z)."""
    z, g = np.array([1.0 + 2.0j]), np.array([0.5 - 1.0j])
    np.testing.assert_allclose(pulled("np.exp", (z,), [g]), g * np.exp(z))
    np.testing.assert_allclose(pulled("np.absolute", (z,), [np.ones(1)]), np.conj(z) / np.abs(z))
    np.testing.assert_allclose(pulled("np.imag", (z,), [np.ones(1)]), [-1j])
    matrix = np.fft.fft(np.eye(4))
    h = np.arange(4) * (1.0 - 1.0j)
    np.testing.assert_allclose(pulled("np.fft.fft", (np.ones(4) * 1j,), [h]), matrix @ h, atol=1e-12)


COMPLEX = ["add", "subtract", "multiply", "divide", "negative", "exp", "sin", "cos", "log", "sqrt", "square"]
COMPLEX += ["tanh", "sinh", "cosh", "tan", "reciprocal", "expm1", "log1p", "power", "absolute", "conjugate"]
COMPLEX += [
    "positive",
    "exp2",
    "log2",
    "log10",
    "arctan",
    "arcsin",
    "arccos",
    "arcsinh",
    "arccosh",
    "arctanh",
]


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_operands_element_by_element(name: str) -> None:
    rng = np.random.default_rng(0)
    found = record(f"np.{name}")
    z, w = (rng.uniform(0.5, 0.9, 3) + 1j * rng.uniform(0.3, 0.8, 3) for _ in range(2))
    if len(found.vjps) == 1:
        check(found, (z,))
        return
    for operands in ((z, w), (z, w.real), (z.real, w), (z, 2.5), (2.5, w), (z[:, None], w.real)):
        check(found, operands)


COMPLEX_MOVED: list[tuple[str, tuple[Any, ...]]] = [
    ("np.sum", (1,)),
    ("np.mean", (0,)),
    ("np.reshape", ((3, 2),)),
    ("np.transpose", ()),
    ("np.cumsum", (1,)),
    ("np.roll", (1, 0)),
    ("np.flip", (0,)),
    ("np.prod", (1,)),
]


@pytest.mark.parametrize(("name", "options"), COMPLEX_MOVED, ids=str)
def test_complex_operands_of_reductions(name: str, options: tuple[Any, ...]) -> None:
    z = np.random.default_rng(0).normal(size=(2, 3)) + 1j
    check(record(name), (z * 1j, *options))


def test_a_filter_between_two_transforms() -> None:
    """Convolution by transforms: the gradient by the signal is the correlation of what arrives."""
    rng = np.random.default_rng(0)
    x, kernel, g = rng.normal(size=(3, 8))
    tape = Tape()
    node = tape.leaf(value(x))
    spectrum = apply(ALWAYS, record("np.fft.rfft"), (node, None, -1, None))
    product = apply(ALWAYS, record("np.multiply"), (spectrum, value(np.fft.rfft(kernel))))
    y = apply(ALWAYS, record("np.fft.irfft"), (product, 8, -1, None))
    matrix = np.array([np.roll(kernel, i) for i in range(8)]).T
    np.testing.assert_allclose(data_of(y.value), matrix @ x)
    y.adjoint = Accumulator(g)
    tape.propagate()
    np.testing.assert_allclose(node.adjoint.array, matrix.T @ g)


def test_absolute_values_nest() -> None:
    """The second derivative of |z|^2 is constant."""
    z = np.array([1.0 + 2.0j, -0.5 + 0.1j])
    t = np.array([0.3 - 0.4j, 1.0 + 1.0j])
    size = Dual(1, value(z), value(t))
    both = apply(ALWAYS, record("np.absolute"), (Dual(2, size, Dual(1, value(t), value(np.zeros(2) * 1j))),))
    square = apply(ALWAYS, record("np.multiply"), (both, both))
    np.testing.assert_allclose(data_of(square.tangent.tangent), 2 * np.abs(t) ** 2)


def test_axes_that_are_left_out() -> None:
    """A default that is a tuple is one in the core, which knows no constant of that kind."""
    x = np.linspace(0.5, 2.0, 12).reshape(3, 4)
    found = grad(lambda x: np.sum(np.abs(np.fft.fft2(x)) ** 2) + np.rot90(x)[0, 0])(x)
    assert found == pytest.approx(24.0 * x + np.eye(3, 4, 3))


def test_frequencies() -> None:
    np.testing.assert_array_equal(called("np.fft.fftfreq", 5, 0.1)[0], np.fft.fftfreq(5, 0.1))
    np.testing.assert_array_equal(called("np.fft.rfftfreq", 5, 0.1)[0], np.fft.rfftfreq(5, 0.1))


def test_single_precision_stays() -> None:
    x = np.ones(4, np.float32)
    assert called("np.fft.rfft", x)[0].dtype == np.complex64
    assert pulled("np.fft.rfft", (x,), [np.ones(3, np.complex64)]).dtype == np.float32
    assert pushed("np.fft.rfft", (x,), x)[0].dtype == np.complex64


def test_a_bad_axis_or_norm_is_numpys_own_error() -> None:
    with pytest.raises(IndexError):
        called("np.fft.fft", np.ones(3), None, 2)
    with pytest.raises(ValueError, match="norm"):
        called("np.fft.fft", np.ones(3), None, -1, "other")
