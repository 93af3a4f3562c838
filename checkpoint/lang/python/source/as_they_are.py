"""Functions of Python's own that programs call as they are, each in one step, by the modules that have them.

In: a function. Out: the primitive that calls it: `py.perform` for its effect, `py.observe` where its result
is read once, `py.computed` where it holds no derivative. Modules that few programs use are not imported for
this (LATER): whoever has a function of one has imported it.
"""

from __future__ import annotations

import gc
import os
import re
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from checkpoint.lang.python.library import actions

PERFORM, OBSERVE, COMPUTED = "py.perform", "py.observe", "py.computed"

Table = dict[Any, str]


def primitive_of(function: Any) -> str | None:
    """Return the primitive that calls a function as it is; None for all others."""
    table = LATER.get(function.__module__)
    return (_AT_ONCE if table is None else table()).get(function)


def _table(
    performed: Iterable[Any] = (), observed: Iterable[Any] = (), computed: Iterable[Any] = ()
) -> Table:
    return {
        **dict.fromkeys(performed, PERFORM),
        **dict.fromkeys(observed, OBSERVE),
        **dict.fromkeys(computed, COMPUTED),
    }


_AT_ONCE = _table(
    performed=(time.sleep, gc.collect, gc.disable, gc.enable),
    observed=(
        *(time.time, time.perf_counter, time.monotonic, time.process_time, time.thread_time),
        *(time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns, time.thread_time_ns),
        *(time.ctime, time.asctime, time.strftime, time.localtime, time.gmtime, time.mktime, time.strptime),
        *(os.getcwd, os.getpid, os.cpu_count, os.getenv, os.listdir),
        *(os.path.abspath, os.path.realpath, os.path.relpath, os.path.expanduser, os.path.expandvars),
        *(os.path.islink, os.path.samefile, os.path.exists, os.path.isfile, os.path.isdir),
        *(os.path.getsize, os.path.getmtime),
        *(gc.isenabled, actions.read_file),
    ),
    computed=(
        *(os.path.join, os.path.basename, os.path.dirname, os.path.split, os.path.splitext, os.path.normpath),
        *(os.path.isabs, os.path.commonprefix, os.path.commonpath, os.fspath),
        *(re.compile, re.match, re.search, re.fullmatch, re.findall, re.finditer),
        *(re.split, re.escape, str.maketrans, bytes.maketrans),
        actions.csv_rows,
    ),
)


@cache
def _of_json() -> Table:
    import json  # noqa: PLC0415  (as LATER says)

    return _table(computed=(json.dumps, json.loads))


@cache
def _of_logging() -> Table:
    import logging  # noqa: PLC0415  (as LATER says)

    return _table(
        performed=(logging.disable, logging.basicConfig, logging.shutdown),
        observed=(logging.getLogger, logging.getLevelName),
    )


@cache
def _of_string() -> Table:
    import string  # noqa: PLC0415  (as LATER says)

    return _table(computed=(string.capwords,))


@cache
def _of_textwrap() -> Table:
    import textwrap  # noqa: PLC0415  (as LATER says)

    return _table(computed=(textwrap.wrap, textwrap.fill, textwrap.shorten, textwrap.dedent, textwrap.indent))


LATER: dict[str, Callable[[], Table]] = {
    "json": _of_json,
    "logging": _of_logging,
    "string": _of_string,
    "textwrap": _of_textwrap,
}
