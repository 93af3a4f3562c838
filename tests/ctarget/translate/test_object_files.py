"""A shared object that is not whole is recognised before it is mapped."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint.ctarget.translate.compile import compiler
from checkpoint.ctarget.translate.compile.object_files import TRUNCATED, damage
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler, plain

CUTS = 40


@needs_c
@needs_compiler
@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="of formats that are known")
def test_what_a_compiler_makes_is_whole_and_no_part_of_it_is(tmp_path: Path) -> None:
    by = compiler.find()
    assert by is not None
    source, target = tmp_path / "unit.c", tmp_path / "unit.so"
    source.write_text(plain(1))
    subprocess.run(by.command(str(source), str(target)), check=True)
    content = target.read_bytes()
    assert damage(content) is None
    assert damage(content + b"more") is None
    for cut in [len(content) - 1, *range(64, len(content), len(content) // CUTS)]:
        assert damage(content[:cut]) == TRUNCATED, cut


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF", b"!<arch>\n" + bytes(100)])
def test_what_is_no_shared_object(content: bytes) -> None:
    assert damage(content) == "it is no shared object"


def mach_o(segment_end: int, table_end: int, order: str = "<") -> bytes:
    """Return the beginning of a file with a segment, symbols and a signature."""
    segment = struct.pack(f"{order}II16sQQQQiiII", 0x19, 72, b"__TEXT", 0, 0, 0, segment_end, 7, 5, 0, 0)
    symbols = struct.pack(f"{order}6I", 0x2, 24, table_end - 32, 1, table_end - 16, 16)
    signature = struct.pack(f"{order}4I", 0x1D, 16, table_end - 8, 8)
    commands = segment + symbols + signature
    return struct.pack(f"{order}8I", 0xFEEDFACF, 0x0100000C, 0, 6, 3, len(commands), 0, 0) + commands


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("segment_end", "table_end", "expected"),
    [(400, 400, None), (401, 400, TRUNCATED), (400, 401, TRUNCATED)],
)
def test_the_format_of_macos(segment_end: int, table_end: int, expected: str | None, order: str) -> None:
    head = mach_o(segment_end, table_end, order)
    assert damage(head + bytes(400 - len(head))) == expected


def test_a_file_whose_head_is_cut() -> None:
    assert damage(mach_o(100, 100)[:90]) == TRUNCATED
    assert damage(b"\x7fELF\x02\x01" + bytes(20)) == TRUNCATED
    assert damage(struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 1, 8, 0, 0) + bytes(8)) == TRUNCATED
