"""The grammar that docs/speaker-gender.md writes from nothing works as the page says."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from biascore.cli import main
from biascore.languages.gender_rules import RuleDetector, load_grammar

# Written after the grammar was.
AFTERWARDS = {
    "masculine": ["Чувствах се много самотен.", "Бих отишъл с теб.", "Сигурен съм.", "Аз съм висок.",
                  "Доволен съм от себе си."],
    "feminine": ["Искам да бъда силна.", "Останах сама.", "Не бях готова.", "Живея сама.", "Била съм там.",
                 "Мисля, че съм права.", "Родена съм в София."],
    "none": ["Брат ми беше ядосан.", "Аз съм лекар.", "Аз съм единствена дъщеря.", "Учих сина си да бъде смел."],
}  # fmt: skip
PAGE = Path(__file__).resolve().parents[2] / "docs" / "speaker-gender.md"


def blocks() -> list[str]:
    page = PAGE.read_text(encoding="utf-8")
    section = page[page.index("## A language in 50 lines") : page.index("## Adding a language")]
    return re.findall(r"```(?:toml|text)\n(.*?)```", section, re.DOTALL)


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str) -> str:
    """What a command of the page prints; it must exit with 0."""
    words = re.findall(r'"([^"]*)"|(\S+)', command.removeprefix("$ "))
    monkeypatch.setattr(sys, "argv", [quoted or plain for quoted, plain in words])
    with pytest.raises(SystemExit) as done:
        main()
    assert not done.value.code
    return capsys.readouterr().out


def test_the_worked_example_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    grammar, table, checked, traced = blocks()
    assert len(grammar.splitlines()) <= 50
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("bg.toml").write_text(grammar, encoding="utf-8")
    Path("sentences.tsv").write_text(table, encoding="utf-8")
    command, printed = checked.splitlines()
    assert printed in run(monkeypatch, capsys, command)
    assert "щастлив  masculine  съм + adjective" in run(
        monkeypatch, capsys, traced.splitlines()[0].removesuffix(" --trace")
    )
    Path("bg.toml").write_text(grammar.replace('"днес", ', ""), encoding="utf-8")
    command, *lines = traced.splitlines()
    out = run(monkeypatch, capsys, command)
    assert [line for line in lines if line not in out] == []


def test_on_sentences_written_afterwards_it_fares_as_the_page_says(tmp_path: Path) -> None:
    path = tmp_path / "bg.toml"
    path.write_text(blocks()[0], encoding="utf-8")
    detector = RuleDetector(load_grammar(path, "bg"))
    found = [
        (expected, detector.detect(sentence).gender.value)
        for expected, sentences in AFTERWARDS.items()
        for sentence in sentences
    ]
    counts = Counter(found)
    assert counts["masculine", "masculine"] + counts["feminine", "feminine"] == 10
    assert counts["masculine", "none"] + counts["feminine", "none"] == 2
    assert counts["none", "none"] == 4
