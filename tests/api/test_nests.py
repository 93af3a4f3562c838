"""Arguments in and out of programs: round trips, registered classes, what cannot enter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import optree
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint import RunError, SourceError, vjp
from checkpoint.ad.graph import numbers
from checkpoint.ad.tangent import tangent_of
from checkpoint.functions.pytrees import cotangent_to_python, to_language, to_python
from checkpoint.prims.python.tangents import cotangent_from

TREES: Any = optree  # its annotations know fewer dataclasses and nodes than it takes


class Named(NamedTuple):
    a: Any
    b: Any


@dataclass(slots=True)
class Data:
    c: Any
    d: Any


LEAVES = st.floats() | st.complex_numbers() | st.integers() | st.booleans() | st.none() | st.text()
KEYS = st.text() | st.integers() | st.tuples(st.integers(), st.booleans())
NESTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.builds(Named, inner, inner)
        | st.builds(Data, inner, inner)
    ),
)


def unknown(thing: Any) -> Any:
    return NotImplemented


def entered(nest: Any) -> Any:
    return to_language(nest, "x", unknown)


@given(NESTS)
def test_what_enters_comes_back(nest: Any) -> None:
    back = to_python(entered(nest), unknown)
    assert repr(back) == repr(nest)
    assert type(back) is type(nest)


@given(NESTS)
def test_cotangents_have_the_structure_of_their_nest(nest: Any) -> None:
    value = entered(nest)
    cotangent = tangent_of(value, [float(i) for i in range(len(numbers(value)))])
    back = cotangent_to_python(nest, cotangent)
    assert type(back) is type(nest) or not isinstance(nest, (list, tuple, dict, Data))
    again = cotangent_from(value, back, "ybar")
    assert repr(cotangent_to_python(nest, again)) == repr(back)


class Registered:
    def __init__(self, left: Any, right: Any, name: str) -> None:
        self.left, self.right, self.name = left, right, name


TREES.register_pytree_node(
    Registered,
    lambda node: ((node.right, node.left), node.name),
    lambda name, children: Registered(children[1], children[0], name),
    namespace="checkpoint",
)


class Computed:
    def __init__(self, value: Any) -> None:
        self.value = value


TREES.register_pytree_node(
    Computed,
    lambda node: ((node.value + 0.0,), None),
    lambda _, parts: Computed(*parts),
    namespace="checkpoint",
)


def cotangent(nest: Any) -> Any:
    value = entered(nest)
    return cotangent_to_python(nest, tangent_of(value, [float(i) for i in range(len(numbers(value)))]))


def test_registered_classes_keep_what_is_no_child() -> None:
    made = cotangent([5.0, Registered(1.0, [2.0, 3], "n")])[1]
    assert (made.left, made.right, made.name) == (1.0, [2.0, None], "n")
    back = to_python(entered(Registered(1.0, 2.0, "n")), unknown)
    assert (back.left, back.right, back.name) == (1.0, 2.0, "n")


def test_a_registration_that_computes_is_left_aside() -> None:
    assert cotangent(Computed(3.0)).value == 0.0


@TREES.dataclasses.dataclass(namespace="checkpoint")
class Static:
    a: float
    k: int = TREES.dataclasses.field(pytree_node=False, default=3)


def test_static_fields_of_dataclasses_stay() -> None:
    assert cotangent(Static(2.0, 7)) == Static(0.0, 7)  # type: ignore[call-arg]


def test_depth_does_not_matter() -> None:
    nest: Any = 1.0
    for _ in range(100_000):
        nest = [nest]
    back = cotangent(nest)
    for _ in range(100_000):
        (back,) = back
    assert back == 0.0


class Number(float):
    pass


def test_subclasses_of_float_are_reals() -> None:
    value = entered(Number(2.0))
    assert type(value) is float


@pytest.mark.parametrize(
    ("nest", "message"),
    [
        ((1.0, bytearray(2)), r"^x\[1\] is of type builtins.bytearray"),
        ([object()], r"^x\[0\] is of type builtins.object, .*: pass numbers in tuples"),
        ({object(): 1.0}, r"^the key <object object at 0x\w+> cannot enter a program"),
    ],
)
def test_what_cannot_enter(nest: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        entered(nest)


@pytest.mark.parametrize("key", [math.nan, (1, math.nan), complex(math.nan, 1.0), np.float64(math.nan)])
def test_a_nan_for_a_key_is_refused(key: Any) -> None:
    """Take no dictionary of its tokens for one that needs tokens, over and over."""
    with pytest.raises(RunError, match=r"^the key .* cannot enter: Python tells NaNs apart"):
        vjp(lambda x: sum(x.values()), {key: 1.0}, 1.0)


def test_a_nest_that_holds_itself() -> None:
    nest: list[Any] = [1.0]
    nest.append(nest)
    with pytest.raises(RunError, match="contains itself"):
        entered(nest)


@pytest.mark.parametrize("x", [isinstance, [1.0, isinstance]])
def test_a_builtin_function_among_the_arguments(x: Any) -> None:
    with pytest.raises(SourceError, match=r"^isinstance, for which there is no rule, cannot be differ"):
        vjp(lambda x: x, x)
