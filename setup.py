"""What pyproject.toml cannot say: the C engine's module is built where there is a C compiler.

An install succeeds without it (checkpoint/ctarget/build.py); CHECKPOINT_WITHOUT_C=1 leaves it out on purpose.
"""

import os
import sys

from setuptools import setup

WANTED = sys.platform != "win32" and os.environ.get("CHECKPOINT_WITHOUT_C", "0") in {"", "0"}

setup(cffi_modules=["checkpoint/ctarget/build.py:ffibuilder"] if WANTED else [])
