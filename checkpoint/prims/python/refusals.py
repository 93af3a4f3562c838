"""What a Python function cannot have translated: one step, which ends the run when it is reached.

    (py.refuse message)          raises SourceError at the place of the step

The program cannot see the error: it passes all handlers, as running out of memory does.
"""

from __future__ import annotations

from typing import Any, NoReturn

from checkpoint.ad.storage import Now
from checkpoint.errors import SourceError
from checkpoint.prims.python.support import rearrange


def _refuse(now: Now, message: Any) -> NoReturn:
    raise SourceError(message)


rearrange("refuse", 1, "the end of the run, with a message: no value", _refuse, discrete=True)
