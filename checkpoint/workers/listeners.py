"""Sockets on which processes listen: what a local cluster must not have beyond this machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

from checkpoint.errors import RunError

Listener = tuple[int, str]  # a process, and an address with a port


def refuse_new(before: set[Listener], name: str, end: Callable[[], None], advice: str = "") -> None:
    """Raise RunError if this process or its children listen where they did not before.

    before: what `reachable` has returned. name: of what was begun since. end: ends that.
    advice: how it does not.
    """
    found = reachable() - before
    if found:
        end()
        places = ", ".join(sorted({place for _, place in found}))
        raise RunError(
            f"{name} listens where other machines can reach it: {places}. Whoever reaches it can run code "
            f"here, so it was ended; to use it all the same, start it yourself and pass its address{advice}"
        )


def reachable() -> set[Listener]:
    """Return on what this process and its children listen that other machines may reach."""
    system = import_module("psutil")
    own = system.Process()
    found: set[Listener] = set()
    for process in (own, *own.children(recursive=True)):
        with suppress(system.NoSuchProcess, system.AccessDenied):
            found |= {(process.pid, place) for place in _listening(process) if not _is_loopback(place)}
    return found


def _listening(process: Any) -> Iterator[str]:
    # psutil 6 has given it another name.
    connections = getattr(process, "net_connections", None) or process.connections
    for each in connections("inet"):
        if each.status == "LISTEN":
            yield f"{each.laddr.ip}:{each.laddr.port}"


def _is_loopback(place: str) -> bool:
    address = ipaddress.ip_address(place.rpartition(":")[0].partition("%")[0])
    inner = getattr(address, "ipv4_mapped", None)
    return (inner or address).is_loopback
