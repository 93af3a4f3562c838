"""The arguments of a call, as expressions of the core."""

from __future__ import annotations

from dataclasses import dataclass, field

from checkpoint.lang.core import Expr


@dataclass(eq=False, repr=False)
class Arguments:
    """What a call passes. positional: before any star; star: all of `*args`, joined; keywords by name."""

    positional: list[Expr] = field(default_factory=list)
    star: Expr | None = None
    keywords: dict[str, Expr] = field(default_factory=dict)
    mapping: Expr | None = None

    @property
    def values(self) -> list[Expr]:
        """All of them, in the order of evaluation."""
        stars = [each for each in (self.star, self.mapping) if each is not None]
        return [
            *self.positional,
            *stars[: self.star is not None],
            *self.keywords.values(),
            *stars[self.star is not None :],
        ]

    def after(self, positional: list[Expr], keywords: dict[str, Expr]) -> Arguments:
        """These arguments after others, that the function has been given already."""
        return Arguments(
            [*positional, *self.positional], self.star, {**keywords, **self.keywords}, self.mapping
        )

    def like(self, values: list[Expr]) -> Arguments:
        """The same arguments with other expressions."""
        rest = list(values)
        positional = [rest.pop(0) for _ in self.positional]
        star = None if self.star is None else rest.pop(0)
        keywords = {name: rest.pop(0) for name in self.keywords}
        return Arguments(positional, star, keywords, None if self.mapping is None else rest.pop(0))
