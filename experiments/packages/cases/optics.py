"""Optics, colour, rotations, magnets, wind, the sun, games, returns."""

import datetime

import numpy as np

from experiments.packages.case import Case

UTC = datetime.timezone.utc
WHEN = datetime.datetime(2024, 6, 21, 15, 13, 1, tzinfo=UTC)


def perspective(angle, aspect):
    from pyrr import matrix44

    return matrix44.create_perspective_projection(angle, aspect, 0.1, 100.0)


def between(axis, other, t):
    from pyrr import quaternion

    start = quaternion.create_from_axis_rotation(axis, 0.3)
    return quaternion.slerp(start, quaternion.create_from_axis_rotation(other, 0.7), t)


def placed(angle, position):
    from pyrr import Matrix44, Vector3

    return Matrix44.from_x_rotation(angle) * Vector3(position)


def aberration(radius, angle):
    from prysm.polynomials import zernike_nm

    return zernike_nm(4, 2, radius, angle)


def jacobi(x):
    from prysm.polynomials import jacobi as polynomial

    return polynomial(3, 0.5, 0.5, x)


def hub_speed(speed, roughness):
    from windpowerlib.wind_speed import logarithmic_profile

    return logarithmic_profile(speed, 10.0, 100.0, roughness)


def air_density(pressure, temperature):
    from windpowerlib.density import barometric

    return barometric(pressure, 10.0, 100.0, temperature)


def payoff(a, b, row):
    import nashpy

    game = nashpy.Game(a, b)
    return game[row, np.array([0.4, 0.6])]


def altitude(latitude, longitude):
    from pysolar.solar import get_altitude

    return get_altitude(latitude, longitude, WHEN)


def direct_radiation(height):
    from pysolar.radiation import get_radiation_direct

    return get_radiation_direct(WHEN, height)


def appearance(rgb):
    from colorspacious import cspace_convert

    return cspace_convert(rgb, "sRGB1", "CAM02-UCS")


def difference(one, other):
    from colorspacious import deltaE

    return deltaE(one, other, input_space="sRGB1")


def rotated(q, v):
    import rowan

    return rowan.rotate(rowan.normalize(q), v)


def euler_angles(q):
    import rowan

    return rowan.to_euler(rowan.normalize(q))


def magnet(polarization, place):
    import magpylib

    return magpylib.magnet.Cuboid(polarization=polarization, dimension=(1.0, 1.0, 1.0)).getB(place)


def coil(current, place):
    import magpylib

    return magpylib.current.Circle(current=current, diameter=2.0).getB(place)


def roll_pitch_yaw(roll, pitch):
    import spatialmath.base as smb

    return smb.tr2rpy(smb.trotx(roll) @ smb.troty(pitch))


def poses(angle, x, y):
    from spatialmath import SE3

    return (SE3.Rx(angle) * SE3(x, y, 3.0)).A


def sharpe(returns):
    import empyrical

    return empyrical.sharpe_ratio(returns)


def drawdown(returns):
    import empyrical

    return empyrical.max_drawdown(returns)


def product(p, q):
    from skinematics import quat

    return quat.q_mult(p, q)


def angle_between(v, w):
    from skinematics import vector

    return vector.angle(v, w)


Q = np.array([1.0, 0.2, 0.3, 0.4])
V = np.array([0.5, 2.0, 1.0])
RETURNS = np.array([0.01, -0.02, 0.03, 0.005, -0.011])

CASES = (
    Case("pyrr", perspective, (45.0, 1.3)),
    Case("pyrr", between, (np.array([0.1, 0.2, 1.0]), np.array([0.3, 1.0, 0.1]), 0.4)),
    Case("pyrr", placed, (0.3, np.array([1.0, 2.0, 3.0]))),
    Case("prysm", aberration, (np.array([0.3, 0.5]), np.array([0.1, 0.7]))),
    Case("prysm", jacobi, (np.array([0.3, 0.5]),)),
    Case("windpowerlib", hub_speed, (np.array([5.0, 6.0]), 0.15)),
    Case("windpowerlib", air_density, (1013e2, 285.0)),
    Case(
        "nashpy",
        payoff,
        (np.array([[1.0, 2.0], [3.0, 0.5]]), np.array([[0.2, 1.0], [2.0, 1.0]]), np.array([0.3, 0.7])),
    ),
    Case("pysolar", altitude, (42.2, -71.4), tolerance=1e-4),
    Case("pysolar", direct_radiation, (30.0,)),
    Case("colorspacious", appearance, (np.array([0.3, 0.4, 0.5]),)),
    Case("colorspacious", difference, (np.array([0.3, 0.4, 0.5]), np.array([0.3, 0.6, 0.5]))),
    Case("rowan", rotated, (Q, V)),
    Case("rowan", euler_angles, (Q,)),
    Case("magpylib", magnet, (np.array([0.1, 0.2, 1.0]), np.array([0.3, 0.2, 2.0]))),
    Case("magpylib", coil, (1.5, np.array([0.3, 0.2, 2.0]))),
    Case("spatialmath", roll_pitch_yaw, (0.3, 0.2)),
    Case("spatialmath", poses, (0.3, 1.0, 2.0)),
    Case("empyrical", sharpe, (RETURNS,)),
    Case("empyrical", drawdown, (RETURNS,)),
    Case("skinematics", product, (Q, np.array([0.5, 0.2, 0.1, 0.4]))),
    Case("skinematics", angle_between, (V, np.array([1.0, 0.2, 0.3]))),
)
