"""`checkpoint show PROG`: what the passes of the compiler have made of a program.

In: a program; for C also its arguments, as `checkpoint grad` takes them, since C is made of what runs, for
values of the kinds that turn up. Out: a listing on standard output, each time the same.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Iterator

from checkpoint import config
from checkpoint.cli.errors import OK, UsageError
from checkpoint.cli.programs import Program
from checkpoint.cps.listings import listing, procedure_names
from checkpoint.driver.engine import Engine

PASSES = (*config.SHOWN, "c")
FORMS = ("plain", "taped")
NOTHING = "nothing in it is run long enough to be translated"
ARGUMENT = "with --pass c: an argument to run it at, as of grad"
FORM = "with --pass c: only the code of plain runs, or that of taped ones and their reversal"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the options of `show`."""
    command.add_argument(
        "--pass",
        dest="language",
        choices=PASSES,
        required=True,
        help="after which pass; c: as translated to C",
    )
    command.add_argument("--procedure", metavar="NAME", help="only the procedures of this name")
    command.add_argument("--x", metavar="TEXT", action="append", default=[], help=ARGUMENT)
    command.add_argument("--form", choices=FORMS, help=FORM)


def show(options: argparse.Namespace, program: Program, engine: Callable[[str], Engine]) -> int:
    """Print a listing. engine: finds one by its name, or says why it is not there."""
    if options.language == "c":
        print(_translated(options, program, engine("c")))
        return OK
    if options.x or options.form is not None:
        raise UsageError("--x and --form are for --pass c: the other passes do not run the program")
    compilation = program.compiled(options.language)
    text = listing(compilation, options.language, options.procedure)
    if not text:
        raise _unknown(options.procedure, procedure_names(compilation))
    print(text)
    return OK


def _translated(options: argparse.Namespace, program: Program, engine: Engine) -> str:
    """Return the C text of a run's units."""
    from checkpoint.ctarget.translate import collected  # noqa: PLC0415  (it needs engine c)

    with _silently():
        units = collected.units_of(lambda: program.steps(options.x, engine))
    if not units:
        return NOTHING
    named = {unit: collected.procedure_names(unit) for unit in units}
    chosen = [unit for unit in units if options.procedure in (None, *named[unit])]
    if not chosen:
        raise _unknown(
            options.procedure, list(dict.fromkeys([name for unit in units for name in named[unit]]))
        )
    forms = FORMS if options.form is None else (options.form,)
    return "\n".join([collected.listing(unit, forms) for unit in chosen])


def _unknown(name: str, known: list[str]) -> UsageError:
    return UsageError(f"there is no procedure {name!r}; there are: {', '.join(known)}")


@contextlib.contextmanager
def _silently() -> Iterator[None]:
    """Discard what the program prints: it is no part of the listing."""
    with open(os.devnull, "w", encoding="utf-8") as nothing, contextlib.redirect_stdout(nothing):
        yield
