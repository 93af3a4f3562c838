"""The cost of hot code in numbers: 0 where it should be none, else the present number, so that changes show.

Where a number changes on purpose, `python -m tests.ctarget.translate.counts` prints the new ones.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

import checkpoint
from checkpoint.cli import demo_inverse as inverse
from checkpoint.cli.demo_tracer import shoot_ray
from checkpoint.ctarget.translate.collected import procedure_names, units_of
from checkpoint.ctarget.translate.emit.text import source
from checkpoint.ctarget.translate.ops.check_ops import Expect, IsKind
from checkpoint.ctarget.translate.ops.frame_ops import Peek, Push, SetCall
from checkpoint.ctarget.translate.ops.object_ops import Load, Make
from checkpoint.ctarget.translate.specialise.headers import SMALL
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Return
from checkpoint.ctarget.translate.units.paths import nodes
from tests.ctarget.translate import hot_programs
from tests.ctarget.translate.counts import (
    CORPUS,
    Counts,
    counted,
    repeated,
    total,
    units_of_function,
    units_of_text,
)
from tests.ctarget.translate.shared_objects import needs_c
from tests.ctarget.translate.units import Maker, block, containers, lorenz
from tests.support.alone import check_alone, is_alone

pytestmark = needs_c

EXPECTED = {
    # Rows of weights are lists from outside, whose elements are tested once, where the unit is entered.
    "network": Counts(units=1, nodes=248, made=0, pushed=0, tests=0, dynamic=0),
    # The flight, in which the force, a gradient, is inlined; then all that calls it, with the flight inlined.
    "particle": Counts(units=3, nodes=993, made=0, pushed=0, tests=0, dynamic=0),
    # The ascent, whose turns are gradients; each turn of the descent is the gradient of a whole ascent.
    "saddle": Counts(units=2, nodes=622, made=0, pushed=0, tests=0, dynamic=0),
    # The numbers of the terms, which say of what sort they are, are checked where the unit is entered, so the
    # whole evaluation is found when the unit is made.
    "probabilistic-lambda": Counts(units=1, nodes=832, made=0, pushed=0, tests=0, dynamic=0),
    # Terms, clauses and substitutions depend on no number, so all proofs are found when the unit is made.
    "probabilistic-prolog": Counts(units=1, nodes=2447, made=0, pushed=0, tests=0, dynamic=0, asked=0),
}
# Python functions on reals, and on tuples that they make themselves, cost nothing.
EXPECTED_OF_FUNCTIONS = {
    "backprop": Counts(units=1, nodes=3, made=0, pushed=0, tests=0, dynamic=0),
    # The lengths of tuples that it loads from tuples are tested.
    "flight": Counts(units=1, nodes=15, made=0, pushed=0, tests=9, dynamic=0),
    "saddle": Counts(units=1, nodes=3, made=0, pushed=0, tests=0, dynamic=0),
    # Loops over objects in a list make nothing; the length of the list and the layouts of objects are tested.
    "bodies": Counts(units=1, nodes=38, made=0, pushed=0, tests=22, dynamic=0),
}
_ALLOCATES = re.compile(r"\bmake\w*\(")


@pytest.mark.parametrize("name", CORPUS)
def test_programs(name: str) -> None:
    units = units_of_text(repeated(name), CORPUS[name])
    assert total(units) == EXPECTED[name]
    assert all(unit.tapes for unit in units)
    texts = {len(list(nodes(unit))): source(unit, "plain", "taped").count("\n") for unit in units}
    # The exits of large units write no record of the path before them.
    assert all(lines < 30 * count for count, lines in texts.items() if count > SMALL.nodes), texts


@pytest.mark.parametrize(
    ("f", "arguments"), hot_programs.PROGRAMS, ids=lambda each: getattr(each, "__name__", "")
)
def test_functions(f: Any, arguments: tuple[Any, ...]) -> None:
    assert total(units_of_function(f, *arguments)) == EXPECTED_OF_FUNCTIONS[f.__name__]


def test_a_loop_over_lanes_is_left_at_its_end_alone() -> None:
    """A whole lane of the ray tracer, its calls and loops included, is in one unit, without a frame.

    In a process of its own: where a machine is seen first depends on what has been translated.
    """
    if not is_alone():
        check_alone(__file__, "left_at_its_end")
        return
    places, scene = inverse.pixels(16, 12), inverse.SCENE
    units = units_of(lambda: checkpoint.vmap(shoot_ray, (0, 0, None), engine="c")(*places, scene))
    (unit,) = [each for each in units if any("_loop_of" in name for name in procedure_names(each))]
    assert {"shoot_ray", "is_lit", "to_plane"} < set(procedure_names(unit))
    # The others are where a lane returns no tuple of three.
    left = {node.block.block.label for node in nodes(unit) if isinstance(node.end, Exit)}
    assert left == {"else18", "then20"}
    assert not any(isinstance(effect, Push) for node in nodes(unit) for effect in node.effects)
    _check_strips(source(unit, "plain", "taped"))


def _check_strips(text: str) -> None:
    """Within a lane nothing is allocated, no tag is tested, nothing of the runtime is called; and all but the
    numbers of squares of the board are vectors.
    """
    for name in ("strip_plain", "strip_tape"):
        function = text[text.index(f"StripOutcome {name}_lanes(") :]
        loops = function[
            function.index("live_2 = 0;\n", function.index("\nrun_")) : function.index("\nnext:")
        ]
        assert len(re.findall(r"\nrun_\d+:", loops)) > 4
        assert not re.search(r"make\w*\(|kind_of|is_tuple|->tag|services|\(\*", loops)
        by_lanes = re.findall(r"FOR_LANES\(k, \w+\) {(.*?)\n +}\n", loops, re.DOTALL)
        assert all(re.search(r"whole_down|integers_float_modulo", each) for each in by_lanes), by_lanes


def test_hot_loops_over_objects_do_not_allocate() -> None:
    """The class of the objects is known, so their attributes are read and assigned in place."""
    units = units_of_function(hot_programs.bodies, 1.0, 500)
    assert units
    assert not any(_ALLOCATES.search(source(unit, "plain", "taped")) for unit in units)
    assert _ALLOCATES.search(source(containers(), "plain"))


def test_what_is_counted() -> None:
    """A unit made by hand: one path from its header repeats, and does one of each; the other exits."""
    make = Maker()
    at = block("loop", "x", "v")
    x, v, birth = make.place("x_0"), make.place("v_0", "value"), make.place("birth_0", "integer")
    is_pair = make.place("is_pair_0", "boolean")
    header = make.header(at, (x, v), 9)
    cold, cased, back = (make.node(at, (x, v), 3) for _ in range(3))
    header.root.ops = [IsKind(is_pair, v, "PAIR")]
    header.root.end = Fork(is_pair, cased, cold)
    cold.effects = [Make(make.place("p_0", "value"), "PAIR", (x, v), birth)]
    cold.end = cold.exit
    read = [Load(make.place("x_1"), v, 0), Load(make.place("w_0", "value"), v, 1)]
    cased.ops = [Expect(v, "PAIR"), *read]
    cased.effects = [Make(make.place("p_1", "value"), "PAIR", (x, v), birth), Push(0, (x,), None), SetCall(0)]
    cased.end = Return((((0,), back), ((1,), cold)))
    saved = make.place("x_2"), make.place("w_1", "value")
    back.ops = [Peek((0,), saved)]
    back.end = make.jump(header, 9, x, v)
    assert counted(make.unit) == Counts(units=1, nodes=3, made=1, pushed=1, tests=3, dynamic=2, asked=1)
    back.ops = [Peek((0,), saved, checks=())]  # the point says what the frame saves
    assert counted(make.unit) == Counts(units=1, nodes=3, made=1, pushed=1, tests=2, dynamic=2, asked=1)


def test_a_loop_on_reals_costs_nothing() -> None:
    assert counted(lorenz()) == Counts(units=1, nodes=2)
