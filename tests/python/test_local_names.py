"""Calls of `locals()` that are refused when they are reached: what they give depends on the run."""

from __future__ import annotations

import pytest

from checkpoint.errors import SourceError
from tests.python.texts import defined, run

REFUSED = {
    "perhaps": "    if x > 1.0:\n        y = x\n    return locals()['x']\n",
    "in one branch": "    if x > 1.0:\n        y = x\n    else:\n        z = x\n    return [locals()]\n",
    "deleted in a loop": (
        "    y = x\n    for i in range(2):\n        if i == 1:\n            del y\n    return str(locals())\n"
    ),
    "kept twice": "    first = locals()\n    y = x\n    return locals()['x']\n",
    "in a loop": "    for i in range(2):\n        a = locals()\n    return x\n",
    "in a comprehension": "    return [locals() for _ in [x]]\n",
    "in a nested function": "    def g():\n        return locals()\n    return g()\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_the_run(name: str, engine: str) -> None:
    f = defined(f"def f(x):\n    if x < 0.0:\n        return x\n{REFUSED[name]}")["f"]
    with pytest.raises(SourceError, match="`locals` cannot be differentiated: read the variables by name"):
        run(f, 2.0, engine=engine)
    assert run(f, -2.0, engine=engine) == -2.0
