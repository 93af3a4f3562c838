"""The comparison of loops, tool by tool: each that is installed is right; what one cannot do is said."""

from __future__ import annotations

import importlib
import json

import pytest

from experiments.peers import alone, run
from experiments.peers.subjects import FUNCTIONS, Cannot, by_hand, is_right, turns

SMALL = {"lorenz": 1_000, "nested": 2**6}
INSTALLED = [module for module in run.NAMES if not run.not_installed(module)]


@pytest.mark.parametrize("program", FUNCTIONS)
@pytest.mark.parametrize("module", INSTALLED)
def test_what_each_tool_finds_is_right(module: str, program: str) -> None:
    peers = importlib.import_module(f"experiments.peers.{module}").PEERS
    assert tuple(peers) == run.NAMES[module]
    for name, peer in peers.items():
        try:
            found = peer(program, SMALL[program])()
        except Cannot as reason:
            assert program == "nested", name
            assert run.line({"peer": name, "cannot": str(reason)}) == (name, "-", "-", "-", str(reason))
        else:
            assert is_right(program, SMALL[program], found), name


def test_a_wrong_gradient_is_called_wrong() -> None:
    value, gradient = by_hand("lorenz", 1_000)()
    assert is_right("lorenz", 1_000, (value, gradient))
    assert not is_right("lorenz", 1_000, (value, [*gradient[:-1], gradient[-1] * (1 + 1e-5)]))


def test_a_row_has_time_memory_and_the_first_call() -> None:
    row = alone.row("own", run.NAMES["own"][1], "nested", SMALL["nested"])
    assert json.loads(json.dumps(row)).keys() == {"ns", "first", "MiB", "right"}
    assert row["right"]
    assert run.line({"peer": "x", **row})[-1] == ""


def test_the_inner_loop_turns_as_often_as_the_program_says() -> None:
    assert turns("lorenz", 5) == 5
    powers = [3, 1, 3, 1]  # of 3, modulo 4
    assert turns("nested", 4) == sum([4 >> (1 + 1007 * power % 4).bit_length() - 1 for power in powers])
