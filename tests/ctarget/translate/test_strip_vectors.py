"""The strips of the ray tracer: gcc has all of their arithmetic in vectors of the processor; what runs at
each turn of a lane makes no objects, tests no kinds, and calls nothing by a pointer.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import checkpoint
from checkpoint import config
from checkpoint.cli import demo_inverse as inverse
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.compile.compiler import Compiler, find
from checkpoint.ctarget.translate.emit.text import source
from checkpoint.ctarget.translate.strips import planner, target
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.alone import check_alone, is_alone

pytestmark = [needs_c, needs_compiler]

# What gcc says of arithmetic on vectors that the processor has no instructions for; and of functions, such as
# those of the C library, that no header declares, which other compilers refuse.
REPORTS = ("-Wvector-operation-performance", "-Wimplicit-function-declaration", "-Werror")
WIDER = "typedef double Wide __attribute__((vector_size(256))); Wide sum(Wide a, Wide b) { return a + b; }"
FORMS = {"plain": ["strip_plain"], "taped": ["strip_tape", "strip_tape_some"]}
# Words of emitted C: allocations; tests of kinds; calls by pointers, and reads of objects.
HEAP = ("make", "make_record", "m->heap", "append", "closure", "dual")
KINDS = ("kind_of", "is_tuple", "is_tuple_of", "is_foreign", "is_closure_of", "has_layout", "->tag")
INDIRECT = ("services", "REFERENCE", "field_of", "element", "load")


def tracer() -> dict[str, str]:
    """Return the C of each form of the unit that runs the pixels of an image, and reverses them."""
    places = inverse.pixels(24, 18)
    grey = np.full(24 * 18, 0.4)
    gradient = checkpoint.value_and_grad(inverse.loss, engine="c")
    with config.override(convert=("checkpoint",)):
        units = units_of(lambda: gradient(inverse.BEGIN, inverse.SCENE, places, (grey, grey, grey)))
    (unit,) = [each for each in units if planner.find(each) is not None]
    return {form: source(unit, form, lines=False) for form in FORMS}


def headers(text: str, function: str) -> list[str]:
    """Return the C that runs the lanes of a strip, header by header, that of the loop over lanes first."""
    (body,) = re.findall(rf"^static StripOutcome {function}_lanes\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    return re.split(r"^(?:run_\d+|next):", body, flags=re.MULTILINE)[1:-1]


def found(words: tuple[str, ...], text: str) -> list[str]:
    return [word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)]


def said(compiler: Compiler, file: Path, text: str) -> str:
    """Return what the compiler reports of a text; "": nothing."""
    file.write_text(text)
    command = [*compiler.command(str(file), str(file.with_suffix(".so"))), *REPORTS]
    return subprocess.run(command, check=False, capture_output=True, text=True).stderr


@pytest.mark.parametrize("form", ["plain", pytest.param("taped", marks=pytest.mark.long)])
def test_gcc_has_all_arithmetic_in_vectors(form: str, tmp_path: Path) -> None:
    """In a process of its own: where a machine is seen first depends on what has been translated."""
    if not is_alone():
        every = "-m 'long or not long'"  # this process has decided whether it runs
        check_alone(__file__, f"all_arithmetic_in_vectors and {form}", PYTEST_ADDOPTS=every)
        return
    compiler = find()
    assert compiler is not None
    pragma = target.pragma()
    if not pragma or "vector-operation-performance" not in said(compiler, tmp_path / "wider.c", WIDER):
        pytest.skip(
            "the compiler does not report what it cannot do in vectors, or units are for any processor"
        )
    assert said(compiler, tmp_path / "unit.c", tracer()[form]) == ""


def test_turns_make_nothing_and_test_no_kinds() -> None:
    """Read what lanes share, and test its kinds, once for a strip, not for each of its vectors."""
    if not is_alone():
        check_alone(__file__, "make_nothing_and_test_no_kinds")
        return
    texts = tracer()
    for form, functions in FORMS.items():
        for function in functions:
            first, *others = headers(texts[form], function)
            assert len(others) > 4  # loops over bounces, spheres and planes
            once = "".join(re.findall(r"^ +if \(u == 0\) \{\n(.*?)^ +\}\n", first, re.MULTILINE | re.DOTALL))
            assert once.count("field_of(shared") == first.count("field_of(shared") > 80
            assert found((*HEAP, "services"), first) == []
            for text in others:
                assert found((*HEAP, *KINDS, *INDIRECT), text) == []
