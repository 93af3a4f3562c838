"""The reference: each public object is found, and its docstring describes parameters that it has."""

from __future__ import annotations

import logging
import re
from functools import cache

import griffe
import pytest

from docs.files import ROOT

SHOWN = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), re.MULTILINE)


@cache
def package() -> griffe.Module:
    """Return the package as the site's reference reads it."""
    extensions = griffe.load_extensions(str(ROOT / "docs" / "signatures.py"))
    found = griffe.load("checkpoint", search_paths=[ROOT], extensions=extensions, docstring_parser="google")
    assert isinstance(found, griffe.Module)
    return found


@pytest.mark.parametrize("name", SHOWN)
def test_docstring_and_signature_agree(name: str, caplog: pytest.LogCaptureFixture) -> None:
    found = package()[name.removeprefix("checkpoint.")]
    with caplog.at_level(logging.WARNING, logger="griffe"):
        assert found.docstring is not None
        assert found.docstring.parsed
        for member in found.members.values() if found.is_class else ():
            assert member.docstring is None or member.docstring.parsed
    assert caplog.messages == []
