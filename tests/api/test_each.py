"""`each=`: every cotangent is reported once, as soon as it is final, with the bits that it has without."""

from __future__ import annotations

import pickle
import threading
import tracemalloc
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from checkpoint import (
    Bisection,
    Plain,
    RunError,
    SourceError,
    engines,
    grad,
    profile,
    read,
    value_and_grad,
    vjp,
)

SCHEDULES = [
    {"schedule": Plain()},
    {"schedule": Bisection(base=70)},
    {"memory": "200KiB"},
]
Affine = namedtuple("Affine", "scale shift")

on_each_engine = pytest.mark.parametrize("engine", engines.available())
by_each_schedule = pytest.mark.parametrize("how", SCHEDULES, ids=["plain", "bisection", "budget"])
on_c = pytest.mark.skipif("c" not in engines.available(), reason="engine c knows when leaves are final")


@dataclass
class Model:
    layers: Any
    named: Any
    rate: float


def loop(model: Any, x: Any) -> Any:
    for w, affine in model.layers:
        x = affine.scale * np.tanh(w @ x) + affine.shift
    return np.sum(x * model.named["out"]) * model.rate


def zipped(model: Any, x: Any) -> Any:
    for i, ((w, affine), other) in enumerate(zip(model.layers, reversed(model.layers), strict=True)):
        x = np.tanh((w + i * other[0]) @ x) * affine.scale
    return np.sum(x * model.named["out"])


def twice(model: Any, x: Any) -> Any:
    first = model.layers[0][0]
    for _ in range(2):
        for w, affine in model.layers:
            x = np.tanh(w @ x + first @ x) * affine.scale
    return np.sum(x)


def copied(model: Any, x: Any) -> Any:
    layers = [*list(model.layers)[3:], model.layers[0]]
    total = np.sum(np.stack([w for w, _ in model.layers]))
    while layers:
        w, affine = layers.pop()
        x = np.tanh(w @ x) + affine.shift
    return np.sum(x) + total


def held(model: Any, x: Any) -> Any:
    later = model.layers[5][0]
    for w, _ in model.layers:
        x = np.tanh(w @ x)
    return np.sum(later @ x)


PROGRAMS = (loop, zipped, twice, copied, held)


def arguments(count: int = 12) -> tuple[Model, Any]:
    rng = np.random.default_rng(3)

    def drawn(*shape: int) -> Any:
        return rng.normal(size=shape)

    layers = [(drawn(5, 5), Affine(drawn(5), drawn(5))) for _ in range(count)]
    return Model(layers, {"out": drawn(5)}, 0.5), drawn(5)


def at(nest: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        nest = getattr(nest, key) if isinstance(key, str) and not isinstance(nest, dict) else nest[key]
    return nest


def leaves(nest: Any) -> list[Any]:
    """Return the leaves of a gradient of `arguments` that are not None."""
    if isinstance(nest, Model):
        return leaves([nest.layers, nest.named, nest.rate])
    if isinstance(nest, dict):
        return leaves(list(nest.values()))
    if isinstance(nest, list | tuple):
        return [leaf for item in nest for leaf in leaves(item)]
    return [] if nest is None else [nest]


@on_each_engine
@by_each_schedule
@pytest.mark.parametrize("program", PROGRAMS)
def test_bits_are_those_without_it(program: Any, how: dict[str, Any], engine: str) -> None:
    given = arguments()
    value, gradient = value_and_grad(program, argnums=(0, 1), engine=engine, **how)(*given)
    found: dict[Any, Any] = {}

    def each(path: Any, cotangent: Any) -> None:
        assert path not in found
        found[path] = cotangent

    again, rest = value_and_grad(program, argnums=(0, 1), engine=engine, each=each, **how)(*given)
    assert value.tobytes() == again.tobytes()
    assert leaves(rest) == []
    assert len(found) == len(leaves(gradient))
    for path, cotangent in found.items():
        expected = at(gradient, path)
        assert type(cotangent) is type(expected)
        assert np.asarray(cotangent).tobytes() == np.asarray(expected).tobytes()


@on_each_engine
@by_each_schedule
@pytest.mark.parametrize("program", PROGRAMS)
def test_leaves_may_be_changed_when_they_are_reported(program: Any, how: dict[str, Any], engine: str) -> None:
    """Nothing that still runs reads them: steps of descent within the sweep are those after it."""
    given, others = arguments(), arguments()

    def each(path: Any, cotangent: Any) -> None:
        leaf = at(given[0], path)
        if type(leaf) is not float:
            leaf -= 0.1 * cotangent

    grad(program, engine=engine, each=each, **how)(*given)
    gradient = grad(program, engine=engine, **how)(*others)
    for changed, leaf, step in zip(leaves(given[0]), leaves(others[0]), leaves(gradient), strict=True):
        if type(leaf) is not float:
            assert changed.tobytes() == (leaf - 0.1 * step).tobytes()


@on_c
def test_leaves_of_a_loop_are_reported_on_the_way() -> None:
    """The memory that they take does not hold their cotangents; the last ones are reported first."""
    rng = np.random.default_rng(3)
    weights = [rng.normal(size=(64, 64)) for _ in range(200)]
    order: list[int] = []

    def layers(weights: Any, x: Any) -> Any:
        for w in weights:
            x = np.tanh(w @ x)
        return np.sum(x)

    bytes = sum(w.nbytes for w in weights)
    with profile() as costs:
        grad(layers, engine="c", memory=bytes // 8, each=lambda path, _: order.append(path[0]))(
            weights, np.ones(64)
        )
    assert costs.total.peak_bytes <= bytes // 8
    assert costs.total.peak_result_bytes == 0
    assert sorted(order) == list(range(200))
    assert all(abs(place - (199 - i)) < 10 for place, i in enumerate(order))


@on_c
def test_leaves_that_share_storage_are_final_together() -> None:
    whole = np.full((20, 4), 0.5)
    rows = [whole[i] for i in range(20)]
    order: list[Any] = []

    def product(rows: Any, others: Any) -> Any:
        x = 1.0
        for row, other in zip(rows, others, strict=True):
            x = x * np.sum(np.sin(row) * other)
        return x

    others = [np.full(4, 0.3 + i) for i in range(20)]
    each = lambda path, _: order.append(path)  # noqa: E731
    grad(product, argnums=(0, 1), engine="c", schedule=Bisection(base=20), each=each)(rows, others)
    assert next(path for path in order if path[0] == 0) == (0, 0)  # all at once, in their order
    assert [path[1] for path in order if path[0] == 1] == list(range(19, -1, -1))


@on_each_engine
def test_it_is_called_on_the_calling_thread_and_may_differentiate(engine: str) -> None:
    threads: list[int] = []

    def each(path: Any, cotangent: Any) -> None:
        threads.append(threading.get_ident())
        assert grad(lambda x: x * x)(3.0) == 6.0

    grad(lambda xs: np.sum(xs[0] * xs[1]), engine=engine, each=each)([np.ones(3), np.ones(3)])
    assert threads == [threading.get_ident()] * 2


@on_each_engine
def test_an_error_names_the_leaves_that_were_reported(engine: str) -> None:
    def each(path: Any, cotangent: Any) -> None:
        if path == (0,):
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more") as caught:
        vjp(lambda xs: xs[0] * xs[1] * 2.0, [3.0, 2.0], engine=engine, each=each)
    assert caught.value.__notes__[-1] == "each= had been called for 1 leaves: (0,)"
    assert caught.value.reported == ((0,),)  # type: ignore[attr-defined]  # set where it is raised


@on_each_engine
def test_leaves_of_other_kinds_are_reported(engine: str) -> None:
    found: list[Any] = []
    point = {"z": 3 + 4j, "n": 7, "a": np.float64(2.0)}
    each = lambda path, cotangent: found.append((path, cotangent))  # noqa: E731
    f = lambda p: abs(p["z"]) * p["n"] * p["a"]  # noqa: E731
    assert grad(f, engine=engine, each=each)(point) == {"z": None, "n": None, "a": None}
    assert dict(found) == {
        key: c for key, c in (((k,), c) for k, c in grad(f)(point).items()) if c is not None
    }
    assert vjp(np.sin, np.zeros(2), np.ones(2), engine=engine, each=each)[1] is None
    assert found[-1][0] == ()


@on_each_engine
def test_none_may_be_the_key_of_a_leaf(engine: str) -> None:
    found: list[Any] = []
    grad(lambda p: np.sum(p[None]), engine=engine, each=lambda path, _: found.append(path))(
        {None: np.ones(2)}
    )
    assert found == [(None,)]


@on_c
def test_what_is_known_of_a_leaf_takes_little() -> None:
    """Count as much for very many small leaves as for the elements of a large one."""
    count = 5_000
    weights = [Affine(np.ones(1), np.ones(1)) for _ in range(count)]
    shallow = weights[:10]

    def chain(weights: Any, x: Any) -> Any:
        for w in weights:
            x = x * w.scale + w.shift
        return np.sum(x)

    def peak(each: Any) -> int:
        gradient = grad(chain, engine="c", memory="200MiB", each=each)
        gradient(shallow, np.ones(1))
        tracemalloc.start()
        gradient(weights, np.ones(1))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    def ignore(path: Any, cotangent: Any) -> None:
        pass

    assert peak(ignore) - peak(None) < 2 * count * 400
    grad(chain, engine="c", memory=2 * count * 1_200, each=ignore)(weights, np.ones(1))


def test_what_it_refuses() -> None:
    def inner(x: Any) -> Any:
        return x * x

    with pytest.raises(RunError, match="each is a function of a path and a cotangent, not an int"):
        grad(inner, each=3)  # type: ignore[arg-type]  # that is refused
    with pytest.raises(RunError, match="each= and has_state= cannot be combined"):
        grad(inner, each=print, has_state=True)
    with pytest.raises(RunError, match="each= needs a Python function"):
        vjp(read("(lambda (x) (* x x))"), 3.0, each=print)
    with pytest.raises(ValueError, match="each= is for derivatives outside of programs"):
        grad(lambda x: x * grad(inner, each=print)(x))(3.0)
    with pytest.raises(ValueError, match="each= is for derivatives outside of programs"):
        grad(lambda x: vjp(inner, x, each=print)[1])(3.0)
    within = grad(inner, each=print)
    with pytest.raises(SourceError, match="a derivative with each= cannot be used in a program"):
        grad(lambda x: x * within(x))(3.0)


def test_it_pickles() -> None:
    gradient = pickle.loads(pickle.dumps(grad(np.sum, each=print)))
    assert gradient.each is print


def through(weights: list[Any], x: Any) -> Any:
    for w in weights:
        x = np.tanh(w @ x)
    return np.sum(x)


@on_c
@pytest.mark.parametrize("memory", ["3MiB", "4MiB"])
def test_what_is_known_of_many_leaves_is_no_part_of_each_state(memory: str) -> None:
    """A budget that takes it for one keeps no states, and runs the beginning again and again."""
    weights = [np.eye(8) * 0.9 + i * 3e-6 for i in range(3000)]
    with profile() as p:
        grad(through, engine="c", memory=memory, each=lambda path, w: None)(weights, np.ones((8, 256)))
    assert p.total.executed <= 6 * p.total.run
