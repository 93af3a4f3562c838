"""Tables of pandas as values of the language: constants, with which pandas computes (checkpoint.ad.opaque).

As an operand beside numbers and arrays of the program, a DataFrame or Series becomes an array. pandas aligns
rows by their labels and leaves out missing values, which arrays do not; so this holds only of tables whose
labels are 0, 1, 2, ... and without a missing value. Methods that arrays have, too, are refused where pandas
has other defaults, such as those of std.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.array_library import defaults, dtype_kind, holds_numbers
from checkpoint.ad.arrays import Array, Discrete, Native
from checkpoint.ad.numbers import DERIVED
from checkpoint.errors import RunError

_NUMBERS = frozenset((float, Array, Discrete, *DERIVED))


class Table(Native):
    """An object of pandas: a DataFrame, a Series, an index, groups of rows."""

    __slots__ = ()


NATIVES = frozenset((Native, Table))


def is_of_pandas(cls: type) -> bool:
    """Return whether a class is one of pandas."""
    return cls.__module__.startswith("pandas")


def held(value: Any) -> Native:
    """Return the value of the language for an object that programs hold as it is."""
    return Table(value) if is_of_pandas(type(value)) else Native(value)


def are_mixed(operands: Sequence[Any]) -> bool:
    """Return whether a table is among operands, and a number or an array of the program."""
    for operand in operands:
        if type(operand) is Table:
            return any(type(x) in _NUMBERS for x in operands)
    return False


_ALIKE = frozenset(("sum", "mean", "max", "min", "prod", "any", "all", "cumsum", "cumprod", "tolist", "item"))


def called(name: str, table: Table, operands: Sequence[Any]) -> Any:
    """Return what a method that arrays have, too, gives for a table; operands: None or False for no argument.

    Raises RunError where the method of arrays has other defaults, or an argument is passed.
    """
    method, noun = name.removeprefix("ndarray."), type(table.value).__name__
    if noun == "Series" and method in _ALIKE and all(x is None or x is False for x in operands):
        return getattr(table.value, method)()
    raise RunError(
        f"the method {method} of a pandas {noun} is not that of arrays: write x.to_numpy().{method}(...)"
    )


def elements_of(table: Any) -> Any:
    """Return the elements of a DataFrame or Series as a read-only array."""
    noun = type(table).__name__
    index = getattr(table, "index", None)
    if type(index).__name__ != "RangeIndex" or index.start != 0 or index.step != 1:  # type: ignore[union-attr]
        raise RunError(
            f"a pandas {noun} whose labels are not 0, 1, 2, ... beside numbers: pandas would align rows by "
            f"their labels. Write x.to_numpy(), or x.reset_index(drop=True)"
        )
    data = defaults[0].array(table.to_numpy())
    if not holds_numbers(data):
        raise RunError(f"a pandas {noun} of {data.dtype} beside numbers: take its columns of numbers")
    if dtype_kind(data.dtype) in "fc" and defaults[0].isnan(data).any():
        raise RunError(
            f"a pandas {noun} with missing values beside numbers: pandas would leave them out. Write "
            f"x.to_numpy(), or fill them first, x.fillna(0.0)"
        )
    data.flags.writeable = False
    return data
