"""What the tests of schedules share."""

from __future__ import annotations

import pytest

from checkpoint.driver import online

CACHE = 2**19  # bytes


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have budgets believe in the same cache on all machines."""
    monkeypatch.setattr(online, "second_level", lambda: CACHE)
