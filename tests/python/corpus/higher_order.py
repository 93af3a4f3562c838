"""Functions that take and give functions: closures, decorators, partial application, Church style."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce, wraps
from typing import TypeVar

from tests.python.corpus import Example

T = TypeVar("T")
Function = Callable[[float], float]
Church = Callable[[Function], Function]

ACTIVATIONS: dict[str, Function] = {"tanh": math.tanh, "cube": lambda x: x**3, "half": lambda x: x / 2}


def compose(*functions: Function) -> Function:
    """The functions one after another, the last first."""
    return lambda x: reduce(lambda value, f: f(value), reversed(functions), x)


def composed(x: float) -> float:
    """A chain of four functions."""
    return compose(math.exp, math.sin, lambda t: t * t, partial(operator.mul, 0.5))(x)


def iterate(f: Callable[[T], T], n: int, x: T) -> T:
    """Apply f n times."""
    return x if n == 0 else iterate(f, n - 1, f(x))


def logistic_map(rate: float, x: float) -> float:
    """Seven steps of the logistic map."""
    return iterate(lambda y: rate * y * (1 - y), 7, x)


def fibonacci_pair(a: float, b: float) -> tuple[float, float]:
    """Twelve steps on pairs."""
    return iterate(lambda pair: (pair[1], sum(pair)), 12, (a, b))


def scaled(factor: float, offset: float = 0.0) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """A decorator that scales results."""

    def decorate(f: Callable[..., float]) -> Callable[..., float]:
        @wraps(f)
        def wrapper(*args: float, **kwargs: float) -> float:
            return factor * f(*args, **kwargs) + offset

        return wrapper

    return decorate


def clamped(f: Callable[..., float]) -> Callable[..., float]:
    """A decorator that keeps results between -10 and 10."""

    def wrapper(*args: float, **kwargs: float) -> float:
        return min(10.0, max(-10.0, f(*args, **kwargs)))

    return wrapper


@scaled(2.5, offset=1.0)
def decorated_norm(x: float, y: float = 2.0, *, power: float = 2.0) -> float:
    """A norm whose result is scaled."""
    return math.pow(abs(x) ** power + abs(y) ** power, 1 / power)


@clamped
@scaled(3.0)
def twice_decorated(x: float) -> float:
    """A decorated function under two decorators."""
    return math.atan(x) + x


def calls_decorated(x: float, y: float) -> list[float]:
    """Decorated functions called in several ways."""
    return [
        decorated_norm(x),
        decorated_norm(x, y),
        decorated_norm(y=y, x=x, power=3.0),
        twice_decorated(x),
        twice_decorated(100.0 * y),
    ]


def curry(f: Callable[[float, float, float], float]) -> Callable[[float], Callable[[float], Function]]:
    return lambda a: lambda b: lambda c: f(a, b, c)


def curried(a: float, b: float) -> float:
    """A function of three, taken one at a time."""
    line = curry(lambda m, x, c: m * x + c)(a)
    return sum(line(x)(b) for x in (1.0, 2.0, 4.0))


def church(n: int) -> Church:
    """The number n as a function."""

    def number(f: Function) -> Function:
        def apply(x: float) -> float:
            for _ in range(n):
                x = f(x)
            return x

        return apply

    return number


def church_arithmetic(x: float) -> float:
    """(2 + 3) * 2 applications of a function."""

    def add(m: Church, n: Church) -> Church:
        return lambda f: lambda y: m(f)(n(f)(y))

    def times(m: Church, n: Church) -> Church:
        return lambda f: m(n(f))

    ten = times(add(church(2), church(3)), church(2))
    return ten(lambda y: 0.9 * y + math.sin(y) / 10)(x)


def derivative(f: Function, h: float = 1e-3) -> Function:
    """A numeric derivative by central differences."""

    def slope(x: float) -> float:
        return (f(x + h) - f(x - h)) / (2 * h)

    return slope


def second_derivative(x: float) -> float:
    """The derivative of a derivative."""
    return derivative(derivative(lambda t: math.exp(t) * math.cos(t)))(x)


def counter(start: float, x: float) -> tuple[float, int]:
    """A nested function that counts its calls."""
    calls = 0
    total = start

    def visit(depth: int, value: float) -> None:
        nonlocal calls, total
        calls += 1
        total += value
        if depth > 0:
            visit(depth - 1, value * 0.5)
            visit(depth - 1, value * 0.25)

    visit(4, x)
    return total, calls


def adders(values: Sequence[float]) -> list[Function]:
    """One closure for each value."""
    functions: list[Function] = []
    for value in values:

        def add(x: float, shift: float = value) -> float:
            return x + shift

        functions.append(add)
    return functions


def closures_in_a_list(values: list[float], x: float) -> float:
    """Closures made in a loop, used in another."""
    for add in adders(values):
        x = add(x) * 0.5
    return x


def make_line(slope: float, intercept: float) -> Function:
    """A straight line as a closure."""

    def line(x: float) -> float:
        return slope * x + intercept

    return line


def crossing(m1: float, b1: float, m2: float, b2: float) -> tuple[float, float]:
    """Where two lines meet, read off their closures."""
    first, second = make_line(m1, b1), make_line(m2, b2)
    gap = first(0.0) - second(0.0)
    x = gap / (second(1.0) - second(0.0) - first(1.0) + first(0.0))
    return x, first(x)


def functional_pipeline(values: Sequence[float], threshold: float) -> float:
    """Filter, map and reduce."""
    large = filter(lambda v: v > threshold, values)
    squares = map(pow, large, [2, 3, 2])
    return reduce(operator.add, squares, threshold)


def partial_application(x: float) -> dict[str, float]:
    """Keywords and positions bound in advance."""

    def blend(a: float, b: float, weight: float = 0.5) -> float:
        return weight * a + (1 - weight) * b

    mostly_first = partial(blend, weight=0.9)
    from_two = partial(mostly_first, 2.0)
    return {"plain": blend(x, 1.0), "mostly": mostly_first(x, 1.0), "two": from_two(x)}


def keyword_sum(scale: float, *terms: float, **named: float) -> float:
    """All arguments, however given."""
    assert "scale" not in named
    return scale * (sum(terms) + sum(value * len(name) for name, value in sorted(named.items())))


def spread_arguments(x: float, extra: dict[str, float]) -> float:
    """Arguments from a tuple and from a dict."""
    return keyword_sum(2.0, *(x, x * x), **extra) + keyword_sum(x)


def choose_activation(name: str, x: float, default: str = "half") -> float:
    """A function looked up by its name."""
    f = ACTIVATIONS.get(name) or ACTIVATIONS[default]
    return f(x)


def activations(x: float) -> list[float]:
    return [choose_activation(name, x) for name in ("tanh", "cube", "none")]


def fixed_point(f: Function, x: float, tolerance: float = 1e-10) -> float:
    """The value that f leaves as it is."""
    while abs((y := f(x)) - x) > tolerance:
        x = y
    return y


def golden(a: float) -> float:
    """A continued fraction as a fixed point."""
    return fixed_point(lambda x: 1 + a / x, 1.0)


def y_combinator(n: int, x: float) -> float:
    """Recursion without a name."""

    def step(self: Callable[..., float], k: int) -> float:
        return 1.0 if k == 0 else x / k * self(self, k - 1) + 1

    return step(step, n)


def callbacks(values: Sequence[float], on_value: Callable[[int, float], bool]) -> float:
    """A walk that a callback may stop."""
    total = 0.0
    for i, value in enumerate(values):
        total += value
        if on_value(i, total):
            break
    return total


def stop_at(values: list[float], limit: float) -> tuple[float, str]:
    """A callback that closes over a limit."""

    def watch(i: int, total: float) -> bool:
        return total > limit + 0.001 * i

    return callbacks(values, watch), f"{limit:.3f}"


def defaults_of_later_functions(x: float, y: float) -> float:
    """Defaults have the values of where their functions are defined, not of where the first function is."""
    v = x

    def first(t: float, k: float = v * 2.0) -> float:
        return t * k + x

    v = first(y)

    def second(t: float, k: float = v, *, shift: float = math.pi) -> float:
        nonlocal y
        y += k
        return t * k + shift

    v = 7.0 * v
    return first(y) + second(x) + y


def defaults_in_loops(x: float, y: float) -> float:
    """The same in a loop, where a default is of the turn's own values."""
    total = 0.0
    for k in range(3):

        def first(t: float, m: float = k) -> float:
            return t * m

        v = first(x)

        def second(t: float, m: float = v, *, n: float = y) -> float:
            return t * m + n

        total += second(y)
    return total


def changing_decorator(x: float) -> tuple[float, list[str]]:
    """A function that is only called, for a decorator, and makes functions that change a list."""
    calls: list[str] = []

    def logged(name: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
        def decorate(f: Callable[..., float]) -> Callable[..., float]:
            def inner(*args: float, **named: float) -> float:
                calls.append(name)
                return f(*args, **named)

            return inner

        return decorate

    @logged("product")
    def product(a: float, b: float = 2.0) -> float:
        return a * b

    return product(x) + product(x, b=x), calls


def changing_defaults(x: float) -> float:
    """Defaults that a function counts, which is only called."""
    n = 0.0

    def count() -> float:
        nonlocal n
        n += 1.0
        return n

    def scaled(a: float, b: float = count()) -> float:
        return a * b

    shifted: Callable[..., float] = lambda a, b=count(): a + b  # noqa: B008, E731
    count()
    return scaled(x) + shifted(x) * n


def in_turn(x: float) -> float:
    """Functions that are values, and between them one that is only called."""

    def scaled(t: float) -> float:
        return raised(t) * x

    def raised(t: float) -> float:
        return t + 1.0

    def doubled(t: float, f: Function = scaled) -> float:
        return f(t) * 2.0

    def again(t: float, f: Function = doubled) -> float:
        return f(t) * 2.0

    return sum(f(x) for f in (scaled, doubled, again)) + raised(x)


EXAMPLES = [
    Example(composed, (1.3,)),
    Example(logistic_map, (3.2, 0.4)),
    Example(fibonacci_pair, (1.0, 1.5)),
    Example(decorated_norm, (3.0,)),
    Example(calls_decorated, (1.2, 0.7)),
    Example(curried, (1.5, -0.5)),
    Example(church_arithmetic, (2.0,)),
    Example(second_derivative, (0.8,)),
    Example(counter, (1.0, 0.3)),
    Example(closures_in_a_list, ([1.0, -2.0, 0.5], 3.0)),
    Example(crossing, (1.0, 0.5, -0.7, 2.0)),
    Example(functional_pipeline, ((0.4, 1.5, 2.0, 0.1, 3.0), 1.0)),
    Example(partial_application, (3.0,)),
    Example(spread_arguments, (1.4, {"ab": 2.0, "c": 0.5})),
    Example(activations, (0.7,)),
    Example(golden, (1.2,)),
    Example(y_combinator, (6, 1.1)),
    Example(stop_at, ([1.0, 2.5, 0.7, 3.0], 3.9)),
    Example(defaults_of_later_functions, (0.7, 1.3)),
    Example(defaults_in_loops, (0.7, 1.3)),
    Example(changing_decorator, (0.7,)),
    Example(changing_defaults, (0.7,)),
    Example(in_turn, (0.7,)),
]
