"""Functions whose operations are refused when they run. Before each: the message.

The place of the error is between « and ».
"""

from __future__ import annotations

TEXT = """
this list was changed through another name
def f(x):
    a = [x]
    b = a
    b.append(1.0)
    return «len(a)»
---
this list was changed through another name
def f(x):
    row = [x]
    matrix = [row, row]
    matrix[0].append(x)
    return «row[0]»
---
or in a function it was passed to
def g(xs):
    xs.append(1.0)
def f(x):
    a = [x]
    g(a)
    return «len(a)»
---
return the changed list and use the result
def f(x):
    d = {1: [x]}
    d.get(1).append(x)
    return «len(d[1])»
---
this dictionary was changed through another name
def f(x):
    a = {1: x}
    b = a
    b[2] = x
    return «a[1]»
---
and cannot be changed: change a copy of it, list(...)
def f(x, xs=[1.0]):
    «xs.append(x)»
    return sum(xs)
---
the variable i was assigned again after the function that reads it here was made
def f(x):
    lines = []
    for i in (1, 2):
        lines.append(lambda y: y * «i»)
    return lines[0](x)
---
Give the function the value as a default, scale=scale
def f(x):
    scale = 2.0
    g = [lambda y: y * «scale»]
    scale = 3.0
    return g[0](x)
---
the variable k was assigned again after the function that reads it here was made
def f(x):
    k = x
    def made(t):
        return lambda u: u * «k» + t
    scaled = made(1.0)
    k = k + 1.0
    return scaled(x)
---
the variable k was assigned again after the function that reads it here was made
def f(k):
    def grow():
        nonlocal k
        k = k + 1.0
    scaled = [lambda u: u * «k»]
    grow()
    return scaled[0](2.0)
---
the variable k was assigned again after the function that reads it here was made
def f(x):
    k = x
    kept = []
    def step(t):
        nonlocal k
        scaled = lambda u: u * «k»
        k = k + t
        return scaled
    return step(x)(2.0)
---
the variable error was assigned again after the function that reads it here was made
def f(x):
    told = []
    try:
        x = x / 0.0
    except ZeroDivisionError as error:
        told = [lambda: str(«error»)]
    return told[0]()
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
