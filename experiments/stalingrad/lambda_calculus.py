"""A probabilistic lambda calculus in Python: how likely observations are, by a program's parameters.

An expression is a tuple: (CONSTANT, value), (VARIABLE, name), (FUNCTION, name, body) or (APPLICATION, callee,
argument). A value is a number or a function from a distribution to one; a distribution is a list of pairs of
a probability and a value. As tests/programs/probabilistic-lambda.vlad.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CONSTANT, VARIABLE, FUNCTION, APPLICATION = 0, 1, 2, 3
OBSERVED = (0, 1, 2, 2)
Distribution = list[tuple[Any, Any]]


def certainly(value: Any) -> Distribution:
    return [(1.0, value)]


def scaled(p: Any, distribution: Distribution) -> Distribution:
    return [(p * q, value) for q, value in distribution]


def after(f: Callable[[Any], Distribution], distribution: Distribution) -> Distribution:
    """Return the distribution of f of a distributed value."""
    found = []
    for p, value in distribution:
        found += scaled(p, f(value))
    return found


def lookup(name: int, environment: Any) -> Distribution:
    (known, distribution), others = environment
    return distribution if known == name else lookup(name, others)


def evaluate(expression: Any, environment: Any) -> Distribution:
    """Return the distribution of an expression's value. environment: None, or a binding and the rest."""
    kind = expression[0]
    if kind == CONSTANT:
        return certainly(expression[1])
    if kind == VARIABLE:
        return lookup(expression[1], environment)
    if kind == FUNCTION:
        name, body = expression[1], expression[2]
        return certainly(lambda argument: evaluate(body, ((name, argument), environment)))
    argument = evaluate(expression[2], environment)
    return after(lambda callee: callee(argument), evaluate(expression[1], environment))


def ignoring(distribution: Distribution) -> Distribution:
    """Return the distribution of what functions that wait for any argument give."""
    return after(lambda f: f([]), distribution)


def coin(p: Any) -> Distribution:
    """Return a coin: a function of what it gives for 1, then of that for 0; both wait for an argument."""
    one = certainly(lambda yes: certainly(lambda no: ignoring(yes)))
    other = certainly(lambda yes: certainly(ignoring))
    return scaled(p, one) + scaled(1.0 - p, other)


def decide(test: Any, yes: Any, no: Any) -> Any:
    return (APPLICATION, (APPLICATION, test, (FUNCTION, 9, yes)), (FUNCTION, 9, no))


# if x0 then 0 else if x1 then 1 else 2
PROGRAM = decide((VARIABLE, 0), (CONSTANT, 0), decide((VARIABLE, 1), (CONSTANT, 1), (CONSTANT, 2)))


def probability_of(value: Any, distribution: Distribution) -> Any:
    total = 0.0
    for p, found in distribution:
        if found == value:
            total = total + p
    return total


def likelihood(parameters: list[Any]) -> Any:
    """Return how likely OBSERVED is; its maximum is at (1/4, 1/3)."""
    environment = ((0, coin(parameters[0])), ((1, coin(parameters[1])), None))
    distribution = evaluate(PROGRAM, environment)
    product = 1.0
    for value in OBSERVED:
        product = product * probability_of(value, distribution)
    return product
