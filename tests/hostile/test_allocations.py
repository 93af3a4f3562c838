"""Memory that ends in the middle of a run of the C engine: a sample; `make test-hostile` does all of it."""

from __future__ import annotations

import pytest

from checkpoint import engines
from tests.support.corpus import ENTRIES, Entry

SAMPLE = ("capsules", "handlers", "lists", "nested-mixed", "sharing")


@pytest.mark.skipif("c" not in engines.usable(), reason=f"engine c: {engines.available()['c']}")
@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.name in SAMPLE], ids=lambda e: e.name)
def test_an_allocation_that_fails(entry: Entry) -> None:
    from tests.hostile.allocations import check  # noqa: PLC0415  (it imports the engine)

    assert check(entry, most=20)
