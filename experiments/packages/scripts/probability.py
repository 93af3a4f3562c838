"""Statistics, hidden states, clusters, learning."""

import functools
import heapq
import itertools
import math
import random
import statistics
from abc import ABC, abstractmethod
from collections import Counter, namedtuple
from contextlib import contextmanager
from enum import Enum

import numpy as np

from experiments.packages.case import Case


class HMM:
    def __init__(self, start, transition, emission):
        self.start = start
        self.transition = transition
        self.emission = emission
        self.n_states = len(start)

    def log_likelihood(self, observations):
        alpha = [math.log(p) + math.log(self.emission[s][observations[0]]) for s, p in enumerate(self.start)]
        for o in observations[1:]:
            alpha = [
                self._logsumexp([alpha[r] + math.log(self.transition[r][s]) for r in range(self.n_states)])
                + math.log(self.emission[s][o])
                for s in range(self.n_states)
            ]
        return self._logsumexp(alpha)

    @staticmethod
    def _logsumexp(values):
        top = max(values)
        return top + math.log(sum(math.exp(v - top) for v in values))


def hidden_markov(stay, hit):
    model = HMM([0.6, 0.4], [[stay, 1 - stay], [0.3, 0.7]], [{"a": hit, "b": 1 - hit}, {"a": 0.2, "b": 0.8}])
    return model.log_likelihood("abbaab")


def viterbi_crf(weights, bias):
    labels = ("N", "V", "D")
    sentence = ["the", "dog", "runs"]
    features = {("the", "D"): weights[0], ("dog", "N"): weights[1], ("runs", "V"): weights[2]}
    scores = {label: features.get((sentence[0], label), bias) for label in labels}
    back = []
    for word in sentence[1:]:
        new, pointers = {}, {}
        for label in labels:
            best = max(scores, key=lambda previous: scores[previous] + (0.5 if previous != label else 0.0))
            pointers[label] = best
            new[label] = scores[best] + features.get((word, label), bias) + (0.5 if best != label else 0.0)
        scores = new
        back.append(pointers)
    last = max(scores, key=scores.get)
    path = [last]
    for pointers in reversed(back):
        path.append(pointers[path[-1]])
    return scores[last] + 0.1 * len(set(path))


class Layer(ABC):
    @abstractmethod
    def forward(self, x): ...

    def __call__(self, x):
        return self.forward(x)


class Dense(Layer):
    def __init__(self, weights, bias, activation=None):
        self.weights = weights
        self.bias = bias
        self.activation = activation
        self.last = None

    def forward(self, x):
        self.last = x
        z = x @ self.weights + self.bias
        return self.activation(z) if self.activation else z


class Dropout(Layer):
    def __init__(self, rate, rng):
        self.rate, self.rng = rate, rng

    def forward(self, x):
        return x * (self.rng.random(x.shape) > self.rate) / (1.0 - self.rate)


class Sequential(Layer):
    def __init__(self, *layers):
        self.layers = list(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def neural_network(w1, w2):
    net = Sequential(Dense(w1, np.zeros(3), np.tanh), Dropout(0.3, np.random.default_rng(7)), Dense(w2, 0.1))
    x = np.array([[0.1, 0.5], [0.3, -0.2]])
    loss = np.mean((net(x) - np.array([[1.0], [0.0]])) ** 2)
    assert net.layers[0].last is x
    return loss


class Optimizer:
    def __init__(self, rate, momentum=0.9):
        self.rate = rate
        self.momentum = momentum
        self.velocity = {}

    def update(self, name, value, gradient):
        v = self.momentum * self.velocity.get(name, 0.0) - self.rate * gradient
        self.velocity[name] = v
        return value + v


def unrolled_training(rate, momentum):
    optimizer = Optimizer(rate, momentum)
    a, b = 1.0, -1.0
    data = [(0.1 * i, 0.3 * i + 0.5) for i in range(6)]
    for _epoch in range(5):
        ga = sum(2 * (a * x + b - y) * x for x, y in data) / len(data)
        gb = sum(2 * (a * x + b - y) for x, y in data) / len(data)
        a, b = optimizer.update("a", a, ga), optimizer.update("b", b, gb)
    return sum((a * x + b - y) ** 2 for x, y in data)


class KMeans:
    def __init__(self, k, iterations=5):
        self.k = k
        self.iterations = iterations
        self.centres = None

    def fit(self, points):
        self.centres = [list(p) for p in points[: self.k]]
        for _ in range(self.iterations):
            groups = [[] for _ in range(self.k)]
            for p in points:
                distances = [sum((a - b) ** 2 for a, b in zip(p, c)) for c in self.centres]
                groups[distances.index(min(distances))].append(p)
            for i, group in enumerate(groups):
                if group:
                    self.centres[i] = [sum(column) / len(group) for column in zip(*group)]
        return self

    def inertia(self, points):
        return sum(min(sum((a - b) ** 2 for a, b in zip(p, c)) for c in self.centres) for p in points)


def clustering(points):
    return KMeans(2).fit(points).inertia(points)


Prior = namedtuple("Prior", ["mean", "sd"])


class BayesianRegression:
    priors = {"slope": Prior(0.0, 1.0), "intercept": Prior(0.0, 2.0)}  # noqa: RUF012

    def __init__(self, data):
        self.data = data

    def log_prior(self, **parameters):
        return sum(
            -0.5 * ((value - self.priors[name].mean) / self.priors[name].sd) ** 2
            for name, value in parameters.items()
        )

    def log_posterior(self, slope, intercept, noise):
        likelihood = 0.0
        for x, y in self.data:
            likelihood += -0.5 * ((y - slope * x - intercept) / noise) ** 2 - math.log(noise)
        return self.log_prior(slope=slope, intercept=intercept) + likelihood


def bayesian(slope, intercept, noise):
    model = BayesianRegression([(0.0, 0.1), (1.0, 1.2), (2.0, 1.9)])
    return model.log_posterior(slope, intercept, noise)


def soft_edit_distance(substitution, gap):
    @functools.lru_cache(maxsize=None)
    def same(a, b):
        return a == b

    def distance(a, b):
        if not a or not b:
            return gap * (len(a) + len(b))
        cost = 0.0 if same(a[0], b[0]) else substitution
        options = [distance(a[1:], b[1:]) + cost, distance(a[1:], b) + gap, distance(a, b[1:]) + gap]
        return -math.log(sum(math.exp(-o) for o in options))

    return distance("gatt", "cat")


def dynamic_programming(values, capacity=5):
    weights = [2, 3, 1, 4]
    table = np.zeros((len(weights) + 1, capacity + 1))
    for i, (w, v) in enumerate(zip(weights, values), start=1):
        for c in range(capacity + 1):
            table[i, c] = table[i - 1, c]
            if w <= c and table[i - 1, c - w] + v > table[i, c]:
                table[i, c] = table[i - 1, c - w] + v
    return table[-1, -1]


class Kalman:
    def __init__(self, x, p, q, r):
        self.x, self.p, self.q, self.r = x, p, q, r

    def predict(self):
        self.p += self.q
        return self

    def update(self, z):
        k = self.p / (self.p + self.r)
        self.x += k * (z - self.x)
        self.p *= 1 - k
        return self


def kalman_class(q, r):
    kf = Kalman(0.0, 1.0, q, r)
    estimates = [kf.predict().update(z).x for z in (0.9, 1.1, 1.4, 0.8)]
    return statistics.fmean(estimates) + kf.p


class Compartment(Enum):
    S = 0
    I = 1  # noqa: E741
    R = 2


class Epidemic:
    def __init__(self, beta, gamma):
        self.beta, self.gamma = beta, gamma
        self.state = {Compartment.S: 0.99, Compartment.I: 0.01, Compartment.R: 0.0}
        self.peak = 0.0

    def run(self, days):
        for _day in range(days):
            infected = self.beta * self.state[Compartment.S] * self.state[Compartment.I]
            recovered = self.gamma * self.state[Compartment.I]
            self.state[Compartment.S] -= infected
            self.state[Compartment.I] += infected - recovered
            self.state[Compartment.R] += recovered
            self.peak = max(self.peak, self.state[Compartment.I])
            yield self.state[Compartment.I]


def epidemic(beta, gamma):
    model = Epidemic(beta, gamma)
    curve = list(model.run(40))
    return model.peak + sum(curve) / len(curve)


def monte_carlo(mean, spread):
    rng = random.Random(11)
    total = 0.0
    counts = Counter()
    for _ in range(50):
        draw = mean + spread * rng.gauss(0.0, 1.0)
        counts["high" if draw > mean else "low"] += 1
        total += max(draw, 0.0)
    return total / sum(counts.values())


def quadrature(power, scale):
    def integrand(x):
        return scale * x**power * math.exp(-x)

    def adaptive(f, a, b, tolerance):
        m = (a + b) / 2
        whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
        left = (m - a) / 6 * (f(a) + 4 * f((a + m) / 2) + f(m))
        right = (b - m) / 6 * (f(m) + 4 * f((m + b) / 2) + f(b))
        if abs(left + right - whole) < 15 * tolerance:
            return left + right + (left + right - whole) / 15
        return adaptive(f, a, m, tolerance / 2) + adaptive(f, m, b, tolerance / 2)

    return adaptive(integrand, 0.1, 4.0, 1e-6)


def shortest_path(weights):
    graph = {
        "a": {"b": weights[0], "c": weights[1]},
        "b": {"d": weights[2]},
        "c": {"b": weights[3], "d": weights[4]},
        "d": {},
    }
    queue, done = [(0.0, "a")], {}
    while queue:
        cost, node = heapq.heappop(queue)
        if node in done:
            continue
        done[node] = cost
        for to, weight in graph[node].items():
            heapq.heappush(queue, (cost + weight, to))
    return done["d"]


@contextmanager
def scaled(values, factor):
    values.append(factor)
    try:
        yield [v * factor for v in values]
    finally:
        values.pop()


def windows(x, factor):
    values = [x * i for i in range(1, 6)]
    with scaled(values, factor) as larger:
        pairs = [b - a for a, b in itertools.pairwise(larger)]
    running = list(itertools.accumulate(pairs, lambda a, b: a * 0.9 + b))
    return running[-1] + sum(values) + math.prod(itertools.islice(pairs, 2))


ME = __name__
CASES = (
    Case(ME, hidden_markov, (0.8, 0.7)),
    Case(ME, viterbi_crf, ([2.0, 1.5, 1.1], 0.1)),
    Case(
        ME, neural_network, (np.array([[0.1, 0.2, 0.3], [0.4, -0.5, 0.6]]), np.array([[0.3], [0.2], [-0.1]]))
    ),
    Case(ME, unrolled_training, (0.1, 0.8)),
    Case(ME, clustering, ([[0.0, 0.1], [5.0, 5.2], [0.3, -0.2], [4.8, 5.5], [0.2, 0.4]],)),
    Case(ME, bayesian, (0.9, 0.2, 0.5)),
    Case(ME, soft_edit_distance, (1.2, 0.8)),
    Case(ME, dynamic_programming, ([3.0, 4.5, 1.2, 5.5],)),
    Case(ME, kalman_class, (0.1, 0.5)),
    Case(ME, epidemic, (0.5, 0.15)),
    Case(ME, monte_carlo, (0.3, 1.5)),
    Case(ME, quadrature, (1.5, 2.0)),
    Case(ME, shortest_path, ([4.0, 1.0, 1.5, 2.0, 6.0],)),
    Case(ME, windows, (0.7, 1.3)),
)
