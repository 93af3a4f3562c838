"""The primitives of Python programs. Importing this package registers their records, some of them `later`.

Names begin with "py."; what a record is of Python's own is its `implements`. R: Rearrange, S: Select,
U: Update, D: Data, E: Effect, O: Operator. "..." is any number of operands, [ ] may be left out.

Scalar, with R (U for iadd, imul) NAME/any for operands that are not reals
    add sub mul truediv floordiv mod pow x y (in place: iadd isub ...)   neg pos abs float x
    lt le gt ge eq ne x y
    math.: acos acosh asin asinh atan atanh cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs gamma
        lgamma log log10 log1p log2 radians sin sinh sqrt tan tanh ulp x
        atan2 copysign fmod hypot log_base nextafter pow remainder x y      fma x y z (from Python 3.13)
        ldexp x i (i as ldexp-exponent gives it)    frexp-mantissa modf-fraction modf-whole x
Scalar, of reals alone
    polygamma n x (n a whole real)   with-derivative x like (the value of x, the derivative of like)
Numbers
    R and or xor lshift rshift x y   invert index x   power-modulo x y m   round x [n]   int [x [base]]
    R divmod-check x y (None, or what divmod raises)
    R math.: floor ceil trunc isqrt factorial isfinite isinf isnan frexp-exponent ldexp-exponent x
        comb n k   gcd lcm ...   perm n [k]   isclose a b rel_tol abs_tol
Sequences
    D tuple list ...   record layout ...    R tuple-as types x    S item x i   pop-item x i (errors of pop)
    R slice x lo hi step   len truth not list-of tuple-of x   range [start] stop [step]
    R contains x v   position x v [from [to]]   position-to-remove x v   count x v
    R order x reverse   permuted x order   unpack x n   unpack-star unpack-rest x before after
Updates
    U set x i v   delete x i   append x v   extend x ys   insert x i v   reverse clear x   permute x order
    U set-slice x lo hi step ys   delete-slice x lo hi step   merge d other (a dictionary)
Dictionaries
    R dict   dict-of d (a dictionary)   cache-key d x ...
    R enum-number x (of an IntEnum and its kin)
    R is-derived x   overrides x name (of classes that derive from dict or list)   own-containers x
    R is-mapping has-keys is-object x   keys values d   copy x (or list, object)   key x   keywords d ...
Sets (sets.py)
    R token x   tokens xs   table tokens xs   table-or table-and table-sub table-xor s t   kind x
    S checked-set x method   R hashed-by x   hashed-parts x   identity x   hash x
Items with methods of their own (classes.py)
    R runs-methods names x ...   compared x y   is-same x y   positions x from to   frame x   shown-items x
Objects
    S attribute x name   variable cell name   R instance x types   is x y   O stop deep-copy conjugated x
    R has-namespace own-names with-namespace x   names-own x key   attribute-key key (of vars(x))
    R type x   instance-of subclass-of x c   no-constructor c   copied x
Exceptions
    R caught x   matches exc types   raise-check x
What comes in, for the run to change (state.py)
    O owned x shared key   R unchanged x y
What is refused (exceptions.py)
    R refuse message
Loops and calls (iteration.py, foreign.py)
    S sequence x   callee f n   R callable exact-sum norm fields x   exact-sum-of-products p q
    R is-made-anew x   replaced fields-with x changes
    O call-primitive f ...   primops functions f call x   interrupt functions f call x l
Lanes of vmap (checkpoint/prims/lanes.py)
    O lanes f args keywords in_axes   enter-lane f args keywords row
    O stack-lanes like results out_axes within
    Many lanes at once: checkpoint/prims/batched/steps.py
Sums of items (checkpoint/prims/sums.py)
    O summands f items   leaves x   leaves-like x y   of-leaves x leaves   R left-summands n   is-nest x
    O sums-of-parts f parts workers   R part-summands n   are-beside workers (checkpoint/prims/parts.py)
Solvers of packages, with functions of the program (solvers.py)
    O solver name functions arguments   implicit f x   attached y f x   moved f b
    O underived text f y
Arrays (arrays.py; the rest by overloads, see checkpoint.prims.arrays)
    R is-array was-changed x   fill x v   array-sorted x axis kind   basis x i   stacked x parts axis
    R complex-array real imag like   holds-complex x
    S item-to-change x i   R slice-to-change x lo hi step   (of an array a copy)
Text
    R str [x]   repr ascii x   format x [spec]   joined ...   text-method number-method x name ...
    R ord chr hex bin oct hash x   E print text end
The standard library (standard.py, classes.py)
    R standard name x ...   computed f args keywords   is-constant x   is-dtype x
    R is-dataclass dataclass-fields field-names x   tuple-like x items   is-stored field-default x name
    R random-seed seed version   random-real random-word block position   random-next block
    R random-state block position gauss_next   random-from state
    R complex x [y]   complex-power part a b c d   cmath-isclose a b rel_tol abs_tol
The world outside (outside.py)
    E perform observe f args keywords
What is rounded (watching.py)
    R watched site x
"""

from __future__ import annotations

from checkpoint.ad.record import later
from checkpoint.prims.python import (
    arithmetic,
    arrays,
    comparison,
    exceptions,
    integers,
    iteration,
    mathematics,
    native,
    objects,
    sequences,
    sets,
    text,
    updates,
)

__all__ = [
    "arithmetic",
    "arrays",
    "comparison",
    "exceptions",
    "integers",
    "iteration",
    "mathematics",
    "native",
    "objects",
    "sequences",
    "sets",
    "text",
    "updates",
]


@later
def _of_objects() -> None:
    """Register the records of classes, dictionaries, solvers, the standard library and the world outside."""
    from checkpoint.prims.python import (  # noqa: F401, PLC0415
        classes,
        dictionaries,
        foreign,
        outside,
        own,
        solvers,
        standard,
        state,
        watching,
    )
