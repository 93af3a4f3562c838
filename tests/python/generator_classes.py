"""Random classes, as text: what programs of objects are made of.

In: a generator of random numbers. Out: classes, each with its text and what its objects allow.
All have floats `x` and `y`, a list `items` of floats, a `link` to an object or None, and methods `step(k)`,
which changes the object and returns it, and `value()`. What else one has is drawn from FEATURES.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

NUMBERS = (0.5, 1.0, 0.0, -1.5, 2.25, -0.0, 0.3)


@dataclass(frozen=True)
class Feature:
    """A part of a class.

    name: of the construct; body: methods; uses: statements on an object `{o}` of such a class `{K}`; first: a
    statement of its constructor.
    """

    name: str
    body: str
    uses: tuple[str, ...]
    first: str = ""


@dataclass(frozen=True)
class Class:
    """A class, the names of its features with those of its bases, and the statements that they allow."""

    name: str
    text: str
    features: tuple[str, ...]
    uses: tuple[str, ...]


FEATURES = (
    Feature(
        "property",
        """
    @property
    def p(self):
        return self.x * 2.0

    @p.setter
    def p(self, value):
        if value > 50.0:
            raise ValueError("too large")
        self.x = value / 2.0
""",
        ("{o}.p = {e}", "{f} = {o}.p + {e}", "{o}.p {op}= {e}"),
    ),
    Feature(
        "read-only property",
        """
    @property
    def q(self):
        return self.y - self.items[0]
""",
        ("{f} = {o}.q", "{o}.x = {o}.q {op} {e}"),
    ),
    Feature(
        "class attribute",
        """
    total = {c}
    names = ("x", "y")

    def add(self, k):
        self.total += k
        return self.total
""",
        ("{f} = {o}.add({e})", "{f} = {K}.total + {o}.total", "{f} = len({o}.names) * {e}"),
    ),
    Feature(
        "class method",
        """
    @classmethod
    def make(cls, k):
        made = cls(k, {c})
        made.items.append(made.y)
        return made
""",
        ("{o} = {K}.make({e})", "{o} = {o}.make({e})"),
    ),
    Feature(
        "static method",
        """
    @staticmethod
    def mix(a, b=0.5):
        return a * b + {c}
""",
        ("{f} = {K}.mix({e})", "{f} = {o}.mix({e}, {e})"),
    ),
    Feature(
        "arithmetic",
        """
    def __add__(self, other):
        if not hasattr(other, "items"):
            return NotImplemented
        return type(self)(self.x + other.x, self.y - other.y)

    def __mul__(self, k):
        return type(self)(self.x * k, self.y)

    __rmul__ = __mul__

    def __neg__(self):
        self.items.append(-self.y)
        return self
""",
        ("{o} = {o} + {p}", "{o} = {o} * {e}", "{o} = {e} * {o}", "{p} = -{o}"),
    ),
    Feature(
        "in-place arithmetic",
        """
    def __iadd__(self, other):
        self.items.extend(other.items[:2])
        self.y += other.y
        return self

    def __isub__(self, k):
        self.x -= k
        return self
""",
        ("{o} += {p}", "{o} -= {e}", "{o}.link = {o}; {o} -= {e}"),
    ),
    Feature(
        "order",
        """
    def __lt__(self, other):
        return self.x < other.x
""",
        ("{f} = 1.0 if {o} < {p} else {e}", "{f} = min([{o}, {K}({e}), {K}({e})]).x"),
    ),
    Feature(
        "equality",
        """
    def __eq__(self, other):
        return hasattr(other, "x") and self.x == other.x
""",
        ("{f} = 1.0 if {o} == {p} else {e}", "{f} = 1.0 if {o} in objs else {e}", "{f} = objs.count({o})"),
    ),
    Feature(
        "truth",
        """
    def __bool__(self):
        return self.x > {c}
""",
        ("{f} = {e} if {o} else {e}", "{p} = {o} or {p}", "{f} = ({o} and {p}).x", "if not {o}: {o}.x = {e}"),
    ),
    Feature(
        "container",
        """
    def __len__(self):
        return len(self.items) + 1

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value

    def __delitem__(self, i):
        del self.items[i]

    def __contains__(self, value):
        return value in self.items
""",
        (
            "{f} = {o}[0] * {e}",
            "{o}[0] {op}= {e}",
            "{o}[-1] = {e}",
            "{f} = len({o}) + {e}",
            "if len({o}) > 3: del {o}[1]",
            "{f} = 1.0 if {f} in {o} else {e}",
        ),
    ),
    Feature(
        "iteration",
        """
    def __iter__(self):
        return iter(self.items)
""",
        ("{f} = sum({o}) + {e}", "{f} = max([*{o}])", "{f} = sum([v * v for v in {o}])"),
    ),
    Feature(
        "call",
        """
    def __call__(self, k=1.5):
        self.y += 0.25
        return math.tanh(self.x) * k + self.y
""",
        ("{f} = {o}({e})", "{f} = {o}() + {o}()", "{f} = max([{e}, {e}], key={o})"),
    ),
    Feature(
        "context",
        """
    def __enter__(self):
        self.x += 1.0
        return self

    def __exit__(self, kind, error, trace):
        self.y = -self.y
        self.items.append(0.0 if kind is None else 1.0)
        return kind is ValueError
""",
        (
            "with {o} as w: w.y {op}= {e}",
            "with {o}: {f} = {e} + {o}.x",
            'with {o}: raise ValueError("inside")',
        ),
    ),
    Feature(
        "missing attributes",
        """
    def __getattr__(self, name):
        if name == "w" or name.startswith("__"):
            raise AttributeError("no w yet")
        return {c}
""",
        ("{f} = {o}.unheard", "{f} = getattr({o}, 'w', {e})", "{o}.w = {e}", "{f} = hasattr({o}, 'w') + {e}"),
    ),
    Feature(
        "watched attributes",
        """
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name == "x":
            object.__setattr__(self, "writes", getattr(self, "writes", 0) + 1)
""",
        ("{o}.x {op}= {e}; {f} = {o}.writes", "setattr({o}, 'x', {e})", "{f} = {o}.writes"),
    ),
    Feature(
        "text",
        """
    def __repr__(self):
        return f"<{type(self).__name__} {self.x:.3g}>"
""",
        ("print({o})", "print(f'{{{o}!r:>12}}', {e})", "print([{o}, {o}], str({o}))"),
    ),
    Feature(
        "inner object",
        """
    def rate(self):
        self.inner.level *= 0.5
        return self.inner.level
""",
        ("{f} = {o}.rate()", "{o}.inner.level {op}= {e}", "{f} = {o}.inner.level", "{o}.inner = Inner({e})"),
        "self.inner = Inner(self.y)",
    ),
    Feature(
        "table",
        """
    def keep(self, key, value):
        self.table[key] = self.table.get(key, 0.0) + value
        return self.table
""",
        (
            "{o}.keep('a', {e})['b'] = {e}",
            "{f} = sum({o}.table.values()) + {e}",
            "{o}.table['a'] {op}= {e}",
            "{f} = {o}.table.pop('b', {e})",
            "for key, v in {o}.table.items(): {f} = v * {e}",
        ),
        "self.table = {{'a': self.x}}",
    ),
    Feature(
        "bound method",
        """
    def shifted(self, k):
        def inside(t):
            self.y = t
            return t + self.x * k
        return inside
""",
        (
            "{f} = {o}.shifted({e})({e})",
            "g = {o}.step; g({e})",
            "h = {o}.shifted({e}); {f} = h({e}) + h({e})",
        ),
    ),
)
BY_NAME = {feature.name: feature for feature in FEATURES}
_CHANGES = (
    "self.x {op}= k * self.y",
    "self.x, self.y = self.y, self.x",
    "self.items.append(self.x)",
    "self.items[0] {op}= k",
    "self.items = [*self.items[-3:], k]",
    "self.y = math.sin(self.x) + k",
    "if self.link is not None: self.link.x += k",
    "if k > 3.0: raise ValueError(f'k is {{k:.3g}}')",
    "for i in range(len(self.items)): self.items[i] *= 0.5",
)
_VALUES = ("self.x * self.y", "sum(self.items)", "math.tanh(self.x) - self.y", "self.items[-1] + {c}")


def classes(random: Random) -> list[Class]:
    """Return one to three classes, of which later ones may derive from earlier ones."""
    made: list[Class] = []
    for name in "ABC"[: random.choice((1, 2, 2, 3))]:
        derives = made and random.random() < 0.6
        made.append(_derived(random, name, random.choice(made)) if derives else _based(random, name))
    return made


def _based(random: Random, name: str) -> Class:
    """Return a class of no other: a plain one, one with slots, or a dataclass."""
    features = random.sample(FEATURES, random.choice((0, 1, 2, 2, 3)))
    kind = random.choice(("plain", "plain", "slots", "dataclass"))
    if kind == "dataclass":
        firsts = [f.first for f in features if f.first]
        after = ["self.items.append(self.x)", *firsts]
        head = f"@dataclass(eq=False)\nclass {name}:\n    x: float\n    y: float = {random.choice(NUMBERS)}\n"
        head += "    items: list = field(default_factory=list)\n    link: object = None\n\n"
        head += _method("__post_init__(self)", after)
    else:
        starts = ["self.x = x", "self.y = y", "self.items = [x]", "self.link = None"]
        slots = '    __slots__ = ("__dict__", "items", "link", "x", "y")\n\n' if kind == "slots" else ""
        head = f"class {name}:\n{slots}"
        head += _method(
            f"__init__(self, x, y={random.choice(NUMBERS)})",
            [*starts, *(f.first for f in features if f.first)],
        )
    return _finished(random, name, head, features, None)


def _derived(random: Random, name: str, base: Class) -> Class:
    """Return a class that derives from another."""
    others = [feature for feature in FEATURES if feature.name not in base.features]
    features = random.sample(others, random.choice((0, 1, 1, 2)))
    head = f"class {name}({base.name}):\n"
    firsts = [f.first for f in features if f.first]
    if firsts or random.random() < 0.6:
        start = random.choice(
            ("super().__init__(x, y)", "super().__init__(y, x)", f"{base.name}.__init__(self, x)")
        )
        own = ["self.z = x * y"] if random.random() < 0.5 else []
        head += _method(f"__init__(self, x, y={random.choice(NUMBERS)})", [start, *own, *firsts])
    return _finished(random, name, head, features, base)


def _finished(random: Random, name: str, head: str, features: list[Feature], base: Class | None) -> Class:
    """Return a class with its methods after its head."""
    changes = random.sample(_CHANGES, random.choice((1, 2, 3)))
    body = head
    if base is None:
        body += _method("step(self, k)", [*changes, "return self"])
        body += _method("value(self)", [f"return {random.choice(_VALUES)}"])
    elif random.random() < 0.7:
        body += _method("step(self, k)", [*changes, "return super().step(-k)"])
    else:
        body += _method("value(self)", [f"return super().value() * {random.choice(NUMBERS)}"])
    body = body.replace("{{", "\0").replace("}}", "\1")
    body += "".join(f"{feature.body[1:]}\n" for feature in features)
    text = (
        body.replace("{op}", random.choice("+-*"))
        .replace("{c}", str(random.choice(NUMBERS)))
        .replace("\0", "{")
        .replace("\1", "}")
    )
    inherited = base or Class("", "", (), ())
    uses = tuple(use for feature in features for use in feature.uses)
    names = tuple(feature.name for feature in features)
    return Class(name, f"{text.rstrip()}\n", inherited.features + names, inherited.uses + uses)


def _method(signature: str, lines: list[str]) -> str:
    """Return the text of a method."""
    return f"    def {signature}:\n" + "".join(f"        {line}\n" for line in lines) + "\n"
