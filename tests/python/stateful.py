"""Functions that change their arguments and the variables of their module; each is called on `args()`."""

from __future__ import annotations

PARTICLE = """
class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.path = [x]

    def move(self, dt):
        self.x += dt * self.v
        self.v *= 0.9
        self.path.append(self.x)

def f(p, dt):
    for _ in range(4):
        p.move(dt)
    p.energy = 0.5 * p.v ** 2
    return p.x * p.energy

def args():
    return Particle(1.0, 2.0), 0.1
"""

SWARM = """
class Particle:
    def __init__(self, x):
        self.x = x
        self.force = 0.0

def f(particles):
    for p in particles:
        p.force = 0.0
    for i, p in enumerate(particles):
        for q in particles[:i]:
            pull = 0.1 * (p.x - q.x)
            p.force -= pull
            q.force += pull
    for p in particles:
        p.x += p.force
    particles.sort(key=lambda p: -p.x)
    return sum(p.x ** 2 for p in particles)

def args():
    return ([Particle(0.3), Particle(1.1), Particle(-0.7)],)
"""

CONTAINERS = """
def f(d, xs):
    d["n"] += 1
    d["total"] = sum(xs) * d["scale"]
    d["rows"][0][1] = d["total"]
    del d["old"]
    xs[0], xs[-1] = xs[-1] * 2.0, xs[0]
    xs.insert(1, d["total"])
    return d["total"] * xs[0]

def args():
    return {"n": 1, "scale": 2.0, "rows": [[1.0, 2.0], [3.0]], "old": 5.0}, [1.0, 2.0, 3.0]
"""

ARRAYS = """
import numpy as np

def scale(out, by):
    out *= by

def f(a, d, k):
    a[0] = 2.0 * a[1] * k
    scale(a, k)
    d["w"][1:] += a[:2]
    d["rows"][1][0] = k
    np.multiply(a, a, out=d["square"])
    d["n"][0] += 3
    return a.sum() + d["w"].sum() * d["square"].sum()

def args():
    rows = [np.zeros(2), np.ones(2)]
    d = {"w": np.ones(3), "rows": rows, "square": np.zeros(3), "n": np.array([1, 2])}
    return np.array([1.0, 2.0, 3.0]), d, 1.5
"""

GLOBALS = """
import numpy as np

total = 0.5
count = 0
last = None
log = []
table = np.ones(3)
settings = {"rate": 0.1, "steps": [1]}
untouched = [1.0]

class Meter:
    def __init__(self):
        self.sum = 0.0

meter = Meter()

def note(x):
    global total, count
    total += x * x
    count += 1
    log.append(total)
    meter.sum += x

def f(x):
    global last
    for _ in range(3):
        note(x)
        x = x * (1.0 + settings["rate"])
    table[1] = x
    settings["rate"] = x
    last = (count, x)
    return total * x + table.sum() + log[-1] + meter.sum + untouched[0]

def args():
    return (0.7,)
"""

CLASSES = """
class Body:
    count = 0
    drag = 0.5

    def __init__(self, v):
        Body.count += 1
        self.number = self.count
        self.v = v

    @classmethod
    def thicken(cls, by):
        cls.drag = cls.drag * by

class Light(Body):
    pass

def f(x):
    total = 0.0
    for i in range(3):
        body = Light(x) if i % 2 else Body(2.0 * x)
        Body.thicken(x)
        total += body.v * body.drag * body.number * Light.drag * type(body).drag
    return total * Body.count

def args():
    return (1.2,)
"""

MODULES = """
import types

physics = types.ModuleType("physics")
physics.g = 9.8
physics.seen = 0

def f(x):
    physics.g = physics.g * x
    physics.seen += 1
    return physics.g + x * physics.seen

def args():
    return (1.2,)
"""

CELLS = """
def make():
    state, seen = 1.0, []
    def f(x):
        nonlocal state
        state = state * x
        seen.append(x)
        return state + x
    return f

f = make()

def args():
    return (1.3,)
"""

GENERATION = """
class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

def grow(node, by):
    if node is None:
        return 0.0
    node.value *= by
    return node.value + grow(node.left, by) + grow(node.right, by)

def f(tree, by):
    total = grow(tree, by)
    tree.left, tree.right = tree.right, Node(total)
    return total * tree.right.value

def args():
    return Node(1.0, Node(2.0), Node(3.0, Node(4.0))), 1.1
"""

TEXTS = {
    name.lower(): text for name, text in list(globals().items()) if name.isupper() and isinstance(text, str)
}
