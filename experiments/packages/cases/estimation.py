"""Filters, likelihoods, scores and distances between curves."""

import numpy as np

from experiments.packages.case import Case

SIGNAL = np.array([0.9, 2.1, 2.9, 4.2, 4.8, 6.1])


def kalman(noise, measurements):
    from filterpy.common import Q_discrete_white_noise
    from filterpy.kalman import KalmanFilter

    kf = KalmanFilter(dim_x=2, dim_z=1)
    kf.x = np.array([[0.0], [1.0]])
    kf.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    kf.H = np.array([[1.0, 0.0]])
    kf.P *= 10.0
    kf.R = np.array([[noise]])
    kf.Q = Q_discrete_white_noise(dim=2, dt=1.0, var=0.1)
    total = 0.0
    for z in measurements:
        kf.predict()
        kf.update(z)
        total += kf.x[0, 0]
    return total


def kalman_functions(x, variance, measurements):
    from filterpy.kalman import predict, update

    p = variance
    for z in measurements:
        x, p = predict(x=x, P=p, u=1.0, Q=0.1)
        x, p = update(x=x, P=p, z=z, R=0.5)
    return x


def extended(q, distances):
    from filterpy.kalman import ExtendedKalmanFilter

    def jacobian(x):
        return np.array([[x[0, 0] / np.sqrt(x[0, 0] ** 2 + 1.0), 0.0]])

    def measure(x):
        return np.array([[np.sqrt(x[0, 0] ** 2 + 1.0)]])

    ekf = ExtendedKalmanFilter(dim_x=2, dim_z=1)
    ekf.x = np.array([[1.0], [0.5]])
    ekf.F = np.array([[1.0, 0.1], [0.0, 1.0]])
    ekf.Q = np.eye(2) * q
    for z in distances:
        ekf.update(np.array([[z]]), jacobian, measure)
        ekf.predict()
    return float(ekf.x[0, 0])


def unscented(variance, measurements):
    from filterpy.kalman import MerweScaledSigmaPoints, UnscentedKalmanFilter

    points = MerweScaledSigmaPoints(2, alpha=0.1, beta=2.0, kappa=1.0)
    ukf = UnscentedKalmanFilter(
        dim_x=2,
        dim_z=1,
        dt=0.1,
        fx=lambda x, dt: np.array([x[0] + dt * x[1], x[1]]),
        hx=lambda x: np.array([np.sin(x[0])]),
        points=points,
    )
    ukf.x = np.array([0.2, 0.3])
    ukf.R = np.array([[variance]])
    for z in measurements:
        ukf.predict()
        ukf.update(np.array([z]))
    return ukf.x[0]


def g_h(g, measurements):
    from filterpy.gh import GHFilter

    tracker = GHFilter(x=0.0, dx=1.0, dt=1.0, g=g, h=0.2)
    for z in measurements:
        tracker.update(z)
    return tracker.x


def bayes(p_hit):
    from filterpy.discrete_bayes import predict, update

    belief = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    prior = predict(belief, 1, np.array([0.1, 0.8, 0.1]))
    posterior = update(np.array([1.0, p_hit, p_hit, 1.0, 1.0]), prior)
    return posterior[2]


def smoother(covariance, observations):
    from pykalman import KalmanFilter

    kf = KalmanFilter(
        transition_matrices=[[1.0, 1.0], [0.0, 1.0]],
        observation_matrices=[[1.0, 0.0]],
        transition_covariance=covariance,
        observation_covariance=np.array([[1.0]]),
        initial_state_mean=np.zeros(2),
        initial_state_covariance=np.eye(2),
    )
    return kf.loglikelihood(observations)


def attitude(gain, rates, accelerations):
    from ahrs.filters import Madgwick

    madgwick = Madgwick(gain=gain)
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for gyr, acc in zip(rates, accelerations):
        q = madgwick.updateIMU(q, gyr=gyr, acc=acc)
    return q[1]


def complementary(rates, accelerations):
    from ahrs.filters import Mahony

    mahony = Mahony()
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for gyr, acc in zip(rates, accelerations):
        q = mahony.updateIMU(q, gyr, acc)
    return q[1] + 2.0 * q[2]


def direction_cosines(q):
    from ahrs.common.orientation import q2R

    return q2R(q)


def pid(kp, ki, target):
    from simple_pid import PID

    controller = PID(kp, ki, 0.05, setpoint=target, sample_time=None)
    level = 0.0
    for _ in range(20):
        level += 0.1 * (controller(level, dt=0.1) - 0.2 * level)
    return level


def efficiency(simulated, measured):
    from hydroeval import nse

    return nse(simulated, measured)


def kling_gupta(simulated, measured):
    from hydroeval import evaluator, kge

    return evaluator(kge, simulated, measured)[0, 0]


def crps(mu, sigma):
    from properscoring import crps_gaussian

    return crps_gaussian(np.array([0.1, -0.4, 1.2]), mu, sigma).sum()


def brier(probability):
    from properscoring import brier_score

    return brier_score(np.array([1.0, 0.0, 1.0]), probability).mean()


def line(centre, width):
    from lmfit.lineshapes import gaussian, lorentzian

    x = np.linspace(-1.0, 2.0, 7)
    return (lorentzian(x, 1.0, centre, width) + gaussian(x, 2.0, centre, width)).sum()


def voigt_profile(centre, width):
    from lmfit.lineshapes import voigt

    return voigt(np.linspace(-1.0, 2.0, 7), 1.0, centre, width).sum()


def parameters(amplitude, decay):
    from lmfit import Parameters

    p = Parameters()
    p.add("amplitude", value=amplitude, min=0.0)
    p.add("decay", value=decay)
    p.add("half", expr="0.5 * amplitude")
    t = np.linspace(0.0, 1.0, 5)
    model = p["amplitude"].value * np.exp(-p["decay"].value * t)
    return np.sum((model - p["half"].value) ** 2)


def warping(series):
    from fastdtw import dtw

    distance, path = dtw(series, SIGNAL, dist=lambda a, b: (a - b) ** 2)
    return distance


def frechet(curve):
    from similaritymeasures import frechet_dist

    return frechet_dist(curve, np.column_stack([SIGNAL, SIGNAL**0.5]))


def curve_length(curve):
    from similaritymeasures import curve_length_measure

    return curve_length_measure(curve, np.column_stack([SIGNAL, SIGNAL**0.5]))


CURVE = np.column_stack([np.linspace(0.5, 5.0, 5), np.sin(np.linspace(0.5, 3.0, 5))])
GYR = np.array([[0.1, 0.2, -0.1], [0.2, 0.1, 0.0], [0.15, -0.1, 0.1]])
ACC = np.array([[0.1, 0.2, 9.7], [0.3, 0.1, 9.6], [0.2, 0.4, 9.5]])
MEASURED = np.array([1.0, 2.5, 2.0, 4.0, 4.5, 6.5])

CASES = (
    Case("filterpy", kalman, (0.5, SIGNAL)),
    Case("filterpy", kalman_functions, (0.5, 2.0, [1.1, 1.9, 3.2])),
    Case("filterpy", extended, (0.1, [1.5, 1.6, 1.8])),
    Case("filterpy", unscented, (0.1, [0.2, 0.25, 0.3])),
    Case("filterpy", g_h, (0.8, [1.1, 1.9, 3.2, 4.1])),
    Case("filterpy", bayes, (3.0,)),
    Case("pykalman", smoother, (np.array([[0.2, 0.05], [0.05, 0.1]]), SIGNAL[:, None])),
    Case("ahrs", attitude, (0.05, GYR, ACC)),
    Case("ahrs", complementary, (GYR, ACC)),
    Case("ahrs", direction_cosines, (np.array([0.8, 0.2, 0.4, 0.4]),), has_state=True),
    Case("simple_pid", pid, (1.2, 0.4, 1.5)),
    Case("hydroeval", efficiency, (SIGNAL, MEASURED)),
    Case("hydroeval", kling_gupta, (SIGNAL, MEASURED)),
    Case("properscoring", crps, (0.3, 0.7)),
    Case("properscoring", brier, (np.array([0.7, 0.2, 0.9]),)),
    Case("lmfit", line, (0.4, 0.3)),
    Case("lmfit", voigt_profile, (0.4, 0.3)),
    Case("lmfit", parameters, (2.0, 0.7)),
    Case("fastdtw", warping, (np.array([1.1, 2.3, 3.9, 5.2]),)),
    Case("similaritymeasures", frechet, (CURVE,)),
    Case("similaritymeasures", curve_length, (CURVE,)),
)
