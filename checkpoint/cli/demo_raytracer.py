"""`checkpoint demo raytracer`: gradient descent through a ray tracer, on the position of its light.

In: an engine, a size, and the file of the picture. Out: the loss and the light on standard output, and a
picture of the image that is sought, the first, the last, and the losses. Images need NumPy; the picture needs
matplotlib, and without it the rest is done all the same.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from checkpoint import config
from checkpoint.cli import demo_tracer
from checkpoint.cli.errors import OK, UsageError
from checkpoint.cli.trace import check_picture
from checkpoint.driver.engine import Engine
from checkpoint.watch import pictures

if TYPE_CHECKING:
    from checkpoint.cli.demo_inverse import Step

NAME = "raytracer"
SIZE = (40, 30)  # pixels
SHOWN = 10  # every so many steps a line
GAMMA = 1 / 2.2  # of screens
PICTURE = Path("raytracer.png")
WITHOUT_NUMPY = "the images need NumPy, which is not installed: pip install 'checkpoint-ad[arrays]'"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the argument of `demo` that names one, and the options of `demo raytracer`."""
    command.add_argument(
        "demo",
        metavar="NAME",
        nargs="?",
        choices=("simulation", NAME),
        default="simulation",
        help="simulation: three ways of reverse mode side by side, also if left out; "
        f"{NAME}: an image with a light that is found",
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help=f"of {NAME}: the picture ({PICTURE})"
    )
    command.add_argument(
        "--size", metavar="SIZE", type=_size, help=f"of {NAME}: pixels ({SIZE[0]}x{SIZE[1]})"
    )


def _size(text: str) -> tuple[int, int]:
    parts = text.split("x")
    if len(parts) != 2 or not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"expected a width and a height, as 160x120, got {text!r}")
    return int(parts[0]), int(parts[1])


def run(engine: Engine, output: Path | None, size: tuple[int, int]) -> int:
    """Find the light, print how, and draw it; the exit status."""
    if importlib.util.find_spec("numpy") is None:
        raise UsageError(WITHOUT_NUMPY)
    can_draw = output is not None or importlib.util.find_spec("matplotlib") is not None
    path = output or PICTURE
    if can_draw:
        check_picture(path)
    print(inspect.getsource(demo_tracer.shoot_ray))
    with config.override(convert=("checkpoint",)):
        steps, images = _descent(engine, size)
    if can_draw:
        draw(images, [step.loss for step in steps], path)
        print(f"\npicture: {path}")
    else:
        print(f"\nno picture: {pictures.WITHOUT_MATPLOTLIB}")
    return OK


def _descent(engine: Engine, size: tuple[int, int]) -> tuple[list[Step], dict[str, Any]]:
    """Return the steps, and the images that are sought, first and last."""
    from checkpoint.cli import demo_inverse as inverse  # noqa: PLC0415 (it needs NumPy)

    width, height = size
    places = inverse.pixels(width, height)
    sought = inverse.image_at(inverse.SOUGHT, places, engine.name)
    print(f"{width}x{height} pixels, engine {engine.name}; the light sought is at {_place(inverse.SOUGHT)}\n")
    print("step      loss  light")
    steps: list[Step] = []
    for step in inverse.descent(sought, places, engine.name):
        if len(steps) % SHOWN == 0:
            _show(len(steps), step)
        steps.append(step)
    if (len(steps) - 1) % SHOWN:
        _show(len(steps) - 1, steps[-1])
    first, last = (inverse.image_at(steps[i].light, places, engine.name) for i in (0, -1))
    shape = (height, width)
    images = {"sought": sought, f"step {0}": first, f"step {len(steps) - 1}": last}
    return steps, {name: [part.reshape(shape) for part in image] for name, image in images.items()}


def _show(number: int, step: Step) -> None:
    print(f"{number:4d}  {step.loss:8.5f}  {_place(step.light)}", flush=True)


def _place(light: tuple[float, float, float]) -> str:
    return f"({light[0]:.1f}, {light[1]:.1f}, {light[2]:.1f})"


def draw(images: dict[str, Any], losses: list[float], path: Path) -> None:
    """Draw images, each red, green and blue, beside the curve of the losses."""
    np: Any = importlib.import_module("numpy")
    figure_class: Any = importlib.import_module("matplotlib.figure").Figure
    figure = figure_class(figsize=(3.2 * (len(images) + 1), 2.6), layout="constrained")
    panels = figure.subplots(1, len(images) + 1)
    for axes, (name, image) in zip(panels, images.items(), strict=False):
        axes.imshow(np.clip(np.stack(image, -1), 0.0, 1.0) ** GAMMA)
        axes.set_title(name)
        axes.set_axis_off()
    panels[-1].plot(losses)
    panels[-1].set(yscale="log", xlabel="step", title="loss")
    figure.savefig(path, dpi=110)
