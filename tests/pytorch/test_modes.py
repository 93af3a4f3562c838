"""PyTorch's settings: they hold for a whole gradient, are left as they were, and belong to capsules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

import checkpoint
from checkpoint import engines, grad, interrupt, primitive, resume, vjp
from checkpoint.driver.schedule import Bisection
from tensorlib.pytorch import settings

ENGINES = pytest.mark.parametrize("engine", engines.usable())
W, SHIFTS = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 1, 2])
X = torch.ones(3)
WEIGHTS = torch.linspace(-1.0, 1.0, 9).reshape(3, 3)


@pytest.fixture(autouse=True)
def usual_dtype() -> Iterator[None]:
    yield
    torch.set_default_dtype(torch.float32)


def chain(x: Tensor) -> Tensor:
    for _ in range(5):
        x = torch.sin(x * W) + SHIFTS
    return x.sum()


def product(x: Tensor) -> Tensor:
    for _ in range(5):
        x = torch.tanh(x.reshape(1, 3) @ torch.ones(3, 3)).reshape(3)
    return x.sum().float()


@ENGINES
def test_capsules_of_functions_that_close_over_tensors(engine: str) -> None:
    capsule = interrupt(chain, X, 20, engine=engine)
    value, cotangent = vjp(resume, capsule, torch.tensor(1.0), engine=engine)
    assert torch.equal(value, chain(X))
    _, gradient = vjp(lambda x: interrupt(chain, x, 20), X, cotangent, engine=engine)
    assert torch.equal(gradient, grad(chain, engine=engine)(X))


@ENGINES
def test_settings_belong_to_capsules(engine: str) -> None:
    _, cotangent = vjp(resume, interrupt(chain, X, 20, engine=engine), torch.tensor(1.0), engine=engine)
    torch.set_default_dtype(torch.float64)
    with pytest.raises(checkpoint.errors.CheckpointError, match="default dtype"):
        vjp(lambda x: interrupt(chain, x, 20), X, cotangent, engine=engine)


@ENGINES
def test_autocast_around_a_call_holds_for_what_is_run_again(engine: str) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        plain = grad(product, schedule="plain", engine=engine)(X)
        again = grad(product, schedule=Bisection(1), engine=engine)(X)
    assert torch.equal(plain, again)
    assert not torch.equal(plain, grad(product, engine=engine)(X))


def deterministic(setting: bool) -> None:
    torch.use_deterministic_algorithms(setting)


SETTINGS = [
    (torch.set_default_dtype, torch.float64, torch.float32, "default dtype"),
    (torch.set_float32_matmul_precision, "medium", "highest", "precision of float32 products"),
    (deterministic, True, False, "deterministic algorithms"),
    (lambda on: torch.set_autocast_enabled("cpu", on), True, False, "autocast on cpu"),
]
EVERY_SETTING = pytest.mark.parametrize(
    ("setter", "changed", "usual", "name"), SETTINGS, ids=[name for *_, name in SETTINGS]
)


@ENGINES
@EVERY_SETTING
def test_every_setting_belongs_to_capsules(
    engine: str, setter: Callable[..., None], changed: object, usual: object, name: str
) -> None:
    _, cotangent = vjp(resume, interrupt(chain, X, 20, engine=engine), torch.tensor(1.0), engine=engine)
    setter(changed)
    try:
        with pytest.raises(checkpoint.errors.CheckpointError, match=name):
            vjp(lambda x: interrupt(chain, x, 20), X, cotangent, engine=engine)
    finally:
        setter(usual)
    vjp(lambda x: interrupt(chain, x, 20), X, cotangent, engine=engine)


@ENGINES
@EVERY_SETTING
def test_a_step_leaves_every_setting(
    engine: str, setter: Callable[..., None], changed: object, usual: object, name: str
) -> None:
    """What follows the step runs under the setting at entry, the first time and again."""

    def changing(x: Tensor) -> Tensor:
        setter(changed)
        return x * 2.0

    def rule(ybar: Tensor, y: Tensor, x: Tensor) -> tuple[Tensor]:
        setter(changed)
        return (ybar * 2.0,)

    def after(step: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        def f(x: Tensor) -> Tensor:
            for _ in range(4):
                x = torch.tanh(step(x).reshape(1, 3) @ WEIGHTS).reshape(3)
            return x.sum()

        return f

    before = settings.unusual()
    found = grad(after(primitive(changing, vjp=rule)), engine=engine, schedule=Bisection(1))(X)
    assert settings.unusual() == before
    assert found.dtype == torch.float32
    assert torch.equal(found, grad(after(lambda x: x * 2.0), engine=engine)(X))


def test_the_newer_interface_of_precision_is_read() -> None:
    if not hasattr(torch.backends.mkldnn.matmul, "fp32_precision"):
        pytest.skip("PyTorch before 2.9 has only the older one")
    capsule = interrupt(chain, X, 20)
    torch.backends.mkldnn.matmul.fp32_precision = "bf16"
    try:
        assert settings.unusual() == ("PyTorch's precision of float32 products on the CPU bf16",)
        assert grad(chain)(X).shape == (3,)
    finally:
        torch.set_float32_matmul_precision("highest")
    assert torch.equal(resume(capsule), chain(X))


def _sets(x: float) -> float:
    torch.set_default_dtype(torch.float64)
    return 2.0 * x


sets = primitive(_sets, vjp=lambda ybar, y, x: (2.0 * ybar,))


@ENGINES
def test_a_step_that_sets_what_it_should_not(engine: str) -> None:
    assert grad(lambda x: sets(x) * x, engine=engine)(3.0) == 12.0
    assert grad(lambda x: (x * sets(2.0)).sum(), engine=engine)(X)[0] == 4.0
    assert torch.get_default_dtype() is torch.float32
    assert torch.is_grad_enabled()
