"""Programs of the language that take derivatives by `j*` in a loop: the pair (x . y) to a real."""

from __future__ import annotations

_LOOP = "(lambda ((cons x y)) (let loop ((i 0) (x x) (y y)) (if (< i 120) {} (+ x y))))"
_STEP = "(loop (+ i 1) (- x (* 0.01 (cdr {}))) (* y 0.999))"
_INNER = "(j* (lambda (z) (cdr (j* (lambda (w) {}) z 1))) x 1)"
_BODIES = {
    "real": "(let ((r (j* (lambda (z) (cons (* (* z z) (sin (* z y))) (cons 2 #t))) x 1))) "
    "(loop (+ i 1) (- x (* 0.01 (car (cdr r)))) (+ y (* 0.001 (+ (car (car r)) (car (cdr (cdr r))))))))",
    "pair": "(let ((r (j* (lambda ((cons z w)) (cons (* z w) (exp (* z w)))) (cons x y) "
    "(cons 1 (* x 0.5))))) (loop (+ i 1) (- x (* 0.01 (cdr (cdr r)))) (- y (* 0.01 (car (cdr r))))))",
    # The tangent is the argument itself: contributions to one location, the tangent's first.
    "itself": _STEP.format("(j* (lambda (z) (/ (* z y) (+ z 3))) x x)"),
    "twice": _STEP.format(_INNER.format("(* (* w w) (* w (+ z y)))")),
    "a root of duals of duals": _STEP.format(_INNER.format("(sqrt (+ 1 (* w (* w z))))")),
    # The inner derivative is 1, whatever its tag is called.
    "perturbations": _STEP.format("(j* (lambda (z) (* z (cdr (j* (lambda (w) (+ z w)) y 1)))) x 1)"),
    "around a gradient": _STEP.format(
        "(j* (lambda (z) (cdr (*j (lambda (w) (* (* w w) (* w z))) z 1))) x 1)"
    ),
    # A loop of a number of turns that is not known is a header, with duals and the frame of `j*`.
    "a loop": _STEP.format(
        "(j* (lambda (z) (let in ((k 0) (z z)) (if (< k (+ 3 (* 20 (floor (* y y))))) "
        "(in (+ k 1) (* z (cos z))) z))) x 1)"
    ),
    "gradient-F": "(let ((g ((gradient-F (lambda ((list z w)) (* z (sin w)))) (list x y)))) "
    "(loop (+ i 1) (- x (* 0.01 (car g))) (- y (* 0.01 (second g)))))",
}
TEXTS = {name: _LOOP.format(body) for name, body in _BODIES.items()}
