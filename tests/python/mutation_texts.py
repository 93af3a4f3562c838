"""The names, constants, statements and expressions that mutations put into programs (mutations.py)."""

from __future__ import annotations


def _split(text: str) -> list[str]:
    """Return what `;;` and the ends of lines separate; a line's end inside of a statement is written out."""
    found = text.strip().replace("\n", ";;").split(";;")
    return [each.strip().replace("\\n", "\n") for each in found]


NAMES = _split(
    r"""
undefined_name ;; self ;; x ;; result ;; math ;; list ;; print ;; __name__ ;; _
"""
)
FUNCTIONS = _split(
    r"""
eval ;; exec ;; globals ;; locals ;; super ;; __import__ ;; open ;; id ;; type ;; vars ;; dir ;; iter
next ;; sorted ;; len ;; reversed ;; hash ;; repr ;; isinstance ;; issubclass ;; getattr ;; setattr
hasattr ;; print ;; divmod ;; round ;; zip ;; enumerate ;; map ;; filter ;; min ;; max ;; sum ;; any
all ;; abs ;; complex ;; int ;; float ;; str ;; bool ;; bytes ;; frozenset ;; dict ;; list ;; tuple
set ;; range ;; slice ;; object ;; callable ;; format ;; chr ;; ord ;; pow ;; bytearray ;; memoryview
staticmethod ;; property ;; classmethod ;; delattr ;; compile ;; ascii ;; bin ;; hex
"""
)
ATTRIBUTES = _split(
    r"""
append ;; keys ;; values ;; items ;; real ;; imag ;; nothing ;; pop ;; sort ;; copy ;; get ;; shape
__class__ ;; __dict__ ;; __len__ ;; __name__ ;; __doc__ ;; join ;; add ;; update ;; index ;; T ;; sum
"""
)
CONSTANTS = _split(
    r"""
None ;; 'a' ;; 0 ;; -1 ;; 2.5 ;; [] ;; {} ;; () ;; True ;; set() ;; b'x' ;; float('nan') ;; 1e308 ;; ...
10**20 ;; 1j ;; NotImplemented ;; range(3) ;; '{}' ;; (1, 2) ;; [1.0, 2] ;; {'a': 1.5} ;; slice(1)
"""
)
# Around a name N of the function.
STATEMENTS = _split(
    r"""
import os ;; import nothing_here ;; from math import nothing_here ;; from os import path as N
global N ;; nonlocal N ;; global G_; G_ = N ;; del N ;; del N[0] ;; del N.a ;; yield N ;; N = yield
await N ;; async with N: pass ;; async for i_ in N: pass ;; async def f_(): await N ;; class C_: a = N
class C_(metaclass=type): pass ;; with open('x') as f_: pass ;; with N: pass ;; with N as N: pass
assert False ;; assert N, N ;; raise ;; raise ValueError from None ;; raise N ;; raise N from N
raise ValueError(N) from KeyError(1) ;; return ;; return N ;; break ;; continue ;; pass ;; N: int
N: int = 1 ;; exec('N = 1') ;; lambda: (yield) ;; for N in N: pass ;; for i_ in N: N = i_
while N: break ;; a_ = b_ = N ;; a_, *b_ = N ;; (a_, (b_, c_)) = N ;; [N, N] = N ;; N.a = 1 ;; N[0] = 1
N['k'] = N ;; N += 1 ;; N @= N ;; N[0] += 1 ;; N.a += 1 ;; print(N) ;; print(N, sep=1)
def f_(a=N, *, b): return a ;; def N(): return N ;; def f_():\n    nonlocal N\n    N = 1\nf_()
def f_():\n    global N\n    return N\nf_() ;; try:\n    N()\nexcept TypeError as e_:\n    print(e_)
try:\n    N[0]\nexcept:\n    pass\nelse:\n    N = 1 ;; try:\n    return N\nfinally:\n    N = None
try:\n    N()\nexcept* TypeError:\n    pass ;; try:\n    N.a\nexcept (AttributeError, N):\n    pass
try:\n    1 / 0\nexcept N:\n    pass
match N:\n    case [a_, *b_]: N = a_\n    case {'k': v_, **r_}: N = r_\n    case float(): N = 1.0
match N:\n    case int(real=r_) | float(r_): print(r_)\n    case str() as s_ if s_: pass
match N:\n    case (1 | 2.5, _): pass\n    case None: N = 0\n    case C_(): pass
if (n_ := N): print(n_) ;; [N := 1, N] ;; __import__('os') ;; super().__init__() ;; eval('N')
locals()['N'] = 1 ;; globals() ;; vars() ;; dir() ;; N = lambda N=N: N ;; N = lambda *N, **k_: N
N = [N for N in N] ;; N = {N: N for N in range(2)} ;; N = (i_ for i_ in N) ;; N = {*N} ;; N = [*N, *N]
N = {**N} ;; N(*N, **N) ;; N() ;; N(1) ;; N(a=1) ;; N.append(1) ;; N.sort() ;; N.pop() ;; N.update(a=1)
@N\ndef f_(): pass ;; def f_(): yield N\nfor N in f_(): pass ;; N = N, N ;; N = N[::-1] ;; N = N[1:]
N = f'{N!r:>10}' ;; N = f'{N:.2f}' ;; N = '%s' % N ;; N = '{0}'.format(N) ;; N = not N ;; N = ~N
N = -N ;; N = N if N else None ;; N = N and N or 1 ;; N = 0 < N < 3 ;; N = N in [N] ;; N = N is N
N = N == N ;; N = type(N) ;; N = type(N)(N) ;; N = sum(N) ;; N = max(N) ;; N = len(N)
N = list(map(abs, N)) ;; N = sorted(N, key=lambda v_: -v_) ;; N = dict(zip(N, N)) ;; N = next(iter(N))
N = str(N) ;; N = hash(N) ;; N = isinstance(N, (int, str)) ;; N = isinstance(N, N)
N = getattr(N, 'a', None) ;; setattr(N, 'a', 1) ;; N = N.__class__ ;; N = N.__name__ ;; N = __class__
N = __debug__ ;; N = set(N) | {1} ;; N = frozenset(N)
"""
)
# Around an expression E.
EXPRESSIONS = _split(
    r"""
lambda: E ;; (lambda v_: v_)(E) ;; (E,) ;; [E] ;; -E ;; not E ;; E() ;; E[0] ;; E.a ;; f'{E!r}'
{E: 1} ;; E if E else None ;; (w_ := E) ;; [E for i_ in range(2)] ;; {E} ;; await E
(E for i_ in (1,)) ;; E[:] ;; E[0:1, ...] ;; E + E ;; E * 2 ;; E // 2 ;; E % 2 ;; E ** 2 ;; E @ E
E < E ;; E == None ;; E is None ;; E in E ;; abs(E) ;; float(E) ;; int(E) ;; str(E) ;; list(E)
tuple(E) ;; sorted(E) ;; sum(E) ;; len(E) ;; max(E) ;; max(E, 1) ;; range(E) ;; zip(E, E)
enumerate(E) ;; [*E] ;; (*E, 1) ;; {**E} ;; dict(a=E) ;; print(E) ;; repr(E) ;; bool(E) ;; iter(E)
E.real ;; E.copy() ;; E.keys() ;; (yield E) ;; E and E ;; round(E) ;; round(E, 1) ;; divmod(E, 2)
pow(E, 2) ;; complex(E) ;; set(E) ;; id(E) ;; type(E) ;; hash(E)
"""
)
EXCEPTIONS = _split(
    r"""
Exception ;; ValueError ;; ZeroDivisionError ;; KeyError ;; BaseException ;; (TypeError, KeyError)
int
"""
)
