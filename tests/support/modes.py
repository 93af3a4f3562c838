"""The three modes, as texts, and all mixtures of them."""

from __future__ import annotations

from itertools import product

MODES = ("j*", "*j", "checkpoint-*j")

# What every program of these tests may use: (D mode) is not in the language, so each mode has a name.
DEFINITIONS = """
(define (j*-D f x) (cdr (j* f x 1)))
(define (*j-D f x) (cdr (*j f x 1)))
(define (checkpoint-*j-D f x) (cdr (checkpoint-*j f x 1)))
"""

PAIRS = list(product(MODES, repeat=2))
TRIPLES = list(product(MODES, repeat=3))


def with_modes(text: str, modes: tuple[str, ...]) -> str:
    """Return the program in which D1, D2, D3 are derivatives by these modes."""
    for position, mode in enumerate(modes, 1):
        text = text.replace(f"D{position}", f"{mode}-D")
    return DEFINITIONS + text
