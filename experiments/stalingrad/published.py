"""Published run times of saddle and particle by nested forward mode, relative to Stalingrad's.

As far as a public page could be found that prints them; its tables for the reverse modes and for the other
programs are pictures, which are not repeated here.
"""

SOURCE = "https://www.bcl.hamilton.ie/~qobi/ad2016-benchmarks/"
RATIOS = {
    "particle F over F": {
        "Tapenade": 3.39,
        "ADIFOR": 1.53,
        "MLton": 72.78,
        "FADBAD++": 84.25,
        "OCaml": 128.95,
        "GHC": 164.55,
        "Ikarus": 306.17,
        "Bigloo": 1062.89,
        "scmutils": 3289.16,
    },
    "saddle F over F": {
        "Tapenade": 2.47,
        "ADIFOR": 1.96,
        "MLton": 42.31,
        "FADBAD++": 23.31,
        "OCaml": 79.44,
        "GHC": 116.58,
        "Ikarus": 233.16,
        "Bigloo": 617.44,
        "scmutils": 2689.98,
    },
}
