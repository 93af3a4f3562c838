"""Imports among the rooms of checkpoint/ctarget/translate go one way."""

from __future__ import annotations

from pathlib import Path

import pytest

import checkpoint.ctarget.translate
from tests.test_house import imports

FOLDER = Path(checkpoint.ctarget.translate.__file__).parent
PACKAGE = "checkpoint.ctarget.translate"
# The rooms that each room may import, besides itself. Files of no room may import all.
ROOMS = {
    "ops": set[str](),
    "units": {"ops"},
    "nested": {"ops"},
    "specialise": {"ops", "units", "nested"},
    "strips": {"ops", "units"},
    "emit": {"ops", "units", "strips"},
    "compile": {"ops", "units", "boundary"},
}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way(room: str) -> None:
    for path in (FOLDER / room).glob("*.py"):
        for target in imports(f"{PACKAGE}.{room}.{path.stem}".removesuffix(".__init__")):
            if target.startswith(f"{PACKAGE}."):
                other = target.removeprefix(f"{PACKAGE}.").partition(".")[0]
                assert other == room or other in ROOMS[room], f"{path.name} imports {target}"


def test_every_room_has_its_place() -> None:
    found = {path.parent.name for path in FOLDER.glob("*/*.py")}
    assert found == set(ROOMS)
