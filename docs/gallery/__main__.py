"""Run programs of the gallery and draw their pictures: `python -m docs.gallery [NAME ...]`.

Each runs in a process of its own. Out: what it reports, its CPU seconds, and by how much the peak of memory
has grown since its imports, the picture apart.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

from docs.gallery.programs import (
    aim,
    bounce,
    deep,
    flyby,
    formulas,
    hares,
    kmeans,
    orbit,
    rectifier,
    render,
    rod,
    sampler,
    schedule,
    wear,
)

MODULES = (
    aim,
    flyby,
    bounce,
    hares,
    orbit,
    rod,
    rectifier,
    render,
    deep,
    formulas,
    schedule,
    kmeans,
    wear,
    sampler,
)
PROGRAMS: dict[str, ModuleType] = {module.__name__.rpartition(".")[2]: module for module in MODULES}
PICTURES = Path(__file__).with_name("pictures")


def peak() -> float:
    """Return the highest resident memory of the process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(name: str) -> None:
    """Run one program."""
    program = PROGRAMS[name]
    before, start = peak(), time.process_time()
    found = program.solve()
    seconds, grown = time.process_time() - start, peak() - before
    print(f"== {name}: {seconds:.1f} s, {grown:.0f} MiB\n{program.report(found)}")
    program.draw(found, str(PICTURES / f"{name}.png"))


def main(names: list[str]) -> None:
    """Run some programs, all unless named."""
    if len(names) == 1:
        run(names[0])
        return
    for name in names or PROGRAMS:
        subprocess.run([sys.executable, "-m", "docs.gallery", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
