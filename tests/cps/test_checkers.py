"""Each checker accepts what the passes make, and refuses each kind of broken program with its place.

A case is a change of a good program and the message of the checker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.checks import CHECKS
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.contify import terms
from checkpoint.errors import InternalError
from tests.cps.support import compiled

PROGRAM = """
(define (add a b) (+ a b))
(define (main x unused)
  (let loop ((i x) (y 1))
    (if (zero? i)
        (handle (cons (write-real y) (add x (sin y))) (e) (cons e (cons x y)))
        (if (< y 9) (loop (- i 1) (* y (+ (add i x) y))) (raise (lambda (z) (+ z y)))))))
main
"""

CHECK = CHECKS
Change = Callable[[Compilation], None]


def all_functions(program: t.Function) -> list[t.Function]:
    found = [program]
    for function in found:
        for term in terms(function):
            for step in term.steps:
                if isinstance(step, t.Close):
                    found.append(step.function)
                elif isinstance(step, t.Letrec):
                    found += step.functions.values()
    return found


def all_terms(found: Compilation) -> list[t.Term]:
    return [term for function in all_functions(found.cps) for term in terms(function)]


def cps_step(found: Compilation, kind: type) -> Any:
    """Return the first step of a kind."""
    return next(step for term in all_terms(found) for step in term.steps if isinstance(step, kind))


def cps_end(found: Compilation, kind: type) -> Any:
    return next(term.end for term in all_terms(found) if isinstance(term.end, kind))


def change_cps(kind: type, **fields: Any) -> Change:
    """Return a change of a field of the first step or end of a kind."""

    def change(found: Compilation) -> None:
        is_step = issubclass(kind, t.Step)
        item = cps_step(found, kind) if is_step else cps_end(found, kind)
        for name, value in fields.items():
            setattr(item, name, value)

    return change


def lose_a_step(found: Compilation) -> None:
    term = next(term for term in all_terms(found) if term.steps and isinstance(term.steps[0], t.Read))
    del term.steps[0]


def repeat_a_step(found: Compilation) -> None:
    term = next(term for term in all_terms(found) if term.steps and isinstance(term.steps[0], t.Read))
    term.steps.insert(0, term.steps[0])


def lose_an_end(found: Compilation) -> None:
    all_terms(found)[-1].end = None


def use_a_name_early(found: Compilation) -> None:
    for term in all_terms(found):
        for step in term.steps:
            if isinstance(step, t.Compute):
                term.steps.insert(0, t.Read(step.span, step.name))
                return


def bind_twice(found: Compilation) -> None:
    term = next(term for term in all_terms(found) if term.steps and isinstance(term.steps[0], t.Read))
    step = term.steps[0]
    assert isinstance(step, t.Read)
    term.steps[1:1] = [t.Copy(step.span, "again", step.operand)] * 2


def use_a_continuation_of_another_function(found: Compilation) -> None:
    outer = found.cps
    term = next(term for term in terms(all_functions(outer)[1]) if isinstance(term.end, t.Continue | t.Call))
    assert isinstance(term.end, t.Continue | t.Call)
    term.end.k = outer.k


CPS: dict[str, tuple[Change, str]] = {
    "a step is lost": (lose_a_step, "the step of this value is lost"),
    "a step is there twice": (repeat_a_step, "this value has 1 more steps than expressions"),
    "a term has no end": (lose_an_end, "has no end"),
    "a name is used before its step": (use_a_name_early, "is used outside of its scope"),
    "a letrec lost its functions": (change_cps(t.Letrec, functions={}), "not those of its text"),
    "a name is bound twice": (bind_twice, "is bound twice"),
    "an operand is free": (change_cps(t.Read, operand="nobody"), "nobody is used outside of its scope"),
    "a member is of no letrec": (change_cps(t.Member, member="nobody"), "nobody is no member"),
    "a primitive has too many operands": (
        change_cps(t.Compute, op="sin", operands=(t.Literal(1.0),) * 2),
        "sin takes 1 operands, not 2",
    ),
    "a control is a step": (
        change_cps(t.Compute, op="resume", operands=(t.Literal(1.0),)),
        "resume is a control",
    ),
    "a continuation is unknown": (change_cps(t.Continue, k="%nobody"), "%nobody is used outside"),
    "a continuation is of another function": (
        use_a_continuation_of_another_function,
        "belongs to another function",
    ),
    "a step has no span": (change_cps(t.Compute, span=None), "has no span"),
    "an end has another place": (
        lambda found: setattr(cps_end(found, t.Branch), "span", found.thunk.span),
        "the step of this if is lost",
    ),
}


def forget_a_loop_call(found: Compilation) -> None:
    term = next(term for term in all_terms(found) if isinstance(term.end, t.Call) and len(term.end.args) == 2)
    assert isinstance(term.end, t.Call)
    term.end.args = term.end.args[:1]


def let_a_loop_escape(found: Compilation) -> None:
    for term in all_terms(found):
        if isinstance(term.end, t.Call):
            term.end.fn = t.Literal(None)


def host_elsewhere(found: Compilation) -> None:
    for loop in found.loops.of_name.values():
        found.loops.host[loop] = found.cps


def continue_elsewhere(found: Compilation) -> None:
    for loop in found.loops.of_name.values():
        found.loops.k[loop.k] = "%nobody"


def half_a_group(found: Compilation) -> None:
    found.loops.of_name["add"] = found.loops.of_name.pop("loop")


LOOPS: dict[str, tuple[Change, str]] = {
    "a call has other arguments": (forget_a_loop_call, "loop is called with 1 arguments"),
    "a loop escapes": (let_a_loop_escape, "more than its calls is used"),
    "a loop is part of another function": (host_elsewhere, "not part of the function that holds it"),
    "a call has another continuation": (continue_elsewhere, "another continuation than others"),
    "a loop is another function": (half_a_group, "not part of the function that holds it"),
}


def main(found: Compilation, language: str) -> b.Procedure:
    procedures: list[b.Procedure] = getattr(found, language)
    [procedure] = [procedure for procedure in procedures if procedure.name == "main"]
    return procedure


def loop_block(found: Compilation, language: str) -> b.Block:
    return main(found, language).blocks["loop.loop"]


def block_with(procedure: b.Procedure, wanted: type) -> Any:
    """Return the first block with a step or an end of a kind."""
    return next(
        block
        for block in procedure.blocks.values()
        if isinstance(block.end, wanted) or any(isinstance(step, wanted) for step in block.steps)
    )


def end_of(found: Compilation, language: str, wanted: type) -> Any:
    return block_with(main(found, language), wanted).end


def change_end(wanted: type, **fields: Any) -> Callable[[str], Change]:
    """Return a change of a field of the first end of a kind in `main`."""

    def of(language: str) -> Change:
        def change(found: Compilation) -> None:
            for name, value in fields.items():
                setattr(end_of(found, language, wanted), name, value)

        return change

    return of


def on(action: Callable[[Compilation, str], Any]) -> Callable[[str], Change]:
    """Return a change that applies to both languages of procedures."""

    def of(language: str) -> Change:
        return lambda found: action(found, language)

    return of


def lose_a_block_step(found: Compilation, language: str) -> None:
    del loop_block(found, language).steps[0]
    del loop_block(found, language).live[:1]


def define_twice(found: Compilation, language: str) -> None:
    block = block_with(main(found, language), t.Compute)
    step = next(step for step in block.steps if isinstance(step, t.Compute))
    step.name = "i"


def lose_an_entry_parameter(found: Compilation, language: str) -> None:
    procedure = main(found, language)
    procedure.blocks["entry"].params = procedure.blocks["entry"].params[:-1]
    procedure.blocks["entry"].explicit -= 1


def rename_a_block(found: Compilation, language: str) -> None:
    loop_block(found, language).label = "other"


def lose_a_capture(found: Compilation, language: str) -> None:
    block = block_with(main(found, language), b.MakeClosure)
    step = next(step for step in block.steps if isinstance(step, b.MakeClosure))
    step.captures = step.captures[:-1]


def lose_a_procedure(found: Compilation, language: str) -> None:
    procedures = getattr(found, language)
    procedures[:] = [procedure for procedure in procedures if procedure.name != "add"]


PROCEDURES: dict[str, tuple[Callable[[str], Change], str]] = {
    "a step is lost": (on(lose_a_block_step), "is lost"),
    "a slot is defined twice": (on(define_twice), "defines i twice"),
    "the entry lacks a parameter": (on(lose_an_entry_parameter), "the entry's parameters are"),
    "a block has another label": (on(rename_a_block), "block other is kept as loop.loop"),
    "a closure lacks a capture": (on(lose_a_capture), "captures 1 slots, not 0"),
    "a procedure is missing": (on(lose_a_procedure), "there is no procedure of the lambda add"),
    "an enter passes too little": (change_end(b.Enter, args=()), "loop.loop receives 0 explicit arguments"),
    "an end leads nowhere": (change_end(b.Enter, label="nowhere"), "there is no block nowhere"),
    "a branch goes to a block with arguments": (change_end(b.Branch, then="loop.loop"), "receives 0"),
    "a call returns to a block that takes none": (
        change_end(b.Call, ret="entry"),
        "receives 1 explicit arguments",
    ),
    "an end that is a step has no span": (change_end(b.Enter, span=None), "a Enter without a span"),
}


def blocks_of(found: Compilation) -> dict[str, b.Block]:
    return main(found, "blocks").blocks


def lose_a_live_parameter(found: Compilation) -> None:
    loop_block(found, "blocks").params = loop_block(found, "blocks").params[:-1]


def carry_a_dead_slot(found: Compilation) -> None:
    """Pass a dead slot around the loop, such that every block agrees with its neighbours."""
    for block in blocks_of(found).values():
        if block.label != "entry":
            block.params = (*block.params, "unused")
            block.live = [(*live, "unused") for live in block.live]
    entry = blocks_of(found)["entry"]
    entry.live = [(*live, "unused") for live in entry.live]
    found.blocks[:] = [main(found, "blocks"), *[p for p in found.blocks if p.name != "main"]]


def lose_a_live_slot(found: Compilation) -> None:
    block = loop_block(found, "blocks")
    block.live[1] = block.live[1][:-1]


def lose_a_row(found: Compilation) -> None:
    loop_block(found, "blocks").live.pop()


def join_an_effect(found: Compilation) -> None:
    block = next(
        block
        for block in blocks_of(found).values()
        if any(isinstance(step, t.Compute) and step.op == "write-real" for step in block.steps)
    )
    assert isinstance(block.end, b.Jump)
    after = blocks_of(found).pop(block.end.label)
    block.steps += after.steps
    block.live = [*block.live[:1], *after.live]
    block.end = after.end


def join_a_raise(found: Compilation) -> None:
    block = next(
        block
        for block in blocks_of(found).values()
        if isinstance(block.end, b.Jump) and isinstance(blocks_of(found)[block.end.label].end, b.Throw)
    )
    assert isinstance(block.end, b.Jump)
    block.end = blocks_of(found).pop(block.end.label).end


def read_what_is_not_there(found: Compilation) -> None:
    block = loop_block(found, "blocks")
    step = next(step for step in block.steps if isinstance(step, t.Compute))
    step.operands = (step.name,)


def reorder_a_handler(found: Compilation) -> None:
    block = blocks_of(found)[end_of(found, "blocks", b.Install).handler]
    block.params = (*block.params[:1], *block.params[1:][::-1])


BLOCKS: dict[str, tuple[Change, str]] = {
    "a live slot is no parameter": (lose_a_live_parameter, "the parameters passed by name are"),
    "a dead slot is carried around": (carry_a_dead_slot, "the table says that .*unused.* is live"),
    "the table lacks a slot": (lose_a_live_slot, "the table says that"),
    "the table lacks a row": (lose_a_row, "a table of 2 points"),
    "an effect is not alone": (join_an_effect, "write-real is not alone in its block"),
    "a raise is not alone": (join_a_raise, "a Throw is not alone in its block"),
    "a step reads its own result": (read_what_is_not_there, "is used, and passed|by name are|not there"),
    "leave and handler have another order": (reorder_a_handler, "do not have the same rest"),
}


def refuses(language: str, change: Change, message: str) -> None:
    """Check that the good program is accepted and the changed one is not."""
    found = compiled(PROGRAM)
    CHECK[language](found)
    change(found)
    with pytest.raises(InternalError, match=message):
        CHECK[language](found)


@pytest.mark.parametrize(("change", "message"), CPS.values(), ids=CPS)
def test_cps(change: Change, message: str) -> None:
    refuses("cps", change, message)


@pytest.mark.parametrize(("change", "message"), LOOPS.values(), ids=LOOPS)
def test_loops(change: Change, message: str) -> None:
    refuses("loops", change, message)


@pytest.mark.parametrize("language", ["closures", "blocks"])
@pytest.mark.parametrize(("change", "message"), PROCEDURES.values(), ids=PROCEDURES)
def test_procedures(change: Callable[[str], Change], message: str, language: str) -> None:
    refuses(language, change(language), message)


@pytest.mark.parametrize(("change", "message"), BLOCKS.values(), ids=BLOCKS)
def test_blocks(change: Change, message: str) -> None:
    refuses("blocks", change, message)
