"""Run programs of the gallery and draw their pictures beside them: `python -m docs.gallery [NAME ...]`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import ModuleType

from docs.gallery import aim, deep, flyby, render, rod, schedule

PROGRAMS: dict[str, ModuleType] = {
    "aim": aim,
    "flyby": flyby,
    "rod": rod,
    "render": render,
    "deep": deep,
    "schedule": schedule,
}


def main(names: list[str]) -> None:
    """Run some programs, all unless named."""
    for name in names or PROGRAMS:
        program = PROGRAMS[name]
        start = time.perf_counter()
        found = program.solve()
        print(f"{name}: {time.perf_counter() - start:.1f} s")
        program.draw(found, Path(__file__).with_name(f"{name}.png"))


if __name__ == "__main__":
    main(sys.argv[1:])
