"""Strips that leave out the cotangents of constants, and zeros, give the gradients of hybrid in every bit."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.strips import functions
from checkpoint.ctarget.translate.strips.activity import sharpened
from checkpoint.ctarget.translate.strips.planner import find
from checkpoint.ctarget.translate.strips.records import StripRecords
from checkpoint.ctarget.translate.translation import Translation
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.sampling import sample
from tests.support.strips import SHARP, counting, translate_soon

pytestmark = [needs_c, needs_compiler, pytest.mark.usefixtures("soon")]

WIDTH = 400  # lanes: several strips of the widest vectors


class Ball(NamedTuple):
    place: tuple[float, float]
    size: float


class Scene(NamedTuple):
    balls: tuple[Ball, ...]
    light: tuple[float, float]
    dim: float


GREY = (0.25, 0.5)
SCENE = Scene((Ball((0.3, -0.2), 0.5), Ball((-0.6, 0.1), 0.7), Ball((1.5, 0.4), 0.25)), (2.0, 1.0), 0.75)


def shade(x: float, scene: Scene) -> float:
    """Return a number by the nearest ball, unless another one is before the light."""
    near, color = math.inf, GREY
    for ball in scene.balls:
        far = (x - ball.place[0]) ** 2 + ball.place[1] - ball.size
        if far < near:
            near, color = far, ball.place
    ray, step = scene.light[0] - x, 0
    while ray > scene.dim:
        ray, step = ray * 0.5 + scene.light[1] * 0.125, step + 1
        if step > 6:
            return color[0] * near
    return color[1] * scene.light[0] / (1.0 + x * x) + scene.dim * step + GREY[1]


def overflows(x: float, scene: Scene) -> float:
    """Return a number for which one that may become infinite is only compared."""
    size, y = scene.dim, x
    for _ in range(6):
        size = size * scene.light[0] * x
        y = y * 0.5 + scene.light[1] * x
    return y if size < 1e300 else y * 2.0


def loss_of(f: Any) -> Any:
    def loss(light: Any, balls: Any, dim: Any, xs: Any, weights: Any) -> Any:
        found = checkpoint.vmap(f, (0, None))(xs, Scene(balls, light, dim))
        return np.sum(found * weights)

    return loss


def by_closure(light: Any, balls: Any, dim: Any, xs: Any, weights: Any) -> Any:
    """Map a function that has captured what is wanted, and what is not."""
    scene = Scene(balls, light, dim)

    def own(x: float) -> float:
        found: float = shade(x, scene) * light[0] + GREY[0]
        return found

    return np.sum(checkpoint.vmap(own)(xs) * weights)


def twice(light: Any, balls: Any, dim: Any, xs: Any, weights: Any) -> Any:
    """Map two functions, of which one takes what is wanted as what it walks over."""
    shades = checkpoint.vmap(shade, (0, None))
    first = shades(xs, Scene(balls, light, dim))
    return np.sum(shades(first * weights, Scene((*balls, Ball(light, dim)), light, 0.5)))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)
    call = functions.StripFunction.call

    def call_and_count(self: functions.StripFunction) -> str:
        return counting(call(self), SHARP) if self.is_sharp else call(self)

    monkeypatch.setattr(functions.StripFunction, "call", call_and_count)
    SHARP.value = 0


def given(scale: float = 1.0, width: int = WIDTH) -> tuple[Any, ...]:
    xs = np.linspace(-1.5, 1.75, width) * scale
    return SCENE.light, SCENE.balls, SCENE.dim, xs, np.linspace(0.5, 1.5, width)


def bits(found: Any) -> bytes:
    """Return the bits of all numbers in a result, with one NaN for all."""
    if isinstance(found, tuple):
        return b"".join(map(bits, found))
    array = np.array(found, dtype=float)
    return np.where(np.isnan(array), np.nan, array).tobytes()


def gradient(loss: Any, by: tuple[int, ...], args: tuple[Any, ...], **how: Any) -> bytes:
    return bits(checkpoint.value_and_grad(loss, by, **how)(*args))


def check(loss: Any, by: tuple[int, ...], args: tuple[Any, ...], runs: int = 2, **how: Any) -> None:
    want = gradient(loss, by, args, engine="hybrid")
    for _ in range(runs):
        assert gradient(loss, by, args, engine="c", **how) == want


def check_until_sharp(loss: Any, by: tuple[int, ...], args: tuple[Any, ...]) -> None:
    """Check gradients until strips have left cotangents out, and once more."""
    want = gradient(loss, by, args, engine="hybrid")
    for _ in range(10):
        before = SHARP.value
        assert gradient(loss, by, args, engine="c") == want
        if before and SHARP.value > before:
            return
    pytest.fail("no strip has left cotangents out")


@pytest.mark.parametrize("loss", sample([loss_of(shade), by_closure]), ids=["argument", "closure"])
def test_gradients_by_some_arguments(loss: Any) -> None:
    """What is wanted changes from one gradient to the next, within the same units."""
    check_until_sharp(loss, (0,), given())
    for by in ((1,), (3,), (0, 1, 2, 3, 4)):
        check(loss, by, given())
    check(loss, (0,), given(), memory="200KiB")


def test_lanes_whose_constants_differ() -> None:
    """One unit maps lanes for which something is constant, and lanes for which it is not."""
    for by in ((0,), (1, 2)):
        check(twice, by, given(), runs=4)


def dimmed(x: float, scene: Scene) -> float:
    return shade(x, scene) - 0.5 * scene.dim


@pytest.mark.long
def test_less_is_wanted_than_when_the_unit_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The unit is made once more, without the cotangents of what has become constant."""
    loss, args = loss_of(dimmed), given(width=6000)
    for _ in range(4):
        want = checkpoint.grad(loss, (0, 1, 2, 3, 4), engine="c")(*args)[0]
    found: list[bool] = []
    is_blunt = Translation.is_blunt

    def noted(self: Translation, standing: Any) -> bool:
        found.append(is_blunt(self, standing))
        return found[-1]

    monkeypatch.setattr(Translation, "is_blunt", noted)
    for _ in range(12):
        assert bits(checkpoint.grad(loss, (0,), engine="c")(*args)[0]) == bits(want)
    assert any(found)
    assert not any(found[-3:])


def test_infinite_partials_of_what_is_compared() -> None:
    """A zero times an infinite partial is a NaN, so it is not left out."""
    loss = loss_of(overflows)
    check_until_sharp(loss, (0, 1, 2), given())
    huge = given(1e70)
    assert np.isnan(checkpoint.grad(loss, (0,), engine="hybrid")(*huge)[0][0])
    for by in ((0,), (2,), (3,)):
        check(loss, by, huge, runs=3)
        check(loss, by, given())


def turns(x: float, n: float) -> float:
    t = 0.0
    while t < n:
        x = x * 0.5 if x > 1.0 else x * 1.5 + 0.1
        t = t + 1.0
    return x


def test_no_record_of_what_is_only_passed_on() -> None:
    """Behind the branch a turn only counts and passes x on, whose cotangent is where it is to be."""
    xs = np.linspace(0.0, 2.0, WIDTH)

    def loss(xs: Any) -> Any:
        return np.sum(checkpoint.vmap(turns)(xs, np.full(WIDTH, 20.0)))

    units = units_of(lambda: checkpoint.grad(loss, engine="c", schedule="plain")(xs))
    (sharp,) = filter(None, map(sharpened, filter(None, map(find, units))))
    ways = StripRecords(sharp).of_way.values()
    assert [each.is_void for each in ways].count(True) == 1


def lit(x: float, scene: Scene) -> float:
    """Return a number that reads a vector between two points, its length, and a colour of several."""
    color, away = GREY, (scene.light[0] - x * 2.0, scene.light[1] - x * 3.0)
    for ball in scene.balls:
        if x < ball.size:
            color = ball.place
    far = math.sqrt(away[0] * away[0] + away[1] * away[1])
    return (away[0] + away[1]) / far * scene.dim * color[0] + color[1] * far


def test_fewest_words() -> None:
    """Of points, lengths and colours that an adjoint reads those are recorded that give all others: numbers
    of objects in a byte each.
    """
    units = units_of(lambda: checkpoint.grad(loss_of(lit), (0,), engine="c", schedule="plain")(*given()))
    (sharp,) = filter(None, map(sharpened, filter(None, map(find, units))))
    records = [each for each in StripRecords(sharp).of_way.values() if each.words]
    assert max(len(each.layout.wide) for each in records) <= 2
    assert any(each.layout.narrow for each in records)


def test_bits_of_what_is_computed_again() -> None:
    check_until_sharp(loss_of(lit), (0,), given())
    check(loss_of(lit), (0, 1, 2), given())
