"""Refusals: the construct, its place, its line, and the advice, before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

import checkpoint
from checkpoint.errors import CheckpointError, RunError, SourceError
from tests.python import refused_constructs, refused_objects, refused_runs
from tests.python.texts import defined, run

pytestmark = pytest.mark.engines_in_turn


def cases(*texts: str) -> Iterator[Any]:
    """Return, by message, the functions with the text of each."""
    for text in texts:
        for i, part in enumerate(text.strip("\n").split("\n---\n")):
            said, _, code = part.partition("\n")
            yield pytest.param(said, code.rstrip("\n") + "\n", id=f"{said.partition(' => ')[0]}-{i}")


def check_place(error: CheckpointError, marked: str, name: str) -> None:
    """Check the whole text of an error: file, line, column, and the line with the construct underlined."""
    before, rest = marked.split("«")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    first, shown, underlined = str(error).splitlines()
    assert first == f"{name}:{line}:{column}: {error.message}"
    assert shown == f"{line:5} | {plain(marked).splitlines()[line - 1]}"
    marks = "^" * len(rest.partition("»")[0].partition("\n")[0])
    assert underlined == f"      | {' ' * (column - 1)}{marks}"


def plain(marked: str) -> str:
    return marked.replace("«", "").replace("»", "")


@pytest.mark.parametrize(("said", "marked"), [*cases(refused_constructs.TEXT, refused_objects.TEXT)])
def test_constructs(said: str, marked: str) -> None:
    construct, _, advice = said.partition(" => ")
    module = defined(plain(marked))
    with pytest.raises(SourceError) as caught:
        checkpoint.value_and_grad(module["f"])(3.0)
    check_place(caught.value, marked, module["__file__"])
    assert caught.value.message.startswith(f"{construct} cannot be differentiated: ")
    assert advice in caught.value.message.removeprefix(construct)


def test_a_run_goes_as_far_as_the_refused_construct(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    f = defined("def f(x):\n    print(x)\n    if x < 0.0:\n        x = id(print(x))\n    return x\n")["f"]
    assert run(f, 3.0, engine=engine) == 3.0
    assert capsys.readouterr().out == "3.0\n"
    with pytest.raises(SourceError, match=r":4:13: `id` cannot be differentiated"):
        run(f, -3.0, engine=engine)
    assert capsys.readouterr().out == "-3.0\n"


def test_async_functions() -> None:
    f = defined("async def f(x):\n    return x\n")["f"]
    with pytest.raises(SourceError, match=r":1:1: an async function cannot be differentiated: .*plain def"):
        run(f, 3.0)


def test_functions_without_text() -> None:
    found: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", found)
    with pytest.raises(SourceError, match=r"the text of f .*linecache.cache"):
        run(found["f"], 3.0)
    caller = defined("def f(x):\n    return g(x)\n", g=found["f"])
    with pytest.raises(SourceError, match=r"the text of f .*define it in a file"):
        run(caller["f"], 3.0)


def test_random_numbers_of_numpy() -> None:
    pytest.importorskip("numpy")
    for call in (
        "np.random.rand()",
        "list(map(np.random.normal, [x]))[0]",
        "np.random.normal()",
        "source.normal()",
    ):
        text = f"import numpy as np\nsource = np.random.default_rng(0)\ndef f(x):\n    return x * {call}\n"
        with pytest.raises(SourceError, match=r"hidden state.*key = tensorlib.random.key\(0\)"):
            run(defined(text)["f"], 3.0)


@pytest.mark.parametrize("call", ["random.uniform(0.0, x)", "random.getstate()[1][0]"])
def test_random_numbers_before_a_seed(call: str, engine: str) -> None:
    text = f"import random\ndef f(x):\n    y = {call}\n    random.seed(1)\n    return x * y\n"
    with pytest.raises(SourceError, match=r"of a hidden state .* call random.seed\(0\) before"):
        run(defined(text)["f"], 3.0, engine=engine)


@pytest.mark.parametrize("call", ["np.random.uniform(0.0, x)", "np.random.seed()"])
def test_random_numbers_of_numpy_before_a_seed(call: str, engine: str) -> None:
    pytest.importorskip("numpy")
    text = f"import numpy as np\ndef f(x):\n    y = {call}\n    np.random.seed(1)\n    return x * y\n"
    with pytest.raises(SourceError, match=r":3:9: .*(call np.random.seed\(0\) before|pass a seed)"):
        run(defined(text)["f"], 3.0, engine=engine)


AT_ONCE = [
    "[sorted([1.0, 2.0], key=lambda y: y * i) for i in (1.0, -1.0, x)]",
    "[max([1.0, 2.0], key=lambda y: y * i) for i in (1.0, -1.0, x)]",
    "[list(map(lambda y: y * i, [x])) for i in (1.0, -1.0)]",
    "[z for i in (1.0, -1.0) for z in filter(lambda y: y > i, [x])]",
    "[(lambda y: y * i)(x) for i in (1.0, 2.0)]",
    "[(lambda y, i=i: y * i) for i in (1.0, 2.0)][0](x)",
    "[(lambda y: [y * i for i in (1, 2)]) for i in (1.0, 2.0)][0](x)",
    "[(lambda y: y * x) for i in (1.0, 2.0)][0](x)",
]


@pytest.mark.parametrize("expression", AT_ONCE)
def test_lambdas_of_comprehensions_that_are_done_with_at_once(expression: str, engine: str) -> None:
    f = defined(f"def f(x):\n    return {expression}\n")["f"]
    assert run(f, 3.0, engine=engine) == f(3.0)


# Functions with the names of mutating methods


def test_functions_of_modules_named_like_changing_methods(engine: str) -> None:
    module = type(pytest)("model")
    vars(module).update(defined("def update(x):\n    return x * x\n"))
    f = defined("def f(x):\n    model.update(x)\n    return model.update(x + 1.0)\n", model=module)["f"]
    assert run(f, 3.0, engine=engine) == 16.0


# Refusals at run time


@pytest.mark.parametrize(("said", "marked"), [*cases(refused_runs.TEXT)])
def test_what_only_the_run_can_see(said: str, marked: str, engine: str) -> None:
    module = defined(plain(marked))
    with pytest.raises(RunError) as caught:
        run(module["f"], 3.0, engine=engine)
    check_place(caught.value, marked, module["__file__"])
    assert said in caught.value.message


def test_objects_that_a_package_calls(engine: str) -> None:
    text = "from numpy.polynomial import Polynomial\np = Polynomial([1.0, 2.0])\ndef f(x):\n    return p(x)\n"
    with pytest.raises(RunError, match=r"a Polynomial cannot be called.*: call a function that does"):
        run(defined(text)["f"], 3.0, engine=engine)


NOT_TAKEN = {
    "{1.0}": r"h is of type builtins.set.*sorted\(x\)",
    "bytearray()": "h is of type builtins.bytearray, which no program can take",
}


@pytest.mark.parametrize("value", NOT_TAKEN)
def test_globals_that_no_program_can_take(value: str, engine: str) -> None:
    f = defined(f"h = {value}\ndef f(x):\n    return x if x < 0.0 else h * x\n")["f"]
    with pytest.raises(SourceError, match=NOT_TAKEN[value]):
        run(f, 3.0, engine=engine)
    assert run(f, -3.0, engine=engine) == -3.0


# Refusals of programs, as exceptions of their own

NO_KEYS = {
    "{x * float('inf') * 0.0: 1.0}": "a NaN is in a set: Python tells them apart by their identities",
    "{(lambda: x): 1.0}": "a function cannot be in a set here: use strings, numbers or tuples of them",
    "(lambda **d: d.setdefault(x, x))()": "a real cannot be a key here: use int(k) or str(k)",
}


@pytest.mark.parametrize("expression", NO_KEYS)
def test_keys_that_no_dictionary_of_a_program_can_have(expression: str, engine: str) -> None:
    text = f"def f(x):\n    try:\n        return {expression}\n    except TypeError:\n        return x\n"
    module = defined(text)
    with pytest.raises(RunError) as caught:  # which no handler sees: Python has a value here
        run(module["f"], 3.0, engine=engine)
    assert caught.value.message == NO_KEYS[expression]
    assert str(caught.value.span).startswith(f"{module['__file__']}:3:")


IMPORTS = ["import nowhere", "import nowhere.part", "from math import nothing", "from nowhere import part"]


@pytest.mark.parametrize("statement", IMPORTS)
def test_imports_that_fail_raise_what_python_raises(statement: str, engine: str) -> None:
    text = f"def f(x):\n    {statement}\n    return nowhere.part(nothing(x))\n"
    f = defined(text)["f"]
    with pytest.raises(ImportError) as expected:
        f(3.0)
    with pytest.raises(type(expected.value)) as caught:
        run(f, 3.0, engine=engine)
    assert str(caught.value) == str(expected.value)
    caught_text = f"def f(x):\n    try:\n        {statement}\n    except ImportError:\n        return x\n"
    assert run(defined(caught_text)["f"], 3.0, engine=engine) == 3.0


def test_flushing_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    run(defined("def f(x):\n    print(x, flush=True)\n")["f"], 3.0)
    assert capsys.readouterr().out == "3.0\n"


def test_functions_that_are_given_directly() -> None:
    for function, construct in (
        (id, "`id`"),
        (math.nextafter, "math.nextafter, for which there is no rule,"),
    ):
        with pytest.raises(SourceError) as caught:
            checkpoint.grad(function)(3.0)
        assert str(caught.value).startswith(f"{construct} cannot be differentiated: ")
