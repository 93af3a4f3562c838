"""Where PyTorch is not installed, these tests are skipped."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
