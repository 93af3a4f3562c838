"""Counts how often a run is made on duals, reversed, and so on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from checkpoint.functions.run import Run


def calls_counted(monkeypatch: pytest.MonkeyPatch, methods: Mapping[str, str]) -> dict[str, int]:
    """Return the numbers of calls of methods of Run, from now on. methods: by which name each counts."""
    counts = dict.fromkeys(methods.values(), 0)
    for method, name in methods.items():
        original = getattr(Run, method)

        def counted(*args: Any, name: str = name, original: Any = original) -> Any:
            counts[name] += 1
            return original(*args)

        monkeypatch.setattr(Run, method, counted)
    return counts
