"""The fixed desugaring: texts with the exact core that each becomes, apart from the layout."""

from __future__ import annotations

CORE: dict[str, tuple[str, str]] = {
    # Constants and variables
    "numeral": ("42", "42.0"),
    "negative numeral": ("-2.5", "-2.5"),
    "numeral without a leading digit": (".5", "0.5"),
    "numeral with exponent": ("1e-5", "1e-05"),
    "signed numeral": ("+7", "7.0"),
    "infinities": ("(list +inf.0 -inf.0)", "(cons +inf.0 (cons -inf.0 '()))"),
    "not a number": ("+nan.0", "+nan.0"),
    "zero below zero": ("-0", "-0.0"),
    "integer of the printer": ("#e5", "#e5"),
    "huge integer of the printer": ("#e#xff", "#e255"),
    "numerals to other bases": (
        "(list #xfF #o-17 #b+101 #d-1.5e3)",
        "(cons 255.0 (cons -15.0 (cons 5.0 (cons -1500.0 '()))))",
    ),
    "booleans": ("(if #t #f #t)", "(if #t #f #t)"),
    "string": (r'"a\n\"b\\\x41;"', r'"a\n\"b\\A"'),
    "quoted symbol": ("'a", "'a"),
    "quoted numeral": ("'1", "1.0"),
    "quoted null": ("'()", "'()"),
    "quoted list is one constant": ('\'(1 (a #t) "s")', '\'(1.0 (a #t) "s")'),
    "quoted pair": ("'(1 2 . x)", "'(1.0 2.0 . x)"),
    "quoted pair with a list": ("'(1 . (2 3))", "'(1.0 2.0 3.0)"),
    "quoted quote": ("''a", "'(quote a)"),
    "the long form of quote": ("(quote (a b))", "'(a b)"),
    "byte order mark": ("\ufeff1", "1.0"),
    "brackets": ("(let ([x 1]) x)", "(let ((x 1.0)) x)"),
    "comments": ("; a\n#| b #| c |# |# (+ 1 #;(x y) #;z 2) ; d", "(+ 1.0 2.0)"),
    # Lambda and application
    "lambda": ("(lambda (x y) x)", "(lambda (x y) x)"),
    "lambda of nothing": ("((lambda () 1))", "((lambda () 1.0))"),
    "application": ("(lambda (f a b) (f a b))", "(lambda (f a b) (f a b))"),
    "application of an application": ("(lambda (f a) ((f a) a))", "(lambda (f a) ((f a) a))"),
    # Primitives
    "primitive": ("(sqrt 2)", "(sqrt 2.0)"),
    "primitive of nothing": ("(read-real)", "(read-real)"),
    "sum of none": ("(+)", "0.0"),
    "product of none": ("(*)", "1.0"),
    "sum of one": ("(+ 3)", "3.0"),
    "maximum of one": ("(max 3)", "3.0"),
    "sum of two": ("(+ 1 2)", "(+ 1.0 2.0)"),
    "left fold of +": ("(+ 1 2 3 4)", "(+ (+ (+ 1.0 2.0) 3.0) 4.0)"),
    "left fold of -": ("(- 1 2 3)", "(- (- 1.0 2.0) 3.0)"),
    "left fold of *": ("(* 1 2 3)", "(* (* 1.0 2.0) 3.0)"),
    "left fold of /": ("(/ 1 2 3)", "(/ (/ 1.0 2.0) 3.0)"),
    "left fold of max": ("(max 1 2 3)", "(max (max 1.0 2.0) 3.0)"),
    "left fold of min": ("(min 1 2 3)", "(min (min 1.0 2.0) 3.0)"),
    "negation": ("(- 2)", "(- 2.0)"),
    "reciprocal": ("(/ 2)", "(/ 1.0 2.0)"),
    "arctangent of one": ("(atan 2)", "(atan 2.0)"),
    "arctangent of two": ("(atan 1 2)", "(atan 1.0 2.0)"),
    "comparison": ("(<= 1 2)", "(<= 1.0 2.0)"),
    "derivative operators": (
        "(lambda (f) (list (j* f 1 1) (*j f 1 1) (checkpoint-*j f 1 1)))",
        "(lambda (f) (cons (j* f 1.0 1.0) (cons (*j f 1.0 1.0) (cons (checkpoint-*j f 1.0 1.0) '()))))",
    ),
    "operators on runs": (
        "(lambda (f) (resume (interrupt f 1 (/ (primops f 1) 2))))",
        "(lambda (f) (resume (interrupt f 1.0 (/ (primops f 1.0) 2.0))))",
    ),
    "primitives as values": ("(list + sqrt - atan)", "(cons + (cons sqrt (cons - (cons atan '()))))"),
    "primitive bound by let": ("(let ((f *)) (f 2 3))", "(let ((f *)) (f 2.0 3.0))"),
    # Let
    "let": ("(let ((x 1)) x)", "(let ((x 1.0)) x)"),
    "let of nothing": ("(let () 1)", "1.0"),
    "let of several": (
        "(lambda (x y) (let ((x y) (y x)) (+ x y)))",
        "(lambda (x y) (let ((x.2 y)) (let ((y.2 x)) (+ x.2 y.2))))",
    ),
    "let*": (
        "(let* ((x 1) (y (+ x 1)) (x (+ x y))) x)",
        "(let ((x 1.0)) (let ((y (+ x 1.0))) (let ((x.2 (+ x y))) x.2)))",
    ),
    "let* of nothing": ("(let* () 1)", "1.0"),
    "named let": (
        "(let loop ((i 0) (s 1)) (if (= i 3) s (loop (+ i 1) (* s 2))))",
        "(letrec ((loop (lambda (i s) (if (= i 3.0) s (loop (+ i 1.0) (* s 2.0)))))) (loop 0.0 1.0))",
    ),
    "the values of a named let are outside": (
        "(lambda (loop) (let loop ((i (loop 0))) (loop i)))",
        "(lambda (loop) (letrec ((loop.2 (lambda (i) (loop.2 i)))) (loop.2 (loop 0.0))))",
    ),
    "letrec": (
        "(letrec ((f (lambda (x) (g x))) (g (lambda (x) (f x)))) (f 1))",
        "(letrec ((f (lambda (x) (g x))) (g (lambda (x.2) (f x.2)))) (f 1.0))",
    ),
    "letrec of nothing": ("(letrec () 1)", "1.0"),
    # Conditionals
    "if": ("(if #t 1 2)", "(if #t 1.0 2.0)"),
    "cond": (
        "(lambda (x) (cond ((< x 1) 10) ((< x 2) 20) (else 30)))",
        "(lambda (x) (if (< x 1.0) 10.0 (if (< x 2.0) 20.0 30.0)))",
    ),
    "cond without else": (
        "(lambda (x) (cond (x 1)))",
        '(lambda (x) (if x 1.0 (raise "no clause of this cond applies")))',
    ),
    "cond of nothing": ("(cond)", '(raise "no clause of this cond applies")'),
    "and of none": ("(and)", "#t"),
    "and of one": ("(lambda (a) (and a))", "(lambda (a) a)"),
    "and": ("(lambda (a b c) (and a b c))", "(lambda (a b c) (if a (if b c #f) #f))"),
    "or of none": ("(or)", "#f"),
    "or of one": ("(lambda (a) (or a))", "(lambda (a) a)"),
    "or": (
        "(lambda (a b c) (or a b c))",
        "(lambda (a b c) (let ((truth a)) (if truth truth (let ((truth.2 b)) (if truth.2 truth.2 c)))))",
    ),
    # Lists
    "list": ("(list 1 2)", "(cons 1.0 (cons 2.0 '()))"),
    "list of nothing": ("(list)", "'()"),
    "cons*": ("(cons* 1 2 '())", "(cons 1.0 (cons 2.0 '()))"),
    "cons* of one": ("(cons* 1)", "1.0"),
    # Patterns
    "pair as a parameter": (
        "(lambda ((cons a b)) (+ a b))",
        "(lambda (part) (let ((a (car part))) (let ((b (cdr part))) (+ a b))))",
    ),
    "list as a parameter": (
        "(lambda ((list a b)) a)",
        """(lambda (part) (let ((a (car part))) (let ((part.2 (cdr part))) (let ((b (car part.2)))
            (if (null? (cdr part.2)) a (raise "the list is longer than its pattern (list ...)"))))))""",
    ),
    "empty list as a parameter": (
        "(lambda ((list)) 1)",
        '(lambda (part) (if (null? part) 1.0 (raise "the list is longer than its pattern (list ...)")))',
    ),
    "nested patterns, among others": (
        "(lambda (x (cons (cons a b) c) y) b)",
        """(lambda (x part y) (let ((part.2 (car part))) (let ((a (car part.2))) (let ((b (cdr part.2)))
            (let ((c (cdr part))) b)))))""",
    ),
    "list within a list": (
        "(lambda ((list (list a) b)) b)",
        """(lambda (part) (let ((part.2 (car part))) (let ((a (car part.2)))
            (if (null? (cdr part.2)) (let ((part.3 (cdr part))) (let ((b (car part.3))) (if (null?
            (cdr part.3)) b
            (raise "the list is longer than its pattern (list ...)"))))
            (raise "the list is longer than its pattern (list ...)")))))""",
    ),
    "patterns in let: values first": (
        "(lambda (p) (let (((cons a b) p) (c (car p))) c))",
        "(lambda (p) (let ((part p)) (let ((c (car p))) (let ((a (car part))) (let ((b (cdr part))) c)))))",
    ),
    "patterns in let*: each before the next value": (
        "(lambda (p) (let* (((cons a b) p) (c a)) c))",
        "(lambda (p) (let ((part p)) (let ((a (car part))) (let ((b (cdr part))) (let ((c a)) c)))))",
    ),
    "patterns in a named let": (
        "(lambda (p) (let f (((cons a b) p)) (f b)))",
        """(lambda (p) (letrec ((f (lambda (part) (let ((a (car part))) (let ((b (cdr part))) (f b))))))
            (f p)))""",
    ),
    # Errors
    "raise": ("(raise 'oops)", "(raise 'oops)"),
    "begin": (
        "(let ((r (ref 1))) (begin (:= r 2) (! r)))",
        "(let ((r (ref 1.0))) (let ((done (:= r 2.0))) (! r)))",
    ),
    "begin of one": ("(begin 1)", "1.0"),
    "case": (
        "(lambda (v) (case v ((inr y) (- y)) ((inl x) x)))",
        (
            "(lambda (v) (let ((whole v)) (let ((tag (tag-of whole))) "
            "(if (eq? tag 'inl) (let ((x (untagged whole))) x) (let ((y (untagged whole))) (- y))))))"
        ),
    ),
    "handle": (
        "(lambda (e) (handle (raise e) (e) e))",
        "(lambda (e) (handle (raise e) (e.2) e.2))",
    ),
    # Definitions
    "definition of a value": ("(define x 1) (define y x) y", "(let ((x 1.0)) (let ((y x)) y))"),
    "definition of a function": ("(define (f x) x) (f 1)", "(letrec ((f (lambda (x) x))) (f 1.0))"),
    "definition of a lambda": ("(define f (lambda (x) x)) (f 1)", "(letrec ((f (lambda (x) x))) (f 1.0))"),
    "curried definition": (
        "(define (((f a) b) c) b) (((f 1) 2) 3)",
        "(letrec ((f (lambda (a) (lambda (b) (lambda (c) b))))) (((f 1.0) 2.0) 3.0))",
    ),
    "definition with a pattern": (
        "(define (f (cons a b)) b) f",
        "(letrec ((f (lambda (part) (let ((a (car part))) (let ((b (cdr part))) b))))) f)",
    ),
    "consecutive functions, then a value, then a function": (
        "(define (f x) (g x)) (define (g x) (f x)) (define y (f 1)) (define (h x) y) (h y)",
        """(letrec ((f (lambda (x) (g x))) (g (lambda (x.2) (f x.2))))
            (let ((y (f 1.0))) (letrec ((h (lambda (x.3) y))) (h y))))""",
    ),
    # Names
    "shadowing a primitive": ("(lambda (car) (car 1))", "(lambda (car.2) (car.2 1.0))"),
    "shadowing a keyword": ("(lambda (if) (if 1))", "(lambda (if.2) (if.2 1.0))"),
    "shadowing list, but not in patterns": (
        "(define (list a b) b) (let (((cons c d) (list 1 2))) c)",
        """(letrec ((list.2 (lambda (a b) b)))
            (let ((part (list.2 1.0 2.0))) (let ((c (car part))) (let ((d (cdr part))) c))))""",
    ),
    "shadowing else": (
        "(lambda (else) (cond (else 1) (else 2)))",
        '(lambda (else.2) (if else.2 1.0 (if else.2 2.0 (raise "no clause of this cond applies"))))',
    ),
    "a name of the core is no name of a text": ("(lambda (neg) neg)", "(lambda (neg.2) neg.2)"),
    "a suffix that is taken": ("(lambda (x.2 x) (lambda (x) x))", "(lambda (x.2 x) (lambda (x.3) x.3))"),
    "a suffix that comes later": (
        "(lambda (x) (lambda (x) (lambda (x.2) x.2)))",
        "(lambda (x) (lambda (x.2) (lambda (x.2.2) x.2.2)))",
    ),
    "parameters of unprinted lambdas take no names": ("(lambda (f) (f + (lambda (a) a)))",) * 2,
    # The prelude
    "a prelude function": ("(sqr 3)", "(letrec ((sqr (lambda (x) (* x x)))) (sqr 3.0))"),
    "a prelude function as a value": ("sqr", "(letrec ((sqr (lambda (x) (* x x)))) sqr)"),
    "map over two lists": (
        "(lambda (f l m) (map f l m))",
        """(letrec ((map2 (lambda (f l m) (if (null? l) (map-end (null? m))
            (cons (f (car l) (car m)) (map2 f (cdr l) (cdr m))))))
            (map-end (lambda (together?) (if together? '() (raise "map: the lists differ in length")))))
            (lambda (f.2 l.2 m.2) (map2 f.2 l.2 m.2)))""",
    ),
    "a program's own map": (
        "(define (map f x) (f x)) (cons (map sqr 2) (length '()))",
        """(letrec ((length (lambda (l) (letrec ((loop (lambda (l.2 n)
            (if (null? l.2) n (loop (cdr l.2) (+ n 1.0)))))) (loop l 0.0))))
            (sqr (lambda (x) (* x x))))
            (letrec ((map (lambda (f x.2) (f x.2)))) (cons (map sqr 2.0) (length '()))))""",
    ),
    "a prelude function that uses map2, beside a program's own": (
        "(define (map2 x) x) (map2 (v- '() '()))",
        """(letrec ((map2 (lambda (f l m) (if (null? l) (map-end (null? m)) (cons (f (car l) (car
            m)) (map2 f (cdr l) (cdr m)))))) (map-end (lambda (together?) (if together? '() (raise
            "map: the lists differ in length")))) (v- (lambda (u v) (map2 - u v)))) (letrec ((map2.2
            (lambda (x) x))) (map2.2 (v- '() '()))))""",
    ),
}
