"""The arguments of a call, as expressions of the core."""

from __future__ import annotations

from dataclasses import field

from checkpoint.dataclass import dataclass
from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.builder import copy_of


@dataclass(eq=False, repr=False)
class Arguments:
    """The arguments of a call, as core expressions.

    positional: those before any `*`. star: all `*args`, joined to one tuple, or None. keywords: those passed
    by name.
    mapping: the argument of `**`, or None. before: how many of those passed by name stand before it.
    """

    positional: list[Expr] = field(default_factory=list)
    star: Expr | None = None
    keywords: dict[str, Expr] = field(default_factory=dict)
    mapping: Expr | None = None
    before: int = 0

    @property
    def values(self) -> list[Expr]:
        """Return all arguments in the order of their evaluation."""
        stars = [each for each in (self.star, self.mapping) if each is not None]
        return [
            *self.positional,
            *stars[: self.star is not None],
            *self.keywords.values(),
            *stars[self.star is not None :],
        ]

    def after(self, positional: list[Expr], keywords: dict[str, Expr]) -> Arguments:
        """Return these arguments preceded by others, which the function holds already."""
        named = {**keywords, **self.keywords}
        before = self.before + len(keywords)
        return Arguments([*positional, *self.positional], self.star, named, self.mapping, before)

    def copies(self) -> Arguments:
        """Return the same arguments, all simple, for another place in the program."""
        return self.like(list(map(copy_of, self.values)))

    def like(self, values: list[Expr]) -> Arguments:
        """Return the same arguments with other expressions for them."""
        rest = list(values)
        positional = [rest.pop(0) for _ in self.positional]
        star = None if self.star is None else rest.pop(0)
        keywords = {name: rest.pop(0) for name in self.keywords}
        mapping = None if self.mapping is None else rest.pop(0)
        return Arguments(positional, star, keywords, mapping, self.before)
