"""Variables that functions share, and variables without a value: what reading those raises."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from tests.python.corpus import Example

# Shared by functions


def changed_after_a_lambda(x: float) -> float:
    """A function that makes a lambda of a variable around it, and then assigns that."""
    k = 1.5

    def step(t: float) -> float:
        nonlocal k
        scaled: Callable[[float], float] = lambda u: u * k  # noqa: E731
        value = scaled(t)
        k = k + value
        return value

    return step(x) + step(x) * k


def changed_in_a_loop(x: float) -> float:
    """The same in a loop, with a lambda that is made anew in each turn."""
    k = x

    def double(t: float) -> float:
        nonlocal k
        grown: list[Callable[[float], float]] = [lambda u: u * k]
        first = grown[0](t)
        while t < 10.0:
            k = t * 2.0
            t = t + k
        return first

    return double(x) + k


def changed_and_failed(x: float) -> float:
    """What was changed stays so where the function ends in an exception."""
    k = x

    def step(t: float) -> float:
        nonlocal k
        scaled: list[Callable[[float], float]] = [lambda u: u * k]
        value = scaled[0](t)
        k = k + value
        if k > 5.0:
            raise ValueError("too large")
        return value

    total = 0.0
    try:
        for _ in range(10):
            total += step(x)
    except ValueError:
        total += 1.0
    return total + k


def changed_below(x: float) -> float:
    """Assigned two functions further in than where it is at home; both have lambdas of it."""
    k = x

    def outer(t: float) -> float:
        def inner(s: float) -> float:
            nonlocal k
            scaled: list[Callable[[float], float]] = [lambda u: u * k]
            value = scaled[0](s)
            k = k + 1.0
            return value

        return inner(t) + k

    shifted: list[Callable[[float], float]] = [lambda u: u - k]
    start = shifted[0](3.0)
    return outer(x) + k * start


def changed_before_it_is_made(x: float) -> float:
    """The lambda is made when the variable has its value, which a later call may change."""

    def step(t: float) -> float:
        nonlocal k  # type: ignore[misc]
        k = t + 1.0
        scaled: list[Callable[[float], float]] = [lambda u: u * k]
        return scaled[0](t)

    first = step(x)
    k = x
    return k + first + step(first) * k


def list_after_a_lambda(x: float) -> float:
    """A list that a lambda reads, and that then grows."""
    xs = [x]

    def step(t: float) -> float:
        scaled: list[Callable[[float], float]] = [lambda u: u * xs[0]]
        value = scaled[0](t)
        xs.append(value)
        return value

    return step(x) + step(2.0 * x) + len(xs) * xs[-1]


# Without a value


def early(x: float) -> float:
    """Read where only the branch that was not taken assigns it."""
    if x > 100.0:
        k = x
    return k * x


def early_handled(x: float) -> tuple[float, str]:
    """The same in many kinds of statements, each handled."""
    said = ""
    if x > 100.0:
        k = [x]
    try:
        k.append(x)
    except UnboundLocalError as error:
        said += f"append: {error}\n"
    try:
        k[0] += x
    except UnboundLocalError as error:
        said += f"item: {error}\n"
    try:
        k += [x]
    except UnboundLocalError as error:
        said += f"augmented: {error}\n"
    try:
        k  # noqa: B018
    except UnboundLocalError as error:
        said += f"alone: {error}\n"
    try:

        def scaled(t: float, by: Any = k) -> Any:
            return t * by

        said += str(scaled(x))
    except UnboundLocalError as error:
        said += f"default: {error}\n"
    try:
        shifted: Any = lambda t, by=k: t + by  # noqa: E731
        said += str(shifted(x))
    except UnboundLocalError as error:
        said += f"default of a lambda: {error}\n"
    return 2.0 * x, said


def default_that_fails(x: float) -> float:
    """A definition in `try` of which a default raises something else."""
    try:

        def scaled(t: float, by: float = 1.0 / (x - x)) -> float:
            return t * by

        return scaled(x)
    except ZeroDivisionError:
        return 3.0 * x


def partial_that_fails(x: float) -> tuple[float, str]:
    """The same of what `functools.partial` is given; of what cannot be called it makes nothing."""

    def scaled(t: float, by: float) -> float:
        return t * by

    said = ""
    try:
        doubled = functools.partial(scaled, 1.0 / (x - x))
        x = doubled(2.0)
    except ZeroDivisionError as error:
        said += str(error)
    by: Any = x
    try:
        functools.partial(by, x)
    except TypeError as error:
        said += str(error)
    return x * 3.0, said


def decorator_that_fails(x: float) -> float:
    """The same of a decorator."""

    def refusing(f: Callable[[float], float]) -> Callable[[float], float]:
        raise LookupError("no functions here")

    try:

        @refusing
        def scaled(t: float) -> float:
            return t * x

        return scaled(x)
    except LookupError:
        return 3.0 * x


def early_in_a_function(x: float) -> float:
    """A function that is called before what it reads is assigned."""

    def scaled() -> float:
        return k * 2.0

    if x > 1.0:
        scaled()
    k = x
    return scaled()


def early_in_a_function_handled(x: float) -> tuple[float, str]:
    """The same, handled; it is no local variable there."""
    said = ""

    def scaled() -> float:
        return k * 2.0

    try:
        scaled()
    except UnboundLocalError:
        said = "local"
    except NameError:
        said = "free"
    k = x
    return scaled(), said


def never_assigned(x: float) -> float:
    """A function that may assign the variable around it does not."""

    def step(t: float) -> None:
        nonlocal k  # type: ignore[misc]
        if t > 100.0:
            k = t

    if x > 100.0:
        k = x
    step(x)
    return k


def early_nonlocal(x: float) -> float:
    """A function reads what it would change, and what nobody has assigned."""

    def step(t: float) -> float:
        nonlocal k  # type: ignore[misc]
        if t > 100.0:
            k = t
        scaled: list[Callable[[float], float]] = [lambda u: u * k]
        return scaled[0](t)

    if x > 100.0:
        k = x
    return step(x) + k


def forgotten(x: float) -> tuple[float, str]:
    """The name of `except ... as` has no value afterwards, in functions neither."""

    def told() -> str:
        return str(error)  # type: ignore[misc]  # noqa: F821

    said = ""
    try:
        said += told()
    except NameError as other:
        said += str(other)
    try:
        x = x / 0.0
    except ZeroDivisionError as error:  # noqa: F841
        said += told()
    try:
        said += told()
    except UnboundLocalError:
        said += "local"
    except NameError:
        said += "free"
    return 2.0 * x, said


def early_in_a_comprehension(x: float) -> list[float]:
    """A comprehension reads what nobody has assigned."""
    if x > 100.0:
        k = x
    return [k * t for t in (x, 2.0)]


def early_in_generators(x: float) -> tuple[float, list[str]]:
    """A generator expression is a function, of which only the outermost items belong to what is around."""
    said = []
    if x > 100.0:
        k = [x]
    try:
        x = sum(k[0] * t for t in (x, 2.0))
    except UnboundLocalError:
        said.append("local")
    except NameError:
        said.append("free")
    try:
        x = sum(t for t in k)
    except UnboundLocalError:
        said.append("local")
    try:
        x = sum(s for t in (x, 2.0) for s in k)
    except UnboundLocalError:
        said.append("local")
    except NameError:
        said.append("free")
    try:
        if any(t > k[0] for t in (x, 2.0)):
            x = 0.0
    except UnboundLocalError:
        said.append("local")
    except NameError:
        said.append("free")
    try:
        x = sum((y := t) * k[0] for t in (x, 2.0))
    except UnboundLocalError:
        said.append("local")
    except NameError:
        said.append("free")
    return x * y, said


def early_item(x: float) -> tuple[float, str]:
    """A comprehension's own variable, before it has a value."""
    try:
        return sum(t for s in (x, 2.0) for t in [t * s]), ""  # type: ignore[has-type]  # noqa: F821
    except UnboundLocalError as error:
        return x, str(error)


def early_in_lists(x: float) -> tuple[float, list[str]]:
    """What a comprehension raises is what Python's does, whichever: before 3.12 they are functions, too."""
    said: list[str] = []
    if x > 100.0:
        k = x
    try:
        return max([k * t for t in (x, 2.0)]), said
    except UnboundLocalError:
        said.append("local")
    except NameError:
        said.append("free")
    try:
        said += {t: [str(t * k)] for t in (x, 2.0)}[x]
    except UnboundLocalError:
        said.append("local")
    except NameError:
        said.append("free")
    try:
        x = [said.pop() for t in (x,) if t > 0.0].index(str(k)) * x
    except UnboundLocalError:
        said.append("local")
    return 2.0 * x, said


OF_COMPREHENSIONS = NameError if sys.version_info < (3, 12) else UnboundLocalError

EXAMPLES = [
    Example(changed_after_a_lambda, (2.0,)),
    Example(changed_in_a_loop, (2.0,)),
    Example(changed_and_failed, (1.5,)),
    Example(changed_below, (2.0,)),
    Example(changed_before_it_is_made, (2.0,)),
    Example(list_after_a_lambda, (2.0,)),
    Example(early, (2.0,), raises=UnboundLocalError),
    Example(early_handled, (2.0,)),
    Example(default_that_fails, (2.0,)),
    Example(decorator_that_fails, (2.0,)),
    Example(partial_that_fails, (2.0,)),
    Example(early_in_a_function, (0.5,)),
    Example(early_in_a_function, (2.0,), raises=NameError),
    Example(early_in_a_function_handled, (2.0,)),
    Example(never_assigned, (200.0,)),
    Example(never_assigned, (2.0,), raises=UnboundLocalError),
    Example(early_nonlocal, (200.0,)),
    Example(early_nonlocal, (2.0,), raises=NameError),
    Example(forgotten, (2.0,)),
    Example(early_in_a_comprehension, (200.0,)),
    Example(early_in_a_comprehension, (2.0,), raises=OF_COMPREHENSIONS),
    Example(early_in_generators, (2.0,)),
    Example(early_item, (2.0,)),
    Example(early_in_lists, (2.0,)),
]
