"""What a derivative inside of a program costs: of a loop, and of few operations in a loop.

What is measured: reverse over reverse of a loop of some turns beside reverse; gradients in a training loop,
and the same differentiated in reverse. CPU times, medians of 3 behind a first call. CHECKPOINT_JIT is `wait`
unless it is set: else up to four calls are over before their code is compiled, on a loaded machine more,
and take 4 to 9 times as long.

Reproduce: python -m experiments.nesting.loops --engine c
"""

from __future__ import annotations

import argparse
import os
from statistics import median
from typing import Any

import checkpoint
from checkpoint import engines
from experiments import common

LOOP = "(define (turn n y x) (if (= n 0) y (turn (- n 1) (+ (* 0.999 y) (* x (sin y))) x)))"
PLAIN, NESTED = "(lambda (x) (turn {0} x x))", "(lambda (x) (cdr (*j (lambda (z) (turn {0} z z)) x 1.0)))"
TRAINING = """
(define (loss w) (let ((d (- (* w w) 2.0))) (* d d)))
(define (train n w) (if (= n 0) w (train (- n 1) (- w (* 0.01 (cdr (*j loss w 1.0)))))))
(lambda (w) (train {0} w))
"""
TURNS, GRADIENTS = (100, 1_000, 20_000), 10_000


def read(text: str, count: int) -> Any:
    return checkpoint.read(text.format(count))


def reverse_seconds(f: Any, engine: str) -> float:
    """Return how long a gradient takes, once what it needs is compiled."""
    checkpoint.vjp(f, 0.3, 1.0, engine=engine)
    return median(common.seconds(lambda: checkpoint.vjp(f, 0.3, 1.0, engine=engine)) for _ in range(3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engine", default=engines.get().name, choices=list(engines.available()))
    engine = parser.parse_args().engine
    os.environ.setdefault("CHECKPOINT_JIT", "wait")
    for turns in TURNS:
        plain = reverse_seconds(read(LOOP + PLAIN, turns), engine)
        nested = reverse_seconds(read(LOOP + NESTED, turns), engine)
        print(
            f"{turns:6} turns, reverse over reverse / reverse: {nested / plain:5.1f} ({1e3 * nested:.2f} ms)"
        )
    f = read(TRAINING, GRADIENTS)
    run = common.seconds(lambda: checkpoint.primops(f, 1.0, engine=engine))
    print(f"{GRADIENTS} gradients in a training loop: {run:.3f} s, {1e6 * run / GRADIENTS:.2f} us each")
    back = reverse_seconds(f, engine)
    print(f"the same differentiated in reverse: {back:.3f} s, {1e6 * back / GRADIENTS:.2f} us each")


if __name__ == "__main__":
    main()
