"""Functions and their derivatives in other places: processes, threads, generated code, modules, notebooks."""

from __future__ import annotations

import doctest
import functools
import importlib
import linecache
import math
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint import SourceError, grad, hessian, value_and_grad
from tests.python.corpus import examples

ROOT = Path(__file__).parent.parent.parent


def square(x: float) -> float:
    return x * x


def line(slope: float, x: float, shift: float = 1.0) -> float:
    return slope * x + shift


# Processes


square_slope = value_and_grad(square)


@pytest.mark.parametrize("derivative", [grad(square), square_slope, hessian(square)])
def test_derivatives_in_processes(derivative: Any) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(derivative, [1.0, 2.0, 3.0]) == [derivative(x) for x in (1.0, 2.0, 3.0)]


def test_derivatives_in_joblib() -> None:
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(grad(square))(float(i)) for i in range(4))
    assert found == [0.0, 2.0, 4.0, 6.0]


def test_derivatives_of_partial_functions_pickle(engine: str) -> None:
    made: Any = grad(functools.partial(line, 3.0), argnums=(0, 1), engine=engine, schedule="plain")
    assert pickle.loads(pickle.dumps(made))(2.0, 5.0) == made(2.0, 5.0) == (3.0, 1.0)


# Threads


def test_the_same_function_in_threads(engine: str) -> None:
    def f(x: float) -> float:
        total = 0.0
        for i in range(20):
            total += math.sin(x * i)
        return total

    derivative = grad(f, engine=engine)
    points = [i / 7 for i in range(64)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(derivative, points))
    assert found == [derivative(x) for x in points]


def test_different_functions_in_threads(engine: str) -> None:
    chosen = [
        example
        for name, example in examples().items()
        if example.differentiable and not example.raises and name.startswith(("roots", "geometry", "trees"))
    ]

    def gradient(example: Any) -> str:
        def f(args: Any) -> Any:
            return example.function(*args)

        try:
            return repr(checkpoint.jvp(f, example.args, tangent(example.args), engine=engine))
        except checkpoint.CheckpointError as error:
            return error.message

    with ThreadPoolExecutor(8) as threads:
        assert len(chosen) > 20
        assert list(threads.map(gradient, chosen * 3)) == [gradient(example) for example in chosen] * 3


def tangent(value: Any) -> Any:
    """Return ones for the reals of tuples and lists."""
    if isinstance(value, tuple | list):
        return type(value)(map(tangent, value))
    return 1.0 if isinstance(value, float) else None


# Places


def test_executed_code(engine: str) -> None:
    text = "def outer(k):\n    return lambda x: k * x * x\nf, g = outer(2.0), lambda x: x\n"
    name = "<made code>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {}
    exec(compile(text, name, "exec"), names)
    assert grad(names["f"], engine=engine)(3.0) == 12.0
    assert grad(names["g"], engine=engine)(3.0) == 1.0
    exec("def f(x):\n    return x\n", names)
    with pytest.raises(SourceError, match="Code that exec or eval runs needs its text in linecache"):
        grad(names["f"], engine=engine)(3.0)


def test_examples_of_docstrings(engine: str) -> None:
    text = f"""
    >>> def f(x):
    ...     return helper(x) * x
    >>> def helper(x):
    ...     return x * x
    >>> grad(f, engine={engine!r})(2.0)
    12.0
    >>> helper = lambda x: 3.0
    >>> grad(f, engine={engine!r})(2.0)
    3.0
    """
    test = doctest.DocTestParser().get_doctest(text, {"grad": grad}, f"example-{engine}", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, 5)


def test_functions_of_several_modules(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"two_modules_{engine}"
    for this, other, text in (
        ("even", "odd", "1.0 if n == 0 else x * {other}.odd(n - 1, x)"),
        ("odd", "even", "0.5 if n == 0 else 2.0 * {other}.even(n - 1, x)"),
    ):
        body = text.format(other=f"{name}_{other}")
        lines = [f"import {name}_{other}", f"def {this}(n, x):", f"    return {body}", ""]
        (tmp_path / f"{name}_{this}.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module(f"{name}_even")
    assert value_and_grad(module.even, argnums=1, engine=engine)(6, 3.0) == (216.0, 216.0)
    assert grad(lambda x: module.even(3, x), engine=engine)(3.0) == 6.0


CELLS = {
    "import checkpoint\nfrom checkpoint import grad": "",
    "def f(x):\n    return helper(x) * x": "",
    "def helper(x):\n    return x * x": "",
    "grad(f)(2.0)": "12.0",
    "def helper(x):\n    return 5.0 * x": "",
    "grad(f)(2.0)  # of the new helper": "20.0",
    "f, g = lambda x: 2.0 * x, lambda x: 3.0 * x\ngrad(f)(1.0), grad(g)(1.0)": "(2.0, 3.0)",
    "rate = 7.0\ngrad(lambda x: rate * x)(1.0)": "7.0",
    "rate = 8.0\ncheckpoint.vjp(lambda x: rate * x, 1.0)": "(8.0, 8.0)",
    "%%capture out\ndef captured(x):\n    return 11.0 * x\nprint(grad(captured)(1.0))": "",
    "print(out.stdout.strip())": "11.0",
    "%%capture out\n%time print(grad(lambda x: x ** 4)(2.0))": "",
    "print(out.stdout.splitlines()[0])": "32.0",
    "def root(x):\n    return x ** 0.5\ntry:\n    grad(lambda x: 1.0 / root(x))(0.0)\n"
    "except ZeroDivisionError as error:\n    print(error.__notes__[0].splitlines()[1])": (
        "    4 |     grad(lambda x: 1.0 / root(x))(0.0)"
    ),
}


@pytest.mark.filterwarnings("ignore")
def test_functions_of_a_notebook() -> None:
    nbformat: Any = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient: Any = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(ROOT)}}).execute()
    for cell, expected in zip(notebook.cells, CELLS.values(), strict=True):
        found = "".join(
            output.text if output.output_type == "stream" else output.data["text/plain"]
            for output in cell.outputs
        )
        assert found.rstrip() == expected, cell.source


PROMPT = """
import readline
from checkpoint import grad
names = {"grad": grad, "__name__": "__main__"}
def typed(*lines):
    for line in lines:
        readline.add_history(line)
    exec(compile("\\n".join([*lines, ""]), "<stdin>", "single"), names)
typed("f = lambda x: 2.0 * x")
typed("f = lambda x: x * x")
typed("def g(x):", "    y = f(x)", "    return y * x")
typed("grad(f)(3.0)")
typed("grad(g)(2.0)")
typed("class Held:", "    def __init__(self, x): self.x = x", "    def squared(self): return self.x**2")
typed("held = Held(3.0)")
typed("grad(lambda y: held.squared() * y)(2.0)")
readline.clear_history()
try:
    exec(compile("h = lambda x: x\\n", "<stdin>", "single"), names)
    grad(names["h"])(1.0)
except Exception as error:
    print(error)
"""


def test_functions_of_the_prompt() -> None:
    pytest.importorskip("readline", reason="this Python has no readline")
    done = subprocess.run(
        [sys.executable, "-c", PROMPT], capture_output=True, text=True, check=True, cwd=ROOT
    )
    shown = done.stdout.splitlines()
    assert shown[:3] == ["6.0", "12.0", "9.0"]
    assert shown[3].startswith("the text of <lambda> (<stdin>:1) is not available")


GIVEN = """
from checkpoint import SourceError, grad
print(grad(lambda x: x * x)(3.0))
exec("f = lambda x: x")
try:
    grad(f)(1.0)
except SourceError as error:
    print(error)
"""


def test_functions_of_a_text_given_to_python() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GIVEN, "more"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    shown = done.stdout.splitlines()
    assert shown[0] == "6.0"
    assert shown[1].startswith("the text of <lambda> (<string>:1) is not available")
