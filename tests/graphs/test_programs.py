"""Graphs of ONNX as programs: values, gradients and errors; If, Loop and Scan, on every engine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import checkpoint
from checkpoint import Bisection, Network, RunError, SourceError, engines, grad, interrupt, resume, vjp
from tests.graphs.making import graph, model, network, node

ENGINES = pytest.mark.parametrize("engine", engines.usable())


def draw(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


CONVOLUTION: Any = (
    [
        node("Conv", "x w b", "c", name="/conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", "c", "r"),
        node("Shape", "r", "s"),
        node("Gather", "s zero", "n"),
        node("Unsqueeze", "n first", "u"),
        node("Concat", "u rest", "whole", axis=0),
        node("Reshape", "r whole", "f"),
        node("Gemm", "f fw fb", "y", transB=1),
    ],
    ["x"],
    ["y"],
    {
        "w": draw(2, 3, 3, 3),
        "b": draw(2, seed=1),
        "fw": draw(4, 32, seed=2),
        "fb": draw(4, seed=3),
        "zero": np.array(0),
        "first": np.array([0]),
        "rest": np.array([-1]),
    },
)


def slope(f: Callable[[Any], Any], x: Any, direction: Any, step: float = 1e-6) -> float:
    """Return the central difference of a real function along a direction."""
    return float((f(x + step * direction) - f(x - step * direction)) / (2 * step))


def test_a_file_is_a_program_of_its_inputs(tmp_path: Path) -> None:
    file = tmp_path / "net.onnx"
    onnx.save(model(*CONVOLUTION), file)
    net = checkpoint.read(file)
    x = draw(2, 3, 4, 4, seed=4)
    (expected,) = ReferenceEvaluator(model(*CONVOLUTION)).run(None, {"x": x})
    assert isinstance(net, Network)
    np.testing.assert_allclose(net(x), expected, rtol=1e-12)
    np.testing.assert_allclose(checkpoint.read(str(file))(x), expected, rtol=1e-12)
    assert (net.inputs, net.outputs, repr(net)) == (("x",), ("y",), "<network net of x>")


def test_arrays_that_nodes_compute_with_are_parameters() -> None:
    net = network(*CONVOLUTION)
    assert sorted(net.parameters) == ["b", "fb", "fw", "w"]
    moved = {**net.parameters, "fb": net.parameters["fb"] + 1.0}
    x = draw(2, 3, 4, 4)
    np.testing.assert_allclose(net(x, parameters=moved), net(x) + 1.0, rtol=1e-12)


@ENGINES
def test_it_is_differentiated_by_inputs_and_parameters(engine: str) -> None:
    net = network(*CONVOLUTION)
    x, ybar = draw(2, 3, 4, 4, seed=4), draw(2, 4, seed=5)
    _, xbar = vjp(net, x, ybar, engine=engine)
    d = draw(*x.shape, seed=6)
    assert np.sum(xbar * d) == pytest.approx(slope(lambda x: np.sum(net(x) * ybar), x, d), rel=1e-7)

    def loss(parameters: Any, x: Any) -> Any:
        return np.sum(net(x, parameters=parameters) ** 2)

    found = grad(loss, engine=engine)(net.parameters, x)
    for name, array in net.parameters.items():
        d = draw(*array.shape, seed=7)
        expected = slope(lambda w, n=name: loss({**net.parameters, n: w}, x), array, d)  # type: ignore[misc]
        assert np.sum(found[name] * d) == pytest.approx(expected, rel=1e-6)


def test_schedules_and_engines_give_the_same_bits() -> None:
    net = network(*CONVOLUTION)
    x, ybar = draw(2, 3, 4, 4, seed=4), draw(2, 4, seed=5)
    _, expected = vjp(net, x, ybar)
    for engine in engines.usable():
        for options in ({"schedule": Bisection(base=7)}, {"memory": "64KiB"}, {"schedule": "plain"}):
            assert np.array_equal(vjp(net, x, ybar, engine=engine, **options)[1], expected)
        capsule = interrupt(net, x, 20, engine=engine)
        assert np.array_equal(resume(capsule), net(x))


# Control flow


def if_of(condition: str, then: Any, otherwise: Any) -> list[Any]:
    branches = {
        name: graph([each], [], [each.output[0]])
        for name, each in (("then_branch", then), ("else_branch", otherwise))
    }
    return [
        node("ReduceSum", "x", "total", keepdims=0),
        node(condition, "total bound", "test"),
        node("If", "test", "y", **branches),
    ]


@ENGINES
def test_if(engine: str) -> None:
    nodes = if_of("Greater", node("Mul", "x x", "same"), node("Neg", "x", "same"))
    net = network(nodes, ["x"], ["y"], {"bound": np.array(0.0)})
    for x in (np.array([1.0, 2.0]), np.array([-1.0, -2.0])):
        y, xbar = vjp(net, x, np.ones(2), engine=engine)
        np.testing.assert_array_equal(y, x * x if x[0] > 0 else -x)
        np.testing.assert_array_equal(xbar, 2 * x if x[0] > 0 else -np.ones(2))


def loop(limit: str, condition: str) -> Any:
    """Return the graph of x w^i while its sum is below the bound, and of all these on the way."""
    body = graph(
        [
            node("Mul", "state w", "next"),
            node("ReduceSum", "next", "size", keepdims=0),
            node("Less", "size bound", "goes"),
            node("Identity", "next", "row"),
        ],
        ["i", "going", "state"],
        ["goes", "next", "row"],
    )
    arrays = {"w": np.array([1.5, 0.5]), "bound": np.array(40.0), "limit": np.array(6), "yes": np.array(True)}
    return [node("Loop", f"{limit} {condition} x", "last rows", body=body)], ["x"], ["last", "rows"], arrays


@ENGINES
@pytest.mark.parametrize(("limit", "condition"), [("limit", "-"), ("-", "yes"), ("limit", "yes")])
def test_loops(engine: str, limit: str, condition: str) -> None:
    parts = loop(limit, condition)
    net = network(*parts)
    x = np.array([2.0, 3.0])
    states = [x * np.array([1.5, 0.5]) ** n for n in range(1, 9)]
    count = 6 if condition == "-" else min(8, 1 + sum(np.sum(state) < 40.0 for state in states))
    count = min(count, 6) if limit != "-" else count

    def weighed(x: Any, w: Any) -> Any:
        last, rows = net(x, parameters={**net.parameters, "w": w})
        return np.sum(last) + np.sum(rows * rows)

    found = net(x)
    np.testing.assert_allclose(found[0], states[count - 1], rtol=1e-12)
    np.testing.assert_allclose(found[1], states[:count], rtol=1e-12)
    w, d = net.parameters["w"], np.array([0.3, -0.7])
    wbar = grad(weighed, argnums=1, engine=engine, memory="128KiB")(x, w)
    assert np.sum(wbar * d) == pytest.approx(slope(lambda w: weighed(x, w), w, d), rel=1e-6)


@ENGINES
@pytest.mark.parametrize("backward", [0, 1])
def test_scans(engine: str, backward: int) -> None:
    body = graph(
        [node("Add", "state each", "next"), node("Mul", "next next", "row")],
        ["state", "each"],
        ["next", "row"],
    )
    options = {"scan_input_directions": [backward], "scan_output_axes": [1]}
    parts: Any = (
        [node("Scan", "x xs", "last rows", body=body, num_scan_inputs=1, **options)],
        ["x", "xs"],
        ["last", "rows"],
    )
    net = network(*parts)
    x, xs = draw(3), draw(5, 3, seed=1)
    states = x + np.cumsum(xs[::-1] if backward else xs, axis=0)
    last, rows = net(x, xs)
    np.testing.assert_allclose(last, states[-1], rtol=1e-12)
    np.testing.assert_allclose(rows, (states * states).T, rtol=1e-12)

    def weighed(xs: Any) -> Any:
        last, rows = net(x, xs)
        return np.sum(last) + np.sum(rows)

    d = draw(5, 3, seed=2)
    assert np.sum(grad(weighed, engine=engine)(xs) * d) == pytest.approx(slope(weighed, xs, d), rel=1e-7)


# Long graphs, names, constants


def test_a_graph_of_thousands_of_nodes() -> None:
    nodes, arrays, last = [], {}, "x"
    for i in range(1500):
        arrays[f"w.{i}"] = np.array([1.0 + 1e-4 * i])
        nodes += [node("Mul", f"{last} w.{i}", f"m{i}"), node("Sin", f"m{i}", f"s{i}")]
        last = f"s{i}"
    nodes.append(node("Add", f"{last} s10", "y"))  # a value of the first part in the last one
    net = network(nodes, ["x"], ["y"], arrays)
    x = np.array([0.7])
    expected = x
    for i in range(1500):
        expected = np.sin(expected * arrays[f"w.{i}"])
        if i == 10:
            early = expected
    np.testing.assert_allclose(net(x), expected + early, rtol=1e-12)
    assert net.text.count("def ") == 12
    found = grad(lambda p: net(x, parameters=p)[0])(net.parameters)["w.3"]
    moved = lambda w: net(x, parameters={**net.parameters, "w.3": w})[0]  # noqa: E731
    assert found[0] == pytest.approx(slope(moved, arrays["w.3"], np.ones(1)), rel=1e-6)


def test_names_are_those_of_the_graph_where_python_has_them() -> None:
    nodes = [
        node("Mul", "class 1/x:0", "a-b"),
        node("Add", "a-b np", "match"),
        node("Sub", "match a_b", "out.put"),
    ]
    net = network(nodes, ["class", "1/x:0", "np", "a_b"], ["out.put"])
    assert net(2.0 * np.ones(1), 3.0 * np.ones(1), np.ones(1), np.ones(1))[0] == 6.0
    assert net.text.startswith("def net(class_, v1_x_0, np_2, a_b, *, parameters=parameters):\n")


def test_a_name_inside_of_a_graph_may_be_one_outside_of_it() -> None:
    nodes = [*if_of("Greater", node("Exp", "x", "z"), node("Neg", "x", "z")), node("Mul", "y y", "z")]
    net = network(nodes, ["x"], ["z"], {"bound": np.array(0.0)})
    assert net(np.array([2.0]))[0] == np.exp(2.0) ** 2


def test_functions_of_a_file_and_operators_made_of_others_are_written_out() -> None:
    from onnx import helper  # noqa: PLC0415

    twice = helper.make_function(
        "own", "Twice", ["a"], ["b"], [node("Add", "a a", "b")], [helper.make_opsetid("", 21)]
    )
    made = model(
        [helper.make_node("Twice", ["x"], ["t"], domain="own"), node("HannWindow", "n", "w")], ["x"], ["t"]
    )
    made.functions.append(twice)
    made.opset_import.append(helper.make_opsetid("own", 1))
    del made.graph.node[1]
    from checkpoint.functions.networks import network_of  # noqa: PLC0415

    assert network_of(made, "own.onnx")(np.ones(2)).tolist() == [2.0, 2.0]
    window = network([node("HannWindow", "n", "w")], [], ["w"], {"n": np.array(8)})
    np.testing.assert_allclose(window(), np.hanning(9)[:-1], atol=1e-6)


# Errors


def test_an_operator_that_is_not_supported_is_named() -> None:
    with pytest.raises(SourceError) as caught:
        network([node("NonMaxSuppression", "x x", "y", name="/boxes")], ["x"], ["y"])
    assert str(caught.value) == (
        "the node '/boxes' (NonMaxSuppression, operator set 21) has an operator that is not supported: "
        "to add it, write its function in tensorlib/onnx"
    )
    with pytest.raises(SourceError, match=r"GroupNormalization, operator set 18.*only in sets 21 to"):
        network([node("GroupNormalization", "x s b", "y", num_groups=2)], ["x", "s", "b"], ["y"], version=18)


def test_an_attribute_that_is_not_supported_is_named() -> None:
    with pytest.raises(SourceError) as caught:
        network([node("Relu", "x", "y", slope=0.1)], ["x"], ["y"])
    assert str(caught.value) == (
        "the node that makes 'y' (Relu, operator set 21) has an attribute 'slope', which is not supported"
    )


def test_an_error_of_a_run_shows_the_node() -> None:
    net = network(*CONVOLUTION)
    with pytest.raises(ValueError, match="convolution: a weight") as caught:
        net(draw(2, 5, 4, 4))
    assert any("# /conv" in note for note in caught.value.__notes__)
    with pytest.raises(TypeError, match="positional argument"):
        net(draw(2, 3, 4, 4), 1.0)


def test_what_is_no_file_of_onnx(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        checkpoint.read(tmp_path / "none.onnx")
    file = tmp_path / "text.onnx"
    file.write_bytes(b"\xff\xff\xffnot a model")
    with pytest.raises(SourceError, match="not a model of ONNX"):
        checkpoint.read(file)


def test_without_the_package_the_error_says_what_to_install(tmp_path: Path) -> None:
    program = f"""
import sys
sys.modules["onnx"] = None
import checkpoint
try:
    checkpoint.read({str(tmp_path / "net.onnx")!r})
except checkpoint.RunError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "reading net.onnx needs the package onnx: pip install 'checkpoint-ad[onnx]'\n"


def test_training_with_dropout_is_refused() -> None:
    arrays = {"ratio": np.array(0.5), "training": np.array(True)}
    net = network([node("Dropout", "x ratio training", "y")], ["x"], ["y"], arrays)
    with pytest.raises(SourceError, match="Dropout in training draws hidden random numbers"):
        net(np.ones(3))


def test_reading_takes_a_path_or_a_text() -> None:
    with pytest.raises(RunError, match="read takes a path or a text"):
        checkpoint.read(b"net.onnx")  # type: ignore[arg-type]
