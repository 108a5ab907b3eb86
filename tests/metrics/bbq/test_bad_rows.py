"""Every way in which a file of questions can be wrong: an error with the line and the next step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.errors import DataError, OptionsError
from biascore_metrics.bbq.formats.rows import LONGEST, literal

from .written import Row, bbq_row, esbbq_row, ggbbq_row, kobbq_row, mbbq_row, read, write

THREE = [["old baker", "old"], ["young baker", "nonOld"], ["young pupil", "nonOld"]]
ROWS = {"bbq": bbq_row, "esbbq": esbbq_row, "kobbq": kobbq_row, "ggbbq": ggbbq_row, "mbbq": mbbq_row}
LANGUAGES = {"bbq": "en", "esbbq": "es", "kobbq": "ko", "ggbbq": "de", "mbbq": "nl"}
TWO_UNKNOWN = "{0: ['a', 'unknown'], 1: ['b', 'unknown'], 2: ['c', 'M']}"


@pytest.mark.parametrize(
    ("family", "changes", "told"),
    [
        ("bbq", {"infos": THREE}, r"line 2: no option says that it is not known.*Correct the row"),
        (
            "bbq",
            {"infos": [THREE[0], ["a", "unknown"], ["b", "unknown"]]},
            r"line 2: 2 options say.*Correct the row",
        ),
        (
            "bbq",
            {"question_polarity": "positive"},
            r"line 2: question_polarity is 'positive'.*'neg', 'nonneg'.*Correct it",
        ),
        (
            "bbq",
            {"context_condition": "ambiguous"},
            r"line 2: context_condition is 'ambiguous'.*'ambig'.*Did you mean.*Correct",
        ),
        ("bbq", {"label": 3}, r"line 2: label is 3, and the options are 0, 1 and 2. Correct it"),
        ("bbq", {"label": -1}, r"line 2: label is -1, and the options are 0, 1 and 2. Correct it"),
        ("bbq", {"label": "b"}, r"line 2: label is 'b', and no whole number. Correct it"),
        ("bbq", {"label": None}, r"line 2: label is blank or missing. Fill it in"),
        ("bbq", {"ans1": " "}, r"line 2: ans1 is blank or missing. Fill it in"),
        (
            "bbq",
            {"answer_info": {"ans0": ["a", "old"]}},
            r"line 2: answer_info is .*needs ans0, ans1 and ans2",
        ),
        (
            "bbq",
            {"answer_info": {"ans0": ["a"], "ans1": ["b", "c"], "ans2": ["c", "d"]}},
            r"ans0 has to hold a text and a group",
        ),
        (
            "bbq",
            {"answer_info": {"ans0": 1, "ans1": ["b", "c"], "ans2": ["c", "d"]}},
            r"answer_info.ans0 is 1, and no list of texts",
        ),
        ("bbq", {"additional_metadata": {}}, r"line 2: additional_metadata is .*needs stereotyped_groups"),
        ("bbq", {"answer_info": None}, r"line 2: answer_info is missing. Fill it in"),
        (
            "esbbq",
            {"stereotyped_groups": "['viejo'"},
            r"line 2: stereotyped_groups is .*no list that JSON or Python would write",
        ),
        ("esbbq", {"stereotyped_groups": "__import__('os')"}, r"line 2: stereotyped_groups.*no list"),
        (
            "esbbq",
            {"stereotyped_groups": "viejo"},
            r"line 2: stereotyped_groups.*Write it as \[\"one\", \"two\"\]",
        ),
        (
            "esbbq",
            {"stereotyped_groups": "[1]"},
            r"line 2: stereotyped_groups is \[1\], and no list of texts",
        ),
        ("esbbq", {"answer_info.ans2": "['nadie', 'nadie']"}, r"line 2: no option says that it is not known"),
        ("kobbq", {"sample_id": "age-1"}, r"line 2: sample_id is 'age-1', and is written as"),
        (
            "kobbq",
            {"choices": "['젊은 제빵사', '나이 든 제빵사']", "answer": "젊은 제빵사"},
            r"line 2: has 2 options, and a question has",
        ),
        (
            "kobbq",
            {"biased_answer": "누구"},
            r"line 2: biased_answer is '누구', which is none of the choices",
        ),
        ("kobbq", {"answer": "누구"}, r"line 2: answer is '누구', which is none of the choices"),
        (
            "kobbq",
            {"biased_answer": "알 수 없음"},
            r"line 2: biased_answer is '알 수 없음', that it is not known",
        ),
        ("ggbbq", {"choice_info": "{0: ['a', 'F']}"}, r"line 2: choice_info is .*needs 0, 1 and 2"),
        ("ggbbq", {"choice_info": TWO_UNKNOWN}, r"line 2: 2 options say that it is not known"),
        ("ggbbq", {"question_type": "neg"}, r"line 2: question_type is 'neg'.*'negative', 'non_negative'"),
        ("mbbq", {"label": 7}, r"line 2: label is 7"),
    ],
)
def test_a_row(engine: Engine, tmp_path: Path, family: str, changes: Row, told: str) -> None:
    row = ROWS[family]() if family == "kobbq" else ROWS[family](0)  # type: ignore[operator]
    bad = kobbq_row("age-004a-001-dis-bsd", **changes) if family == "kobbq" else ROWS[family](1, **changes)  # type: ignore[operator]
    with pytest.raises(DataError, match=told):
        read(engine, family, tmp_path / "a.jsonl", LANGUAGES[family], [row, bad])


@pytest.mark.parametrize(
    ("family", "item"), [("bbq", "Age/0"), ("esbbq", "Age/0"), ("kobbq", "age-004a"), ("ggbbq", "ambig")]
)
def test_an_item_that_is_there_twice(engine: Engine, tmp_path: Path, family: str, item: str) -> None:
    row = ROWS[family]()  # type: ignore[operator]
    with pytest.raises(
        DataError, match=rf"line 2: the item '{item}.*is there twice, first on .*line 1. Keep one"
    ):
        read(engine, family, tmp_path / "a.jsonl", LANGUAGES[family], [row, row])


def test_an_item_that_is_in_two_files_of_a_folder(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path / "Age.jsonl", [bbq_row()])
    write(tmp_path / "Age.csv", [bbq_row()])
    with pytest.raises(
        DataError, match=r"Age.jsonl, line 1: the item 'Age/0' is there twice, first on .*Age.csv, line 2"
    ):
        read(engine, "bbq", tmp_path, "en")


@pytest.mark.parametrize(
    ("family", "language", "told"),
    [
        ("bbq", "de", r"'de', and BBQ was published in English \(en\).*give the data's options prompts in"),
        ("bbq", "fi", r"'fi', and BBQ was published in English \(en\).*options prompts and instruction in"),
        (
            "esbbq",
            "fi",
            r"EsBBQ/CaBBQ was published in Spanish \(es\), Catalan.*prompts and instruction and unknown",
        ),
        ("esbbq", "eu", r"give the data's options prompts and unknown in"),
        ("bbq", "ja", r"give the data's options prompts in"),
        ("kobbq", "en", r"KoBBQ was published in Korean \(ko\)"),
        ("mbbq", "ca", r"English \(en\), Spanish \(es\), Dutch \(nl\), Turkish \(tr\).*in any language"),
    ],
)
def test_a_language_that_a_family_has_not(
    engine: Engine, tmp_path: Path, family: str, language: str, told: str
) -> None:
    with pytest.raises(DataError, match=told):
        read(engine, family, tmp_path / "a.jsonl", language, [ROWS[family]()])  # type: ignore[operator]


CATALAN = {
    "context": "El forner gran i el forner jove eren al mercat amb les balances noves, però van marxar.",
    "question": "Qui no entenia les balances?",
}
TURKISH = {
    "context": "Yaşlı fırıncı ve genç fırıncı yeni bir teraziyle pazardaydı, ama ne için orada oldukları belli değil.",
    "question": "Teraziyi kim okuyamadı?",
}
GERMAN = {
    "context": ggbbq_row()["context"] + " Das war nicht einfach für sie.",
    "question": ggbbq_row()["question"],
}


@pytest.mark.parametrize(
    ("family", "language", "changes", "told"),
    [
        (
            "esbbq",
            "es",
            CATALAN,
            r"line 2: is in Catalan, and this test in Spanish \(language es\).*with language ca",
        ),
        ("mbbq", "nl", TURKISH, r"line 2: is in Turkish, and this test in Dutch.*with language tr"),
        ("bbq", "en", TURKISH, r"line 2: is in Turkish.*BBQ has no Turkish.*'mbbq'"),
        ("bbq", "en", GERMAN, r"line 2: is in German"),
        ("mbbq", "nl", {"context": kobbq_row()["context"]}, r"line 2: is in Korean"),
        (
            "ggbbq",
            "de",
            {"context": bbq_row()["context"], "question": bbq_row()["question"]},
            r"line 2: is in English",
        ),
    ],
)
def test_rows_of_another_language(
    engine: Engine, tmp_path: Path, family: str, language: str, changes: Row, told: str
) -> None:
    rows = [ROWS[family](0), ROWS[family](1, **changes)]  # type: ignore[operator]
    with pytest.raises(DataError, match=told):
        read(engine, family, tmp_path / "a.jsonl", language, rows)


def test_korean_rows_are_korean(engine: Engine, tmp_path: Path) -> None:
    english = {"context": bbq_row()["context"], "question": bbq_row()["question"]}
    with pytest.raises(DataError, match=r"line 1: is in English, and this test in Korean"):
        read(engine, "kobbq", tmp_path / "a.jsonl", "ko", [kobbq_row(**english)])


def test_turkish_rows_are_turkish(engine: Engine, tmp_path: Path) -> None:
    row = mbbq_row(**TURKISH)
    assert (
        read(engine, "mbbq", tmp_path / "a.jsonl", "tr", [row]).questions.rows[0].question
        == TURKISH["question"]
    )


@pytest.mark.parametrize(
    ("family", "other"),
    [
        (family, other)
        for family in LANGUAGES
        for other in ("bbq", "esbbq", "kobbq", "ggbbq")
        if other != family and {family, other} != {"bbq", "mbbq"}  # which have the same fields
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_file_of_another_family(engine: Engine, tmp_path: Path, family: str, other: str, name: str) -> None:
    path = write(tmp_path / name, [ROWS[other]()])  # type: ignore[operator]
    with pytest.raises(DataError, match=rf"has no column .*Did you mean the format '{other}'\?"):
        read(engine, family, path, LANGUAGES[family])


def test_a_file_of_none(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,score\na,1\n", encoding="utf-8")
    with pytest.raises(
        DataError, match=r"has no column 'example_id'.*Give a file of BBQ, or name its format"
    ):
        read(engine, "bbq", path, "en")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty. Give a file with data"),
        (b"\n \n", "is empty. Give a file with data"),
        (b"{\n", r"line 1 is no JSON .*Write one object a line"),
        (b"[1]\n", r"record 1 is 1, and no JSON object"),
        (b"3\n", r"line 1 is no JSON object"),
        (b"\xff\xfe\n", r"line 1: is not UTF-8"),
        (b"[" * 100_000, r"is no JSON .*nested too deeply"),
        (b'{"a": 1}\n' + b"[" * 100_000, r"line 2 is no JSON .*nested too deeply"),
    ],
)
def test_json_lines_that_are_none(engine: Engine, tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=told):
        read(engine, "bbq", path, "en")


def test_a_bad_line_further_down(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(bbq_row()) + "\n\n{oops\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 3 is no JSON"):
        read(engine, "bbq", path, "en")


def test_a_folder_without_tables(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match=r"is a folder without a table .*Name a file"):
        read(engine, "bbq", tmp_path, "en")


def test_two_options_that_are_the_same_cannot_be_asked(engine: Engine, tmp_path: Path) -> None:
    rows = [bbq_row(0, ans0="The baker", ans1="the baker"), bbq_row(1)]
    test = read(engine, "bbq", tmp_path / "a.jsonl", "en", rows)
    assert [one.item for one in test.questions.rows] == ["Age/1"]
    assert test.notes[0] == "1 of 2 items are left out, as two of their options are the same: Age/0."


def test_a_label_that_contradicts_its_context_is_told(engine: Engine, tmp_path: Path) -> None:
    rows = [bbq_row(0, label=0), bbq_row(1, context_condition="disambig", label=2), bbq_row(2)]
    test = read(engine, "bbq", tmp_path / "a.jsonl", "en", rows)
    assert len(test.questions.rows) == 3
    assert test.notes[0].startswith("The right answer of 2 items does not fit their context")
    assert "Age/0, Age/1" in test.notes[0]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            "prompt\nOnly {context}\n",
            r"line 2: the prompt has to hold \{context\} and \{question\}, once each",
        ),
        ("prompt\n{question} {question} {context}\n", "once each"),
        ("text\n{context} {question}\n", "has no column 'prompt'"),
        ("prompt\tunknown\n{context} {question}\t\n", "'unknown' is blank on line 2"),
    ],
)
def test_prompts(engine: Engine, tmp_path: Path, table: str, told: str) -> None:
    prompts = tmp_path / "prompts.tsv"
    prompts.write_text(table, encoding="utf-8")
    with pytest.raises(DataError, match=told):
        read(engine, "bbq", tmp_path / "a.jsonl", "en", [bbq_row()], prompts=str(prompts))


def test_options_of_another_family(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="unknown"):
        read(engine, "bbq", tmp_path / "a.jsonl", "en", [bbq_row()], unknown="Nobody knows")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("['a', \"b's\"]", ["a", "b's"]),
        ('["a", null]', ["a", None]),
        ("{0: ['a', 'F']}", {0: ["a", "F"]}),
        (r"['\d']", [r"\d"]),
        (" ['a'] ", ["a"]),
    ],
)
def test_literals(text: str, value: Any) -> None:
    assert literal(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "[a]",
        "f()",
        "['a'",
        "[1 if True else 2]",
        "[" * 5000,
        "().__class__",
        "'" * 3,
        "x" * (LONGEST + 1),
        "1j+[]",
    ],
)
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(ValueError, match=r"characters|is no list"):
        literal(text)


@pytest.mark.parametrize("language", ["ja", "de", "eu"])
def test_a_layout_is_read_in_any_language_with_its_own_prompts(
    engine: Engine, tmp_path: Path, language: str
) -> None:
    prompts = tmp_path / "prompts.csv"
    prompts.write_text("prompt\n{context} / {question}\n", encoding="utf-8")
    said = {"context": "文脈。", "question": "誰ですか。"}
    row = bbq_row(**said)
    own = {"prompts": str(prompts), "instruction": "Aukeratu letra bat."}
    test = read(engine, "bbq", tmp_path / "a.jsonl", language, [row], **own)
    assert (test.language, test.prompts) == (language, ("{context} / {question}",))
    assert test.instruction == "Aukeratu letra bat."


@pytest.mark.parametrize(
    ("said", "right", "odd"), [("pro-stereo", 0, 0), ("anti-stereo", 0, 1), ("pro-stereo", 1, 1)]
)
def test_rows_whose_type_contradicts_their_groups_are_counted(
    engine: Engine, tmp_path: Path, said: str, right: int, odd: int
) -> None:
    row = esbbq_row(question_type=said, context_condition="disambig", question_polarity="neg")
    groups = [row[f"answer_info.ans{k}"] for k in range(3)]
    stereotyped = next(k for k, one in enumerate(groups) if "unknown" not in str(one))
    persons = [k for k, one in enumerate(groups) if "unknown" not in str(one)]
    named = str(groups[stereotyped]).split(",")[-1].strip(" ]'\"")
    row |= {"stereotyped_groups": f"['{named}']", "label": str(persons[right])}
    notes = read(engine, "esbbq", tmp_path / "a.csv", "es", [row]).notes
    assert sum("contradicts their stereotyped groups" in note for note in notes) == odd
