"""The syntax trees and places of functions: the node of exactly this function, in its whole text."""

from __future__ import annotations

import ast
import doctest
import importlib
import linecache
import marshal
import math
import os
import py_compile
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from checkpoint import grad
from checkpoint.errors import SourceError
from checkpoint.lang.python.source.texts import text_of

TEXT = '''\
# é: columns count characters
import functools
def decorated(*arguments):
    return lambda f: f
@decorated(
    lambda x: x,
    lambda x: -x,
)
@decorated()
def outer(x):
    """A text."""
    def inner(y):
        return x * y
    return inner
pair = (lambda x: x * 2, lambda x: x * 2, lambda: 0)
é = lambda ü: (lambda y: ü + y)
lines = [lambda a: (a +
    1), lambda a:
    a + 1]
class C:
    def method(self):
        return self.__secret
    @property
    def lazy(self):
        return (lambda: self.__secret)
if True:
    try:
        def within(): return [(lambda k: (lambda: k))(i) for i in range(2)]
    finally:
        pass
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "of_source.py").write_text(TEXT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("of_source")
    del sys.modules["of_source"]


def written(function: Any) -> str:
    """Return the text of a function, by its span."""
    found = text_of(function)
    span = found.span(found.tree)
    return found.source.text[span.start : span.end]


def nested(code: CodeType, name: str) -> CodeType:
    """Return the code of a function inside another."""
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def test_the_node_of_exactly_this_function(module: Any) -> None:
    functions: dict[Callable[..., Any], str] = {
        module.pair[0]: "lambda x: x * 2",
        module.pair[2]: "lambda: 0",
        module.é: "lambda ü: (lambda y: ü + y)",
        module.é(1): "lambda y: ü + y",
        module.lines[0]: "lambda a: (a +\n    1)",
        module.lines[1]: "lambda a:\n    a + 1",
        module.outer(1): "def inner(y):\n        return x * y",
        module.C.method: "def method(self):\n        return self.__secret",
        module.C().method: "def method(self):\n        return self.__secret",
        module.C().lazy: "lambda: self.__secret",
        module.within()[0]: "lambda: k",
        module.decorated(): "lambda f: f",
    }
    for function, text in functions.items():
        assert written(function) == text
    assert written(module.outer).startswith('def outer(x):\n    """A text."""')
    first, second = text_of(module.pair[0]), text_of(module.pair[1])
    assert second.span(second.tree).start > first.span(first.tree).end


def test_decorators_hold_functions_of_their_own(module: Any) -> None:
    code = compile(TEXT, str(module.__file__), "exec")
    lambdas = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == "<lambda>"]
    assert {"lambda x: x", "lambda x: -x"} < {written(c) for c in lambdas}


def test_a_code_object_alone(module: Any) -> None:
    assert written(nested(module.outer.__code__, "inner")) == "def inner(y):\n        return x * y"


def test_the_whole_text_is_there_and_lines_are_its_own(module: Any) -> None:
    found = text_of(module.é(1))
    assert found.source.name == module.__file__
    assert found.source.text == TEXT
    assert str(found.span(found.tree)) == f"{module.__file__}:16:16"
    assert isinstance(found.tree, ast.Lambda)
    assert found.span(found.tree).excerpt().endswith("^" * len("lambda y: ü + y"))


def test_every_node_has_a_place(module: Any) -> None:
    found = text_of(module.outer)
    for node in ast.walk(found.tree):
        span = found.span(node)
        assert 0 <= span.start <= span.end <= len(TEXT)
        if isinstance(node, ast.Name):
            assert TEXT[span.start : span.end] == node.id
    assert found.span(text_of(module.pair[0]).tree.args.args[0]).line == 15


def test_one_file_is_parsed_once(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    parse = ast.parse

    def counted(text: str, name: str) -> ast.Module:
        parsed.append(name)
        return parse(text, name)

    monkeypatch.setattr("checkpoint.lang.python.source.texts.ast.parse", counted)
    with ThreadPoolExecutor(4) as threads:
        trees = list(threads.map(lambda f: text_of(f).tree, [module.outer, *module.pair] * 25))
    assert len(parsed) == 1
    assert len({id(tree) for tree in trees}) == 4


def test_a_file_that_was_edited(module: Any) -> None:
    path = Path(module.__file__)
    path.write_text(TEXT.replace("x * 2", "x * 3"), encoding="utf-8")
    with pytest.raises(SourceError, match=r"<lambda> \(.*of_source.py:15\) has changed since .*reload"):
        text_of(module.pair[0])
    assert written(module.outer(1)) == "def inner(y):\n        return x * y"
    path.write_text("nothing left", encoding="utf-8")
    assert written(module.outer(1)) == "def inner(y):\n        return x * y"


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module with a cache that another compiler has written: the places of instructions differ."""
    path = tmp_path / "of_cache.py"
    path.write_text("def f(x):\n    return x * 2\n", encoding="utf-8")
    time = path.stat().st_mtime_ns - 10**10
    os.utime(path, ns=(time, time))
    cache = Path(py_compile.compile(str(path), doraise=True) or "")
    content = cache.read_bytes()
    code = marshal.loads(content[16:])
    inner = code.co_consts[0].replace(co_linetable=code.co_consts[0].co_linetable[:2])
    cache.write_bytes(content[:16] + marshal.dumps(code.replace(co_consts=(inner, *code.co_consts[1:]))))
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("of_cache")
    del sys.modules["of_cache"]


def test_a_cache_that_another_compiler_has_written(foreign: Any) -> None:
    assert grad(foreign.f)(3.0) == 2.0


def test_a_file_that_was_edited_in_the_second_of_its_cache(foreign: Any) -> None:
    path = Path(foreign.__file__)
    time = int(path.stat().st_mtime) * 10**9
    path.write_text("def f(x):\n    return x * 3\n", encoding="utf-8")
    os.utime(path, ns=(time + 2, time + 2))
    os.utime(foreign.__cached__, ns=(time + 1, time + 1))
    with pytest.raises(SourceError, match="has changed since"):
        text_of(foreign.f)


def test_a_text_that_is_known_outlives_an_edit(module: Any) -> None:
    assert written(module.pair[0]) == "lambda x: x * 2"
    old = module.pair[0]
    Path(module.__file__).write_text(TEXT.replace("x * 2", "x * 3.5"), encoding="utf-8")
    importlib.invalidate_caches()
    new: Any = importlib.reload(module)
    assert written(new.pair[1]) == "lambda x: x * 3.5"
    assert written(old) == "lambda x: x * 2"


def test_code_with_its_text_in_linecache() -> None:
    text = "f = lambda x: x + 1; g = lambda x: x + 2\r\ndef h(x):\r\n  return x"
    names: dict[str, Any] = {}
    linecache.cache["<my code>"] = (len(text), None, text.splitlines(True), "<my code>")
    exec(compile(text, "<my code>", "exec"), names)
    assert written(names["g"]) == "lambda x: x + 2"
    assert written(names["h"]) == "def h(x):\n  return x"


def test_a_module_in_a_zip_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("of_zip.py", "def f(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path / "packed.zip")
    packed: Any = importlib.import_module("of_zip")
    assert written(packed.f) == "def f(x):\n    return x"


def test_in_a_doctest() -> None:
    example = """
    >>> from checkpoint.lang.python.source.texts import text_of
    >>> f = lambda x: x + 1
    >>> found = text_of(f)
    >>> found.span(found.tree).column, found.source.name
    (5, '<doctest example[1]>')
    """
    test = doctest.DocTestParser().get_doctest(example, {}, "example", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_assertions_that_pytest_has_rewritten() -> None:
    def f(x: float) -> float:
        assert x > 0.0, "positive"
        return x

    def g() -> Callable[[], None]:
        def inner() -> None:
            assert f(1.0) == 1.0

        return inner

    assert written(f).startswith("def f(x: float) -> float:")
    assert written(g()).startswith("def inner() -> None:")
    assert written(g).startswith("def g()")


class Callable1:
    def __call__(self, x: float) -> float:
        return x


async def waiting() -> None:
    """Wait for nothing."""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (math.sin, r"^math.sin is not a function written in Python.*checkpoint.primitive\(math.sin, vjp"),
        (abs, r"^abs is not a function written in Python.*checkpoint.primitive\(abs, "),
        (Callable1(), r"^tests.python.test_source.Callable1\(...\) is not a function written in Python"),
        (3, "^3 is not a function$"),
        (eval("lambda x: x"), r"the text of <lambda> \(<string>:1\) is not available.* linecache.cache\["),
        (waiting, r"test_source.py:\d+:1: an async function cannot be differentiated"),
    ],
)
def test_what_has_no_text(function: Any, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        text_of(function)


def test_without_the_columns_of_code(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(
        "from checkpoint.lang.python.source.texts import text_of\n"
        "f = lambda x: x\n"
        "g, h = lambda x: x, lambda x: -x\n"
        "print(text_of(f).tree.lineno)\n"
        "text_of(g)\n"
    )
    command = [sys.executable, "-X", "no_debug_ranges", str(tmp_path / "plain.py")]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert run.stdout == "2\n"
    assert "put each lambda on a line of its own" in run.stderr


IMPORTED = """\
import sys
if True:
    import marshal
import math
import os
import py_compile
try:
    import cmath as {name}
except ImportError:
    cmath = None
else:
    from os import path
for _ in range(1):
    with open(__file__):
        import json
while sys.maxsize < 0:
    import operator
match 1:
    case 1:
        import string
class Holder:
    import bisect
    def method(self, x): return bisect.bisect([1], x)
def of_if(x): return math.sin(x)
def of_try(x): return {name}.sin(x)
def of_else(x): return path.join(x)
def of_loop(x): return json.dumps(x)
def of_while(x): return operator.neg(x)
def of_match(x): return string.capwords(x)
def both(x):
    import bisect
    return bisect.bisect([1], x) + math.sin(x)
"""


def test_modules_that_are_imported_inside_of_a_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python compiles a call of a module's function in a way of its own, wherever the import is."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "of_imports.py").write_text(IMPORTED.format(name="complex_math"))
    module = importlib.import_module("of_imports")
    for name in ("of_if", "of_try", "of_else", "of_loop", "of_while", "of_match", "both"):
        assert written(getattr(module, name)).startswith(f"def {name}(x):")
    assert written(module.Holder.method) == "def method(self, x): return bisect.bisect([1], x)"
    del sys.modules["of_imports"]


def own_default(x: float, f: Any = None) -> float:
    return x if f is None else 2.0 * x


assert own_default.__defaults__ is not None
own_default.__defaults__ = (own_default,)


def with_own_default(x: float) -> float:
    return own_default(x)


def test_a_function_that_is_its_own_default() -> None:
    with pytest.raises(SourceError, match="own_default, which is a default value of itself, cannot be"):
        grad(with_own_default)(1.0)


def test_a_function_that_keeps_its_text() -> None:
    """Decorators of networkx compile functions, and keep the text."""
    names: dict[str, Any] = {
        "__name__": __name__,
        "__loader__": sys.modules[__name__].__loader__,
    }  # whose text is another one
    text = "def kept(x):\n    return 3.0 * x\n"
    exec(compile(text, "<class 'a.tool'> compilation 7", "exec"), names)
    names["kept"]._code = text
    assert written(names["kept"]) == text.rstrip()
