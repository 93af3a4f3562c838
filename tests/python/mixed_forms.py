"""The expressions and one-line statements of random programs that mix features (generator_mixed.py).

Holes in braces are for parts: {e} a real, {i} an integer, {b} a test, {t} a text, {c} a number, {f} a
function of a real, {j} an index of three, {n} a number of turns, {k} a key, {op} an operator, {w} and {z}
names of reals, {new} a new name. « and » stand for braces.
"""

from __future__ import annotations

from tests.python.generator_forms import forms

EXPRESSIONS = forms(
    r"""
    ({e} + {e})  ({e} - {e})  ({e} * {e} * 0.5)  ({e} / (2.5 + abs({e})))  {f}({e})  {f}({e})  (-{e})
    math.exp(-abs({e}))  math.sqrt(1.0 + ({e}) ** 2)  math.log1p(({e}) ** 2)  math.atan2({e}, 1.5)
    sum(items[:3])  max({e}, {e})  min(items)  sum(t * 0.5 for t in items[-3:])  float(np.sum(a))
    float(a @ a) * 0.1  a[{j}]  b[{j}, {j}]  b[{j}][{j}]  float(np.tanh(b).sum())  d.get({k}, {e})  d['a']
    q[0]  q[-1]  o.x  o.level  o({e})  p[0]  o[{j}]  cell @ Cell({e})  cell.trail[-1]  mixed({e}, {e})
    mixed({e}, *items[:2], k={e})  mixed({e}, **«'shift': {e}»)  descend(({e}, [{e}]), {e})
    descend(«'leaf': {e}, 'more': 1», {e})  collatz({e}, {n})  ({e} if {b} else {e})  ({new} := {e})
    functools.reduce(lambda s, t: 0.5 * s + t, items[:4], {e})  sorted(items, key=lambda t: -t)[0]
    (lambda t, k={e}: t * k)({e})  next(iter(q))  [*q][-1]  math.fsum(items[:3])  math.hypot({e}, 0.5)
    sum(steps({e}, {n}))  float(np.mean(np.where(a > 0.2, a, {e})))  np.dot(a, b[{j}])  np.max(b) * 0.5
    Pair({e}, {e}).right  sum(Pair({e}, {e}))  sum(map(operator.mul, items[:3], a))  round({e}, 3)
    sum(i * t for i, t in enumerate(a))  float(f'«{z}:.3f»')  np.linalg.norm(a + 2.0)  (o + p).x
    (o * {e}).x  sum((2.0 + o).rest)  abs(complex({e}, 0.5))  divmod({e}, 1.5)[1]  ({e}) % 1.5
    len(items) * 0.1  sum(c0 * c1 for c0, c1 in zip(items, itertools.chain(q, a)))  max(d.values())
    math.prod(items[:2])  np.interp({e}, [-2.0, 0.0, 2.0], [0.5, {e}, 1.5])
    float(np.einsum('ij,j->i', b, a)[{j}])  np.clip({e}, -1.0, 1.0)  a.mean()  b.T[{j}].sum()
    sum(itertools.accumulate(items[:3], lambda s, t: 0.5 * s + t))  operator.itemgetter({j})(items)
    getattr(o, 'x')  getattr(p, 'nothing', {e})  vars(cell)['y']  min(o, p).x  ({e} and {e})  ({e} or {e})
    """
)

INTEGERS = forms(
    r"""
    len(items)  n  {j}  (n + {j})  len(text)  n % 3  int({c} * 2)  len(seen)  round({e})
    sum(1 for t in items if t > {c})  text.count('a')  (n ^ {j})  min(n, {j})  len(o)  counts['a']
    int(np.argmax(a))  (n << 1) & 7  bool({b}) + 1
    """
)

TESTS = forms(
    r"""
    {e} > {e}  {e} < {c} < {e}  n % 2 == 0  {k} in d  not {e} > 0.5  len(q) > 2  text.startswith('a')
    {e} > 0.1 and {e} < 1.0  {e} > 1.0 or n < 2  isinstance(o, Thing)  o < p  any(t > {c} for t in items)
    all(t > -2 for t in items)  o is p  {i} in seen  ({new} := {e}) > 0.2  a[{j}] > b[{j}, 0]
    np.all(a > -1.0)  (a > {e}).any()  d  {i} != {i}  type(o) is Thing  callable(o)  n in «1, 2, 5»
    """
)

TEXTS = forms(
    r"""
    text  'b'  f'«{z}:.2f»'  str({i})  f'«n + {j}:>3d»|'  text[::-1]  text.upper()  '-'.join(sorted(d))
    f'«o:.2f»'  '%.3f' % {e}  '«:+.1e»'.format({e})  repr({i})  f'«text!r»'  str(round({e}, 2))
    str([{i}, {i}])  f'«text:*^7»'  text.replace('a', 'xy')  'abc'[{j}]
    """
)

LINES = forms(
    r"""
    {w} = bounded({e})  {w} = bounded({e})  {w} = bounded({e})  {w} {op}= 0.5  {w} = bounded({w} {op} {e})
    items.append(bounded({e}))  items[{j}] = bounded({e})  items[{j}] {op}= 0.5  items[1:3] = [{e}, {z}]
    items.insert({j}, {z})  items.sort()  items.reverse()  items = items[:4]  items.extend(o)
    items.sort(key=lambda t: (round(t, 1), -t), reverse=bool({b}))  d[{k}] = bounded({e})
    d[{k}] = d.get({k}, 0.0) * 0.5 + {z}  d.update(c={e})  d = «k: bounded(t * {e}) for k, t in d.items()»
    d.setdefault({k}, {e})  {w} = bounded(d.pop('c', {e}))  d |= «'b': bounded({e})»
    q.append(bounded({e}))  q.appendleft(bounded({e}))  q.rotate({j})
    {w} = bounded(q.popleft() if len(q) > 3 else {e})  a[{j}] = bounded({e})  a[{j}] {op}= 0.5
    a = np.tanh(a + {e})  a[1:] = a[:-1] * {c}  a = np.sort(a)  a[a > 1.0] = {e}
    b[{j}, {j}] = bounded({e})  b = np.tanh(b @ b.T * 0.3)  b[{j}] = a  b[:, {j}] *= 0.5
    a = np.tanh(b @ a)  b += 0.1 * np.outer(a, a)  a = np.concatenate([a[1:], a[:1]])
    a = np.linalg.solve(b @ b.T + 3.0 * np.eye(3), a)  a = np.cumsum(a) * 0.5
    {w} = bounded(np.sum(a * {e}))  o = Thing(bounded({e}), {z}, *items[:1], scale=0.5)  o = o + p  p = o
    o += {e}  o.x = bounded({e})  o.level = {e}  o.rest.append({z})  o, p = p, o
    p = Thing({z}, **«'scale': 0.5, 'name': 'p'»)  p.rest = o.rest[:2]  o = max([o, p], key=lambda t: t.x)
    {w} = bounded(sum(t.x for t in sorted([o, p, Thing({z})])))  cell = Cell(bounded({e}))
    cell.trail.append({z})  cell.y = bounded({e})  cell = Cell(cell.y, cell.x, cell.trail[-2:])
    seen.add({i})  seen |= «{i}, {i}»  seen.discard({i})  counts.update(text)  counts[{k}] += {i}
    text = ({t} + {t})[-6:]  text = {t}[:5]  print({t}, {i})  print(f'«{z}:8.3f»', {t}, sep='|')
    n = {i} % 5  n = max(n - 1, 0)  {w}, {w} = bounded({e}), {z}  {w} = bounded({e}); v0 = {w}
    assert len(items) > 0, text  ({w}, (v, *_)) = ({z}, items)
    {w} = bounded(sum(s * t for s, t in itertools.product(items[:2], q)))
    {w} = bounded(functools.partial(mixed, {z}, k=0.25)(*items[:2]))
    """
)
