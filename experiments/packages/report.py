"""Write docs/real-code.md from the verdicts of the last run: `python -m experiments.packages.report`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from experiments.common import RESULTS
from experiments.packages.run import SCRIPT_FOLDER

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "real-code.md"
SCRIPTS = SCRIPT_FOLDER
LONGEST = 230  # characters of a reason

HEAD = """# Real code

How much of the Python that is there can be differentiated as it is? Here are {functions} calls of {packages}
packages from PyPI, pure Python or Python over NumPy and SciPy, as their users write them
([cases](../experiments/packages/cases)), and {scripts} [scripts](../experiments/packages/scripts) in the
style of every day: classes, generators, dataclasses, recursion, lists of dicts, arrays changed in place.
Nothing in them was written for `checkpoint`; the packages are opened by `checkpoint.translate`. A function
that writes into its arguments is called with `has_state=True`, as the error without it says.

A call *works* if its value is Python's to the last bit and its gradient agrees with finite differences. It is
*refused* if an error says what is not supported, with its place; anything else is a *failure*, and a bug,
or takes more than a minute of a processor. Since the last whole run only packages with such calls were judged
again.

| | works | refused | fails | of |
| --- | --- | --- | --- | --- |
{summary}

These commands reproduce it; the packages are installed, at
[these versions](../experiments/packages/requirements.txt), into an environment of their own:

```sh
python -m experiments.packages.run --fetch
python -m experiments.packages.report
```

## Packages

| package | version | works | of |
| --- | --- | --- | --- |
{table}

## What does not work, and why

The first reason of each:

{reasons}
"""


def page(verdicts: list[dict[str, Any]], versions: dict[str, str]) -> str:
    """Return the page that reports verdicts; versions: as `versions` returns them."""
    scripts = [each for each in verdicts if each["package"].startswith(SCRIPTS)]
    functions = [each for each in verdicts if each not in scripts]
    packages = sorted({each["package"] for each in functions}, key=str.lower)
    rows = [
        (package, version_of(package, versions), [each for each in functions if each["package"] == package])
        for package in packages
    ]
    return HEAD.format(
        functions=len(functions),
        packages=len(packages),
        scripts=len(scripts),
        summary="\n".join([_summary("functions of packages", functions), _summary("scripts", scripts)]),
        table="\n".join(
            f"| {name} | {version} | {_count(found, 'works')} | {len(found)} |"
            for name, version, found in rows
        ),
        reasons="\n".join(map(_reason, [each for each in verdicts if each["outcome"] != "works"])),
    )


def _count(verdicts: list[dict[str, Any]], outcome: str) -> int:
    return sum(each["outcome"] == outcome for each in verdicts)


def _row(name: str, version: str, verdicts: list[dict[str, Any]]) -> str:
    return f"| {name} | {version} | {_count(verdicts, 'works')} | {len(verdicts)} |"


def _summary(name: str, verdicts: list[dict[str, Any]]) -> str:
    counts = [str(_count(verdicts, outcome)) for outcome in ("works", "refused", "fails")]
    return f"| {name} | {' | '.join(counts)} | {len(verdicts)} |"


def _reason(verdict: dict[str, Any]) -> str:
    """Return a line that says why a call does not work."""
    name = f"{verdict['package'].removeprefix(SCRIPTS)}: {verdict['name']}"
    reason = re.split(r" cannot be differentiated", " ".join(verdict["reason"].split()))[0].replace(
        "|", r"\|"
    )
    reason = reason.replace("<", "&lt;") if len(reason) < LONGEST else reason[:LONGEST] + " ..."
    place = f" ({verdict['place'].split(' (')[0]})" if verdict["place"] else ""
    fails = "**fails**, " if verdict["outcome"] == "fails" else ""
    return f"- {name}: {fails}{reason}{place}"


def versions() -> dict[str, str]:
    """Return the pinned versions by the names of packages."""
    lines = Path(__file__).with_name("requirements.txt").read_text(encoding="utf-8").split()
    return {_key(name): version for name, version in (line.split("==") for line in lines)}


def version_of(package: str, versions: dict[str, str]) -> str:
    """Return the version of the package that has a module."""
    return versions.get(_key(package), "")


# Modules that are named otherwise than the package that has them.
MODULES = {
    "colour": "colourscience",
    "empyrical": "empyricalreloaded",
    "pynite": "pynitefea",
    "skfuzzy": "scikitfuzzy",
    "skinematics": "scikitkinematics",
    "skspatial": "scikitspatial",
    "spatialmath": "spatialmathpython",
}


def _key(name: str) -> str:
    name = re.sub(r"[-_.]", "", name).lower()
    return MODULES.get(name, name)


def main() -> None:
    verdicts = json.loads((RESULTS / "packages.json").read_text(encoding="utf-8"))
    PAGE.write_text(page(verdicts, versions()), encoding="utf-8")
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
