from __future__ import annotations

import pytest


@pytest.fixture(params=["interp", "hybrid"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)
