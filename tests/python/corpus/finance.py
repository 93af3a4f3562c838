"""Money over time: options, loans, bonds, portfolios, taxes, simulated markets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tests.python.corpus import Example

# Upper limit and rate of each bracket.
BRACKETS = ((10_000.0, 0.0), (30_000.0, 0.2), (80_000.0, 0.35), (math.inf, 0.45))
PAYOFFS: dict[str, Callable[[float, float], float]] = {
    "call": lambda spot, strike: max(spot - strike, 0.0),
    "put": lambda spot, strike: max(strike - spot, 0.0),
}


@dataclass(frozen=True)
class Option:
    """A right to buy or to sell."""

    strike: float
    expiry: float
    kind: str = "call"
    american: bool = False

    def payoff(self, spot: float) -> float:
        return PAYOFFS[self.kind](spot, self.strike)


@dataclass(frozen=True)
class Bond:
    """A bond with yearly coupons."""

    face: float
    coupon: float
    years: int = 5

    def price(self, rate: float) -> float:
        coupons = sum(self.coupon * self.face / (1 + rate) ** t for t in range(1, self.years + 1))
        return coupons + self.face / (1 + rate) ** self.years


@dataclass(frozen=True)
class Account:
    """A balance and what has happened to it."""

    balance: float = 0.0
    history: tuple[str, ...] = ()

    def deposit(self, amount: float) -> Account:
        return Account(self.balance + amount, (*self.history, f"+{amount:.2f}"))

    def withdraw(self, amount: float) -> Account:
        if amount > self.balance:
            raise InsufficientFundsError(f"{amount:.2f} is more than {self.balance:.2f}")
        return Account(self.balance - amount, (*self.history, f"-{amount:.2f}"))


class InsufficientFundsError(Exception):
    """The balance is too small."""


def normal_cdf(x: float) -> float:
    """The distribution of a standard normal variable."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def black_scholes(spot: float, strike: float, rate: float, sigma: float, t: float) -> float:
    """The price of a European call."""
    d1 = (math.log(spot / strike) + (rate + sigma**2 / 2) * t) / (sigma * math.sqrt(t))
    d2 = d1 - sigma * math.sqrt(t)
    return spot * normal_cdf(d1) - strike * math.exp(-rate * t) * normal_cdf(d2)


def implied_volatility(price: float, spot: float, strike: float) -> float:
    """The volatility that explains a price, by Newton with the vega."""
    sigma = 0.3
    quote = partial(black_scholes, spot, strike, 0.02, t=1.0)
    for _ in range(6):
        d1 = math.log(spot / strike) / sigma + (0.02 + sigma**2 / 2) / sigma
        vega = spot * math.exp(-d1 * d1 / 2) / math.sqrt(math.tau)
        sigma += (price - quote(sigma=sigma)) / vega
    return sigma


def binomial_tree(option: Option, spot: float, rate: float, sigma: float, steps: int = 12) -> float:
    """The price on a tree of up and down moves."""
    dt = option.expiry / steps
    up = math.exp(sigma * math.sqrt(dt))
    discount = math.exp(-rate * dt)
    p = (1 / discount - 1 / up) / (up - 1 / up)
    values = [option.payoff(spot * up ** (2 * k - steps)) for k in range(steps + 1)]
    for step in range(steps - 1, -1, -1):
        values = [discount * (p * values[k + 1] + (1 - p) * values[k]) for k in range(step + 1)]
        if option.american:
            exercise = [option.payoff(spot * up ** (2 * k - step)) for k in range(step + 1)]
            values = list(map(max, values, exercise))
    return values[0]


def mortgage(principal: float, yearly: float, months: int = 12) -> list[dict[str, float]]:
    """The table of a loan with equal payments, every other month."""
    rate = yearly / 12
    payment = principal * rate / (1 - (1 + rate) ** -months)
    table = []
    for month in range(1, months + 1):
        interest = principal * rate
        principal -= payment - interest
        table.append({"month": month, "interest": interest, "left": principal})
    return table[::2]


def months_to_repay(debt: float, payment: float, yearly: float) -> tuple[int, float]:
    """How long a debt lasts, and the last payment."""
    months = 0
    while (debt := debt * (1 + yearly / 12)) > payment:
        debt -= payment
        months += 1
        if months > 600:
            raise OverflowError("the debt never ends")
    return months + 1, debt


def npv(rate: float, flows: Sequence[float]) -> float:
    return sum(flow / (1 + rate) ** t for t, flow in enumerate(flows))


def internal_rate(flows: Sequence[float], guess: float = 0.1) -> float:
    """The rate at which flows are worth nothing, by a secant with a numeric slope."""
    rate = guess
    for _ in range(8):
        slope = (npv(rate + 1e-4, flows) - npv(rate - 1e-4, flows)) / 2e-4
        rate -= npv(rate, flows) / slope
    return rate


def income_tax(income: float) -> float:
    """The tax by brackets."""
    tax = 0.0
    lower = 0.0
    for upper, rate in BRACKETS:
        if income <= lower:
            break
        tax += rate * (min(income, upper) - lower)
        lower = upper
    return tax


def duration(bond: Bond, rate: float) -> float:
    """The duration of a bond, from its prices."""
    return -(bond.price(rate * 1.01) - bond.price(rate * 0.99)) / (0.02 * rate * bond.price(rate))


def monte_carlo(spot: float, sigma: float, strike: float, paths: int = 30, seed: int = 42) -> float:
    """A call priced on pseudo-random paths of a linear congruential generator."""
    state = seed
    total = 0.0
    for _ in range(paths):
        log_price = math.log(spot)
        for _ in range(4):
            state = (1664525 * state + 1013904223) % 2**32
            u = (state + 1) / (2**32 + 1)
            state = (1664525 * state + 1013904223) & 0xFFFFFFFF
            v = state / 2**32
            z = math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
            log_price += sigma * z / 2 - sigma**2 / 8
        total += max(0.0, math.exp(log_price) - strike)
    return total / paths


def portfolio(weights: dict[str, float], covariance: dict[tuple[str, str], float]) -> dict[str, float]:
    """The risk of a portfolio, and the share of each asset in it."""
    variance = 0.0
    marginal: dict[str, float] = {}
    for a, wa in weights.items():
        for b, wb in weights.items():
            c = covariance[(a, b)] if (a, b) in covariance else covariance[b, a]
            variance += wa * wb * c
            marginal[a] = marginal.setdefault(a, 0.0) + wb * c
    risk = math.sqrt(variance)
    shares = {name: weights[name] * m / risk for name, m in marginal.items()}
    shares["risk"] = risk
    return shares


def drawdown(prices: Sequence[float]) -> float:
    """The largest loss from a peak."""
    peak, worst = prices[0], 0.0
    for price in prices:
        peak = max(peak, price)
        worst = max(worst, 1 - price / peak)
    return worst


def sharpe(prices: list[float], *, free: float = 0.0) -> float:
    """The reward for risk of daily returns."""
    returns = [math.log(prices[i] / prices[i - 1]) for i in range(1, len(prices))]
    mean = math.fsum(returns) / len(returns) - free
    return mean / math.sqrt(sum((r - mean) ** 2 for r in returns) / (len(returns) - 1))


def crossover(prices: list[float], fast: int, slow: int) -> tuple[float, list[str]]:
    """The gain of trading when two moving averages cross."""
    cash, shares = 100.0, 0.0
    log = []
    for day in range(slow, len(prices)):
        quick = sum(prices[day - fast : day]) / fast
        long = sum(prices[day - slow : day]) / slow
        price = prices[day]
        if quick > long and not shares:
            cash, shares = 0.0, cash / price
            log.append(f"day {day}: buy at {price:>7.2f}")
        elif quick < long and shares:
            cash, shares = shares * price, 0.0
            log.append(f"day {day}: sell at {price:>7.2f}")
    return cash + shares * prices[-1], log


def statement(*amounts: float) -> tuple[float, str]:
    """The balance after some transfers, and their text."""
    account = Account()
    for amount in amounts:
        account = account.deposit(amount) if amount >= 0 else account.withdraw(-amount)
    return account.balance, ", ".join(account.history)


FLOWS = [-100.0, 30.0, 40.0, 50.0, 20.0]
PRICES = [100.0, 102.0, 99.0, 105.0, 103.0, 98.0, 107.0, 110.0, 104.0]
COVARIANCE = {
    ("stock", "stock"): 0.04,
    ("stock", "bond"): -0.004,
    ("bond", "bond"): 0.01,
    ("gold", "gold"): 0.03,
    ("gold", "bond"): 0.001,
    ("stock", "gold"): 0.002,
}

EXAMPLES = [
    Example(black_scholes, (100.0, 95.0, 0.03, 0.25, 0.75)),
    Example(black_scholes, (-1.0, 95.0, 0.03, 0.25, 0.75), raises=ValueError),
    Example(implied_volatility, (12.0, 100.0, 98.0)),
    Example(binomial_tree, (Option(98.7, 0.5), 100.0, 0.03, 0.3)),
    Example(binomial_tree, (Option(103.1, 1.0, "put", american=True), 100.0, 0.05, 0.2)),
    Example(mortgage, (10_000.0, 0.06)),
    Example(months_to_repay, (1000.0, 90.0, 0.12)),
    Example(months_to_repay, (1000.0, 9.0, 0.12), raises=OverflowError),
    Example(npv, (0.05, FLOWS)),
    Example(internal_rate, (FLOWS,)),
    Example(income_tax, (47_500.0,)),
    Example(duration, (Bond(100.0, 0.04), 0.03)),
    Example(monte_carlo, (100.0, 0.3, 101.0)),
    Example(portfolio, ({"stock": 0.5, "bond": 0.3, "gold": 0.2}, COVARIANCE)),
    Example(drawdown, (PRICES,)),
    Example(sharpe, (PRICES,)),
    Example(crossover, (PRICES, 2, 4)),
    Example(statement, (50.0, -20.0, 5.25)),
    Example(statement, (50.0, -60.0), raises=InsufficientFundsError),
]
