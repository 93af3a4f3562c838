"""Where PyTorch is not installed, these tests are skipped: `make test-torch` installs it."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
