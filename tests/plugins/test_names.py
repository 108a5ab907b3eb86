"""What a plugin may be called, and that one which does not come back from loading is given up."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from biascore.api.adapters import Adapter, Options
from biascore.api.languages import Language
from biascore.errors import OptionsError
from biascore.plugins.loading import Plugins
from biascore.plugins.registry import PluginRecord

from .conftest import Install


class Good(Adapter):
    """Opens nothing."""

    id = "good"
    summary = "good"
    example = "good:"
    capabilities = frozenset({"embed"})

    def load(self, ref: Any, options: Any, context: Any) -> Any:
        raise AssertionError("never opened")


def made(plugins: Plugins) -> PluginRecord:
    assert {record.status for record in plugins.records if record.dist == "biascore"} == {"loaded"}
    return next(record for record in plugins.records if record.name == "made")


@pytest.mark.parametrize("error", [SystemExit(0), MemoryError(), GeneratorExit()])
def test_a_plugin_cannot_stop_the_others(install: Install, error: BaseException) -> None:
    def hook(register: Any) -> None:
        raise error

    record = made(install(register_adapters=hook))
    assert (record.status, record.reason.partition(":")[0]) == ("failed", type(error).__name__)


def test_an_adapter_that_names_its_options_as_an_attribute_is_told_the_brackets(install: Install) -> None:
    wrong = type("Wrong", (Good,), {"options": Options})
    record = made(install(register_adapters=lambda register: register(wrong)))
    assert (record.status, "class Wrong(Adapter[MyOptions])" in record.reason) == ("failed", True)


def test_a_plugin_that_does_not_come_back_is_given_up(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hangs(register: Any) -> None:
        while True:
            try:
                threading.Event().wait()
            except Exception:  # whatever it swallows
                continue

    monkeypatch.setenv("BIASCORE_IMPORT_SECONDS", "0.5")
    record = next(r for r in install(register_adapters=hangs).records if r.name == "made")
    assert record.reason == "loading it takes more than 0.5 seconds (BIASCORE_IMPORT_SECONDS)"


@pytest.mark.parametrize("text", ["soon", "-1", "inf", "nan"])
def test_the_time_to_load_is_a_number(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("BIASCORE_IMPORT_SECONDS", text)
    with pytest.raises(OptionsError, match=r"BIASCORE_IMPORT_SECONDS is .* 0 for no limit"):
        Plugins()


@pytest.mark.parametrize("name", ["Planted", "a/../b", "two\nlines", "../up", "\x1b[31m", "", "a..b"])
def test_a_name_is_small_letters_without_paths(install: Install, name: str) -> None:
    adapter = type("Made", (Good,), {"id": name})
    record = made(install(register_adapters=lambda register: register(adapter)))
    assert record.status == "failed"
    assert "which is no name" in record.reason


def test_a_language_has_a_code(install: Install) -> None:
    record = made(install(register_languages=lambda register: register(Language("../it", "Italian"))))
    assert record.status == "failed"
    assert "is no code such as it" in record.reason
