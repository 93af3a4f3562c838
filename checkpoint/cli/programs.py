"""What PROG names on the command line: a `.vlad` file, or a Python function.

In: the text of PROG, an engine, and the arguments as texts: of a `.vlad` file programs of its language, of a
function Python's literals. Out: what the commands print.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from checkpoint.ad.values import Closure
from checkpoint.api.operators import cotangent_of_value, nothing_to_differentiate
from checkpoint.cli.errors import ProgramError, UsageError
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.passes import compile_to
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import CheckpointError, RunError, Source, SourceError, Span
from checkpoint.functions import runs
from checkpoint.functions.calls import Call, call_of, result
from checkpoint.functions.program import load, load_file, place
from checkpoint.functions.pytrees import cotangent_to_python, holds_real
from checkpoint.lang.printer import write_value


class Program(ABC):
    """A program that the commands are given. command: the name of the command, for messages."""

    def __init__(self, command: str) -> None:
        self.command = command

    @abstractmethod
    def value(self, xs: Sequence[str], engine: Engine) -> str:
        """The program's value."""

    @abstractmethod
    def gradient(self, xs: Sequence[str], ybar: str | None, engine: Engine, schedule: Schedule) -> list[str]:
        """The value, and the cotangents of the arguments."""

    @abstractmethod
    def steps(self, xs: Sequence[str], engine: Engine) -> int:
        """The steps of the run."""

    @abstractmethod
    def compiled(self, language: str) -> Compilation:
        """The program after a pass."""


def program(text: str, command: str) -> Program:
    """The program that PROG names."""
    where, colon, name = text.rpartition(":")
    if colon and where and all(part.isidentifier() for part in name.split(".")):
        return PythonFunction(command, _function(where, name))
    if text.endswith(".py"):
        raise UsageError(f"name a function of the file, as {text}:f")
    return VladProgram(command, Path(text))


class VladProgram(Program):
    """A `.vlad` file; where there are arguments, its value is a procedure of one."""

    def __init__(self, command: str, path: Path) -> None:
        super().__init__(command)
        self.program = load_file(path)

    def value(self, xs: Sequence[str], engine: Engine) -> str:
        if xs:
            raise UsageError("a .vlad program is run as it is: --x is for Python functions")
        return write_value(runs.run_program(self.program, engine))

    def gradient(self, xs: Sequence[str], ybar: str | None, engine: Engine, schedule: Schedule) -> list[str]:
        f, x = self._procedure(engine), self._argument(xs, engine)
        given = None if ybar is None else _run_text("--ybar", ybar, engine)
        return [write_value(each) for each in runs.vjp_values(f, x, given, engine, schedule, name="--ybar")]

    def steps(self, xs: Sequence[str], engine: Engine) -> int:
        if not xs:
            return runs.count_program(self.program, engine)
        return runs.primops_values(self._procedure(engine), self._argument(xs, engine), engine)

    def compiled(self, language: str) -> Compilation:
        return compile_to(language, self.program.thunk, self.program.scopes)

    def _procedure(self, engine: Engine) -> Closure:
        value = runs.run_program(self.program, engine)
        if not isinstance(value, Closure):
            written = write_value(value, limit=200)
            message = f"{self.command} needs a program whose value is a procedure, not {written}"
            raise RunError(message, place(self.program))
        return value

    def _argument(self, xs: Sequence[str], engine: Engine) -> Any:
        if not xs:
            raise UsageError(f"{self.command} needs --x, the argument at which to take the gradient")
        if len(xs) > 1:
            raise UsageError("a procedure takes one --x: several arguments are a list, (list 1 2)")
        return _run_text("--x", xs[0], engine)


class PythonFunction(Program):
    """A Python function, called with one argument for each `--x`."""

    def __init__(self, command: str, function: Callable[..., Any]) -> None:
        super().__init__(command)
        self.function = function

    def value(self, xs: Sequence[str], engine: Engine) -> str:
        with _users_errors():
            call = self._call([_literal("--x", x) for x in xs], engine)
            return repr(result(call.value(), call.engine))

    def gradient(self, xs: Sequence[str], ybar: str | None, engine: Engine, schedule: Schedule) -> list[str]:
        given = [_literal("--x", x) for x in xs]
        if not given:
            raise UsageError(f"{self.command} needs --x, an argument at which to take the gradient")
        cotangent = None if ybar is None else _literal("--ybar", ybar)
        with _users_errors():
            call = self._call(given, engine)
            if not any(holds_real(x) for x in call.argument.items):
                raise RunError(nothing_to_differentiate("--x", given[0]))
            y, xbar = call.vjp(lambda y: cotangent_of_value(cotangent, y, "--ybar"), schedule)
            value = repr(result(y, call.engine))
        pairs = zip(given, xbar.items, strict=True)
        return [value, *(repr(cotangent_to_python(x, part)) for x, part in pairs)]

    def steps(self, xs: Sequence[str], engine: Engine) -> int:
        with _users_errors():
            return self._call([_literal("--x", x) for x in xs], engine).steps()

    def compiled(self, language: str) -> Compilation:
        # Loaded here, as checkpoint.functions.calls loads it: other programs need no translation of Python.
        front_end: Any = importlib.import_module("checkpoint.lang.python.linking.program")
        linked = front_end.link(self.function, front_end.Shape(*_required(self.function)))
        return compile_to(language, linked.thunk, linked.scopes)

    def _call(self, given: list[Any], engine: Engine) -> Call:
        return call_of(self.function, given, {}, engine.name, ["--x"] * len(given))


def _required(function: Callable[..., Any]) -> tuple[int, tuple[str, ...]]:
    """How many positional arguments a function must be given, and which by name."""
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    positional = [p for p in needed if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    return len(positional), tuple([p.name for p in needed if p.kind is p.KEYWORD_ONLY])


def _run_text(option: str, text: str, engine: Engine) -> Any:
    """The value of an argument, which is itself a program."""
    return runs.run_program(load(Source(option, text)), engine)


def _literal(option: str, text: str) -> Any:
    """The value of an argument, which is a literal of Python."""
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        message = "this is no literal of Python; write numbers in tuples, lists and dicts, such as [1.0, 2.0]"
        raise SourceError(message, Span(Source(option, text), 0, len(text))) from None


def _function(where: str, name: str) -> Callable[..., Any]:
    found: Any = _from_file(Path(where)) if where.endswith(".py") else _module(where)
    for part in name.split("."):
        if not hasattr(found, part):
            raise RunError(f"there is no {name} in {where}")
        found = getattr(found, part)
    if not callable(found):
        raise RunError(f"{where}:{name} is no function but a {type(found).__name__}")
    function: Callable[..., Any] = found
    return function


def _module(name: str) -> ModuleType:
    sys.path.insert(0, "")
    with _import_errors(name):
        return importlib.import_module(name)


def _from_file(path: Path) -> ModuleType:
    """A file as a module; its functions are placed in it under the name that was given."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise RunError(f"{path}: {error.strerror or error}") from None
    sys.path.insert(0, str(path.parent))
    sys.modules.setdefault(path.stem, module)
    with _import_errors(str(path)):
        exec(compile(text, str(path), "exec"), vars(module))
    return module


@contextmanager
def _import_errors(name: str) -> Iterator[None]:
    """Within, what a module raises is told as Python tells it, from the module's own code on."""
    try:
        yield
    except Exception as error:
        failure = RunError(f"importing {name} failed")
        own = traceback.TracebackException.from_exception(error)
        own.stack = traceback.StackSummary.from_list(
            [frame for frame in own.stack if frame.filename != __file__ and "importlib" not in frame.filename]
        )
        failure.add_note("".join(own.format()).rstrip())
        raise failure from None


@contextmanager
def _users_errors() -> Iterator[None]:
    """Within, an exception that a run raised is one of the program: it has its place as a note."""
    try:
        yield
    except CheckpointError:
        raise
    except Exception as error:
        if not hasattr(error, "__notes__"):
            raise
        raise ProgramError(error) from None
