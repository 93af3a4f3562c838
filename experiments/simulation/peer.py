"""The same equations by diffrax, which is imported where it is called: it is no dependency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from experiments.simulation.counts import HARES, LYNX


def is_there() -> bool:
    """Return whether diffrax and JAX can be imported; JAX then has numbers of 64 bits."""
    try:
        import diffrax  # noqa: F401, PLC0415
        import jax  # noqa: PLC0415
    except ImportError:
        return False
    jax.config.update("jax_enable_x64", True)
    return True


def solution(logs: Any, controller: Any, saved: Any, end: float, most: int, adjoint: Any) -> Any:
    """Return diffrax's solution for the logarithms of start and rates."""
    import diffrax as dx  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415

    x, y, a, b, c, d = jnp.exp(logs)

    def slope(t: Any, state: Any, _: Any) -> Any:
        return jnp.stack([state[0] * (a - b * state[1]), state[1] * (c * state[0] - d)])

    return dx.diffeqsolve(
        dx.ODETerm(slope),
        dx.Dopri5(),
        0.0,
        end,
        None,
        jnp.stack([x, y]),
        saveat=saved,
        stepsize_controller=controller,
        max_steps=most,
        adjoint=adjoint,
    )


def of_counts(logs: Any, controller: Any) -> Any:
    """Return the misfit of an orbit, as experiments.simulation.orbits.misfit has it."""
    import diffrax as dx  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415

    years = jnp.arange(len(HARES), dtype=jnp.float64)
    saved = dx.SaveAt(ts=years)
    found = solution(logs, controller, saved, years[-1], 4096, dx.RecursiveCheckpointAdjoint()).ys
    return jnp.sum(jnp.log(found / jnp.array([HARES, LYNX]).T) ** 2)


def by_steps(times: Sequence[float]) -> Any:
    """Return the controller that makes steps to the given times."""
    import diffrax as dx  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415

    return dx.StepTo(ts=jnp.array(times))


def by_tolerance(tolerance: float) -> Any:
    """Return diffrax's own control of steps, which also end at each year."""
    import diffrax as dx  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415

    years = jnp.arange(len(HARES), dtype=jnp.float64)
    return dx.ClipStepSizeController(dx.PIDController(rtol=tolerance, atol=tolerance), step_ts=years)


def gradient(f: Callable[..., Any], logs: Any) -> Callable[[], Any]:
    """Return what takes value and gradient at a point; it is compiled."""
    import jax  # noqa: PLC0415

    compiled = jax.jit(jax.value_and_grad(f)).lower(logs).compile()
    return lambda: jax.block_until_ready(compiled(logs))


def far(times: Sequence[float], checkpoints: int | None) -> Callable[[Any], Any]:
    """Return the logarithm of the hares at the last of the times, as a function of the logarithms."""
    import diffrax as dx  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415

    ts = jnp.array(times)

    def value(logs: Any) -> Any:
        adjoint = dx.RecursiveCheckpointAdjoint(checkpoints=checkpoints)
        found = solution(logs, dx.StepTo(ts=ts), dx.SaveAt(t1=True), ts[-1], len(times), adjoint)
        return jnp.log(found.ys[-1, 0])

    return value
