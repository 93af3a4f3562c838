"""mapped and summed: a function of one item for many, on several workers if there are any.

In: a function and items. Out: the results in the order of the items, or their sum in a tree of their indices
(checkpoint/lang/python/library/sums.py). What always holds: neither values nor what is printed depends on
whether there are workers, how many, or what becomes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from checkpoint.errors import RunError, an
from checkpoint.functions.public import within_programs
from checkpoint.functions.resumption import as_function
from checkpoint.lang.python.library import sums as library_sums
from checkpoint.workers import beside
from checkpoint.workers.chosen import WorkersOption, running
from checkpoint.workers.ordered import in_order
from checkpoint.workers.protocol import Workers

T = TypeVar("T")

beside.install()

JOBS = 4  # for each worker, at least, where there are so many items
Reports = Callable[[int, int], object]
Part = tuple[Sequence[Any], int]  # items, and the index of the first among all


def mapped(
    f: Callable[[Any], T],
    items: Iterable[Any],
    *,
    workers: WorkersOption = None,
    progress: Reports | None = None,
) -> list[T]:
    """Return what a function returns for each item, in the order of the items.

    For ensembles, sweeps of parameters, and batches of gradients: f is any function, such as
    `checkpoint.value_and_grad(loss)`. Each run has its share of the memory where `memory=` is left out.

    Args:
        f: takes an item. It may not change what it is given.
        items: any number of them.
        workers: checkpoint.workers.Threads or Processes, or a number of threads; None: f runs here.
        progress: is called with how many items are done, and how many there are, in order.

    Raises:
        Exception: what f raises for the first item that fails, with a note of its index. Later items may have
            begun; what they print is not shown.
        RunError: where a worker process dies each time that it is given an item.

    Examples:
        >>> import checkpoint
        >>> checkpoint.mapped(checkpoint.grad(lambda x: x**3), [1.0, 2.0], workers=2)
        [3.0, 12.0]
    """
    parts = [([item], i) for i, item in enumerate(items_of("mapped", items))]
    found: list[T] = []
    with running(workers) as there:
        for value in _each(f, parts, there, _value_of, "mapped"):
            found.append(value)
            if progress is not None:
                progress(len(found), len(parts))
    return found


@within_programs
def summed(
    f: Callable[[Any], T],
    *,
    over: Iterable[Any],
    zero: T | None = None,
    workers: WorkersOption = None,
) -> T:
    """Return the sum of what a function returns for each item, the same to the last bit for any workers.

    Values are added in a tree of the items' indices, of which the left part has the greatest power of two
    below their number. So the sum is not that of a loop, in its last bits. Within a function that is
    differentiated the cotangents of what items share are added in the same tree, each part of it from +0.0
    on. There threads run parts of the sum side by side; with other workers items are run one after the other.

    Args:
        f: takes an item; returns numbers, arrays, or tuples, lists, dicts and objects of these, alike for
            all items.
        over: the items.
        zero: what is returned where there are none.
        workers: as `mapped` has them.

    Raises:
        ValueError: if there are no items, and no `zero`.
        TypeError: where two values have different structures.
        Exception: as `mapped`.

    Examples:
        >>> import checkpoint
        >>> def loss(w):
        ...     return checkpoint.summed(lambda x: (w * x - 1.0) ** 2, over=[1.0, 2.0, 3.0])
        >>> checkpoint.value_and_grad(loss)(1.0)
        (5.0, 16.0)
        >>> terms = checkpoint.value_and_grad(lambda x: x**2)
        >>> checkpoint.summed(terms, over=[1.0, 2.0, 3.0], workers=2)
        (14.0, 12.0)
    """
    items = list(items_of("summed", over))
    if not items:
        if zero is None:
            raise ValueError(library_sums.EMPTY)
        return zero
    tree = Tree(plus)
    with running(workers) as there:
        size = 1 if there is None else _part_size(len(items), there.size)
        parts = [(items[i : i + size], i) for i in range(0, len(items), size)]
        for (part, _), value in zip(parts, _each(f, parts, there, _sum_of, "summed"), strict=True):
            tree.add(value, len(part))
    total: T = tree.total()
    return total


class Tree:
    """The sum of values in a tree of their indices, by as few partial sums as are open at a time."""

    def __init__(self, add: Callable[[Any, Any], Any]) -> None:
        self._add = add
        self._open: list[tuple[Any, int]] = []  # sums of 2**k values each, of ever smaller k

    def add(self, value: Any, count: int) -> None:
        """Add the sum of the next values; all counts but the last one are the same power of two."""
        while self._open and self._open[-1][1] == count:
            value = self._add(self._open.pop()[0], value)
            count *= 2
        self._open.append((value, count))

    def total(self) -> Any:
        """Return the sum of all; the smaller parts, which come last, are added first."""
        value = self._open.pop()[0]
        while self._open:
            value = self._add(self._open.pop()[0], value)
        return value


def plus(left: Any, right: Any) -> Any:
    """Return the sum of two nests, as a program adds them."""
    if type(left) is float and type(right) is float:
        return left + right
    return as_function(library_sums.plus).call((left, right), {}, None).value()


def items_of(name: str, items: Any) -> Iterable[Any]:
    """Return the items of `mapped` or `summed`; RunError for what has none."""
    try:
        iter(items)
    except TypeError:
        raise RunError(
            f"{name} takes a function and its items, not {an(type(items).__name__)}: pass a list"
        ) from None
    return items  # type: ignore[no-any-return]


def _part_size(count: int, workers: int) -> int:
    """Return how many items a job has: a power of two, so that its sum is a part of the tree."""
    return 1 << max(count // (JOBS * workers), 1).bit_length() - 1


def _each(
    f: Callable[..., Any],
    parts: Sequence[Part],
    workers: Workers | None,
    job: Callable[..., Any],
    name: str,
) -> Iterator[Any]:
    """Yield what a job returns for f and each part of the items."""
    if workers is None:
        for part in parts:
            yield job(f, name, *part)
        return
    function = workers.put(f)
    jobs = [(function, name, *part) for part in parts]
    yield from in_order(workers, job, jobs, lambda i: _named(*parts[i], name))


def _named(items: Sequence[Any], first: int, name: str) -> str:
    return (
        f"item {first} of {name}"
        if len(items) == 1
        else f"one of {len(items)} items of {name} from {first} on"
    )


# Jobs


def _value_of(f: Callable[[Any], Any], name: str, items: Sequence[Any], first: int) -> Any:
    return _one(f, name, items[0], first)


def _one(f: Callable[[Any], Any], name: str, item: Any, index: int) -> Any:
    try:
        return f(item)
    except Exception as error:
        error.add_note(f"in item {index} of {name}")
        raise


def _sum_of(f: Callable[[Any], Any], name: str, items: Sequence[Any], first: int) -> Any:
    tree = Tree(plus)
    for i, item in enumerate(items, first):
        tree.add(_one(f, name, item, i), 1)
    return tree.total()
