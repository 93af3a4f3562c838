"""The deepest ResNet and GPT under one cap, by this package and by PyTorch, beside published depths.

    python -m experiments.published.run                       # a cap of 64 MiB, depths to 256: two minutes
    python -m experiments.published.run --full                # 4 GiB: some hours
    python -m experiments.published.run --cap 12288 --limit 300000

A depth counts if a whole gradient is computed, with weights of its own for each block, within a cap that
the system sets on all that the process takes beyond its imports, the weights among that. Weights are changed
within the gradient (`each=`, PyTorch's hooks), so that no method holds a whole gradient.

Out: a table and experiments/results/published-c.json.
"""

from __future__ import annotations

from typing import Any

from experiments import common, deep

NETS = {"ResNet": "experiments.resnet.net", "GPT": "experiments.gpt.net"}
METHODS = (deep.TORCH, deep.TORCH_EACH, deep.TORCH_ROOT, deep.PLAIN, deep.INDIVIDUAL, deep.RIGHT, deep.BUDGET)
SMALL = (deep.TORCH, deep.INDIVIDUAL, deep.BUDGET)
# Depths of ResNet and GPT, and the resolution of a ray tracer, within 12 GB of a GPU, as published.
PUBLISHED = {
    "individual": (608, 4, "280x210"),
    "right-branching": (760, 48, "320x240"),
    "DeepSpeed": (760, 48, ""),
    "L2L": (38_000, 3_000, ""),
    "the original": (250_000, 14_000, "1280x960"),
}


def deepest(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the deepest network of which a gradient was computed, and what ended the search."""
    good = [row for row in rows if "error" not in row]
    failed = [row["error"] for row in rows if "error" in row]
    best = max(good, key=lambda row: row["depth"], default={"depth": 0, "ms": 0.0})
    return {"depth": best["depth"], "ms": best["ms"], "ended": failed[0] if failed else "time"}


def main() -> None:
    options = common.parser("the deepest networks under one cap")
    options.add_argument("--full", action="store_true", help="a cap of 4 GiB")
    options.add_argument("--cap", type=common.natural, help="MiB that a process may take beyond its imports")
    options.add_argument("--limit", type=common.natural, help="the greatest depth that is tried")
    options.add_argument("--seconds", type=common.positive, help="CPU seconds of the longest gradient")
    options.add_argument("--only", default="", help="methods whose names contain this word")
    options.add_argument("--net", choices=list(NETS), help="one of the networks alone")
    chosen = options.parse_args()
    if not any(chosen.only in name for name in METHODS):
        options.error(f"no method's name contains {chosen.only!r}; there are: {'; '.join(METHODS)}")
    deep.one_thread()  # fails here, not in every search, if PyTorch is missing
    cap = (chosen.cap or (4_096 if chosen.full else 64)) * deep.MIB
    limit = chosen.limit or (300_000 if chosen.full else 256)
    seconds = chosen.seconds or (1_000.0 if chosen.full else 8.0)
    found: dict[str, dict[str, Any]] = {}
    is_small = not (chosen.full or chosen.cap or chosen.only)
    for name in SMALL if is_small else METHODS:
        for net, module in NETS.items():
            if chosen.only in name and chosen.net in (None, net):
                rows = deep.largest(module, name, cap, limit, seconds)
                found.setdefault(name, {})[net] = {**deepest(rows), "rows": rows}
                if chosen.full:
                    _keep(cap, found)
    lines = [_line(name, nets) for name, nets in found.items()]
    header = ("method", *[f"{net}, {what}" for net in NETS for what in ("blocks", "ms per block")])
    print("\n" + common.table(header, lines))
    published = [[name, *map(str, depths)] for name, depths in PUBLISHED.items()]
    print("\n" + common.table(("published, 12 GB", "ResNet", "GPT", "ray tracer"), published))


def _keep(cap: int, found: dict[str, dict[str, Any]]) -> None:
    """Write what was found, beside what other runs with this cap found of other methods and networks."""
    before = common.saved("published", "c")
    kept: dict[str, dict[str, Any]] = before["found"] if before.get("cap") == cap else {}
    for name, nets in found.items():
        kept[name] = kept.get(name, {}) | nets
    common.save("published", "c", cap=cap, found=kept, published=PUBLISHED)


def _line(name: str, nets: dict[str, Any]) -> list[str]:
    line = [name]
    for net in NETS:
        best = nets.get(net)
        line += ["", ""] if best is None else [f"{best['depth']:,}", f"{best['ms']:.2f}"]
    return line


if __name__ == "__main__":
    main()
