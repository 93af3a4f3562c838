"""Results in rows: each way that closes a lane appends a real to each list of results, and no more waits.

In: the plan of a loop over lanes. Out: a Row for each list, or none: lanes leave something else, too. The
reals of a strip are then a vector for each list, whichever ways its lanes take. They are appended together,
and their cotangents taken together, at fields in a row.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.object_ops import Changeable, Drop, Update
from checkpoint.ctarget.translate.ops.places import Place, Source
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """The reals that lanes append to a list.

    param: of the loop, which is the list. values: what each way appends, by the ids of its end.
    """

    param: Place
    values: dict[int, Source]

    @property
    def place(self) -> Place:
        """Return the vectors of all chunks, as a place."""
        return Place(f"{self.param.name}_row", "real")

    @property
    def cotangents(self) -> str:
        """Return the name of the array of the cotangents."""
        return f"first_{self.param.name}_row"


def rows(plan: Plan) -> tuple[Row, ...]:
    """Return a row for each list of results; (): not all that waits is in rows."""
    lists = [param for param in plan.loop.params if plan.results.get(param) is param]
    found: dict[Place, dict[int, Source]] = {param: {} for param in lists}
    for path in filter(plan.closes, plan.ways.values()):
        updates = _appends(plan, path)
        if {plan.results[each.owner] for each in updates} != set(lists) or len(updates) != len(lists):
            return ()
        for each in updates:
            found[plan.results[each.owner]][id(path.end)] = each.value
    return tuple([Row(param, values) for param, values in found.items()])


def appended(plan: Plan, path: Path) -> list[Update]:
    """Return what a way that closes a lane appends to lists, in order."""
    return [each for each in plan.late[id(path.end)] if isinstance(each, Update)]


def _appends(plan: Plan, path: Path) -> list[Update]:
    """Return what a way appends, if it appends reals alone and nothing else waits; else none."""
    results = plan.results
    for each in plan.late[id(path.end)]:
        match each:
            case Update(owner=owner, value=value, appends=True) if owner in results and value.kind == "real":
                continue
            case Changeable(owner=owner, index=None) | Drop(place=owner) if owner in results:
                continue
        return []
    return appended(plan, path)
