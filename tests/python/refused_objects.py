"""Functions that call or hold a refused object. Before each: its name in the error, and the advice.

The use is between « and »; the error underlines it.
"""

from __future__ import annotations

TEXT = """
`type` with three arguments => write a class statement at module level
def f(x):
    return «type("T", (), {})»
---
the class Point, which is frozen and has a __new__ of its own, => make the object outside of the function
from dataclasses import dataclass
@dataclass(frozen=True)
class Point:
    x: float
    def __new__(cls, x):
        return super().__new__(cls)
def f(x):
    return «Point(x)»
---
the exception Failed, which has a __new__ of its own, => write an __init__
class Failed(ValueError):
    def __new__(cls, x):
        return super().__new__(cls, x)
def f(x):
    raise «Failed(x)»
---
the class Row, which derives from set, => make the object outside of the function
class Row(set):
    pass
def f(x):
    return «Row([x])»
---
assigning to texts.Account.total, which the run has read before and leaves changed, => has_state=True
class Account:
    total = 1.0
def f(x):
    «Account.total += x»
    return x
---
`eval` => write the expression
def f(x):
    return «eval("x")»
---
`getattr` => look up what a module has by its name in a dictionary
import math
def f(x):
    return sum([«getattr(math, name)»(x) for name in ("sin", "cos")])
---
`exec` => write the statements
def f(x):
    «exec("x")»
    return x
---
`compile` => write the expression
def f(x):
    return «compile("x", "x", "eval")»
---
`input` => read outside of the function and pass the value
def f(x):
    return «input()»
---
`globals` => read the variables by name
def f(x):
    return «globals()»["f"]
---
`locals` => read the variables by name
def f(x):
    for _ in range(2):
        y = «locals()»["x"]
    return y
---
`vars` without an object => read the variables by name
def f(x):
    return «vars()»["x"]
---
assigning to `__dict__` => change the attributes, vars(x).update(...)
class Point:
    pass
def f(x):
    point = Point()
    «point.__dict__» = {"x": x}
    return point.x
---
assigning to `__class__` => make an object of the other class
class Point:
    pass
def f(x):
    point = Point()
    «point.__class__» = Point
    return x
---
`id` => compare values
def f(x):
    return «id(x)»
---
`id` => write `a is b`
def f(x):
    a = [x]
    return x if «id(a)» in {3: x} else 0.0
---
`bytes` => use a str
def f(x):
    return «bytes(3)»
---
random.random, whose numbers come from a hidden state, => key = tensorlib.random.key(0)
import random
def f(x):
    return x * «random.random()»
---
random.gauss, whose numbers come from a hidden state, => pass the random numbers as an argument
from random import gauss
def f(x):
    return x * «gauss(0, 1)»
---
random.gauss, whose numbers come from a hidden state, => pass the random numbers as an argument
import random
def f(x):
    return list(«map(random.gauss, [x], [1.0])»)
---
random.SystemRandom, whose numbers come from a hidden state, => key = tensorlib.random.key(0)
import random
def f(x):
    return «random.SystemRandom()».random()
---
SystemRandom, whose numbers come from a hidden state, => rng = random.Random(0)
import random
source = random.SystemRandom()
def f(x):
    return «source».random()
---
binascii.crc32, for which there is no rule, => crc32 = checkpoint.primitive(crc32, vjp=
from binascii import crc32
def f(x):
    return «crc32(x)»
---
json.dump, a function of a package outside of your code, => CHECKPOINT_CONVERT=json
import json
def f(x):
    return «json.dump(x, None)»
---
colorsys.rgb_to_hsv, a function of a package outside of your code, => checkpoint.primitive(rgb_to_hsv, vjp=
import colorsys
def f(x):
    return «colorsys.rgb_to_hsv(x, x, x)»
---
collecting the groups of `groupby`, which are empty by then, => [(k, list(g)) for k, g in groupby(...)]
from itertools import groupby
def f(x):
    return «list(groupby([x]))»
---
`attrgetter` of a computed name => write a lambda, lambda x: x.name
import operator
def f(x):
    return «operator.attrgetter(str(x))»
---
`methodcaller` of a computed name => write a lambda, lambda x: x.name(...)
import operator
def f(x):
    return «operator.methodcaller(str(x))»
---
`collections.UserString` => use a list or a dict
from collections import UserString
def f(x):
    return «UserString("a")»
---
`time.clock_gettime` => do it outside of the function
import time
def f(x):
    return «time.clock_gettime(0)»
---
`contextlib.suppress` => outside of the differentiated function
import contextlib
def f(x):
    return «contextlib.suppress(ValueError)»
---
math.foo, which does not exist, => check the name
import math
def f(x):
    return «math.foo»(x)
---
a keyword argument of an exception => pass it by position
def f(x):
    raise «ValueError(a=1)»
---
a class that is only known when it runs => name the classes
def f(x, classes=[ValueError]):
    try:
        return x / (x - x)
    except «classes[0]»:
        return 0.0
---
a star in a call of range => pass its arguments one by one
def f(x):
    bounds = (1, 2)
    return list(«range(*bounds)»)
---
a star in a call of atan2 => pass its arguments one by one
import math
def f(x):
    return «math.atan2(*[x, x, x])»
---
the class Point, a named tuple with an __init__ of its own, => make the object outside
from collections import namedtuple
class Point(namedtuple("Point", "x", defaults=(1.0,))):
    def __init__(self, x):
        self.y = 2.0 * x
def f(x):
    return «Point(x)».x
---
the default factory of Point.xs => a function of your own without parameters
import dataclasses, itertools
@dataclasses.dataclass
class Point:
    xs: list = dataclasses.field(default_factory=itertools.count)
def f(x):
    return «Point()».x
---
`_heapq._heapify_max` => keep the list sorted
import heapq
def f(x):
    return «heapq._heapify_max([x])»
---
`warnings.simplefilter` => use print
import warnings
def f(x):
    «warnings.simplefilter("error")»
    return x
---
`deepcopy` beside a class with a __deepcopy__ of its own => call its method
import copy
class Point:
    def __deepcopy__(self, memo):
        return self
point = Point()
def f(x):
    return «copy.deepcopy([x, point])»[0]
---
`copy` beside a class with a __getstate__ or __reduce__ => make the copy yourself
import copy
class Point:
    def __getstate__(self):
        return {}
point = Point()
def f(x):
    return «copy.copy([x, point])»[0]
---
`copy` beside a class with __slots__ and a __setattr__ => make the copy yourself
import copy
class Point:
    __slots__ = ("x",)
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
def f(x):
    point = Point()
    point.x = x
    return «copy.copy(point)».x
---
`logging.captureWarnings` => use print
import logging
def f(x):
    «logging.captureWarnings(x)»
    return x
"""
