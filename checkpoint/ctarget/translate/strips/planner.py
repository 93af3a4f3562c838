"""Finds the loop over lanes of a unit, and what its places are in a strip (plan.py).

In: a unit. Out: a Plan, or None: no loop of the unit has lanes. Params are sorted first: which ones a lane
keeps, and whether those of the loop are as lanes need them. Then operations: what is the same in all lanes,
what objects lanes have, what waits; and whether vectors can do the rest.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.check_ops import Apart
from checkpoint.ctarget.translate.ops.object_ops import (
    Birth,
    Changeable,
    Drop,
    Element,
    Keep,
    Length,
    Load,
    Make,
    Update,
)
from checkpoint.ctarget.translate.ops.operation import Effect, Operation
from checkpoint.ctarget.translate.ops.places import Constant, KnownClosure, Place, Source, places_in
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Copy
from checkpoint.ctarget.translate.strips.objects import Objects
from checkpoint.ctarget.translate.strips.plan import Plan, live_places, passed_on
from checkpoint.ctarget.translate.units.graph import Header, Jump, Return, Unit
from checkpoint.ctarget.translate.units.invariants import copies, original
from checkpoint.ctarget.translate.units.paths import Path, all_paths


def find(unit: Unit) -> Plan | None:
    """Return the plan of a unit's first loop over lanes, or None: where there are duals, or arrays, too."""
    if unit.has_duals or any(place.kind in ("element", "array") for place in unit.places):
        return None
    paths = all_paths(unit)
    for header in unit.headers:
        plan = _Planner(header, paths).plan() if header.entry is not None else None
        if plan is not None:
            return plan
    return None


class _Planner:
    """Makes the plan of one loop."""

    def __init__(self, loop: Header, paths: list[Path]) -> None:
        self.made = Plan(loop)
        jumps = [path for path in paths if isinstance(path.end, Jump) and _is_simple(path, loop)]
        self._copies = {id(path.end): copies(path) for path in jumps}
        self._by_header: dict[int, list[Path]] = {}
        for path in jumps:
            self._by_header.setdefault(id(path.header), []).append(path)

    def plan(self) -> Plan | None:
        """Return it; None: the header is not that of a loop over lanes."""
        made = self.made
        if any(param.kind == "real" for param in made.loop.params):
            return None
        headers = self._headers()
        if not headers:
            return None
        made.inner = headers[1:]
        self._keep()
        if not self._is_over_lanes():
            return None
        self._spread()
        is_possible = all(map(self._is_possible, made.ways.values())) and made.objects.are_possible()
        return made if is_possible and all(each.is_of_numbers for each in made.leaving) else None

    def _headers(self) -> list[Header]:
        """Return the headers from which lanes come back to the loop, in reverse postorder; set `ways`."""
        after = self._order(self.made.loop)
        back = {id(self.made.loop)}
        grown = True
        while grown:
            found = {
                id(header)
                for header in after
                if id(header) not in back and any(id(_to(path)) in back for path in self._of(header))
            }
            back |= found
            grown = bool(found)
        inner = [header for header in after if id(header) in back]
        known = set(map(id, inner))
        self.made.ways = {
            id(path.end): path for header in inner for path in self._of(header) if id(_to(path)) in known
        }
        is_loop = any(self.made.closes(path) for path in self.made.ways.values())
        return inner if is_loop else []

    def _of(self, header: Header) -> list[Path]:
        return self._by_header.get(id(header), [])

    def _order(self, loop: Header) -> list[Header]:
        """Return the headers that follow in reverse postorder: an inner loop before what comes after."""
        seen: set[int] = set()
        order: list[Header] = []

        def visit(header: Header) -> None:
            seen.add(id(header))
            for path in self._of(header):
                if id(_to(path)) not in seen:
                    visit(_to(path))
            order.append(header)

        visit(loop)
        return order[::-1]

    # What params are within a lane

    def _keep(self) -> None:
        """Find the params of inner headers that are, throughout a lane, what the first tree passed on."""
        known: dict[Place, Source | None] = {}  # None: it varies; at first nothing is known
        changed = True
        while changed:
            changed = False
            for path in self.made.ways.values():
                for param, source in passed_on(path, self.made.loop):
                    origins = self._origins(path, source, known)
                    if not origins or (param in known and _is_settled(known[param], origins[0])):
                        continue
                    known[param] = None if param in known else origins[0]
                    changed = True
        self.made.kept = {param: origin for param, origin in known.items() if origin is not None}

    def _origins(self, path: Path, source: Source, known: dict[Place, Source | None]) -> list[Source | None]:
        """Return what a path passes on: something of the first tree, or None; empty: it is not known yet."""
        source = original(source, self._copies[id(path.end)])
        if path.header is self.made.loop:
            return [source]
        if isinstance(source, Place) and source in path.header.params:
            return [known[source]] if source in known else []
        return [None]  # a constant, too: jumps that pass equal ones are rare

    def _origin(self, path: Path, source: Source) -> Source | None:
        source = original(source, self._copies[id(path.end)])
        if path.header is self.made.loop or not isinstance(source, Place):
            return source
        return self.made.kept.get(source)

    # Whether it is a loop over lanes

    def _is_over_lanes(self) -> bool:
        """Sort the params of the loop; return whether each is constant, a counter, or a list of results."""
        made = self.made
        closing = [path for path in made.ways.values() if made.closes(path)]
        for i, param in enumerate(made.loop.params):
            roles = {
                self._role(path, param, path.end.sources[i]) for path in closing if isinstance(path.end, Jump)
            }
            role = roles.pop() if len(roles) == 1 else ""
            if isinstance(role, Place):
                made.constant[param] = role
            elif role == "counter":
                made.counters.add(param)
            elif role == "results":
                made.results[param] = param
            else:
                return False
        are_constant = all(made.constant.get(other) is other for other in made.constant.values())
        return bool(made.results) and bool(made.counters) and are_constant

    def _role(self, path: Path, param: Place, source: Source) -> Place | str:
        """Return "counter", "results", or the param of the loop that is passed on."""
        origin = self._origin(path, source)
        if isinstance(origin, Place) and origin in self.made.loop.params:
            return origin
        source = original(source, self._copies[id(path.end)])
        maker = next((each for each in path.operations if source in each.sets()), None)
        match maker:
            case Apply(definition="add", domain="integers", operands=(x, Constant(1))):
                return "counter" if self._origin(path, x) is param else ""
            case Update(owner=owner, appends=True):
                return "results" if self._origin(path, owner) is param else ""
        return ""

    # What places are

    def _spread(self) -> None:
        """Find what is uniform, what is a birth, what is a list of results, and what is late."""
        made = self.made
        made.uniform.update(made.constant)
        made.objects = Objects(made.ways.values(), made.loop)
        self._find_births()
        for path in made.ways.values():  # those of the loop's header come first
            for param in path.header.params:
                origin = made.kept.get(param)
                if origin is not None and made.is_uniform(origin):
                    made.uniform.add(param)
                if isinstance(origin, Place) and origin in made.results:
                    made.results[param] = made.results[origin]
            for operation in path.operations:
                self._spread_through(operation)
        for path in made.ways.values():
            if made.closes(path):
                made.late[id(path.end)] = self._late(path)
                self._find_leaving(made.late[id(path.end)])
        made.live = live_places(made)

    def _find_births(self) -> None:
        """Find the places that hold births: what takes one, copies, and params to which all ways pass one."""
        births, paths = self.made.births, list(self.made.ways.values())
        inner = {param for header in self.made.inner for param in header.params if param.kind == "integer"}
        births |= inner
        births |= {
            place
            for path in paths
            for each in path.operations
            for place in each.sets()
            if isinstance(each, Birth)
        }
        count = -1
        while count != len(births):
            count = len(births)
            for path in paths:
                for param, source in passed_on(path, self.made.loop):
                    found = original(source, self._copies[id(path.end)])
                    if found not in births:
                        births.discard(param)
        for path in paths:
            for operation in path.operations:
                if operation.copied in births:
                    births.update(operation.sets())

    def _spread_through(self, operation: Operation) -> None:
        made, sets = self.made, operation.sets()
        copied = operation.copied
        if isinstance(copied, Place) and copied in made.results:
            made.results.update(dict.fromkeys(sets, made.results[copied]))
        elif made.objects.is_own(operation):
            if self._is_the_same(operation):
                made.uniform.update(sets)
        elif not isinstance(operation, Effect | Birth) and all(map(made.is_uniform, operation.reads())):
            made.uniform.update(sets)

    def _is_the_same(self, operation: Operation) -> bool:
        """Return whether an operation on a lane's own objects finds the same number in all lanes."""
        objects = self.made.objects
        match operation:
            case Length(owner=owner):
                return len({len(each.cells) for each in objects.of[owner]}) == 1
            case Load(owner=owner) | Element(owner=owner):
                found = objects.choices(operation)
                is_known = not isinstance(operation, Element) or isinstance(operation.index, Constant)
                return (
                    is_known
                    and objects.only(owner) is not None
                    and len(found) == 1
                    and found[0][0].is_first
                    and found[0][2].kind != "value"
                    and self.made.is_uniform(found[0][2])
                )
        return False

    def _find_leaving(self, late: list[Operation]) -> None:
        """Find the objects of a lane that become part of its result."""
        for operation in late:
            for source in operation.reads():
                self.made.leaving.update(
                    self.made.objects.objects(source) if isinstance(source, Place) else ()
                )

    def _late(self, path: Path) -> list[Operation]:
        """Return the operations that wait until all lanes have ended: effects, and what reads the lists."""
        found: list[Operation] = []
        places = set(self.made.results)
        for operation in path.operations:
            if self._is_balanced(operation) or self.made.objects.is_own(operation):
                continue
            if isinstance(operation, Effect) or any(
                place in places for place in places_in(operation.reads())
            ):
                found.append(operation)
                places.update(operation.sets())
        return found

    def _is_balanced(self, operation: Operation) -> bool:
        """Return whether it counts references to what lanes share, which a lane adds and removes again."""
        return isinstance(operation, Keep | Drop) and operation.place in self.made.uniform

    # What strips can do

    def _is_possible(self, path: Path) -> bool:
        made = self.made
        late = made.late.get(id(path.end), [])
        lists = self._lists(late)
        is_late = {id(operation) for operation in late}
        waiting: set[Place] = set()  # what operations that wait have read
        for operation in path.operations:
            if not (
                self._can_wait(operation, lists)
                if id(operation) in is_late
                else self._can_do(path, operation)
            ):
                return False
            read = places_in(operation.reads())
            if id(operation) in is_late:
                waiting.update(read)
            elif any(place.kind == "real" and place in waiting for place in read):
                return False  # its adjoint would add to what that of one that waits has added to before
        passed = [source for param, source in passed_on(path, made.loop) if param not in made.kept]
        return all(_is_number(source) or made.objects.objects(source) for source in passed)

    def _can_do(self, path: Path, operation: Operation) -> bool:
        """Return whether vectors do an operation, or one lane after another does."""
        made = self.made
        if self._is_balanced(operation) or isinstance(operation, Birth):
            return True
        if made.objects.is_own(operation):
            return made.objects.can_do(operation)
        if isinstance(operation, Effect):
            return False
        reads = list(places_in(operation.reads()))
        if any(place in made.results for place in reads):
            return False
        if any(place in made.births for place in reads) and not isinstance(operation, Copy):
            return False
        gives_real = operation.gives and any(place.kind == "real" for place in operation.sets())
        if gives_real and path.header is not made.loop:
            return False  # lanes would add to what they share in the middle of others
        touched = [*reads, *operation.sets()]
        return all(place.kind != "value" or place in made.uniform for place in touched)

    def _lists(self, late: list[Operation]) -> dict[Place, Place | None]:
        """Return what operations that wait may read: places that others of them set, and the lists, each with
        the param of the loop that is the list.
        """
        found: dict[Place, Place | None] = dict(self.made.results)
        for each in late:
            own = found.get(each.owner) if isinstance(each, Update) else None
            found.update(dict.fromkeys(each.sets(), own))
        return found

    def _can_wait(self, operation: Operation, lists: dict[Place, Place | None]) -> bool:
        """Return whether an operation may wait until all lanes have ended: it cannot fail then."""
        made = self.made
        if type(operation) is Apart:
            one, other = lists.get(operation.place), lists.get(operation.other)
            return one is not None and other is not None and one is not other
        if not isinstance(operation, Keep | Drop | Make | Update | Changeable):
            return False
        sources = [source for source in operation.reads() if source is not None]
        leaving = {source for source in sources if isinstance(source, Place) and made.objects.of.get(source)}
        if len(leaving) > 1 or any(not each.makes for place in leaving for each in made.objects.of[place]):
            return False
        return all(
            _is_number(source) or source in lists or isinstance(source, Constant) or source in leaving
            for source in sources
        )


def _is_settled(known: Source | None, origin: Source | None) -> bool:
    """Return whether what is known of a param holds with one more origin."""
    if isinstance(known, Constant) and isinstance(origin, Constant):
        return repr(known) == repr(origin)  # 0.0 is not -0.0
    return known is None or known == origin


def _is_simple(path: Path, loop: Header) -> bool:
    """Return whether a path has only effects that may wait until all lanes have ended."""
    assert isinstance(path.end, Jump)
    if any(isinstance(node.end, Return) for node in path.nodes):
        return False
    allowed = (Keep, Drop, Make, Update) if path.end.header is loop else (Keep, Drop, Make)
    return all(isinstance(effect, allowed) for node in path.nodes for effect in node.effects)


def _to(path: Path) -> Header:
    assert isinstance(path.end, Jump)
    return path.end.header


def _is_number(source: Source) -> bool:
    return not isinstance(source, KnownClosure) and source.kind != "value"
