"""Checks units where the configuration asks for it (check_units.py); elsewhere the checker is not loaded."""

from __future__ import annotations

from checkpoint import config
from checkpoint.ctarget.translate.units.graph import Unit


def check_if_asked(unit: Unit) -> None:
    """Raise InternalError if a unit is wrong, under CHECKPOINT_CHECK=1."""
    if config.current().check:
        from checkpoint.ctarget.translate.units.check_units import check_unit  # noqa: PLC0415

        check_unit(unit)
