"""Programs on the command line: PROG names a `.vlad` file or a Python function.

In: the text of PROG, an engine, and the arguments as texts: of a `.vlad` file programs of its language, of a
function Python's literals. Out: what the commands print.
"""

from __future__ import annotations

import ast
import importlib
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from checkpoint.ad.graph import reach
from checkpoint.ad.values import Closure
from checkpoint.api.checking import check, required
from checkpoint.api.journals import taken_by, value_of
from checkpoint.cli.errors import ProgramError, UsageError
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.passes import compile_to
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import CheckpointError, RunError, Source, SourceError, Span
from checkpoint.functions import runs
from checkpoint.functions.interface import Call
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.program import load, load_file, place
from checkpoint.functions.resumption import as_function
from checkpoint.lang.printer import write_value


class Program(ABC):
    """A program that the commands are given.

    command: the name of the command, for messages. article: how messages speak of the argument `--x`.
    """

    article: str

    def __init__(self, command: str) -> None:
        self.command = command

    @abstractmethod
    def call(self, xs: Sequence[str], engine: Engine) -> Call:
        """Return the call with these arguments; without any, that of the program as it is."""

    @abstractmethod
    def argument(self, option: str, text: str, engine: Engine) -> Any:
        """Return the value of an argument or a cotangent, which an option has given as a text."""

    @abstractmethod
    def written(self, value: Any) -> str:
        """Return a value that has left a call as a text."""

    @abstractmethod
    def refusals(self, xs: Sequence[str]) -> list[str]:
        """Return what is refused in the program, a line for each; xs: examples of arguments."""

    @abstractmethod
    def compiled(self, language: str) -> Compilation:
        """Return the program after a pass."""

    def value(self, xs: Sequence[str], engine: Engine) -> str:
        """Return the program's value."""
        with _users_errors():
            return self.written(self.call(xs, engine).value())

    def gradient(
        self,
        xs: Sequence[str],
        ybar: str | None,
        engine: Engine,
        schedule: Schedule,
        journal: str | None = None,
    ) -> list[str]:
        """Return the value, and the cotangents of the arguments; journal: a directory."""
        if not xs:
            self.tried(engine)  # an error of the program comes before that of the missing argument
            raise UsageError(
                f"{self.command} needs --x, {self.article} argument at which to take the gradient"
            )
        with _users_errors():
            call = self.call(xs, engine)
            cotangent = None if ybar is None else self.argument("--ybar", ybar, engine)
            options = {"--ybar": value_of(cotangent, call)}
            with taken_by(journal, call, options, self.procedure(call)) as swept:
                y, cotangents = call.vjp(cotangent, schedule, ("--x", "--ybar"), swept)
            return [self.written(each) for each in (y, *cotangents)]

    def tried(self, engine: Engine) -> None:
        """Raise the error of a program that fails before it has arguments."""
        return

    def procedure(self, call: Call) -> Procedure | None:
        """Return the procedure that is called, if the program is a text."""
        return None

    def steps(self, xs: Sequence[str], engine: Engine) -> int:
        """Return the number of steps of the run."""
        with _users_errors():
            return self.call(xs, engine).steps()


def program(text: str, command: str) -> Program:
    """Return the program that PROG names."""
    where, colon, name = text.rpartition(":")
    if colon and where and all(part.isidentifier() for part in name.split(".")):
        return PythonProgram(command, _function(where.removesuffix(":"), name))
    file, is_python, _ = f"{text}:".partition(".py:")
    if is_python:
        raise UsageError(f"name a function of the file, as {file}.py:f")
    return VladProgram(command, Path(text))


class VladProgram(Program):
    """A `.vlad` file; where there are arguments, its value is a procedure of one.

    An argument is the value of another text: where one of them shifts, procedures of both know
    (lang/control/opened.py).
    """

    article = "the"

    def __init__(self, command: str, path: Path) -> None:
        super().__init__(command)
        self.program = self._called = load_file(path)

    def call(self, xs: Sequence[str], engine: Engine) -> Call:
        if not xs:
            return runs.program_call(self.program, engine)
        f = self._procedure(engine)
        if len(xs) > 1:
            raise UsageError("a procedure takes one --x: several arguments are a list, (list 1 2)")
        given = load(Source("--x", xs[0]))
        x = runs.run_program(given, engine)
        if (given.may_shift or self.program.may_shift) and any(type(part) is Closure for part in reach(x)[1]):
            f, x = self.program.opened_on(engine, f), given.opened_on(engine, x)
            self._called = self.program.opened[0]
        return runs.call_of(f, x, engine)

    def argument(self, option: str, text: str, engine: Engine) -> Any:
        return runs.run_program(load(Source(option, text)), engine)

    def written(self, value: Any) -> str:
        return write_value(value)

    def value(self, xs: Sequence[str], engine: Engine) -> str:
        if xs:
            raise UsageError("a .vlad program is run as it is: --x is for Python functions")
        return super().value(xs, engine)

    def tried(self, engine: Engine) -> None:
        self._procedure(engine)

    def procedure(self, call: Call) -> Procedure | None:
        return Procedure(call.run.u.car, self._called)

    def refusals(self, xs: Sequence[str]) -> list[str]:
        return []  # what is refused in a text ends its reading

    def compiled(self, language: str) -> Compilation:
        return compile_to(language, self.program.thunk, self.program.scopes)

    def _procedure(self, engine: Engine) -> Closure:
        value = runs.run_program(self.program, engine)
        if not isinstance(value, Closure):
            written = write_value(value, limit=200)
            message = f"{self.command} needs a program whose value is a procedure, not {written}"
            raise RunError(message, place(self.program))
        return value


class PythonProgram(Program):
    """A Python function, called with one argument for each `--x`."""

    article = "an"

    def __init__(self, command: str, function: Callable[..., Any]) -> None:
        super().__init__(command)
        self.function = function

    def call(self, xs: Sequence[str], engine: Engine) -> Call:
        arguments = [self.argument("--x", x, engine) for x in xs]
        return as_function(self.function).call(arguments, {}, engine.name, ["--x"] * len(xs))

    def argument(self, option: str, text: str, engine: Engine) -> Any:
        return _literal(option, text)

    def written(self, value: Any) -> str:
        return repr(value)

    def refusals(self, xs: Sequence[str]) -> list[str]:
        return [str(each) for each in check(self.function, *[_literal("--x", x) for x in xs])]

    def compiled(self, language: str) -> Compilation:
        # Local, since `.vlad` programs need no translation of Python.
        from checkpoint.lang.python.linking.program import link  # noqa: PLC0415
        from checkpoint.lang.python.linking.shapes import Shape  # noqa: PLC0415

        linked = link(self.function, Shape(*required(self.function)))
        return compile_to(language, linked.thunk, linked.scopes)


def _literal(option: str, text: str) -> Any:
    """Return the value of an argument, which is a literal of Python."""
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
        kind = type(found).__name__
        article = "an" if kind[0] in "aeiouAEIOU" else "a"
        raise RunError(f"{where}:{name} is no function but {article} {kind}")
    function: Callable[..., Any] = found
    return function


def _module(name: str) -> ModuleType:
    sys.path.insert(0, "")
    with _import_errors(name):
        return importlib.import_module(name)


def _from_file(path: Path) -> ModuleType:
    """Return a file as a module, whose functions have places under the name that was given."""
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
    """Turn what a module raises into RunError with Python's traceback, from the module's own code on."""
    try:
        yield
    except (Exception, SystemExit) as error:
        failure = RunError(f"importing {name} failed")
        own = traceback.TracebackException.from_exception(error)
        own.stack = traceback.StackSummary.from_list(
            [frame for frame in own.stack if frame.filename != __file__ and "importlib" not in frame.filename]
        )
        failure.add_note("".join(own.format()).rstrip())
        raise failure from None


@contextmanager
def _users_errors() -> Iterator[None]:
    """Turn an exception that a run raised, which has its place as a note, into ProgramError."""
    try:
        yield
    except CheckpointError:
        raise
    except Exception as error:
        if not hasattr(error, "__notes__"):
            raise
        raise ProgramError(error) from None
