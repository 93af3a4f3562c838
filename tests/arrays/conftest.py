from __future__ import annotations

import pytest

from checkpoint import engines


@pytest.fixture(params=[name for name, why_not in engines.available().items() if why_not is None])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)
