"""The elements of arrays as bytes, for whoever stores them elsewhere and shows them again later.

In: an array of a library. Out: which bytes have its elements, of which object; later, from an object with the
same bytes, the same array: its elements, dtype, shape and strides, since the order in which a sum is formed
depends on these. Libraries say how for the types of their arrays (`install`); nothing here imports one.
Arrays of other types, and those of which a library says nothing, stay where they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from checkpoint.ad.array_library import library_of


class Span(NamedTuple):
    """The bytes of an array's elements.

    holder: the object that has the bytes, which can be referred to weakly. first, end: from which byte of it
    up to which. form: all else that the array is, for `Elements.shown`.
    """

    holder: Any
    first: int
    end: int
    form: Any


class Elements(Protocol):
    """Says for a library how the elements of its arrays lie."""

    def span(self, data: Any) -> tuple[Any, int, int, Any] | None:
        """Return a Span, where an array's elements are; None for one that must stay there."""
        ...

    def raw(self, holder: Any) -> memoryview:
        """Return the bytes of a holder, which can be written where the holder is new."""
        ...

    def blank(self, forms: list[Any], length: int) -> Any:
        """Return a new holder of so many bytes, of any content, for the arrays of one of these forms."""
        ...

    def shown(self, holder: Any, shift: int, form: Any) -> Any:
        """Return the array of a form; byte 0 of the holder is byte `shift` of the one the form is of."""
        ...


def elements_of(data: Any) -> Elements | None:
    """Return what is known of the elements of an array; None if nothing is."""
    found: Elements | None = library_of(data).elements
    return found
