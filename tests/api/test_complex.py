"""Complex scalars: JAX's convention, against closed forms and differences along both axes; what is refused.

The gradient of a real function of z = x + iy is df/dx - i df/dy. A cotangent g pairs with a tangent t as
Re(g t); of a holomorphic function the vjp of g is g f'(z), the jvp of t is f'(z) t.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import checkpoint
from checkpoint.errors import RunError

pytestmark = pytest.mark.engines_in_turn

Z = 0.6 - 0.8j
W = 1.5 + 0.25j

# Real functions, with the closed forms of their gradients.
REAL: list[tuple[Callable[[Any], Any], Callable[[complex], complex]]] = [
    (abs, lambda z: z.conjugate() / abs(z)),
    (lambda z: z.real, lambda z: 1 + 0j),
    (lambda z: z.imag, lambda z: -1j),
    (cmath.phase, lambda z: -1j / z),
    (lambda z: abs(z) ** 2, lambda z: 2 * z.conjugate()),
    (lambda z: (z * z.conjugate()).real, lambda z: 2 * z.conjugate()),
    (lambda z: z.conjugate().imag, lambda z: 1j),
    (lambda z: (z**3).real, lambda z: 3 * z**2),
    (lambda z: cmath.exp(z).imag, lambda z: -1j * cmath.exp(z)),
    (lambda z: cmath.polar(z)[0] * 2.0, lambda z: 2.0 * z.conjugate() / abs(z)),
    (lambda z: math.log(abs(z)), lambda z: 1 / z),
    (lambda z: (W * z).real + 3.0 * z.imag, lambda z: W - 3j),
]
# Holomorphic functions, with their derivatives.
HOLOMORPHIC: list[tuple[Callable[[Any], Any], Callable[[complex], complex]]] = [
    (lambda z: z * z, lambda z: 2 * z),
    (lambda z: W / z, lambda z: -W / z**2),
    (lambda z: z / W - z, lambda z: 1 / W - 1),
    (lambda z: z**-3, lambda z: -3 * z**-4),
    (lambda z: z**2.5, lambda z: 2.5 * z**1.5),
    (lambda z: z**W, lambda z: W * z ** (W - 1)),
    (lambda z: W**z, lambda z: W**z * cmath.log(W)),
    (lambda z: 2**z, lambda z: 2**z * math.log(2)),
    (cmath.exp, cmath.exp),
    (cmath.log, lambda z: 1 / z),
    (cmath.log10, lambda z: 1 / (z * math.log(10))),
    (cmath.sqrt, lambda z: 0.5 / cmath.sqrt(z)),
    (cmath.sin, cmath.cos),
    (cmath.cos, lambda z: -cmath.sin(z)),
    (cmath.tan, lambda z: 1 / cmath.cos(z) ** 2),
    (cmath.sinh, cmath.cosh),
    (cmath.cosh, cmath.sinh),
    (cmath.tanh, lambda z: 1 / cmath.cosh(z) ** 2),
    (cmath.asin, lambda z: 1 / cmath.sqrt(1 - z * z)),
    (cmath.acos, lambda z: -1 / cmath.sqrt(1 - z * z)),
    (cmath.atan, lambda z: 1 / (1 + z * z)),
    (cmath.asinh, lambda z: 1 / cmath.sqrt(1 + z * z)),
    (cmath.acosh, lambda z: 1 / (cmath.sqrt(z - 1) * cmath.sqrt(z + 1))),
    (cmath.atanh, lambda z: 1 / (1 - z * z)),
]
EVERY = [Z, -1.25 + 0.5j, 2.0 - 0.1j, -0.5 - 2.0j, 0.1 + 1.5j]


def close(found: complex, expected: complex) -> bool:
    return cmath.isclose(found, expected, rel_tol=1e-11, abs_tol=1e-12)


@pytest.mark.parametrize("case", range(len(REAL)))
def test_gradients(case: int, engine: str) -> None:
    f, expected = REAL[case]
    for z in EVERY:
        found = checkpoint.grad(f, engine=engine)(z)
        assert type(found) is complex
        assert close(found, expected(z)), (z, found, expected(z))
        along_x, along_y = (checkpoint.jvp(f, z, t, engine=engine)[1] for t in (1 + 0j, 1j))
        assert close(found, along_x - 1j * along_y)


@pytest.mark.parametrize("case", range(len(HOLOMORPHIC)))
def test_holomorphic_functions(case: int, engine: str) -> None:
    f, expected = HOLOMORPHIC[case]
    for z in EVERY:
        slope, g = expected(z), 0.3 - 1.7j
        assert close(checkpoint.vjp(f, z, g, engine=engine)[1], g * slope), z
        assert close(checkpoint.jvp(f, z, g, engine=engine)[1], g * slope), z
        second = checkpoint.hvp(lambda z, g=g: (g * f(z)).real, z, 1 + 1j, engine=engine)
        h = 1e-5
        assert cmath.isclose(
            second, (1 + 1j) * g * (expected(z + h) - expected(z - h)) / (2 * h), rel_tol=1e-6
        )


@pytest.mark.parametrize("f", [cmath.asin, cmath.acos, cmath.atanh, cmath.acosh, cmath.sqrt, cmath.log])
def test_branch_cuts(f: Callable[[Any], Any], engine: str) -> None:
    """On a branch cut the derivative is the one along it."""
    for z in (2.25 + 0j, complex(2.25, -0.0), -1.5 + 0j, complex(-1.5, -0.0)):
        found = checkpoint.vjp(f, z, 1 + 0j, engine=engine)[1]
        parts = [f(complex(z.real + h, z.imag)) for h in (1e-6, -1e-6)]
        assert cmath.isclose(found, (parts[0] - parts[1]) / 2e-6, rel_tol=1e-8)


def test_functions_that_are_not_holomorphic(engine: str) -> None:
    """The vjp is the transpose over the reals: Re(g f'(z)[t]) is Re(zbar t) for all t."""
    for f in (
        lambda z: z.conjugate() * W,
        lambda z: abs(z) * z,
        lambda z: complex(z.imag, -2.0 * z.real),
        lambda z: cmath.rect(abs(z), 0.5) + z.real * 1j,
    ):
        for g in (1 + 0j, 1j, 0.3 - 1.7j):
            found = checkpoint.vjp(f, Z, g, engine=engine)[1]
            for t in (1 + 0j, 1j):
                change = checkpoint.jvp(f, Z, t, engine=engine)[1]
                differences = (f(Z + 1e-6 * t) - f(Z - 1e-6 * t)) / 2e-6
                assert cmath.isclose(change, differences, rel_tol=1e-8)
                assert math.isclose((g * change).real, (found * t).real, abs_tol=1e-12)


@dataclass
class Wave:
    amplitude: complex
    k: float
    name: str


def signal(waves: dict[str, list[Any]], x: float) -> float:
    total = 0j
    for wave in waves["all"]:
        total += wave.amplitude * cmath.exp(1j * wave.k * x)
    return abs(total) ** 2


def test_in_containers(engine: str) -> None:
    waves = {"all": [Wave(1.0 + 0.5j, 2.0, "a"), Wave(-0.25j, 3.5, "b")]}
    found = checkpoint.grad(signal, engine=engine)(waves, 0.75)["all"]
    total = sum(wave.amplitude * cmath.exp(1j * wave.k * 0.75) for wave in waves["all"])
    for wave, slopes in zip(waves["all"], found, strict=True):
        phase = cmath.exp(1j * wave.k * 0.75)
        assert close(slopes.amplitude, 2 * total.conjugate() * phase)
        assert close(slopes.k, (2 * total.conjugate() * wave.amplitude * phase * 0.75j).real)
        assert slopes.name is None


def cube(z: complex) -> float:
    return abs(z * z * z)


def of_gradient(z: complex) -> float:
    g = checkpoint.grad(cube)(z)
    combined: float = 2.0 * g.real + 3.0 * g.imag
    return combined


def of_pullback(z: complex) -> complex:
    found: complex = checkpoint.vjp(lambda w: [w * w, w.conjugate()], z, [1 + 1j, 2j])[1]
    return found


def test_inside_of_programs(engine: str) -> None:
    """Derivatives inside of programs have the same convention, and derivatives of their own."""
    outside = checkpoint.grad(cube, engine=engine)(Z)
    y, found = checkpoint.value_and_grad(of_gradient, engine=engine)(Z)
    assert math.isclose(y, 2.0 * outside.real + 3.0 * outside.imag)
    h = 1e-6
    along_x, along_y = ((of_gradient(Z + h * t) - of_gradient(Z - h * t)) / (2 * h) for t in (1, 1j))
    assert cmath.isclose(found, along_x - 1j * along_y, rel_tol=1e-7)
    inner, _ = checkpoint.vjp(of_pullback, Z, 1 + 0j, engine=engine)
    assert close(inner, of_pullback(Z))
    assert close(inner, (1 + 1j) * 2 * Z + (2j).conjugate())


def of_many(z: complex) -> list[float]:
    return [abs(z * (0.25 + 0.01 * i)) + abs((z + i) ** 0.7) for i in range(200)]


def test_absolute_values_have_the_bits_of_python(engine: str) -> None:
    """Python asks C's library, whose last bit differs from that of math.hypot for one number in a hundred."""
    assert checkpoint.vjp(of_many, Z, [1.0] * 200, engine=engine)[0] == of_many(Z)
    for z in (complex(1.5e308, -1.5e308), complex(1e308, math.inf), complex(math.nan, -math.inf)):
        if cmath.isfinite(z):
            with pytest.raises(OverflowError, match="absolute value too large"):
                checkpoint.grad(abs, engine=engine)(z)
        else:
            assert checkpoint.value_and_grad(abs, engine=engine)(z)[0] == math.inf


def turned(z: Any) -> Any:
    return z * z.conjugate() * 1j


squared: Any = checkpoint.primitive(
    turned,
    vjp=lambda g, y, z: (g * 1j * z.conjugate() + (g * 1j * z).conjugate(),),
    jvp=lambda tangents, y, z: 1j * (tangents[0] * z.conjugate() + z * tangents[0].conjugate()),
)


def test_primitives_of_users(engine: str) -> None:
    def own(z: complex) -> complex:
        return squared(z) * W  # type: ignore[no-any-return]

    def plain(z: complex) -> complex:
        return z * z.conjugate() * 1j * W

    for g in (1 + 0j, 0.5 - 2j):
        assert close(
            checkpoint.vjp(own, Z, g, engine=engine)[1], checkpoint.vjp(plain, Z, g, engine=engine)[1]
        )
        assert close(
            checkpoint.jvp(own, Z, g, engine=engine)[1], checkpoint.jvp(plain, Z, g, engine=engine)[1]
        )


def test_exponents(engine: str) -> None:
    """An exponent has derivatives where it is a whole number, too."""
    for n in (2.0 + 0j, 0.5 + 0j, 1.5 + 0.5j, 0j):
        found = checkpoint.vjp(lambda n: Z**n, n, 1 + 0j, engine=engine)[1]
        assert close(found, Z**n * cmath.log(Z))
        second = checkpoint.hvp(lambda n: (Z**n).real, n, 1j, engine=engine)
        assert close(second, 1j * Z**n * cmath.log(Z) ** 2)
    slope = checkpoint.vjp(lambda x: Z**x, 2.0, 1j, engine=engine)[1]
    assert type(slope) is float
    assert math.isclose(slope, (1j * Z**2 * cmath.log(Z)).real)


def square(z: complex) -> complex:
    return z * z


REFUSED: dict[str, Callable[[str], Any]] = {
    "a function that returns a real, and square returned a complex: return its real": lambda e: (
        checkpoint.grad(square, engine=e)(Z)
    ),
    "ybar must be a complex number, not a str": lambda e: checkpoint.vjp(square, Z, "a", engine=e),
    "xtan must be a complex number, not None": lambda e: checkpoint.jvp(square, Z, None, engine=e),
    "ybar must be given: the value is no real but a complex": lambda e: checkpoint.vjp(square, Z, engine=e),
    "no matrix of derivatives of complex numbers": lambda e: checkpoint.jacrev(square, engine=e)(Z),
    "no matrix of derivatives of complex numbers: pass": lambda e: checkpoint.jacfwd(square, engine=e)(Z),
    "no matrix of derivatives of complex numbers: pass and": lambda e: checkpoint.hessian(abs, engine=e)(Z),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message: str, engine: str) -> None:
    with pytest.raises(RunError, match=message):
        REFUSED[message](engine)
