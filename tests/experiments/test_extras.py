"""Packages that only some experiments need: the error says what installs them."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from experiments.extras import needed


def test_a_missing_package_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = r"this experiment needs matplotlib: pip install 'checkpoint-ad\[pictures\]'"
    with pytest.raises(ModuleNotFoundError, match=message), needed():
        import matplotlib as mpl  # noqa: F401, PLC0415


def test_other_errors_pass() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"), needed():
        import_module("no_such_module")
