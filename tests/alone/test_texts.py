"""The texts of executables are those of the records; reals are written and read as Python does it."""

from __future__ import annotations

import itertools
import math
import struct
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from checkpoint.ad.numbers import apply
from checkpoint.ad.record import OperandError, Scalar, records
from checkpoint.ctarget.alone import texts
from checkpoint.errors import InternalError
from checkpoint.lang.printer import write_real
from tests.alone.support import executable, run

SCALARS = [name for name, record in records().items() if isinstance(record, Scalar) and "." not in name]
ECHO = """(define (each n) (if (= n 0) '() (let ((x (write-real (read-real)))) (each (- n 1)))))
(each (read-real))"""
WORDS = "1_0 1__0 _1 1_ .5 5. . 1e5 1e 1e+ 1e-3_0 0x10 inf -Infinity +nan nan() 1.5.2 --1 +-1 1e400 -1e-400"


def test_there_are_scalars() -> None:
    assert {"sqrt", "+", "expt", "modulo", "floor"} <= set(SCALARS)


def class_of(x: float) -> int:
    """Return the class of a real, as ctemplates/alone/failing.c finds it."""
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return 1 if x < 0 else 7
    if x == 0:
        return 4
    if x == math.floor(x):
        return 3 if x < 0 else 6
    return 2 if x < 0 else 5


def some_reals(random: Random) -> list[float]:
    """Return reals of all classes and sizes."""
    found = [0.0, -0.0, math.inf, -math.inf, math.nan]
    for _ in range(40):
        size = 10.0 ** random.randint(-320, 308)
        found += [random.uniform(-5, 5), random.uniform(-1, 1) * size, float(random.randint(-9, 9))]
    return found


@pytest.mark.parametrize("name", SCALARS)
def test_a_scalar_function_fails_as_its_record_says(name: str) -> None:
    record = records()[name]
    assert isinstance(record, Scalar)
    listed, reals = texts.failures(name), some_reals(Random(name))
    for operands in itertools.islice(itertools.product(reals, repeat=record.arity), 5000):
        try:
            record.value(*operands)
        except record.failures as error:
            place = 0
            for operand in operands:
                place = 8 * place + class_of(operand)
            assert listed[place] == str(error), operands


@pytest.mark.parametrize("name", SCALARS)
def test_a_scalar_function_refuses_what_is_no_real_as_its_record_says(name: str) -> None:
    for i, text in enumerate(texts.refusals(name)):
        operands = [1.0] * i + ["no real"] + [1.0] * (records()[name].arity - i - 1)
        with pytest.raises(OperandError) as caught:
            apply(records()[name], operands)  # type: ignore[arg-type]
        assert str(caught.value) == text


def test_a_function_that_fails_in_two_ways_for_one_class_is_refused() -> None:
    def value(x: float) -> float:
        raise ValueError("small" if abs(x) < 1 else "large")

    record = records()["sqrt"]
    assert isinstance(record, Scalar)
    other = replace(record, name="two-ways", value=value)
    with pytest.raises(InternalError, match="two-ways fails in 2 ways for reals of one class"):
        texts._of_classes(other, (texts._CLASSES[2],))


def test_literals_of_c_say_what_the_text_is() -> None:
    assert texts.string('a"b\\c?\n\u2603') == '"a\\"b\\\\c\\?\\n\\342\\230\\203"'


def test_reals_are_written_and_read_as_by_python(tmp_path: Path) -> None:
    random = Random(1)
    found = some_reals(random) + [math.ldexp(1.0, e) for e in range(-1074, 1024, 3)]
    found += [struct.unpack("d", random.randbytes(8))[0] for _ in range(500)]
    found += [math.nextafter(10.0**e, math.inf) for e in range(-20, 25)] + [10.0**e for e in range(-20, 25)]
    program = tmp_path / "echo.vlad"
    program.write_text(ECHO)
    made = executable(program)
    words = [repr(x) for x in found]
    done = run(made, text=" ".join([str(len(words)), *words]))
    assert done.status == 0, done.errors
    assert done.written.split("\n")[:-2] == [write_real(float(word)) for word in words]
    for word in WORDS.split():
        done = run(made, text=f"1 {word}")
        try:
            assert done.written == f"{write_real(float(word))}\n()\n", word
        except ValueError:
            assert f"(read-real): {word!r} on standard input is not a real" in done.errors
            assert done.status == 1
