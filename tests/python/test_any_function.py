"""Functions that were not written for this package: each is translated or refused, nothing else happens."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest

import checkpoint
from checkpoint.api.checking import required
from checkpoint.cps.passes import compile_to
from checkpoint.errors import CheckpointError
from checkpoint.lang.python.linking.program import link
from checkpoint.lang.python.linking.shapes import Shape

SOME = ("colorsys", "textwrap", "graphlib")
MANY = (
    *(
        "argparse",
        "asyncio.base_events",
        "asyncio.streams",
        "calendar",
        "collections",
        "configparser",
        "copy",
    ),
    *(
        "csv",
        "dataclasses",
        "difflib",
        "email.message",
        "enum",
        "fractions",
        "functools",
        "heapq",
        "html.parser",
    ),
    *(
        "http.client",
        "inspect",
        "ipaddress",
        "json.decoder",
        "logging",
        "pathlib",
        "pprint",
        "random",
        "shlex",
    ),
    *("statistics", "string", "tarfile", "threading", "tokenize", "typing", "unittest.mock", "urllib.parse"),
)


def functions_of(name: str) -> Iterator[FunctionType]:
    """Yield the functions of a module, and the methods of its classes."""
    for thing in list(vars(importlib.import_module(name)).values()):
        if getattr(thing, "__module__", None) == name:
            members: list[Any] = list(vars(thing).values()) if isinstance(thing, type) else [thing]
            yield from (each for each in members if isinstance(each, FunctionType))


def check(name: str) -> None:
    """Check that each function of a module is translated up to adjoints, or refused as a whole."""
    with checkpoint.translate(name):
        for f in functions_of(name):
            for refusal in checkpoint.check(f):
                assert refusal.what
                assert refusal.file
            try:
                linked = link(f, Shape(*required(f)))
            except CheckpointError as error:
                assert str(error)
            else:
                compile_to("adjoint", linked.thunk, linked.scopes)


@pytest.mark.parametrize("name", SOME)
def test_some_modules(name: str) -> None:
    check(name)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", MANY)
def test_many_modules(name: str) -> None:
    check(name)
