"""Signatures of the package's dataclasses in the reference: griffe knows only the standard decorator.

In: classes as griffe reads them. Out: those with the decorator of checkpoint/dataclass.py have the standard
one, which takes the same options, so that their fields are the parameters that a reader sees.
"""

from __future__ import annotations

from typing import Any

import griffe

OWN, STANDARD = "checkpoint.dataclass.dataclass", "dataclasses.dataclass"


class OwnDataclasses(griffe.Extension):
    """Gives classes with the package's decorator the standard library's."""

    def on_class_instance(self, *, cls: griffe.Class, **_: Any) -> None:
        """Replace the decorator of one class, before griffe looks for its fields."""
        for decorator in cls.decorators:
            called = decorator.value
            name = called.function if isinstance(called, griffe.ExprCall) else called
            if isinstance(name, griffe.ExprName) and name.canonical_path == OWN:
                name.name, name.parent = STANDARD, None
