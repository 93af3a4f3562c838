"""Functions with a refused construct. Before each: the name of the construct in the error, and the advice.

The construct is between « and »; the error underlines it.
"""

from __future__ import annotations

TEXT = """
changing xs, which the function does not make itself, => make a copy in the function, as with list(xs)
xs = [1.0]
def f(x):
    «xs».append(x)
    return xs[0]
---
changing table, which the function does not make itself, => or dict(table), and return that
table = {"a": 1.0}
def f(x):
    «table»["a"] = x
    return x
---
changing xs, which the function does not make itself, => make a copy in the function
xs = [1.0]
def f(x):
    «xs»[0] += x
    return x
---
changing xs, which the function does not make itself, => make a copy in the function
xs = [1.0]
def f(x):
    def note(y):
        «xs».append(y)
    note(x)
    return x
---
`functools.singledispatch` => decorate a function of the module with it, not one within a function
import functools
def f(x):
    @«functools.singledispatch»
    def g(y):
        return y
    return g(x)
---
`inspect.signature` => call it with the name of a function
import inspect
def f(x):
    def g(h):
        return len(«inspect.signature(h)».parameters)
    return g(lambda y: y) * x
---
`warnings.catch_warnings` => leave out record=True, and append the messages to a list of the function
import warnings
def f(x):
    with «warnings.catch_warnings(record=True)» as found:
        warnings.warn("far")
    return x * len(found)
---
`_pickle.dumps` => do it outside of the function, and pass the value
import pickle
def f(x):
    return len(«pickle.dumps(x)») * x
---
`weakref.ReferenceType` => keep the object itself
import weakref
class Point:
    pass
def f(x):
    return x if «weakref.ref(Point)»() else 2 * x
---
`__new__` of what is no class => name the class
class Point:
    pass
def f(x):
    return «{object}.__new__(Point)».x
---
a lambda with `yield` => write a `def`
def f(x):
    g = «lambda: (yield x)»
    return list(g())
---
a generator expression that reads k of the comprehension around it => make a list of it
def f(x):
    parts = [«(k * y for y in [x, 1.0])» for k in range(3)]
    return sum(sum(part) for part in parts)
---
a view of a dictionary that changes later => names = list(...)
def f(x):
    table = {"a": x}
    names = «table.keys()»
    table["b"] = x
    return len(names)
---
`async def` => write a plain `def`
def f(x):
    «async def later():
        return await x»
    return x
---
`async def` => write a plain `def`
def f(x):
    «async def later():
        async for y in x:
            return [z async for z in y]»
    return x
---
`async def` => write a plain `def`
def f(x):
    «async def later():
        async with x:
            pass»
    return x
---
assigning to texts.count, which the run has read before and leaves changed, => an error unless has_state=True
count = 0
def f(x):
    global count
    count = «count + 1»
    return x * count
---
assigning to texts.make.<locals>.f.count, which the run has read before and leaves changed, => has_state=True
def make():
    count = 0
    def f(x):
        nonlocal count
        count = «count + 1»
        return x * count
    return f
f = make()
---
assigning to texts.Counter.made, which the run has read before and leaves changed, => has_state=True
class Counter:
    made = 0
    def __init__(self):
        Counter.made = «Counter.made + 1»
def f(x):
    Counter()
    return x
---
assigning to new of Counter, which the function does not make itself, => keep what changes in an object
class Counter:
    pass
def f(x):
    «Counter.new» = x
    return x
---
a function with the name of a global, g, => give it another name
def f(x):
    global g
    «def g(y):
        return y»
    return x
---
the class Point inside a function, whose name is also bound or used elsewhere, => at module level
def f(x):
    «class Point:
        pass»
    Point = x
    return Point
---
the class Point inside a function, which is decorated by kept, => define the class at module level
def kept(cls):
    return cls
def f(x):
    @kept
    «class Point:
        pass»
    return x
---
the class Point inside a function, whose body has a `for` statement, => at module level
def f(x):
    «class Point:
        for i in range(3):
            pass»
    return x
---
the class Point inside a function, whose body reads base, => define the class at module level
def f(x):
    base = object
    «class Point(base):
        pass»
    return x
---
the class Point inside a function, whose body makes the descriptor `Doubled(x)` in a run, => at
class Doubled:
    def __init__(self, factor):
        self.factor = factor
    def __get__(self, of, owner=None):
        return self.factor
def f(x):
    «class Point:
        size = Doubled(x)»
    return Point().size
---
`except*` => write `except`
def f(x):
    «try:
        y = 1 / x
    except* ZeroDivisionError:
        y = 0.0»
    return y
---
a lambda that reads i of the comprehension around it => as a default, i=i
def f(x):
    lines = [«lambda y: y * i» for i in [1.0, 2.0]]
    return lines[0](x)
---
a lambda that reads i of the comprehension around it => as a default, i=i
def f(x):
    lines = {str(i): «lambda y: y * i» for i in range(3)}
    return lines["0"](x)
---
a lambda that reads i of the comprehension around it => as a default, i=i
def f(x):
    lines = list([«lambda y: y * i»] for i in range(3))
    return lines[0][0](x)
---
a lambda that reads i of the comprehension around it => as a default, i=i
def f(x):
    lines = [[«lambda y: y * i» for j in (1, 2)] for i in range(3)]
    return lines[0][0](x)
---
a lambda that reads i of the comprehension around it => as a default, i=i
def f(x):
    rows = [map(«lambda y: y * i», [x]) for i in range(3)]
    return [list(row) for row in rows]
---
a guard that changes variables => move it into the body of the case
def f(x):
    stack = [1.0, 0.0]
    match x:
        case 3.0 if «stack.pop()»:
            return 1.0
    return len(stack)
---
a guard that changes variables => move it into the body of the case
def f(x):
    match x:
        case 3.0 if («y := x»):
            return y
    return 0.0
---
a bare `raise` outside of `except` => name the exception
def f(x):
    «raise»
---
a second `**` => merge the dictionaries first
def g(**named):
    return named
def f(x):
    return g(**{"a": x}, «**{"b": x}»)
---
a guard that changes variables => move it into the body of the case
def f(x):
    count = 0
    def bump():
        nonlocal count
        count += 1
        return count
    match x:
        case 3.0 if «bump() > 0»:
            return x
    return count
---
`Polynomial` => compute with its coefficients: np.polynomial.polynomial.polyval(x, [c0, c1, ...])
from numpy.polynomial import Polynomial
def f(x):
    return «Polynomial([x, 2.0])»(x)
---
`poly1d` => or np.polyval([..., c1, c0], x)
import numpy as np
p = np.poly1d([1.0, 2.0])
def f(x):
    return «p(x)»
"""
