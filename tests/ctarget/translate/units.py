"""Units made by hand, of blocks that belong to no program."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect, IsKind
from checkpoint.ctarget.translate.ops.frame_ops import Peek, Pop, Push, SetCall
from checkpoint.ctarget.translate.ops.object_ops import Birth, Drop, Keep, Load, Make
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Constant, Kind, KnownClosure, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Copy
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Header, Jump, Node, Return, Unit

NEEDS: dict[str, tuple[tuple[int, ...], ...]] = {
    "add": ((), ()),
    "subtract": ((), ()),
    "multiply": ((1,), (0,)),
    "divide": ((1,), (1, 2)),
    "negate": ((),),
    "sqrt": ((1,),),
}


def block(label: str, *params: str) -> BlockPeer:
    """Return a block whose parameters have the registers 0, 1, ..."""
    made = SimpleNamespace(
        block=SimpleNamespace(label=label, params=params),
        registers={name: i for i, name in enumerate(params)},
        procedure=SimpleNamespace(code=SimpleNamespace(name="f")),
        code=SimpleNamespace(span=SimpleNamespace(source=SimpleNamespace(name="prog.py"))),
    )
    return cast(BlockPeer, made)


class Maker:
    """A unit that is being made."""

    def __init__(self) -> None:
        self.unit = Unit("made by hand")

    def place(self, name: str, kind: Kind = "real") -> Place:
        made = Place(name, kind)
        self.unit.places.append(made)
        return made

    def places(self, names: str, kind: Kind = "real") -> tuple[Place, ...]:
        return tuple([self.place(name, kind) for name in names.split()])

    def header(self, at: BlockPeer, params: tuple[Place, ...], most: int, enters: bool = True) -> Header:
        entry = tuple(enumerate(params)) if enters else None
        made = Header(len(self.unit.headers), at, params, entry, most)
        made.exit = self.exit(at, params)
        made.root = Node(at, 0, made.exit)
        self.unit.headers.append(made)
        return made

    def exit(
        self, at: BlockPeer, contents: tuple[Source, ...], steps: int = 0, effects: tuple[Effect, ...] = ()
    ) -> Exit:
        self.unit.exits += 1
        return Exit(self.unit.exits - 1, at, steps, effects, tuple(enumerate(contents)))

    def node(self, at: BlockPeer, contents: tuple[Source, ...], steps: int) -> Node:
        return Node(at, steps, self.exit(at, contents, steps))

    def jump(self, header: Header, steps: int, *sources: Source) -> Jump:
        self.unit.jumps += 1
        return Jump(self.unit.jumps - 1, header, steps, sources)

    def apply(self, node: Node, name: str, definition: str, *operands: Source, **more: Any) -> Place:
        kind: Kind = more.pop("kind", "real")
        made = self.place(name, kind)
        given: dict[str, Any] = {"domain": "reals", "singular": definition == "sqrt", "line": 7} | more
        node.ops.append(Apply(made, definition, operands=operands, needs=NEEDS.get(definition), **given))
        return made

    def copy(self, node: Node, name: str, source: Source) -> Place:
        made = self.place(name, source.kind)
        node.ops.append(Copy(made, source))
        return made


def lorenz() -> Unit:
    """Euler's method: a loop of invariants, copied as programs copy them."""
    make = Maker()
    at, end = block("loop", "i", "x", "y", "z", "s", "r", "b"), block("done", "x")
    params = make.places("i_0 x_0 y_0 z_0 s_0 r_0 b_0")
    i, x, y, z, s, r, b = params
    header = make.header(at, params, 49)
    test = make.apply(header.root, "test_0", "equal", i, Constant(0.0), kind="boolean")
    done, body = make.node(end, (x,), 3), make.node(at, params, 3)
    done.end = done.exit
    header.root.end = Fork(test, done, body)

    def op(name: str, definition: str, *operands: Source) -> Place:
        return make.apply(body, name, definition, *operands)

    step = Constant(0.01)
    dx = op("dx_0", "multiply", s, op("t_0", "subtract", y, x))
    dy = op("dy_0", "subtract", op("t_1", "multiply", x, op("t_2", "subtract", r, z)), y)
    dz = op("dz_0", "subtract", op("t_3", "multiply", x, y), op("t_4", "multiply", b, z))
    i_1 = op("i_1", "subtract", i, Constant(1.0))
    moved = [
        op(f"{v.name[0]}_1", "add", v, op(f"d{v.name[0]}_1", "multiply", step, dv))
        for v, dv in ((x, dx), (y, dy), (z, dz))
    ]
    same = [make.copy(body, f"{v.name[0]}_1", v) for v in (s, r, b)]
    body.end = make.jump(header, 49, i_1, *moved, *same)
    return make.unit


def nested() -> Unit:
    """A loop in a loop: x is swapped with y outside; inside a root, a quotient and a sine. `c` is an
    invariant of both, by another name in each.
    """
    make = Maker()
    outside, inside, end = block("outer", "i", "x", "y", "c"), block("inner"), block("done", "x", "y")
    i, x, y, c = params = make.places("i_0 x_0 y_0 c_0")
    j, k, u, v, d = inner = make.places("j_0 k_0 u_0 v_0 d_0")
    outer_header = make.header(outside, params, 2)
    inner_header = make.header(inside, inner, 9, enters=False)
    inner_header.exit = make.exit(outside, (k, u, v, d))
    inner_header.root.exit = inner_header.exit
    test = make.apply(outer_header.root, "test_0", "less", i, Constant(1.0), kind="boolean")
    done, enter = make.node(end, (x, y), 1), make.node(outside, params, 1)
    done.end = done.exit
    outer_header.root.end = Fork(test, done, enter)
    enter.end = make.jump(inner_header, 2, Constant(3.0), i, x, y, make.copy(enter, "c_1", c))
    test = make.apply(inner_header.root, "test_1", "less", j, Constant(1.0), kind="boolean")
    back, body = make.node(inside, (k, u, v, d), 1), make.node(inside, (k, u, v, d), 1)
    inner_header.root.end = Fork(test, back, body)
    i_1 = make.apply(back, "i_1", "subtract", k, Constant(1.0))
    back.end = make.jump(outer_header, 3, i_1, v, u, d)
    root = make.apply(body, "root_0", "sqrt", make.apply(body, "square_0", "multiply", u, u))
    ratio = make.apply(body, "ratio_0", "divide", make.apply(body, "sum_0", "add", root, root), d)
    sine = make.apply(body, "sine_0", "sin", ratio)
    less = make.apply(body, "less_0", "negate", make.apply(body, "part_0", "multiply", v, Constant(-0.25)))
    j_1 = make.apply(body, "j_1", "subtract", j, Constant(1.0))
    body.end = make.jump(inner_header, 9, j_1, k, sine, less, d)
    return make.unit


def late() -> Unit:
    """A loop of x, y -> x * y, c: from the second turn on y is the invariant c."""
    make = Maker()
    at = block("loop", "x", "y", "c")
    x, y, c = params = make.places("x_0 y_0 c_0")
    header = make.header(at, params, 4)
    product = make.apply(header.root, "x_1", "multiply", x, y)
    header.root.end = make.jump(header, 4, product, make.copy(header.root, "y_1", c), c)
    return make.unit


def orders() -> Unit:
    """A loop of x -> x / x + 0.3 x - x: the cotangent of x depends on the order of sums."""
    make = Maker()
    (x,) = params = make.places("x_0")
    header = make.header(block("loop", "x"), params, 5)
    root = header.root
    ratio = make.apply(root, "ratio_0", "divide", x, x)
    total = make.apply(root, "sum_0", "add", ratio, make.apply(root, "part_0", "multiply", x, Constant(0.3)))
    root.end = make.jump(header, 5, make.apply(root, "x_1", "subtract", total, make.copy(root, "copy_0", x)))
    return make.unit


def containers() -> Unit:
    """A walk along a list that pushes frames: each kind of op and effect once."""
    make = Maker()
    at, end = block("walk", "l", "s", "n"), block("back", "s", "l")
    walked, n = make.place("l_0", "value"), make.place("n_0", "integer")
    s = make.place("s_0")
    header = make.header(at, (walked, s, n), 20)
    make.unit.references += ["point", "procedure", "call"]
    root = header.root
    is_pair = make.place("is_pair_0", "boolean")
    root.ops.append(IsKind(is_pair, walked, "PAIR"))
    done, body = make.node(end, (s, walked), 1), make.node(at, (walked, s, n), 1)
    root.end = Fork(is_pair, body, done)
    x, rest, env = make.place("x_0"), make.place("rest_0", "value"), make.place("env_0", "value")
    body.ops += [
        Expect(walked, "PAIR"),
        Load(x, walked, 0),
        Load(rest, walked, 1),
        Expect(rest, "OTHER"),
        Enclosed(env, rest),
    ]
    n_1 = make.apply(body, "n_1", "add", n, Constant(1), kind="integer", domain="integers")
    n_2 = make.apply(body, "n_2", "floor_divide", n_1, Constant(2), kind="integer", domain="integers")
    s_1 = make.apply(body, "s_1", "multiply", make.apply(body, "xn_0", "multiply", x, n_2), s)
    birth, pair = make.place("birth_0", "integer"), make.place("pair_0", "value")
    body.ops.append(Birth(birth))
    body.effects += [
        Make(pair, "TUPLE", (s_1, rest, KnownClosure(1, None)), birth),
        Keep(rest),
        Drop(walked),
    ]
    body.effects += [SetCall(2), Push(0, (x, pair, Constant(None), KnownClosure(1, env)), None)]
    body.end = make.jump(header, 20, rest, s_1, n_2)
    popped, held = make.place("popped_0"), make.place("held_0", "value")
    case = make.node(end, (s, walked), 2)
    case.exit = done.exit
    case.ops.append(Peek((0,), (popped, held)))
    case.effects.append(Pop((popped, held)))
    case.end = make.exit(end, (make.apply(case, "s_2", "add", popped, s), held), 3)
    done.end = Return((((0,), case),))
    return make.unit


def apart() -> Unit:
    """Two loops of two invariants each, both entries of the unit; no path leads from one to the other."""
    make = Maker()
    for which in ("first", "second"):
        at = block(which, "x", "c", "d")
        x, c, d = params = make.places(f"x_{which} c_{which} d_{which}")
        header = make.header(at, params, 4)
        product = make.apply(header.root, f"product_{which}", "multiply", x, c)
        quotient = make.apply(header.root, f"quotient_{which}", "divide", product, d)
        header.root.end = make.jump(header, 4, quotient, c, d)
    return make.unit
