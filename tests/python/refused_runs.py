"""Functions whose operations are refused when they run. Before each: the message.

The place of the error is between « and ».
"""

from __future__ import annotations

TEXT = """
and cannot be changed: change a copy of it, list(...)
def f(x, xs=[1.0]):
    «xs.append(x)»
    return sum(xs)
---
iter of Items is not supported here
class Items:
    def __iter__(self):
        return self
    def __next__(self):
        return 1.0
items = Items()
def f(x):
    for y in «items»:
        return y
---
iter of Items is not supported here
class Items:
    def __iter__(self):
        return iter([1.0])
items = Items()
def f(x):
    return x * «sum(items)»
---
two functions are compared: functions have no identity here
def g(x, y=1.0):
    return x
def f(x):
    return «g == g»
---
compare strings or numbers that tell them apart
import math
def f(x):
    return «math.sin is math.sin»
---
compare strings or numbers that tell them apart
class Line:
    slope = 1.0
    def at(self, x):
        return x
line = Line()
def f(x):
    return «line.at in [line.at]»
---
two values of type float have no identity to compare with 'is': use ==
def f(x):
    return «x is x»
---
the attribute append of a list cannot be used as a value here: call it where it stands, x.append(...)
def f(x):
    xs = []
    append = «xs.append»
    append(x)
    return xs
---
the attribute __class__ of a float cannot be used as a value here
def f(x):
    return «x.__class__»
---
bytes cannot be a key here: use a str
def f(x):
    return {«b"a"»: x}
---
a function with *terms that is a value takes at most 8 arguments here, not 9
def total(*terms):
    return sum(terms)
functions = [total]
def f(x):
    return «functions[0](x, x, x, x, x, x, x, x, x)»
"""
