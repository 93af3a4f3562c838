"""Settings: from the environment, by a scoped override, and never by a misspelt word."""

from __future__ import annotations

import pytest

from checkpoint import config
from checkpoint.cores import cores
from checkpoint.workers import outcomes


@pytest.mark.parametrize(("value", "check"), [("", False), ("0", False), ("1", True)])
def test_check(value: str, check: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_CHECK", value)
    assert config.current().check is check


def test_nothing_is_on_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHECKPOINT_CHECK")
    monkeypatch.delenv("CHECKPOINT_SHOW", raising=False)
    assert config.current() == config.Settings(check=False, show=())


def test_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_SHOW", "cps,blocks")
    assert config.current().show == ("cps", "blocks")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("CHECKPOINT_CHECK", "yes", "CHECKPOINT_CHECK is 'yes'; write 0 or 1"),
        (
            "CHECKPOINT_SHOW",
            "block",
            (
                "CHECKPOINT_SHOW is 'block': there is nothing to show named 'block'; "
                "there are: core, cps, closures, blocks, adjoint"
            ),
        ),
    ],
)
def test_an_unknown_value_is_an_error(
    variable: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(config.SettingError) as error:
        config.current()
    assert error.value.message == message


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_THREADS", "3")
    assert config.threads() == 3
    monkeypatch.delenv("CHECKPOINT_THREADS")
    assert config.threads() == cores()


@pytest.mark.parametrize("asked", [None, "5"])
def test_a_worker_has_its_share_of_the_cores(asked: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked: the threads of all workers are no more than there are cores."""
    if asked:
        monkeypatch.setenv("CHECKPOINT_THREADS", asked)
    else:
        monkeypatch.delenv("CHECKPOINT_THREADS", raising=False)
    monkeypatch.setattr(config, "cores", lambda: 6)
    for size, most in ((1, 6), (2, 3), (3, 2), (4, 1), (6, 1), (9, 1)):
        with outcomes.one_of(size):
            assert config.threads() == min(most, int(asked or 6))
            with outcomes.one_of(2):
                assert config.threads() == max(most // 2, 1)


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "257", "02", " 2"])
def test_a_number_of_threads_that_is_none(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_THREADS", text)
    message = f"CHECKPOINT_THREADS is {text!r}; write a number from 1 to 256, or leave it unset"
    with pytest.raises(config.SettingError) as error:
        config.threads()
    assert error.value.message == message


def test_an_override_ends_with_its_block() -> None:
    before = config.current()
    with config.override(check=False):
        with config.override(show=("core",)) as inner:
            assert config.current() is inner
            assert inner == config.Settings(check=False, show=("core",))
        assert config.current() == config.Settings(check=False, show=before.show)
    assert config.current() == before


def test_an_override_ends_with_an_error() -> None:
    before = config.current()
    with pytest.raises(config.SettingError), config.override(show=("everything",)):
        pass
    with pytest.raises(KeyError), config.override(check=False):
        raise KeyError
    assert config.current() == before


@pytest.mark.parametrize(
    ("value", "bytes"), [("", None), ("4096", 4096), ("512MiB", 2**29), ("1.5 GiB", 3 * 2**29), ("2kB", 2000)]
)
def test_memory(value: str, bytes: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_MEMORY", value)
    assert config.memory() == bytes


@pytest.mark.parametrize("value", ["lots", "-1MiB", "0", "5 bytes"])
def test_a_size_that_is_none(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_MEMORY", value)
    with pytest.raises(config.SettingError, match=r"CHECKPOINT_MEMORY is .*; write a size"):
        config.memory()


@pytest.mark.parametrize(("value", "mode"), [("", "background"), ("wait", "wait"), ("off", "off")])
def test_translation(value: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", value)
    assert config.translation() == mode


def test_translation_goes_on_in_the_background_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHECKPOINT_JIT")
    assert config.translation() == "background"


@pytest.mark.parametrize("value", ["on", "0", "OFF", "background"])
def test_a_way_of_translation_that_is_none(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", value)
    with pytest.raises(config.SettingError, match=f"CHECKPOINT_JIT is '{value}'; write wait or off"):
        config.translation()
