"""Whole numbers: divisors, primes, bits, big integers, digits, generators of pseudo-random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from tests.python.corpus import Example

DIGITS = "0123456789abcdef"


def gcd(a: int, b: int) -> int:
    """Euclid's algorithm."""
    while b:
        a, b = b, a % b
    return a


def extended_gcd(a: int, b: int) -> tuple[int, int, int]:
    """The greatest common divisor as a combination."""
    if b == 0:
        return a, 1, 0
    g, x, y = extended_gcd(b, a % b)
    return g, y, x - a // b * y


def chinese_remainders(remainders: Sequence[int], moduli: Sequence[int]) -> int:
    """The number with these remainders."""
    total, product = 0, math.prod(moduli)
    for r, m in zip(remainders, moduli, strict=True):
        rest = product // m
        total += r * rest * extended_gcd(rest, m)[1]
    return total % product


def sieve(limit: int) -> list[int]:
    """The primes up to a limit."""
    prime = [True] * (limit + 1)
    prime[0] = prime[1] = False
    for n in range(2, math.isqrt(limit) + 1):
        if prime[n]:
            for multiple in range(n * n, limit + 1, n):
                prime[multiple] = False
    return [n for n, is_prime in enumerate(prime) if is_prime]


def primes_by_trial(count: int) -> list[int]:
    """The first primes, each tried by a loop with an else."""
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        for p in found:
            if candidate % p == 0:
                break
        else:
            found.append(candidate)
        candidate += 1
    return found


def prime_zeta(s: float, limit: int = 60) -> float:
    """The sum of the inverse powers of primes."""
    total: float = sum(p**-s for p in sieve(limit))
    return total


def factorize(n: int) -> dict[int, int]:
    """The prime factors and their powers."""
    factors: dict[int, int] = {}
    p = 2
    while p * p <= n:
        while n % p == 0:
            factors[p] = factors.get(p, 0) + 1
            n //= p
        p += 1 if p == 2 else 2
    if n > 1:
        factors.setdefault(n, 1)
    return factors


def totient(n: int) -> int:
    return reduce(lambda value, p: value // p * (p - 1), factorize(n), n)


def collatz_length(n: int) -> int:
    """The steps to 1."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def collatz_weight(n: int, up: float, down: float) -> float:
    """The steps to 1, up and down weighted."""
    weight = 0.0
    while n > 1:
        if n & 1:
            n = 3 * n + 1
            weight += up
        else:
            n >>= 1
            weight *= down
    return weight


def big_factorial(n: int) -> int:
    return 1 if n < 2 else n * big_factorial(n - 1)


def stirling_ratio(n: int, shift: float) -> float:
    """A large factorial against Stirling's formula."""
    x = n + shift
    stirling = 0.5 * math.log(2 * math.pi * x) + x * (math.log(x) - 1)
    return math.log(big_factorial(n)) - stirling


def pascal(rows: int) -> list[list[int]]:
    """Pascal's triangle."""
    triangle = [[1]]
    for n in range(1, rows):
        above = triangle[n - 1]
        triangle.append([1] + [above[k - 1] + above[k] for k in range(1, n)] + [1])
    return triangle


def bernstein(weights: Sequence[float], t: float) -> float:
    """A sum of Bernstein polynomials."""
    n = len(weights) - 1
    return sum(w * math.comb(n, k) * t**k * (1 - t) ** (n - k) for k, w in enumerate(weights))


def fibonacci(n: int) -> int:
    """A large Fibonacci number, by doubling."""

    def pair(k: int) -> tuple[int, int]:
        if k == 0:
            return 0, 1
        a, b = pair(k >> 1)
        c, d = a * (2 * b - a), a * a + b * b
        return (d, c + d) if k & 1 else (c, d)

    return pair(n)[0]


def golden_power(n: int, x: float) -> float:
    """Fibonacci numbers as coefficients of a series."""
    a = b = 1
    total = 0.0
    for k in range(n):
        total += a * x**k
        a, b = b, a + b
    return total


def is_probable_prime(n: int) -> bool:
    """The test of Miller and Rabin for some bases."""
    if n < 2 or n % 2 == 0:
        return n == 2
    d, s = n - 1, 0
    while not d & 1:
        d >>= 1
        s += 1
    for base in (2, 3, 5, 7, 11):
        if base % n == 0:
            continue
        x = pow(base, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def bit_tricks(n: int) -> dict[str, int]:
    """Several facts about the bits of a number."""
    count, rest = 0, n
    while rest:
        rest &= rest - 1
        count += 1
    return {
        "ones": count,
        "lowest": n & -n,
        "gray": n ^ (n >> 1),
        "flipped": ~n & 0xFF,
        "with_bit": n | 1 << 6,
        "length": len(f"{n:b}"),
    }


def xorshift(seed: int, count: int) -> list[int]:
    """A small generator of pseudo-random numbers."""
    x = seed
    numbers = []
    for _ in range(count):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        numbers.append(x)
    return numbers


def random_walk(step: float, drift: float, seed: int = 1) -> float:
    """The square of where a pseudo-random walk ends."""
    position = 0.0
    for number in xorshift(seed, 20):
        position += step if number % 2 else -step
        position += drift * (number % 7)
    return position**2


def to_base(n: int, base: int) -> str:
    """A number written in a base."""
    if n < 0:
        return "-" + to_base(-n, base)
    quotient, digit = divmod(n, base)
    return (to_base(quotient, base) if quotient else "") + DIGITS[digit]


def from_base(text: str, base: int) -> int:
    """A number read in a base."""
    value = 0
    for c in text.lower():
        digit = DIGITS.find(c)
        if not 0 <= digit < base:
            raise ValueError(f"{c!r} is no digit in base {base}")
        value = value * base + digit
    return value


def digit_sums(n: int) -> tuple[int, int, bool]:
    """The sum of the digits, the digital root, and whether 9 divides."""
    total = sum(map(int, str(n)))
    root = total
    while root >= 10:
        root = sum(int(c) for c in str(root))
    return total, root, n % 9 == 0


def egyptian(x: float, n: int) -> float:
    """A product by doubling and halving."""
    total = 0.0
    while n > 0:
        n, odd = divmod(n, 2)
        if odd:
            total += x
        x += x
    return total


def bernoulli_numbers(count: int) -> list[tuple[int, int]]:
    """Exact Bernoulli numbers as fractions of big integers."""
    numbers: list[tuple[int, int]] = []
    row: list[tuple[int, int]] = []
    for m in range(count):
        row.append((1, m + 1))
        for j in range(m, 0, -1):
            (a, b), (c, d) = row[j - 1], row[j]
            top, bottom = j * (a * d - c * b), b * d
            shared = math.gcd(top, bottom)
            row[j - 1] = (top // shared, bottom // shared)
        numbers.append(row[0])
    return numbers


def euler_maclaurin(x: float) -> float:
    """The digamma function from Bernoulli numbers."""
    total = math.log(x) - 1 / (2 * x)
    for k, (top, bottom) in enumerate(bernoulli_numbers(9)):
        if k and k % 2 == 0:
            total -= top / bottom / (k * x**k)
    return total


def floor_and_rest(x: float, unit: float) -> tuple[int, float]:
    """How often a unit fits, and the rest."""
    times = x // unit
    assert times == math.floor(x / unit)
    return int(times), x % unit


def calendar_phase(year: int, day: float) -> tuple[str, float]:
    """The kind of a year, and the height of the sun."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    length = 366 if leap else 365
    return "leap" if leap else "common", math.sin(2 * math.pi * (day - 80.0) / length)


EXAMPLES = [
    Example(gcd, (1071, 462), differentiable=False),
    Example(chinese_remainders, ([2, 3, 2], [3, 5, 7]), differentiable=False),
    Example(sieve, (50,), differentiable=False),
    Example(primes_by_trial, (15,), differentiable=False),
    Example(prime_zeta, (2.5,)),
    Example(factorize, (360360,), differentiable=False),
    Example(totient, (5040,), differentiable=False),
    Example(collatz_length, (27,), differentiable=False),
    Example(collatz_weight, (7, 1.5, 0.9)),
    Example(stirling_ratio, (40, 0.5)),
    Example(pascal, (8,), differentiable=False),
    Example(bernstein, ([1.0, 3.0, -2.0, 0.5], 0.35)),
    Example(fibonacci, (400,), differentiable=False),
    Example(golden_power, (15, 0.4)),
    Example(is_probable_prime, (2**61 - 1,), differentiable=False),
    Example(bit_tricks, (44,), differentiable=False),
    Example(random_walk, (1.0, 0.05)),
    Example(to_base, (-3735928559, 16), differentiable=False),
    Example(from_base, ("Zoo", 16), raises=ValueError),
    Example(digit_sums, (987654321987654321,), differentiable=False),
    Example(egyptian, (1.25, 45)),
    Example(euler_maclaurin, (6.5,)),
    Example(floor_and_rest, (17.3, 2.5)),
    Example(calendar_phase, (2024, 172.25)),
    Example(calendar_phase, (1900, 10.0)),
]
