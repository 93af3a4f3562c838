"""jacobian and hessian: matrices of derivatives, sparse where there is a sparsity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

from checkpoint.ad.library import refused
from checkpoint.api.derivative import ArgNums, Options
from checkpoint.api.jacobians import Hessian
from checkpoint.driver.memory import Memory
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError
from checkpoint.functions.public import within_programs
from checkpoint.watch.progress import ProgressOption

P = ParamSpec("P")


def jacobian(
    f: Callable[P, Any],
    argnums: ArgNums = 0,
    *,
    sparsity: Any = "detect",
    mode: str | None = None,
    check: bool = True,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    progress: ProgressOption = False,
) -> Callable[P, Any]:
    """Return the sparse Jacobian of a function, as a function that returns a scipy.sparse.csr_array.

    Its rows are the reals of the value in their order, its columns those of the selected arguments. Columns
    that share no row are found by one derivative, of which one run carries many where most steps are on
    arrays; rows that share no column by one of several reversals of one run. Where a few rows or columns are
    full, these are found apart. Entries have the bits of `jacfwd`, those found by sweeps the
    bits of `jacrev`.

    Args:
        f: a function of any arguments.
        argnums: the positions of the arguments by which it is differentiated.
        sparsity: "detect": the pattern is found by running the function on index sets, at each call, for the
            branches that it takes there. Or a pattern, a matrix of SciPy's, whose stored entries count, or of
            NumPy's: a result of an earlier call is one.
        mode: "forward" or "reverse", for columns or rows alone; None for what takes the fewest passes.
        check: whether a pattern that is given is compared with a derivative along a random direction.
        engine: as in `vjp`. Patterns are found on engine interp.
        schedule: as in `vjp`.
        memory: as in `vjp`.
        progress: as in `vjp`.

    Examples:
        >>> def differences(x):
        ...     return [x[i + 1] ** 2 - x[i] for i in range(len(x) - 1)]
        >>> jacobian(differences)([1.0, 2.0, 3.0]).toarray().tolist()
        [[-1.0, 4.0, 0.0], [0.0, -1.0, 6.0]]
    """
    options = Options(engine, schedule, memory, progress)
    made: Callable[P, Any] = _sparse().SparseJacobian(f, argnums, sparsity, check, options, mode=mode)
    return made


@within_programs
def hessian(
    f: Callable[P, Any],
    argnums: ArgNums = 0,
    *,
    sparsity: Any = None,
    check: bool = True,
    engine: str | None = None,
    schedule: Schedule | str | None = None,
    memory: Memory = None,
    progress: ProgressOption = False,
) -> Callable[P, Any]:
    """Return the Hessian of a function that returns a real, as a function: one `hvp` for each real selected.

    Its structure is that of the argument, with that of the argument in the place of each real. With a
    sparsity it is a scipy.sparse.csr_array over the reals of the selected arguments, found by one `hvp` for
    each group of a colouring; each pair of entries across the diagonal is found once.

    Args:
        f: a function of any arguments that returns a real.
        argnums: the positions of the arguments by which it is differentiated.
        sparsity: None; or "detect" or a pattern, which is symmetric, as in `jacobian`.
        check: as in `jacobian`.
        engine: as in `vjp`.
        schedule: as in `vjp`.
        memory: as in `vjp`.
        progress: as in `vjp`.

    Examples:
        >>> hessian(lambda x: x[0] ** 2 * x[1])([2.0, 3.0])
        [[6.0, 4.0], [4.0, 0.0]]
        >>> def chain(x):
        ...     return sum([(x[i + 1] - x[i]) ** 2 for i in range(len(x) - 1)])
        >>> hessian(chain, sparsity="detect")([1.0, 2.0, 4.0]).toarray().tolist()
        [[2.0, -2.0, 0.0], [-2.0, 4.0, -2.0], [0.0, -2.0, 2.0]]
    """
    options = Options(engine, schedule, memory, progress)
    if sparsity is None:
        return Hessian(f, argnums, options=options)
    made: Callable[P, Any] = _sparse().SparseHessian(f, argnums, sparsity, check, options)
    return made


def _sparse() -> Any:
    """Return the module that makes sparse matrices; RunError where SciPy is missing."""
    try:
        from checkpoint.api import sparse  # noqa: PLC0415
    except ImportError as error:
        raise RunError(f"sparse matrices need NumPy and SciPy, which are missing: {error}") from None
    return sparse


refused(jacobian, "checkpoint.jacobian, whose result is a matrix of SciPy's,", "call checkpoint.jacfwd there")
