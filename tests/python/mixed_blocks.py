"""The statements of several lines of random programs that mix features, with holes as in mixed_forms.py.

BODY stands for statements, NAME for the name of a function of a real.
"""

from __future__ import annotations


def blocks(text: str) -> tuple[str, ...]:
    """Return the forms of a text, which blank lines separate."""
    return tuple(text.strip("\n ").split("\n\n"))


SEVERAL_LINES = blocks(
    r"""
groups = [(k, list(g)) for k, g in itertools.groupby(items, key=lambda t: t > 0)]
{w} = bounded(sum(max(group, key=abs) for _, group in groups))

first, *others = items
{w} = bounded(first + len(others) * {c})

pair = Pair(left={z}, right={e})
{w} = bounded(pair._replace(left={z}).left + pair[1])

gen = steps({z}, 3, others := [])
{w} = bounded(next(gen) + gen.send({z}))
gen.close()
{w} = bounded({w} + others[-1])

gen = (t * {c} for t in items)
{w} = bounded(next(gen) + sum(gen))

groups = defaultdict(list)
for t in items:
    groups[t > {e}].append(t)
{w} = bounded(sum(groups[True]) - sum(groups[False]))

rows = [[i * {z} + j for j in range(2)] for i in range(3)]
{w} = bounded(sum(row[-1] for row in zip(*rows)) * rows[2][1])

table = «(i, k): i * {z} for i in range(2) for k in 'ab'»
{w} = bounded(table[1, 'b'] + len(table))

best = min(range(len(items)), key=lambda i: abs(items[i] - {z}))
{w} = bounded(items[best] * 1.5)

fs = [lambda t, k=k: t * k for k in (0.5, {z})]
{w} = bounded(sum(f({z}) for f in fs))
"""
)

BLOCKS = blocks(
    r"""
if {b}:
    BODY
else:
    BODY

if {b}:
    BODY
elif {b}:
    BODY
else:
    BODY

for i in range({n}):
    BODY

for i, t in enumerate(items[:3]):
    {w} = bounded({w} + t * i)
    BODY

for t in items[:4]:
    if t > {e}:
        break
    BODY
else:
    BODY

for t in steps({z}, 3):
    if {b}:
        continue
    {w} = bounded({w} - t)
    BODY

turns = {n}
while turns > 0:
    turns -= 1
    BODY
    if {b}:
        break
else:
    BODY

turns = 0
while (turns := turns + 1) < 4 and {w} < 1.5:
    {w} = bounded({w} + 0.5)
    BODY

for k, t in list(d.items()):
    d[k] = bounded(t * 0.5)
    BODY

for i in range(3):
    for j in range(i):
        b[i, j] = bounded(b[j, i] * 0.5 + a[i])
    BODY

try:
    BODY
    if {b}:
        raise Trouble({z})
    BODY
except Trouble as error:
    {w} = bounded(error.amount)
    print(error)
else:
    BODY
finally:
    {w} = bounded({w} + 0.1)

try:
    {w} = [{z}, {z}][{i}]
    BODY
except (IndexError, ValueError) as error:
    print(type(error).__name__, error)
finally:
    BODY

for i in range(3):
    try:
        if {b}:
            continue
        BODY
    finally:
        items.append(bounded({w} * 0.5))
        del items[0]

with o as entered:
    entered.x = bounded({e})
    if {b}:
        raise Trouble({z})
    BODY

with doubled(cell) as c, contextlib.suppress(KeyError):
    {w} = bounded(c.x + {z})
    if {b}:
        raise Trouble({e})
    BODY

with contextlib.suppress(KeyError, ZeroDivisionError):
    {w} = bounded(d['missing' if {b} else 'a'])
    BODY

match (n % 3, {z}):
    case (0, value):
        BODY
    case (1, value) if value > {e}:
        {w} = value
        BODY
    case (k, _):
        {w} = bounded({w} + k)

match items:
    case [one, two, *others] if one > two:
        {w} = bounded(one - two)
        BODY
    case [one, *_]:
        {w} = one
        BODY

match cell:
    case Cell(x=value, y=0.5):
        {w} = value
    case Cell(value, other):
        {w} = bounded(value * other)
        BODY

for s, t in zip(items, q):
    {w} = bounded(s * t + {w})
    BODY

for row in b:
    {w} = bounded({w} + row[{j}])
    BODY

for t in a:
    if t > 1.5:
        BODY
    {w} = bounded({w} + t)

for k in sorted(d, key=d.get, reverse=True):
    text = (text + k)[-5:]
    BODY

for char in text[:3]:
    counts[char] += 1
    BODY

if ({new} := {e}) > {c}:
    BODY
"""
)

DEFINITIONS = blocks(
    r"""
def NAME(t, k={e}):
    return bounded(t * k + {z})

memo = «»
def NAME(t, depth=3):
    if depth < 1:
        return t
    if depth not in memo:
        memo[depth] = bounded(NAME(t * 0.5, depth - 1) + NAME(t, depth - 2))
    return memo[depth]

def NAME(t, *rest):
    nonlocal_total = {z}
    def add(s):
        nonlocal nonlocal_total
        nonlocal_total = bounded(nonlocal_total + s * t)
        return nonlocal_total
    return sum([add(s) for s in (t, *rest, 0.5)]) * 0.3

def NAME(t):
    try:
        if t > {e}:
            return bounded(t)
        raise Trouble(t)
    except Trouble as error:
        return error.amount * 0.5
    finally:
        seen.add({j})

def NAME(t):
    def walk(node, depth):
        if depth == 0:
            yield node
            return
        yield from walk(node * 0.5, depth - 1)
        yield node + {z}
        yield from walk(node + 0.25, depth - 1)
    return bounded(sum(walk(t, 2)))

def NAME(t):
    total = 0.0
    for i, s in enumerate(items[:4]):
        if s < -1.0:
            continue
        total += s * t ** i
        if total > 3.0:
            return bounded(total)
    else:
        total -= {z}
    return bounded(total)

def NAME(t):
    c = a * t
    c[0] = {z}
    c[1:] += c[:-1] * 0.5
    return bounded(float(c.sum()) + float(np.max(c)))

class LocalNAME(Base):
    def __call__(self, t):
        return super().__call__(t) + 0.5 * self.x
NAME = LocalNAME({z})

NAME = lambda t, k={z}: bounded(t * k if t > 0 else t - k)

@traced
def NAME(t, **options):
    return bounded(options.setdefault('k', {z}) * t)

def NAME(t):
    state = «'level': t, 'trail': []»
    while len(state['trail']) < 3:
        state['level'] = bounded(state['level'] * 0.5 + {z})
        state['trail'].append(state['level'])
    return state['trail'][-1] - state['trail'][0]

def NAME(t):
    stack, total = [(t, 0)], 0.0
    while stack:
        s, depth = stack.pop()
        if depth >= 2:
            total += s
            continue
        stack += [(s * 0.5, depth + 1), (s + {z}, depth + 2)]
    return bounded(total)
"""
)
