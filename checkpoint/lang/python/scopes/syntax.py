"""Questions about nodes of Python's syntax tree: the names that they bind, the variable that they change."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar
from weakref import WeakKeyDictionary

from checkpoint.lang.python.scopes.outputs import METHODS, OF_ONE, OF_TWO

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

# Methods that change their object in place.
MUTATING_METHODS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "popitem",
        "fill",
        "setflags",
    ]
)

# Methods of tensors that write into them what the method without the underscore returns: x.mul_(y).
_WRITTEN = (
    "add sub mul div pow neg abs exp log sqrt rsqrt sin cos tanh sigmoid relu clamp clamp_min clamp_max "
    "reciprocal square addcmul addcdiv lerp index_add index_copy index_fill scatter scatter_add masked_fill "
    "tril triu"
)
# The same for what is written: an argument, or zeros.
FILLING = frozenset(("fill_", "copy_", "zero_"))
# The same for numbers that are drawn, under the name of the method after this.
DRAWING = frozenset(("normal_", "uniform_", "bernoulli_", "exponential_", "random_"))
DRAWN = "_drawn_"
IN_PLACE = frozenset(f"{name}_" for name in _WRITTEN.split()) | FILLING | DRAWING
CHANGING = MUTATING_METHODS | IN_PLACE

# Functions that call their argument at once and do not keep it.
IMMEDIATE = frozenset(["sorted", "min", "max", "map", "filter", "sum", "any", "all", "reduce", "sort"])

# Methods of dictionaries that return views.
VIEWS = frozenset(("keys", "values", "items"))

# Library functions that change the array that is their first argument.
MUTATING_FUNCTIONS = frozenset(("at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"))


# Fields of Python's own nodes that hold a context, or no nodes.
_PLAIN = frozenset(("arg", "attr", "ctx", "id", "is_async", "kind", "level", "module", "type_comment"))

_Node = TypeVar("_Node", bound=ast.AST)
_Answer = TypeVar("_Answer")


def remembered(question: Callable[[_Node], _Answer]) -> Callable[[_Node], _Answer]:
    """Return a function of a node of a text, which never changes, that computes each result once."""
    known: WeakKeyDictionary[_Node, _Answer] = WeakKeyDictionary()

    @functools.wraps(question)
    def answer(node: _Node) -> _Answer:
        if node not in known:
            known[node] = question(node)
        return known[node]

    return answer


@functools.cache
def _holding(kind: type) -> tuple[str, ...]:
    """Return the fields of a kind of nodes that may hold nodes, contexts apart."""
    plain = _PLAIN if kind.__module__ in ("ast", "_ast") else ()
    fields: tuple[str, ...] = getattr(kind, "_fields", ())
    return tuple([name for name in fields if name not in plain])


def children_of(node: ast.AST) -> list[ast.AST]:
    """Return the nodes directly inside a node, as ast.iter_child_nodes yields them, without contexts."""
    found: list[ast.AST] = []
    kind: type = type(node)
    for name in _holding(kind):
        value = getattr(node, name, None)
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def nodes_in(root: ast.AST) -> list[ast.AST]:
    """Return a node and all nodes inside it, as ast.walk yields them, without contexts."""
    found = [root]
    for node in found:
        found += children_of(node)
    return found


def walk(nodes: Iterable[ast.AST], enters: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
    """Yield some nodes and all nodes inside them, in the order of the text.

    enters: returns whether the contents of a node are included.
    """
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        if enters(node):
            inside = children_of(node)
            inside.reverse()
            pending += inside


def is_class_of_name(node: ast.expr) -> bool:
    """Return whether an expression is the class of what a variable holds: `type(x)`, `x.__class__`."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[ast.Name()], keywords=[]):
            return True
        case ast.Attribute(value=ast.Name(), attr="__class__"):
            return True
    return False


def names_in(*nodes: ast.AST) -> set[str]:
    """Return all names in some targets or expressions."""
    return {n.id for node in nodes for n in nodes_in(node) if isinstance(n, ast.Name)}


def targets_of(generators: list[ast.comprehension]) -> set[str]:
    """Return the variables of a comprehension."""
    return names_in(*[generator.target for generator in generators])


def captures_of(pattern: ast.pattern) -> list[str]:
    """Return the variables that a pattern of `match` binds, each once."""
    found = [_name_bound_by(node) for node in ast.walk(pattern)]
    return list(dict.fromkeys([name for name in found if name is not None]))


def _name_bound_by(node: ast.AST) -> str | None:
    """Return the variable that one node of a pattern binds, or None."""
    match node:
        case ast.MatchAs(name=name) | ast.MatchStar(name=name) | ast.MatchMapping(rest=name):
            return name
    return None


def is_super(node: ast.expr) -> bool:
    """Return whether an expression is a call of `super`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def has_star(call: ast.Call) -> bool:
    """Return whether a call has an argument `*args`."""
    return any(isinstance(argument, ast.Starred) for argument in call.args)


def view_of(node: ast.expr) -> tuple[ast.expr, str] | None:
    """Return d and the method's name for `d.keys()`, `d.values()` and `d.items()`; None for all others."""
    match node:
        case ast.Call(func=ast.Attribute(value=dictionary, attr=name), args=[], keywords=[]) if name in VIEWS:
            return dictionary, name
    return None


def root_of(node: ast.expr) -> str | None:
    """Return the variable of `x`, `x[i]`, `x[i][j]` or `x.a[i]`."""
    while isinstance(node, ast.Subscript | ast.Attribute) or _is_setdefault(node):
        node = node.func.value if isinstance(node, ast.Call) else node.value  # type: ignore[attr-defined]
    return node.id if isinstance(node, ast.Name) else None


def rebound_by(path: ast.expr) -> str | None:
    """Return the variable that gets another value where what a path denotes changes; None in an attribute."""
    part = path
    while isinstance(part, ast.Subscript) or _is_setdefault(part):
        part = part.func.value if isinstance(part, ast.Call) else part.value  # type: ignore[attr-defined]
    return part.id if isinstance(part, ast.Name) else None


def _is_setdefault(node: ast.expr) -> bool:
    """Return whether a node is `d.setdefault(k, [])`, the result of which may be changed in turn."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault"
    )


def mutated_by(node: ast.AST) -> ast.expr | None:
    """Return the first argument of a call of a library function that changes it; None for all other calls."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Attribute):
        return None
    first, name = node.args[0], module_of(node.func)
    is_path = isinstance(first, ast.Name | ast.Subscript | ast.Attribute)
    return first if is_path and name is not None and node.func.attr in MUTATING_FUNCTIONS else None


def out_of(node: ast.AST) -> ast.expr | None:
    """Return the path of the array that a call of a library function or method writes its result to."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    found = next((keyword.value for keyword in node.keywords if keyword.arg == "out"), None)
    name = node.func.attr
    if found is None and module_of(node.func) in ("np", "numpy") and not has_star(node):
        count = 2 if name in OF_TWO else 1 if name in OF_ONE else len(node.args)
        found = node.args[count] if len(node.args) == count + 1 else None
    if isinstance(found, ast.Tuple) and len(found.elts) == 1:
        found = found.elts[0]
    is_path = isinstance(found, ast.Name | ast.Subscript) and root_of(found) is not None
    return found if is_path and (name in METHODS or module_of(node.func) is not None) else None


def written_by(node: ast.AST) -> list[ast.expr]:
    """Return the paths of the objects that a call of a library function may change."""
    return [path for path in (mutated_by(node), out_of(node)) if path is not None]


def without_out(node: ast.Call) -> ast.Call:
    """Return a call without the array for its result."""
    keywords = [keyword for keyword in node.keywords if keyword.arg != "out"]
    passed = node.args if len(keywords) < len(node.keywords) else node.args[:-1]
    return ast.copy_location(ast.Call(node.func, passed, keywords), node)


def called_name(call: ast.Call) -> str:
    """Return the name of the function or method that a call calls; "" if that has none."""
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def module_of(function: ast.expr) -> str | None:
    """Return the leftmost name of a dotted name."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else None
