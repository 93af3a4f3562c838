"""Any text gives a program that reads back, or a SourceError at a place in the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from checkpoint.errors import SourceError
from checkpoint.lang.names import KEYWORDS
from checkpoint.lang.printer import show
from tests.lang.support import core

PIECES = [
    *"()[]'.\";%+-\\",
    *["#;", "#|", "|#", "1", "-2.5", "#t", "#e3", '"s"', "x", "f", "sqrt", "atan", "map", "car", "()", "(x)"],
    *["(x 1)", "(f x)", "((x 1))", "((f x) y)", "((f (lambda (x) x)))", "(cons x y)", "(list x y)"],
]

words = st.sampled_from([*PIECES, *KEYWORDS, "\n", ")\n"])
names = st.sampled_from(
    [*KEYWORDS, "x", "f", "+", "-", "map", "1", "'()", "(x)", "((x 1))", "((cons x f))", "()"]
)
forms = st.recursive(
    names, lambda inner: st.lists(inner, max_size=4).map(lambda items: f"({' '.join(items)})")
)


def outcome(text: str) -> str | SourceError:
    """Return the printed core of a text, or the error."""
    try:
        return show(core(text))
    except SourceError as error:
        return error


def check_outcome(text: str) -> None:
    found = outcome(text)
    if isinstance(found, str):
        assert outcome(found) == found
    else:
        assert found.span is not None
        assert 0 <= found.span.start <= found.span.end <= len(text)
        assert str(found).startswith("test.vlad:")


@given(st.lists(words, max_size=20).map(" ".join) | st.text(max_size=20))
@settings(max_examples=300)
def test_any_words(text: str) -> None:
    check_outcome(text)


@given(st.lists(forms, min_size=1, max_size=3).map(" ".join))
@settings(max_examples=500)
def test_any_forms(text: str) -> None:
    check_outcome(text)
