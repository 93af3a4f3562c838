"""Settings of all tests, in this process and in those that tests start: every pass is checked; nothing is
translated to C but where a test asks for it, and what is compiled then is kept for the next run of the tests.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

import platformdirs
import pytest
from hypothesis import HealthCheck, settings

from tests.support.order import bring_together
from tests.support.sampling import THOROUGH, mark_engines_in_turn
from tests.support.tiers import mark_wide

os.environ.setdefault("CHECKPOINT_CHECK", "1")
os.environ.setdefault("CHECKPOINT_JIT", "off")
os.environ.setdefault("CHECKPOINT_CACHE", platformdirs.user_cache_dir("checkpoint-tests", appauthor=False))

# Random examples are the same in each run: a change passes or fails by what it changes. None fails for
# its time: machines are shared, and what runs first may compile for seconds.
settings.register_profile(
    "checkpoint",
    derandomize=not THOROUGH,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("checkpoint")

# Hundreds of tests start Python. Where no bytecode is to lie beside the sources, it is kept elsewhere, since
# each process would compile all modules again.
if sys.dont_write_bytecode and sys.pycache_prefix is None:
    sys.pycache_prefix = platformdirs.user_cache_dir("checkpoint-tests-bytecode", appauthor=False)
    sys.dont_write_bytecode = False
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A job in the background may have been started with interruptions ignored, and what it starts inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests make many programs, which live on in caches: the collector would walk them for a tenth of the time.
gc.set_threshold(20_000, 50, 100)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_wide(items)
    mark_engines_in_turn(items)
    bring_together(items)


def pytest_collection_finish() -> None:
    """Hide the tests from the garbage collector: many of them collect, and each would walk them all."""
    gc.collect()
    gc.freeze()


_begun = [""]  # the file whose tests run


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Fail a test that leaves the garbage collector disabled, and not the next one that looks."""
    if not gc.isenabled():
        gc.enable()
        pytest.fail("the garbage collector is disabled")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Hide what the tests of a file have left, modules and caches, likewise, before those of the next."""
    file = nodeid.partition("::")[0]
    if file != _begun[0]:
        _begun[0] = file
        gc.collect()
        gc.freeze()
