"""A hook that names what it registers: the same as a function that imports it, and imported no sooner."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pluggy
import pytest

from biascore.hookspecs import DiscoverySpecs, provides
from biascore.models.questions.capabilities import PROJECT


def registered(*names: str) -> list[type]:
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(DiscoverySpecs)
    manager.register(SimpleNamespace(register_metrics=provides(*names)))
    manager.check_pending()
    found: list[type] = []
    manager.hook.register_metrics(register=found.append)
    return found


def test_it_registers_what_is_named_in_that_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "fractions", raising=False)
    hook = provides("fractions:Fraction", "pathlib:Path")
    assert "fractions" not in sys.modules
    found: list[type] = []
    hook(found.append)
    assert [one.__name__ for one in found] == ["Fraction", "Path"]
    assert [one.__name__ for one in registered("fractions:Fraction", "pathlib:Path")] == ["Fraction", "Path"]


@pytest.mark.parametrize(
    ("name", "error"), [("no_such_module:Mine", ModuleNotFoundError), ("pathlib:Mine", AttributeError)]
)
def test_a_name_of_nothing_is_the_error_of_importing_it(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        registered(name)
