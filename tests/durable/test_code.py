"""What a file knows a program by: hashes of listings; and that every kind of value has a place or a "
"refusal.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint.ad.arrays import Discrete
from checkpoint.ad.containers import CONTAINERS
from checkpoint.ad.graph import ATOMS
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.values import Capsule, Closure, Environment, Opaque, Pair
from checkpoint.cps import blocks, terms
from checkpoint.durable import constants, decode, encode
from checkpoint.durable.code import BUILT_IN
from checkpoint.durable.listing import digest_of
from checkpoint.durable.tags import OF_KIND, REFUSED, Tag
from checkpoint.functions.python_functions import run_of
from checkpoint.interp.hybrid import machine
from checkpoint.interp.hybrid.code import BlockCode

ROOT = Path(__file__).resolve().parents[2]

TEXT = """\
import math
import numpy as np
K = 0.5
TAGS = frozenset(("a", "b", "c"))

def helper(y, k=3):
    return [y * k, math.exp(-y)]

def f(x):
    total, kinds = 0.0, set()
    for i in range(4):
        if x > 1.5 and "a" in TAGS:
            total += helper(x)[0] * K
        else:
            total -= sum(helper(x, 2))
    try:
        return total + np.sum(np.array([x, 1.25])) + (lambda z: z * 7.5)(x)
    except (ValueError, KeyError):
        return {"name": x}["name"]
"""

PRINT = """
import sys
sys.path.insert(0, sys.argv[1])
import subject
from checkpoint.durable.listing import digest_of
from checkpoint.functions.python_functions import run_of
print(digest_of(run_of(subject.f, (1.0,), {}, "hybrid").u.car.lam).hex())
"""


def digest_elsewhere(folder: Path, text: str, seed: str) -> str:
    """Return the hash of f as another process finds it, with other hashes, the text in a folder."""
    folder.mkdir()
    (folder / "subject.py").write_text(text)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PRINT, str(folder)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_hashes_do_not_depend_on_process_path_or_comments(tmp_path: Path) -> None:
    commented = "# a comment\n" + TEXT.replace("    total, kinds", "    # another\n\n    total, kinds")
    found = {
        digest_elsewhere(tmp_path / "one", TEXT, "0"),
        digest_elsewhere(tmp_path / "another one", commented, "12345"),
    }
    assert len(found) == 1
    assert len(found.pop()) == 64


def digest_here(text: str, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> bytes:
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    f = __import__(name).f
    return digest_of(run_of(f, (1.0,), {}, "hybrid").u.car.lam)


# Defaults and globals are inputs of a program, not constants: a file has their values.
CHANGES = {
    "a factor": ("* 7.5", "* 7.25"),
    "an item": ("1.25", "1.5"),
    "a limit": ("x > 1.5", "x > 1.25"),
    "a comparison": ("x > 1.5", "x >= 1.5"),
    "a range": ("range(4)", "range(5)"),
    "a key": ('{"name": x}["name"]', '{"nome": x}["nome"]'),
    "a text": ('"a" in', '"b" in'),
    "an exception": ("KeyError", "IndexError"),
    "a function": ("math.exp", "math.cos"),
    "a function of arrays": ("np.sum", "np.prod"),
    "an order": ("y * k, math.exp(-y)", "math.exp(-y), y * k"),
    "a sign": ("total -= sum", "total += sum"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_changes_the_hash(change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old, new = CHANGES[change]
    assert TEXT.count(old) == 1 or change in {"a limit", "a comparison"}
    name = "subject_" + change.replace(" ", "_")
    before = digest_here(TEXT, name + "_before", monkeypatch, tmp_path)
    assert digest_here(TEXT.replace(old, new), name, monkeypatch, tmp_path) != before


def test_every_kind_of_value_has_a_tag_or_a_refusal() -> None:
    kinds = ATOMS | NUMBERS | CONTAINERS | {tuple, Pair, Closure, Environment, Capsule, Opaque, Discrete}
    assert kinds == set(OF_KIND) | set(REFUSED)
    assert not set(OF_KIND) & set(REFUSED)


def test_every_tag_is_read() -> None:
    """Each tag but those of places in the file has a reader; tags are numbers that stay as they are."""
    read = {*decode._READERS, *constants.CONSTANTS, *decode._INLINE, Tag.REF, Tag.SYMBOL}
    assert read == set(Tag)
    assert set(OF_KIND.values()) - set(decode._INLINE) - {Tag.SYMBOL} <= set(encode._WRITERS)
    assert {tag.name: int(tag) for tag in Tag}["TWISTER"] == 53
    assert len(Tag) == 48


def test_every_built_in_block_has_a_number() -> None:
    found = [each for each in vars(machine).values() if isinstance(each, BlockCode)]
    assert set(map(id, found)) == set(map(id, BUILT_IN))


def test_every_step_and_end_is_listed() -> None:
    """The kinds of steps that blocks have; listing.py refuses others by name."""
    steps = {
        each for each in vars(blocks).values() if isinstance(each, type) and issubclass(each, terms.Step)
    }
    assert {each.__name__ for each in steps} == {"Step", "MakeClosure", "MakeMember", "Letrec"}


LARGE = """
import sys
import checkpoint
import checkpoint.lang.python.linking.methods as methods

methods.LIMIT = 5
sys.path.insert(0, sys.argv[1])
import large

steps = checkpoint.primops(large.f, 0.5)
if sys.argv[2] == "save":
    checkpoint.interrupt(large.f, 0.5, steps // 2).save(f"{sys.argv[1]}/z")
print(checkpoint.resume(checkpoint.load(f"{sys.argv[1]}/z", large.f)))
"""


def test_a_large_program_is_found_again_after_a_run(tmp_path: Path) -> None:
    """Functions of large programs are translated when they are reached; stubs are known by their names."""
    classes = [
        f"class C{i}:\n    def __init__(self, x):\n        self.x = x\n"
        f"    def go(self):\n        return self.x * {i + 1}.5\n"
        for i in range(12)
    ]
    text = "\n".join(classes) + f"\nALL = [{', '.join(f'C{i}' for i in range(12))}]\n"
    body = "def f(x):\n    y = x\n    for i in range(4):\n        y += ALL[3 * i](x).go()\n    return y\n"
    (tmp_path / "large.py").write_text(text + body)
    found = []
    for seed, task in (("1", "save"), ("2", "load")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", LARGE, str(tmp_path), task]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        found.append(result.stdout + result.stderr)
    assert found == ["12.5\n"] * 2
