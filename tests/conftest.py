"""What holds for all tests: every pass is checked, in this process and in those that tests start."""

from __future__ import annotations

import os

os.environ.setdefault("CHECKPOINT_CHECK", "1")
