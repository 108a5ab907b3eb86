"""The rule of each metric: one sentence that the command line prints and the metric's page begins with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from biascore.cli.inspect import _page
from biascore.plugins.loading import Plugins

METRICS = Plugins().metrics
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", [name for name in METRICS.names if METRICS.owner(name).dist == "biascore"])
def test_a_rule_is_one_sentence_and_on_the_page(name: str) -> None:
    rule = METRICS.get(name).rule
    page = re.sub(r"[*`]", "", (ROOT / _page(METRICS.owner(name))).read_text(encoding="utf-8"))
    assert re.fullmatch(r"[A-Z][^\n]*\.", rule), f"{name}.rule = {rule!r}"
    assert not re.search(r"\. [A-Z]", rule), f"{name}.rule is more than one sentence"
    assert re.sub(r"[*`]", "", rule) in " ".join(page.split()), f"the page of {name} does not say: {rule}"
