"""The names of functions of tensors: what they are, and that only programs with tensors pay for them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, cast

import pytest

from checkpoint.ad import library
from checkpoint.ad.record import Scalar, lookup, records
from checkpoint.ad.tensors import Tensor
from checkpoint.errors import Source, SourceError
from checkpoint.functions.program import load
from checkpoint.lang.printer import show
from checkpoint.lang.tensors import TENSORS
from checkpoint.prims import text_arities

library.load()


@pytest.mark.parametrize("name", TENSORS)
def test_every_name_has_a_record(name: str) -> None:
    record = lookup(name)
    assert isinstance(record, Tensor)
    assert record.arity == TENSORS[name]
    assert text_arities()[name] == record.arity


SCALARS = [
    name for name, record in records().items() if isinstance(record, Scalar) and name in text_arities()
]


@pytest.mark.parametrize("name", SCALARS)
def test_every_scalar_primitive_takes_tensors(name: str) -> None:
    record = library.overloads[name]
    assert record.name == f"{name}/tensor"
    assert record.arity == lookup(name).arity


def test_names_of_other_records_are_no_names_of_a_text() -> None:
    assert not any("." in name[1:] or "/" in name[1:] for name in text_arities())
    with pytest.raises(SourceError, match=r"unbound variable np\.sum"):
        load(Source("<test>", "(np.sum 1)"))


def shown(text: str) -> str:
    return " ".join(show(load(Source("<test>", text)).thunk.body).split())


def test_a_programs_own_definitions_come_first() -> None:
    text = "(define (size x) (* 2 x)) (let ((ones 3)) (size ones))"
    assert shown(text) == "(letrec ((size (lambda (x) (* 2.0 x)))) (let ((ones 3.0)) (size ones)))"


def test_names_are_reserved_where_they_are_used() -> None:
    text = "(+ (let ((ones 1)) ones) (sumall (ones 2)))"
    once = shown(text)
    assert once == "(+ (let ((ones.2 1.0)) ones.2) (sumall (ones 2.0)))"
    assert shown(once) == once


def test_a_name_is_a_value_too() -> None:
    assert shown("(map ones '(1 2))").endswith("(map ones '(1.0 2.0)))")


def loaded_after(text: str) -> bool:
    """Return whether NumPy is loaded after a program has run."""
    code = f"import sys, checkpoint; checkpoint.read({text!r}); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout == "True\n"


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("(dot '(1 2) '(3 4))", False),
        ("(define (sum l) (reduce + 0 l)) (sum '(1 2))", False),
        ("(if (tensor? 1) 2 3)", False),
        ("(sumall (ones 2))", True),
    ],
)
def test_only_programs_with_tensors_load_them(text: str, loads: bool) -> None:
    assert loaded_after(text) is loads


def test_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(library, "load", missing)
    with pytest.raises(SourceError, match=r"<test>:1:2: ones needs numpy: install it"):
        load(Source("<test>", "(ones 2)"))


def test_programs_know_the_names_before_any_is_loaded() -> None:
    """Listings do not depend on what else has run in the process."""
    assert cast(Any, TENSORS).keys() <= text_arities().keys()
