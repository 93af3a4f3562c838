"""Draw the pictures of the README: the gradient of the demonstration, within a budget and by bisection.

In: checkpoint.cli.demo_simulation. Out: pictures/NAME.png, and on standard output what each sweep did. Needs
matplotlib (the extra `pictures`).

Reproduce:

    python -m experiments.pictures.draw
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

import checkpoint
from checkpoint import config, engines
from checkpoint.cli.demo import POINT
from checkpoint.cli.demo_simulation import heat
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection, Schedule
from checkpoint.watch.profile import Profile

HERE = Path(__file__).parent
OVER = "what its time is counted in (steps, which are the same each time)"
COLOURS = 256  # of a palette: the picture has fewer, but for the edges of its lines


@dataclass(frozen=True)
class Subject:
    """A picture: its schedule, and the beginning of its title."""

    schedule: Schedule
    title: str


SUBJECTS = {
    "budget": Subject(Budget("1MiB"), "within 1 MiB"),
    "bisection": Subject(Bisection(), "by bisection"),
}


def gradient(schedule: Schedule, engine: str) -> Profile:
    """Return the profile of the demonstration's gradient, taken after a first one as warm-up."""
    with config.override(convert=("checkpoint",)):
        checkpoint.vjp(heat, POINT, engine=engine, schedule=schedule)
        with checkpoint.profile() as p:
            checkpoint.vjp(heat, POINT, engine=engine, schedule=schedule)
    return p


def draw(subject: Subject, path: Path, options: Any) -> None:
    """Draw one picture, with few enough colours for a small file."""
    p = gradient(subject.schedule, options.engine)
    times = p.total.executed / p.total.run
    title = (
        f"The demo's gradient {subject.title}: {p.total.run:,} steps, each run {times:.2f} times on average"
    )
    p.plot(path, over=options.over, title=title)
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    print(f"{p}\n\npicture: {path}, {path.stat().st_size / 1000:.0f} kB\n")


def main() -> None:
    options = argparse.ArgumentParser(description="draw the pictures of the README")
    options.add_argument("--engine", default=engines.get().name, choices=list(engines.available()))
    options.add_argument("--over", default="steps", choices=["seconds", "steps"], help=OVER)
    options.add_argument("--only", choices=list(SUBJECTS), help="one picture of them")
    options.add_argument("--folder", type=Path, default=HERE, help="where to (beside this file)")
    chosen = options.parse_args()
    for name, subject in SUBJECTS.items():
        if chosen.only in {None, name}:
            draw(subject, chosen.folder / f"{name}.png", chosen)


if __name__ == "__main__":
    main()
