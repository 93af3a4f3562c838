"""The table of docs/guide/standard-library.md is that of the code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.docs.standard_library import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "standard-library.md"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the page shows the names of Python 3.11")
def test_the_table_is_that_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text[text.index("| module | supported |") :] == table()
