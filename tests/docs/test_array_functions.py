"""The names that tensorlib/README.md lists are those that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from checkpoint.lang.tensors import KINDS, TENSORS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "tensorlib" / "README.md").read_text()


def test_the_table_is_that_of_the_records() -> None:
    """The table is up to date. A process of its own makes it: PyTorch, where it is loaded, adds records."""
    command = [sys.executable, "-m", "tensorlib.table"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert README[README.index("| module | functions |") :] == made


def test_every_name_of_the_language_is_explained_with_its_operands() -> None:
    forms: dict[str, str] = dict(re.findall(r"`\(([^ `]+) ([^`]+)\)`", README))
    for name in list(forms):
        forms |= {name.replace("R-T", kind): forms[name] for kind in KINDS}
    assert {name: len(forms[name].split()) for name in TENSORS} == dict(TENSORS)
