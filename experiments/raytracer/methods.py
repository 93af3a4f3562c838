"""The gradient of the image's difference by the light's place, by each method, on the same scene.

In: the name of a method, and a size in pixels. Out: a function of a light that returns the loss and its
gradient. Run as a process (experiments.processes), it measures one method at one size, by itself. All in one
thread, in numbers of 64 bits; times are CPU seconds.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint import config
from checkpoint.cli import demo_inverse as inverse
from checkpoint.cli.demo_tracer import Scene, Vector, shoot_ray
from experiments import common, processes

MIB = 1 << 20
VMAP, LOOP, TORCH, JAX = "checkpoint, vmap", "checkpoint, a loop", "PyTorch, where", "JAX, where"
METHODS = (VMAP, LOOP, TORCH, JAX)
SMALL = (8, 6)  # a first gradient, in which libraries are loaded and what runs long is translated

Gradient = Callable[[Vector], tuple[float, tuple[float, ...]]]


def image(width: int, height: int, scene: Scene) -> Any:
    """Return the image of a scene, by Python itself: an array of three rows."""
    places = inverse.pixels(width, height)
    found = [shoot_ray(x, y, scene) for x, y in zip(places.xs.tolist(), places.ys.tolist(), strict=True)]
    return np.array(found).T.copy()


def method(name: str, width: int, height: int, memory: int) -> Gradient:
    """Return the gradient by a method, with `memory` bytes for those that take a bound."""
    if name in (VMAP, LOOP):
        return _ours(name == LOOP, (width, height), memory)
    places, sought = inverse.pixels(width, height), image(width, height, inverse.SCENE)
    if name == TORCH:
        return _of_torch(places, sought)
    return _of_jax(places, sought)


def data(size: tuple[int, int], in_a_loop: bool) -> tuple[inverse.Pixels, Any]:
    """Return the places of pixels and the image that is sought: arrays, or lists for a loop."""
    places, sought = inverse.pixels(*size), image(*size, inverse.SCENE)
    if in_a_loop:
        return inverse.Pixels(places.xs.tolist(), places.ys.tolist()), sought.T.tolist()
    return places, tuple(sought)


def _ours(by_loop: bool, size: tuple[int, int], memory: int) -> Gradient:
    import checkpoint  # noqa: PLC0415 (peers are measured without engines)

    places, sought = data(size, by_loop)
    loss: Any = loop_loss if by_loop else inverse.loss
    gradient = checkpoint.value_and_grad(loss, engine="c", memory=memory)

    def run(light: Vector) -> tuple[float, tuple[float, ...]]:
        with config.override(convert=("checkpoint",)):
            value, slope = gradient(light, inverse.SCENE, places, sought)
        return float(value), slope

    return run


def unit_runs() -> int:
    """Return how many runs of translated code there were in this process, each of which was left once."""
    from checkpoint.ctarget.library import runtime  # noqa: PLC0415 (as above)

    return int(runtime().lib.ck_unit_runs())


def loop_loss(light: Vector, scene: Scene, places: inverse.Pixels, sought: list[list[float]]) -> float:
    """Return the loss with the light at a place, by a loop."""
    return in_a_loop(scene._replace(light=light), places, sought)


def in_a_loop(scene: Scene, places: inverse.Pixels, sought: list[list[float]]) -> float:
    """Return the difference of images as a program without arrays has it: a loop over pixels, in lists."""
    total = 0.0
    for i, color in enumerate(sought):
        own = shoot_ray(places.xs[i], places.ys[i], scene)
        total += (own[0] - color[0]) ** 2 + (own[1] - color[1]) ** 2 + (own[2] - color[2]) ** 2
    return total / len(sought)


def masked_loss(lib: Any, light: Any, xs: Any, ys: Any, sought: Any) -> Any:
    """Return the loss of the tracer of whole arrays."""
    from experiments.raytracer.masked import shoot_rays  # noqa: PLC0415

    colors = shoot_rays(lib, xs, ys, inverse.SCENE._replace(light=light))
    return sum(((own - other) ** 2).mean() for own, other in zip(colors, sought, strict=True))


def _of_torch(places: inverse.Pixels, sought: Any) -> Gradient:
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)
    xs, ys, target = torch.from_numpy(places.xs), torch.from_numpy(places.ys), torch.from_numpy(sought)

    def run(light: Vector) -> tuple[float, tuple[float, ...]]:
        leaf = torch.tensor(light, dtype=torch.float64, requires_grad=True)
        usual = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)  # `where` of two Python floats has the default dtype
        try:
            value = masked_loss(torch, tuple(leaf), xs, ys, target)
            value.backward()
        finally:
            torch.set_default_dtype(usual)
        return float(value.detach()), tuple(leaf.grad.tolist())

    return run


def _of_jax(places: inverse.Pixels, sought: Any) -> Gradient:
    import jax  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415

    jax.config.update("jax_enable_x64", True)
    arrays = jax.device_put((places.xs, places.ys, sought))
    gradient = jax.jit(jax.value_and_grad(lambda light, *arrays: masked_loss(jnp, light, *arrays)))
    compiled = gradient.lower(inverse.BEGIN, *arrays).compile()

    def run(light: Vector) -> tuple[float, tuple[float, ...]]:
        value, slope = jax.block_until_ready(compiled(light, *arrays))
        return float(value), tuple(map(float, slope))

    return run


def alone(name: str, width: int, height: int, memory: int, cap: int | None) -> dict[str, Any]:
    """Return the time, growth and result of one gradient in this process, after one of a small image."""
    method(name, *SMALL, memory)(inverse.BEGIN)
    gc.collect()
    if cap is not None:
        processes.limit(cap)
    run = method(name, width, height, memory)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else what was freed hides what is taken
    before, began = common.fresh_peak(), time.process_time()
    loss, slope = run(inverse.BEGIN)
    seconds = time.process_time() - began
    return {"loss": loss, "slope": slope, "seconds": seconds, "growth": common.peak() - before}


if __name__ == "__main__":
    print(json.dumps(alone(**json.loads(sys.argv[1]))))
