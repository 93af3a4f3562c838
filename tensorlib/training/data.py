"""Data for small experiments: the digits of scikit-learn, characters of texts. Not part of programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def digits(dtype: Any = float) -> tuple[Any, Any]:
    """Return scikit-learn's 1,797 digits: pictures (n, 1, 8, 8), elements 0 to 1; labels (n,), 0 to 9."""
    try:
        from sklearn.datasets import load_digits  # noqa: PLC0415  # an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "digits needs scikit-learn: pip install 'checkpoint-ad[data]'", name="sklearn"
        ) from None
    found = load_digits()
    return (found.images[:, None] / 16.0).astype(dtype), found.target.astype(np.int64)


def characters(text: str | Path, alphabet: str | None = None) -> tuple[Any, str]:
    """Return the codes of a text's characters, an array of integers, and the alphabet: code i is alphabet[i].

    text: a text, or the Path of a file of one in UTF-8. alphabet: without one, the characters that
    there are, in order.
    """
    if isinstance(text, Path):
        text = text.read_text(encoding="utf-8")
    if alphabet is None:
        alphabet = "".join(sorted(set(text)))
    codes = {character: i for i, character in enumerate(alphabet)}
    missing = sorted(set(text) - codes.keys())
    if missing:
        raise ValueError(f"characters: {missing[0]!r} is not in the alphabet")
    return np.array([codes[character] for character in text], np.int64), alphabet
