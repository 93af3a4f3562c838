"""The mark `wide`: tests that `make test` leaves to `make test-wide`. Continuous integration runs both.

SHARES says how much of a folder, a file or a test function `make test` tries: one case in so many, or none;
or names a single test that it leaves out. A case is a combination of parameters but for the engine: the
engines try it together, or take turns among the cases that are kept, three at least. In a file with the
mark `together` a case is a program, and all functions of the file keep about the same ones. Which cases are
kept depends on names alone, so each run has the same. Of a parameter that has few values each is kept,
unless the function is named itself.
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
LEAST = 3  # cases that are kept of a function whose engines take turns
FEW = 8  # values of a parameter, each of which is kept
NONE = 0  # no case is kept
# By folder, file, file and function, or test: one case in so many is kept.
SHARES = {
    "alone/test_command.py::test_another_name_and_the_program_in_c": NONE,
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
    "api/test_lane_plans.py::test_translated_blocks_in_one_call": NONE,
    "api/test_lanes.py": 8,
    "api/test_memory.py": 5,
    "api/test_pictures.py": 4,
    "api/test_profile.py::test_many_actions_take_little_memory": NONE,
    "api/test_progress.py::test_bars_in_a_notebook": NONE,
    "api/test_progress.py::test_estimates_after_a_tenth": 6,
    "api/test_pullbacks.py": 4,
    "api/test_repeated_pullbacks.py": 4,
    "api/test_repeated_pullbacks.py::test_arrays_that_are_changed_in_place": 3,
    "api/test_repeated_pullbacks.py::test_interleaved_pullbacks_are_vjps_to_the_bit": 3,
    "api/test_repeated_pullbacks.py::test_interleaved_pullbacks_are_vjps_to_the_bit[interp-100KiB]": NONE,
    "api/test_repeated_pullbacks.py::test_within_a_budget_a_later_call_spares_the_first_pass": NONE,
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
    "arrays_vlad/test_programs.py::test_every_schedule_gives_the_same_bits[combinators-interp]": NONE,
    "batched/test_fallbacks.py": 5,
    "batched/test_programs.py": 10,
    "batched/test_programs.py::test_it_is_not_a_loop": 8,
    "batched/test_programs.py::test_nested": NONE,
    "batched/test_random.py": 4,
    "batched/test_warnings.py": 4,
    "combinators": 8,
    "combinators/test_arrays.py::test_combinators_within_each_other": NONE,
    "combinators/test_random.py::test_gradients": 6,
    "control": 6,
    "control/test_given.py::test_every_operator_at_every_cut": 4,
    "control/test_laws.py::test_laws": 3,
    "control/test_model.py::test_random_programs": 3,
    "ctarget/test_array_reversals.py": 4,
    "ctarget/test_build.py::test_an_install_without_a_compiler_succeeds": NONE,
    "ctarget/test_containers.py::test_against_a_model": NONE,
    "ctarget/test_containers.py::test_what_holds_itself_is_freed_with_its_run": NONE,
    "ctarget/test_cotangent.py::test_against_a_model": NONE,
    "ctarget/test_driver.py": 6,
    "ctarget/test_driver.py::test_so_it_is_of_very_long_runs": NONE,
    "ctarget/test_entering.py": 4,
    "ctarget/test_held_tapes.py": 5,
    "ctarget/test_numbers.py": 5,
    "ctarget/test_operators.py": 4,
    "ctarget/test_operators.py::test_runs_that_are_long_are_done_by_python": NONE,
    "ctarget/test_rows.py": 4,
    "ctarget/test_runtime.py": NONE,
    "ctarget/test_series.py": 10,
    "ctarget/test_weighing.py": 6,
    "ctarget/translate": 4,
    "ctarget/translate/test_boundary.py": 8,
    "ctarget/translate/test_cache.py::test_several_processes_compile_a_unit_once": NONE,
    "ctarget/translate/test_counts.py::test_a_loop_over_lanes_is_left_at_its_end_alone": NONE,
    "ctarget/translate/test_counts.py::test_programs[probabilistic-prolog]": NONE,
    "ctarget/translate/test_elements.py": 8,
    "ctarget/translate/test_lanes.py": 6,
    "ctarget/translate/test_lanes.py::test_a_pixel_of_the_ray_tracer_has_its_bits": NONE,
    "ctarget/translate/test_lanes.py::test_captured_reals_have_the_gradients_of_the_loop": NONE,
    "ctarget/translate/test_lanes.py::test_every_cut_resumes_to_the_same_end": NONE,
    "ctarget/translate/test_lanes.py::test_gradients": 4,
    "ctarget/translate/test_lanes.py::test_gradients[nested-64]": NONE,
    "ctarget/translate/test_lanes.py::test_many_lanes": NONE,
    "ctarget/translate/test_lanes.py::test_python_enters_no_lane": NONE,
    "ctarget/translate/test_lanes.py::test_python_enters_no_lane[scene]": NONE,
    "ctarget/translate/test_lifted.py": 4,
    "ctarget/translate/test_lifted.py::test_programs[gradient-F]": NONE,
    "ctarget/translate/test_lists.py::test_bit_for_bit[reads]": NONE,
    "ctarget/translate/test_lists.py::test_bit_for_bit[whole]": NONE,
    "ctarget/translate/test_nested.py::test_texts[twice]": NONE,
    "ctarget/translate/test_policy_programs.py::test_processes_that_share_a_cache_agree": NONE,
    "ctarget/translate/test_strip_activity.py": 6,
    "ctarget/translate/test_strip_activity.py::test_gradients_by_some_arguments": NONE,
    "ctarget/translate/test_strip_activity.py::test_infinite_partials_of_what_is_compared": NONE,
    "ctarget/translate/test_strip_activity.py::test_lanes_whose_constants_differ": NONE,
    "ctarget/translate/test_strip_calls.py::test_upper_halves_are_clean_at_calls": NONE,
    "ctarget/translate/test_strip_items.py::test_items_in_tuples": NONE,
    "ctarget/translate/test_strip_slots.py::test_lanes_that_leave_together": 3,
    "ctarget/translate/test_strip_slots.py::test_strips_of_all_lengths": 4,
    "ctarget/translate/test_strip_threads.py": 6,
    "ctarget/translate/test_strip_threads.py::test_alone": NONE,
    "ctarget/translate/test_strip_threads.py::test_ctrl_c_ends_a_run": NONE,
    "ctarget/translate/test_strip_threads.py::test_strips_that_record_more_than_those_before": NONE,
    "ctarget/translate/test_strip_vectors.py": 6,
    "ctarget/translate/test_strip_vectors.py::test_gcc_has_all_arithmetic_in_vectors": NONE,
    "ctarget/translate/test_strip_vectors.py::test_turns_make_nothing_and_test_no_kinds": NONE,
    "ctarget/translate/test_strips.py": 6,
    "ctarget/translate/test_strips.py::test_a_lane_that_leaves": NONE,
    "ctarget/translate/test_strips.py::test_every_budget_gives_the_same": NONE,
    "ctarget/translate/test_strips.py::test_gradients_by_objects_of_lanes": NONE,
    "ctarget/translate/test_strips.py::test_hot_loops_are_vectors_alone": NONE,
    "ctarget/translate/test_strips.py::test_lanes_of_long_runs": NONE,
    "ctarget/translate/test_strips.py::test_objects_of_lanes": NONE,
    "ctarget/translate/test_strips.py::test_values_and_steps[functions]": NONE,
    "ctarget/translate/test_strips.py::test_values_and_steps[twins]": NONE,
    "ctarget/translate/test_text_seeds.py::test_whatever_the_seed_of_hashes": NONE,
    "ctarget/translate/test_unloading.py::test_equal_functions_share_units_which_go_with_the_last_one": NONE,
    "ctarget/translate/test_unloading.py::test_many_functions_have_few_maps_and_then_none": NONE,
    "ctarget/translate/test_walks.py": 6,
    "derivatives": 3,
    "docs/test_gallery.py": 4,
    "driver/spill/test_engines.py": 6,
    "driver/spill/test_policy.py": 4,
    "driver/test_binomial.py": 6,
    "driver/test_binomial.py::test_the_formula_is_the_optimum": NONE,
    "driver/test_budget.py": 5,
    "driver/test_budget.py::test_uneven_runs_keep_to_the_budget": NONE,
    "driver/test_budget_laws.py": 6,
    "driver/test_budget_laws.py::test_in_threads": 3,
    "driver/test_budget_laws.py::test_what_is_stopped_leaves_nothing_behind": 3,
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
    "durable/journal": 8,
    "durable/journal/test_kill.py::test_kill_9": NONE,
    "durable/journal/test_law.py::test_random_programs_that_lose_power[objects-hybrid]": NONE,
    "durable/test_code.py::test_a_large_program_is_found_again_after_a_run": NONE,
    "durable/test_code.py::test_hashes_do_not_depend_on_process_path_or_comments": NONE,
    "durable/test_deep.py": 6,
    "durable/test_round_trips.py": 4,
    "durable/test_round_trips.py::test_random_programs_in_fresh_processes": NONE,
    "engine_containers": 4,
    "engine_containers/test_random_updates.py::test_laws_of_updates": NONE,
    "experiments": NONE,
    "hostile/test_sanitizers.py": NONE,
    "lang/test_desugar.py::test_long_and_deep_texts": 7,
    "lang/test_printer.py::test_long_and_deep_values": NONE,
    "lang/test_readback.py::test_random_programs_read_back": NONE,
    "laws/test_corpus.py": 5,
    "laws/test_corpus_gradients.py": 5,
    "laws/test_deep.py::test_a_cut_half_way_down_and_half_way_up[hybrid]": NONE,
    "laws/test_deep.py::test_a_cut_half_way_down_and_half_way_up[interp]": NONE,
    "laws/test_deep.py::test_a_million_turns_in_constant_memory[interp-150000]": NONE,
    "laws/test_deep.py::test_a_raise_from_far_down[interp]": NONE,
    "laws/test_deep.py::test_backward_through_recursion[interp]": NONE,
    "laws/test_deep.py::test_freeing_a_long_list[50000-interp]": NONE,
    "laws/test_deep.py::test_freeing_nests_of_other_kinds[interp]": NONE,
    "laws/test_deep.py::test_long_lists_pass_through_everything[hybrid]": NONE,
    "laws/test_deep.py::test_long_lists_pass_through_everything[interp]": NONE,
    "laws/test_deep.py::test_loops_in_constant_memory[hybrid]": NONE,
    "laws/test_deep.py::test_loops_in_constant_memory[interp]": NONE,
    "laws/test_deep.py::test_recursion_a_million_deep[interp-150000]": NONE,
    "laws/test_deep.py::test_the_measure_sees_what_is_kept": NONE,
    "laws/test_deep.py::test_the_measure_sees_what_is_kept[hybrid]": NONE,
    "laws/test_deep.py::test_the_measure_sees_what_is_kept[interp]": NONE,
    "laws/test_derivatives_in_translation.py::test_reverse_over_forward": 8,
    "laws/test_derivatives_in_translation.py::test_reverse_over_forward[entries]": NONE,
    "laws/test_lanes.py": 5,
    "laws/test_lanes.py::test_random_functions_equal_the_loop_by_hand": NONE,
    "laws/test_lanes.py::test_random_functions_in_c": NONE,
    "laws/test_lanes_in_strips.py": 6,
    "laws/test_lanes_in_strips.py::test_lanes_of_numbers[1000-13-False]": NONE,
    "laws/test_lanes_in_strips.py::test_lanes_of_numbers_in_strips": NONE,
    "laws/test_lanes_in_strips.py::test_lanes_of_numbers_in_strips[12-True]": NONE,
    "laws/test_lanes_of_corpus.py": 6,
    "laws/test_lanes_of_functions.py": 6,
    "laws/test_lanes_of_functions.py::test_lanes_are_the_loop[generators_lazy.managers-3]": NONE,
    "laws/test_left_over.py::test_nothing_is_left_by_translated_code": 4,
    "laws/test_random_programs.py::test_laws": 3,
    "laws/test_small_gradients.py": 5,
    "laws/test_small_gradients.py::test_random_functions": NONE,
    "laws/test_sums.py": 8,
    "laws/test_sums.py::test_random_functions_equal_the_tree_by_hand": 4,
    "laws/test_sums.py::test_random_functions_equal_the_tree_by_hand[1-0]": NONE,
    "laws/test_sums.py::test_random_functions_equal_the_tree_by_hand[2-1]": NONE,
    "laws/test_translation.py": 8,
    "laws/test_translation.py::test_cuts": NONE,
    "laws/test_translation.py::test_values_steps_and_gradients[closures]": NONE,
    "laws/test_translation.py::test_values_steps_and_gradients[shared]": NONE,
    "prims/test_scalars.py::test_derivatives_against_differences": 4,
    "python/test_capsules.py": 5,
    "python/test_capsules.py::test_random_programs": NONE,
    "python/test_capsules_nested.py": 5,
    "python/test_corpus.py": 8,
    "python/test_inputs.py": 4,
    "python/test_inputs.py::test_a_thousand_fresh_closures_are_translated_once": 3,
    "python/test_kept_iterators.py": 4,
    "python/test_local_classes.py::test_each_derivative_and_lane_has_classes_and_identities_of_its_own": NONE,
    "python/test_places.py::test_different_functions_in_threads": NONE,
    "python/test_random_mixed.py::test_agrees": 8,
    "python/test_random_mixed.py::test_agrees_where_it_is_translated": NONE,
    "python/test_random_objects.py": NONE,
    "scalars/test_new_function.py::test_it_is_translated": NONE,
    "scalars/test_new_function.py::test_it_works[on_reals]": NONE,
    "scipy_programs": 10,
    "scipy_programs/test_minima.py::test_minima[newton-1e-05]": NONE,
    "scipy_programs/test_minima.py::test_minima_without_derivatives": 6,
    "scipy_programs/test_quadrature.py::test_long_integrals": 6,
    "scipy_programs/test_stats.py::test_second_derivatives": NONE,
    "tensorlib/test_records.py": 4,
    "tensorlib/test_several_directions.py::test_bits_of_each_direction[tensorlib.expm_frechet]": NONE,
    "tensorlib/test_training.py": 6,
    "tensorlib/test_training.py::test_derivatives_through_training[by_batches-hybrid]": NONE,
    "tensorlib/test_written.py": 5,
    "uses": 3,
    "workers/test_cores.py::test_a_user_may_say_how_many_threads_libraries_have": NONE,
    "workers/test_cores.py::test_libraries_that_a_script_imports_have_their_part_of_the_cores": NONE,
    "workers/test_journals.py": 4,
    "workers/test_journals.py::test_kill_9": NONE,
    "workers/test_journals.py::test_nothing_is_left_of_workers": NONE,
    "workers/test_journals.py::test_other_processes_go_on": NONE,
    "workers/test_plans.py::test_with_a_disk_nothing_runs_more_than_twice[Processes]": NONE,
    "workers/test_relay.py": 4,
    "workers/test_relay.py::test_a_segment_with_which_workers_die_again_and_again_ends_the_call": NONE,
    "workers/test_relay.py::test_a_worker_that_dies_in_each_segment_in_turn_changes_nothing": NONE,
    "workers/test_silence.py::test_a_process_that_is_stopped_is_replaced": NONE,
}


def mark_wide(items: Iterable[pytest.Item]) -> None:
    """Mark the tests that `make test` leaves out."""
    functions: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        file = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""
        if item.get_closest_marker("long") is None:
            if SHARES.get(f"{file}::{item.name}") == NONE:
                item.add_marker(pytest.mark.wide)
            else:
                functions[file, getattr(item, "originalname", item.name)].append(item)
    for (file, function), tests in functions.items():
        own = f"{file}::{function}"
        places = (own, file, *map(str, PurePosixPath(file).parents))
        every = next((SHARES[place] for place in places if place in SHARES), None)
        if every is not None:
            is_named = own in SHARES
            take_turns = tests[0].get_closest_marker("engines_in_turn") is not None
            least = LEAST if take_turns and not is_named else 1
            for left_out in all_but_a_share(tests, every, least, 0 if is_named else FEW):
                left_out.add_marker(pytest.mark.wide)


def all_but_a_share(
    tests: Sequence[pytest.Item], every: int, least: int = 1, few: int = FEW
) -> Sequence[pytest.Item]:
    """Return the tests of one function that are no tests of the one case in `every` that is kept.

    least: cases that are kept in any case. few: parameters of so many values keep each of them.
    """
    if every == NONE:
        return tests
    cases: dict[Hashable, list[pytest.Item]] = defaultdict(list)
    for test in tests:
        cases[_case_of(test)].append(test)
    complete = _of_few_values(tests, min(few, len(cases) // 2))
    kept = max(least, ceil(len(cases) / every))
    tried: set[tuple[str, int]] = set()
    found = []
    for i, case in enumerate(sorted(cases, key=lambda case: _rank(case, cases[case]))):
        new = {(name, id(_parameters(test)[name])) for test in cases[case] for name in complete} - tried
        if i < kept or new:
            tried |= new
        else:
            found += cases[case]
    return found


def _of_few_values(tests: Iterable[pytest.Item], few: int) -> list[str]:
    """Return the parameters that have few values."""
    values: dict[str, set[int]] = defaultdict(set)
    for test in tests:
        for name, value in _parameters(test).items():
            values[name].add(id(value))
    return [name for name, found in values.items() if len(found) <= few]


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
