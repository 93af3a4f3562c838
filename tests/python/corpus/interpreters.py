"""Small languages: tokenizers, parsers, stack and register machines, turtles, templates."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

from tests.python.corpus import Example

Term: TypeAlias = "float | str | tuple[str, Term, Term] | tuple[str, Term]"
Instruction: TypeAlias = "tuple[str] | tuple[str, Any]"

OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": pow,
}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "square": lambda x: x * x,
}
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


class FormulaError(Exception):
    """The formula cannot be read."""


class Token(NamedTuple):
    """A piece of a formula."""

    kind: str
    text: str


def tokenize(text: str) -> list[Token]:
    """The tokens of a formula."""
    tokens = []
    i = 0
    while i < len(text):
        c = text[i]
        if c == " ":
            i += 1
            continue
        start = i
        if c.isdigit() or c == ".":
            while i < len(text) and (text[i].isdigit() or text[i] == "."):
                i += 1
            tokens.append(Token("number", text[start:i]))
        elif c.isalpha():
            while i < len(text) and text[i].isalpha():
                i += 1
            tokens.append(Token("name", text[start:i]))
        elif c in "+-*/^()":
            i += 1
            tokens.append(Token("sign", c))
        else:
            raise FormulaError(f"unexpected {c!r} at {i}")
    tokens.append(Token("end", ""))
    return tokens


def parse(text: str) -> Term:
    """A formula as a term, by recursive descent."""
    tokens = tokenize(text)
    position = 0

    def peek() -> str:
        return tokens[position].text

    def advance() -> Token:
        nonlocal position
        token = tokens[position]
        position += 1
        return token

    def expect(sign: str) -> None:
        if advance().text != sign:
            raise FormulaError(f"expected {sign}")

    def atom() -> Term:
        kind, word = advance()
        if kind == "number":
            return float(word)
        if kind == "name":
            if peek() != "(":
                return word
            advance()
            argument = binary(1)
            expect(")")
            return (word, argument)
        if word == "-":
            return ("-", 0.0, binary(3))
        if word == "(":
            inside = binary(1)
            expect(")")
            return inside
        raise FormulaError(f"unexpected {word or 'end'}")

    def binary(level: int) -> Term:
        left = atom()
        while (sign := peek()) and PRECEDENCE.get(sign, 0) >= level:
            advance()
            left = (sign, left, binary(PRECEDENCE[sign] + (sign != "^")))
        return left

    term = binary(1)
    if tokens[position].kind != "end":
        raise FormulaError("something follows the formula")
    return term


def value(term: Term, names: dict[str, float]) -> float:
    """The value of a term."""
    if isinstance(term, float):
        return term
    if isinstance(term, str):
        return names[term]
    head, *arguments = term
    values = [value(argument, names) for argument in arguments]
    if len(values) == 2:
        return OPERATORS[head](*values)
    return FUNCTIONS[head](values[0])


def formula(text: str, names: dict[str, float]) -> float:
    """The value of a formula in a text."""
    return value(parse(text), names)


def reverse_polish(program: str, **names: float) -> float:
    """A formula in reverse Polish notation."""
    stack: list[float] = []
    for word in program.split():
        if word in OPERATORS:
            right, left = stack.pop(), stack.pop()
            stack.append(OPERATORS[word](left, right))
        elif word in names:
            stack.append(names[word])
        else:
            stack.append(float(word))
    (result,) = stack
    return result


def hypotenuse_program(a: float, b: float) -> float:
    """The length of a hypotenuse, as a program."""
    return reverse_polish("a a * b 2 ^ + 0.5 ^", a=a, b=b)


def infix_to_postfix(text: str) -> str:
    """The shunting-yard algorithm."""
    output: list[str] = []
    pending: list[str] = []
    for word in text.split():
        match word:
            case "(":
                pending.append(word)
            case ")":
                while pending[-1] != "(":
                    output.append(pending.pop())
                pending.pop()
            case "+" | "-" | "*" | "/":
                while pending and PRECEDENCE.get(pending[-1], 0) >= PRECEDENCE[word]:
                    output.append(pending.pop())
                pending.append(word)
            case _:
                output.append(word)
    while pending:
        output.append(pending.pop())
    return " ".join(output)


def shunting_yard(text: str, x: float) -> float:
    """A formula in x by way of its postfix form."""
    return reverse_polish(infix_to_postfix(text), x=x)


def stack_machine(code: Sequence[Instruction], inputs: dict[str, float], limit: int = 300) -> float:
    """A machine with a stack, variables and jumps."""
    stack: list[float] = []
    memory = dict(inputs)
    pc = steps = 0
    while pc < len(code):
        steps += 1
        if steps > limit:
            raise OverflowError("too many steps")
        instruction = code[pc]
        pc += 1
        match instruction:
            case ("push", number):
                stack.append(number)
            case ("load", name):
                stack.append(memory[name])
            case ("store", name):
                memory[name] = stack.pop()
            case ("add",):
                stack.append(stack.pop() + stack.pop())
            case ("mul",):
                stack.append(stack.pop() * stack.pop())
            case ("less",):
                right = stack.pop()
                stack.append(float(stack.pop() < right))
            case ("jump", target):
                pc = target
            case ("unless", target):
                if not stack.pop():
                    pc = target
            case _:
                raise ValueError(f"unknown instruction {instruction}")
    return stack[-1]


def register_machine(program: str, a: float, b: float) -> dict[str, float]:
    """A machine with named registers, its program as text."""
    registers = {"a": a, "b": b}
    for line in program.split(";"):
        target, source, *rest = line.split()
        if rest:
            sign, other = rest
            registers[target] = OPERATORS[sign](registers[source], registers[other])
        else:
            registers[target] = registers[source]
    return registers


def turtle(commands: str, step: float, angle: float) -> tuple[float, float]:
    """Where a turtle ends; brackets save and restore its place."""
    x = y = heading = 0.0
    saved: list[tuple[float, float, float]] = []
    for command in commands:
        match command:
            case "F":
                x, y = x + step * math.cos(heading), y + step * math.sin(heading)
            case "+" | "-":
                heading += angle if command == "+" else -angle
            case "[":
                saved.append((x, y, heading))
            case "]":
                x, y, heading = saved.pop()
    return x, y


def grow(axiom: str, rules: dict[str, str], times: int) -> str:
    """A word rewritten by the rules of an L-system."""
    for _ in range(times):
        axiom = "".join([rules.get(c, c) for c in axiom])
    return axiom


def plant(step: float, angle: float) -> tuple[float, float]:
    """The tip of a plant grown by an L-system."""
    return turtle(grow("X", {"X": "F+[[X]-X]-F", "F": "FF"}, 3), step, angle)


def prefix(words: Sequence[str | float]) -> float:
    """A formula in Polish notation, read from the left by a counter."""
    at = -1

    def read() -> float:
        nonlocal at
        at += 1
        word = words[at]
        if isinstance(word, str):
            left = read()
            return OPERATORS[word](left, read())
        return word

    return read()


def truth_table(rule: Callable[[bool, bool], bool]) -> list[bool]:
    return [rule(p, q) for p in (False, True) for q in (False, True)]


def logic(threshold: float, x: float) -> tuple[float, int]:
    """A circuit that chooses what becomes of x."""
    implied = truth_table(lambda p, q: not p or q)
    exclusive = truth_table(lambda p, q: p != q)
    gate = reduce(lambda acc, pair: acc + (pair[0] and not pair[1]), zip(implied, exclusive, strict=True), 0)
    return (x * gate if x > threshold and gate else -x), gate


def binary_machine(tape: str, rules: dict[tuple[str, str], tuple[str, int, str]]) -> str:
    """A Turing machine on a dict of cells."""
    cells = dict(enumerate(tape))
    state, head = "scan", 0
    while state != "halt":
        symbol, move, state = rules[state, cells.get(head, " ")]
        cells[head] = symbol
        head += move
    return "".join([cells[i] for i in sorted(cells)]).strip()


POWER_LOOP: tuple[Instruction, ...] = (
    ("push", 1.0), ("store", "y"), ("push", 0.0), ("store", "i"),
    ("load", "i"), ("load", "n"), ("less",), ("unless", 17),
    ("load", "y"), ("load", "x"), ("mul",), ("store", "y"),
    ("load", "i"), ("push", 1.0), ("add",), ("store", "i"), ("jump", 4),
    ("load", "y"),
)  # fmt: skip
INCREMENT = {
    ("scan", "0"): ("0", 1, "scan"),
    ("scan", "1"): ("1", 1, "scan"),
    ("scan", " "): (" ", -1, "carry"),
    ("carry", "1"): ("0", -1, "carry"),
    ("carry", "0"): ("1", 0, "halt"),
    ("carry", " "): ("1", 0, "halt"),
}

EXAMPLES = [
    Example(formula, ("2 * x^3 - sin(x * y) / (1 + y)", {"x": 1.2, "y": 0.7})),
    Example(formula, ("-exp(0.5*a) + square(sqrt(b) - a)^2", {"a": 0.3, "b": 2.0})),
    Example(formula, ("2 * (x + 1", {"x": 1.0}), raises=FormulaError),
    Example(formula, ("x + $", {"x": 1.0}), raises=FormulaError),
    Example(hypotenuse_program, (3.0, 4.5)),
    Example(shunting_yard, ("( x + 2 ) * x - 3 / x", 1.5)),
    Example(stack_machine, (POWER_LOOP, {"x": 1.3, "n": 4.5})),
    Example(stack_machine, ((("jump", 0),), {"x": 1.0}), raises=OverflowError),
    Example(stack_machine, ((("add",),), {"x": 1.0}), raises=IndexError),
    Example(register_machine, ("c a * b; d c - a; a d / c; e a", 2.0, 3.0)),
    Example(plant, (1.0, 0.4)),
    Example(prefix, (["*", "+", 1.5, 2.5, "-", 4.0, "/", 1.0, 3.0],)),
    Example(logic, (0.5, 0.8)),
    Example(binary_machine, ("1011", INCREMENT), differentiable=False),
]
