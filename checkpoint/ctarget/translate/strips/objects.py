"""The objects that lanes make while they run: which ones each place may be.

In: the ways of a loop over lanes. Out: LaneObjects, and for each place that holds a value those that it may
be. A strip makes none of them: their cells are places or vectors, and a place that may be one of several
holds its number, lane by lane (cells.py). An object that leaves a lane is made at its end (closing.py).

What always holds: at any time a lane refers to one instance of a LaneObject at most. Those of the first tree
are made once in a lane; what later trees make has numbers only, and when it is made, nothing refers to what
was made there before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import field

from checkpoint.ctarget.translate.ops.attribute_ops import Attribute, HasLayout, MakeInstance
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect
from checkpoint.ctarget.translate.ops.object_ops import Drop, Element, Keep, Length, Load, Make, Update
from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import Constant, KnownClosure, Place, Source, places_in
from checkpoint.ctarget.translate.units.graph import Header, Jump
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.dataclass import dataclass

MOST_CHOICES = 64  # cells that a read may choose among


@dataclass(eq=False, slots=True)
class LaneObject:
    """An object that a lane makes, or a function.

    number: among all. tag: as in Expect. layout, procedure: references, as far as it has them. makes: the
    operations that make it; none: it is a function, whose environment is the only cell. is_first: whether
    the first tree makes it, so that its cells never change within a lane.
    """

    number: int
    tag: str
    cells: tuple[Source, ...]
    layout: int | None = None
    procedure: int | None = None
    is_first: bool = True
    makes: list[Make] = field(default_factory=list)

    @property
    def is_of_numbers(self) -> bool:
        """Return whether all its cells are numbers."""
        return all(cell.kind != "value" for cell in self.cells)

    def name(self, index: int) -> str:
        """Return the name of the array with the vectors of a cell."""
        return f"cell_{self.number}_{index}"

    @property
    def birth(self) -> str:
        """Return the name of the array with its births, counted from where the lane begins."""
        return f"birth_{self.number}"

    def position(self, index: int) -> int | None:
        """Return where the element at an index is, as in Python."""
        count = len(self.cells)
        return index % count if -count <= index < count else None


class Objects:
    """The objects of all lanes. of: for places, what they may be; empty: what they hold is no lane's own."""

    def __init__(self, ways: Iterable[Path], loop: Header) -> None:
        self.of: dict[Place, dict[LaneObject, None]] = {}
        self.all: list[LaneObject] = []
        self._ways = list(ways)
        self._loop = loop
        self._functions: dict[Hashable, LaneObject] = {}
        self._make: dict[int, LaneObject] = {}  # by the ids of operations
        self._find_made()
        while self._spread():
            pass

    # What is made

    def _find_made(self) -> None:
        """Find the objects that are made, but for those that only become results."""
        passed: dict[int, tuple[Make, dict[Hashable, None]]] = {}
        for path in self._ways:
            results = self._results(path)
            for each in path.operations:
                if isinstance(each, Make) and id(each) not in results:
                    _, keys = passed.setdefault(id(each), (each, {}))
                    keys[_where_passed(path, each)] = None
        first = {id(each) for path in self._ways if path.header is self._loop for each in path.operations}
        known: dict[Hashable, LaneObject] = {}
        for number, (make, keys) in passed.items():
            key = (number,) if number in first else (_form(make), tuple(keys))
            if key not in known:
                known[key] = self._add(make.tag, make.cells, _layout(make), None, number in first)
            known[key].makes.append(make)
            self._make[number] = known[key]

    def _results(self, path: Path) -> set[int]:
        """Return the operations of a way that make what it returns, and nothing reads."""
        assert isinstance(path.end, Jump)
        found: set[int] = set()
        if path.end.header is not self._loop:
            return found
        wanted: set[Place] = set()
        others = [each for each in path.operations if not isinstance(each, Make | Update | Keep | Drop)]
        read = set(places_in(source for each in others for source in each.reads()))
        for each in reversed(path.operations):
            if isinstance(each, Update) or (isinstance(each, Make) and each.to in wanted - read):
                wanted.update(places_in(each.reads()))
                found.add(id(each))
        return found

    def _add(
        self, tag: str, cells: tuple[Source, ...], layout: int | None, procedure: int | None, is_first: bool
    ) -> LaneObject:
        self.all.append(LaneObject(len(self.all), tag, cells, layout, procedure, is_first))
        return self.all[-1]

    def made(self, operation: Operation) -> LaneObject | None:
        """Return the object that an operation makes, if it is a lane's own."""
        return self._make.get(id(operation))

    # What places may be

    def _spread(self) -> bool:
        """Pass on what places may be; return whether anything was new."""
        before = sum(map(len, self.of.values()))
        for path in self._ways:
            for operation in path.operations:
                for place in operation.sets():
                    if place.kind == "value":
                        self._may_be(place, self._found(operation))
            assert isinstance(path.end, Jump)
            if path.end.header is not self._loop:
                for param, source in zip(path.end.header.params, path.end.sources, strict=True):
                    if param.kind == "value":
                        self._may_be(param, self.objects(source))
        return sum(map(len, self.of.values())) > before

    def _may_be(self, place: Place, found: Iterable[LaneObject]) -> None:
        own = dict.fromkeys(found)
        if own:
            self.of.setdefault(place, {}).update(own)

    def _found(self, operation: Operation) -> list[LaneObject]:
        match operation:
            case Make() if id(operation) in self._make:
                return [self._make[id(operation)]]
            case Load() | Element():
                cells = [cell for _, _, cell in self.choices(operation)]
                return [each for cell in cells for each in self.objects(cell)]
            case Enclosed(place=place):
                return [each for own in self.of.get(place, ()) for each in self.objects(own.cells[0])]
        return []

    def objects(self, source: Source | None) -> list[LaneObject]:
        """Return what a source may be; empty: no lane's own."""
        match source:
            case Place(kind="value"):
                return list(self.of.get(source, ()))
            case Constant(None):
                return [self._function(None, "NOTHING", None)]
            case KnownClosure(procedure, None):
                return [self._function(procedure, "PROCEDURE", None)]
            case KnownClosure(procedure, environment) if environment in self.of:
                return [self._function(procedure, "CLOSURE", environment)]
        return []

    def _function(self, procedure: int | None, tag: str, environment: Place | None) -> LaneObject:
        known = (procedure, tag, *self.of.get(environment, ())) if environment else (procedure, tag)
        if known not in self._functions:
            cells = () if environment is None else (environment,)
            self._functions[known] = self._add(tag, cells, None, procedure, True)
        return self._functions[known]

    # What operations read

    def is_own(self, operation: Operation) -> bool:
        """Return whether an operation is on an object of the lane, or makes one."""
        if id(operation) in self._make:
            return True
        owner = _owner(operation)
        return owner is not None and owner in self.of

    def choices(self, operation: Load | Element) -> list[tuple[LaneObject, int, Source]]:
        """Return the cells that an operation may read: of which object, at which index, what it holds."""
        found = []
        for each in self.of.get(operation.owner, ()):
            for index in _indices(operation, each):
                cell = each.cells[index]
                if cell.kind == operation.to.kind:
                    found.append((each, index, cell))
        return found

    def only(self, source: Source | None) -> LaneObject | None:
        """Return what a source always is, if that is known."""
        found = self.objects(source)
        return found[0] if len(found) == 1 else None

    def residuals(self, operation: Operation) -> Sequence[Residual]:
        """Return what the adjoint of an operation on a lane's own reads."""
        if not isinstance(operation, Load | Element):
            return ()
        found = [Residual(operation.owner)] if self.only(operation.owner) is None else []
        if isinstance(operation, Element) and not isinstance(operation.index, Constant):
            found.append(Residual(operation.at))
        return found

    # What strips can do

    def are_possible(self) -> bool:
        """Return whether there is one instance of each object at a time."""
        return all(map(self._is_kept_apart, self._ways)) and all(
            each.is_of_numbers if not each.is_first else all(map(self._is_cell, each.cells))
            for each in self.all
        )

    def _is_cell(self, cell: Source) -> bool:
        return cell.kind != "value" or self.only(cell) is not None

    def _is_kept_apart(self, path: Path) -> bool:
        """Return whether nothing on a way reads an instance when the next is made in its place."""
        assert isinstance(path.end, Jump)
        operations = path.operations
        for i, make in enumerate(operations):
            own = self._make.get(id(make))
            if own is None or own.is_first:
                continue
            (to,) = make.sets()
            behind = [each for each in operations[i + 1 :] if not isinstance(each, Keep | Drop)]
            read = [source for each in behind for source in each.reads()]
            passed = [] if path.end.header is self._loop else list(path.end.sources)
            if any(source is not to and own in self.objects(source) for source in [*read, *passed]):
                return False
        return True

    def can_do(self, operation: Operation) -> bool:
        """Return whether vectors do an operation on a lane's own objects."""
        match operation:
            case Make(cells=cells):
                own = self._make[id(operation)]
                return own.is_first or all(cell.kind != "value" for cell in cells)
            case Load() | Element():
                return self._can_read(operation)
            case Expect(place=place) | HasLayout(place=place):
                return bool(self.of[place])
            case Enclosed(place=place):
                only = self.only(place)
                return only is not None and only.tag == "CLOSURE"
            case Length(owner=owner):
                return len({len(each.cells) for each in self.of[owner]}) == 1
        return isinstance(operation, Keep | Drop)

    def _can_read(self, operation: Load | Element) -> bool:
        choices = self.choices(operation)
        if isinstance(operation, Element):
            lengths = {len(each.cells) for each in self.of[operation.owner]}
            if len(lengths) > 1 or any(
                each.tag not in ("TUPLE", "LIST") for each in self.of[operation.owner]
            ):
                return False
            if not isinstance(operation.index, Constant) and len(choices) < sum(
                len(each.cells) for each in self.of[operation.owner]
            ):
                return False
        is_known = all(cell.kind != "value" or self.only(cell) is not None for _, _, cell in choices)
        return 0 < len(choices) <= MOST_CHOICES and is_known


def fits(own: LaneObject, check: Expect | HasLayout) -> bool:
    """Return whether an object passes a check."""
    if isinstance(check, HasLayout):
        return own.layout == check.layout
    if check.tag == "OTHER":
        return True
    is_same = own.tag == check.tag and (check.procedure is None or own.procedure == check.procedure)
    return is_same and (check.count is None or check.count == len(own.cells))


def _owner(operation: Operation) -> Place | None:
    """Return the object that an operation reads, checks or counts."""
    match operation:
        case Load(owner=owner) | Element(owner=owner) | Length(owner=owner):
            return owner
        case Expect(place=place) | HasLayout(place=place) | Enclosed(place=place):
            return place
        case Keep(place=place) | Drop(place=place):
            return place
    return None


def _indices(operation: Load | Element, own: LaneObject) -> list[int]:
    """Return where in an object an operation may read."""
    if not own.makes or (isinstance(operation, Attribute) and own.layout != operation.layout):
        return []
    if isinstance(operation, Load):
        return [operation.index] if operation.index < len(own.cells) else []
    index = operation.index
    if not isinstance(index, Constant):
        return list(range(len(own.cells)))
    assert isinstance(index.value, int)
    at = own.position(index.value)
    return [] if at is None else [at]


def _layout(make: Make) -> int | None:
    return make.layout if isinstance(make, MakeInstance) else None


def _form(make: Make) -> Hashable:
    return make.tag, _layout(make), tuple([cell.kind for cell in make.cells])


def _where_passed(path: Path, make: Make) -> Hashable:
    """Return the header that a way leads to, and which of its params get the object that is made."""
    assert isinstance(path.end, Jump)
    at = tuple([i for i, source in enumerate(path.end.sources) if source is make.to])
    return path.end.header.number, at
