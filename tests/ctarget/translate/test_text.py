"""C of units made by hand: its text, that it compiles without a warning, what it computes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from checkpoint.ctarget.build import FROM_LIBM, SOURCES, compiler
from checkpoint.ctarget.translate.emit.records import Records
from checkpoint.ctarget.translate.emit.text import plain_source, prologue_words, taped_source
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.ops.words import Move, in_order, literal
from checkpoint.ctarget.translate.units.graph import Jump, Unit
from tests.ctarget.translate.interpreted import Run
from tests.ctarget.translate.units import apart, containers, late, lorenz, nested, orders
from tests.support.processes import PATIENCE

UNITS = [lorenz, nested, late, orders, containers, apart]
FLAGS = ["-std=c11", "-O1", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Werror"]
FLAGS += [f"-fno-builtin-{name}" for name in FROM_LIBM.split()]
needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


def compiled(source: Path, target: Path, *more: str) -> None:
    command = compiler()
    assert command is not None
    words = [*command, *FLAGS, *more, "-I", str(SOURCES), str(source), "-o", str(target), "-lm"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


# Recording


def names(unit: Unit) -> list[list[str]]:
    """Return the names of what the path of each Jump records."""
    records = Records(unit)
    jumps = [record for record in records.of_end.values() if isinstance(record.path.end, Jump)]
    return [sorted(residual.name for residual in record.words) for record in jumps]


def test_a_loop_records_what_changes() -> None:
    records = Records(lorenz())
    assert names(lorenz()) == [["x_0", "y_0", "z_0"]]
    assert sorted(residual.name for residual in records.prologue) == ["b_0", "r_0", "s_0"]
    assert prologue_words(lorenz()) == 3


def test_an_exit_at_a_header_records_nothing() -> None:
    records = Records(lorenz())
    assert all(not records.of_end[id(header.exit)].words for header in records.unit.headers)


def test_results_that_are_costly_are_recorded() -> None:
    unit = nested()
    assert names(unit) == [[], [], ["ratio_0", "root_0", "sine_0", "u_0"]]
    assert [residual.name for residual in Records(unit).prologue] == [
        "c_0"
    ]  # by the name that it has at the entry
    assert "const double d_0 = c_0;" in taped_source(unit)


def test_what_becomes_an_invariant_is_asked_for_at_the_entry() -> None:
    text = taped_source(late())
    assert names(late()) == [["x_0"]]
    assert "if (!same_real(y_0, c_0)) return false;" in text
    assert "same_real" not in plain_source(late())


def test_loops_that_do_not_lead_to_one_another_have_invariants_of_their_own() -> None:
    records = Records(apart())
    assert [residual.name for residual in records.prologue] == ["d_first", "c_first"]
    second = records.unit.headers[1]
    words = [residual and residual.name for residual in records.prologue_at(second)]
    assert words == ["d_second", "c_second"]


def test_births_are_recorded() -> None:
    assert names(containers()) == [["birth_0", "l_0_birth", "n_2", "s_0", "x_0"]]
    text = taped_source(containers())
    assert "l_0_birth = birth_to_give(l_0.object);" in text
    assert "give(c, l_0_birth, 0, x_0_a);" in text
    assert "taken(c, (uint64_t)birth_0, 0)" in text


# The text


def test_zeros_are_added_only_where_a_sum_may_be_minus_zero() -> None:
    text = taped_source(lorenz(), lines=False)
    added = re.findall(r"0\.0 \+ (\S+);", text)
    assert added
    assert all(place.startswith("w[") for place in added)
    assert "0.0 + v_0_a" in taped_source(nested())  # a product


def test_lines_of_the_program() -> None:
    assert '#line 7 "prog.py"' in plain_source(lorenz())
    assert "#line" not in plain_source(lorenz(), lines=False)


def test_both_files_number_blocks_alike() -> None:
    first, second = lorenz(), lorenz()
    plain_source(first)
    taped_source(second)
    labels = [[each.block.label for each in unit.references] for unit in (first, second)]
    assert labels[0] == labels[1] == ["loop", "done"]
    assert plain_source(first) == plain_source(second)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        (0.1, "0x1.999999999999ap-4 /* 0.1 */"),
        (-0.0, "-0.0"),
        (1e300, "0x1.7e43c8800759cp+996 /* 1e+300 */"),
        (float("inf"), "real_of_bits(0x7ff0000000000000) /* inf */"),
        (-(1 << 63), "INT64_MIN"),
        (1 << 40, "INT64_C(1099511627776)"),
        (True, "true"),
        (None, "nothing()"),
    ],
)
def test_constants(value: float | int | bool | None, text: str) -> None:
    assert literal(value) == text


def test_moves_as_if_at_once() -> None:
    moves = [Move("int", a, b, b) for a, b in (("a", "b"), ("b", "a"), ("c", "a"), ("d", "d"))]
    values = {"a": 1, "b": 2, "c": 3, "d": 4}
    for line in in_order(moves):
        target, source = line.rstrip(";").removeprefix("const int ").split(" = ")
        values[target] = values[source]
    assert (values["a"], values["b"], values["c"], values["d"]) == (2, 1, 1, 4)
    assert in_order(moves[2:]) == ["c = a;"]


# Compilation


@needs_compiler
@pytest.mark.parametrize("make", UNITS)
@pytest.mark.parametrize("source", [plain_source, taped_source])
def test_no_warnings(make: Callable[[], Unit], source: Callable[[Unit], str], tmp_path: Path) -> None:
    file = tmp_path / "unit.c"
    file.write_text(source(make()), encoding="utf-8")
    compiled(file, tmp_path / "unit.so", "-fPIC", "-shared", "-fvisibility=hidden")


@needs_compiler
@pytest.mark.parametrize(
    ("make", "registers"),
    [
        (lorenz, [7.0, 1.0, 1.1, 20.0, 10.0, 28.0, 8 / 3]),
        (nested, [4.0, 0.7, -1.3, 1.9]),
        (nested, [4.0, 0.7, -1.3, 0.0]),
        (late, [1.5, 0.75, 0.75]),
        (orders, [1.7]),
    ],
)
@pytest.mark.parametrize("stop", [40, 60, 100, 161, 10**6])
def test_numbers(make: Callable[[], Unit], registers: list[float], stop: int, tmp_path: Path) -> None:
    """Compare runs of any length, and their reversals, with those in Python, in every bit."""
    if make in {late, orders} and stop > 1000:
        return  # they never end
    unit = make()
    (tmp_path / "unit.c").write_text(taped_source(unit), encoding="utf-8")
    compiled(
        Path(__file__).with_name("run_unit.c"), tmp_path / "run", f'-DUNIT="{tmp_path / "unit.c"}"', "-w"
    )
    words = [str(tmp_path / "run"), str(stop), *[value.hex() for value in registers]]
    printed = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    run = Run(make(), registers, stop)
    if not run.steps:
        assert printed == "nothing done\n"
        return
    forward, backward = printed.splitlines()
    block, steps, *values = forward.split()
    assert unit.references[int(block)].block.label == run.end.block.block.label
    assert int(steps) == run.steps
    reals = [at for at, source in run.end.contents if isinstance(source, Place)]
    assert [float.fromhex(values[at]).hex() for at in reals] == [run.registers[at].hex() for at in reals]
    cotangents = run.reversed({at: 1.0 + at / 2 for at in range(16)})
    assert backward.split()[0] == "0"
    assert [float.fromhex(text).hex() for text in backward.split()[1:]] == [each.hex() for each in cotangents]
