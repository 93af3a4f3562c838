"""Plans of calls of vmap: what further calls do, where items and results are reals.

In: calls of a function of lanes, whose positional arguments are arrays of items, or data that lanes share.
Out: what they return. The second call leaves a plan: the loop over lanes of its program, as a closure that
has what lanes share (`prepared` of lang/python/library/lanes.py), and the form of that
(ad/tracing/forms.py). The engine runs the loop on the items as they are in the arrays, and leaves the
results in an array.

What always holds: a plan takes a call only if an ordinary one would find the same program, with the same data
for all that is not an item, unobserved. The engine finds the rest out before any effect
(driver/engine.py, LaneLoop): the call is an ordinary one then, and raises, prints or returns what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any

from checkpoint import config
from checkpoint.ad.array_library import defaults
from checkpoint.ad.graph import enter, highest_tag_among, reach
from checkpoint.ad.tracing.forms import Form, form_of
from checkpoint.driver.engine import Engine, LaneLoop, driver_of
from checkpoint.driver.observe import observers
from checkpoint.errors import RUN_ENDING
from checkpoint.functions.public import OverLanes
from checkpoint.functions.python_functions import PythonFunction, Returned, front_end
from checkpoint.functions.run import Run
from checkpoint.functions.small import OfProgram, PlansOfCodes

MAX_PLANS = 256  # of all functions; the oldest goes
MAX_FORMS = 4  # of one function, called in one way: of more its calls differ too much


class LanePlan(OfProgram):
    """The plan of calls of one form.

    form: of what lanes share. loop: the engine's part. engine: on which an ordinary call would run.
    """

    def __init__(self, closures: ModuleType, linked: Any, form: Form, loop: LaneLoop, engine: Engine) -> None:
        super().__init__(closures, closures.changes(), linked)
        self.form = form
        self.loop = loop
        self.engine = engine

    def fits(self, written: FunctionType, count: int, shared: Sequence[Any]) -> bool:
        """Return whether a call of so many arguments, which share this, is one of the form."""
        changes, linked = self.closures.changes(), self.linked
        if self.changes != changes:  # other programs, perhaps
            if self.closures.program_of(written, count, (), linked.entry) is not linked:
                return False
            self.changes = changes
        inputs = self.inputs(written)
        return inputs is not None and self.form.of(_data(linked, inputs, shared)) is not None


class LanePlans:
    """The plans of one function of lanes, called in one way. calls: how many ordinary ones there were."""

    def __init__(self) -> None:
        self.calls = 0
        self.trials = 0
        self.plans: list[LanePlan] = []

    def take(self, f: OverLanes, engine: Engine, args: Sequence[Any]) -> Any:
        """Return what a call returns; None: it is an ordinary one."""
        divided = _divided(args) if self.plans else None
        if divided is None:
            return None
        columns, shared = divided
        plan = self._fitting(front_end().written_out(f), engine, len(args), shared)
        return None if plan is None else plan.loop.take(columns)

    def _fitting(
        self, written: FunctionType, engine: Engine, count: int, shared: Sequence[Any]
    ) -> LanePlan | None:
        """Return the plan of a call of so many arguments, which share this."""
        own = [plan for plan in self.plans if plan.engine is engine]
        return next((plan for plan in own if plan.fits(written, count, shared)), None)

    def learn(self, f: OverLanes, engine: Engine, args: Sequence[Any], run: Run, value: Any) -> None:
        """Make a plan for calls like an ordinary one, which is not the first."""
        self.calls += 1
        driver = driver_of(engine)
        if self.calls == 1 or self.trials == MAX_FORMS or driver is None or not _is_row(value):
            return
        divided = _divided(args)
        if divided is None or len(divided[0][0]) != len(value):
            return
        columns, shared = divided
        written = front_end().written_out(f)
        if self._fitting(written, engine, len(args), shared) is not None:
            return
        self.trials += 1
        closure = _prepared(f, engine, args, len(columns))
        loop = None if closure is None else driver.lane_loop(closure)
        # Ordinary calls have loaded it; what was translated just now counts as a change.
        closures = front_end()
        linked = closures.program_of(written, len(args), (), run.u.car.lam)
        if loop is None or linked is None:
            return
        inputs = linked.inputs.read(written)
        form = None if inputs is None else form_of(_data(linked, inputs, shared))
        if form is not None and not form.arrays:
            self.plans.append(LanePlan(closures, linked, form, loop, engine))


def _data(linked: Any, inputs: Sequence[Any], shared: Sequence[Any]) -> list[Any]:
    """Return all that enters a call beside the items."""
    return [*shared, *[inputs[i] for i in linked.hidden]]


def _is_row(x: Any) -> bool:
    """Return whether an object is an array of one axis of doubles."""
    xp = defaults[0] if defaults else None
    return xp is not None and type(x) is xp.ndarray and x.ndim == 1 and x.dtype == xp.float64


def _divided(args: Sequence[Any]) -> tuple[list[Any], list[Any]] | None:
    """Return the arguments that are rows, for C, and what the others share: all arguments without these.

    That ends with a text for each argument, which says whether it is a row. None: there are no rows, or they
    have no items, or not as many.
    """
    kinds = ["row" if _is_row(x) else "shared" for x in args]
    rows = [x for x, kind in zip(args, kinds, strict=True) if kind == "row"]
    if not rows or not len(rows[0]) or any(len(row) != len(rows[0]) for row in rows):
        return None
    columns = [row if row.flags.carray else row.copy() for row in rows]
    return columns, [*[x for x, kind in zip(args, kinds, strict=True) if kind != "row"], *kinds]


def _prepared(f: OverLanes, engine: Engine, args: Sequence[Any], columns: int) -> Any:
    """Return the loop over lanes of such calls, as a closure; None: not just the rows are mapped."""
    from checkpoint.lang.python.library import lanes  # noqa: PLC0415  (a call has loaded it)

    function: Callable[..., Any] = lanes.prepared(front_end().written_out(f.function), f.in_axes)
    try:
        count, loop = PythonFunction(function).call(args, {}, engine.name).value()
    except RUN_ENDING:  # what an ordinary call can do as part of a larger program
        return None
    if count != columns or type(loop) is not Returned:
        return None
    closure = enter(loop.function, True)
    return None if highest_tag_among(reach(closure)[1]) else closure


_all_plans: PlansOfCodes[LanePlans] = PlansOfCodes(MAX_PLANS)


def plans_of(f: OverLanes, args: Sequence[Any], kwargs: Any) -> LanePlans | None:
    """Return the plans of calls of a function of lanes with so many arguments; None: they have none."""
    function = f.function
    axes = f.in_axes if isinstance(f.in_axes, tuple) else (f.in_axes,)
    plain = type(function) is FunctionType and f.exact is True and f.out_axes is not None and not kwargs
    if not plain or f.out_axes != 0 or any(type(axis) is not int and axis is not None for axis in axes):
        return None
    if observers() or config.memory() is not None:
        return None
    return _all_plans.found(function.__code__, (axes, type(f.in_axes), len(args)), LanePlans)
