"""Lines of plans: the calls of a trace, as text, and the tests between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Called(NamedTuple):
    """A call that a trace has learnt of.

    key: the name of its record, or else the function. head: its text up to the operands. args: these.
    texts: their texts. made: what it has returned.
    """

    key: str | Callable[..., Any]
    head: str
    args: Sequence[Any]
    texts: Sequence[str]
    made: Any

    def text(self) -> str:
        """Return the text of the call."""
        return f"{self.head}{', '.join(self.texts)})"


class Line(NamedTuple):
    """A line of a plan.

    text: a statement. read: the names of derived arrays in it. made: the name that it sets; "": it is a test.
    call: the call that it is, if it is one. is_of_form: whether it tests nothing but a shape and a dtype.
    """

    text: str
    read: tuple[str, ...]
    made: str = ""
    call: Called | None = None
    is_of_form: bool = False


def wanted(lines: Sequence[Line], results: Sequence[str]) -> list[Line]:
    """Return the lines on which results or tests depend."""
    needed, found = set(results), []
    for line in reversed(lines):
        if not line.made or line.made in needed:
            needed.update(line.read)
            found.append(line)
    return found[::-1]


def compiled(
    inputs: Sequence[str], lines: Sequence[Line], results: Sequence[str], scope: dict[str, Any]
) -> Callable[..., Any]:
    """Return the function of the inputs that runs lines and returns results, or None where a test fails."""
    alive = set(results)
    texts = [f"    return ({', '.join(results)}{',' if results else ''})"]
    for line in reversed(lines):
        last = [name for name in dict.fromkeys(line.read) if name not in alive]
        alive.update(line.read)
        if last:  # its memory serves the calls that follow
            texts.append(f"    del {', '.join(last)}")
        texts.append(f"    {line.made} = {line.text}" if line.made else f"    {line.text}")
    own = dict(scope)
    exec("\n".join([f"def plan({', '.join(inputs)}):", *reversed(texts)]), own)
    run: Callable[..., Any] = own["plan"]
    return run
