"""Functions that pass on arguments which they do not know: wrappers, registries, integrators with `args`."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.python.corpus import Example


def call(function: Callable[..., float], *args: Any, **kwargs: Any) -> float:
    """Pass everything on."""
    return function(*args, **kwargs)


def scaled(x: float, factor: float = 2.0, *, offset: float = 1.0) -> float:
    return factor * x + offset


def total(first: float, *rest: float, **named: float) -> float:
    return first + sum(rest) + sum(scale * value for scale, value in enumerate(named.values(), 2))


@dataclass(frozen=True)
class Spring:
    """A spring that is called with its extension."""

    stiffness: float

    def __call__(self, extension: float, *, damping: float = 0.1) -> float:
        return -self.stiffness * extension - damping * extension**3

    def energy(self, extension: float, half: float = 0.5) -> float:
        return half * self.stiffness * extension**2


def passes_everything(x: float, y: float) -> tuple[float, ...]:
    """Keywords, defaults and stars of functions that are only known at run time."""
    return (
        call(scaled, x),
        call(scaled, x, y, offset=x * y),
        call(scaled, offset=x, x=y),
        call(total, x, y, x, y, x, y, x, scale=x, other=y),
        call(lambda a, b: a - 2 * b, y, b=x),
        call(math.hypot, x, y),
    )


def objects_take_keywords(x: float) -> float:
    """Objects that are called, and bound methods."""
    spring = Spring(3.0)
    springs = [spring, Spring(x)]
    return sum(call(each, x, damping=0.2) + call(each.energy, extension=x) for each in springs)


def logged(function: Callable[..., float]) -> Callable[..., float]:
    """A decorator that prints what it passes on."""

    @functools.wraps(function)
    def wrapper(*args: float, **kwargs: float) -> float:
        print(len(args), sorted(kwargs))
        return function(*args, **kwargs)

    return wrapper


@logged
def area(width: float, height: float = 1.0) -> float:
    return width * height


def decorated(x: float) -> float:
    """A decorated function of the module, and one made here."""

    @logged
    def shear(a: float, b: float, *more: float, k: float = 0.5) -> float:
        return a * b * k + math.prod(more)

    return area(x) + area(height=x, width=2.0) + shear(x, 2.0) + shear(x, x, x, x, k=x)


def march(
    slope: Callable[..., float], y: float, steps: int, args: Sequence[float] = (), **options: float
) -> float:
    """Euler's method with arguments that are passed on to the slope."""
    h = options.pop("h", 0.1)
    for i in range(steps):
        y += h * slope(i * h, y, *args, **options)
    return y


def decay(t: float, y: float, rate: float, push: float = 0.0) -> float:
    return -rate * y + push * t


def integrates(y: float, rate: float) -> tuple[float, ...]:
    """The same slope with and without keywords."""
    return (
        march(decay, y, 5, args=(rate,)),
        march(decay, y, 4, (rate, 0.5), h=0.2),
        march(decay, y, 3, (rate,), push=rate),
        march(lambda t, y: y * t, y, 3),
    )


def partials(x: float) -> float:
    """Partial applications of functions that are values, with keywords."""
    functions: list[Callable[..., float]] = [scaled, total]
    first = functools.partial(functions[0], offset=x)
    second = functools.partial(functions[1], x, a=x)
    return first(2.0) + first(x, factor=x) + second() + second(1.0, b=2.0)


OPERATIONS: dict[str, Callable[..., float]] = {"scaled": scaled, "total": total, "area": area}


def registry(script: Sequence[tuple[str, tuple[float, ...], dict[str, float]]]) -> float:
    """Functions by name, with their arguments as data."""
    return sum(OPERATIONS[name](*args, **kwargs) for name, args, kwargs in script)


SCRIPT: list[Any] = [
    ("scaled", (2.0,), {"offset": 0.5}),
    ("total", (1.0, 2.0), {}),
    ("area", (), {"width": 3.0}),
]


def unknown_keyword(x: float) -> float:
    return call(scaled, x, power=2.0)


def unknown_keyword_of_a_lambda(x: float) -> float:
    return call(lambda a: a, x, b=2.0)


def twice(x: float) -> float:
    return call(lambda a, b: a * b, x, a=2.0)


def too_few(x: float) -> float:
    return call(scaled, factor=x)


def too_many(x: float) -> float:
    return call(scaled, x, x, x)


def caught(x: float) -> str:
    """The texts of wrong calls."""
    found = []
    named = [{}, {"x": x}, {"y": x}, {"offset": x}]
    for args, kwargs in [((), {}), ((x, x, x), {}), *[((x,), each) for each in named]]:
        for function in (scaled, total, lambda a, b: a):
            try:
                found.append(f"{call(function, *args, **kwargs):.3f}")
            except TypeError as error:
                found.append(str(error))
    return "\n".join(found)


def doubling(*names: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Return a decorator that doubles arguments, found by the names of the parameters."""
    signature_of = inspect.getfullargspec

    def decorate(function: Callable[..., float]) -> Callable[..., float]:
        @functools.wraps(function)
        def doubled(*args: Any, **kwargs: Any) -> float:
            named = zip(signature_of(function).args, args, strict=False)
            return function(*[2.0 * v if name in names else v for name, v in named], **kwargs)

        return doubled

    return decorate


@doubling("x")
def scaled_by_name(x: float, factor: float = 2.0, *, offset: float = 1.0) -> float:
    return factor * x + offset


def names_of_parameters(x: float) -> Any:
    known = inspect.getfullargspec(scaled)
    defaults, only = known.defaults or (), known.kwonlydefaults or {}
    return (
        scaled_by_name(x, 3.0),
        known.args,
        known.varargs,
        known.kwonlyargs,
        x * defaults[0] + only["offset"],
    )


def passing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that passes on what it receives."""

    def passed(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return passed


SINE, ANGLE = passing(math.sin), passing(math.atan2)
OF_FLOATS = {
    name: passing(getattr(float, f"__{name}__"))
    for name in ("add", "rsub", "mul", "truediv", "floordiv", "mod", "pow", "rpow", "neg", "abs", "lt", "eq")
}


def builtins_by_star(x: float) -> tuple[float, ...]:
    """Known functions of Python receive arguments whose number only the run knows."""
    return SINE(x), ANGLE(x, 2.0), math.hypot(*[x, 2.0]), abs(*[x]), math.atan2(*(x, 1.0))


def operators_of_float(x: float) -> list[Any]:
    """Use the methods of float as functions."""
    found = [operator(x, *([] if name in ("neg", "abs") else [2.5])) for name, operator in OF_FLOATS.items()]
    print(float.__mul__(x, "a") is NotImplemented, float.__add__(x, True))  # type: ignore[operator]
    return [*found, *map(float.__neg__, [x, 2.0])]


def operator_of_another_type(x: float) -> float:
    """Only a float has the methods of float."""
    return float.__mul__(3, x)


EXAMPLES = [
    Example(builtins_by_star, (0.7,)),
    Example(operators_of_float, (0.7,)),
    Example(operator_of_another_type, (0.7,), raises=TypeError),
    Example(names_of_parameters, (0.7,)),
    Example(passes_everything, (1.5, -0.5)),
    Example(objects_take_keywords, (0.7,)),
    Example(decorated, (1.2,)),
    Example(integrates, (1.0, 0.3)),
    Example(partials, (1.5,)),
    Example(registry, (SCRIPT,)),
    Example(unknown_keyword, (1.0,), raises=TypeError),
    Example(unknown_keyword_of_a_lambda, (1.0,), raises=TypeError),
    Example(twice, (1.0,), raises=TypeError),
    Example(too_few, (1.0,), raises=TypeError),
    Example(too_many, (1.0,), raises=TypeError),
    Example(caught, (1.25,), differentiable=False),
]
