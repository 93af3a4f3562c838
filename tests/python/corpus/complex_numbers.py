"""Complex numbers, and the parts of real ones."""

from __future__ import annotations

from tests.python.corpus import Example


def parts_of_reals(x: float, n: int) -> tuple[float, ...]:
    """The parts and conjugates of real numbers, which functions for complex numbers ask for, too."""
    total = 0.0
    for each in (x, n, True, -x * n):
        total += each.real * each.conjugate() + 2.0 * each.imag + (each * x).real
    return total, (x * n).conjugate().real, n.conjugate() ** 2 + n.real


def conjugate_of_a_text(x: float) -> float:
    """A text has no conjugate."""
    return x + "x".conjugate()  # type: ignore[attr-defined,no-any-return]


EXAMPLES = [
    Example(parts_of_reals, (1.5, 3)),
    Example(conjugate_of_a_text, (1.5,), raises=AttributeError),
]
