"""Print CPS, in the notation of checkpoint.cps.terms.

In: a program in CPS and its source text. Out: a listing. The margin of each step shows its place and what it
passes on as n; the parts of a branch, continuation or function are indented below it.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.text import Listing, Places, form
from checkpoint.errors import Source, Span
from checkpoint.lang.deep import Task, run


def show_cps(program: t.Function, source: Source, name: str | None) -> str:
    """Return the listing of the program or of its functions of one name; "" if there is none."""
    printer = _Printer(Places(source), name)
    run(printer.function(program, 0))
    return printer.listing.text()


class _Printer:
    """The printer of one program.

    name: the name of the functions to print; None for all. inside: whether such a function is being printed.
    """

    def __init__(self, places: Places, name: str | None) -> None:
        self.listing = Listing()
        self.places = places
        self.name = name
        self.inside = name is None

    def put(self, depth: int, text: str, *notes: str) -> None:
        if self.inside:
            self.listing.add(depth, text, *notes)

    def step(self, depth: int, text: str, n: int, span: Span) -> None:
        self.put(depth, text, f"{_n(n):<5}", self.places.text(span))

    def function(self, function: t.Function, depth: int, bound: str | None = None) -> Task[None]:
        outer, lam = self.inside, function.lam
        name = bound or lam.name or "lambda"
        self.inside = outer or name == self.name
        shown = depth if outer else 0
        self.put(shown, f"function {name} {form(function.k, 'n', 'l', *lam.params)}")
        yield self.term(function.term, shown + 1, 0)
        self.inside = outer

    def term(self, term: t.Term, depth: int, n: int) -> Task[None]:
        """Print a term. n: the number of steps since the n of the function or continuation."""
        for step in term.steps:
            n += 1
            self.step(depth, step_text(step), n, step.span)
            if isinstance(step, t.Close):
                yield self.function(step.function, depth + 1)
            elif isinstance(step, t.Letrec):
                for name, function in step.functions.items():
                    yield self.function(function, depth + 1, name)
        assert term.end is not None
        yield self.end(term.end, depth, n)

    def end(self, end: t.End, depth: int, n: int) -> Task[None]:
        match end:
            case t.Continue():
                self.put(depth, form(end.k, _n(n), "l", end.operand))
            case t.Branch():
                self.step(depth, form("if", end.test), n + 1, end.span)
                yield self.part(depth, "then", end.then, n + 1)
                yield self.part(depth, "else", end.other, n + 1)
            case t.Call():
                text = form("call", end.fn, end.k, _n(n + 1), "l", *end.args)
                self.step(depth, text, n + 1, end.span)
            case t.Control():
                text = form("control", end.op, end.k, _n(n + 1), "l", *end.args)
                self.step(depth, text, n + 1, end.span)
            case t.Throw():
                self.step(depth, form("raise", end.operand), n + 1, end.span)
            case t.Handle():
                self.step(depth, form("handle", end.leave.name, end.handler.name), n + 1, end.span)
                yield self.cont("leave", end.leave, depth)
                yield self.cont("handler", end.handler, depth)
                yield self.part(depth, "body", end.body, n + 1)
            case t.LetCont():
                yield self.cont("letcont", end.cont, depth)
                yield self.term(end.body, depth, n)

    def part(self, depth: int, word: str, term: t.Term, n: int) -> Task[None]:
        self.put(depth, word)
        yield self.term(term, depth + 1, n)

    def cont(self, word: str, cont: t.Cont, depth: int) -> Task[None]:
        self.put(depth, f"{word} {cont.name} {form('n', 'l', cont.param)}")
        yield self.term(cont.term, depth + 1, 0)


def step_text(step: t.Step) -> str:
    """Return a step as text, without the functions inside it."""
    match step:
        case t.Read():
            return form("read", step.operand)
        case t.Copy():
            return f"({step.name} {form('copy', step.operand)})"
        case t.Compute():
            return f"({step.name} {form(step.op, *step.operands)})"
        case t.Close():
            return f"({step.name} (lambda f))"
        case t.Member():
            return f"({step.name} {form('member', step.member)})"
        case t.Letrec():
            return form("letrec", *step.functions)
    return type(step).__name__


def _n(n: int) -> str:
    return f"n+{n}" if n else "n"
