"""Rotations, curves, robots, colours and control."""

import numpy as np

from experiments.packages.case import Case


def curve(points):
    from geomdl import BSpline, utilities

    spline = BSpline.Curve()
    spline.degree = 3
    spline.ctrlpts = points
    spline.knotvector = utilities.generate_knot_vector(3, len(points))
    x, y = spline.evaluate_single(0.4)
    return x + 2.0 * y


def basis(u):
    from geomdl import helpers

    knots = [0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0]
    span = helpers.find_span_linear(3, knots, 5, u)
    return helpers.basis_function(3, knots, span, u)[1]


def arm(angles):
    from modern_robotics import FKinSpace

    m = np.array([[-1, 0, 0, 0], [0, 1, 0, 6], [0, 0, -1, 2], [0, 0, 0, 1]])
    screws = np.array([[0, 0, 1, 4, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, -1, -6, 0, -0.1]]).T
    return FKinSpace(m, screws, angles)[0, 3]


def jacobian(angles):
    from modern_robotics import JacobianSpace

    screws = np.array([[0, 0, 1, 0, 0.2, 0.2], [1, 0, 0, 2, 0, 3], [0, 1, 0, 0, 2, 1]]).T
    return JacobianSpace(screws, angles).sum()


def torques(accelerations):
    from modern_robotics import InverseDynamics

    m01 = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.089159], [0, 0, 0, 1]])
    m12 = np.array([[0, 0, 1, 0.28], [0, 1, 0, 0.13585], [-1, 0, 0, 0], [0, 0, 0, 1]])
    m23 = np.array([[1, 0, 0, 0], [0, 1, 0, -0.1197], [0, 0, 1, 0.395], [0, 0, 0, 1]])
    m34 = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.14225], [0, 0, 0, 1]])
    g1 = np.diag([0.010267, 0.010267, 0.00666, 3.7, 3.7, 3.7])
    g2 = np.diag([0.22689, 0.22689, 0.0151074, 8.393, 8.393, 8.393])
    screws = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]]).T
    tau = InverseDynamics(
        np.array([0.1, 0.1, 0.1]),
        np.array([0.1, 0.2, 0.3]),
        accelerations,
        np.array([0, 0, -9.8]),
        np.array([1, 1, 1, 1, 1, 1]),
        np.array([m01, m12, m23, m34]),
        np.array([g1, g2, g2]),
        screws,
    )
    return tau.sum()


def chain(angles):
    from ikpy.chain import Chain
    from ikpy.link import OriginLink, URDFLink

    left = Chain(
        name="arm",
        links=[
            OriginLink(),
            URDFLink("shoulder", [-10.0, 0.0, 5.0], [0.0, 1.57, 0.0], [0.0, 1.0, 0.0]),
            URDFLink("elbow", [25.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
        ],
    )
    return left.forward_kinematics(angles)[0, 3]


def euler(a, b, c):
    from transforms3d.euler import euler2mat

    return euler2mat(a, b, c, "syxz").sum()


def quaternion_matrix(q):
    from transforms3d.quaternions import qmult, quat2mat

    return quat2mat(qmult(q, [0.5, 0.5, 0.5, 0.5]))


def axis_angle(a):
    from pytransform3d.rotations import matrix_from_axis_angle

    return matrix_from_axis_angle(a)


def logarithm(q):
    from pytransform3d.rotations import compact_axis_angle_from_matrix, matrix_from_quaternion

    return compact_axis_angle_from_matrix(matrix_from_quaternion(q))


def turned(angle):
    from pyquaternion import Quaternion

    q = Quaternion(axis=[1.0, 0.0, 0.0], angle=angle)
    return q.rotate(np.array([0.0, 1.0, 2.0]))


def slerp(amount):
    from pyquaternion import Quaternion

    first, second = Quaternion(axis=[1, 0, 0], angle=0.3), Quaternion(axis=[0, 1, 0], angle=1.2)
    return Quaternion.slerp(first, second, amount).elements


def small_quaternion(roll, pitch):
    from squaternion import Quaternion

    q = Quaternion.from_euler(roll, pitch, 0.3)
    return (q * q.conjugate).w + q.x + q.y


def vectors(x, y):
    from euclid3 import Matrix4, Vector3

    v = Vector3(x, y, 1.0)
    turned = Matrix4.new_rotatez(0.3) * v
    return turned.dot(Vector3(1.0, 2.0, 3.0)) + abs(v.cross(turned))


def rigid(angle):
    from trimesh.transformations import rotation_matrix

    return rotation_matrix(angle, [1.0, 0.0, 1.0], [1.0, 2.0, 3.0])


def four_vector(pt, eta):
    import vector

    p = vector.obj(pt=pt, phi=0.3, eta=eta, mass=0.14)
    return (p + vector.obj(px=1.0, py=0.5, pz=0.2, mass=0.5)).mass


def lab(xyz):
    from colour import XYZ_to_Lab

    return XYZ_to_Lab(xyz)


def colour_difference(lab_1):
    from colour.difference import delta_E_CIE2000

    return delta_E_CIE2000(lab_1, np.array([100.0, 8.3, -74.0]))


def blackbody(temperature):
    from colour.colorimetry import planck_law

    return planck_law(500e-9, temperature) * 1e-12


def luminance(xyz):
    from colour.models import XYZ_to_sRGB

    return XYZ_to_sRGB(xyz)


def colour_object(l, a, b):
    from colormath.color_conversions import convert_color
    from colormath.color_objects import LabColor, XYZColor

    return convert_color(LabColor(l, a, b), XYZColor).xyz_x


def chroma(l, a, b):
    from colormath.color_conversions import convert_color
    from colormath.color_objects import LabColor, LCHabColor

    return convert_color(LabColor(l, a, b), LCHabColor).lch_c


def response(damping):
    from control import tf

    system = tf([1.0], [1.0, damping, 4.0])
    return abs(system(1.5j))


def regulator(weight):
    from control import lqr

    gain, cost, poles = lqr(
        np.array([[0.0, 1.0], [0.0, -0.2]]), np.array([[0.0], [1.0]]), np.eye(2) * weight, np.eye(1)
    )
    return gain.sum()


def simulated(damping):
    from control import forced_response, ss

    system = ss([[0.0, 1.0], [-4.0, -damping]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]])
    t = np.linspace(0.0, 2.0, 11)
    return forced_response(system, t, np.ones(11)).outputs[-1]


CASES = (
    Case("geomdl", curve, ([[5.0, 5.0], [10.0, 10.0], [20.0, 15.0], [35.0, 15.0], [45.0, 10.0]],)),
    Case("geomdl", basis, (0.3,)),
    Case("modern_robotics", arm, (np.array([1.5, 3.0, 3.1]),)),
    Case("modern_robotics", jacobian, (np.array([0.2, 1.1, 0.1]),)),
    Case("modern_robotics", torques, (np.array([2.0, 1.5, 1.0]),)),
    Case("ikpy", chain, ([0.0, 0.5, 0.3],)),
    Case("transforms3d", euler, (0.1, 0.5, -0.3)),
    Case("transforms3d", quaternion_matrix, (np.array([0.8, 0.1, 0.3, 0.5]),)),
    Case("pytransform3d", axis_angle, (np.array([0.6, 0.0, 0.8, 1.2]),), free=False),
    Case("pytransform3d", logarithm, (np.array([0.8, 0.2, 0.4, 0.4]),)),
    Case("pyquaternion", turned, (0.7,)),
    Case("pyquaternion", slerp, (0.4,)),
    Case("squaternion", small_quaternion, (0.2, 0.7)),
    Case("euclid3", vectors, (1.5, 2.5)),
    Case("trimesh", rigid, (0.7,)),
    Case("vector", four_vector, (10.0, 0.8)),
    Case("colour", lab, (np.array([0.2, 0.12, 0.05]),)),
    Case("colour", colour_difference, (np.array([100.0, 21.6, 272.2]),)),
    Case("colour", blackbody, (5500.0,)),
    Case("colour", luminance, (np.array([0.2, 0.12, 0.05]),)),
    Case("colormath", colour_object, (40.0, 20.0, -10.0)),
    Case("colormath", chroma, (40.0, 20.0, -10.0)),
    Case("control", response, (0.8,)),
    Case("control", regulator, (2.0,)),
    Case("control", simulated, (0.8,)),
)
