"""Classes of exceptions that are chosen when the program runs: in variables, tables, arguments."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

from tests.python.corpus import Example


class Plain(Exception):
    code = 3


class Valued(ValueError):
    def __init__(self, value, *more, scale=1.0):
        super().__init__(value)
        self.value, self.more = value * scale, more


TABLE = {"plain": Plain, "valued": Valued, "key": KeyError}


def chosen(x):
    for kind in (Plain, Valued, KeyError, ArithmeticError):
        try:
            raise kind(x)
        except Valued as error:
            x = x * error.value
        except Plain as error:
            x = x + error.args[0] * error.code
        except (KeyError, ArithmeticError) as error:
            x = x * 2 + len(error.args)
    return x


def passed(x):
    def fail(kind, *args, **named):
        raise kind(*args, **named)

    found = []
    for kind, args, named in (
        (TABLE["valued"], (x, 2 * x), {"scale": x}),
        (TABLE["plain"], (), {}),
        (TABLE["key"], ("a", x), {}),
    ):
        try:
            fail(kind, *args, **named)
        except Exception as error:
            found.append((type(error) is kind, error.args, getattr(error, "value", 0.0), str(error)))
    return found


def local(x):
    class Own(Plain):
        pass

    class Held(Exception):
        def __init__(self, value):
            super().__init__("held", value)
            self.value = value

    kinds = {"own": Own, "held": Held}
    total = 0.0
    for name, kind in kinds.items():
        try:
            raise kind(x)
        except Plain as error:
            total += error.args[0] * error.code
        except Held as error:
            total += error.value**2 * len(error.args)
        total += len(name)
    return total


def made_without_raising(x):
    made = [kind(x) for kind in (Valued, Plain)]
    return made[0].value * made[1].args[0], isinstance(made[0], ValueError)


def starred(x):
    args = (x, 2.0)
    try:
        raise Valued(*args, scale=3.0)
    except Valued as error:
        return error.value * error.more[0], error.args


def compared(x):
    """Classes of exceptions are one value each, alone and in containers."""
    kinds, table = [Plain, ValueError, KeyError], {Plain: x, KeyError: x * x}
    same = [
        kinds[0] is Plain,
        kinds[1] is ValueError,
        KeyError in kinds,
        Valued in kinds,
        kinds[2] is ValueError,
    ]
    return x * kinds.index(KeyError) * table[KeyError] * table[type(Plain())], same, kinds.count(ValueError)


def missing(x):
    kind = TABLE["valued"]
    raise kind()


def uncaught(x):
    kind = TABLE["plain"]
    raise kind("text")


EXAMPLES = [
    Example(chosen, (0.7,)),
    Example(passed, (0.7,), differentiable=False),
    Example(local, (0.7,)),
    Example(made_without_raising, (0.7,)),
    Example(starred, (0.7,)),
    Example(compared, (0.7,)),
    Example(missing, (0.7,), raises=TypeError),
    Example(uncaught, (0.7,), raises=Plain),
]
