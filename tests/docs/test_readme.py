"""The first page that people see is short: a question, a picture, a command, their model, the states, and where to go on."""

from __future__ import annotations

import re

import pytest

from .sandbox import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = README.splitlines()
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_it_has_at_most_600_words() -> None:
    assert len(README.split()) <= 600


def test_a_line_has_one_link_at_most() -> None:
    assert [line for line in LINES if len(LINK.findall(line)) > 1] == []


def test_every_link_leads_to_a_file() -> None:
    found = [link.partition("#")[0] for link in LINK.findall(README)]
    assert len(found) > 15
    assert [link for link in found if not (ROOT / link).is_file()] == []


def test_the_first_forty_lines_ask_show_and_try() -> None:
    top = "\n".join(LINES[:40])
    places = [
        top.index(part) for part in ("how sure are you?", "](docs/pictures/", "make demo", "## Your model")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("state", ["detected", "hint", "negligible", "inconclusive", "not measured"])
def test_each_state_has_a_line(state: str) -> None:
    assert len(re.findall(rf"^\| \*\*{state}\*\* \| .+ \|$", README, re.MULTILINE)) == 1


def test_the_commands_of_continuous_integration_are_named() -> None:
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"`?make (\w+)", README)
    assert {"demo", "test"} <= set(named)
    assert [name for name in named if f"\n{name}:" not in made] == []
