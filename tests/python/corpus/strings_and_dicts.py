"""Texts and tables: counting, formatting, coding, grouping, small records in dicts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from tests.python.corpus import Example

Json: TypeAlias = "float | int | str | bool | list[Json] | dict[str, Json] | None"

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
         (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip
TO_METRES = {"m": 1.0, "km": 1000.0, "cm": 0.01, "ft": 0.3048}
GENES = {"gat": "D", "tta": "L", "cag": "Q", "tag": "-"}


class Row(NamedTuple):
    """A line of a bill."""

    item: str
    price: float
    number: int = 1


def word_counts(text: str) -> dict[str, int]:
    """How often each word occurs."""
    counts: dict[str, int] = {}
    for word in text.lower().replace(",", " ").split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def weighted_text(text: str, weights: dict[str, float], other: float) -> float:
    """The logarithm of the weights of words."""
    return sum(math.log(weights.get(w, other)) * n for w, n in word_counts(text).items())


def entropy(text: str, smoothing: float) -> float:
    """The entropy of the letters of a text, smoothed."""
    letters = [c for c in text.lower() if c in ALPHABET]
    size = len(letters) + smoothing * len(ALPHABET)
    shares = [(letters.count(c) + smoothing) / size for c in ALPHABET]
    return -sum(p * math.log2(p) for p in shares)


def caesar(text: str, shift: int) -> str:
    """A text with its letters moved along the alphabet."""
    moved = []
    for c in text:
        at = ALPHABET.find(c.lower())
        if at < 0:
            moved.append(c)
            continue
        letter = ALPHABET[(at + shift) % 26]
        moved.append(letter.upper() if c.isupper() else letter)
    return "".join(moved)


def crack(text: str, frequencies: dict[str, float]) -> tuple[str, float]:
    """The shift that makes a text most likely."""

    def score(candidate: str) -> float:
        return sum(frequencies.get(c, 0.0) ** 2 for c in candidate)

    best = max([caesar(text, shift) for shift in range(26)], key=score)
    return best, score(best)


def roman(n: int) -> str:
    """A number in Roman numerals."""
    text = ""
    for value, letters in ROMAN:
        times, n = divmod(n, value)
        text += letters * times
    return text


def run_lengths(text: str) -> list[tuple[str, int]]:
    """Equal letters in a row, counted."""
    runs: list[tuple[str, int]] = []
    for c in text:
        if runs and runs[-1][0] == c:
            letter, count = runs.pop()
            runs.append((letter, count + 1))
        else:
            runs.append((c, 1))
    return runs


def run_energy(text: str, bonus: float) -> float:
    """Long runs count more than their letters."""
    energies: list[float] = [count**bonus for _, count in run_lengths(text)]
    return sum(energies)


def is_palindrome(text: str) -> bool:
    """Whether the letters read the same from both ends."""
    letters = [c for c in text.lower() if c.isalpha()]
    return letters == letters[::-1]


def bill(rows: Sequence[Row], tax: float) -> tuple[float, str]:
    """A bill as a sum and as a table."""
    lines = [f"{'item':<8}|{'price':>8}"]
    total = 0.0
    for row in rows:
        cost = row.price * row.number
        total += cost
        lines.append(f"{row.item.capitalize():<8}|{cost:8.2f}")
    total *= 1 + tax
    lines += ["-" * 17, f"{'total':<8}|{total:>8.2f}", f"tax {tax:.1%}"]
    print("\n".join(lines))
    return total, lines[-2]


def csv_totals(text: str, rate: float) -> dict[str, float]:
    """The columns of a text of numbers, added and scaled."""
    head, *lines = text.strip().split("\n")
    names = head.split(",")
    totals = {name: 0.0 for name in names if name}
    for number, line in enumerate(lines, start=2):
        fields = line.split(",")
        if len(fields) != len(names):
            raise ValueError(f"line {number} has {len(fields)} fields")
        for name, word in zip(names, fields, strict=True):
            totals[name] += float(word) * rate
    return totals


def to_metres(length: str, scale: float) -> float:
    """A length such as '3.5 km'."""
    number, unit = length.split()
    return float(number) * TO_METRES[unit] * scale


def walk_plan(legs: Sequence[str], scale: float) -> float:
    """The length of some legs."""
    return math.sqrt(sum(to_metres(leg, scale) for leg in legs))


def group_means(records: Sequence[tuple[str, float]]) -> dict[str, float]:
    """The mean of each group."""
    groups: dict[str, list[float]] = {}
    for name, value in records:
        if name not in groups:
            groups[name] = []
        groups[name].append(value)
    return {name: sum(values) / len(values) for name, values in groups.items()}


def invert(table: dict[str, list[str]]) -> dict[str, list[str]]:
    """Who has a thing, by thing."""
    owners: dict[str, list[str]] = {}
    for name, things in table.items():
        for thing in things:
            owners.setdefault(thing, []).append(name)
    return {thing: sorted(owners[thing]) for thing in sorted(owners.keys())}


def to_json(value: Json, indent: int = 0) -> str:
    """A nested value as text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join([to_json(item) for item in value]) + "]"
    if isinstance(value, dict):
        pad = " " * (indent + 2)
        lines = [f'{pad}"{key}": {to_json(item, indent + 2)}' for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    return str(value)


def sum_numbers(value: Json, factor: float) -> float:
    """The numbers anywhere in a nested value, deeper ones scaled."""
    if isinstance(value, dict):
        return factor * sum(sum_numbers(item, factor) for item in value.values())
    if isinstance(value, list):
        return factor * sum([sum_numbers(item, factor) for item in value])
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return 0.0


def sparse_dot(a: dict[tuple[int, int], float], b: dict[tuple[int, int], float]) -> float:
    """The product of two sparse tables."""
    return sum(value * b[key] for key, value in a.items() if key in b)


def sparse_product(a: dict[tuple[int, int], float], x: dict[int, float]) -> dict[int, float]:
    """A sparse matrix times a sparse vector."""
    result: dict[int, float] = {}
    for (i, j), value in a.items():
        if j in x:
            result.setdefault(i, 0.0)
            result[i] += value * x[j]
    return result


def histogram(values: Sequence[float], width: float) -> dict[int, float]:
    """The sums of values by bins."""
    bins: dict[int, float] = {}
    for value in values:
        index = int(value // width)
        bins[index] = bins.get(index, 0.0) + value
    return dict(sorted(bins.items()))


def bars(values: Sequence[float]) -> str:
    """A bar of signs for each value."""
    top = max(values)
    return "\n".join([f"{v:6.2f} {'#' * round(10 * v / top)}" for v in values])


def translate(genes: str) -> str:
    """Letters for triples, to the first stop."""
    protein = ""
    for i in range(0, len(genes) - 2, 3):
        if (letter := GENES.get(genes[i : i + 3], "?")) == "-":
            break
        protein += letter
    return protein


def settings(base: dict[str, float], **changes: float) -> dict[str, float]:
    """Settings with changes, checked and completed."""
    merged = dict(base)
    merged.update(changes)
    merged.setdefault("gain", 2.0)
    merged["product"] = merged["gain"] * merged["rate"]
    return merged


def configured(rate: float, offset: float) -> list[float]:
    """Settings given by keywords."""
    table = settings({"rate": rate}, offset=offset)
    return [value for _, value in sorted(table.items())]


def dispatch(commands: Sequence[tuple[str, float]], x: float) -> float:
    """Commands looked up in a local table of functions."""
    table: dict[str, Callable[[float, float], float]] = {
        "add": lambda a, b: a + b,
        "scale": lambda a, b: a * b,
        "power": lambda a, b: abs(a) ** b,
    }
    for name, argument in commands:
        x = table[name](x, argument)
    return x


DATA: Json = {"a": 1.5, "b": [2.0, {"c": -0.5, "on": True}], "n": None, "s": "x", "k": 3}


def parsed(x: float) -> tuple[float, int]:
    """A dictionary that json gives, and those of dict.fromkeys."""
    found = json.loads('{"a": [1.5, 2, {"b": null}], "c": 0.5}')
    found["c"] *= x
    totals = dict.fromkeys(["a", "b"], x)
    totals["a"] += found["a"][0]
    return totals["a"] * totals["b"] + found["c"], len(dict.fromkeys("abca"))


HEIGHTS = {"ann": 1.7, "bob": 1.8}
KEPT = (HEIGHTS.keys(), HEIGHTS.values(), HEIGHTS.items())


def compared_views(x: float, d: dict[str, float]) -> tuple[object, ...]:
    """Keys and items beside sets, beside each other, as texts and from outside."""
    other = {"a": x, "z": 1.0}
    print(d.keys(), d.values(), f"{d.items()} {len(d.keys())}", str(other.keys()))
    both, either = d.keys() & other.keys(), d.keys() | {"q"}
    return (
        *(sorted(both), sorted(either), sorted(d.keys() - other), sorted(other.keys() ^ ["a"])),
        *(d.keys() == other.keys(), d.keys() == {"a", "b"}, d.keys() != ["a"], {"a"} <= d.keys()),
        *(d.items() == dict(d).items(), d.items() != other.items(), d.keys() >= other.keys(), d.keys() == ()),
        *(x * sum(KEPT[1]), sorted(KEPT[0]), [k for k, v in KEPT[2] if v > 1.75]),
    )


EXAMPLES = [
    Example(compared_views, (1.5, {"a": 2.0, "b": 0.5})),
    Example(parsed, (1.5,)),
    Example(word_counts, ("The cat, the dog and the bird",), differentiable=False),
    Example(weighted_text, ("to be or not to be", {"to": 0.3, "be": 0.25}, 0.05)),
    Example(entropy, ("Hello, checkpoint", 0.1)),
    Example(crack, ("Khoor Zruog", {"e": 0.127, "l": 0.04, "o": 0.075, "h": 0.061, "r": 0.06})),
    Example(roman, (1994,), differentiable=False),
    Example(run_energy, ("aaabccdddd", 1.5)),
    Example(is_palindrome, ("A man, a plan, a canal: Panama",), differentiable=False),
    Example(bill, ((Row("tea", 3.5, 2), Row("cake", 4.25)), 0.19)),
    Example(csv_totals, ("a,b\n1.5,2\n3,4.25\n", 1.1)),
    Example(csv_totals, ("a,b\n1.5,2\n3\n", 1.1), raises=ValueError),
    Example(walk_plan, (["3.5 km", "120 m", "40 ft"], 1.2)),
    Example(walk_plan, (["3.5 mi"], 1.2), raises=KeyError),
    Example(group_means, ([("x", 1.0), ("y", 4.0), ("x", 2.5), ("y", 0.5), ("z", 3.0)],)),
    Example(invert, ({"ann": ["pen", "cup"], "bob": ["cup"], "cat": ["pen"]},), differentiable=False),
    Example(to_json, (DATA,), differentiable=False),
    Example(sum_numbers, (DATA, 0.8)),
    Example(sparse_dot, ({(0, 1): 2.0, (2, 2): 1.5}, {(2, 2): -3.0, (0, 1): 0.5, (1, 1): 7.0})),
    Example(sparse_product, ({(0, 1): 2.0, (2, 2): 1.5, (0, 2): 1.0}, {1: 3.0, 2: -1.0})),
    Example(histogram, ([0.3, 1.7, 2.2, 1.1, 0.9], 1.0)),
    Example(bars, ([1.0, 2.5, 4.0],), differentiable=False),
    Example(translate, ("gatttacagtagcag",), differentiable=False),
    Example(configured, (1.5, 0.2)),
    Example(dispatch, ([("add", 1.5), ("scale", 2.0), ("power", 1.3)], 0.4)),
]
