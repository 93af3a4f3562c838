"""Time JAX on the gradients of this experiment's programs, beside C by hand: ns an iteration.

What is measured, in CPU time on one core, for Euler's method (lorenz) and that of Runge and Kutta (rk4):
- plain:     value and gradient of a `lax.scan`, which stores what it needs of every iteration;
- two-level: of a scan of scans, the inner ones under `jax.checkpoint`, about as long as there are many.
Each with XLA as it comes and with a flag that changes how it compiles small loops, in processes of their own,
compiled before. JAX rounds otherwise: it is right to 1e-6.

Reproduce, where jax is installed (the extra `peers`):

    python -m experiments.speed.peers
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from experiments import common
from experiments.speed.by_hand import ByHand, nanoseconds
from experiments.speed.run import pin
from experiments.speed.subjects import POINT, rate

FLAG = "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=1000000"
PROGRAMS, VARIANTS = ("lorenz", "rk4"), ("plain", "two-level")
RELATIVE = 1e-6

State = tuple[Any, Any, Any]


def euler_step(state: State, flow: State, h: float) -> State:
    return _moved(state, h, rate(*state, *flow))


def rk4_step(state: State, flow: State, h: float) -> State:
    a = rate(*state, *flow)
    b = rate(*_moved(state, h / 2, a), *flow)
    c = rate(*_moved(state, h / 2, b), *flow)
    d = rate(*_moved(state, h, c), *flow)
    total = [p + 2 * q + 2 * r + s for p, q, r, s in zip(a, b, c, d, strict=True)]
    return _moved(state, h / 6, (total[0], total[1], total[2]))


def _moved(state: State, h: float, by: State) -> State:
    return state[0] + h * by[0], state[1] + h * by[1], state[2] + h * by[2]


def value_and_gradient(program: str, variant: str, n: int) -> Callable[[], tuple[float, list[float]]]:
    """Return the compiled value and gradient for the experiment's argument."""
    import jax  # noqa: PLC0415  (only the process that measures needs it)

    jax.config.update("jax_enable_x64", True)
    step, h = {"lorenz": euler_step, "rk4": rk4_step}[program], 5 / n

    def several(state: State, flow: State, count: int) -> State:
        end: State = jax.lax.scan(lambda s, _: (step(s, flow, h), None), state, length=count)[0]
        return end

    def final(u: tuple[Any, ...]) -> Any:
        state, flow = (u[0], u[1], u[2]), (u[3], u[4], u[5])
        if variant == "plain":
            return several(state, flow, n)[0]
        inner = round(n**0.5)
        stretch = jax.checkpoint(lambda s: several(s, flow, inner))
        state = jax.lax.scan(lambda s, _: (stretch(s), None), state, length=n // inner)[0]
        return several(state, flow, n % inner)[0]

    argument = tuple([jax.numpy.float64(number) for number in POINT])
    compiled = jax.jit(jax.value_and_grad(final)).lower(argument).compile()

    def run() -> tuple[float, list[float]]:
        value, gradient = jax.block_until_ready(compiled(argument))
        return float(value), [float(number) for number in gradient]

    return run


def alone(program: str, variant: str, n: int, repeats: int) -> dict[str, Any]:
    """Return one row, measured in this process."""
    run = value_and_gradient(program, variant, n)
    hand = ByHand()
    in_c = hand.lorenz_checkpoints if program == "lorenz" else hand.rk4_checkpoints
    found, expected = run(), in_c(n, POINT)
    right = all(
        abs(a - b) <= RELATIVE * max(abs(b), 1.0)
        for a, b in zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True)
    )
    ns, c = nanoseconds(run, n, repeats), nanoseconds(lambda: in_c(n, POINT), n, repeats)
    return {"program": program, "variant": variant, "n": n, "ns": ns, "C": c, "x C": ns / c, "right": right}


def in_new_process(program: str, variant: str, flagged: bool, n: int, repeats: int) -> dict[str, Any]:
    """Return one row, measured in a new process; flagged: with the flag of XLA."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": FLAG if flagged else ""}
    command = [sys.executable, "-m", "experiments.speed.peers", "--alone", program, variant]
    command += ["--steps", str(n), "--repeats", str(repeats)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=common.HERE.parent
    )
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**row, "flagged": flagged}


def main() -> None:
    parser = argparse.ArgumentParser(description="what JAX takes for the same gradients")
    parser.add_argument("--repeats", type=int, default=5, help="runs of which the median is taken (5)")
    parser.add_argument("--steps", type=int, default=1_000_000, help="iterations (1,000,000)")
    parser.add_argument("--alone", nargs=2, help="a program and a variant, in this process; prints JSON")
    options = parser.parse_args()
    pin()
    if options.alone:
        program, variant = options.alone
        print(json.dumps(alone(program, variant, options.steps, options.repeats)))
        return
    rows = [
        in_new_process(program, variant, flagged, options.steps, options.repeats)
        for program in PROGRAMS
        for variant in VARIANTS
        for flagged in (False, True)
    ]
    cells = [
        (
            f"{row['program']} {row['variant']}{', flag' if row['flagged'] else ''}",
            *(f"{row[name]:.1f}" for name in ("ns", "C", "x C")),
            "yes" if row["right"] else "NO",
        )
        for row in rows
    ]
    print(common.table(("ns/iteration", "JAX", "C", "x C", "right"), cells))
    common.save("speed-peers", "jax", repeats=options.repeats, rows=rows)


if __name__ == "__main__":
    main()
