"""Tapes in C++, CppAD and ADOL-C: compiled with -O3 -march=native, and called in a folder for their files."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

from experiments import common
from experiments.peers.subjects import ARGUMENTS, Cannot, Peer, Run

HERE = common.HERE / "peers"
FOLDER = common.HERE.parent / "build" / "peers"
FLAGS = ("-std=c++17", "-O3", "-march=native", "-fPIC", "-shared")


def _compiled(name: str, libraries: tuple[str, ...] = ()) -> ctypes.CDLL:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise Cannot("there is no C++ compiler")
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = FOLDER / f"{name}.so"
    command = [compiler, *FLAGS, *_headers(), str(HERE / f"{name}.cpp"), "-o", str(target), *libraries]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(target))


def _headers() -> list[str]:
    """Return the option for the headers that the package cmeel-cppad brings."""
    found = importlib.util.find_spec("cmeel")
    if found is None or found.origin is None:
        return []
    return [f"-I{Path(found.origin).parents[1] / 'cmeel.prefix' / 'include'}"]


def _taped(name: str, libraries: tuple[str, ...] = ()) -> Peer:
    def peer(program: str, n: int) -> Run:
        taped = _compiled(name, libraries).taped
        taped.restype = ctypes.c_double
        numbers = ARGUMENTS[program]
        argument, gradient = [(ctypes.c_double * len(numbers))(*start) for start in (numbers, ())]

        def run() -> tuple[float, list[float]]:
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                value = taped(ctypes.c_int64(n), argument, ctypes.c_int64(len(numbers)), gradient)
            return value, list(gradient)

        return run

    return peer


PEERS = {"CppAD": _taped("cppad"), "ADOL-C": _taped("adolc", ("-ladolc",))}
