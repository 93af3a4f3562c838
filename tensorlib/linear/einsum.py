"""Sums of products by subscripts: np.einsum.

The subscripts are read once for each call of a rule: every axis of every operand gets a label of its own,
those under an ellipsis too, so that a cotangent is again such a sum.
"""

from __future__ import annotations

import functools
import string
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.tensors import SAME
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor
from tensorlib.moves import spread
from tensorlib.rules import shape_of, unbroadcast

_WORTH_A_PLAN = 1000  # from how many elements on a sum of products is taken in the best order


def _value(xp: Any, subscripts: Any, *operands: Any) -> Any:
    if not isinstance(subscripts, str):
        raise refusal(
            "np.einsum takes its subscripts as a string, before the operands: np.einsum('ij,jk->ik', a, b)"
        )
    return xp.einsum(subscripts, *operands)


def labelled(subscripts: str, shapes: Sequence[tuple[int, ...]]) -> tuple[list[str], str]:
    """Return for each operand the label of each of its axes, and the labels of the result."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    free = [letter for letter in string.ascii_letters if letter not in text]
    counts = [len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, shapes, strict=True)]
    most = max([n for n, term in zip(counts, terms, strict=True) if "..." in term], default=0)
    ellipsis = "".join(free[:most])
    found = [
        term.replace("...", ellipsis[most - count :]) if count else term.replace("...", "")
        for term, count in zip(terms, counts, strict=True)
    ]
    if arrow:
        return found, output.replace("...", ellipsis)
    letters = "".join(terms).replace(".", "")
    return found, ellipsis + "".join(sorted(x for x in set(letters) if letters.count(x) == 1))


def _cotangent(xp: Any, g: Any, y: Any, subscripts: str, *operands: Any, position: int) -> Any:
    place = position - 1
    operand, shapes = operands[place], tuple([shape_of(x) for x in operands])
    own, wanted, known, products = _of_cotangent(subscripts, shapes, place)
    others = [xp.asarray(x) for i, x in enumerate(operands) if i != place]
    found = _sum_of_products(xp, products, g, *others)
    return unbroadcast(xp, _placed(xp, found, known, wanted, own, shapes[place]), operand)


@functools.lru_cache(1000)
def _of_cotangent(
    subscripts: str, shapes: tuple[tuple[int, ...], ...], place: int
) -> tuple[str, str, str, str]:
    """Return the labels of an operand, the distinct ones, those that products have, and their subscripts."""
    terms, output = labelled(subscripts, shapes)
    rest = [term for i, term in enumerate(terms) if i != place]
    wanted = "".join(dict.fromkeys(terms[place]))
    known = "".join(x for x in wanted if x in output or any(x in term for term in rest))
    return terms[place], wanted, known, f"{','.join([output, *rest])}->{known}"


def _sum_of_products(xp: Any, subscripts: str, *operands: Any) -> Any:
    big = len(operands) > 1 and max(prod(x.shape) for x in operands) >= _WORTH_A_PLAN
    return xp.einsum(subscripts, *operands, optimize=big)


def _placed(xp: Any, found: Any, known: str, wanted: str, own: str, shape: tuple[int, ...]) -> Any:
    """Return the cotangent of an operand with labels `own`, from that of its distinct labels."""
    sizes = dict(zip(own, shape, strict=True))
    stretched = tuple([i for i, x in enumerate(known) if sizes[x] == 1 and found.shape[i] != 1])
    if stretched:
        found = xp.sum(found, axis=stretched, keepdims=True)
    if known != wanted:
        found = found.reshape([found.shape[known.index(x)] if x in known else 1 for x in wanted])
    found = spread(xp, found, tuple([sizes[x] for x in wanted]))
    if wanted == own:
        return found
    whole = zeros_beside(found, shape, found.dtype)
    count = len(wanted)
    whole[tuple([_along(xp, wanted.index(x), count, sizes[x]) for x in own])] = found
    return whole


def _along(xp: Any, axis: int, count: int, size: int) -> Any:
    """Return 0, 1, ... along one of so many axes."""
    return xp.arange(size).reshape([size if i == axis else 1 for i in range(count)])


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    def drawn(*shape: int) -> Any:
        return rng.normal(size=shape)

    a, b, square, batch = drawn(2, 3), drawn(3, 4), drawn(3, 3), drawn(2, 3, 3)
    two = [("ij,jk->ik", a, b), ("ij,jk", a, b), ("ij,jk->ki", a, b), ("ij,kj->", a, b.T), ("ij,ij", a, a)]
    one = [
        ("ij->ji", a),
        ("ij->i", a),
        ("ji", a),
        ("ii", square),
        ("ii->i", square),
        ("ij->", a),
        ("i->i", drawn(0)),
    ]
    more = [
        ("ij,jk,kl->il", a, b, drawn(4, 2)),
        ("i,ij,j", drawn(2), a, drawn(3)),
        ("iij->ij", drawn(2, 2, 3)),
    ]
    dots = [("...ij,...jk->...ik", batch, drawn(3, 2)), ("...ii->...i", batch), ("i...->...", a)]
    dots += [
        ("...,...", a, drawn(2, 1)),
        ("...i,...i->...", batch, drawn(2, 1, 3)),
        ("...ij,j->i...", batch, drawn(3)),
    ]
    dots += [
        ("i...,...i->...", a, drawn(3, 2)),
        ("... i j -> ... j i", batch),
        ("bn...,bc...->bnc...", batch, batch),
    ]
    other = [
        (",i->i", 2.5, drawn(3)),
        ("i,i->i", drawn(3), drawn(1)),
        ("i,i", drawn(1), drawn(3)),
        ("i,j->ij", *[a[0]] * 2),
    ]
    other += [
        ("i,ij->j", [1.5, 2.5], a),
        ("iii->i", drawn(2, 2, 2)),
        ("iii", drawn(2, 2, 2)),
        ("", drawn()),
        ("ij,ij->ij", a, a),
    ]
    mixed = [("ij,jk->ik", a + 1j, b), ("ji,jk->ik", a.astype(np.float32), np.float32(drawn(2, 2)))]
    return [*two, *one, *more, *dots, *other, *mixed]


EINSUM = tensor(
    "np.einsum",
    _value,
    vjps=(None, _cotangent),
    jvps=(None, SAME),
    implements=(np.einsum,),
    shape="by subscripts: 'ij,jk->ik'",
    samples=_samples,
)


def transposed(x: Any) -> Any:
    """Return matrices with their last two axes exchanged."""
    return EINSUM("...ij->...ji", x)
