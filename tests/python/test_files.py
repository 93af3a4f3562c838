"""Files that programs read, texts that they read and write like files, and csv: as Python has them, once."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.driver.schedule import Bisection
from checkpoint.errors import SourceError
from tests.python.texts import run

TABLE = "name,weight\nfirst,1.5\n\nsecond,2.5,more\n"


def totals(x: float, path: str) -> float:
    total = 0.0
    with open(path) as file:
        rows = csv.DictReader(file)
        for row in rows:
            total += float(row["weight"]) * x + len(row.get(None, []))
    return total + len(rows.fieldnames or [])


def pieces(x: float, path: str) -> Any:
    with open(path, encoding="utf-8", newline="") as file:
        found: list[Any] = [next(file), file.readline(), file.read(2), file.readlines()]
        file.seek(0)
        found.append(file.read())
    try:
        file.read()
    except ValueError as error:
        found.append(str(error))
    with open(path, "rb") as binary:
        found += [binary.readline(), binary.tell()]
    with open(path) as lines:
        return x, found, [line.strip().split(",") for line in lines]


def in_memory(x: float, path: str) -> Any:
    lines = csv.reader(io.StringIO("a;b\n1;2\n3;4\n"), delimiter=";")
    head = next(lines)
    total = sum(float(a) * x ** int(b) for a, b in lines)
    text = io.StringIO()
    text.write("abc")
    text.write(f"{1.5:.2f}")
    return total, head, text.getvalue(), json.load(io.StringIO('{"k": [1.5, 2]}'))["k"][1]


def missing(x: float, path: str) -> Any:
    try:
        with open(path + ".none"):
            return x
    except FileNotFoundError as error:
        return x, str(error)


def remove(path: Any) -> Any:
    """Remove a file; return how many are left."""
    Path(path).unlink(missing_ok=True)
    return float(Path(path).exists())


def no_cotangents(*_: Any) -> tuple[()]:
    return ()


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    return str(file)


@pytest.mark.parametrize("f", [totals, pieces, in_memory, missing])
def test_values_are_those_of_python(f: Any, path: str, engine: str) -> None:
    assert run(f, 1.2, path, engine=engine) == f(1.2, path)


def test_gradients(path: str, engine: str) -> None:
    assert checkpoint.grad(totals, engine=engine)(1.2, path) == 4.0


def test_a_file_is_read_once(path: str, engine: str) -> None:
    """What is run again for the derivative finds what the first run has read, though the file is gone."""

    def squared(x: float) -> float:
        size = 0
        for _ in range(20):
            x = x + 0.5
        with open(path) as file:
            size = len(file.read())
        delete()
        for _ in range(20):
            x = x * 1.0
        return x * x * size

    delete = checkpoint.primitive(partial(remove, path), vjp=no_cotangents)
    assert checkpoint.grad(squared, engine=engine, schedule=Bisection(5))(1.0) == 22.0 * len(TABLE)


@pytest.mark.parametrize("mode", ["w", "a", "x", "r+", "wb"])
def test_writing_is_refused(mode: str, path: str, engine: str) -> None:
    def f(x: float) -> float:
        with open(path, mode) as file:
            file.write("x")
        return x

    with pytest.raises(SourceError, match="`open` for writing cannot be differentiated: return what is"):
        checkpoint.grad(f, engine=engine)(1.0)
    assert Path(path).read_text() == TABLE
