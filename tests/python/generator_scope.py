"""The scope of a random program: the variables and functions that it may use, and the lines written so far.

In: choices of a `random.Random` (hypothesis's own, so that a failing program shrinks: the first of any
options is the simplest, and every chance is "no" at its simplest). Out: lines of Python.

    F float   I int   B bool   S str   L list of floats   N list of lists of floats   T tuple of two floats
    D dictionary of strings to floats   P object of a data class   C callable of a float to a float

No list or dictionary is ever reachable by two names of which one changes it; a variable that a callable value
has captured is not written afterwards, unless the program says that it `may_refuse`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

T = TypeVar("T")

DATA = "FISLTDPNB"


@dataclass(eq=False)
class Variable:
    """A variable.

    definite: whether it is bound here. owned: whether its object is reachable by its name alone.
    frozen: whether a callable has captured it. locked: whether an enclosing loop iterates over it or counts
    with it.
    """

    name: str
    kind: str
    definite: bool = True
    owned: bool = True
    frozen: bool = False
    locked: int = 0

    @property
    def writable(self) -> bool:
        return self.owned and not self.frozen and not self.locked


@dataclass(eq=False)
class Local:
    """A nested function of floats that is only called; reads, changes: variables of enclosing functions."""

    name: str
    parameters: int
    reads: set[Variable] = field(default_factory=set)
    changes: set[Variable] = field(default_factory=set)


@dataclass(eq=False)
class Frame:
    """A function that is being written."""

    parent: Frame | None = None
    variables: list[Variable] = field(default_factory=list)
    functions: list[Local] = field(default_factory=list)
    loops: int = 0
    breakable: bool = False
    in_handler: bool = False
    tries: int = 0
    effects: bool = True
    result: str = "F"
    reads: set[Variable] = field(default_factory=set)
    changes: set[Variable] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)


class Base:
    """The choices, lines and scopes of one program."""

    def __init__(self, random: Random, fuel: int) -> None:
        self.random = random
        self.fuel = fuel
        self.lines: list[str] = []
        self.indent = 0
        self.count = 0
        self.frame = Frame()
        self.may_refuse = False
        self.helpers: dict[str, list[str]] = {}

    # Choices

    def pick(self, options: Sequence[T]) -> T:
        return options[self.random.randrange(len(options))]

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) >= 100 - percent

    def upto(self, most: int) -> int:
        return self.random.randrange(most + 1)

    # Lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    @contextmanager
    def indented(self, head: str) -> Iterator[None]:
        """Write one block in this context; variables first bound in it may be unbound afterwards."""
        self.line(head)
        self.indent += 1
        before = {v: v.definite for v in self.frame.variables}
        functions = list(self.frame.functions)
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.indent -= 1
        if self.frame.functions != functions:
            if self.chance(4):
                self.may_refuse = True
            else:
                self.frame.functions[:] = functions
        for variable in self.frame.variables:
            variable.definite = before.get(variable, False)

    # Scopes

    def name(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def new(self, kind: str, name: str | None = None, owned: bool = True) -> Variable:
        """Return a variable of this function that is bound from here on."""
        variable = Variable(name or self.name(kind.lower()), kind, owned=owned)
        self.frame.variables.append(variable)
        return variable

    def visible(self, kind: str) -> list[Variable]:
        """Return the variables of a kind that may be read here."""
        found = [v for v in self.frame.variables if v.kind == kind and v.definite]
        outer = self.frame.parent
        own = {v.name for v in self.frame.variables}
        while outer is not None:
            found += [v for v in outer.variables if v.kind == kind and v.definite and v.name not in own]
            outer = outer.parent
        return found

    def read(self, kind: str) -> str | None:
        """Return a variable of a kind, if there is one."""
        found = self.visible(kind)
        if self.chance(3):
            found = found + [v for v in self.frame.variables if v.kind == kind and not v.definite]
        if not found:
            return None
        variable = self.pick(found)
        self.note_read(variable)
        return variable.name

    def note_read(self, variable: Variable) -> None:
        """Record that the functions between a variable and this place read it."""
        frame: Frame | None = self.frame
        while frame is not None and variable not in frame.variables:
            frame.reads.add(variable)
            frame = frame.parent

    def writable(self, kind: str) -> list[Variable]:
        """Return the variables of this function that an assignment may write."""
        return [v for v in self.frame.variables if v.kind == kind and v.writable]

    def changeable(self, kind: str) -> list[Variable]:
        """Return the lists or dictionaries that this function may change, its own and enclosing ones."""
        found = [v for v in self.frame.variables if v.kind == kind and v.writable and v.definite]
        outer = self.frame.parent
        while outer is not None and self.frame.effects:
            found += [v for v in outer.variables if v.kind == kind and v.writable and v.definite]
            outer = outer.parent
        return found

    def changed(self, variable: Variable) -> None:
        """Record that a variable is changed here, possibly one of an enclosing function."""
        frame: Frame | None = self.frame
        while frame is not None and variable not in frame.variables:
            frame.changes.add(variable)
            frame.reads.add(variable)
            frame = frame.parent

    def capture(self, reads: set[Variable]) -> None:
        """Record that a callable value captures these variables."""
        for variable in reads:
            if self.frame.loops or self.chance(8):
                self.may_refuse = True
            else:
                variable.frozen = True

    def callables(self) -> list[Local]:
        """Return the nested functions that may be called here."""
        found: list[Local] = []
        frame: Frame | None = self.frame
        while frame is not None:
            found += frame.functions
            frame = frame.parent
        allowed = []
        for function in found:
            if function.changes and not self.frame.effects:
                continue
            if all(v.writable and v.definite for v in function.changes) and all(
                v.definite for v in function.reads
            ):
                allowed.append(function)
        return allowed

    @contextmanager
    def without_effects(self) -> Iterator[None]:
        """Let expressions change nothing in this context."""
        before, self.frame.effects = self.frame.effects, False
        yield
        self.frame.effects = before

    @contextmanager
    def bound(self, *variables: Variable) -> Iterator[None]:
        """Let these variables of a comprehension or lambda be visible in this context."""
        self.frame.variables.extend(variables)
        yield
        for variable in variables:
            self.frame.variables.remove(variable)
