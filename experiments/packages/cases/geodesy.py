"""The Earth, its sky and what flies around it."""

import datetime

import numpy as np

from experiments.packages.case import Case


def geodesic(lat, lon):
    from geographiclib.geodesic import Geodesic

    return Geodesic.WGS84.Inverse(40.6, -73.8, lat, lon)["s12"] / 1000.0


def direct(azimuth, distance):
    from geographiclib.geodesic import Geodesic

    end = Geodesic.WGS84.Direct(40.6, -73.8, azimuth, distance)
    return end["lat2"] + end["lon2"]


def great_circle(lat, lon):
    from haversine import haversine

    return haversine((45.7597, 4.8422), (lat, lon))


def great_circle_miles(lat, lon):
    from haversine import Unit, haversine

    return haversine((45.7597, 4.8422), (lat, lon), unit=Unit.MILES)


def local(lat, lon, height):
    from pymap3d import geodetic2enu

    east, north, up = geodetic2enu(lat, lon, height, 42.0, -82.0, 200.0)
    return east + 2.0 * north + 3.0 * up


def earth_fixed(lat, lon, height):
    from pymap3d import ecef2geodetic, geodetic2ecef

    x, y, z = geodetic2ecef(lat, lon, height)
    back = ecef2geodetic(x + 10.0, y, z)
    return back[0] + back[2]


def rhumb(lat, lon):
    from pymap3d.lox import loxodrome_inverse

    distance, azimuth = loxodrome_inverse(40.0, -80.0, lat, lon)
    return float(distance) + float(azimuth)


def vincenty(lat, lon):
    from pymap3d.vincenty import vdist

    return float(vdist(40.0, -80.0, lat, lon)[0])


def projected(lat, lon):
    from utm import from_latlon

    easting, northing, number, letter = from_latlon(lat, lon)
    return easting + northing


def unprojected(easting, northing):
    from utm import to_latlon

    lat, lon = to_latlon(easting, northing, 32, "U")
    return lat + 2.0 * lon


def normal_vector(lat, lon):
    from nvector import lat_lon2n_E

    return lat_lon2n_E(lat, lon).sum()


def vincenty_object(lat, lon):
    from pygeodesy.ellipsoidalVincenty import LatLon

    return LatLon(lat, lon).distanceTo(LatLon(41.49, -71.31))


def sphere(lat, lon):
    from pygeodesy import haversine_

    return haversine_(np.radians(lat), 0.7, np.radians(lon))


def sun_height(lat, lon):
    from astral import Observer
    from astral.sun import elevation

    when = datetime.datetime(2026, 6, 21, 9, 30, tzinfo=datetime.timezone.utc)
    return elevation(Observer(lat, lon, 0.0), when)


def on_a_plane(height, lat):
    from solarpy import irradiance_on_plane

    return irradiance_on_plane(np.array([0.0, 0.5, -1.0]), height, datetime.datetime(2026, 6, 21, 9, 30), lat)


def cell_temperature(irradiance, air, wind):
    from pvlib.temperature import sapm_cell

    return sapm_cell(irradiance, air, wind, -3.47, -0.0594, 3.0)


def faiman_temperature(irradiance, air):
    from pvlib.temperature import faiman

    return faiman(irradiance, air, 1.5)


def clear_sky(zenith):
    from pvlib.clearsky import bird

    return bird(zenith, 1.5, 0.15, 0.1, 1.0)["ghi"]


def sky_diffuse(tilt, dhi, dni):
    from pvlib.irradiance import haydavies

    return haydavies(tilt, 180.0, dhi, dni, 1360.0, 40.0, 170.0)


def incidence(tilt, azimuth):
    from pvlib.irradiance import aoi

    return aoi(tilt, azimuth, 40.0, 170.0)


def diode(photocurrent, resistance):
    from pvlib.pvsystem import i_from_v

    return i_from_v(0.5, photocurrent, 1e-9, resistance, 200.0, 0.03, method="newton")


def airmass(zenith):
    from pvlib.atmosphere import get_relative_airmass

    return get_relative_airmass(zenith)


def satellite(inclination, eccentricity):
    from sgp4.model import WGS72, Satrec

    satellite = Satrec()
    satellite.sgp4init(
        WGS72, "i", 5, 18441.785, 2.8098e-05, 6.969196665e-13, 0.0, eccentricity, 5.7904160274885,
        inclination, 0.3373093125574321, 0.0472294454407, 6.0863854713832,
    )  # fmt: skip
    error, position, velocity = satellite.sgp4_tsince(30.0)
    return position[0] + velocity[2]


def atmosphere(height):
    from ambiance import Atmosphere

    air = Atmosphere(height)
    return (air.density * air.speed_of_sound).sum()


def sea_density(salinity, temperature, pressure):
    from seawater import dens

    return dens(salinity, temperature, pressure)


def sound_in_the_sea(salinity, temperature):
    from seawater import svel

    return svel(salinity, temperature, 1000.0)


CASES = (
    Case("geographiclib", geodesic, (51.6, -0.5)),
    Case("geographiclib", direct, (51.0, 5.5e6)),
    Case("haversine", great_circle, (48.8567, 2.3508)),
    Case("haversine", great_circle_miles, (48.8567, 2.3508)),
    Case("pymap3d", local, (42.1, -82.1, 300.0)),
    Case("pymap3d", earth_fixed, (42.1, -82.1, 300.0)),
    Case("pymap3d", rhumb, (65.0, -148.0), tolerance=1e-4),
    Case("pymap3d", vincenty, (65.0, -148.0)),
    Case("utm", projected, (51.2, 7.5)),
    Case("utm", unprojected, (395201.3, 5673135.2)),
    Case("nvector", normal_vector, (0.5, 0.3)),
    Case("pygeodesy", vincenty_object, (52.2, 0.12)),
    Case("pygeodesy", sphere, (52.2, 0.12)),
    Case("astral", sun_height, (52.2, 0.12)),
    Case("solarpy", on_a_plane, (100.0, 45.0)),
    Case("pvlib", cell_temperature, (800.0, 20.0, 2.0)),
    Case("pvlib", faiman_temperature, (800.0, 20.0)),
    Case("pvlib", clear_sky, (40.0,)),
    Case("pvlib", sky_diffuse, (30.0, 100.0, 700.0)),
    Case("pvlib", incidence, (30.0, 175.0)),
    Case("pvlib", diode, (5.0, 0.3)),
    Case("pvlib", airmass, (50.0,)),
    Case("sgp4", satellite, (0.5980929187319208, 0.1859667)),
    Case("ambiance", atmosphere, (np.array([1000.0, 15000.0]),)),
    Case("seawater", sea_density, (35.0, 10.0, 1000.0)),
    Case("seawater", sound_in_the_sea, (35.0, 10.0)),
)
