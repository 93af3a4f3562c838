"""References where paths walk along pairs: how their counting is joined, and runs on data shared or not."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.translate.emit.references import fields_of_pairs, joined
from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep, Leave, Load, Make
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Constant, Place
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.ctarget.translate.units import Maker, block
from tests.support.translation import translate_soon


class Walk:
    """A unit whose node reads the list x = (a y ...), y = (b z ...), where b is a list too."""

    def __init__(self) -> None:
        make = Maker()
        at = block("loop", "x")
        self.x = make.place("x", "value")
        self.header = make.header(at, (self.x,), 9)
        self.a = make.place("a")
        self.y, self.b, self.z, self.birth = make.places("y b z birth", "value")
        reads = [(self.a, self.x, 0), (self.y, self.x, 1), (self.b, self.y, 0), (self.z, self.y, 1)]
        self.header.root.ops += [Load(to, owner, index, of_pair=True) for to, owner, index in reads]
        self.header.root.end = make.jump(self.header, 9, self.z)
        self.fields = fields_of_pairs(make.unit)

    def joined(self, *effects: Effect) -> list[Any]:
        found = joined(effects, self.fields)
        return [(each.pair, each.kept) if isinstance(each, Leave) else each for each in found]


def test_a_field_is_kept_as_its_pair_is_left() -> None:
    walk = Walk()
    assert walk.joined(Keep(walk.y), Drop(walk.x)) == [(walk.x, ((1, walk.y),))]


def test_pairs_on_the_way_are_left_too() -> None:
    walk = Walk()
    both = (walk.y, ((0, walk.b), (1, walk.z)))
    found = walk.joined(Keep(walk.z), Keep(walk.b), Drop(walk.x))
    assert found == [(walk.x, ((1, walk.y),)), both]
    assert walk.joined(Keep(walk.b), Keep(walk.z), Drop(walk.y)) == [both]


def test_what_is_kept_on_the_way_is_not_left() -> None:
    walk = Walk()
    keep = Keep(walk.z)
    assert walk.joined(Keep(walk.y), keep, Drop(walk.x)) == [keep, (walk.x, ((1, walk.y),))]


def test_a_second_reference_is_counted() -> None:
    walk = Walk()
    again = Keep(walk.y)
    assert walk.joined(Keep(walk.y), again, Drop(walk.x)) == [again, (walk.x, ((1, walk.y),))]


def test_what_is_not_joined() -> None:
    walk = Walk()
    other = Place("other", "value")
    apart: list[list[Effect]] = [[Drop(walk.x)], [Keep(other), Drop(walk.x)], [Drop(walk.x), Keep(walk.y)]]
    for each in apart:
        assert walk.joined(*each) == each
    made = Place("made", "value")
    effects = [
        Keep(walk.y),
        Make(made, "PAIR", (walk.y, Constant(None)), walk.birth),
        Drop(made),
        Drop(walk.x),
    ]
    assert walk.joined(*effects) == effects


PROGRAMS = {
    # The list is rotated, which nobody else refers to.
    "unshared": """
        (define (rotated l) (if (or (null? l) (null? (cdr l))) l
          (let (((cons a (cons b others)) l)) (cons* (- a (* 0.1 b)) (+ b (* 0.1 a)) (rotated others)))))
        (define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))
        (define (turn n l) (if (= n 0) l (turn (- n 1) (rotated l))))
        (lambda (x) (sum (turn 300 (map-n (lambda (i) (+ x i)) 25))))
    """,
    # Frames fill several chunks of the stack, and states are taken in their midst.
    "deep": """
        (define (rotated l) (if (or (null? l) (null? (cdr l))) l
          (let (((cons a (cons b others)) l)) (cons* (- a (* 0.1 b)) (+ b (* 0.1 a)) (rotated others)))))
        (define (turn n l) (if (= n 0) (car l) (turn (- n 1) (rotated l))))
        (lambda (x) (turn 12 (map-n (lambda (i) (+ x i)) 601)))
    """,
    # Lists whose ends others share, and which are walked by two at once.
    "shared": """
        (define (grown l m) (if (null? l) m (cons (+ (* 0.5 (car l)) 0.1) (grown (cdr l) m))))
        (define (product l m) (if (or (null? l) (null? m)) 1
          (+ (* (car l) (car m)) (* 0.9 (product (cdr l) (cdr m))))))
        (define (turn n l m end) (if (= n 0) (product l l)
          (turn (- n 1) (grown m end) (cons (product l m) (if (= (modulo n 3) 0) m (cdr l))) end)))
        (lambda (x) (turn 40 (list x 2 3) (list x x 0.5) (list x 0.7)))
    """,
    # Lists of lists: both fields are kept.
    "rows": """
        (define (scaled s l) (if (null? l) '() (cons (* s (car l)) (scaled s (cdr l)))))
        (define (scaled-rows s t) (if (null? t) '()
          (let (((cons row others) t)) (cons (scaled s row) (scaled-rows (+ s 0.1) others)))))
        (define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))
        (define (turn n t) (if (= n 0) (sum (map sum t)) (turn (- n 1) (scaled-rows 0.8 t))))
        (lambda (x) (turn 40 (map-n (lambda (i) (map-n (lambda (j) (+ x (* i j))) 20)) 20)))
    """,
}


def outcomes(text: str, engine: str) -> list[Any]:
    f = checkpoint.read(text, engine=engine)
    found: list[Any] = [checkpoint.primops(f, 0.3, engine=engine)]
    for schedule in (None, checkpoint.Bisection(base=701)):
        found.append([y.hex() for y in checkpoint.vjp(f, 0.3, 1.0, engine=engine, schedule=schedule)])
    return found


@needs_c
@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = outcomes(PROGRAMS[name], "hybrid")
    left: list[Leave] = []
    words = Leave.words

    def written(effect: Leave, plain: int) -> str:
        left.append(effect)
        return words(effect, plain)

    monkeypatch.setattr(Leave, "words", written)
    translate_soon(monkeypatch)
    monkeypatch.setenv("CHECKPOINT_MEMORY", "1MiB")  # what nobody refers to is freed
    assert outcomes(PROGRAMS[name], "c") == expected
    assert left
