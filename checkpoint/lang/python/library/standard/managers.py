"""The classes of contextlib, written in the language that is translated."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.generators import step
from checkpoint.lang.python.library.intrinsics import prim


class GeneratorContextManager:
    """See contextlib.contextmanager; gen: the generator."""

    def __init__(self, gen: Any) -> None:
        self.gen = gen

    def __enter__(self) -> Any:
        outcome = step(self.gen, None, None)
        if outcome[0]:
            raise RuntimeError("generator didn't yield")
        return outcome[1]

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> Any:
        if kind is None:
            if step(self.gen, None, None)[0]:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            outcome = step(self.gen, None, value)
        except RuntimeError as error:
            if isinstance(value, StopIteration) and str(error) == "generator raised StopIteration":
                return False
            raise
        if outcome[0]:
            return True
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager_(func: Any, /) -> Any:
    """See contextlib.contextmanager."""
    return lambda *args, **keywords: GeneratorContextManager(func(*args, **keywords))


class closing:
    """See contextlib.closing."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __enter__(self) -> Any:
        return self.thing

    def __exit__(self, *exc_info: Any) -> Any:
        self.thing.close()


class nullcontext:
    """See contextlib.nullcontext."""

    def __init__(self, enter_result: Any = None) -> None:
        self.enter_result = enter_result

    def __enter__(self) -> Any:
        return self.enter_result

    def __exit__(self, *excinfo: Any) -> Any:
        pass


class ExitStack:
    """See contextlib.ExitStack; left: the functions that are called at the end, the last first."""

    def __init__(self) -> None:
        self.left: Any = []

    def __enter__(self) -> Any:
        return self

    def enter_context(self, cm: Any) -> Any:
        """See ExitStack.enter_context."""
        result = cm.__enter__()
        self.left.append(cm.__exit__)
        return result

    def push(self, exit: Any) -> Any:
        """See ExitStack.push."""
        if hasattr(exit, "__exit__"):
            self.left.append(exit.__exit__)
        else:
            self.left.append(exit)
        return exit

    def callback(self, callback: Any, /, *args: Any, **kwds: Any) -> Any:
        """See ExitStack.callback."""

        def call(kind: Any, error: Any, traceback: Any) -> Any:
            callback(*args, **kwds)

        self.left.append(call)
        return callback

    def pop_all(self) -> Any:
        """See ExitStack.pop_all."""
        made = ExitStack()
        made.left = self.left
        self.left = []
        return made

    def close(self) -> Any:
        """See ExitStack.close."""
        self.__exit__(None, None, None)

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> Any:
        error = value
        is_raised = False
        while len(self.left) > 0:
            leave = self.left.pop()
            kind = None if error is None else prim("py.class-of", error)
            try:
                if leave(kind, error, traceback) and error is not None:
                    error = None
                    is_raised = False
            except BaseException as raised:
                error = raised
                is_raised = True
        if is_raised:
            raise error
        return value is not None and error is None


FUNCTIONS: dict[Any, Callable[..., Any]] = {contextlib.contextmanager: contextmanager_}
