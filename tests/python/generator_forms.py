"""The forms of random expressions and statements, with letters for their parts; the simplest come first.

Two or more spaces separate two forms.
"""

from __future__ import annotations

import re


def forms(text: str) -> tuple[str, ...]:
    """Return the forms of a text."""
    return tuple(re.split(r"\s{2,}|\n", text.strip()))


BROKEN = forms(
    r"""
    (1.0 + "a")  [1.0][5]  (1.0 / 0)  math.sqrt(-1.0)  {}["k"]  int("z")  (None + 1)  (1.0, 2.0)[3]
    "abc"[9]  (2.5).missing  len(3.0)  (3.0)[0]  max([])  [].pop()  (1 // 0)  float("zz")
    math.log(0.0)  missing_name  (-None)  ("a" < 1.0)  [1.0, 2.0].index(9.0)  math.exp(1e9)
    (0.0 ** -1)  (7 % 0)  (1.0 % 0.0)  int(math.inf)  round(math.nan)  {"k": 1.0}[()]  P(1.0)
    P(1.0, z=2.0)  TABLE[99]  CONFIG["z"]  "%d" % 3.5  sum([1.0, None])  min(1.0, None)
    sorted([1.0, None])  [1.0] + (2.0,)  "a" * 2.0  range(2.0)  range(1, 5, 0)  abs(None)  [1.0]['a']
    (1.0).x.y  Q(1.0)  Q(1.0, 2.0).c  math.fmod(1.0, 0.0)  pow(0.0, -1.0)  10.0 ** 400
    [1.0].index(2.0, 1)  divmod(1.0, 0.0)  K()  None[0]  None.x  not_there(1.0)  math.sin('a')
    float(None)  len(None)
    """
)

REAL_OPERATION_FORMS = forms(
    r"""
    ({a} + {b})  ({a} - {b})  ({a} * {b})  ({a} * {b})  (-{a})  ({a} / (abs({b}) + 1.0))  ({a} / {b})
    ({a} ** 2)  (abs({a}) ** 0.5)  ({a} // {b})  ({a} % {b})  (abs({a}) ** {b})  (+{a})  abs({a})
    ({a} ** -1)  ({a} ** 3.0)
    """
)

REAL_REDUCTION_FORMS = forms(
    r"""
    sum({0})  max({1}, {2})  min({1}, {2})  max({0})  min({0}, default={1})  math.fsum({0})
    math.prod({0})  sum({3})  max({3})  functools.reduce(lambda s, t: s * 0.5 + t, {0}, {1})
    round({1}, 2)  max({0}, key=lambda t: -t)  divmod({1}, {2})[{4}]  sum([{3}], {1})
    math.dist({0}, {0})  min([{3}], key=abs)  math.hypot({1}, {2}, 1.0)  sorted({0})[0]
    statistics_mean({0})
    """
)

GENERATOR_FORMS = forms(
    r"""
    for {0} in {1}  for {0} in {1}  for {0} in ({2}, {2})  for _, {0} in enumerate({1})
    for {0}, _ in zip({1}, {1})  for {0} in reversed({1})  for {0} in {3}.values()
    for _, {0} in {3}.items()  for r in {4} for {0} in r  for r in [{1}] for {0} in r[:2]
    """
)

MAKE_I_FORMS = forms(
    r"""
    {i}  ({i} + {j})  ({i} - {j})  ({i} * {j} % 7)  ({i} // {j})  ({i} % {j})  len({s})  int({x})
    round({x})  (-{i})  abs({i})  ({i} & {j})  ({i} | {j})  ({i} ^ {j})  ({i} << ({j} & 3))
    max({i}, {j})  sum(1 for {c} in {s} if {c} > 0.5)  ({i} if {b} else {j})  math.floor({x})  (~{i})
    ({i} % 5) ** 2  len({t})  {t}.count('a')  ({i} or {j})  int({b})  ({b} + 1)  {i} % 3  ({i} >> 1)
    len({{{i}, {j}}})  sum({{{i}, {j}, 2}})  len({{{j}, 1}} | {{{i}}})
    len({{c0 % 2 for c0 in range({i} % 4)}})
    math.gcd({i}, {j})  sum({b} for {c} in {s})  len(CONFIG)  ({x} > {y}) - ({x} < {y})
    """
)

MAKE_B_FORMS = forms(
    r"""
    {x} < {y}  {x} >= {y}  {x} < {y} < {z}  {x} <= {y} > {z} != 1.0  not {b}  ({b} and {c1})
    ({b} or {c1})  {i} == {j}  {i} != {j}  {i} in (1, 2, 3)  {k} in {d}  {x} in {s}
    isinstance({x}, float)  {t} == {u}  {t} < {u}  any({g})  all({g})  {s}  {t}  {x}  {i}
    {k} not in {d}  isinstance({i}, (int, str))  0 <= {i} < 3  {p} is None  {p} is not None  bool({s})
    {s} == {s}  {t} in {u}  math.isfinite({x})  {tt} < {tt}  {tt} == {tt}  {i} % 2 == 0  {s} < {s}
    callable({x})
    """
)

MAKE_S_FORMS = forms(
    r"""
    {t}  ({t} + {u})  f"{{{x}}}"  f"<{{{x}:.3f}}|{{{i}}}>"  str({i})  {t}[:2]  {t}.upper()  repr({x})
    str({s})  f"{{{i}:>4d}}"  ",".join(str(c0) for c0 in {s})  ({t} if {b} else {u})  {t}[::-1]
    str({tt})  f"{{{x}!r}}"  repr({t})  ({t}[:3] * 2)  {t}.replace('a', 'b')  str({p1})  str({b})
    f"{{{x}:8.2e}}"  repr(list(CONFIG))  str({d})  f"{{{t}:>3}}"  f"{{{s}}}"  min({t}, {u})
    f"{{{i}=}}"
    """
)

NEW_LIST_FORMS = forms(
    r"""
    [{items}]  [{items}]  list({s})  [{g}]  {s}[:]  {s}[1:]  {s}[::-1]  ({s} + {s2})  sorted({s})
    sorted({s}, key=lambda t: {lam}, reverse={r})  [*{s}, {x}]  list(map(lambda t: {lam}, {s}))
    ([{x}] * 3)  list(reversed({s}))  {s}.copy()  list({tt})  [{x} for _ in range({i} % 4)]
    list({d}.values())  [c0 * {x} for c0 in {s} if c0 > {y}]  list(filter(lambda t: t > {x}, {s}))
    {s}[:2]  ({s} * 2)[:4]  sorted({g})  list({g})  [a * b for a, b in zip({s}, {s2})]
    [i * t for i, t in enumerate({s}, 1)]  {s}[{i}:{j}]  {s}[::2]  [{x}, *{s2}]
    [{x} if t > 0 else -t for t in {s}]
    """
)

MAKE_N_FORMS = forms(
    r"""
    [{a}, {b}]  [[{x}, {y}], [{y}, 1.0]]  [list(r) for r in {m}]
    [[{x} * i + j for j in range(2)] for i in range(2)]  [[{x}] * 2 for _ in range(2)]
    [r[:] for r in {m}]  [list(r) for r in zip({a}, {b})]
    """
)

MAKE_D_FORMS = forms(
    r"""
    {{"a": {x}, "b": {y}}}  dict({d})  {{k: v * {x} for k, v in {d}.items()}}
    {{str(i): {x} * i for i in range(3)}}  dict(a={x}, c={y})  {{**{d}, "c": {x}}}  {d}.copy()
    ({d} | {{"b": {x}}})  {{}}  dict([("a", {x})])  {{k: v for k, v in {d}.items() if v > {x}}}
    dict(zip("ab", {l}))  {{"a": {x}, "b": {y}, "c": 1.0}}
    """
)

MATRIX_FORMS = forms(
    r"""
    {m}[{i}][{j}] += {v}  {m}[{i}][{j}] = {v}  {m}[{i}].append({v})  {m}.append({r})  {m}[{i}] = {r}
    {m}[{i}].sort()  {m}.pop()  {m}[{i}][{j}], {m}[0][0] = {v}, {m}[{i}][{j}]  {m}.reverse()
    {m}[{i}] += {r}  {m}.insert(0, {r})  {m}[{i}][{j}] **= 2  {m}.sort()  {m}[{i}].extend({r}[:2])
    """
)

LIST_METHOD_FORMS = forms(
    r"""
    {x}.append({v})  {x}.append({v})  {x}.append({v})  {x}.extend({o}[:2])  {x}.insert({i}, {v})
    {x}.pop()  {x}.pop({i})  {x}.reverse()  {x}.sort()  {x}.sort(reverse=True)
    {x}.sort(key=lambda t: -t)  {x}.remove({v})  {x}.clear()  {x}.extend(c0 for c0 in ({v}, 1.0))
    {x}.sort(key=abs)  del {x}[{i}]  del {x}[:1]
    """
)

DICT_METHOD_FORMS = forms(
    r"""
    {x}[{k}] = {v}  {x}.update({o})  {x}.setdefault({k}, {v})  {x}.pop({k}, None)  {x}.pop({k})
    {x}.update(c={v})  {x}[{k}] += {v}  {x}.popitem()  {x}.update([({k}, {v})])  {x}.clear()
    {f} = {x}.setdefault({k}, {v})  {f} = {x}.pop({k}, {v})  del {x}[{k}]
    """
)

# Loops; after the bar the kinds of the targets.
HEADS = forms(
    r"""
    for {0} in range({i} % 4) | I  for {0} in {s}[:4] | F  for {0} in {L} | F
    for {0}, {1} in enumerate({s}[:4]) | IF  for {0}, {1} in zip({s}[:3], {s}) | FF
    for {0} in reversed({s}[:4]) | F  for {0} in {D} | S  for {0}, {1} in {D}.items() | SF
    for {0} in {D}.values() | F  for {0} in range(3, 0, -1) | I  for {0} in {N} | L
    for {0} in ({x}, {y}) | F  for {0} in {t}[:3] | S  for {0}, {1} in (({x}, {y}), ({y}, 1.0)) | FF
    for {0}, ({1}, {2}) in enumerate(zip({s}[:3], {s})) | IFF  for {0} in range(1, {i} % 5) | I
    for {0} in sorted({D}) | S  for {0}, {1} in enumerate({L}, start=1) | IF
    for {0}, {1} in zip(range(3), {L}, strict={r}) | IF  for {0}, *{1} in {N} | FL
    for {0} in map(lambda t: t * 2.0, {s}[:3]) | F  for {0} in list({L}) | F
    """
)

PATTERNS = {
    "I": forms("0  1 | 2  -1  int(3 | 4)  (5 | 7) as %I  True  int() as %I"),
    "F": forms("0.0  1.0 | -1.0  0.5 as %F  float() as %F  None"),
    "S": forms("'a'  '' | 'bc'  ('x' | 'a') as %S  str() as %S  None"),
    "T": forms("(0.0, %F)  (%F, 1.0)  (%F, %F)  [%F, _]  (_, _, _)  [%F, *_]  (float(), %F)"),
    "P": forms("P(x=0.5, y=%F)  P(%F, %F)  P(x=%F)  P(1.0, _)  P()  P(x=1.0 | 2.0)"),
    "L": forms("[]  [%F]  [%F, *%L]  [*_, %F]  [%F, %F, *_]  [0.0, *%L]  [%F, *%L, %F]"),
    "Q": forms("(0, %S)  (1 | 2, 'a')  (%I, 'bc')  (%I, %S)  (_, 'a' | '')  (0, 'a') | (1, 'bc')"),
}
