"""docs/api.md shows parameters and fields as tables: the docstrings name each in a section that the site reads."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from biascore import Audit, Engine, Measurement, Run, compare

from .sandbox import ROOT


def section(of: object, title: str) -> list[str]:
    """The names of a section of a docstring."""
    text = (inspect.getdoc(of) or "").partition(f"\n{title}:\n")[2]
    return re.findall(r"^    (\w+): ", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("where", "function"),
    [(Engine, Engine), (Engine.model, Engine.model), (Engine.measure, Engine.measure), (compare, compare)],
)
def test_parameters_are_a_table(where: object, function: Callable[..., Any]) -> None:
    assert section(where, "Args") == [
        name for name in inspect.signature(function).parameters if name != "self"
    ]


@pytest.mark.parametrize("kind", [Run, Measurement, Audit])
def test_fields_are_a_table(kind: type[Run | Measurement | Audit]) -> None:
    assert sorted(section(kind, "Attributes")) == sorted(kind.model_fields.keys() - {"schema_version"})


def test_the_site_reads_these_sections() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    plugins = yaml.safe_load(text)["plugins"]
    (options,) = [one["mkdocstrings"] for one in plugins if isinstance(one, dict) and "mkdocstrings" in one]
    assert options["handlers"]["python"]["options"]["docstring_style"] == "google"
