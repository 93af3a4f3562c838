"""Money, neural networks, graphs, games, benchmarks of optimisers, symbols."""

import numpy as np

from experiments.packages.case import Case


def option(spot, volatility):
    from vollib.black_scholes import black_scholes

    return black_scholes("c", spot, 100.0, 0.5, 0.01, volatility)


def option_delta(spot, volatility):
    from vollib.black_scholes.greeks.analytical import delta, vega

    return delta("c", spot, 100.0, 0.5, 0.01, volatility) + vega("p", spot, 90.0, 0.5, 0.01, volatility)


def implied(price):
    from vollib.black_scholes.implied_volatility import implied_volatility

    return implied_volatility(price, 100.0, 100.0, 0.5, 0.01, "c")


def normalised(x):
    from py_lets_be_rational import black

    return black(100.0, 95.0, x, 0.5, 1.0)


def merton(volatility):
    from mibian import BS

    return BS([52.0, 50.0, 4.0, 30.0], volatility=volatility).callPrice


def present_value(rate, values):
    from numpy_financial import npv

    return npv(rate, values)


def payment(rate, loan):
    from numpy_financial import pmt

    return pmt(rate, 60, loan)


def internal_rate(values):
    from numpy_financial import irr

    return irr(values)


def interest(rate):
    from numpy_financial import ipmt

    return ipmt(rate, np.arange(1, 4), 12, 2500.0).sum()


def neurons(weights):
    from micrograd.engine import Value

    a, b = Value(weights[0]), Value(weights[1])
    c = (a * b + b**3).relu() + a / 3.0 - b
    return c.data


def backpropagated(x, y):
    from micrograd.engine import Value

    a, b = Value(x), Value(y)
    c = (a * b + a**2 - b).relu() * a
    c.backward()
    return a.grad + 2.0 * b.grad


def perceptron():
    import random

    from micrograd.nn import MLP

    random.seed(1)
    net = MLP(2, [4, 1])
    return lambda x, y: net([x, y]).data


def ranks(weight):
    import networkx

    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", weight), ("b", "c", 1.0), ("c", "a", 2.0), ("a", "c", 0.5)])
    return networkx.pagerank(graph)["b"]


def shortest(weight):
    import networkx

    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=weight)
    graph.add_edge("b", "c", weight=2.0 * weight)
    graph.add_edge("a", "c", weight=9.0)
    return networkx.dijkstra_path_length(graph, "a", "c")


def flows(capacity):
    import networkx

    graph = networkx.Graph()
    graph.add_edge(0, 1, weight=capacity)
    graph.add_edge(1, 2, weight=1.5)
    graph.add_edge(0, 2, weight=0.5)
    return networkx.minimum_spanning_tree(graph).size(weight="weight")


def closeness(weight):
    import networkx

    graph = networkx.path_graph(4)
    graph[1][2]["weight"] = weight
    return networkx.closeness_centrality(graph, distance="weight")[0]


def rastrigin(point):
    from deap.benchmarks import rastrigin

    return rastrigin(point)[0]


def griewank(point):
    from deap.benchmarks import griewank

    return griewank(point)[0]


def shekel(point):
    from deap.benchmarks import shekel

    return shekel(point, [[0.5, 0.5], [0.25, 0.25]], [0.002, 0.005])[0]


def ackley(point):
    from benchmark_functions import Ackley

    return Ackley(n_dimensions=2)(point)


def michalewicz(point):
    from benchmark_functions import Michalewicz

    return Michalewicz(n_dimensions=2)(point)


def swarm(points):
    from pyswarms.utils.functions.single_obj import ackley, rosenbrock

    return ackley(points).sum() + rosenbrock(points).sum()


def membership(mean, width):
    from skfuzzy import gaussmf, sigmf

    x = np.linspace(0.0, 10.0, 11)
    return (gaussmf(x, mean, width) * sigmf(x, 4.0, 1.5)).sum()


def centroid(peak):
    from skfuzzy import defuzz, trimf

    x = np.linspace(0.0, 10.0, 11)
    return defuzz(x, trimf(x, np.array([1.0, peak, 9.0])), "centroid")


def pendulum(torque, angle):
    from gymnasium.envs.classic_control.pendulum import PendulumEnv

    env = PendulumEnv()
    env.reset(seed=1)
    env.state = np.array([angle, 0.5])
    total = 0.0
    for _ in range(5):
        _, reward, _, _, _ = env.step(np.array([torque]))
        total += reward
    return total


def cart(velocity):
    from gymnasium.envs.classic_control.cartpole import CartPoleEnv

    env = CartPoleEnv()
    env.reset(seed=1)
    env.state = np.array([0.0, velocity, 0.02, -0.1])
    for _ in range(5):
        state, _, _, _, _ = env.step(1)
    return float(env.state[2])


def walker(energy, x):
    from emcee.autocorr import function_1d

    return function_1d(np.sin(energy * np.arange(8.0)) + x)[1]


def formula():
    import sympy

    x, y = sympy.symbols("x y")
    expression = sympy.diff(sympy.sin(x * y) * sympy.exp(-(x**2)) + sympy.sqrt(y + x), x)
    return sympy.lambdify((x, y), expression, "math")


def array_formula():
    import sympy

    x, y = sympy.symbols("x y")
    return sympy.lambdify((x, y), sympy.tanh(x) * y + sympy.Piecewise((x**2, x > 0), (x, True)), "numpy")


def written():
    import sympy

    x, y = sympy.symbols("x y")
    return sympy.lambdify((x, y), sympy.Matrix([sympy.cos(x) * y, x**2 + y]), "numpy")


LETS_BE_RATIONAL = ("py_lets_be_rational", "cody_special", "piecewise_rational")

CASES = (
    Case("vollib", option, (100.0, 0.2), also=LETS_BE_RATIONAL),
    Case("vollib", option_delta, (100.0, 0.2), also=LETS_BE_RATIONAL),
    Case("vollib", implied, (5.9,), also=LETS_BE_RATIONAL),
    Case("py_lets_be_rational", normalised, (0.3,), also=LETS_BE_RATIONAL),
    Case("mibian", merton, (20.0,)),
    Case("numpy_financial", present_value, (0.28, np.array([-100.0, 39.0, 59.0, 55.0, 20.0]))),
    Case("numpy_financial", payment, (0.01, 5000.0)),
    Case("numpy_financial", internal_rate, (np.array([-100.0, 39.0, 59.0, 55.0, 20.0]),)),
    Case("numpy_financial", interest, (0.00687,)),
    Case("micrograd", neurons, ([0.7, 1.3],)),
    Case("micrograd", backpropagated, (1.5, 0.8)),
    Case("micrograd", perceptron(), (0.4, -0.7), name="perceptron"),
    Case("networkx", ranks, (1.5,)),
    Case("networkx", shortest, (1.5,)),
    Case("networkx", flows, (0.7,)),
    Case("networkx", closeness, (1.5,)),
    Case("deap", rastrigin, ([0.3, -1.2, 0.8],)),
    Case("deap", griewank, ([0.3, -1.2, 0.8],)),
    Case("deap", shekel, ([0.3, 0.4],)),
    Case("benchmark_functions", ackley, ([0.3, -1.2],)),
    Case("benchmark_functions", michalewicz, ([1.3, 1.2],)),
    Case("pyswarms", swarm, (np.array([[0.3, -1.2], [0.5, 0.1]]),)),
    Case("skfuzzy", membership, (4.2, 1.3)),
    Case("skfuzzy", centroid, (4.2,)),
    Case("gymnasium", pendulum, (0.7, 0.9)),
    Case("gymnasium", cart, (0.3,)),
    Case("emcee", walker, (0.7, 0.2)),
    Case("sympy", formula(), (0.4, 1.3), name="lambdified (math)"),
    Case("sympy", array_formula(), (0.4, 1.3), name="lambdified (numpy)"),
    Case("sympy", written(), (0.4, 1.3), name="lambdified matrix"),
)
