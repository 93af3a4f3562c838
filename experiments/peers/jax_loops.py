"""Loops of JAX's: `lax.scan`, equinox's checkpointed loop, diffrax's solver with its recursive checkpoints.

A loop of JAX's whose length only the run knows (`lax.while_loop`) has no reverse mode; equinox's has, where
a bound for its length is given. XLA makes abs(y) of sqrt(y * y), so the inner loop of `nested` has sqrt(y *
y + 1e-300).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import diffrax
import equinox.internal
import jax
import jax.numpy as jnp
from jax import lax

from experiments.peers.subjects import ARGUMENTS, Cannot, Peer, Run
from experiments.speed.peers import euler_step

jax.config.update("jax_enable_x64", True)

Loss = Callable[[tuple[Any, ...]], Any]


def scanned(program: str, n: int) -> Loss:
    """Return the loss by one scan, which keeps what it needs of each turn."""
    _only_lorenz(program, "a loop whose length the run decides has no reverse mode")
    return lambda u: _euler(u[:3], u[3:], n, 5 / n)[0]


def two_levels(program: str, n: int) -> Loss:
    """Return the loss by a scan of scans, the inner ones under `jax.checkpoint`."""
    _only_lorenz(program, "a loop whose length the run decides has no reverse mode")
    inner, h = math.isqrt(n), 5 / n

    def loss(u: tuple[Any, ...]) -> Any:
        stretch = jax.checkpoint(lambda state: _euler(state, u[3:], inner, h))
        state = lax.scan(lambda state, _: (stretch(state), None), u[:3], length=n // inner)[0]
        return _euler(state, u[3:], n % inner, h)[0]

    return loss


def checkpointed_while(program: str, n: int) -> Loss:
    """Return the loss by equinox's loops, with as many checkpoints as they choose."""
    if program == "lorenz":

        def step(carry: Any, flow: Any) -> Any:
            return carry[0] + 1, euler_step(carry[1], flow, 5 / n)

        return lambda u: _while(lambda c: c[0] < n, lambda c: step(c, u[3:]), (0, u[:3]), n)[1][0]

    def outer(carry: Any) -> Any:
        i, power, y = carry
        power = 3 * power % n
        count = n >> (63 - lax.clz(1 + 1007 * power % n))
        y = _while(lambda c: c[0] < count, lambda c: (c[0] + 1, jnp.sqrt(c[1] * c[1] + 1e-300)), (0, y), n)[1]
        return i + 1, power, y

    return lambda u: _while(lambda c: c[0] < n, outer, (0, 1, u[0]), n)[2]


def solved(program: str, n: int) -> Loss:
    """Return the loss by diffrax, as its users write it: Euler's method with constant steps."""
    _only_lorenz(program, "not a differential equation")

    def flow(t: Any, state: Any, args: Any) -> Any:
        x, y, z = state
        sigma, rho, beta = args
        return sigma * (y - x), x * (rho - z) - y, x * y - beta * z

    def loss(u: tuple[Any, ...]) -> Any:
        found = diffrax.diffeqsolve(
            diffrax.ODETerm(flow),
            diffrax.Euler(),
            0.0,
            5.0,
            5 / n,
            u[:3],
            args=u[3:],
            saveat=diffrax.SaveAt(t1=True),
            stepsize_controller=diffrax.ConstantStepSize(),
            adjoint=diffrax.RecursiveCheckpointAdjoint(),
            max_steps=n + 16,
        )
        return found.ys[0][0]

    return loss


def _only_lorenz(program: str, why: str) -> None:
    if program != "lorenz":
        raise Cannot(why)


def _euler(state: Any, flow: Any, count: int, h: float) -> Any:
    return lax.scan(lambda s, _: (euler_step(s, flow, h), None), state, length=count)[0]


def _while(goes_on: Callable[[Any], Any], body: Callable[[Any], Any], start: Any, most: int) -> Any:
    start = jax.tree.map(jnp.asarray, start)
    return equinox.internal.while_loop(goes_on, body, start, max_steps=most, kind="checkpointed")


def _compiled(loss_of: Callable[[str, int], Loss]) -> Peer:
    def peer(program: str, n: int) -> Run:
        argument = tuple([jnp.float64(number) for number in ARGUMENTS[program]])
        compiled = jax.jit(jax.value_and_grad(loss_of(program, n))).lower(argument).compile()

        def run() -> tuple[float, list[float]]:
            value, gradient = jax.block_until_ready(compiled(argument))
            return float(value), [float(number) for number in gradient]

        return run

    return peer


PEERS = {
    "JAX, scan": _compiled(scanned),
    "JAX, two levels of jax.checkpoint": _compiled(two_levels),
    "equinox, checkpointed while_loop": _compiled(checkpointed_while),
    "diffrax, RecursiveCheckpointAdjoint": _compiled(solved),
}
