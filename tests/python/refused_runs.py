"""Functions whose operations are refused when they run. Before each: the message.

The place of the error is between « and ».
"""

from __future__ import annotations

TEXT = """
this object came in as an argument (or was read from outside of the function) and cannot be changed
class Counter:
    def go(self, x):
        «self.x» = x
        return x
counter = Counter()
def f(x):
    return counter.go(x)
---
change a copy of it, copy.copy(...)
class Account:
    total = 1.0
account = Account()
def f(x):
    «account.total» += x
    return x
---
this object came in as an argument (or was read from outside of the function) and cannot be changed
class Point:
    pass
p = Point()
def f(x):
    a, «p.y» = x, x
    return a
---
this object came in as an argument (or was read from outside of the function) and cannot be changed
class Point:
    pass
p = Point()
def f(x):
    for «p.y» in (1.0, 2.0):
        x = x * 2
    return x
---
this list came in as an argument (or was read from outside of the function) and cannot be changed
class State:
    def __init__(self):
        self.items = [1.0]
state = State()
def f(x):
    «state.items.append(x)»
    return x
---
this list came in as an argument (or was read from outside of the function) and cannot be changed
class State:
    def __init__(self):
        self.items = [1.0]
def f(x, state=State()):
    «state.items[0]» = x
    return x
---
two equal objects of type Point that came in from outside are compared by identity, which they have not here
class Point:
    pass
p, q = Point(), Point()
def f(x):
    return x if «p is q» else 2.0 * x
---
and cannot be changed: change a copy of it, list(...)
def f(x, xs=[1.0]):
    «xs.append(x)»
    return sum(xs)
---
two functions are compared: functions have no identity here
def made(y):
    return lambda x: x * y
def f(x):
    return «made(x) == made(x)»
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
the attribute fromkeys of a dict cannot be used as a value here: call it where it stands, x.fromkeys(...)
def f(x):
    table = {}
    make = «table.fromkeys»
    return make([x])
---
the attribute calls of a function cannot be assigned to: keep the value in a variable
def f(x):
    def g(y):
        return x * y
    «g.calls» = 0
    return g(x)
---
the attribute __doc__ of a float cannot be used as a value here
def f(x):
    return «x.__doc__»
---
the hash of a Point is its address, which is another one in each run: use a number or a text of it
class Point:
    def __init__(self, x):
        self.x = x
def f(x):
    return «hash(Point(x))»
---
the text of a Point has an address in it, which is another one in each run: give its class a __repr__
class Point:
    def __init__(self, x):
        self.x = x
def f(x):
    return «str(Point(x))»
---
the text of a list has an address in it
class Point:
    def __init__(self, x):
        self.x = x
def f(x):
    print(«str([Point(x)])»)
    return x
---
random.Random() without a seed is another one at each call: pass a seed
import random
def f(x):
    return x * «random.Random()».random()
---
a function with *terms that is a value takes at most 8 arguments here, not 9
def total(*terms):
    return sum(terms)
functions = [total]
def f(x):
    return «functions[0](x, x, x, x, x, x, x, x, x)»
---
a Decimal of a real would lose the derivative
from decimal import Decimal
def f(x):
    return x * «float(Decimal(x) + 1)»
---
a Decimal of a real would lose the derivative
from decimal import Decimal
def f(x):
    return «Decimal(Decimal(x)).as_integer_ratio()»[0]
---
a Fraction of a real would lose the derivative
from decimal import Decimal
from fractions import Fraction
def f(x):
    return «Fraction(Decimal(x))» * 2
---
a NaN in a container is compared with a NaN: Python asks whether both are one object
import math
def f(x):
    return x * («math.nan in [x, math.nan]»)
---
a NaN in a container is compared with a NaN: Python asks whether both are one object
import math
def f(x):
    return x if «[1.0, x * math.nan] == [1.0, x * math.nan]» else 2.0 * x
"""
