"""Inverse rendering by gradient descent: the place of the light, then the colours and radii of the spheres.

    python -m experiments.raytracer.descend          # 20x15 pixels, 20 steps each: under a minute
    python -m experiments.raytracer.descend --full   # 160x120 pixels, 111 steps; the results are kept
    python -m experiments.raytracer.descend --size 80x60 --steps 40 --loop

Out: the losses; with --full experiments/results/raytracer-descent-c.json and the pictures beside this file.
--loop: the gradient of a loop over pixels in the place of vmap's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import checkpoint
from checkpoint import config
from checkpoint.cli import demo_inverse as inverse
from checkpoint.cli.demo_raytracer import draw
from checkpoint.cli.demo_tracer import Scene
from experiments import common
from experiments.raytracer import methods
from experiments.raytracer.run import size_of

HERE = Path(__file__).parent
GREY = (0.5, 0.5, 0.5)
SMALL, SMALL_STEPS = (20, 15), 20
FULL, FULL_STEPS = (160, 120), 111


@dataclass(frozen=True)
class Problem:
    """A descent. place: the scene with parameters. begin, sought: these; rates: one for each part of them."""

    name: str
    place: Callable[[Any], Scene]
    begin: Any
    sought: Any
    rates: Any


def with_light(light: Any) -> Scene:
    """Return the scene with the light at a place."""
    return inverse.SCENE._replace(light=light)


def with_spheres(parameters: Any) -> Scene:
    """Return the scene with other colours and radii of its spheres."""
    parts = zip(inverse.SPHERES, *parameters, strict=True)
    spheres = tuple([sphere._replace(color=color, radius=radius) for sphere, color, radius in parts])
    return inverse.SCENE._replace(spheres=spheres)


PROBLEMS = (
    Problem("light", with_light, inverse.BEGIN, inverse.SOUGHT, 1e4),
    Problem(
        "colours and radii",
        with_spheres,
        ((GREY,) * 3, (8.0, 7.0, 7.0)),
        (tuple(each.color for each in inverse.SPHERES), tuple(each.radius for each in inverse.SPHERES)),
        (5.0, 200.0),
    ),
)


def loss_of(problem: Problem, in_a_loop: bool) -> Callable[..., Any]:
    """Return the loss as a function of parameters, places and the image that is sought."""
    place = problem.place

    def by_vmap(parameters: Any, places: Any, sought: Any) -> Any:
        return inverse.difference(inverse.render(place(parameters), places), sought)

    def by_loop(parameters: Any, places: Any, sought: Any) -> Any:
        return methods.in_a_loop(place(parameters), places, sought)

    return by_loop if in_a_loop else by_vmap


def descended(problem: Problem, size: tuple[int, int], steps: int, in_a_loop: bool, memory: str) -> Any:
    """Return the parameters after each step, the losses before them, and the seconds of CPU time."""
    places, sought = methods.data(size, in_a_loop)
    gradient = checkpoint.value_and_grad(loss_of(problem, in_a_loop), engine="c", memory=memory)
    found, losses, began = [problem.begin], [], time.process_time()
    for _ in range(steps):
        with config.override(convert=("checkpoint",)):
            value, slope = gradient(found[-1], places, sought)
        losses.append(float(value))
        found.append(_moved(found[-1], slope, problem.rates))
        if len(losses) % 10 == 1:
            print(f"  {problem.name}, step {len(losses) - 1}: {losses[-1]:.6f}", flush=True)
    return found, losses, time.process_time() - began


def _moved(x: Any, slope: Any, rate: Any) -> Any:
    """Return parameters after a step against the slope."""
    if not isinstance(x, tuple):
        return x - rate * slope
    rates = rate if isinstance(rate, tuple) else (rate,) * len(x)
    return tuple([_moved(*each) for each in zip(x, slope, rates, strict=True)])


def rounded(x: Any) -> Any:
    """Return parameters with three digits, for tables."""
    return [rounded(each) for each in x] if isinstance(x, tuple) else round(x, 3)


def main() -> None:
    """Run the descents as the command line says."""
    options = common.parser("inverse rendering by gradient descent")
    options.add_argument(
        "--full", action="store_true", help="160x120 pixels, 111 steps; the results are kept"
    )
    options.add_argument("--size", type=size_of, help="pixels")
    options.add_argument("--steps", type=int, help="of each descent")
    options.add_argument("--memory", default="1GiB", help="that memory= allows (1GiB)")
    options.add_argument("--loop", action="store_true", help="a loop over pixels in the place of vmap")
    chosen = options.parse_args()
    size = chosen.size or (FULL if chosen.full else SMALL)
    steps = chosen.steps or (FULL_STEPS if chosen.full else SMALL_STEPS)
    rows = []
    for problem in PROBLEMS:
        found, losses, seconds = descended(problem, size, steps, chosen.loop, chosen.memory)
        print(f"{problem.name}: {losses[0]:.5f} to {losses[-1]:.5f} in {steps} steps, {seconds:.1f} s")
        print(f"  {rounded(found[-1])}; sought: {rounded(problem.sought)}")
        rows.append(
            {"problem": problem.name, "steps": steps, "loop": chosen.loop, "seconds": seconds}
            | {"last": rounded(found[-1]), "sought": rounded(problem.sought), "losses": losses}
        )
        if chosen.full:
            drawn(problem, found[-1], size, losses)
    if chosen.full:
        common.save("raytracer-descent", "c", size=f"{size[0]}x{size[1]}", rows=rows)


def drawn(problem: Problem, last: Any, size: tuple[int, int], losses: list[float]) -> None:
    """Draw the images that are sought, first and last, and the losses, into a picture beside this file."""
    shown = {"sought": problem.sought, "step 0": problem.begin, f"step {len(losses)}": last}
    images = {
        name: methods.image(*size, problem.place(each)).reshape(3, size[1], size[0])
        for name, each in shown.items()
    }
    draw(images, losses, HERE / f"{problem.name.replace(' ', '-')}.png")


if __name__ == "__main__":
    main()
