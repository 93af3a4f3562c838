"""Kinds are tested once on a path; of what a loop does not change, where the machine enters the unit."""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.attribute_ops import Attribute
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect, IsKind
from checkpoint.ctarget.translate.ops.object_ops import Load, Make
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import Constant, Kind, Place
from checkpoint.ctarget.translate.units.check_units import check_unit
from checkpoint.ctarget.translate.units.graph import Fork, Header, Next, Node
from checkpoint.ctarget.translate.units.sure import remove_sure_tests
from tests.ctarget.translate.units import Maker, block

Lines = list[str]


class Loop:
    """A unit of one header with a value and a boolean, whose root is to be filled."""

    def __init__(self, tag: str | None = "PAIR") -> None:
        self.make = Maker()
        self.x, self.test = self.make.place("x_0", "value"), self.make.place("test_0", "boolean")
        self.header = self.make.header(block("loop", "x", "test"), (self.x, self.test), 3)
        self.header.tags = (tag, None)
        self.node = self.header.root

    def load(
        self, name: str, owner: Place, index: int, kind: Kind = "value", node: Node | None = None
    ) -> Place:
        place = self.make.place(name, kind)
        (node or self.node).ops.append(Load(place, owner, index, of_pair=True))
        return place

    def expect(self, place: Place, tag: str = "PAIR", node: Node | None = None) -> None:
        (node or self.node).ops.append(Expect(place, tag))

    def ends(self, x: Place) -> None:
        self.node.end = self.make.jump(self.header, 3, x, self.test)

    def done(self) -> Lines:
        """Remove tests; return those of the root that are left."""
        remove_sure_tests(self.make.unit)
        check_unit(self.make.unit)
        return listed(self.node.ops)


def listed(ops: list[Op] | tuple[Op, ...]) -> Lines:
    """Return ops that test something, as text."""
    lines = []
    for op in ops:
        if isinstance(op, Expect):
            lines.append(f"{op.place.name} is {op.tag}")
        elif isinstance(op, Load) and not op.sure and op.to.kind != "value":
            lines.append(f"{op.owner.name}.{op.index} is {op.to.kind}")
    return lines


def walked(loop: Loop, *names: str) -> list[Place]:
    """Read the pair in field 1, and the real in field 0 of that, for each name."""
    rests = []
    for name in names:
        rests.append(loop.load(f"rest_{name}", loop.x, 1))
        loop.expect(rests[-1])
        loop.load(f"first_{name}", rests[-1], 0, "real")
    return rests


def test_what_a_path_has_tested_is_not_tested_again() -> None:
    loop = Loop()
    rest, _ = walked(loop, "0", "1")
    loop.ends(rest)  # another pair in each turn
    assert loop.done() == ["rest_0 is PAIR", "rest_0.0 is real"]
    assert listed(loop.header.checks) == []


def test_what_a_loop_passes_on_is_tested_at_the_entry() -> None:
    loop = Loop()
    walked(loop, "0")
    loop.ends(loop.x)
    assert loop.done() == []
    assert [type(check) for check in loop.header.checks] == [Load, Expect, Load]
    assert [line.split(".")[-1].split()[-1] for line in listed(loop.header.checks)] == ["PAIR", "real"]


def test_of_a_value_of_any_kind_no_field_is_read_at_the_entry() -> None:
    """A branch has found that it is a pair, so it is none where that has not been asked."""
    loop = Loop("OTHER")
    is_pair = loop.make.place("is_pair_0", "boolean")
    loop.node.ops.append(IsKind(is_pair, loop.x, "PAIR"))
    contents = (loop.x, loop.test)
    then, other = (loop.make.node(loop.header.block, contents, 1) for _ in range(2))
    loop.node.end = Fork(is_pair, then, other)
    loop.expect(loop.x, node=then)
    loop.load("first_0", loop.x, 0, "real", node=then)
    loop.load("first_1", loop.x, 0, "real", node=then)
    then.end = loop.make.jump(loop.header, 3, *contents)
    other.end = loop.make.jump(loop.header, 3, *contents)
    remove_sure_tests(loop.make.unit)
    assert listed(then.ops) == ["x_0.0 is real"]
    assert loop.header.checks == ()


def test_branches_that_find_different_kinds() -> None:
    loop = Loop()
    contents = (loop.x, loop.test)
    nodes = [loop.make.node(loop.header.block, contents, 1) for _ in range(2)]
    loop.node.end = Fork(loop.test, *nodes)
    for node, tag in zip(nodes, ("PAIR", "NOTHING"), strict=True):
        loop.expect(loop.load(f"{tag.lower()}_0", loop.x, 1, node=node), tag, node)
        node.end = loop.make.jump(loop.header, 3, *contents)
    remove_sure_tests(loop.make.unit)
    assert [listed(node.ops) for node in nodes] == [["pair_0 is PAIR"], ["nothing_0 is NOTHING"]]
    assert loop.header.checks == ()


def test_what_a_branch_tests_is_not_known_in_the_other() -> None:
    loop = Loop()
    contents = (loop.x, loop.test)
    nodes = [loop.make.node(loop.header.block, contents, 1) for _ in range(2)]
    rest = loop.load("rest_0", loop.x, 1)
    loop.node.end = Fork(loop.test, *nodes)
    for node in nodes:
        loop.expect(rest, node=node)
        node.end = loop.make.jump(loop.header, 3, rest, loop.test)
    remove_sure_tests(loop.make.unit)
    assert [listed(node.ops) for node in nodes] == [["rest_0 is PAIR"]] * 2


def test_the_fields_of_what_a_path_makes() -> None:
    loop = Loop()
    birth, y, made = (
        loop.make.place("birth_0", "integer"),
        loop.make.place("y_0"),
        loop.make.place("m_0", "value"),
    )
    loop.node.ops.append(Load(y, loop.x, 0, of_pair=True))
    loop.node.effects.append(Make(made, "PAIR", (y, Constant(None)), birth))
    after = loop.make.node(loop.header.block, (loop.x, loop.test), 1)
    loop.node.end = Next(after)
    loop.load("y_1", made, 0, "real", after)
    loop.load("y_2", made, 1, "real", after)
    after.end = loop.make.jump(loop.header, 3, made, loop.test)
    remove_sure_tests(loop.make.unit)
    assert listed(after.ops) == ["m_0.1 is real"]
    assert listed(loop.node.ops) == []  # each turn makes a pair with a real
    assert len(loop.header.checks) == 1


def test_closures_and_their_environments() -> None:
    loop = Loop("ENVIRONMENT")
    f, environment = loop.load("f_0", loop.x, 0), loop.make.place("e_0", "value")
    loop.node.ops += [Expect(f, "CLOSURE", 5), Enclosed(environment, f)]
    loop.load("captured_0", environment, 2, "real")
    loop.ends(loop.x)
    assert loop.done() == []
    assert [type(check) for check in loop.header.checks] == [Load, Expect, Enclosed, Load]


def test_attributes_of_instances_change() -> None:
    loop = Loop("INSTANCE")
    for name in ("a_0", "a_1"):
        loop.node.ops.append(Attribute(loop.make.place(name), loop.x, 0, layout=1))
    loop.ends(loop.x)
    assert loop.done() == ["x_0.0 is real"] * 2
    assert loop.header.checks == ()


def test_a_header_that_only_jumps_reach() -> None:
    """Check that what it tests of what the entry passes on is tested at the entry."""
    loop = Loop()
    params = (loop.make.place("x_1", "value"),)
    other: Header = loop.make.header(block("inner", "x"), params, 2, enters=False)
    other.tags = ("PAIR",)
    other.root.ops.append(Load(loop.make.place("y_0"), params[0], 0, of_pair=True))
    other.root.end = loop.make.jump(loop.header, 2, params[0], Constant(True))
    loop.node.end = loop.make.jump(other, 1, loop.x)
    assert loop.done() == []
    assert listed(other.root.ops) == []
    assert listed(loop.header.checks) == ["x_0.0 is real"]
