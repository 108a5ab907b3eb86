"""The modules of ``biascore.api``: few names each, and all of them documented."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest
import yaml

from biascore_adapters.transformer.runtimes_api import Runtime

from .sandbox import ROOT

MODULES = ["designs", *(f"api.{path.stem}" for path in (ROOT / "biascore" / "api").glob("[!_]*.py"))]
PUBLIC = [name for name in MODULES if name != "api.support"]
SECTION = re.compile(r"^::: biascore\.([\w.]+)\n((?: {4}.*\n)+)", re.MULTILINE)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_at_most_25_names_and_gives_out_each(name: str) -> None:
    module = import_module(f"biascore.{name}")
    assert len(module.__all__) <= (25 if name in PUBLIC else 30)
    assert all(getattr(module, one) is not None for one in module.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Metrik'"):
        _ = module.Metrik


def also_here(page: str, name: str) -> str:
    """What the page says between the heading of a module and its entry."""
    return page.partition(f"\n::: biascore.{name}\n")[0].rpartition("\n## ")[2]


def test_every_public_name_is_on_the_page_once_and_documented() -> None:
    griffe = pytest.importorskip("griffe", reason="needs biascore[docs]")
    page = (ROOT / "docs" / "plugin-api.md").read_text(encoding="utf-8")
    sections = {name: yaml.safe_load(text)["options"] for name, text in SECTION.findall(page)}
    shown = {name: options["members"] for name, options in sections.items() if "members" in options}
    given = {name: import_module(f"biascore.{name}").__all__ for name in PUBLIC}
    before = {"Measurement", "Run"}  # those of users are on the page Python
    for name, names in shown.items():
        assert names == [one for one in given[name] if one not in before], name
        above = {one for one in given[name] if one in before}
        assert set(re.findall(r"\[`(\w+)`\]\[biascore\.", also_here(page, name))) == above, name
        before |= set(names)
    assert shown.keys() == given.keys()
    read = griffe.load("biascore", search_paths=[ROOT])
    documented = {f"{name}.{one}": read[name][one] for name in PUBLIC for one in shown[name]}
    methods = {
        f"{name}.{one}": method
        for name, found in documented.items()
        if found.is_class
        for one, method in found.members.items()
        if method.is_function and not one.startswith("_")
    }
    assert [name for name, found in {**documented, **methods}.items() if not found.docstring] == []


def test_every_method_of_a_runtime_is_documented_with_its_signature() -> None:
    page = (ROOT / "docs" / "plugin-api.md").read_text(encoding="utf-8")
    for name, member in vars(Runtime).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            found = inspect.signature(member)
            parameters = list(found.parameters.values())[1:]
            assert f"`{name}{found.replace(parameters=parameters)}`".replace("'", "") in page
        elif isinstance(member, property):
            assert f"`{name}`" in page
