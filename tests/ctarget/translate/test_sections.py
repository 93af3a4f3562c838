"""References are counted at the ends of sections: on each path as many as before."""

from __future__ import annotations

from collections import Counter

from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep, Make
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump, Next
from checkpoint.ctarget.translate.units.paths import all_paths
from checkpoint.ctarget.translate.units.sections import gather
from tests.ctarget.translate.units import Maker, block


def counts(make: Maker) -> list[dict[Place, int]]:
    """Return what each path to a jump adds to the references of objects."""
    found = []
    for path in all_paths(make.unit):
        if isinstance(path.end, Jump):
            balance: Counter[Place] = Counter()
            for effect in path.operations:
                if isinstance(effect, Keep | Drop):
                    balance[effect.place] += 1 if isinstance(effect, Keep) else -1
            found.append({place: count for place, count in balance.items() if count})
    return found


def forked(makes: bool) -> tuple[Maker, Header]:
    """Return a unit whose branch drops a value on one edge, and another one on the other edge.

    makes: whether its first node makes an object, which ends a section.
    """
    make = Maker()
    at = block("loop", "v", "w", "test")
    v, w, test = make.place("v_0", "value"), make.place("w_0", "value"), make.place("test_0", "boolean")
    header = make.header(at, (v, w, test), 9)
    header.root.effects = [Keep(v)]
    if makes:
        made, birth = make.place("p_0", "value"), make.place("birth_0", "integer")
        header.root.effects.append(Make(made, "PAIR", (v, Constant(None)), birth))
    edges = [make.node(at, (v, w, test), 3) for _ in range(2)]
    for edge, dropped in zip(edges, (v, w), strict=True):
        edge.exit = header.root.exit
        edge.effects = [Drop(dropped)]
        behind, last = (make.node(at, (v, w, test), 3) for _ in range(2))
        behind.effects = [Keep(w)]
        last.effects = [Drop(v)]
        edge.end, behind.end = Next(behind), Next(last)
        last.end = make.jump(header, 9, v, w, test)
    header.root.end = Fork(test, *edges)
    return make, header


def test_a_branch_within_a_section() -> None:
    make, header = forked(makes=False)
    before = counts(make)
    gather(header)
    assert counts(make) == before
    assert header.root.effects == []


def test_a_branch_behind_the_end_of_a_section() -> None:
    """Check that what its edges drop is counted there: the next section begins behind them."""
    make, header = forked(makes=True)
    before = counts(make)
    assert isinstance(header.root.end, Fork)
    edges = [header.root.end.then, header.root.end.other]
    gather(header)
    assert counts(make) == before
    assert [[type(effect) for effect in edge.effects] for edge in edges] == [[Drop], [Drop]]
