"""Other people's texts do nothing in a terminal: what would act is seen, and every script stays as it is."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biascore.basics.visible import visible, visible_in, visible_json
from biascore.cli import main
from biascore.terminal.console import print_json, print_rows, say

from ..builders.word_lists import weat_file, write_weat

ACTS = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202e\u2066\u2028\x7f\ud83d"
LETTERS = "שלום, مرحبا می‌خواهم 👩‍🚀 नमस्ते \u200e\u200f\u061c\u00a0é\t\n"


def acts(text: str) -> bool:
    """Whether a terminal would do something with the text, beside new lines."""
    return any(
        (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202a\u202b\u202d\u202e\u2066"
        for c in text
    )


def test_what_acts_is_seen_and_letters_stay() -> None:
    assert visible(ACTS) == r"␛]0;owned␇␛[2J␍\u009b31m\u202e\u2066\u2028␡\ud83d"
    assert visible(LETTERS) == LETTERS
    assert visible_in({"a": ["\x1b", 1, None]}) == {"a": ["␛", 1, None]}


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_json_means_the_same(text: str) -> None:
    shown = visible_json(json.dumps([text], ensure_ascii=False))
    assert json.loads(shown) == [text]
    assert not acts(shown)


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_it_is_settled_after_once(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    visible(text).encode()


def test_lines_tables_titles_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"path {ACTS}")
    print_rows(["id", ACTS], [[ACTS, LETTERS.strip()], ["[red]x[/]", "y"]], title=ACTS)
    print_json({ACTS: ACTS})
    out = capsys.readouterr().out
    assert not acts(out)
    assert "␛]0;owned␇" in out
    assert "می‌خواهم" in out
    assert "[red]x[/]" in out
    assert json.loads(out[out.index('{\n "') :]) == {ACTS: ACTS}


HOSTILE = weat_file(
    x=["cat", "do\x1b[2Jg", "مرحبا"],
    title="mine \x1b[31m\u202e",
    source="own \x1b]0;owned\a",
    notes=["note \x9b31m"],
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "en/pets", "--stimuli", "own"),
        ("show", "en/pets", "--stimuli", "own", "--json"),
        ("run", "no\x1b[31mne.toml"),
        ("show", "en/\x1b[31m\u202epets"),
        ("measure", "weat", "--model", "planted:\x1b[2J\u202e", "--tests", "en/pets"),
    ],
)
def test_commands_and_errors(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_weat(tmp_path / "own", HOSTILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # put back what main sets
    monkeypatch.setattr(sys, "argv", ["biascore", *arguments])
    with pytest.raises(SystemExit):
        main()
    out, err = capsys.readouterr()
    assert out + err
    assert not acts(out + err)
