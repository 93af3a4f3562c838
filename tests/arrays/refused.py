"""Functions of arrays that are refused. Before each: what the error says. Where stands between « and ».

Each is called on the array [0.5, 2.0, -1.0].
"""

from __future__ import annotations

# Before anything runs

CONSTRUCTS = """
numpy.kaiser, a function of a package outside of your code, => checkpoint.primitive
def f(x):
    return np.sum(«np.kaiser»(3, x[0]))
---
numpy.random.rand, whose numbers come from a hidden state, => tensorlib.random.key(0)
def f(x):
    return np.sum(x * «np.random.rand»(3))
---
numpy.save, for which there is no rule, => checkpoint.primitive
def f(x):
    «np.save»("file", x)
    return np.sum(x)
---
changing CONSTANT, which the function does not make itself, => make a copy in the function
def f(x):
    «CONSTANT»[0] = x[0]
    return np.sum(CONSTANT)
---
`np.nditer` => for i in np.ndindex(x.shape)
def f(x):
    total = 0.0
    for v in «np.nditer(x)»:
        total = total + v
    return total
---
the argument where of np.log => np.log(..., out=np.zeros(n), where=mask)
def f(x):
    return np.sum(«np.log»(x, where=x > 0.0))
---
the argument dtype of np.add => x.astype(dtype)
def f(x):
    return np.sum(«np.add»(x, 1.0, dtype=np.float32))
---
`np.frompyfunc` => call the function on whole arrays
def f(x):
    return np.sum(«np.frompyfunc(abs, 1, 1)»(x))
---
changing an array through its attribute T => change the array itself
def f(x):
    a = 2.0 * x
    «a.T»[0] = 1.0
    return np.sum(a)
---
changing an array through its attribute flat => with an index for each axis
def f(x):
    a = 2.0 * x
    «a.flat»[0] = 1.0
    return np.sum(a)
"""

# What only the run can see: writing to what is not the program's own

OWNED = """
this array came in as an argument
def f(x):
    «x[0]» = 1.0
    return np.sum(x)
---
this array came in as an argument
def f(x):
    «x += 1.0»
    return np.sum(x)
---
change a copy of it, x.copy()
def f(x):
    y = x
    «y[1:]» = 0.0
    return np.sum(y)
---
this array came in as an argument
def f(x):
    y = x[1:]
    «y[0]» = 5.0
    return np.sum(y)
---
this array came in as an argument
def f(x):
    y = x.reshape(3, 1).T
    «y[0, 1]» = 5.0
    return np.sum(y)
---
or was read from outside of the function
def f(x):
    y = CONSTANT
    «y[0]» = x[0]
    return np.sum(y)
---
this array came in as an argument
def g(a):
    «a[0]» = 1.0
    return a
def f(x):
    return np.sum(g(x))
---
this array came in as an argument
def f(x):
    «np.add.at(x, [0], 1.0)»
    return np.sum(x)
---
this array came in as an argument
def f(x):
    «x.fill(1.0)»
    return np.sum(x)
"""

# Looking at what was changed through another name

STALE = """
changed through another name
def f(x):
    a = x * 2.0
    b = a
    b[0] = 1.0
    return «np.sum(a)»
---
changed through another name
def f(x):
    a = x * 2.0
    b = a
    b += 1.0
    return «a[0]»
---
a view of it
def f(x):
    a = x * 2.0
    b = a[1:]
    b[0] = 1.0
    return «np.sum(a)»
---
a view of it
def f(x):
    a = x * 2.0
    b = a[1:]
    a[1] = 1.0
    return «np.sum(b)»
---
a view of it
def f(x):
    a = np.zeros((2, 3))
    t = a.T
    a[0] = x
    return «np.sum(t)»
---
a view of it
def f(x):
    a = np.zeros((2, 3))
    flat = a.reshape(-1)
    flat[:3] = x
    return «np.sum(a)»
---
a view of it
def f(x):
    a = np.zeros((2, 3))
    for row in «a»:
        row[:] = x
    return np.sum(a)
---
changed through another name
def f(x):
    a = x * 2.0
    kept = [a, x]
    a[0] = 1.0
    return «np.sum(kept[0])»
---
changed through another name
def f(x):
    a = x * 2.0
    kept = {"a": a}
    kept["a"][0] = 1.0
    return «np.sum(a)»
---
in a function it was passed to
def g(b):
    b[0] = 1.0
def f(x):
    a = x * 2.0
    for each in (g, abs):
        each(a)
        return «np.sum(a)»
---
return the changed array and use the result
def g(b):
    b *= 2.0
    return b
def f(x):
    a = x * 2.0
    c = [g][0](a)
    return c[0] + «a[0]»
---
a view of it
def g(row):
    row[:] = 1.0
def f(x):
    a = np.zeros((2, 3))
    g(«a[0]»)
    return np.sum(a)
---
in a function it was passed to
def g(b):
    b = np.asarray(b)
    b[0] = 1.0
def f(x):
    a = x * 2.0
    g(a)
    return «np.sum(a)»
---
in a function it was passed to
def g(b):
    b[0] = 1.0
    raise ValueError
def f(x):
    a = x * 2.0
    try:
        g(a)
    except ValueError:
        return «np.sum(a)»
---
this array came in as an argument
def g(b):
    «b[0]» = 1.0
def f(x):
    g(x)
    return np.sum(x)
---
changed through another name
def f(x):
    a = x * 2.0
    def g():
        return «np.sum(a)»
    b = a
    b[0] = 1.0
    return g()
---
changed through another name
def f(x):
    history = []
    u = x.copy()
    for i in range(3):
        u[i] = 0.0
        history.append(u)
    return «np.array(history)»
"""

# Values that no program holds

VALUES = """
the attribute shape of an array cannot be assigned to: write a = a.reshape(shape)
def f(x):
    a = 2.0 * x
    «a.shape» = (3, 1)
    return np.sum(a)
---
an array of object is no value of a program
def f(x):
    return «np.array([None, 1])»
"""

# NumPy's own exceptions: the note names the place

RAISED = """
ValueError: operands could not be broadcast together with shapes (3,) (2,)
def f(x):
    return «x + x[1:]»
---
ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0
def f(x):
    return «x @ x[1:]»
---
IndexError: index 7 is out of bounds for axis 0 with size 3
def f(x):
    return «x[7]»
---
IndexError: too many indices for array
def f(x):
    return «x[0, 0]»
---
AxisError: axis 3 is out of bounds for array of dimension 1
def f(x):
    return «np.sum(x, axis=3)»
---
ValueError: cannot reshape array of size 3 into shape (2,2)
def f(x):
    return «x.reshape(2, 2)»
---
ValueError: all the input array dimensions except for the concatenation axis must match exactly
def f(x):
    return «np.concatenate([np.zeros((2, 2)), np.ones((1, 3))])»
---
LinAlgError: Singular matrix
def f(x):
    return «np.linalg.inv(np.outer(x, x) * 0.0)»
---
ValueError: could not broadcast input array from shape (3,) into shape (2,)
def f(x):
    y = np.zeros(2)
    «y[:] = x»
    return y
---
TypeError: data type 'nonsense' not understood
def f(x):
    return «np.zeros(3, dtype="nonsense")»
"""
