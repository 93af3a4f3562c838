"""The program that the caller of `load` passes, in which what a file names is looked up.

In: a function or procedure, what the file says of its call, and what else the caller knows. Out: lambdas by
their hashes, classes and other constants by their texts. Nothing is imported and nothing of the file runs:
the function is translated as for a call, and whatever the file names must be in what came of that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from checkpoint.ad.arrays import Array, Native
from checkpoint.ad.attributes import stored
from checkpoint.ad.containers import TUPLE, Layout, Types, tuple_layout
from checkpoint.ad.graph import ATOMS
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Foreign, Symbol, Unusable
from checkpoint.cps.separate import nested
from checkpoint.driver.engine import Engine
from checkpoint.durable.listing import digest_of
from checkpoint.errors import DurableError, SourceError, Span
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.python_functions import front_end
from checkpoint.interp.hybrid.later import procedure_of
from checkpoint.lang.constants import constant_text, module_name, qualified
from checkpoint.lang.core import App, Const, Lambda, Prim
from checkpoint.lang.origins import OwnCode
from checkpoint.lang.walk import preorder

# Packages whose classes hold no code of a user's.
_OURS = frozenset(("builtins", "types", "collections", "checkpoint", "tensorlib", "numpy", "torch"))
_MOST_FUNCTIONS = 10_000  # in which names of classes are looked for
_DATA = frozenset(
    (tuple, list, dict, set, frozenset, slice, range, complex, int, float, str, bytes, bool, object)
)
OWN_PROGRAMS = "Native functions"  # the text of the functions that a program uses as values


class Program:
    """Holds what a caller passes: a function, its program and those of the functions that it reads.

    name: of the function, for messages. thunks: the programs' lambdas. values: of its hidden inputs.
    classes: those that it knows, by name. of_arguments: those of the objects in its arguments.
    functions: those among its arguments. entry: the procedure that is called.
    """

    def __init__(self, f: Any, name: str, thunks: Sequence[Lambda], values: Sequence[Any]) -> None:
        self.f = f
        self.name = name
        self.thunks = tuple(dict.fromkeys(thunks))
        self.values = tuple(values)
        self.classes: dict[str, type] = {}
        self.of_arguments: tuple[Any, ...] = ()
        self.functions: tuple[Any, ...] = ()
        self.entry: Lambda | None = None

    def knows(self, classes: Iterable[Any]) -> None:
        """Let objects be of these classes, too."""
        for cls in classes:
            if isinstance(cls, type):
                self.classes.setdefault(qualified(cls), cls)

    @cached_property
    def _lambdas(self) -> dict[tuple[str, int], list[Lambda]]:
        found: dict[tuple[str, int], list[Lambda]] = {}
        for thunk in self.thunks:
            for lam in chain([thunk], (lam for lam, _ in nested(thunk))):
                found.setdefault((lam.name or "", len(lam.params)), []).append(lam)
        return found

    def procedure(
        self, name: str, arity: int, digest: bytes, text: int, text_of: Callable[[Any], int]
    ) -> Any:
        """Return the lambda of a name and hash; of several that are equal one with the same source text."""
        found = None
        for lam in self._lambdas.get((name, arity), ()):
            code = procedure_of(lam)
            if code is not None and digest_of(lam) == digest:
                if text_of(code) == text:
                    return lam
                found = found or lam
        if found is None:
            raise DurableError(self._other_program(name or "lambda"))
        return found

    def _other_program(self, procedure: str) -> str:
        return (
            f"{self.name} is not the function of this capsule: its program has no procedure {procedure} with "
            "the same steps and constants. Pass the function that was interrupted, as it was then; "
            "functions among its arguments are passed as known=(g, ...). A very large program is complete "
            "after a run of it, checkpoint.primops(f, x): run it before it is interrupted, and before its "
            "capsule is loaded"
        )

    def check_code(self, code: OwnCode) -> None:
        """Raise DurableError unless a run of the function has this code."""
        if self.entry is None or OwnCode(self.entry) != code:
            raise DurableError(self._other_program(code.name))

    def class_(self, name: str) -> type:
        """Return a class of the program by its name; DurableError for one that it does not know."""
        found = self.classes.get(name)
        module = name.partition(":")[0]
        if found is None and (module.partition(".")[0] in _OURS or module in self._named):
            found = _loaded(name)
        found = found or self._named.get(name)
        if found is None:
            raise DurableError(
                f"the capsule holds a {name.replace(':', '.')}, and {self.name} does not name this class: "
                f"pass it as known=({name.rpartition(':')[2].rpartition('.')[2]},)"
            )
        return found

    @cached_property
    def _named(self) -> dict[str, Any]:
        return _surroundings(self.f)

    @cached_property
    def _symbols(self) -> dict[str, Symbol]:
        return {str(value): value for value in self._in_code() if type(value) is Symbol}

    def symbol(self, text: str) -> Symbol:
        """Return the symbol of a text, the program's own if it has that: some are compared by identity."""
        return self._symbols.get(text) or Symbol(text)

    @cached_property
    def _constants(self) -> dict[str, list[Any]]:
        """The constants of the programs and of the hidden inputs, by their texts."""
        found: dict[str, list[Any]] = {}
        for value in chain(self._in_code(), _atoms_in(self.values)):
            kind = type(value)
            if kind in NATIVES or kind in (Foreign, Unusable, Layout, Types):
                known = found.setdefault(constant_text(value), [])
                if not any(value is each or _thing(value) is _thing(each) for each in known):
                    known.append(value)
        return found

    def _in_code(self) -> Iterator[Any]:
        for thunk in self.thunks:
            yield from _atoms_in([expr.value for expr in preorder(thunk) if isinstance(expr, Const)])

    def constant(self, text: str) -> Any:
        """Return a constant of the program by its text; DurableError where there is none, or several."""
        found = self._constants.get(text, ())
        if len(found) != 1:
            several = "several" if found else "no"
            raise DurableError(
                f"the capsule holds the constant {text}, and the program of {self.name} has {several} such: "
                f"pass the function that was interrupted, as it was then"
            )
        return found[0]

    @cached_property
    def _calls(self) -> dict[str, list[Span]]:
        """The places of the programs' calls, by their texts."""
        found: dict[str, list[Span]] = {}
        for thunk in self.thunks:
            for expr in preorder(thunk):
                if isinstance(expr, App | Prim):
                    found.setdefault(expr.span.text, []).append(expr.span)
        return found

    def call_at(self, start: int, text: str) -> Span | None:
        """Return the place of a call, for messages; None where the program has no such text any more.

        start: where it began; other places of the same text are taken where it does not begin there.
        """
        found = self._calls.get(text, ())
        return next((span for span in found if span.start == start), found[0] if found else None)

    def layout(self, cls: type, names: tuple[str, ...]) -> Layout:
        """Return a layout, the program's own if it has that."""
        if cls is tuple and not names:
            return TUPLE
        made = tuple_layout(cls, len(names)) if issubclass(cls, tuple) else Layout(cls, names)
        found = self._constants.get(constant_text(made), ())
        return (
            next((each for each in found if each == made), made)
            if made.names == names
            else Layout(cls, names)
        )


def _thing(value: Any) -> Any:
    if type(value) is Foreign:
        return value.value
    return value.thing if type(value) is Unusable else getattr(value, "value", value)


def _atoms_in(roots: Iterable[Any]) -> Iterator[Any]:
    """Yield the atoms that values reach."""
    pending, seen = list(roots), set()
    while pending:
        value = pending.pop()
        if type(value) in ATOMS:
            yield value
        elif type(value) is not float and id(value) not in seen:
            seen.add(id(value))
            pending.extend(
                value if type(value) is tuple else value.parts() if hasattr(value, "parts") else ()
            )


def _loaded(name: str) -> type | None:
    """Return a class of a module that is loaded."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = vars(found).get(part) if isinstance(found, type | ModuleType) else None
    if found is None and module.startswith("checkpoint."):  # classes that are called as Python's are
        there = vars(sys.modules.get(module, sys)).values()
        found = next((each for each in there if isinstance(each, type) and qualified(each) == name), None)
    if not isinstance(found, type) or (module == "builtins" and not _holds_data(found)):
        return None
    return found


def _holds_data(cls: type) -> bool:
    return cls in _DATA or issubclass(cls, Exception)


def is_of_users(cls: Any) -> bool:
    """Return whether something is a class that neither Python nor this package nor a library of arrays "
    "has.
    """
    return isinstance(cls, type) and cls.__module__.partition(".")[0] not in _OURS


def _surroundings(f: Any) -> dict[str, Any]:
    """Return the classes that a function and those to which it refers name, and the names of their modules.

    They are those in the globals and closures of functions, and in modules among these.
    """
    found: dict[str, Any] = {}
    pending: list[Any] = [f]
    seen: set[int] = set()
    while pending and len(seen) < _MOST_FUNCTIONS:
        thing = pending.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, type):
            found.setdefault(qualified(thing), thing)
            continue
        names = stored(thing, "__globals__", {})
        found[module_name(names.get("__name__"))] = None
        if isinstance(thing, ModuleType):
            found[thing.__name__] = None
        inner = [*names.values(), *[_content(cell) for cell in stored(thing, "__closure__") or ()]]
        inner.extend(stored(thing, name) for name in ("__func__", "__wrapped__", "func"))
        pending.extend(
            each for each in inner if isinstance(each, type | ModuleType | FunctionType | MethodType)
        )
    return found


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return None


def program_of(f: Any, wanted: Any, known: Sequence[Any], engine: Engine) -> Program:
    """Return the program of a function for the call that a file names.

    wanted: checkpoint.durable.code.Wanted. known: classes and functions in its arguments.
    """
    if isinstance(f, Procedure):
        f.on(engine)
        program = Program(f, f.closure.lam.name or "the procedure", [f.program.thunk], [f.closure])
        program.entry = f.closure.lam
        program.knows(known)
        return program
    name = stored(f, "__qualname__") or type(f).__name__
    probe = Program(f, name, (), ())
    probe.knows(known)
    classes = tuple([_class_of_argument(each, probe) for each in wanted.classes])
    shape = (1 if wanted.positional is None else wanted.positional, wanted.keywords, wanted.has_state)
    functions = [each for each in known if callable(each) and not isinstance(each, type)]
    try:
        linked, values = front_end().translated(f, shape, classes, functions, engine)
    except SourceError as error:
        raise DurableError(
            f"{name} cannot be called as the function of this capsule was: {error.message}. Pass the "
            f"function that was interrupted"
        ) from None
    program = Program(f, name, [each.thunk for each in linked], list(values.values()))
    program.entry = linked[0].entry
    program.of_arguments, program.functions = classes, tuple(functions)
    program.knows([*known, *classes, *(cls for each in linked for cls in (*each.classes, *each.met_classes))])
    program.knows(_classes_among(program))
    return program


def _classes_among(program: Program) -> Iterator[Any]:
    """Yield the classes that are constants of a program."""
    for value in chain(program._in_code(), _atoms_in(program.values)):
        if type(value) is Layout:
            yield value.cls
        elif type(value) is Types:
            yield from value.classes
        elif type(value) is Native:
            yield value.value


def _class_of_argument(text: str, program: Program) -> Any:
    """Return a class in arguments, or type[C], by its text."""
    if text.startswith("type[") and text.endswith("]"):
        inner: Any = program.class_(text[5:-1])
        return type[inner]
    return _MARKS.get(text) or program.class_(text)


# What stands among classes for arrays, and for functions: no module names the class of these.
_MARKS: dict[str, type] = {qualified(cls): cls for cls in (Array, FunctionType)}
