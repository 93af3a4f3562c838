"""Heat, fluids, chemistry, steam, human comfort."""

import numpy as np

from experiments.packages.case import Case


def friction(reynolds, roughness):
    from fluids import friction_factor

    return friction_factor(Re=reynolds, eD=roughness)


def colebrook(reynolds, roughness):
    from fluids.friction import Colebrook

    return Colebrook(reynolds, roughness, tol=1e-10)


def drag(reynolds):
    from fluids import drag_sphere

    return drag_sphere(reynolds)


def settling(diameter, density):
    from fluids.drag import v_terminal

    return v_terminal(D=diameter, rhop=density, rho=1000.0, mu=1e-3)


def valve(diameter, angle):
    from fluids.fittings import contraction_conical

    return contraction_conical(Di1=0.1, Di2=diameter, l=0.04, Re=1e6)


def nusselt(reynolds, prandtl):
    from ht import Nu_conv_internal

    return Nu_conv_internal(Re=reynolds, Pr=prandtl)


def exchanger(heat_capacity):
    from ht import effectiveness_from_NTU

    return effectiveness_from_NTU(NTU=5.0, Cr=heat_capacity, subtype="counterflow")


def radiation(temperature):
    from ht.radiation import q_rad

    return q_rad(emissivity=0.8, T=temperature, T2=300.0)


def mean_difference(hot, cold):
    from ht import LMTD

    return LMTD(hot, 60.0, cold, 40.0)


def vapour(temperature):
    from chemicals import Antoine

    return Antoine(temperature, 8.95894, 510.595, -15.95)


def flash(k):
    from chemicals.rachford_rice import Rachford_Rice_solution

    beta, xs, ys = Rachford_Rice_solution(zs=[0.5, 0.3, 0.2], Ks=[k, 0.8, 0.3])
    return beta + xs[0]


def lee_kesler(temperature, omega):
    from chemicals.vapor_pressure import Lee_Kesler

    return Lee_Kesler(temperature, 536.8, 5.167e6, omega)


def water(temperature, density):
    from chemicals.iapws import iapws95_P

    return iapws95_P(temperature, density)


def peng_robinson(temperature, pressure):
    from thermo.eos import PR

    gas = PR(Tc=507.6, Pc=3025000.0, omega=0.2975, T=temperature, P=pressure)
    return gas.V_g if hasattr(gas, "V_g") else gas.V_l


def van_der_waals(temperature):
    from thermo.eos import VDW

    return VDW(Tc=507.6, Pc=3025000.0, T=temperature, P=1e6).V_l


def activity(temperature):
    from thermo.nrtl import NRTL_gammas

    tau = 150.0 / temperature
    return NRTL_gammas([0.3, 0.7], [[0.0, tau], [0.8, 0.0]], [[0.0, 0.3], [0.3, 0.0]])[0]


def steam(temperature, pressure):
    from iapws.iapws97 import _Region1

    return _Region1(temperature, pressure)["h"]


def steam_backwards(pressure, enthalpy):
    from iapws.iapws97 import _Backward1_T_Ph

    return _Backward1_T_Ph(pressure, enthalpy)


def saturation(temperature):
    from iapws.iapws97 import _PSat_T

    return _PSat_T(temperature)


def wet_bulb(temperature, humidity):
    import psychrolib

    psychrolib.SetUnitSystem(psychrolib.SI)
    return psychrolib.GetTWetBulbFromRelHum(temperature, humidity, 101325.0)


def humidity_ratio(temperature, humidity):
    import psychrolib

    psychrolib.SetUnitSystem(psychrolib.SI)
    return psychrolib.GetHumRatioFromRelHum(temperature, humidity, 101325.0)


def comfort(temperature):
    from thermofeel import calculate_heat_index_simplified

    return calculate_heat_index_simplified(temperature, np.array([40.0, 60.0])).sum()


def wind_chill(temperature, wind):
    from thermofeel import calculate_wind_chill

    return calculate_wind_chill(temperature, wind)


def arrhenius(activation):
    from chempy.kinetics.arrhenius import arrhenius_equation

    return arrhenius_equation(1e10, activation, 310.0)


def ionic(charges):
    from chempy.electrolytes import ionic_strength

    return ionic_strength([charges, 3.0 * charges], [3, -1])


def second_order(rate):
    from chempy.kinetics.integrated import binary_irrev

    return binary_irrev(1.5, rate, 0.0, 3.0, 2.0, backend=np)


def layers(thickness, index):
    from tmm import coh_tmm

    return coh_tmm("s", [1.0, index, 1.5, 1.0], [np.inf, thickness, 50.0, np.inf], 0.2, 500.0)["R"]


CASES = (
    Case("fluids", friction, (1e5, 1e-4)),
    Case("fluids", colebrook, (1e5, 1e-4)),
    Case("fluids", drag, (200.0,)),
    Case("fluids", settling, (70e-6, 2600.0)),
    Case("fluids", valve, (0.04, 0.5)),
    Case("ht", nusselt, (1e5, 0.7)),
    Case("ht", exchanger, (0.7,)),
    Case("ht", radiation, (400.0,)),
    Case("ht", mean_difference, (100.0, 20.0)),
    Case("chemicals", vapour, (120.0,)),
    Case("chemicals", flash, (4.0,)),
    Case("chemicals", lee_kesler, (300.0, 0.2)),
    Case("chemicals", water, (300.0, 1000.0)),
    Case("thermo", peng_robinson, (400.0, 1e6)),
    Case("thermo", van_der_waals, (299.0,)),
    Case("thermo", activity, (350.0,)),
    Case("iapws", steam, (300.0, 3.0)),
    Case("iapws", steam_backwards, (3.0, 500.0)),
    Case("iapws", saturation, (450.0,)),
    Case("psychrolib", wet_bulb, (25.0, 0.6), tolerance=1e-2),
    Case("psychrolib", humidity_ratio, (25.0, 0.6)),
    Case("thermofeel", comfort, (np.array([300.0, 305.0]),)),
    Case("thermofeel", wind_chill, (np.array([270.0, 265.0]), np.array([5.0, 9.0]))),
    Case("chempy", arrhenius, (40e3,)),
    Case("chempy", ionic, (0.1,)),
    Case("chempy", second_order, (0.3,)),
    Case("tmm", layers, (120.0, 2.2)),
)
