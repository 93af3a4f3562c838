"""Listings equal the stored ones (tests/cps/goldens.py makes them again), and are always the same."""

from __future__ import annotations

import pytest

from checkpoint.config import SHOWN
from tests.cps.goldens import FOLDER, PROGRAMS, kept, made


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("language", SHOWN)
def test_listings_are_those_kept(program: str, language: str) -> None:
    assert made(program, language) == kept(program, language).read_text()


@pytest.mark.parametrize("language", SHOWN)
def test_listings_do_not_depend_on_the_run(language: str) -> None:
    assert made(PROGRAMS[0], language) == made(PROGRAMS[0], language)


def test_every_kept_listing_belongs_to_a_program() -> None:
    files = {path.name for path in FOLDER.glob("*.txt")}
    assert files == {kept(program, language).name for program in PROGRAMS for language in SHOWN}
