"""Record the calls of a function of a module."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def first_arguments(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[Any]:
    """Return a list that receives the first argument of each call of a function from now on."""
    found: list[Any] = []
    function = getattr(module, name)

    def recorded(first: Any, *rest: Any) -> Any:
        found.append(first)
        return function(first, *rest)

    monkeypatch.setattr(module, name, recorded)
    return found
