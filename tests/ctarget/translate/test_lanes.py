"""Loops over lanes of `vmap` in translated code agree with hybrid: values, errors, steps, states, gradients.

The units run whole lanes: once translated, Python enters none of them.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Callable, Container
from contextlib import redirect_stdout
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import checkpoint
from checkpoint.cli import demo_inverse as inverse
from checkpoint.ctarget.foreign import PythonHelper
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.same import same_bits
from tests.support.sampling import sample
from tests.support.translation import translate_soon

pytestmark = [needs_c, needs_compiler, pytest.mark.usefixtures("soon")]

WIDTHS = (1, 3, 64)
Arrays = tuple[Any, ...]


def turns(x: float, n: float, k: float) -> float:
    t = 0.0
    while t < n:
        x = x * 0.5 if x > 1.0 else x * k + 0.1
        t = t + 1.0
    return x


def straight(x: float, n: float, k: float) -> float:
    return math.sin(x) * k - n / (1.5 + x)


def counted(x: float, n: float, k: float) -> int:
    count = 0
    while x > 0.01:
        x, count = x * 0.5 * k, count + 1
    return count


def larger(x: float, n: float, k: float) -> bool:
    return x * k > n


def pair(x: float, n: float, k: float) -> tuple[float, float]:
    return x * n, x / k


def calls(x: float, n: float, k: float) -> float:
    def power(m: int) -> float:
        return 1.0 if m == 0 else x * power(m - 1)

    return power(5) + turns(x, n, k)


def holds_a_list(x: float, n: float, k: float) -> float:
    found = []
    while x > 0.1:
        found.append(x * k)
        x = x * 0.5
    return sum(found) + n


def divides_by_zero(x: float, n: float, k: float) -> float:
    return k / (n - 17.0) + x


def fails_late(x: float, n: float, k: float) -> float:
    if x > 1.99:
        raise ValueError("x is large")
    return turns(x, n, k)


def prints(x: float, n: float, k: float) -> float:
    if x > 1.5:
        print("large", x)
    return x * k


def over(f: Callable[..., Any]) -> Callable[..., Any]:
    def mapped(xs: Any, ns: Any, k: float) -> Any:
        return checkpoint.vmap(f, (0, 0, None))(xs, ns, k)

    return mapped


def by_keyword(xs: Any, ns: Any, k: float) -> Any:
    return checkpoint.vmap(turns, (0,))(xs, k=ns, n=ns)


def captured(xs: Any, ns: Any, k: float) -> Any:
    weight = k * 0.5

    def lane(x: float, n: float) -> float:
        return turns(x, n, weight) * k

    return checkpoint.vmap(lane)(xs, ns)


class Ball(NamedTuple):
    center: tuple[float, float]
    radius: float
    number: int


BALLS = (Ball((0.3, 0.7), 0.5, 2), Ball((1.1, 0.2), 0.25, 1), Ball((1.5, 1.5), 0.75, 3))
EDGE = (0.25, 0.5)
FACTOR = 1.25


def far_from(x: float, ball: Ball) -> float:
    return abs(x - ball.center[0]) * FACTOR + ball.center[1] * EDGE[1]


def nearest(x: float, n: float, balls: tuple[Ball, ...]) -> tuple[float, tuple[float, float]]:
    found, color = 9.0, EDGE
    for ball in balls:
        far = far_from(x, ball)
        if far < found * ball.radius:
            found, color = far / FACTOR, ball.center
    return found * n, (color[0] * x, color[1] + EDGE[0])


def scene(xs: Any, ns: Any, k: float) -> Any:
    """Shared tuples with names, and captured tuples and reals that several functions share."""
    balls = tuple([Ball((b.center[0] * k, b.center[1]), b.radius, b.number) for b in BALLS])
    far, (red, green) = checkpoint.vmap(nearest, (0, 0, None))(xs, ns, balls)
    return far + red * green


def functions_captured(xs: Any, ns: Any, k: float) -> Any:
    def scaled(x: float) -> float:
        return x * k

    def twice(x: float) -> float:
        return scaled(scaled(x)) + k

    pair = (k, (k * 2.0, 3.0))

    def lane(x: float, n: float) -> float:
        return twice(x) + scaled(n) * pair[1][0] + pair[0]

    return checkpoint.vmap(lane)(xs, ns)


def with_default(xs: Any, ns: Any, k: float) -> Any:
    def lane(x: float, n: float = 3.0, m: float = 1.0) -> float:
        return turns(x, n, k) * m

    return checkpoint.vmap(lane)(xs, ns)


def many_columns(xs: Any, ns: Any, k: float) -> Any:
    return checkpoint.vmap(lambda a, b, c, d, e: a * b + c * d * e)(xs, ns, xs, ns, xs)


class Item(NamedTuple):
    x: float
    rest: tuple[float, tuple[float, float], float]


def items_in_tuples(xs: Any, ns: Any, k: float) -> Any:
    """Tuples in tuples, with names and without, of items and of what lanes share."""

    def lane(item: Item, more: tuple[float, tuple[float, float]]) -> float:
        n, (y, shared), x = item.rest
        total = 0.0
        while total < 10.0 and x < n:
            total, x = total + item.x * more[0] + shared, x + 0.5
        return total * y - more[1][0] * k + more[1][1]

    item = Item(xs, (ns, (xs * k, k), ns * 0.5))
    axes: Any = (Item(0, (0, (0, None), 0)), (0, None))  # type: ignore[arg-type]
    return checkpoint.vmap(lane, axes)(item, (ns * k, (k, 2.0)))


def many_arguments(xs: Any, ns: Any, k: float) -> Any:
    def lane(a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float) -> float:
        return a * b - c * d + e * f - g * h

    return checkpoint.vmap(lane, (0, 0, None, 0, 0, 0, None, 0))(xs, ns, k, xs, xs, ns, k, ns)


def as_they_are(xs: Any, ns: Any, k: float) -> Any:
    """Lanes return a tuple that they got, so it is made."""
    pair, (x, (n,)) = checkpoint.vmap(lambda pair, k: (pair, (pair[1] * k, (pair[0],))), (0, None))(
        (xs, ns), k
    )
    return pair[0] * pair[1] + x * n


def nested(xs: Any, ns: Any, k: float) -> Any:
    def outer(x: float) -> Any:
        return np.sum(checkpoint.vmap(lambda n: straight(x, n, k))(ns[:5]))

    return checkpoint.vmap(outer)(xs[:20])


def gradients_of_lanes(xs: Any, ns: Any, k: float) -> Any:
    return checkpoint.vmap(checkpoint.grad(turns), (0, 0, None))(xs[:20], ns[:20], k)


def changed_inside(xs: Any, ns: Any, k: float) -> Any:
    seen: list[float] = [0.0]

    def lane(x: float) -> float:
        if x > 1.9:
            seen[0] = x
        return x

    return checkpoint.vmap(lane)(xs)


NUMERIC = [over(turns), over(straight), over(calls), over(holds_a_list), captured, by_keyword, with_default]
NUMERIC += [scene, functions_captured, many_columns, nested, gradients_of_lanes, items_in_tuples]
NUMERIC += [as_they_are, many_arguments]
OTHERS = [over(counted), over(larger), over(pair), over(divides_by_zero), over(fails_late), over(prints)]
OTHERS += [changed_inside]
NAMES = ("turns", "straight", "calls", "holds_a_list", "captured", "by_keyword", "with_default")
IDS = [*NAMES, *[f.__name__ for f in NUMERIC[len(NAMES) :]]]
IDS += ["counted", "larger", "pair", "divides_by_zero", "fails_late", "prints", "changed_inside"]
DIFFERENTIATED = frozenset(IDS[: len(NUMERIC) : 2])  # the values of the others are tried in `make test`


def each_once(names: list[str], always: Container[str]) -> list[Any]:
    """Return parameters: those in `always` at one width, widths in turn; all else by `-m long`."""
    long, once = pytest.mark.long, len(WIDTHS)
    return [
        pytest.param(name, width, marks=long if name not in always or (i + j) % once else ())
        for i, name in enumerate(names)
        for j, width in enumerate(WIDTHS)
    ]


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Translate what runs a few hundred steps."""
    translate_soon(monkeypatch)


def arguments(width: int) -> Arrays:
    rng = np.random.default_rng(width)
    return rng.random(width) * 2.0, rng.integers(1, 40, width).astype(float), 1.5


def outcome(run: Callable[[], Any]) -> Any:
    """Return the bits of a value, or the error with its notes, and what was printed."""
    with redirect_stdout(io.StringIO()) as printed:
        try:
            value = run()
        except Exception as error:
            notes = [note for note in getattr(error, "__notes__", ()) if "lane" in note]
            return type(error), str(error), notes, printed.getvalue()
    parts = [np.asarray(part) for part in (value if isinstance(value, tuple) else (value,))]
    return [(part.dtype, part.tobytes()) for part in parts], printed.getvalue()


@pytest.mark.parametrize(("name", "width"), each_once(IDS, frozenset(IDS) - DIFFERENTIATED))
def test_values_and_steps(name: str, width: int) -> None:
    check_values_and_steps([*NUMERIC, *OTHERS][IDS.index(name)], width)


def check_values_and_steps(f: Callable[..., Any], width: int) -> None:
    args = arguments(width)

    def packed(given: Any) -> Any:
        return f(*given)

    want = outcome(partial(checkpoint.resume, checkpoint.interrupt(packed, args, 0, engine="hybrid")))
    for _ in range(2):  # while it is translated, and afterwards
        assert outcome(partial(checkpoint.resume, checkpoint.interrupt(packed, args, 0, engine="c"))) == want
    if len(want) == 2:
        with redirect_stdout(io.StringIO()):
            steps = {checkpoint.primops(packed, args, engine=engine) for engine in ("hybrid", "c")}
        assert len(steps) == 1


@pytest.mark.parametrize("name", sample(["scene", "turns", "items_in_tuples"], 3))
def test_many_lanes(name: str) -> None:
    f = NUMERIC[IDS.index(name)]
    check_values_and_steps(f, 1000)
    check_gradients(f, 1000)


@pytest.mark.parametrize(("name", "width"), each_once(IDS[: len(NUMERIC)], DIFFERENTIATED))
def test_gradients(name: str, width: int) -> None:
    check_gradients(NUMERIC[IDS.index(name)], width)


def check_gradients(f: Callable[..., Any], width: int) -> None:
    args = arguments(width)

    def loss(xs: Any, ns: Any, k: float) -> Any:
        return np.sum(f(xs, ns, k))

    want = checkpoint.grad(loss, (0, 1, 2), engine="hybrid", schedule="plain")(*args)
    for how in ({"schedule": "plain"}, {"schedule": "bisection"}, {}, {"memory": 400_000}):
        try:
            got = checkpoint.grad(loss, (0, 1, 2), engine="c", **how)(*args)
        except checkpoint.BudgetError:
            assert "memory" in how
            continue
        for one, other in zip(want, got, strict=True):
            assert np.asarray(one).tobytes() == np.asarray(other).tobytes(), how


CUT = {"turns": over(turns), "captured": captured, "calls": over(calls), "scene": scene}
CUT |= {"functions_captured": functions_captured, "items_in_tuples": items_in_tuples}


@pytest.mark.parametrize("f", sample(CUT.values(), 3), ids=CUT)
def test_every_cut_resumes_to_the_same_end(f: Callable[..., Any]) -> None:
    """Interrupt a run at steps that lie in all blocks of the loop over lanes."""
    args = arguments(12)

    def packed(given: Any) -> Any:
        return f(*given)

    want = f(*args).tobytes()
    steps = checkpoint.primops(packed, args, engine="c")
    for cut in range(steps // 2, steps // 2 + 400, 13):
        rest = checkpoint.interrupt(packed, args, cut, engine="c")
        assert checkpoint.resume(rest).tobytes() == want
        part = checkpoint.interrupt(packed, args, cut, engine="hybrid")
        assert part.state.births == rest.state.births
        assert checkpoint.resume(part).tobytes() == want


ENTERED = {"turns": over(turns), "captured": captured, "by_keyword": by_keyword, "scene": scene}
ENTERED |= {"functions_captured": functions_captured, "items_in_tuples": items_in_tuples}
ENTERED |= {f.__name__: f for f in (many_columns, many_arguments)}


@pytest.mark.parametrize("f", sample(ENTERED.values(), 3), ids=ENTERED)
def test_python_enters_no_lane(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the steps that C leaves to Python, of a run and of a gradient."""
    args = arguments(1000)
    done: Counter[str] = Counter()
    perform = PythonHelper.perform

    def spy(self: Any, peer: Any, steps: int, births: int, tags: int, index: int, operands: Any) -> Any:
        done[peer.block.steps[index].op] += 1
        return perform(self, peer, steps, births, tags, index, operands)

    monkeypatch.setattr(PythonHelper, "perform", spy)

    def loss(xs: Any, ns: Any, k: float) -> Any:
        return np.sum(f(xs, ns, k))

    gradient = checkpoint.grad(loss, (0, 2), engine="c")
    for run in (partial(checkpoint.value_and_grad(loss, engine="c"), *args), partial(gradient, *args)):
        for _ in range(3):
            run()
        done.clear()
        run()
        assert sum(done.values()) < 60, done


def test_captured_reals_have_the_gradients_of_the_loop() -> None:
    """Contributions of lanes to what they share are added last lane first, each lane's own sum at once."""

    def loss(xs: Any, ns: Any, k: float) -> Any:
        return np.sum(captured(xs, ns, k))

    def by_hand(xs: Any, ns: Any, k: float) -> float:
        total = 0.0
        for x, n in zip(xs, ns, strict=True):
            total = total + turns(x, n, k * 0.5) * k
        return total

    xs, ns, k = arguments(64)
    lanes = checkpoint.grad(loss, 2, engine="c")(xs, ns, k)
    loop = checkpoint.grad(by_hand, 2, engine="c")(xs.tolist(), ns.tolist(), k)
    assert lanes == pytest.approx(loop, rel=1e-12)
    assert same_bits(lanes, checkpoint.grad(loss, 2, engine="interp")(xs, ns, k))


@pytest.mark.parametrize("how", sample([{"schedule": "plain"}, {"memory": 2_000_000}]), ids=str)
def test_a_pixel_of_the_ray_tracer_has_its_bits(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one large unit: calls that return to several places, loops in loops, objects of some paths."""
    places = inverse.pixels(20, 15)
    sought = inverse.image_at(inverse.SOUGHT, places, "c")
    gradient = checkpoint.value_and_grad(inverse.loss, engine="c", **how)
    found = [gradient(inverse.BEGIN, inverse.SCENE, places, sought) for _ in range(2)]
    with monkeypatch.context() as untranslated:
        untranslated.setenv("CHECKPOINT_JIT", "off")
        value, slope = gradient(inverse.BEGIN, inverse.SCENE, places, sought)
    for own, other in found:
        assert all(map(same_bits, (own, *other), (value, *slope)))
