"""Control, money, chemistry, signals, texts, games."""

import copy
import datetime
import json
import math
import warnings
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial, reduce

import numpy as np

from experiments.packages.case import Case


class PID:
    def __init__(self, kp, ki, kd, setpoint=1.0):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.setpoint = setpoint
        self._integral = 0.0
        self._last = None

    def __call__(self, measured, dt):
        error = self.setpoint - measured
        self._integral = min(max(self._integral + error * dt, -5.0), 5.0)
        slope = 0.0 if self._last is None else (error - self._last) / dt
        self._last = error
        return self.kp * error + self.ki * self._integral + self.kd * slope


class Tank:
    def __init__(self, level=0.0):
        self.level = level

    def step(self, inflow, dt):
        self.level += dt * (inflow - 0.5 * math.sqrt(abs(self.level) + 1e-3))


def tank_control(kp, ki, kd):
    pid, tank = PID(kp, ki, kd), Tank(0.2)
    cost = 0.0
    for _ in range(30):
        tank.step(pid(tank.level, 0.1), 0.1)
        cost += (tank.level - pid.setpoint) ** 2
    return cost


def lqr(q, r):
    a = np.array([[1.0, 0.1], [0.0, 1.0]])
    b = np.array([[0.0], [0.1]])
    p = q * np.eye(2)
    for _ in range(20):
        k = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = q * np.eye(2) + a.T @ p @ (a - b @ k)
    return np.trace(p) + k[0, 1]


@dataclass(frozen=True)
class Option:
    strike: float
    maturity: float
    call: bool = True

    def payoff(self, spot):
        return max(spot - self.strike, 0.0) if self.call else max(self.strike - spot, 0.0)


class Market:
    def __init__(self, spot, rate, volatility):
        self.spot, self.rate, self.volatility = spot, rate, volatility

    def _d(self, option):
        root = self.volatility * math.sqrt(option.maturity)
        d1 = (
            math.log(self.spot / option.strike) + (self.rate + self.volatility**2 / 2) * option.maturity
        ) / root
        return d1, d1 - root

    @staticmethod
    def cdf(x):
        return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))

    def price(self, option):
        d1, d2 = self._d(option)
        discount = math.exp(-self.rate * option.maturity)
        value = self.spot * self.cdf(d1) - option.strike * discount * self.cdf(d2)
        if not option.call:
            value += option.strike * discount - self.spot
        return value

    def binomial(self, option, steps=12):
        dt = option.maturity / steps
        up = math.exp(self.volatility * math.sqrt(dt))
        p = (math.exp(self.rate * dt) - 1 / up) / (up - 1 / up)
        values = [option.payoff(self.spot * up ** (2 * i - steps)) for i in range(steps + 1)]
        for step in reversed(range(steps)):
            for i in range(step + 1):
                hold = math.exp(-self.rate * dt) * (p * values[i + 1] + (1 - p) * values[i])
                values[i] = max(hold, option.payoff(self.spot * up ** (2 * i - step)))
        return values[0]


def option_pricing(spot, rate, volatility):
    market = Market(spot, rate, volatility)
    put = Option(100.0, 0.5, call=False)
    return market.price(replace(put, call=True)) + market.price(put) + market.binomial(put)


class Account:
    fee = 0.25

    def __init__(self, owner, balance=0.0):
        self.owner = owner
        self.balance = balance
        self.entries = []

    def deposit(self, amount, when):
        if amount <= 0:
            raise ValueError(f"bad amount {amount}")
        self.balance += amount
        self.entries.append({"when": when, "amount": amount})

    def accrue(self, rate):
        self.balance *= 1.0 + rate


class Savings(Account):
    def __init__(self, owner, rate, **kwargs):
        super().__init__(owner, **kwargs)
        self.rate = rate

    def month(self):
        self.accrue(self.rate / 12)
        self.balance -= self.fee


def saving(rate, deposit):
    account = Savings("ann", rate, balance=100.0)
    start = datetime.date(2026, 1, 31)
    for month in range(12):
        try:
            account.deposit(deposit if month % 5 else -1.0, start + datetime.timedelta(days=30 * month))
        except ValueError:
            account.deposit(10.0, start)
        account.month()
    days = (account.entries[-1]["when"] - start).days
    return account.balance + 0.001 * days * sum(e["amount"] for e in account.entries)


class Reaction:
    def __init__(self, rate, inputs, outputs):
        self.rate = rate
        self.inputs = inputs
        self.outputs = outputs

    def speed(self, concentrations):
        return reduce(lambda v, s: v * concentrations[s], self.inputs, self.rate)


class Network:
    def __init__(self, *reactions):
        self.reactions = reactions
        self.species = sorted({s for r in reactions for s in (*r.inputs, *r.outputs)})

    def simulate(self, start, dt, steps):
        c = {s: start.get(s, 0.0) for s in self.species}
        for _ in range(steps):
            change = dict.fromkeys(self.species, 0.0)
            for reaction in self.reactions:
                v = reaction.speed(c)
                for s in reaction.inputs:
                    change[s] -= v
                for s in reaction.outputs:
                    change[s] += v
            for s, dc in change.items():
                c[s] += dt * dc
        return c


def kinetics(k1, k2):
    network = Network(Reaction(k1, ["A", "B"], ["C"]), Reaction(k2, ["C"], ["A", "D"]))
    end = network.simulate({"A": 1.0, "B": 0.8}, 0.05, 40)
    return end["D"] + 2.0 * end["C"]


class Tree:
    def __init__(self, value, left=None, right=None, parent=None):
        self.value, self.left, self.right, self.parent = value, left, right, parent
        for child in (left, right):
            if child is not None:
                child.parent = self

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self
        if self.right:
            yield from self.right

    def depth(self):
        return 0 if self.parent is None else 1 + self.parent.depth()


def tree_sum(x, y):
    tree = Tree(x, Tree(y, Tree(x * y)), Tree(x + y, None, Tree(y**2)))
    for node in tree:
        node.value *= 0.5 ** node.depth()
    return sum(node.value * (i + 1) for i, node in enumerate(tree))


def parsed(x, y):
    text = json.loads('{"terms": [["mul", "x", "y"], ["add", "x", "x"], ["sin", "y"]], "scale": 0.5}')
    operations = {"mul": lambda a, b: a * b, "add": lambda a, b: a + b, "sin": math.sin}
    names = {"x": x, "y": y}
    total = 0.0
    for name, *operands in text["terms"]:
        total += operations[name](*[names[o] for o in operands])
    return text["scale"] * total


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        return reduce(lambda acc, c: acc * x + c, self.coefficients, 0.0)

    def __mul__(self, other):
        if not isinstance(other, Polynomial):
            return Polynomial(*(c * other for c in self.coefficients))
        found = [0.0] * (len(self) + len(other) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                found[i + j] += a * b
        return Polynomial(*found)

    __rmul__ = __mul__

    def __len__(self):
        return len(self.coefficients)

    def __getitem__(self, i):
        return self.coefficients[i]

    def __repr__(self):
        return " + ".join(f"{c:.2f} x^{len(self) - i - 1}" for i, c in enumerate(self.coefficients))


def polynomials(a, b):
    p = 2 * (Polynomial(a, 1.0) * Polynomial(b, -1.0, a))
    print("p is", p)
    return p(0.5) + p[0] * p[-1]


def game_of_chicken(swerve, crash):
    payoffs = np.array([[swerve, -1.0], [2.0, crash]])
    strategies = [np.array([0.5, 0.5]), np.array([0.9, 0.1])]
    for _ in range(10):
        updated = []
        for i, own in enumerate(strategies):
            gain = payoffs @ strategies[1 - i]
            weights = own * np.exp(0.3 * gain)
            updated.append(weights / weights.sum())
        strategies = updated
    return strategies[0] @ payoffs @ strategies[1]


def moving_filter(a, b):
    signal = [math.sin(0.3 * i) for i in range(20)]
    weights = {Fraction(1, 4): a, Fraction(1, 2): b}
    smooth = partial(np.convolve, v=np.array([float(k) * w for k, w in weights.items()]), mode="same")
    out = smooth(np.array(signal))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out[::2] *= 2.0
        out[out < 0] = 0.0
    return np.sqrt(np.mean(out**2))


@dataclass
class Settings:
    rate: float
    steps: int = 10
    name: str = "run"


class Simulation:
    registry = []  # noqa: RUF012

    def __init__(self, settings):
        self.settings = settings
        self.state = {"x": 1.0, "v": [0.0, 0.1]}
        self.snapshots = []

    @classmethod
    def from_dict(cls, found):
        return cls(Settings(**found))

    def run(self):
        for i in range(self.settings.steps):
            self.snapshots.append(copy.deepcopy(self.state))
            self.state["x"] += self.settings.rate * self.state["v"][i % 2]
            self.state["v"][i % 2] -= self.settings.rate * self.state["x"]
        return self


def snapshots(rate):
    simulation = Simulation.from_dict({"rate": rate, "name": "first"}).run()
    assert asdict(simulation.settings)["steps"] == 10
    return simulation.snapshots[5]["x"] + simulation.snapshots[7]["v"][1] + simulation.state["x"]


ME = __name__
CASES = (
    Case(ME, tank_control, (2.0, 0.5, 0.05)),
    Case(ME, lqr, (2.0, 0.5)),
    Case(ME, option_pricing, (102.3, 0.03, 0.2)),
    Case(ME, saving, (0.05, 40.0)),
    Case(ME, kinetics, (0.9, 0.4)),
    Case(ME, tree_sum, (1.5, 0.7)),
    Case(ME, parsed, (1.5, 0.7)),
    Case(ME, polynomials, (1.5, 0.7)),
    Case(ME, game_of_chicken, (0.3, -5.0)),
    Case(ME, moving_filter, (0.8, 1.4)),
    Case(ME, snapshots, (0.3,)),
)
