"""The log of effects: one path, one effect; later executions write nothing and read what was read first."""

from __future__ import annotations

import pytest

from checkpoint.driver.effects import EffectLog, Effects, read_word
from tests.support.world import World


def test_a_path_is_written_once_and_in_order() -> None:
    effects = Effects()
    with World() as world:
        for _ in range(3):
            for step in (2, 5, 7):
                effects.write(step, f"step {step}")
    assert world.written == "step 2\nstep 5\nstep 7\n"


def test_a_run_inside_a_step_has_paths_of_its_own() -> None:
    log = EffectLog()
    outer = Effects(log)
    with World() as world:
        for _ in range(2):
            outer.write(1, "1")
            inner = outer.inside(4)
            inner.write(1, "4.1")
            inner.inside(2).write(9, "4.2.9")
            inner.write(3, "4.3")
            outer.write(5, "5")
    assert world.written == "1\n4.1\n4.2.9\n4.3\n5\n"


def test_what_was_read_is_read_again() -> None:
    effects, answers = Effects(), iter("abc")
    first = [effects.read(step, lambda: next(answers)) for step in (1, 2, 8)]
    again = [effects.read(step, lambda: next(answers)) for step in (8, 1, 2)]
    assert (first, again) == (["a", "b", "c"], ["c", "a", "b"])


def test_a_run_that_begins_again_and_again_repeats_nothing() -> None:
    with World() as world:
        effects = Effects()
        for step, text in enumerate(["a", "b", "c"]):
            effects.write(step, text)
        shorter = effects.again()
        shorter.write(0, "a")
        whole = shorter.again().again()
        for step, text in enumerate(["a", "b", "c", "d"]):
            whole.write(step, text)
    assert world.written == "a\nb\nc\nd\n"


def test_calls_of_the_interface_do_not_share_a_log() -> None:
    with World() as world:
        for _ in range(2):
            Effects().write(1, "again")
    assert world.written == "again\nagain\n"


@pytest.mark.parametrize(
    ("text", "words", "unread"),
    [
        ("", [""], ""),
        (" \n\t ", [""], ""),
        ("one", ["one", ""], ""),
        ("  1 2\n", ["1"], "2\n"),
        ("1\n2", ["1", "2", ""], ""),
        ("1e5\r\n-2", ["1e5"], "\n-2"),
        ("3 (4)", ["3", "(4)"], ""),
    ],
)
def test_words_are_what_stands_between_white_space(text: str, words: list[str], unread: str) -> None:
    with World(text) as world:
        assert [read_word() for _ in words] == words
    assert world.unread == unread
