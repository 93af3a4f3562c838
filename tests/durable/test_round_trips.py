"""A capsule that was saved and loaded continues as it would have, in this process and in others, to the "
"bit.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import checkpoint
from checkpoint.ad.values import Capsule
from checkpoint.errors import DurableError
from tests.durable import subjects
from tests.durable.child import GENERATORS, procedure_and_argument
from tests.durable.round_trips import outcome, quietly
from tests.support.corpus import usable_engines

ROOT = Path(__file__).resolve().parents[2]
ENGINES = [engine.name for engine in usable_engines() if engine.name != "interp"]
SUBJECTS = list(subjects.ARGUMENTS)


def subject(name: str) -> tuple[Any, Any]:
    return getattr(subjects, name), subjects.ARGUMENTS[name]


def capsules(f: Any, x: Any, engine: str, key: str) -> Iterator[Capsule]:
    """Yield capsules of a run at its ends and two steps between; of one that fails before it fails."""
    with quietly():
        try:
            steps = checkpoint.primops(f, x, engine=engine)
        except Exception:  # whatever the program raises
            steps = 40
    random = Random(key)
    for cut in sorted({0, random.randint(0, steps), random.randint(0, steps), steps}):
        with quietly():
            try:
                z = checkpoint.interrupt(f, x, cut, engine=engine)
            except Exception:
                continue
        yield z


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_saved_and_loaded(name: str, engine: str, tmp_path: Path) -> None:
    f, x = subject(name)
    functions = [x] if callable(x) else []
    for z in capsules(f, x, engine, name):
        z.save(tmp_path / "z")
        again = checkpoint.load(tmp_path / "z", f, known=functions)
        assert type(again) is type(z)
        assert again.steps == z.steps
        expected = outcome(z, engine)
        for other in ENGINES:
            assert outcome(again, other) == expected


@pytest.mark.parametrize("name", SUBJECTS)
def test_twice(name: str) -> None:
    """What was loaded can be saved: the second file is the first one."""
    f, x = subject(name)
    for z in capsules(f, x, ENGINES[-1], name):
        first = pickle.loads(pickle.dumps(z))
        second = pickle.loads(pickle.dumps(first))
        assert pickle.dumps(second) == pickle.dumps(first)
        assert outcome(second, z.engine) == outcome(z, z.engine)


def _saved(folder: Path, seeds: range) -> list[dict[str, Any]]:
    """Save capsules of random programs, and return what their rests give."""
    found: list[dict[str, Any]] = []
    for generator in GENERATORS:
        for seed in seeds:
            f, x = procedure_and_argument(generator, seed)
            engine = ENGINES[seed % len(ENGINES)]
            for z in capsules(f, x, engine, f"{generator} {seed}"):
                z.save(folder / str(len(found)))
                found.append(
                    {"generator": generator, "seed": seed, "engine": engine, "outcome": outcome(z, engine)}
                )
    return found


def in_fresh_process(folder: Path, seeds: range) -> None:
    """Check that another process, with other hashes, loads what this one has saved."""
    found = _saved(folder, seeds)
    assert len(found) > 2 * len(seeds) * len(GENERATORS)
    (folder / "expected.json").write_text(json.dumps(found))
    command = [sys.executable, "-m", "tests.durable.child", str(folder)]
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    assert result.stdout.strip() == f"{len(found)} loaded"


def test_random_programs_in_fresh_processes(tmp_path: Path) -> None:
    in_fresh_process(tmp_path, range(1, 3))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_random_programs_in_fresh_processes(tmp_path: Path) -> None:
    in_fresh_process(tmp_path, range(1000, 1100))


def resumed(z: Capsule) -> Any:
    return checkpoint.resume(z)


def test_multiprocessing() -> None:
    zs = [checkpoint.interrupt(subjects.loop, x, 100) for x in (0.1, 0.2, 0.3)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(resumed, zs) == [subjects.loop(x) for x in (0.1, 0.2, 0.3)]


def test_several_arguments_and_state(tmp_path: Path) -> None:
    def bump(xs: list[float]) -> float:
        xs[0] = xs[0] * 2.0
        return xs[0] + xs[1]

    z = checkpoint.interrupt(bump, [1.5, 2.0], 5, has_state=True)
    z.save(tmp_path / "z")
    again = checkpoint.load(tmp_path / "z", bump)
    assert checkpoint.resume(again) == checkpoint.resume(z)


def test_hidden_inputs_come_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    z = checkpoint.interrupt(subjects.loop, 0.7, 3)
    expected = checkpoint.resume(z)
    z.save(tmp_path / "z")
    monkeypatch.setattr(subjects, "RATE", 100.0)
    assert checkpoint.resume(checkpoint.load(tmp_path / "z", subjects.loop)) == expected


def test_a_capsule_of_a_rest(tmp_path: Path) -> None:
    z = checkpoint.interrupt(checkpoint.resume, checkpoint.interrupt(subjects.loop, 0.7, 100), 50)
    z.save(tmp_path / "z")
    again = checkpoint.load(tmp_path / "z", subjects.loop)
    assert again.steps == z.steps == 150
    assert checkpoint.resume(pickle.loads(pickle.dumps(again))) == subjects.loop(0.7)


@pytest.mark.parametrize("engine", ENGINES)
def test_resume_as_a_value(engine: str, tmp_path: Path) -> None:
    """A program that uses `resume` as a value has code for it, which is found again."""
    text = "(lambda (x) (let* ((z (interrupt sqr x 2)) (y (primops resume z))) (+ y (resume z))))"
    for cut in range(checkpoint.primops(checkpoint.read(text), 3.0)):
        z = checkpoint.interrupt(checkpoint.read(text), 3.0, cut, engine=engine)
        z.save(tmp_path / "z")
        again = checkpoint.load(tmp_path / "z", checkpoint.read(text))
        assert outcome(again, engine) == outcome(z, engine)


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    z = checkpoint.interrupt(subjects.loop, 0.7, 3, engine="interp")
    for attempt in (lambda: z.save(tmp_path / "z"), lambda: pickle.dumps(z)):
        with pytest.raises(DurableError) as caught:
            attempt()
        assert str(caught.value) == (
            "a capsule of engine interp cannot be saved or pickled: make it with engine='c' or "
            "engine='hybrid'"
        )
    assert not list(tmp_path.iterdir())
    square = checkpoint.read("(lambda (x) (* x x))")
    with pytest.raises(DurableError, match=r"save this one, z\.save\(path\), and load it with its function"):
        pickle.dumps(checkpoint.interrupt(square, 3.0, 1))
    z = checkpoint.interrupt(square, 3.0, 1)
    z.save(tmp_path / "z")
    assert checkpoint.resume(checkpoint.load(tmp_path / "z", square)) == 9.0
