"""Distances, ratings, colours, sounds, fatigue, weather, structures, curves, stars."""

import datetime

import numpy as np

from experiments.packages.case import Case

SERIES = np.array([0.3, 1.2, -0.4, 0.9, 2.1, 0.2, -1.1, 0.7, 1.6, 0.1, -0.3, 0.8])


def great_circle(latitude, longitude):
    from geopy.distance import great_circle

    return great_circle((41.49, -71.31), (latitude, longitude)).km


def ellipsoid(latitude, longitude):
    from geopy.distance import geodesic

    return geodesic((41.49, -71.31), (latitude, longitude)).km


def vector_angle(v, w):
    import vg

    return vg.angle(v, w, units="rad") + vg.scalar_projection(v, onto=w)


def smoothed(noise, data):
    import simdkalman

    kf = simdkalman.KalmanFilter(
        state_transition=[[1, 1], [0, 1]],
        process_noise=np.diag([0.1, noise]),
        observation_model=np.array([[1, 0]]),
        observation_noise=1.0,
    )
    return kf.smooth(data, initial_value=[0.0, 0.0], initial_covariance=np.eye(2)).observations.mean


def ishigami(points):
    from SALib.test_functions.Ishigami import evaluate

    return evaluate(points)


def sphere_of_2014(point):
    from opfunu.name_based import Ackley01

    return Ackley01(ndim=3).evaluate(point)


def steam_enthalpy(pressure, temperature):
    from pyXSteam.XSteam import XSteam

    table = XSteam(XSteam.UNIT_SYSTEM_MKS)
    return table.h_pt(pressure, temperature)


def beam(load, modulus):
    from Pynite import FEModel3D

    model = FEModel3D()
    model.add_node("N1", 0, 0, 0)
    model.add_node("N2", 10.0, 0, 0)
    model.add_material("Steel", modulus, 11200.0, 0.3, 2.836e-4)
    model.add_section("S", 20.0, 100.0, 150.0, 250.0)
    model.add_member("M1", "N1", "N2", "Steel", "S")
    model.def_support("N1", True, True, True, True, True, True)
    model.add_node_load("N2", "FY", load)
    model.analyze()
    return model.nodes["N2"].DY["Combo 1"]


def oklab(red, green):
    from coloraide import Color

    return Color("srgb", [red, green, 0.3]).convert("oklab")["lightness"]


def perceptual(hue, saturation):
    import hsluv

    return hsluv.lch_to_luv(hsluv.hsluv_to_lch([hue, saturation, 60.0]))[1]


def noise(x, y):
    from perlin_noise import PerlinNoise

    return PerlinNoise(octaves=3, seed=1)([x, y])


def cepstrum(signal):
    from python_speech_features import mfcc

    return mfcc(signal, samplerate=200, winlen=0.1, winstep=0.05, nfft=32, numcep=4, nfilt=8)


def adaptive(rate, target):
    import padasip

    inputs = padasip.input_from_history(SERIES, 3)
    y, e, w = padasip.filters.FilterLMS(n=3, mu=rate, w=[0.1, 0.2, 0.3]).run(target[2:], inputs)
    return np.sum(e**2)


def separation(estimated):
    from mir_eval.util import f_measure

    return f_measure(estimated, 0.7)


def map_error(data):
    from minisom import MiniSom

    som = MiniSom(3, 3, 2, sigma=0.5, learning_rate=0.5, random_seed=1)
    return som.quantization_error(data)


def ratings(mu, sigma):
    from trueskill import Rating, rate_1vs1

    winner, loser = rate_1vs1(Rating(mu, sigma), Rating(27.0, 6.0))
    return winner.mu + loser.sigma


def open_ratings(mu, sigma):
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    teams = [[model.rating(mu=mu, sigma=sigma)], [model.rating()]]
    winners, losers = model.rate(teams)
    return winners[0].mu - losers[0].sigma


def sidereal(longitude, latitude):
    from pymeeus.Angle import Angle
    from pymeeus.Coordinates import ecliptical2equatorial

    right_ascension, declination = ecliptical2equatorial(Angle(longitude), Angle(latitude), Angle(23.4392911))
    return right_ascension.rad() + declination.rad()


def scattering(wavelength):
    import periodictable

    sld, absorption, incoherent = periodictable.neutron_sld("H2O", density=1.0, wavelength=wavelength)
    return sld + absorption


def mie(size):
    import miepython

    extinction, scattered, back, asymmetry = miepython.efficiencies_mx(1.5 - 0.1j, size)
    return extinction + asymmetry


def cycles(series):
    import rainflow

    return sum([span * count for span, count in rainflow.count_cycles(series)])


def fatigue(series):
    import fatpack

    curve = fatpack.TriLinearEnduranceCurve(90.0)
    return curve.find_miner_sum(np.column_stack([100.0 * np.abs(series), np.ones(12)]))


def rosenbrock(point):
    import cma

    return cma.ff.rosen(point) + cma.ff.elli(point)


def spline(points):
    from splines import CatmullRom

    return CatmullRom(points, endconditions="closed").evaluate(1.4)


def path_length(x, y):
    from svgpathtools import CubicBezier

    return abs(CubicBezier(300 + 100j, 100 + 100j, 200 + 200j, complex(x, y)).point(0.3))


def arc(x, y):
    from svg.path import Path, QuadraticBezier

    return Path(QuadraticBezier(0j, complex(x, y), 3 + 1j)).point(0.4).real


def projection(x, y):
    from skspatial.objects import Line, Point

    return Line(point=[0, 0], direction=[1, 1]).project_point(Point([x, y]))[0]


def evapotranspiration(hottest, humidity):
    from refet import Daily

    return (
        Daily(tmin=10.7, tmax=hottest, ea=humidity, rs=22.07, uz=2.78, zw=10, elev=100, lat=50.8, doy=187)
        .eto()
        .sum()
    )


def standard_atmosphere(altitude, pressure):
    from skyfield.earthlib import refraction

    return refraction(altitude, 10.0, pressure)


def sun_direction(longitude, latitude):
    from pyorbital.astronomy import sun_zenith_angle

    return sun_zenith_angle(np.datetime64("2026-06-21T12:00:00"), longitude, latitude)


def propagated(x, y):
    from uncertainties import ufloat, umath

    total = umath.sin(ufloat(x, 0.1)) * ufloat(y, 0.2)
    return total.nominal_value + total.std_dev


def sunrise(latitude, longitude):
    from suntime import Sun

    when = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
    return Sun(latitude, longitude).get_sunrise_time(when).timestamp()


CASES = (
    Case("geopy", great_circle, (52.2, 0.12)),
    Case("geopy", ellipsoid, (52.2, 0.12)),
    Case("vg", vector_angle, (np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0]))),
    Case("simdkalman", smoothed, (0.01, SERIES)),
    Case("SALib", ishigami, (np.array([[0.3, 0.7, -1.1], [1.2, 0.1, 0.4]]),)),
    Case("opfunu", sphere_of_2014, (np.array([0.3, -1.2, 2.0]),)),
    Case("pyXSteam", steam_enthalpy, (30.0, 300.0)),
    Case("Pynite", beam, (-5.0, 29000.0)),
    Case("coloraide", oklab, (0.2, 0.6)),
    Case("hsluv", perceptual, (120.0, 70.0)),
    Case("perlin_noise", noise, (0.31, 0.72)),
    Case("python_speech_features", cepstrum, (np.sin(0.3 * np.arange(40.0)),)),
    Case("padasip", adaptive, (0.1, SERIES)),
    Case("mir_eval", separation, (0.6,)),
    Case("minisom", map_error, (np.array([[0.3, 0.4], [0.9, 0.1], [0.2, 0.8]]),)),
    Case("trueskill", ratings, (25.0, 8.0)),
    Case("openskill", open_ratings, (27.0, 7.0)),
    Case("pymeeus", sidereal, (113.2, 6.7)),
    Case("periodictable", scattering, (1.8,)),
    Case("miepython", mie, (2.5,)),
    Case("rainflow", cycles, (SERIES,)),
    Case("fatpack", fatigue, (SERIES,)),
    Case("cma", rosenbrock, (np.array([0.3, -1.2, 0.8]),)),
    Case("splines", spline, (np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, -1.0]]),)),
    Case("svgpathtools", path_length, (300.0, 50.0)),
    Case("svg.path", arc, (2.0, 3.0)),
    Case("skspatial", projection, (5.0, 2.0)),
    Case("refet", evapotranspiration, (21.5, 1.4)),
    Case("skyfield", standard_atmosphere, (10.0, 1010.0)),
    Case("pyorbital", sun_direction, (10.0, 52.0)),
    Case("uncertainties", propagated, (0.7, 1.3)),
    Case("suntime", sunrise, (52.2, 0.12), free=False),
)
