"""The speech experiment: features, decoding, a training on tones, and gradients beside PyTorch's."""

from __future__ import annotations

import shutil
import wave
from pathlib import Path

import numpy as np
import pytest

import checkpoint
from experiments.speech import net, peer, run, spoken

TONES = {"on": (300.0, 1200.0), "up": (2000.0, 500.0)}  # a tone for each letter, in Hz


def tone(word: str, seed: int) -> np.ndarray:
    """Return a waveform that stands for a word: a tone for each letter, and noise."""
    rng = np.random.default_rng(seed)
    times = np.arange(8000) / spoken.RATE
    parts = [np.sin(2.0 * np.pi * hertz * rng.uniform(0.95, 1.05) * times) for hertz in TONES[word]]
    return 0.5 * np.concatenate(parts) + 0.01 * rng.normal(size=16000)


def tones(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Return features, letters, their numbers, and the words, in turn."""
    words = [list(TONES)[i % len(TONES)] for i in range(count)]
    found = np.array([spoken.features(tone(word, i)) for i, word in enumerate(words)], dtype=np.float32)
    return found, *spoken.labels(words), words


def test_a_tone_is_in_its_band() -> None:
    features = spoken.features(tone("up", 0))
    assert features.shape == (spoken.FRAMES, spoken.BANDS)
    edges = np.argmax(spoken.mel_bands(), axis=0) * spoken.RATE / spoken.WINDOW
    early, late = (edges[np.argmax(features[i])] for i in (5, 50))
    assert 1700.0 < early < 2300.0
    assert 350.0 < late < 650.0


def test_the_most_probable_letters_are_decoded() -> None:
    path = [0, 15, 15, 0, 15, 14, 0]  # blank, o, o, blank, o, n, blank
    scores = np.zeros((len(path), 1, net.CLASSES))
    scores[np.arange(len(path)), 0, path] = 1.0
    assert net.decoded(scores) == ["oon"]


def test_distances() -> None:
    assert net.distance("kitten", "sitting") == 3
    assert net.distance("", "two") == net.distance("two", "") == 3
    assert net.distance("nine", "nine") == 0


def test_it_learns_two_words_of_tones() -> None:
    features, letters, counts, words = tones(64)
    held_out = tones(8)
    _, rows = run.training(
        (features[8:], letters[8:], counts[8:]), held_out[0], held_out[3], 3, 8 * run.MIB, net.weights(size=6)
    )
    assert len(rows) == 3
    assert rows[-1]["loss"] < 0.8 * rows[0]["loss"]
    assert words[:8] == held_out[3]


def test_held_out_utterances_share_no_voice_pitch_or_speed() -> None:
    trained, tested = run.heard()
    for name in ("voice", "pitch", "speed"):
        assert not {getattr(each, name) for each in trained} & {getattr(each, name) for each in tested}
    assert {each.word for each in trained} == {each.word for each in tested}


def test_waveforms_come_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    said = spoken.Utterance("on", "m1", 50, 140)
    with pytest.raises(FileNotFoundError, match=r"needs espeak-ng: apt-get install espeak-ng"):
        spoken.spoken(said)
    spoken.folder().mkdir(parents=True)
    with wave.open(str(spoken.folder() / "on-m1-50-140.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(spoken.RATE)
        file.writeframes(np.array([0, 16384, -32768], dtype="<i2").tobytes())
    assert spoken.spoken(said).tolist() == [0.0, 0.5, -1.0]


@pytest.mark.parametrize("layers", [1, 2])
def test_gradients_are_pytorchs(layers: int) -> None:
    pytest.importorskip("torch")
    features, letters, counts, _ = tones(4)
    model = net.weights(layers, size=5, dtype=np.float64)
    value, gradient = checkpoint.value_and_grad(net.loss)(model, features.astype(np.float64), letters, counts)
    expected, parts = peer.gradients(model, features.astype(np.float64), letters, counts)
    assert abs(value - expected) < 1e-10 * expected
    for found, wanted in zip(peer.leaves(gradient), parts, strict=True):
        assert np.max(np.abs(found - wanted)) < 1e-5 * np.max(np.abs(wanted))
