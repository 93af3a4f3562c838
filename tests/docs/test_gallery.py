"""The programs of the gallery run, at a small size, and their gradients lead where they should."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from docs.gallery import aim, deep, flyby, render, rod, schedule
from docs.gallery.__main__ import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
# Arguments of `solve` that keep it short.
SMALL: dict[ModuleType, dict[str, Any]] = {
    aim: {"tries": 3},
    flyby: {"turns": 4},
    rod: {"turns": 4, "steps": 100},
    render: {"size": 4, "turns": 4},
    deep: {"turns": 4, "layers": 12, "count": 10},
    schedule: {"descents": 3, "turns": 6},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_error_falls_and_is_drawn(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    found = program.solve(**SMALL[program])
    errors = [abs(error) for error in (found.misses if name in {"aim", "flyby"} else found.losses)]
    assert len(errors) > 1
    assert errors[-1] < errors[0]
    program.draw(found, tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").stat().st_size > 1000


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_page_shows_each(name: str) -> None:
    page = (ROOT / "docs" / "gallery" / "index.md").read_text()
    assert f"({name}.py)" in page
    assert f"({name}.png)" in page
    assert (ROOT / "docs" / "gallery" / f"{name}.png").exists()
