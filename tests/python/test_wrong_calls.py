"""Calls whose arguments do not fit, and errors of a run: Python's texts, at the user's line."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.errors import CheckpointError
from tests.python.texts import defined, run

pytestmark = pytest.mark.engines_in_turn

FUNCTIONS = """\
import math
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
def two(a, b):
    return a * b
def four(a, b, c, d):
    return a
def optional(a, b, c=1.0):
    return a * b * c
def keywords(a, /, b=2.0, *, c, d=3.0):
    return a, b, c, d
def every(a, b=2.0, *c, d=3.0, **e):
    return a, b, c, d, sorted(e.items())
def none():
    return 1.0
@dataclass
class Point:
    x: float
    y: float = 0.0
    def moved(self, by, at):
        return self.x + by
class Pair(NamedTuple):
    left: float
    right: float
def nested(x, count):
    def inner(a, b):
        return a
    return [inner][0](*[x] * count)
def direct(x):
    def inner(a, b):
        return a
    return inner(x)
def f(x):
    return {}
"""

# Python and the engines evaluate each; x is 3.0.
CALLS = [
    *("two(x)", "two()", "two(x, x, x)", "four(x)", "four()", "none(x)", "none(x, x)", "optional(x)"),
    *(
        "optional(x, x, x, x)",
        "two(a=x)",
        "two(x, a=x)",
        "two(x, c=x)",
        "keywords(x)",
        "keywords(x, x, x, c=x)",
    ),
    *("keywords(a=x, c=x)", "every()", "every(x, x, b=x)", "direct(x)", "nested(x, 1)", "nested(x, 3)"),
    # of values
    *("[two][0](x)", "[two][0](x, x, x)", "[four][0](x)", "[none][0](x)", "[optional][0](x)"),
    *("[optional][0](x, x, x, x)", "[lambda: 1.0][0](x)", "[lambda a, b: a][0](x)", "[every][0]()"),
    *("(two, x)[1](x)", "x(1.0)", "[x](1.0)", "'a'(1.0)", "None(1.0)", "(1.0, 2.0)()", "{}(x)", "(1)(x)"),
    "[keywords][0](x)",
    # stars
    *(
        "two(*[x])",
        "two(*[x] * 3)",
        "two(*[x] * 5)",
        "two(*[])",
        "none(*[x])",
        "none(*[x] * 2)",
        "two(x, *[x])",
    ),
    *("every(*[x])", "every(x, *[x])", "every(x, x, *[x])", "every(x, x, x, *[x, x])", "every(x, x, x, *[])"),
    *(
        "every(*[x], **{'b': 5.0, 'z': 1.0})",
        "every(x, x, x, *[x], d=1.0, q=x)",
        "every(**{'a': x, 'd': 1.0})",
    ),
    *("two(**{'a': x, 'b': 2.0})", "two(x, **{'b': 2.0})", "two(x, **{'a': x})", "two(x, **{'c': x})"),
    *("two(**{'a': x})", "two(x, **{1: x})", "optional(*[x, x], **{})", "optional(*[x], **{'b': x, 'c': x})"),
    *("keywords(*[x], **{'c': 1.0})", "keywords(*[x] * 3, c=1.0)", "optional(*[x], b=2.0)"),
    # classes and methods
    *("Point()", "Point(x, x, x)", "Point(x, z=x)", "Pair(x)", "Pair(x, x, x)", "Pair(x, left=x)"),
    *("Point(x).moved(x)", "Point(x).moved(x, x, x)", "Point(x).moved(x, at=x)"),
    # Python's own
    *("math.sin(x, x)", "math.sin()", "math.atan2(x)", "math.sin(x=x)", "len()", "abs(x, x)", "range()"),
    *(
        "range(1, 2, 3, 4)",
        "range(stop=1)",
        "isinstance(x)",
        "round(number=x, ndigits=1)",
        "pow(base=x, exp=2)",
    ),
    *(
        "list(enumerate(iterable=[x], start=1))",
        "print(x, colour=1)",
        "x @ x",
        "x.missing()",
        "[x].missing(1)",
    ),
]


def outcome(f: Any, *args: Any, **options: Any) -> Any:
    """Return the result of a call: a value, or an exception's class and text."""
    try:
        return run(f, *args, **options) if options else f(*args)
    except CheckpointError:
        raise
    except Exception as error:
        return type(error), str(error)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("call", CALLS)
def test_calls(call: str, engine: str) -> None:
    f = defined(FUNCTIONS.replace("return {}", f"return {call}"))["f"]
    assert outcome(f, 3.0, engine=engine) == outcome(f, 3.0)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("call", ["[two][0](x)", "two(x)", "x(1.0)", "two(*[x] * 4)", "[optional][0]()"])
def test_wrong_calls_are_caught_as_type_errors(call: str, engine: str) -> None:
    body = f"try:\n        return {call}\n    except TypeError as error:\n        return str(error)\n"
    f = defined(FUNCTIONS.replace("return {}\n", body))["f"]
    assert run(f, 3.0, engine=engine) == f(3.0)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_arguments_are_evaluated_before_the_call_fails(
    engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "def g(a):\n    return a\ndef f(x):\n    return g(x, print(x), *[1], b=print(x + 1))\n"
    f = defined(text)["f"]
    expected = outcome(f, 3.0), capsys.readouterr().out
    assert (outcome(f, 3.0, engine=engine), capsys.readouterr().out) == expected


# Notes


def notes_of(text: str, engine: str) -> list[str]:
    """Return the notes of the exception that f(3.0) raises, after checking that Python raises it, too."""
    module = defined(text)
    kind, text = outcome(module["f"], 3.0)
    with pytest.raises(kind) as caught:
        run(module["f"], 3.0, engine=engine)
    assert str(caught.value) == text
    return [note.replace(module["__file__"], "FILE") for note in caught.value.__notes__]


def at(text: str, marked: str) -> str:
    """Return the place and the line of a part that occurs once in a text."""
    before = text[: text.index(marked)]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    shown = text.splitlines()[line - 1]
    return f"FILE:{line}:{column}\n{line:5} | {shown}\n      | {' ' * (column - 1)}{'^' * len(marked)}"


NESTED = """\
import math
def outer(a):
    y = middle(-a) + 1.0
    return y
def middle(b):
    return [inner(c) for c in [b]][0] * 2.0
def inner(d):
    return math.log(d)
def f(x):
    z = outer(x)
    return z
"""


def test_notes_tell_the_place_and_the_calls_that_led_there(engine: str) -> None:
    first, *calls = [at(NESTED, place) for place in ("math.log(d)", "inner(c)", "middle(-a)", "outer(x)")]
    assert notes_of(NESTED, engine) == [first, *(f"called at {call}" for call in calls)]


# The innermost place, and the last one.
IN_LIBRARY = [
    (
        "import math\ndef f(x):\n    return sorted([-x], key=lambda v: math.log(v))\n",
        "math.log(v)",
        "sorted(",
    ),
    ("def f(x):\n    return max([x], key=lambda v: {}[v > 0.0])\n", "{}[v > 0.0]", "max("),
    ("def f(x):\n    return list(map(lambda v: v / 0.0, [x]))\n", "v / 0.0", "map("),
    (
        "from functools import reduce\ndef f(x):\n    return reduce(lambda a, b: a / b, [x, 0.0])\n",
        "a / b",
        "reduce(",
    ),
    ("def f(x):\n    return max([])\n", "max([])", "max([])"),
    ("def f(x):\n    return x * sum([x, None])\n", "sum([x, None])", "sum("),
    ("def f(x):\n    xs = []\n    return xs.pop()\n", "xs.pop()", "xs.pop()"),
    ("def f(x):\n    xs = [x]\n    xs.remove(1.0)\n    return x\n", "xs.remove(1.0)", "xs.remove"),
    ("def f(x):\n    d = {}\n    return d.popitem()\n", "d.popitem()", "d.popitem"),
    ("def f(x):\n    xs = [x]\n    xs.sort(key=lambda v: v.a)\n    return xs\n", "v.a", "xs.sort("),
    ("def f(x):\n    return [1 / v for v in [x, x - x]]\n", "1 / v", "1 / v"),
    ("def f(x):\n    return any(1 / v < 0 for v in [x, x - x])\n", "1 / v", "1 / v"),
    ("def f(x):\n    assert x < 0.0, x\n", "assert x < 0.0, x", "assert"),
]


@pytest.mark.parametrize(("text", "inner", "outer"), IN_LIBRARY)
def test_notes_lead_to_the_line_of_the_user(text: str, inner: str, outer: str, engine: str) -> None:
    found = notes_of(text, engine)
    assert found[0] == at(text, inner)
    line = text[: text.index(outer)].count("\n") + 1
    assert found[-1].removeprefix("called at ").startswith(f"FILE:{line}:")
    assert all("library" not in note for note in found)


def test_a_deep_recursion_tells_its_innermost_calls(engine: str) -> None:
    text = (
        "def g(n, x):\n    return 1 / x if n == 0 else 1 + g(n - 1, x)\ndef f(x):\n    return g(100, x - x)\n"
    )
    found = notes_of(text, engine)
    assert found[0] == at(text, "1 / x")
    assert len(found) == 22
    assert found[-1].startswith("and ")
    assert found[-1].endswith(" more calls")
