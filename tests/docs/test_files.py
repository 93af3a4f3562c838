"""The list of all files, and the maps of rooms: every file says what it does, every room is on its map."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from docs.files import HOUSES, ROOT, headline, listing

MAPS = {  # of the folder in which the rooms are
    "checkpoint": "CONTRIBUTING.md",
    "checkpoint/lang/python": "docs/design/front-end.md",
    "ctemplates": "docs/design/engine-c.md",
    "checkpoint/ctarget/translate": "docs/design/engine-c.md",
    "experiments": "experiments/README.md",
    "tests": "tests/README.md",
}


@pytest.mark.parametrize("house", HOUSES)
def test_every_file_is_listed_with_what_it_does(house: str) -> None:
    lines = listing(house).splitlines()
    listed = [line.partition(": ") for line in lines if line.startswith("- ")]
    files = [
        path
        for path in (ROOT / house).rglob("*")
        if path.suffix in {".py", ".h"} and path.name != "__init__.py"
    ]
    assert len(listed) >= len(files)
    assert all(text.strip() for _, _, text in listed)


def test_every_package_says_what_it_is_for() -> None:
    silent = [path for house in HOUSES for path in (ROOT / house).rglob("__init__.py") if not headline(path)]
    assert silent == []


def test_the_list_of_a_folder_is_that_of_the_folder() -> None:
    command = [sys.executable, "-m", "docs.files", "checkpoint/driver/spill"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert shown.startswith("## checkpoint/driver/spill/\n\nStates of a sweep on a disk")
    assert f"- `shelf.py`: {headline(ROOT / 'checkpoint/driver/spill/shelf.py')}" in shown.splitlines()
    assert "`level.py`" in shown
    assert "budget.py" not in shown


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(SystemExit, match="no sources in chekpoint: name a folder of checkpoint, ctemplates"):
        listing("chekpoint")


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


@pytest.mark.parametrize("top", MAPS)
def test_every_room_is_on_its_map(top: str) -> None:
    rooms = [path.name for path in (ROOT / top).iterdir() if path.is_dir() and path.name[0] not in "._"]
    shown = text_of(MAPS[top])
    assert [room for room in sorted(rooms) if not re.search(rf"[`/(; ]{room}/", shown)] == []


def test_the_files_to_start_with_are_there() -> None:
    shown = text_of("CONTRIBUTING.md")
    rows = re.findall(r"^\|.*`((?:checkpoint|tensorlib)/[a-z/]*)`.*\| (`[^|]*`) \|$", shown, re.MULTILINE)
    assert len(rows) > 10
    for folder, starts in rows:
        for name in re.findall(r"`([^`]+)`", starts):
            assert (ROOT / folder / name).exists() or list((ROOT / "ctemplates").rglob(name)), (
                f"{folder}{name}"
            )
