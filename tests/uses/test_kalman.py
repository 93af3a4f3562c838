"""A Kalman filter's log-likelihood and the smoother of Rauch, Tung and Striebel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.uses.support import engines, gradients, is_gradient


def model(parameters: Any) -> tuple[Any, Any, Any, Any]:
    """Return transition, observation and covariances of a damped oscillator that is observed with noise."""
    angle, damping = parameters["angle"], parameters["damping"]
    c, s = np.cos(angle), np.sin(angle)
    transition = damping * np.array([[c, -s], [s, c]])
    drive = np.diag(np.exp(parameters["log drive"]))
    return transition, parameters["view"], drive, parameters["noise"]


def filtered(parameters: Any, ys: Any) -> tuple[Any, Any, Any]:
    """Return the log-likelihood; each step's mean and covariance given what was observed by then."""
    transition, view, drive, noise = model(parameters)
    mean, covariance = np.zeros(2), np.eye(2)
    means, covariances = [], []
    likelihood = 0.0
    for y in ys:
        mean = transition @ mean
        covariance = transition @ covariance @ transition.T + drive
        error = y - view @ mean
        spread = view @ covariance @ view.T + noise
        gain = np.linalg.solve(spread, view @ covariance).T
        sign, logdet = np.linalg.slogdet(spread)
        assert sign > 0
        likelihood += -0.5 * (
            error @ np.linalg.solve(spread, error) + logdet + len(error) * math.log(2.0 * math.pi)
        )
        mean = mean + gain @ error
        covariance = covariance - gain @ view @ covariance
        means.append(mean)
        covariances.append(covariance)
    return likelihood, means, covariances


def smoothed(parameters: Any, ys: Any) -> tuple[Any, Any]:
    """Return each step's mean and covariance given all observations."""
    transition, _, drive, _ = model(parameters)
    _, means, covariances = filtered(parameters, ys)
    mean, covariance = means[-1], covariances[-1]
    out = np.zeros((len(ys), 2))
    spreads = np.zeros((len(ys), 2, 2))
    out[-1] = mean
    spreads[-1] = covariance
    for t in range(len(ys) - 2, -1, -1):
        ahead = transition @ covariances[t] @ transition.T + drive
        gain = covariances[t] @ transition.T @ np.linalg.inv(ahead)
        mean = means[t] + gain @ (mean - transition @ means[t])
        covariance = covariances[t] + gain @ (covariance - ahead) @ gain.T
        out[t] = mean
        spreads[t] = covariance
    return out, spreads


def log_likelihood(parameters: Any, ys: Any) -> Any:
    """Return the log likelihood of the observations."""
    return filtered(parameters, ys)[0]


def roughness(parameters: Any, ys: Any) -> Any:
    """Return the roughness of the smoothed states plus the trace of their covariances."""
    states, spreads = smoothed(parameters, ys)
    return np.sum(np.diff(states, n=2, axis=0) ** 2) + np.trace(spreads, axis1=1, axis2=2).sum()


def problem(steps: int) -> tuple[Any, Any]:
    """Return parameters and observations."""
    rng = np.random.default_rng(7)
    parameters = {
        "angle": 0.3,
        "damping": 0.95,
        "log drive": np.array([-2.0, -1.5]),
        "view": np.array([[1.0, 0.2], [0.1, -0.7], [0.4, 0.4]]),
        "noise": np.diag([0.3, 0.2, 0.4]) + 0.05,
    }
    return parameters, rng.normal(size=(steps, 3))


@engines
@pytest.mark.parametrize("use", [log_likelihood, roughness])
def test_gradients(engine: str, use: Any) -> None:
    parameters, ys = problem(25 if engine != "interp" else 4)
    _, (gradient, by_data) = gradients(use, parameters, ys, engine=engine, argnums=(0, 1))
    assert is_gradient(gradient, use, parameters, ys)
    assert is_gradient(by_data, lambda ys: use(parameters, ys), ys)


def test_the_likelihood_is_that_of_one_large_gaussian() -> None:
    parameters, ys = problem(6)
    transition, view, drive, noise = model(parameters)
    steps, d = ys.shape
    whole = np.zeros((steps * d, steps * d))
    covariance = np.eye(2)
    for t in range(steps):
        covariance = transition @ covariance @ transition.T + drive
        between = covariance
        for later in range(t, steps):
            block = view @ between.T @ view.T + (noise if later == t else 0.0)
            whole[d * later : d * later + d, d * t : d * t + d] = block
            whole[d * t : d * t + d, d * later : d * later + d] = block.T
            between = between @ transition.T
    y = ys.ravel()
    expected = -0.5 * (y @ np.linalg.solve(whole, y) + np.linalg.slogdet(2.0 * np.pi * whole)[1])
    value, by_data = gradients(lambda ys: log_likelihood(parameters, ys), ys, engine="hybrid")
    assert value == pytest.approx(expected, rel=1e-12)
    assert by_data.ravel() == pytest.approx(-np.linalg.solve(whole, y), rel=1e-9)


def test_the_score_is_that_of_fishers_identity() -> None:
    """The derivative by the noise is the mean, given the data, of that for known states."""
    parameters, ys = problem(15)
    _, view, _, noise = model(parameters)
    states, spreads = smoothed(parameters, ys)
    inverse = np.linalg.inv(noise)
    expected = np.zeros((3, 3))
    for y, state, spread in zip(ys, states, spreads, strict=True):
        error = y - view @ state
        moment = np.outer(error, error) + view @ spread @ view.T
        expected += -0.5 * inverse + 0.5 * inverse @ moment @ inverse
    _, gradient = gradients(log_likelihood, parameters, ys, engine="hybrid")
    # The formulas of the filter take the noise to be symmetric, and so does the identity.
    symmetric = 0.5 * (gradient["noise"] + gradient["noise"].T)
    assert symmetric == pytest.approx(expected, rel=1e-8, abs=1e-9)
