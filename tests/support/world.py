"""Standard input from a text, and standard output to one: the world of one call of the interface."""

from __future__ import annotations

import io
import sys
from types import TracebackType
from typing import TextIO


class World:
    """A context in which runs read `text` and their output is collected; if entered again, it resumes."""

    def __init__(self, text: str = "") -> None:
        self._in = io.StringIO(text)
        self._out = io.StringIO()
        self._outside: tuple[TextIO, TextIO] | None = None

    def __enter__(self) -> World:
        self._outside = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = self._in, self._out
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._outside is not None
        sys.stdin, sys.stdout = self._outside

    @property
    def written(self) -> str:
        return self._out.getvalue()

    @property
    def unread(self) -> str:
        """Return the part of the input that has not been read."""
        position = self._in.tell()
        rest = self._in.read()
        self._in.seek(position)
        return rest
