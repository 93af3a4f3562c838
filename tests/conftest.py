"""Settings of all tests, in this process and in those that tests start: every pass is checked; nothing is
translated to C but where a test asks for it, and what is compiled then is kept for the next run of the tests.
"""

from __future__ import annotations

import os
import signal

import platformdirs

os.environ.setdefault("CHECKPOINT_CHECK", "1")
os.environ.setdefault("CHECKPOINT_JIT", "off")
os.environ.setdefault("CHECKPOINT_CACHE", platformdirs.user_cache_dir("checkpoint-tests", appauthor=False))

# A job in the background may have been started with interruptions ignored, and what it starts inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
