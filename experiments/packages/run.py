"""Differentiate functions of packages from PyPI, and scripts as people write them; report how many work.

    python -m experiments.packages.run [--fetch] [--only WORD] [--again] [--engines c,hybrid]

The packages are installed once, at pinned versions, into an environment of their own (.packages/); each is
judged in a process of its own. Out: a line for each function, and experiments/results/packages.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from experiments.common import RESULTS

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".packages" / "venv"
PYTHON = HOME / "bin" / "python"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
MODULES = ("estimation", "geodesy", "engineering", "geometry", "learning", "optics", "assorted")
SCRIPT_FOLDER = "experiments.packages.scripts."
SCRIPTS = ("mechanics", "probability", "systems")
SECONDS = 600  # for one package
KEPT = RESULTS / "packages.json"
WORKS = "works"


def fetch() -> None:
    """Install the packages into an environment of their own."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(HOME)], check=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", str(REQUIREMENTS)], check=True)


def subjects() -> list[tuple[str, str]]:
    """Return the modules of cases with the packages in each."""
    found = []
    for module in MODULES:
        text = (Path(__file__).parent / "cases" / f"{module}.py").read_text(encoding="utf-8")
        packages = re.findall(r'^    Case\(\s*"([\w.]+)"', text, re.MULTILINE)
        found += [(f"cases.{module}", package) for package in dict.fromkeys(packages)]
    return found + [(f"scripts.{script}", SCRIPT_FOLDER + script) for script in SCRIPTS]


def judged(module: str, package: str, engines: str) -> list[dict[str, Any]]:
    """Return the verdicts on the functions of a package; the one at which the process ended fails."""
    command = [str(PYTHON), "-P", "-m", "experiments.packages.judge", module, package, *engines.split(",")]
    paths = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        output, errors, status = ended.stdout, ended.stderr, ended.returncode
    except subprocess.TimeoutExpired as late:
        output, errors, status = (late.stdout or b"").decode(), f"took more than {SECONDS} s", 1
    verdicts: dict[str, dict[str, Any]] = {}
    for line in output.splitlines():
        if line.startswith("@ "):
            verdict = json.loads(line[2:])
            verdicts[verdict["name"]] = verdict
    for verdict in verdicts.values():
        if verdict["outcome"] == "starts":
            last = (errors.strip().splitlines() or [""])[-1]
            verdict.update(outcome="fails", reason=f"the process ended (status {status}): {last}")
    if status and not verdicts:
        raise RuntimeError(f"{package}: {errors}")
    return list(verdicts.values())


def shown(verdict: dict[str, Any]) -> str:
    """Return a line about a function."""
    reason = " ".join(f"{verdict['reason']} {verdict['place']}".split())
    return f"{verdict['outcome']:8}{verdict['package']}.{verdict['name']}  {verdict['seconds']} s  {reason}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fetch", action="store_true", help="install the packages first")
    parser.add_argument(
        "--only", default="", help="packages, or modules of cases, whose names contain this word"
    )
    parser.add_argument(
        "--engines", default="c", help="names with commas between; the first run's is compared"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="only packages with calls that did not work in the last whole run",
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    options = parser.parse_args()
    if options.fetch:
        fetch()
    chosen = [subject for subject in subjects() if options.only in ".".join(subject)]
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if options.again else []
    worked = {each["package"] for each in kept} - {
        each["package"] for each in kept if each["outcome"] != WORKS
    }
    chosen = [subject for subject in chosen if subject[1] not in worked]
    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = [each for each in kept if each["package"] in worked]
        for found in pool.map(lambda subject: judged(subject[0], subject[1], options.engines), chosen):
            verdicts += found
            for verdict in found:
                print(shown(verdict), flush=True)
    works = sum(verdict["outcome"] == WORKS for verdict in verdicts)
    print(f"\n{works} of {len(verdicts)} work")
    if not options.only:
        RESULTS.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(verdicts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
