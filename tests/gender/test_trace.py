"""Why a detector answers as it does, and where it disagrees with a table of sentences."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from biascore.cli import codes, main
from biascore.errors import DataError
from biascore.languages.gender import Gender, GenderEvidence, SpeakerGender
from biascore.languages.gender_rules import RuleDetector, load_grammar
from biascore.languages.gender_table import check_sentences, read_sentences
from biascore.languages.gender_trace import trace_gender

GRAMMAR = """
language = "xx"
[words]
am = ["am"]
clause = ["that"]
stop = ["but"]
[forms.adjective]
masculine = ["-o"]
feminine = ["-a", "-e"]
never = ["solo", "-ee"]
[forms.noun]
masculine = ["-us"]
feminine = ["-ix"]
[[rules]]
name = "am + adjective"
anchor = ["am"]
find = ["adjective"]
look = ["right", "left 1"]
halt = ["stop"]
unless_clause_has = ["noun"]
[[rules]]
name = "so"
find = ["adjective"]
look = ["here"]
fallback = true
unless_after = ["stop"]
unless_before = ["noun"]
needs_in_clause = ["stop"]
"""
TABLE = "sentence\texpected\tnote\nAm rica.\tfeminine\t\nAm lento.\tFeminine\twrong\nRica lupus.\tmasculine\tno rule\n"


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    path = tmp_path / "xx.toml"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Am rica.", ["am + adjective|Am|rica|feminine|", "so|||none|fallback: a rule above found a form"]),
        (
            "Am but rica",
            [
                "am + adjective|Am|but|none|halt = stop: 'but'",
                "am + adjective|Am|Am|none|left 1: no adjective",
                "so|rica|rica|none|unless_after = stop: 'but'",
            ],
        ),
        (
            "Am now that rica",
            [
                "am + adjective|Am|now|none|right: no adjective, and the clause ends: 'that'",
                "am + adjective|Am|Am|none|left 1: no adjective",
                "so|rica|rica|none|needs_in_clause = stop",
            ],
        ),
        (
            "Am rica lupus",
            [
                "am + adjective|Am|Am|none|unless_clause_has = noun: 'lupus'",
                "so|rica|rica|none|needs_in_clause = stop",
            ],
        ),
        ("Solo", ["am + adjective|||none|no word is in am", "so|||none|no word is in adjective"]),
    ],
)
def test_a_trace_says_what_each_rule_did(text: str, steps: list[str], grammar: Path) -> None:
    found = RuleDetector(load_grammar(grammar)).trace(text)
    assert ["|".join((s.rule, s.anchor, s.word, s.gender.value, s.reason)) for s in found.steps] == steps


def test_a_trace_says_what_each_word_is(grammar: Path) -> None:
    detector = RuleDetector(load_grammar(grammar))
    words = detector.trace("Am rica, but Lupus solo. Am rico.").words
    assert {one.word: one.known_as for one in words} == {
        "Am": ("am",),
        "rica": ("adjective: feminine",),
        "but": ("stop",),
        "Lupus": ("noun: masculine",),
        "solo": ("adjective: never",),
    }
    assert detector.trace("Am rica. Am rico.").text == "Am rica."
    assert "Am rica."[slice(*words[1].span)] == "rica"


@pytest.mark.parametrize("language", ["es", "it", "sk", "ru", "pl", "sl"])
def test_a_trace_answers_as_the_detector(language: str, detector: Any) -> None:
    for text in (
        "Estoy cansada.",
        "Sono stanco.",
        "Bola som doma.",
        "Я пришла.",
        "Nie mogłem spać.",
        "Som dobrý spevák.",
    ):
        traced = detector(language).trace(text)
        assert traced.answer == detector(language).detect(text)
        assert {rule.name for rule in detector(language).grammar.rules} == {
            step.rule for step in traced.steps
        }


class Oracle:
    """A detector that is no set of rules and keeps no trace."""

    name = "oracle"

    def detect(self, sentence: str) -> SpeakerGender:
        return SpeakerGender.of([GenderEvidence(sentence[:1], (0, 1), Gender.FEMININE, "I know")])


def test_a_detector_without_a_trace_shows_what_decided() -> None:
    traced = trace_gender(Oracle(), "rica")
    assert traced.answer.gender is Gender.FEMININE
    assert [(step.rule, step.word, step.gender) for step in traced.steps] == [
        ("I know", "r", Gender.FEMININE)
    ]
    assert "'oracle' shows only the words that decide" in traced.note


def test_a_table_is_checked(grammar: Path, table: Path) -> None:
    result = check_sentences(RuleDetector(load_grammar(grammar)), read_sentences(table))
    assert (result.total, result.agreeing) == (3, 1)
    assert [(one.labelled.line, one.found.gender) for one in result.disagreements] == [
        (3, Gender.MASCULINE),
        (4, Gender.NONE),
    ]
    assert result.counts[Gender.FEMININE, Gender.FEMININE] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "text\tgender\na\tb\n",
            "has no column 'sentence', 'expected'.*Name its columns sentence and expected",
        ),
        (
            "sentence\texpected\na\tmale\n",
            "line 2: .male. in the column .expected. is no gender. Write one of: masculine, feminine",
        ),
        ("sentence\texpected\n \tnone\n", "'sentence' is blank on line 2"),
        ("sentence\texpected\n", "a header and no rows"),
    ],
)
def test_a_table_that_is_none_names_its_lines(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sentences.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_sentences(path)


def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["biascore", "gender", *map(str, words)])
    code = 0
    try:
        main()
    except SystemExit as done:
        code = int(done.code or 0)
    return code, *capsys.readouterr()


def test_the_command_reads_sentences(
    grammar: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = command(monkeypatch, capsys, "xx", "Am rica.", "Solo.", "--grammar", grammar)
    assert (code, out) == (0, "feminine: Am rica.\n  rica  feminine  am + adjective\nnone: Solo.\n")
    code, out, _ = command(monkeypatch, capsys, "xx", "Am but rica", "--grammar", grammar, "--trace")
    assert code == 0
    assert "unless_after = stop: 'but'" in out
    assert "adjective: feminine" in out
    code, out, _ = command(monkeypatch, capsys, "xx", "Am rica.", "--grammar", grammar, "--trace", "--json")
    (shown,) = json.loads(out)
    assert shown["evidence"] == [
        {"word": "rica", "span": [3, 7], "gender": "feminine", "rule": "am + adjective"}
    ]
    assert shown["trace"]["steps"][0]["gender"] == "feminine"


def test_the_command_checks_a_table(
    grammar: Path, table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = command(monkeypatch, capsys, "xx", "--check", table, "--grammar", grammar)
    assert code == codes.DIFFERENT
    assert "lento (am + adjective)" in out
    assert f"1 of 3 sentences of {table} agree with the detector 'rules'" in out
    code, out, _ = command(
        monkeypatch, capsys, "xx", "--check", table, "--grammar", grammar, "--json", "--trace"
    )
    shown = json.loads(out)
    assert code == codes.DIFFERENT
    assert (shown["sentences"], shown["agreeing"]) == (3, 1)
    assert shown["disagreements"][0]["line"] == 3
    assert {"expected": "feminine", "found": "masculine", "sentences": 1} in shown["counts"]
    table.write_text("sentence,expected\nAm rica.,feminine\n", encoding="utf-8")
    assert command(monkeypatch, capsys, "xx", "--check", table, "--grammar", grammar)[0] == 0
    table.write_bytes("sentence,expected\nAm ricà.,none\n".encode("cp1252"))
    call = ("xx", "--check", table, "--grammar", grammar)
    code, _, err = command(monkeypatch, capsys, *call)
    assert code == codes.WRONG_INPUT
    assert "such as --encoding=cp1252" in err
    assert command(monkeypatch, capsys, *call, "--encoding=cp1252")[0] == 0
    code, _, err = command(monkeypatch, capsys, "xx", "Am rica.", "--encoding", "cp1252")
    assert code == codes.WRONG_INPUT
    assert "--check names none" in err


def test_the_command_knows_what_is_installed_and_says_what_is_missing(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(monkeypatch, capsys, "es", "Estoy cansada.")[1].startswith("feminine: ")
    code, _, err = command(monkeypatch, capsys, "tlh", "x")
    assert code == codes.WRONG_INPUT
    assert "no plugin tells the speaker's gender in 'tlh'" in err
    for words in (["xx"], ["xx", "Am rica.", "--check", table]):
        code, _, err = command(monkeypatch, capsys, *words)
        assert code == codes.WRONG_INPUT
        assert "give sentences or a table, one of the two" in err
