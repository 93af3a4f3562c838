"""Words spoken by espeak-ng, and their features.

In: words, voices, pitches and speeds. Out: logarithmic mel spectrograms of one length, padded with silence,
and labels: letters numbered from 1, padded with 0. Waveforms are kept in a folder of the user's cache.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import wave
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("yes", "no", "stop", "go", "left", "right", "up", "down", "on", "off"),
)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOICES = ("m1", "m2", "m3", "m5", "m7", "f1", "f2", "f5", "f4")
HELD_OUT_VOICES = ("m4", "f3")
PITCHES, HELD_OUT_PITCHES = (30, 50, 70), (40, 60)
SPEEDS, HELD_OUT_SPEEDS = (140, 190), (165,)

RATE, WINDOW, HOP, BANDS = 22050, 512, 256, 26  # samples a second; samples; samples; bands of the mel scale
FRAMES = 80  # of an utterance, 0.93 s


@dataclass(frozen=True)
class Utterance:
    """word: what is said. voice: a variant of espeak-ng's. pitch: 0 to 99. speed: words a minute."""

    word: str
    voice: str
    pitch: int
    speed: int


def utterances(voices: Any, pitches: Any, speeds: Any, words: Any = WORDS) -> list[Utterance]:
    """Return all combinations."""
    return [Utterance(w, v, p, s) for w in words for v in voices for p in pitches for s in speeds]


def folder() -> Path:
    """Return the folder that keeps the waveforms."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "checkpoint" / "speech"


def is_there() -> bool:
    """Return whether espeak-ng is installed."""
    return shutil.which("espeak-ng") is not None


def spoken(said: Utterance) -> np.ndarray:
    """Return the waveform of an utterance, of values from -1 to 1, by espeak-ng or from the cache."""
    path = folder() / f"{said.word}-{said.voice}-{said.pitch}-{said.speed}.wav"
    if not path.exists():
        if not is_there():
            raise FileNotFoundError("this experiment needs espeak-ng: apt-get install espeak-ng")
        options = ["-v", f"en-us+{said.voice}", "-p", str(said.pitch), "-s", str(said.speed), "--stdout"]
        made = subprocess.run(["espeak-ng", *options, said.word], capture_output=True, check=True).stdout
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made)
    data = path.read_bytes()
    with wave.open(io.BytesIO(data)) as file:  # the header that goes to a pipe does not know the length
        if file.getframerate() != RATE or file.getsampwidth() != 2:
            raise ValueError(f"{path} is not of {RATE} samples of 16 bits a second")
    samples: np.ndarray = np.frombuffer(data[44 : len(data) - len(data) % 2], dtype="<i2") / 32768.0
    return samples


def mel_bands() -> np.ndarray:
    """Return the weights of frequencies in triangular bands, shape (WINDOW // 2 + 1, BANDS)."""
    mel = np.linspace(0.0, 2595.0 * np.log10(1.0 + 8000.0 / 700.0), BANDS + 2)
    edges = 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
    frequencies = np.fft.rfftfreq(WINDOW, 1.0 / RATE)[:, None]
    rising = (frequencies - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequencies) / (edges[2:] - edges[1:-1])
    bands: np.ndarray = np.maximum(0.0, np.minimum(rising, falling))
    return bands


def features(wave_form: np.ndarray) -> np.ndarray:
    """Return the logarithmic mel spectrogram, shape (FRAMES, BANDS), about 0 and 1 in size."""
    loud = np.flatnonzero(np.abs(wave_form) > 0.005)
    wave_form = wave_form[loud[0] : loud[-1] + 1] if len(loud) else wave_form
    long = np.concatenate([wave_form[: HOP * FRAMES], np.zeros(HOP * FRAMES + WINDOW)])
    starts = HOP * np.arange(FRAMES)[:, None]
    frames = long[starts + np.arange(WINDOW)] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    logarithms: np.ndarray = np.log(power @ mel_bands() + 1e-3)
    logarithms = (logarithms - np.log(1e-3)) / 6.0 - 1.0
    return logarithms


def labels(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the letters of words, shape (count, longest), and their numbers."""
    lengths = np.array([len(word) for word in words])
    found = np.zeros((len(words), max(map(len, WORDS))), dtype=np.int64)
    for row, word in zip(found, words, strict=True):
        row[: len(word)] = [LETTERS.index(letter) + 1 for letter in word]
    return found, lengths


def data(said: list[Utterance]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, shape (count, FRAMES, BANDS), letters and their numbers."""
    found = np.array([features(spoken(each)) for each in said], dtype=np.float32)
    return found, *labels([each.word for each in said])
