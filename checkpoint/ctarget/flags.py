"""Flags of C compilers that the runtime and translated code share, so that both compute the same bits.

What always holds: this file imports nothing, since checkpoint.ctarget.build reads it before there is
a package.
"""

# The compiler must call these of the process's libm as they are, not evaluate, merge or replace them.
FROM_LIBM = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 floor fmod "
    "frexp hypot ldexp lgamma log log10 log1p log2 modf pow remainder rint round sin sincos sinh tan tanh "
    "tgamma trunc"
)
NO_BUILTINS = tuple([f"-fno-builtin-{name}" for name in FROM_LIBM.split()])
# No contraction to fused multiply-adds: a result must not depend on where a run was interrupted.
STANDARD = ("-std=c11", "-ffp-contract=off", "-fno-tree-slp-vectorize", "-fvisibility=hidden")
# Of the runtime. Never -ffast-math. The passes that are off merge or move what the instructions of the
# machine's loop have in common: that costs a third of its speed, as measured, and makes it depend on where
# its code happens to be.
RUNTIME = (
    *(*STANDARD, "-O2", "-fno-gcse", "-fno-schedule-insns2", "-fno-tree-pre", "-fno-ivopts"),
    *NO_BUILTINS,
)
WARNINGS = (
    *("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror"),
    "-Wno-ignored-optimization-argument",  # clang knows none of these passes
)
# For the hostile build: the runtime's headers depend on CK_HOSTILE. Not optimised: a sanitizer sees the same
# accesses, and a large unit, whose checks take an optimising compiler minutes, is compiled in seconds.
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
HOSTILE = (*SANITIZERS, "-O0", "-g", "-DCK_HOSTILE")
# For the build that finds races of threads: translated code needs the same flag.
RACES = ("-fsanitize=thread", "-g", "-DCK_RACES")
