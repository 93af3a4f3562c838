"""Clusters of Ray and Dask on this machine, begun once for all tests that need them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from checkpoint.workers import Dask, Ray

if "PYTEST_XDIST_WORKER" in os.environ:  # each process would begin clusters of its own
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def ray() -> Iterator[Callable[..., Ray]]:
    """A maker of workers of one session of Ray."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, as it begins
        session = Ray(size=2)
    with session:
        yield Ray


@pytest.fixture(scope="session")
def dask() -> Iterator[Callable[..., Dask]]:
    """A maker of workers of one cluster of Dask."""
    pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = Dask(size=2)

    def made(**options: Any) -> Dask:
        cluster.client.wait_for_workers(2)  # those that have died are begun again
        return Dask(cluster.client, **options)

    with cluster:
        yield made


@pytest.fixture(params=["ray", "dask"])
def made(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """A maker of workers."""
    found: Callable[..., Any] = request.getfixturevalue(request.param)
    return found
