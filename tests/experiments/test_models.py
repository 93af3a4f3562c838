"""The experiments with models: digits are learnt, exported networks have PyTorch's gradients."""

from __future__ import annotations

import pytest

from checkpoint import engines

ENGINE = engines.get().name


def test_digits_are_learnt() -> None:
    pytest.importorskip("sklearn")
    from experiments.models.digits import trained  # noqa: PLC0415

    (first, right, _), (last, _, _) = trained(2, ENGINE)
    assert last < first
    assert right > 0.5


def test_an_exported_network_has_the_gradients_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    from experiments.models.exported import compared  # noqa: PLC0415
    from experiments.models.networks import Characters, squeezenet  # noqa: PLC0415

    found = compared(squeezenet(10), torch.randn(1, 3, 33, 33), 1, ENGINE)
    assert (found["output"], found["gradients"]) == (0.0, 0.0)
    found = compared(Characters(8, 6), torch.randint(0, 8, (2, 5)), 1, ENGINE)
    assert max(found["output"], found["gradients"], found["stepped"]) < 1e-5
    assert found["loss"][1] < found["loss"][0]
