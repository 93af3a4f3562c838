from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint import engines

CORPUS = Path(__file__).parent / "test_corpus.py"


@pytest.fixture(params=[name for name, why_not in engines.available().items() if why_not is None])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of one example of the corpus one after another: its translation is still kept then."""
    places = [i for i, item in enumerate(items) if item.path == CORPUS]
    order: dict[str, int] = {}
    by_example = [(order.setdefault(example_of(items[i]), len(order)), i) for i in places]
    for place, item in zip(places, [items[i] for _, i in sorted(by_example)], strict=True):
        items[place] = item


def example_of(item: pytest.Item) -> str:
    """Return what a test has in brackets, its example."""
    return item.name.partition("[")[2]
