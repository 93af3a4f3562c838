"""Exact reverse-mode gradients of Python functions, of runs of any length, in as much memory as you give.

>>> import checkpoint
>>> def power(x, n):
...     y = 1.0
...     for _ in range(n):
...         y *= x
...     return y
>>> checkpoint.value_and_grad(power)(2.0, 10)
(1024.0, 5120.0)
"""

from __future__ import annotations

from typing import Any

from checkpoint import control
from checkpoint.ad.values import Capsule
from checkpoint.api import arrays
from checkpoint.api.checking import check
from checkpoint.api.ensembles import mapped, summed
from checkpoint.api.files import load
from checkpoint.api.gradients import grad, stop_gradient, value_and_grad
from checkpoint.api.jacobians import hvp, jacfwd, jacrev
from checkpoint.api.lanes import vmap
from checkpoint.api.matrices import hessian, jacobian
from checkpoint.api.operators import State, interrupt, jvp, primops, read, resume, vjp
from checkpoint.api.own_steps import primitive
from checkpoint.api.packages import translate
from checkpoint.api.pullbacks import Pullback, pullback
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.budget import Budget
from checkpoint.driver.comparison import Individual, RightBranching
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.driver.spill.setting import Spill
from checkpoint.errors import (
    BudgetError,
    CheckpointError,
    DurableError,
    InternalError,
    JournalWarning,
    LanesWarning,
    RoundingWarning,
    RunError,
    SourceError,
    SparsityWarning,
    SpillWarning,
    TranslationWarning,
)
from checkpoint.functions.networks import Network
from checkpoint.functions.procedures import Procedure
from checkpoint.watch.profile import profile
from checkpoint.watch.progress import Progress


def __getattr__(name: str) -> Any:
    """Import `checkpoint.torch` and `checkpoint.jax` where they are first used: they need these libraries."""
    if name == "torch":
        import checkpoint.torch as around_torch  # noqa: PLC0415

        return around_torch
    if name == "jax":
        import checkpoint.jax as around_jax  # noqa: PLC0415

        return around_jax
    raise AttributeError(f"module 'checkpoint' has no attribute {name!r}")


__all__ = [
    "Binomial",
    "Bisection",
    "Budget",
    "BudgetError",
    "Capsule",
    "CheckpointError",
    "DurableError",
    "Individual",
    "InternalError",
    "JournalWarning",
    "LanesWarning",
    "Network",
    "Plain",
    "Procedure",
    "Progress",
    "Pullback",
    "RightBranching",
    "RoundingWarning",
    "RunError",
    "SourceError",
    "SparsityWarning",
    "Spill",
    "SpillWarning",
    "State",
    "TranslationWarning",
    "arrays",
    "check",
    "control",
    "grad",
    "hessian",
    "hvp",
    "interrupt",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "load",
    "mapped",
    "primitive",
    "primops",
    "profile",
    "pullback",
    "read",
    "resume",
    "stop_gradient",
    "summed",
    "translate",
    "value_and_grad",
    "vjp",
    "vmap",
]
