"""The site's page of plugins states every clause in the words that a failure shows, and contracts have versions."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from biascore.api import CONTRACT
from biascore.testing import CLAUSES

from ..plugins.made import adapter_of, module_of, plugins_of, registers

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = runpy.run_path(str(DOCS / "reference.py"))["on_page_markdown"](
    (DOCS / "plugins.md").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("kind", CLAUSES)
def test_every_clause_is_on_the_page(kind: str) -> None:
    assert f"| **{kind}** | |" in PAGE
    for name, text in CLAUSES[kind].items():
        assert f"| `{name}` | {text} |" in PAGE


@pytest.mark.parametrize(
    ("stated", "status", "reason"),
    [
        (CONTRACT, "loaded", ""),
        (CONTRACT + 1, "failed", "Upgrade biascore"),
        (0, "failed", "no number of a contract"),
        ("1", "failed", "no number of a contract"),
        (True, "failed", "no number of a contract"),
    ],
)
def test_a_plugin_of_another_contract_is_not_loaded(
    monkeypatch: pytest.MonkeyPatch, stated: object, status: str, reason: str
) -> None:
    module = module_of("made_plugin", register_adapters=registers(adapter_of(id="made")))
    module.biascore_contract = stated  # type: ignore[attr-defined]
    record = next(one for one in plugins_of(monkeypatch, module).records if one.name == "made_plugin")
    assert record.status == status
    assert reason in record.reason


def test_a_plugin_of_a_contract_that_is_kept_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biascore.plugins.points.OLDEST", 2)
    module = module_of("made_plugin", register_adapters=registers(adapter_of(id="made")))
    module.biascore_contract = 1  # type: ignore[attr-defined]
    record = next(one for one in plugins_of(monkeypatch, module).records if one.name == "made_plugin")
    assert record.status == "failed"
    assert "Upgrade the plugin" in record.reason
