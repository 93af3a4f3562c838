"""The same estimates by JAX through diffrax: Heun's method of the same steps, on one core."""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Any

from experiments.ensemble import hares
from experiments.ensemble.newton import Found, Vector, minimum

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
jax: Any = import_module("jax")
diffrax: Any = import_module("diffrax")
jnp: Any = jax.numpy


class Peer:
    """The estimate of one series, and the seconds of the processor that it took."""

    def __init__(self, steps: int) -> None:
        jax.config.update("jax_enable_x64", True)
        years = len(hares.HARE)

        def slope(_: Any, y: Any, rates: Any) -> Any:
            a, b, c, d = rates
            return jnp.stack([a - b * jnp.exp(y[1]), d * jnp.exp(y[0]) - c])

        def loss(p: Any, data: Any, adjoint: Any) -> Any:
            solution = diffrax.diffeqsolve(
                diffrax.ODETerm(slope),
                diffrax.Heun(),
                t0=0.0,
                t1=float(years - 1),
                dt0=1.0 / steps,
                y0=p[4:],
                args=jnp.exp(p[:4]),
                saveat=diffrax.SaveAt(ts=jnp.arange(years, dtype=float)),
                stepsize_controller=diffrax.ConstantStepSize(),
                adjoint=adjoint,
                max_steps=(years - 1) * steps + 1,
            )
            errors = (solution.ys - data.T) / hares.NOISE
            prior = (p[:4] - jnp.array(hares.START[:4])) / hares.PRIOR
            return 0.5 * (jnp.sum(errors**2) + jnp.sum(prior**2))

        def product(p: Any, v: Any, data: Any) -> Any:
            def along(q: Any) -> Any:
                return jax.jvp(lambda r: loss(r, data, diffrax.ForwardMode()), (q,), (v,))[1]

            return jax.jacfwd(along)(p)  # of six parameters: forward over forward takes a third of the time

        reverse = diffrax.RecursiveCheckpointAdjoint()
        self._value_and_gradient = jax.jit(jax.value_and_grad(lambda p, data: loss(p, data, reverse)))
        self._product = jax.jit(product)

    def __call__(self, series: hares.Series) -> tuple[Found, float]:
        began = time.process_time()
        return self.of(series), time.process_time() - began

    def of(self, series: hares.Series) -> Found:
        data = jnp.array(series)

        def misfit(p: Vector) -> Any:
            value, gradient = self._value_and_gradient(jnp.array(p), data)
            return float(value), gradient.tolist()

        def hessian_times(p: Vector, v: Vector) -> Any:
            return self._product(jnp.array(p), jnp.array(v), data).tolist()

        return minimum(misfit, hessian_times, hares.START)
