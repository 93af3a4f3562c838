"""What vmap refuses, by name, and how errors name the lanes that they are raised in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import grad, vjp, vmap
from tests.api.test_lanes import ENGINES, M, X, root

pytestmark = pytest.mark.engines_in_turn


def inverse(x: float) -> float:
    return 1.0 / (x - 9.0)


captured = [1.0]


def changes_a_list(x: float) -> float:
    if x > 1.5:
        captured.append(x)
    return x


def changes_an_argument(x: float, xs: list[float]) -> float:
    xs.append(x)
    return x


def changes_its_row(row: Any) -> Any:
    row[0] = 1.0
    return row


def changes_an_own_list(a: Any) -> Any:
    found: list[float] = []

    def noted(x: float) -> float:
        found.append(x)
        return x

    return vmap(noted)(a)


def counts_in_a_variable(a: Any) -> Any:
    count = 0

    def counted(x: float) -> float:
        nonlocal count
        count += 1
        return x * count

    return vmap(counted)(a)


def many(x: float) -> list[float]:
    return [x] * int(x)


def first(a: Any) -> Any:
    return a[: int(a[0])]


ERRORS: dict[str, tuple[Callable[[str], Any], type[Exception], str, list[int]]] = {
    "in lanes": (lambda e: vmap(inverse, engine=e)(X), ZeroDivisionError, "float division by zero", [2]),
    "in lanes of lanes": (
        lambda e: vmap(lambda x: vmap(inverse)(np.array([x, 9.0])), engine=e)(X),
        ZeroDivisionError,
        "float division by zero",
        [1, 0],
    ),
    "in a gradient": (
        lambda e: grad(lambda a: np.sum(vmap(inverse)(a)), engine=e)(X),
        ZeroDivisionError,
        "float division by zero",
        [2],
    ),
    "in a gradient of a lane": (
        lambda e: vmap(grad(inverse), engine=e)(X),
        ZeroDivisionError,
        "float division by zero",
        [2],
    ),
    "a changed list": (
        lambda e: vmap(changes_a_list, engine=e)(X),
        checkpoint.SourceError,
        "changing captured",
        [1],
    ),
    "a changed argument": (
        lambda e: vmap(changes_an_argument, (0, None), engine=e)(X, [1.0]),
        checkpoint.RunError,
        "cannot be changed",
        [0],
    ),
    "a changed row": (
        lambda e: vmap(changes_its_row, engine=e)(M),
        checkpoint.RunError,
        "this array .* cannot be changed",
        [0],
    ),
    "a list of the run": (
        lambda e: vjp(changes_an_own_list, X, np.ones(3), engine=e),
        checkpoint.RunError,
        "this list .* cannot be changed",
        [0],
    ),
    "a variable of the run": (
        lambda e: vjp(counts_in_a_variable, X, np.ones(3), engine=e),
        checkpoint.RunError,
        "cannot be changed",
        [0],
    ),
    "functions": (
        lambda e: vmap(lambda x: (lambda y: y) if x > 1.5 else x, engine=e)(X),
        TypeError,
        "lane 1 of vmap returns a function, which cannot be stacked",
        [],
    ),
    "capsules": (
        lambda e: vmap(lambda x: checkpoint.interrupt(root, x, 3), engine=e)(X),
        TypeError,
        "lane 0 of vmap returns a capsule, which cannot be stacked",
        [],
    ),
    "texts": (
        lambda e: vmap(lambda x: "a", engine=e)(X),
        TypeError,
        "lane 0 of vmap returns a str, which cannot be stacked",
        [],
    ),
    "sets": (
        lambda e: vmap(lambda x: [x, {x}], engine=e)(X),
        TypeError,
        "lane 0 of vmap returns a set, which cannot be stacked",
        [],
    ),
    "sets as arguments": (
        lambda e: vmap(max, engine=e)(X, {1}),
        ValueError,
        "an argument is a set, which has no axis 0",
        [],
    ),
    "complex numbers beside reals": (
        lambda e: vmap(lambda x: complex(x, 1.0) if x > 1.5 else x, engine=e)(X),
        ValueError,
        "lane 1 of vmap returns a complex, and lane 0 a float",
        [],
    ),
    "large integers": (
        lambda e: vmap(lambda x: 2**62 if x < 1.5 else 2**63, engine=e)(X),
        OverflowError,
        "lane 1 of vmap returns an int of more than 64 bits",
        [],
    ),
    "lengths in dicts": (
        lambda e: vmap(lambda x: {"a": many(x), "b": x}, engine=e)(X),
        ValueError,
        "lane 1 of vmap returns a list of 2, and lane 0 a list of 1",
        [],
    ),
    "a number beside tuples": (
        lambda e: vmap(lambda x: (x, x) if x < 1.5 else x, engine=e)(X),
        ValueError,
        "lane 1 of vmap returns a float, and lane 0 a tuple of 2",
        [],
    ),
    "lengths of tuples": (
        lambda e: vmap(lambda x: (x, x, x) if x < 2.5 else (x, x), engine=e)(X),
        ValueError,
        "lane 2 of vmap returns a tuple of 2, and lane 0 a tuple of 3",
        [],
    ),
    "tuples longer than others": (
        lambda e: vmap(lambda x: (x, x, x, x) if x < 2.5 else (x, x, x, x, x), engine=e)(X),
        ValueError,
        "lane 2 of vmap returns a tuple of 5, and lane 0 a tuple of 4",
        [],
    ),
    "keys": (
        lambda e: vmap(lambda x: {"a": x} if x < 1.5 else {"b": x}, engine=e)(X),
        ValueError,
        r"lane 1 of vmap returns a dict with the keys \['b'\], and lane 0 a dict with the keys \['a'\]",
        [],
    ),
    "lengths": (
        lambda e: vmap(many, engine=e)(X),
        ValueError,
        "lane 1 of vmap returns a list of 2, and lane 0 a list of 1",
        [],
    ),
    "shapes": (
        lambda e: vmap(first, engine=e)(M),
        ValueError,
        r"lane 1 of vmap returns an array float64 \(3,\), and lane 0 an array float64 \(1,\)",
        [],
    ),
    "kinds": (
        lambda e: vmap(lambda x: x > 5 if x > 5 else x, engine=e)(X),
        ValueError,
        "lane 2 of vmap returns a bool, and lane 0 a float",
        [],
    ),
    "not alike": (
        lambda e: vmap(lambda x: x, 0, None, engine=e)(X),
        ValueError,
        "lane 1 of vmap returns another value than lane 0",
        [],
    ),
    "no lanes": (
        lambda e: vmap(root, engine=e)(np.array([])),
        ValueError,
        "vmap needs at least one lane",
        [],
    ),
    "a float": (
        lambda e: vmap(root, engine=e)(3.0),
        ValueError,
        "an argument is a float, which has no axis 0",
        [],
    ),
    "texts as items": (
        lambda e: vmap(root, engine=e)(np.array(["a", "b"])),
        ValueError,
        "an argument is an array of what is no number, which has no axis 0",
        [],
    ),
    "a shared keyword": (
        lambda e: vmap(lambda x, k: x * k, engine=e)(X, k=2.0),
        ValueError,
        "None in in_axes, which is for arguments that are passed by position",
        [],
    ),
    "axes of an array without any": (
        lambda e: vmap(root, engine=e)(np.array(1.0)),
        ValueError,
        r"in_axes has the axis 0 for an array of shape \(\): write None for what all lanes share",
        [],
    ),
    "out axes beyond": (
        lambda e: vmap(lambda x: np.ones(4) * x, 0, 2, engine=e)(X),
        ValueError,
        r"out_axes has the axis 2 for results of shape \(4,\): write -2 to 1",
        [],
    ),
    "no such axis": (
        lambda e: vmap(root, 1, engine=e)(X),
        ValueError,
        r"in_axes has the axis 1 for an array of shape \(3,\): write -1 to 0, or None for what all",
        [],
    ),
    "too many axes": (
        lambda e: vmap(root, (0, 0), engine=e)(X),
        ValueError,
        "in_axes has 2 entries, and f is called with 1 arguments: write an axis for each argument",
        [],
    ),
    "unlike numbers": (
        lambda e: vmap(max, engine=e)(X, np.ones(2)),
        ValueError,
        r"one number of lanes in all mapped arguments, not 3 \(axis 0 of \(3,\)\), 2 \(axis 0 of \(2,\)\)",
        [],
    ),
    "nothing mapped": (
        lambda e: vmap(root, None, engine=e)(X),
        ValueError,
        "in_axes is None for all of them",
        [],
    ),
    "axes that are none": (
        lambda e: vmap(root, {"a": 0}, engine=e)(X),
        TypeError,
        "in_axes is an int, None, or",
        [],
    ),
    "unlike pytrees": (
        lambda e: vmap(lambda d: d["a"], ({"b": 0},), engine=e)({"a": X}),
        ValueError,
        r"in_axes has a dict with the keys \['b'\] in the place of a dict with the keys \['a'\]: write",
        [],
    ),
    "out axes of numbers": (
        lambda e: vmap(root, 0, 1, engine=e)(X),
        ValueError,
        "out_axes has the axis 1 for results that are numbers: write 0",
        [],
    ),
    "out axes of another structure": (
        lambda e: vmap(root, 0, (0, 0), engine=e)(X),
        ValueError,
        "out_axes has a tuple of 2 where f returns a float",
        [],
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str, engine: str) -> None:
    call, kind, text, lanes = ERRORS[name]
    with pytest.raises(kind, match=text) as caught:
        call(engine)
    notes = [note for note in getattr(caught.value, "__notes__", []) if note.startswith("in lane")]
    assert notes == [f"in lane {lane} of vmap" for lane in lanes]


def test_vmap_takes_a_function() -> None:
    with pytest.raises(checkpoint.RunError, match="vmap takes a function, not an int"):
        vmap(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_that_the_program_handles_has_no_note(engine: str) -> None:
    def handled(a: Any) -> Any:
        try:
            return np.sum(vmap(inverse)(a))
        except ZeroDivisionError:
            return inverse(float(a[2]))

    with pytest.raises(ZeroDivisionError) as caught:
        grad(handled, engine=engine)(X)
    assert not any(note.startswith("in lane") for note in caught.value.__notes__)
