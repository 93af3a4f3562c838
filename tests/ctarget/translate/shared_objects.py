"""C files that export what units do, for tests of how such files are compiled, kept and loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import pytest

from checkpoint.ctarget import library
from checkpoint.ctarget.translate import policy
from checkpoint.ctarget.translate.compile import compilation, compiler

needs_c = pytest.mark.skipif(library.reason() is not None, reason=f"engine c: {library.reason()}")
needs_compiler = pytest.mark.skipif(compiler.find() is None, reason="there is no C compiler")

_TEXT = """\
#include "machine/fast.h"
#define EXPORTED __attribute__((visibility("default")))
static const Services *bound;
EXPORTED void unit_bind(const Services *services) { bound = services; }
EXPORTED int64_t number(void) { return bound ? NUMBER : 0; }
"""
_FORMS = """\
EXPORTED bool unit_plain(const Unit *u, Machine *m, uint32_t entry, int64_t stop) {
    return u && m && entry + stop == 0;
}
EXPORTED bool unit_tape(const Unit *u, Machine *m, uint32_t entry, int64_t stop) {
    return u && m && entry + stop == 0;
}
EXPORTED bool unit_reverse(void) { return false; }
"""


def plain(number: int) -> str:
    """Return a file whose function `number` returns that number once it is bound."""
    return _TEXT.replace("NUMBER", str(number)) + _FORMS


def without_functions() -> str:
    """Return a file that exports no form of a unit."""
    return _TEXT.replace("NUMBER", "1")


def number_of(loaded: Any) -> int:
    """Return what the function `number` of a loaded file returns."""
    function = loaded.library.number
    function.restype = ctypes.c_int64
    return int(function())


def fake_compiler(path: Path, script: str, version: str = "fake 1") -> Path:
    """Make a command that answers --version, and else runs a shell script."""
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" && exit 0\n{script}\n')
    path.chmod(0o755)
    return path


def counting_compiler(folder: Path) -> Path:
    """Make a command that runs the compiler and adds a line to `folder`/calls for each compilation."""
    words = compiler.find()
    assert words is not None
    return fake_compiler(folder / "counting", f'echo >>"{folder}/calls"\nexec {" ".join(words.words)} "$@"')


def calls(folder: Path) -> int:
    """Return how often a counting compiler has compiled."""
    path = folder / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def new_translator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[policy.Translator]:
    """Yield the translator of a process that has translated nothing yet, with an empty cache, and waits."""
    monkeypatch.setenv("CHECKPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    monkeypatch.setattr(compilation, "_loaded", WeakValueDictionary())
    fresh = policy.Translator()
    monkeypatch.setattr(fresh, "sample_interval", 0.0)  # so that when it samples depends on steps alone
    monkeypatch.setattr(policy, "translator", fresh)
    yield fresh
    for each in fresh.pending:
        each.wait()
