"""The mark `wide`: tests that `make test` leaves to `make test-wide`. Continuous integration runs both.

SHARES says how much of a file or of a test function `make test` tries: one case in so many, or none. A case
is a combination of parameters but for the engine: the engines try it together, or take turns among the
cases that are kept. In a file with the mark `together` a case is a program, and all functions of the file
keep about the same ones. Which cases are kept depends on names alone, so each run has the same. A function
keeps at least three cases, unless it is named itself, and every value of a parameter that has few values
beside other parameters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import ceil
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent.parent
LEAST = 3  # cases of a function that are kept
FEW = 8  # values of a parameter, each of which is kept
NONE = 0  # no case is kept
# By folder, file, or file and function: one case in so many is kept.
SHARES = {
    "alone/test_command.py::test_the_executable_has_the_name_of_the_program": NONE,
    "alone/test_programs.py": 6,
    "api/test_complex.py": 4,
    "api/test_directions.py": 4,
    "api/test_each.py": 4,
    "api/test_each.py::test_what_is_known_of_a_leaf_takes_little": NONE,
    "api/test_each.py::test_what_is_known_of_many_leaves_is_no_part_of_each_state": NONE,
    "api/test_each_orders.py": 5,
    "api/test_lane_blocks.py": 6,
    "api/test_lane_errors.py": 3,
    "api/test_lanes.py": 5,
    "api/test_memory.py": 5,
    "api/test_pictures.py": 4,
    "api/test_profile.py::test_many_actions_take_little_memory": NONE,
    "api/test_progress.py::test_estimates_after_a_tenth": 6,
    "api/test_pullbacks.py": 4,
    "api/test_repeated_pullbacks.py": 4,
    "api/test_sparse.py": 4,
    "api/test_sums.py": 3,
    "arrays/test_activity.py": 6,
    "arrays/test_activity.py::test_of_random_programs_too": NONE,
    "arrays/test_activity_of_reals.py": 4,
    "arrays/test_corpus.py": 6,
    "arrays/test_cupy.py": 4,
    "arrays/test_cupy.py::test_programs_of_a_stand_in": 3,
    "arrays/test_distributions.py": 6,
    "arrays_vlad/test_programs.py": 6,
    "batched/test_fallbacks.py": 5,
    "batched/test_programs.py": 6,
    "batched/test_random.py": 4,
    "batched/test_warnings.py": 4,
    "combinators": 4,
    "control/test_laws.py": 4,
    "control/test_model.py": 4,
    "ctarget/test_array_reversals.py": 4,
    "ctarget/test_containers.py::test_against_a_model": NONE,
    "ctarget/test_cotangent.py::test_against_a_model": NONE,
    "ctarget/test_driver.py": 6,
    "ctarget/test_entering.py": 4,
    "ctarget/test_held_tapes.py": 5,
    "ctarget/test_numbers.py": 5,
    "ctarget/test_operators.py": 4,
    "ctarget/test_operators.py::test_runs_that_are_long_are_done_by_python": 3,
    "ctarget/test_rows.py": 4,
    "ctarget/test_runtime.py": NONE,
    "ctarget/test_series.py": 10,
    "ctarget/test_weighing.py": 6,
    "ctarget/translate/test_boundary.py": 6,
    "ctarget/translate/test_cache.py::test_several_processes_compile_a_unit_once": NONE,
    "ctarget/translate/test_lanes.py": 6,
    "ctarget/translate/test_strip_activity.py": 6,
    "ctarget/translate/test_strip_threads.py": 6,
    "ctarget/translate/test_strip_vectors.py": 6,
    "ctarget/translate/test_strips.py": 6,
    "derivatives": 3,
    "docs/test_gallery.py": 4,
    "driver/spill/test_engines.py": 6,
    "driver/spill/test_policy.py": 4,
    "driver/test_binomial.py": 6,
    "driver/test_binomial.py::test_the_formula_is_the_optimum": NONE,
    "driver/test_budget.py": 5,
    "driver/test_budget.py::test_uneven_runs_keep_to_the_budget": NONE,
    "driver/test_budget_laws.py": 6,
    "driver/test_entered_memory.py": 4,
    "driver/test_entered_memory.py::test_copies_of_arguments_are_within_the_budget": NONE,
    "driver/test_footprint.py": 6,
    "driver/test_footprint.py::test_bytes_are_those_of_tracemalloc": 12,
    "driver/test_gradients.py": 6,
    "driver/test_held_bytes.py": 4,
    "driver/test_held_bytes.py::test_the_bytes_of_a_cotangent": NONE,
    "driver/test_lasting.py": 5,
    "driver/test_schedules.py": 5,
    "driver/test_schedules.py::test_bisection_of_every_length": 5,
    "driver/test_series.py": 5,
    "driver/test_tape_bytes.py": 6,
    "driver/test_tape_bytes.py::test_a_real_run_stays_within_its_bound": 5,
    "durable/journal": 5,
    "durable/test_deep.py": 6,
    "durable/test_round_trips.py": 4,
    "durable/test_round_trips.py::test_random_programs_in_fresh_processes": NONE,
    "engine_containers": 4,
    "engine_containers/test_random_updates.py::test_laws_of_updates": NONE,
    "experiments": NONE,
    "hostile/test_sanitizers.py": NONE,
    "lang/test_desugar.py::test_long_and_deep_texts": 7,
    "lang/test_printer.py::test_long_and_deep_values": NONE,
    "laws/test_corpus.py": 5,
    "laws/test_corpus_gradients.py": 5,
    "laws/test_deep.py::test_a_cut_half_way_down_and_half_way_up": 3,
    "laws/test_deep.py::test_a_million_turns_in_constant_memory": 3,
    "laws/test_deep.py::test_a_raise_from_far_down": 3,
    "laws/test_deep.py::test_freeing_a_long_list": 3,
    "laws/test_deep.py::test_freeing_nests_of_other_kinds": 3,
    "laws/test_deep.py::test_long_lists_pass_through_everything": 3,
    "laws/test_deep.py::test_loops_in_constant_memory": 3,
    "laws/test_deep.py::test_recursion_a_million_deep": 3,
    "laws/test_deep.py::test_the_measure_sees_what_is_kept": 3,
    "laws/test_lanes.py": 5,
    "laws/test_lanes_in_strips.py": 6,
    "laws/test_lanes_of_corpus.py": 6,
    "laws/test_lanes_of_functions.py": 6,
    "laws/test_small_gradients.py": 5,
    "laws/test_sums.py": 5,
    "laws/test_translation.py": 5,
    "python/test_capsules.py": 5,
    "python/test_capsules_nested.py": 5,
    "python/test_corpus.py": 6,
    "python/test_inputs.py": 4,
    "python/test_inputs.py::test_a_thousand_fresh_closures_are_translated_once": 3,
    "python/test_kept_iterators.py": 4,
    "python/test_local_classes.py::test_each_derivative_and_lane_has_classes_and_identities_of_its_own": 3,
    "python/test_places.py::test_different_functions_in_threads": 3,
    "python/test_random_objects.py": NONE,
    "scipy_programs": 5,
    "tensorlib/test_records.py": 4,
    "tensorlib/test_training.py": 6,
    "tensorlib/test_written.py": 5,
    "uses": 3,
    "workers/test_journals.py": 4,
    "workers/test_relay.py": 4,
}


def mark_wide(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves out."""
    functions: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        file = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""
        if item.get_closest_marker("long") is None:
            functions[file, getattr(item, "originalname", item.name)].append(item)
    for (file, function), tests in functions.items():
        own = f"{file}::{function}"
        places = (own, file, *map(str, PurePosixPath(file).parents))
        every = next((SHARES[place] for place in places if place in SHARES), None)
        if every is not None:
            for left_out in all_but_a_share(tests, every, 1 if own in SHARES else LEAST):
                left_out.add_marker(pytest.mark.wide)


def all_but_a_share(tests: Sequence[pytest.Item], every: int, least: int = LEAST) -> Sequence[pytest.Item]:
    """Return the tests of one function that are no tests of the one case in `every` that is kept."""
    if every == NONE:
        return tests
    cases: dict[Hashable, list[pytest.Item]] = defaultdict(list)
    for test in tests:
        cases[_case_of(test)].append(test)
    few = _few_valued(tests)
    kept = max(least, ceil(len(cases) / every))
    tried: set[tuple[str, int]] = set()
    found = []
    for i, case in enumerate(sorted(cases, key=lambda case: _rank(case, cases[case]))):
        new = {(name, id(_parameters(test)[name])) for test in cases[case] for name in few} - tried
        if i < kept or new:
            tried |= new
        else:
            found += cases[case]
    return found


def _few_valued(tests: Iterable[pytest.Item]) -> list[str]:
    """Return the parameters that have few values, where there are several parameters."""
    values: dict[str, set[int]] = defaultdict(set)
    for test in tests:
        for name, value in _parameters(test).items():
            values[name].add(id(value))
    return [name for name, found in values.items() if len(found) <= FEW] if len(values) > 1 else []


def _parameters(item: pytest.Item) -> dict[str, Any]:
    """Return the parameters of a test but for its engine, unless that is the only one."""
    found: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    return {name: value for name, value in found.items() if name != "engine" or len(found) == 1}


def _case_of(item: pytest.Item) -> Hashable:
    """Return what the tests of one case have in common: their program's name, or all parameters."""
    mark, parameters = item.get_closest_marker("together"), _parameters(item)
    if mark and mark.args[0] in parameters:
        program = parameters[mark.args[0]]
        return str(getattr(program, "name", program))
    return tuple([(name, id(value)) for name, value in parameters.items()])


def _rank(case: Hashable, tests: Sequence[pytest.Item]) -> float:
    """Return a number without a pattern, which is the same for a program in all functions."""
    return Random(case if isinstance(case, str) else tests[0].name).random()
