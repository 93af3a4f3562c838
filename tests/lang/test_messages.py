"""Every SourceError of the language: its exact text, and the exact characters at which it points."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint.errors import SourceError
from tests.lang.support import core

ONE_EXPRESSION = (
    "a body is one expression; write (begin expression ... expression) for what they do, or "
    "(let ((name value)) body) for their values"
)
NOT_INSIDE = (
    "a definition is allowed only at top level; write (letrec ((name (lambda (parameter ...) body))) body) "
    "or (let ((name value)) body)"
)
MALFORMED_DEFINE = "a malformed define; write (define name value) or (define (name parameter ...) body)"
OWN_DIRECTORY = "write the path from this file's own directory"
FIXED = "a procedure takes a fixed number of arguments; write (lambda (a b) body)"
NO_PATTERN = "not a pattern; write a name, (cons a b) or (list a b ...)"
DOT = "a dot is allowed only before the last datum of a form; write (a . b)"
CASE = "(case value ((inl name) body) ((inr name) body))"
MARKED = "write #t, #f, or a numeral as #b101, #o17 or #xff"

# Each text, with the place of the error between « and », and the message.
READING = {
    "«(»+ 1 (* 2 3)": "this ( is never closed; write the missing )",
    "«[»1": "this [ is never closed; write the missing ]",
    "(+ 1 2)«)»": "this ) closes nothing; remove it",
    "«]»": "this ] closes nothing; remove it",
    "(let\n  [(x 1«]» x)": "this ] does not match the ( at line 2, column 4; write )",
    "«1.2.3»": "1.2.3 is not a numeral; write a real such as 1, -2.5 or 1e-5",
    "(+ «1/2» 3)": "1/2 is not a numeral; write a real such as 1, -2.5 or 1e-5",
    "«-1x»": "-1x is not a numeral; write a real such as 1, -2.5 or 1e-5",
    "«-1e400»": "-1e400 is too large for a real; write -inf.0 for infinity",
    '(f «"»a)': 'this string is never closed; write the missing "',
    '«"»a\\': 'this string is never closed; write the missing "',
    '"a«\\q»b"': r"an unknown escape; write \n, \t, \r, \\, \" or \x41;",
    '"«\\x»110000;"': r"an unknown escape; write \n, \t, \r, \\, \" or \x41;",
    "1 «#|» #| |#": "this comment is never closed; write the missing |#",
    "(1 «#;»)": "a datum is missing after this #;",
    "«'»": "a datum is missing after this '",
    "('a «'»)": "a datum is missing after this '",
    "«#true»": f"#true is not in the language; {MARKED}",
    "«#b12»": f"#b12 is not in the language; {MARKED}",
    "«#d1x»": "#d1x is not a numeral; write a real such as 1, -2.5 or 1e-5",
    "«#x" + "f" * 300 + "»": "this numeral is too large for a real",
    "«#»(1 2)": f"# is not in the language; {MARKED}",
    "«`»(a)": "quasiquotation is not in the language; build the list with list or cons*",
    "'(a «,»b)": "a comma is not in the language; separate the items by spaces",
    "«{»a": "a brace is not in the language; write a parenthesis",
    "«}»": "a brace is not in the language; write a parenthesis",
    "a«|»": "a bar is not in the language; write the name without it",
    "«.»": DOT,
    "'(«.» a)": DOT,
    "'(a . b «.» c)": DOT,
    "'«.» a": DOT,
    "'(a «.»)": "nothing follows this dot; write (a . b)",
    "'(a . b «c»)": "only one datum may follow a dot; write (a . b)",
}

NAMES = {
    "(+ 1 «foo»)": "unbound variable foo; define it: (define foo value)",
    "(«lenght» '())": "unbound variable lenght; did you mean length?",
    "(let ((alpha 1)) «alpa»)": "unbound variable alpa; did you mean alpha?",
    "(lambda (x) («lamda» (y) y))": "unbound variable lamda; did you mean lambda?",
    "«neg»": "unbound variable neg; define it: (define neg value)",
    "(let ((x 1) (y «x»)) y)": "unbound variable x; define it: (define x value)",
    "(«set!» x 1)": (
        "unbound variable set!; a variable does not change; bind the new value with let, or assign to a "
        "reference: (:= r value)"
    ),
    "(«do» ((i 0)) (#t))": (
        "unbound variable do; write a named let: (let loop ((i 0)) (if (= i n) result (loop (+ i 1))))"
    ),
    "(«when» #t 1)": "unbound variable when; an if has both branches; write (if test then else)",
    "(«unless» #t 1)": "unbound variable unless; an if has both branches; write (if test then else)",
    "(«equal?» 1 2)": "unbound variable equal?; compare reals with =, and symbols and booleans with eq?",
    "(«apply» + '())": (
        "unbound variable apply; a procedure takes a fixed number of arguments; write (f a b)"
    ),
    "(define (f x) («g» x)) (define y 1) (define (g x) x) 1": (
        "g is used before its definition at t:1:35; move the definition up"
    ),
    "(define x «x») 1": "x is used before its definition at t:1:1; move the definition up",
    "(define y («sqr» 2)) (define (sqr x) x) 1": (
        "sqr is used before its definition at t:1:20; move the definition up"
    ),
    "(+ 1 «if»)": "if is a keyword, not a value; write (if test then else)",
    "(map «list» '() '())": "list is a keyword, not a value; write (lambda (a b) (list a b))",
    "(reduce «and» #t '())": "and is a keyword, not a value; write (lambda (a b) (and a b))",
    "«else»": "else is a keyword, not a value; write (cond (test value) ... (else value))",
    "(lambda («define») 1)": "define is a keyword; choose another name",
    "(define (f x «include») 1) 1": "include is a keyword; choose another name",
    "(define «include» 1) 1": "include is a keyword; choose another name",
    "(let ((«%x» 1)) 1)": "a name may not begin with %; write x",
    "(lambda (x «x») x)": "x is bound twice here; choose another name",
    "(lambda (x (cons y (list «x»))) x)": "x is bound twice here; choose another name",
    "(let ((x 1) («x» 2)) x)": "x is bound twice here; choose another name",
    "(let loop ((x 1) («x» 2)) x)": "x is bound twice here; choose another name",
    "(letrec ((f (lambda () 1)) («f» (lambda () 1))) f)": "f is bound twice here; choose another name",
    "(map + '() '() '() '() '())".replace("map", "«map»", 1): (
        "map takes at most 4 lists; write a procedure of your own"
    ),
}

OPERANDS = {
    "«(sqrt 1 2)»": "sqrt takes 1 operand, but here are 2; write (sqrt a)",
    "«(sqrt)»": "sqrt takes 1 operand, but here are none; write (sqrt a)",
    "«(expt 1)»": "expt takes 2 operands, but here is 1; write (expt a b)",
    "(if «(< 1 2 3)» 1 2)": "< takes 2 operands, but here are 3; write (< a b)",
    "«(read-real 1)»": "read-real takes 0 operands, but here is 1; write (read-real)",
    "«(j* 1)»": "j* takes 3 operands, but here is 1; write (j* a b c)",
    "«(atan)»": "atan takes 1 or 2 operands, but here are none; write (atan a b)",
    "«(atan 1 2 3)»": "atan takes 1 or 2 operands, but here are 3; write (atan a b)",
    "«(-)»": "- takes at least 1 operand, but here are none; write (- a b)",
    "«(/)»": "/ takes at least 1 operand, but here are none; write (/ a b)",
    "«(max)»": "max takes at least 1 operand, but here are none; write (max a b)",
    "«(min)»": "min takes at least 1 operand, but here are none; write (min a b)",
}

FORMS = {
    "(f «()»)".replace("f", "car"): "() is not an expression; write '() for the empty list",
    "«(1 . 2)»": "a dotted pair is not an expression; quote it: '(a . b)",
    "«(lambda)»": "a malformed lambda; write (lambda (parameter ...) body)",
    "«(lambda (x))»": "the body is missing; write one expression at the end of this form",
    "(lambda (x) 1 «2» 3)": ONE_EXPRESSION,
    "(lambda «args» 1)": FIXED,
    "(lambda «(a . rest)» 1)": FIXED,
    "(define «(f . rest)» 1) 1": FIXED,
    "(lambda («1») 1)": NO_PATTERN,
    "(lambda («(pair a b)») 1)": NO_PATTERN,
    "(lambda («()») 1)": NO_PATTERN,
    "(lambda ((list a «'b»)) 1)": NO_PATTERN,
    "(lambda («(cons a)») 1)": "the pattern cons has two parts; write (cons a b)",
    "(let ((«(cons a b c)» 1)) 1)": "the pattern cons has two parts; write (cons a b)",
    "«(let)»": "a malformed let; write (let ((name value) ...) body)",
    "«(let 1 2)»": "a malformed let; write (let ((name value) ...) body)",
    "(let («x») 1)": "a binding of let is a name and a value; write (name value)",
    "(let («(x)») 1)": "a binding of let is a name and a value; write (name value)",
    "(let («(x 1 2)») 1)": "a binding of let is a name and a value; write (name value)",
    "«(let ((x 1)))»": "the body is missing; write one expression at the end of this form",
    "(let ((x 1)) x «x»)": ONE_EXPRESSION,
    "«(let loop)»": "a malformed let; write (let ((name value) ...) body)",
    "(let* («(x)») 1)": "a binding of let* is a name and a value; write (name value)",
    "«(let* x 1)»": "a malformed let*; write (let* ((name value) ...) body)",
    "(letrec ((f «1»)) f)": (
        "letrec binds procedures only; write (lambda (parameter ...) body) here, or bind with let"
    ),
    "(letrec ((«(cons f g)» (lambda () 1))) f)": (
        "letrec binds names; write (name (lambda (parameter ...) body))"
    ),
    "«(letrec f)»": "a malformed letrec; write (letrec ((name (lambda (parameter ...) body)) ...) body)",
    "«(if #t 1)»": "this if has one branch only; write (if test then else)",
    "«(if #t)»": "a malformed if; write (if test then else)",
    "«(if #t 1 2 3)»": "a malformed if; write (if test then else)",
    "(cond «1»)": "a clause of cond is a test and a value; write (test value)",
    "(cond «(#t)»)": "a clause of cond is a test and a value; write (test value)",
    "(cond (#t 1 «2»))": ONE_EXPRESSION,
    "(cond «(else 1)» (#t 2))": "else is the last clause of a cond; move it to the end",
    "«(else 1)»": "else is allowed only in a cond; write (cond (test value) ... (else value))",
    "«(cons*)»": "a malformed cons*; write (cons* value ... list)",
    "«(quote)»": "a malformed quote; write (quote datum)",
    "«(quote a b)»": "a malformed quote; write (quote datum)",
    "«(raise)»": "a malformed raise; write (raise value)",
    "«(handle 1 (e))»": "a malformed handle; write (handle body (name) handler)",
    "«(begin)»": "a malformed begin; write (begin expression ... expression)",
    "«(case 1 ((inl x) x))»": f"a malformed case; write {CASE}",
    "(case 1 ((inl x) x) «((other y) y)»)": f"a malformed case; write {CASE}",
    "«(case 1 ((inl x) x) ((inl y) y))»": f"a malformed case; write {CASE}",
    "(case 1 ((inl x) x) «2»)": f"a malformed case; write {CASE}",
    "«(reset)»": "a malformed reset; write (reset expression)",
    "«(reset-at 'a)»": "a malformed reset-at; write (reset-at tag expression)",
    "«(shift 1)»": "a malformed shift; write (shift k expression)",
    "(shift «1» 2)": "what captures the continuation is a name; write (shift k expression)",
    "«(shift-at 'a k)»": "a malformed shift-at; write (shift-at tag k expression)",
    "(reset-at «1» 2)": "a tag is a symbol, a string or a boolean; write a symbol, 'name",
    "(handle 1 «e» 2)": "a malformed handle; write (handle body (name) handler)",
    "(handle 1 «(1)» 2)": "a malformed handle; write (handle body (name) handler)",
    "(lambda (x) «(define y 1)» y)": NOT_INSIDE,
    "(let ((x «(define y 1)»)) x)": NOT_INSIDE,
    '(car «(include "a")»)': "include is allowed only at top level; move it out of this form",
}

TOP_LEVEL = {
    "": "this text ends without an expression; write one at its end, such as (f 1)",
    "(define (f x) x«)»\n": "this text ends without an expression; write one at its end, such as (f 1)",
    "1 «2»": (
        "a text ends with one expression, and this is a second one; "
        "write (define name value) for the first, or make a list of both"
    ),
    "1 «(define x 1)» (define y 2)": "this definition follows the text's expression; move it before that",
    "(define (f) 1)\n(define «f» 2) 1": "f is defined twice, first at t:1:1; choose another name",
    "«(define)» 1": MALFORMED_DEFINE,
    "(define «1» 2) 1": MALFORMED_DEFINE,
    "(define («1» x) 2) 1": MALFORMED_DEFINE,
    "(define «()» 2) 1": MALFORMED_DEFINE,
    "«(define x)» 1": "x has no value; write (define name value)",
    "«(define (f x))» 1": "f has no value; write (define (name parameter ...) body)",
    "(define x 1 «2») 1": ONE_EXPRESSION,
    "(define (f x) x «x») 1": ONE_EXPRESSION,
    "(define (f x) «(define y 1)» y) 1": NOT_INSIDE,
    "«(include)»": 'a malformed include; write (include "file")',
    "«(include file)»": 'a malformed include; write (include "file")',
    '(include «"a\\x0;b"»)': f"cannot include a\0b: embedded null byte; {OWN_DIRECTORY}",
    '(include «"nowhere.vlad"»)': (
        f"cannot include nowhere.vlad: No such file or directory; {OWN_DIRECTORY}"
    ),
}

CASES = {**READING, **NAMES, **OPERANDS, **FORMS, **TOP_LEVEL}


@pytest.mark.parametrize("marked", CASES)
def test_message_and_place(marked: str) -> None:
    start = marked.find("«")
    end = marked.find("»") - 1
    text = marked.replace("«", "").replace("»", "")
    with pytest.raises(SourceError) as caught:
        core(text, "t")
    error = caught.value
    assert error.message == CASES[marked]
    assert error.span is not None
    assert (error.span.start, error.span.end) == ((start, end) if start >= 0 else (0, 0))


def test_the_whole_message() -> None:
    with pytest.raises(SourceError) as caught:
        core("(define (f x)\n  (sin x x))\n(f 1)", "prog.vlad")
    assert str(caught.value) == (
        "prog.vlad:2:3: sin takes 1 operand, but here are 2; write (sin a)\n"
        "    2 |   (sin x x))\n"
        "      |   ^^^^^^^^^"
    )


def failure(path: Path) -> SourceError:
    with pytest.raises(SourceError) as caught:
        core(path.read_text(), str(path))
    return caught.value


def test_an_error_in_an_included_file_is_there(tmp_path: Path) -> None:
    (tmp_path / "main.vlad").write_text('(include "a.vlad") 1')
    (tmp_path / "a.vlad").write_text("(define x 1)\n(define y z)")
    error = failure(tmp_path / "main.vlad")
    assert str(error.span) == f"{tmp_path}/a.vlad:2:11"


@pytest.mark.parametrize("inner", ['(include "main.vlad")', '(include "a.vlad")', '(include "../{}/a.vlad")'])
def test_an_include_of_itself(tmp_path: Path, inner: str) -> None:
    (tmp_path / "main.vlad").write_text('(include "a.vlad") 1')
    (tmp_path / "a.vlad").write_text(inner.format(tmp_path.name))
    error = failure(tmp_path / "main.vlad")
    assert error.message.endswith("includes itself; remove this include")
    assert str(error.span) == f"{tmp_path}/a.vlad:1:1"


def test_an_include_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "main.vlad").write_text('(include "a.vlad") 1')
    (tmp_path / "a.vlad").write_bytes(b"\xff\xfe\xff")
    message = f"cannot include {tmp_path}/a.vlad: it is not UTF-8 text; {OWN_DIRECTORY}"
    assert failure(tmp_path / "main.vlad").message == message


def test_an_include_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "main.vlad").write_text('(include ".") 1')
    message = f"cannot include {tmp_path}: Is a directory; {OWN_DIRECTORY}"
    assert failure(tmp_path / "main.vlad").message == message
