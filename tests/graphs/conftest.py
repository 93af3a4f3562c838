"""Where the package onnx is not installed, these tests are skipped: `pip install checkpoint-ad[onnx]`."""

from __future__ import annotations

import pytest

pytest.importorskip("onnx")
