"""The site holds every page once, and every snippet of Python that stands alone runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from markdown.extensions.toc import slugify, unique

from .sandbox import ROOT
from .test_commands import BLOCK, with_stand_ins

DOCS = ROOT / "docs"
ALONE = ["README.md", "docs/start.md", "docs/speaker-gender.md", "docs/transforms.md"]
"""Pages whose Python needs nothing but the stand-ins; those of plugins/ are typed in tests/plugins/test_walks.py."""


def test_every_page_is_in_the_contents_once() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r": ([\w/-]+\.md)$", text, re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


FENCE = re.compile(r"^ *(`{3,})[^\n]*\n.*?^ *\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([\w./-]*?)#([\w-]+)\)")


def anchors(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    used: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", heading)
        unique(slugify(shown, "-"), used)
    return used | {one or two for one, two in re.findall(r'id="([\w-]+)"|\{ ?#([\w-]+)', text)}


def test_every_link_into_a_page_finds_its_heading() -> None:
    wrong = []
    for page in (ROOT / "README.md", *DOCS.rglob("*.md")):
        for path, anchor in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            target = (page.parent / path).resolve() if path else page
            if target.suffix == ".md" and anchor not in anchors(target):
                wrong.append(f"{page.relative_to(ROOT)}: {path}#{anchor}")
    assert not wrong, "\n".join(wrong)


def test_every_page_that_the_program_names_is_there() -> None:
    tops = ("biascore", "adapters", "plugins", "wordlists", ".ci", "Makefile", "action.yml", "CITATION.cff")
    files = [one for top in tops for one in (ROOT / top, *(ROOT / top).rglob("*")) if one.is_file()]
    texts = {
        one: one.read_text(encoding="utf-8")
        for one in files
        if one.suffix in {"", ".py", ".toml", ".json", ".yml", ".cff", ".md"}
    }
    named = {(one, name) for one, text in texts.items() for name in re.findall(r"\bdocs/[\w/-]+\.md", text)}
    assert len({name for _, name in named}) > 5
    assert sorted(f"{one}: {name}" for one, name in named if not (ROOT / name).is_file()) == []


@pytest.mark.parametrize("name", ["audits", "gates", "run-statistics", "suppliers-report", "tables"])
def test_a_page_of_audits_has_at_most_1000_words(name: str) -> None:
    assert len(FENCE.sub("", (DOCS / f"{name}.md").read_text(encoding="utf-8")).split()) <= 1000


def test_a_heading_stands_on_a_line_of_its_own() -> None:
    within = re.compile(r"\S #{2,4} [A-Z].*")
    wrong = [
        f"{page.relative_to(ROOT)}: {found.group()}"
        for page in DOCS.rglob("*.md")
        for found in within.finditer(FENCE.sub("", page.read_text(encoding="utf-8")))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_settings_of_the_site_are_strict() -> None:
    assert yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["strict"] is True


def test_the_citation_names_the_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{cited["version"]}"' in project or cited["version"] in (
        ROOT / "biascore" / "__init__.py"
    ).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("page", ALONE)
def test_the_python_of_a_page_runs(
    page: str, stand_ins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in stand_ins.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    snippets = [
        block
        for language, block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
        if language == "python" and "hookimpl" not in block
    ]
    assert snippets
    for snippet in snippets:
        exec(compile(with_stand_ins(snippet, ""), page, "exec"), {})
