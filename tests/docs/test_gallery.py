"""The programs of the gallery run, at a small size, and their derivatives lead where they should."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from docs.gallery.__main__ import PROGRAMS
from docs.gallery.programs import bounce, formulas, kmeans, orbit, rectifier, sampler, wear

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
# Arguments of `solve` that keep it short.
SMALL: dict[str, dict[str, Any]] = {
    "aim": {"tries": 3},
    "flyby": {"turns": 4},
    "bounce": {"iterations": 2},
    "hares": {"iterations": 3},
    "orbit": {"longest": 400, "lengths": 3},
    "rod": {"turns": 4, "steps": 100},
    "rectifier": {"iterations": 1},
    "render": {"size": 4, "turns": 4},
    "deep": {"turns": 4, "layers": 12, "count": 10},
    "formulas": {"batches": 12, "size": 6, "deepest": 2},
    "schedule": {"descents": 3, "turns": 6},
    "kmeans": {"count": 120},
    "wear": {"machines": 10, "iterations": 8},
    "sampler": {"ascents": 4, "turns": 12, "length": 12},
}


def differ(f: Any, x: Any, v: Any) -> tuple[float, float]:
    """Return the derivative of f at x in the direction v, by its gradient and by central differences."""
    step = 1e-6
    ahead, behind = f(x + step * v), f(x - step * v)
    return float(np.sum(checkpoint.grad(f)(x) * v)), (ahead - behind) / (2.0 * step)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_finds_and_is_drawn(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    found = program.solve(**SMALL[name])
    if name != "orbit":  # which seeks nothing
        losses = [abs(miss) for miss in found.misses] if hasattr(found, "misses") else found.losses
        assert len(losses) > 1
        assert losses[-1] < losses[0]
    assert program.report(found)
    program.draw(found, str(tmp_path / "drawn.png"))
    assert (tmp_path / "drawn.png").stat().st_size > 1000


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_page_shows_it(name: str) -> None:
    """A page includes its program by a link, and shows its picture, which is small."""
    page = (GALLERY / f"{name}.md").read_text(encoding="utf-8")
    assert f"\n[{name}.py](programs/{name}.py)\n" in page
    assert f"(pictures/{name}.png)" in page
    assert (GALLERY / "pictures" / f"{name}.png").stat().st_size < 60_000
    assert f"({name}.md)" in (GALLERY / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_stands_alone(name: str) -> None:
    text = (GALLERY / "programs" / f"{name}.py").read_text(encoding="utf-8")
    found = set(re.findall(r"^ *(?:from|import) (\w+)", text, re.MULTILINE))
    assert found <= {*sys.stdlib_module_names, "checkpoint", "matplotlib", "numpy", "scipy"}


def test_it_runs_as_a_file(tmp_path: Path) -> None:
    file = GALLERY / "programs" / "aim.py"
    picture = tmp_path / "aim.png"
    command = [sys.executable, str(file), str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("angle 0.")
    assert picture.exists()


def test_the_moments_of_bounces_are_differentiated() -> None:
    thrusts = np.random.default_rng(0).normal((1.0, 2.0), 1.0, (bounce.INTERVALS, 2))
    assert bounce.flight(thrusts)[1] == 2
    by_gradient, by_differences = differ(bounce.cost, thrusts, np.cos(np.arange(40.0)).reshape(-1, 2))
    assert math.isclose(by_gradient, by_differences, rel_tol=1e-6)


def test_newtons_method_is_differentiated() -> None:
    """The derivative of the root of x**3 = a is that of the cube root."""

    def cube_root(a: float) -> float:
        return rectifier.root(lambda x: x * x * x - a, 1.0)

    assert math.isclose(cube_root(8.0), 2.0)
    assert math.isclose(checkpoint.grad(cube_root)(8.0), 1.0 / 12.0)


def test_the_orbit_is_kepler_s_without_jupiter() -> None:
    x, velocity = -orbit.TODAY[1], -orbit.TODAY[4]
    period = (2.0 / x - velocity**2 / orbit.SUN) ** -1.5
    steps = round(period / orbit.STEP)
    gone = orbit.direction((0.0, *orbit.TODAY[1:]), steps)
    assert math.isclose(gone, math.tau, rel_tol=1e-3)


def test_the_likelihood_is_the_sum_over_all_lives() -> None:
    chances, faults = [0.2, 0.1, 0.7], [False, True, True]
    total = 0.0
    for life in product([False, True], repeat=3):
        if any(a and not b for a, b in pairwise(life)):
            continue  # worn machines stay so
        p = 1.0
        for before, is_worn, fault in zip((False, *life), life, faults, strict=False):
            p *= 1.0 if before else 0.2 if is_worn else 0.8
            p *= (0.7 if fault else 0.3) if is_worn else (0.1 if fault else 0.9)
        total += p
    assert math.isclose(checkpoint.value_and_grad(wear.likelihood)(chances, faults)[0], total)


def test_the_energy_of_a_turn_is_conserved_to_second_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """With steps of half the size the leapfrog method makes a quarter of the error, at the same time."""
    coarse = abs(sampler.turn((0.5, 0.1), (0.3, -0.2), (0.02, 0.02))[2])
    monkeypatch.setattr(sampler, "LEAPS", 2 * sampler.LEAPS)
    fine = abs(sampler.turn((0.5, 0.1), (0.3, -0.2), (0.01, 0.01))[2])
    assert 3.5 < coarse / fine < 4.5


def test_the_sampler_is_differentiated() -> None:
    """The derivative goes through `grad` in the loop, and the chance to accept."""
    starts, noise = [(0.5, 0.1), (-1.0, 0.3)], [(0.3, -0.2, 0.0), (0.1, 0.5, 0.0)]

    def slowness(x: np.ndarray) -> float:
        return sampler.slowness((x[0], x[1]), starts, noise)

    by_gradient, by_differences = differ(slowness, np.array([-2.0, -2.3]), np.array([0.6, 0.8]))
    assert math.isclose(by_gradient, by_differences, rel_tol=1e-6)


def test_a_newton_step_goes_to_the_means() -> None:
    found = kmeans.solve(120, 1)
    apart = found.points[:, None] - found.centres[0][None]
    nearest = np.argmin(np.sum(apart * apart, axis=2), axis=1)
    for number in range(kmeans.CLUSTERS):
        assert np.allclose(found.centres[1][number], found.points[nearest == number].mean(axis=0))


def test_a_formula_is_read_to_its_end() -> None:
    weights = formulas.solve(1, 2, 1).weights
    rng = np.random.default_rng(2)
    for _ in range(20):
        words = formulas.formula(rng, 4)[0].split()
        assert formulas.meaning(weights, words, 0)[1] == len(words)
