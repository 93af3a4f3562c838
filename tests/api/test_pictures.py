"""Pictures show what sweeps did: their lines, areas and texts, not their dots."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import RunError
from checkpoint.watch import pictures
from checkpoint.watch.profile import Profile
from checkpoint.watch.storyline import Memory, Span, apart, extremes, storyline
from tests.api.fake_sweep import CAPSULE, COTANGENT, FORWARD, PER_STEP, Even, FakeSweep

needs_matplotlib = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")


def fake(schedule: Schedule, length: int, limit: int = 100_000) -> Profile:
    profile = Profile(limit)
    FakeSweep(length).tell(profile, schedule)
    return profile


def labelled(axes: Any) -> dict[str, Any]:
    """Return the artists of the legend by their labels."""
    handles, labels = axes.get_legend_handles_labels()
    return dict(zip(labels, handles, strict=True))


# The data of a picture


def test_the_story_of_an_even_sweep() -> None:
    story = storyline(fake(Even(30, 10), 30).sweeps[0].actions, "seconds")
    assert story.forward == [[(0.0, 0), (10.0, 10), (20.0, 20)]]
    assert story.taped == [[(20.0, 20), (40.0, 30)], [(70.0, 10), (90.0, 20)], [(120.0, 0), (140.0, 10)]]
    assert story.reversed == [[(40.0, 30), (70.0, 20)], [(90.0, 20), (120.0, 10)], [(140.0, 10), (170.0, 0)]]
    assert story.capsules == [Span(10.0, 120.0, 10, 10), Span(0.0, 170.0, 0, 0)]
    assert story.tapes == []
    assert story.end == 170.0


def test_the_story_over_steps() -> None:
    story = storyline(fake(Even(30, 10), 30).sweeps[0].actions, "steps")
    assert story.forward == [[(0.0, 0), (10.0, 10), (20.0, 20)]]
    assert story.reversed[0] == [(30.0, 30), (40.0, 20)]
    assert story.end == 80.0


def test_the_story_of_a_held_tape() -> None:
    story = storyline(fake(Even(30, 10, hold=True), 30).sweeps[0].actions, "seconds")
    assert story.tapes == [Span(30.0, 110.0, 10, 20)]
    assert story.taped[0] == [(10.0, 10), (30.0, 20), (50.0, 30)]
    assert story.reversed[0] == [(50.0, 30), (80.0, 20), (110.0, 10)]


def test_a_tape_that_is_given_up_is_so_at_once() -> None:
    # Bisection tapes 4 of 8 steps in vain.
    memory = storyline(fake(Bisection(4), 8).sweeps[0].actions, "seconds").memory
    at = memory.times.index(4 * 2.0)
    assert memory.times[at : at + 3] == [8.0, 8.0, 8.0 + 4 * FORWARD]
    assert memory.tapes[at : at + 3] == [4 * PER_STEP, 0, 0]
    assert memory.capsules[at : at + 3] == [CAPSULE] * 3


def test_of_many_capsules_those_are_drawn_that_can_be_told_apart() -> None:
    spans = [Span(step, 2000.0 - step, step, step) for step in range(1000)]
    shown = apart(spans, 0, 1000, 100)
    assert sorted(span.low for span in shown) == list(range(0, 1000, 10))
    after_another = [Span(0.0, 1.0, 5, 5), Span(1.0, 2.0, 6, 6)]
    assert apart(after_another, 0, 1000, 100) == after_another
    assert apart(spans[:1], 0, 0, 100) == spans[:1]


def test_of_many_times_the_peaks_stay() -> None:
    memory = Memory()
    for i in range(10_000):
        memory.add(float(i), 1000 * (i == 7777) + i % 3, 0, 0)
    few = extremes(memory, 100)
    assert len(few.times) <= 101 * 4
    assert max(map(few.held, range(len(few.times)))) == 1000 + 7777 % 3
    assert (few.times[0], few.times[-1]) == (0.0, 9999.0)
    assert extremes(few, 200) is few


@pytest.mark.parametrize(
    ("most", "unit"), [(0.0, "bytes"), (1023.0, "bytes"), (1024.0, "KiB"), (2.0**30, "GiB"), (2.0**60, "TiB")]
)
def test_units(most: float, unit: str) -> None:
    assert pictures.scaled(most, pictures.BYTES)[0] == unit


# The drawing


@needs_matplotlib
def test_the_run_is_drawn() -> None:
    above, _ = fake(Even(30, 10, hold=True), 30).plot().axes
    shown = labelled(above)
    assert list(shown) == ["run forward", "run and taped", "reversed", "capsules", "tapes held"]
    assert [len(shown[name].get_paths()) for name in shown] == [1, 2, 2, 2, 1]
    bottom, top = above.get_ylim()
    assert bottom < 0
    assert top > 30
    assert above.get_ylabel() == "program point (steps)"


@needs_matplotlib
def test_the_memory_is_drawn() -> None:
    _, below = fake(Even(300, 100), 300).plot().axes
    assert list(labelled(below)) == ["cotangent", "capsules", "tapes"]
    peak = (2 * CAPSULE + 100 * PER_STEP + COTANGENT) / 2**10
    highest = max(path.vertices[:, 1].max() for part in below.collections for path in part.get_paths())
    assert highest == pytest.approx(peak)
    assert below.get_ylim() == pytest.approx((0, 1.06 * peak))
    assert (below.get_ylabel(), below.get_xlabel()) == ("memory held (KiB)", "time (seconds)")
    assert below.get_xlim() == pytest.approx((0, 1.005 * 1700))


@needs_matplotlib
@pytest.mark.parametrize(
    ("budget", "label", "height"),
    [(1000, "budget of 1000 B", 1000), (9000, "budget of 8.8 KiB, far above", None)],
)
def test_the_budget_is_drawn_or_told_of(budget: int, label: str, height: float | None) -> None:
    _, below = fake(Even(30, 10, memory=budget), 30).plot().axes
    line = labelled(below)[label]
    assert line.get_linestyle() == "--"
    if height is not None:
        assert line.get_ydata()[0] == height
    assert below.get_ylim()[1] == pytest.approx(1.06 * (height or 330))


@needs_matplotlib
def test_thousands_of_capsules_are_told_of_and_thinned() -> None:
    above, below = fake(Even(30_000, 10), 30_000).plot().axes
    shown = labelled(above)
    assert "capsules, 110 of 2,999 drawn" in shown
    assert len(shown["run forward"].get_paths()) == 1
    assert all(len(line.get_xdata()) < 5 * pictures.COLUMNS for line in below.lines)


@needs_matplotlib
def test_the_title() -> None:
    p = fake(Even(30, 10), 30)
    assert p.plot().get_suptitle() == "Gradient of a run of 30 steps by Even: 50 steps run, 1.67 for each"
    assert p.plot(title="mine").get_suptitle() == "mine"
    assert fake(Even(30, 10), 30, limit=4).plot().get_suptitle().endswith(" (its first 4 actions)")


@needs_matplotlib
def test_a_run_of_no_length_can_be_drawn() -> None:
    above, below = fake(Plain(), 0).plot().axes
    assert list(labelled(above)) == ["run and taped", "reversed", "capsules"]
    assert below.get_xlim()[1] > 0


@needs_matplotlib
def test_nothing_overlaps() -> None:
    figure = fake(Even(30_000, 10, hold=True, memory=400_000), 30_000).plot()
    figure.draw_without_rendering()
    width, height = figure.bbox.size
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    assert all(box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height for box in boxes)
    assert boxes[0].y0 >= boxes[1].y1
    for axes in figure.axes:
        assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1
        assert axes.get_window_extent().width > 0.8 * width


@needs_matplotlib
@pytest.mark.parametrize("over", ["seconds", "steps"])
def test_sweeps_of_engines_can_be_drawn(over: str, engine: str, tmp_path: Path) -> None:
    loop = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 40) y (loop (+ i 1) (sin (* x y))))))"
    with checkpoint.profile() as p:
        checkpoint.vjp(checkpoint.read(loop, engine=engine), 0.7, engine=engine, schedule=Bisection(20))
    path = tmp_path / "run.png"
    figure = p.plot(path, over=over)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert figure._repr_png_().startswith(b"\x89PNG")


@needs_matplotlib
def test_formats(tmp_path: Path) -> None:
    p = fake(Even(30, 10), 30)
    for suffix, begin in ((".svg", b"<?xml"), (".PDF", b"%PDF")):
        path = tmp_path / f"run{suffix}"
        p.plot(str(path))
        assert path.read_bytes().startswith(begin)


@needs_matplotlib
def test_sweeps_are_chosen_by_their_place() -> None:
    p = fake(Even(30, 10), 30)
    FakeSweep(8).tell(p, Bisection(4))
    assert "of 8 steps by Bisection" in p.plot().get_suptitle()
    assert "of 30 steps by Even" in p.plot(sweep=0).get_suptitle()
    with pytest.raises(RunError, match=r"^there is no sweep 2: there are 2$"):
        p.plot(sweep=2)


# Refusals


def test_there_must_be_something_to_draw() -> None:
    with pytest.raises(RunError, match="there is nothing to draw: no gradient was taken"):
        Profile(10).plot()


@needs_matplotlib
def test_wrong_words_are_refused(tmp_path: Path) -> None:
    p = fake(Even(30, 10), 30)
    with pytest.raises(RunError, match="over is 'seconds' or 'steps', not 'time'"):
        p.plot(over="time")
    path = tmp_path / "run.txt"
    with pytest.raises(RunError, match=r"run.txt: the suffix must be that of a format of pictures: .*png"):
        p.plot(path)
    assert not path.exists()


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    with pytest.raises(RunError) as caught:
        fake(Even(30, 10), 30).plot()
    assert caught.value.message == (
        "pictures need matplotlib, which is not installed: pip install 'checkpoint-ad[pictures]'"
    )
