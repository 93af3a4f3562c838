"""Lists, dictionaries and the native steps on them: C programs against models, with sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "containers"
TEMPLATES = Path(__file__).parents[2] / "ctemplates"
SOURCES = (
    "heap",
    "containers",
    "dictionary",
    "keys",
    "natives",
    "natives_read",
    "natives_make",
    "natives_change",
    "natives_tell",
    "natives_integer",
)
FLAGS = (
    *("-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-ffp-contract=off"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("name", ["lists", "dictionaries"])
def test_against_a_model(tmp_path: Path, name: str) -> None:
    program = tmp_path / name
    sources = [str(TEMPLATES / f"{source}.c") for source in SOURCES]
    own = [str(HERE / "standins.c"), str(HERE / f"test_{name}.c")]
    subprocess.run(
        ["cc", *FLAGS, f"-I{TEMPLATES}", f"-I{HERE}", *sources, *own, "-lm", "-o", program], check=True
    )
    subprocess.run([program], check=True, timeout=300)
