"""Files of given scores as models."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import ModelLoadError, QuestionError


def opened(path: Path, **options: object):  # type: ignore[no-untyped-def]
    return Engine(cache=None).model(f"answers:{path}", **options)


def test_a_csv_has_a_quantity_for_each_column_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text('sentence,note,joy,fear\n"a, b",x,1,0.5\nc,y,2,\n"a, b",z,1,0.5\n', encoding="utf-8")
    model = opened(path)
    assert model.identity.quantities == ("joy", "fear")
    assert model.score(["c", "a, b"], "joy").tolist() == [2, 1]
    with pytest.raises(QuestionError, match=r"no 'fear' for 1 of 1 texts, such as 'c'"):
        model.score(["c"], "fear")
    with pytest.raises(QuestionError, match="it holds: 'joy', 'fear'"):
        model.score(["c"], "anger")


def test_numbers_stand_beside_a_file_of_sentences(tmp_path: Path) -> None:
    sentences, numbers = tmp_path / "s.csv", tmp_path / "n.txt.gz"
    sentences.write_text("text;stereotype\none;1\ntwo;8\n", encoding="utf-8")
    numbers.write_bytes(gzip.compress(b"-1\n0.5\n"))
    options = {"sentences": str(sentences), "text": "text", "quantity": "template 1"}
    assert opened(numbers, **options).score(["two", "one"], "template 1").tolist() == [0.5, -1]
    in_nats = opened(numbers, **options, unit="log10").score(["two"], "template 1")
    assert in_nats.tolist() == pytest.approx([0.5 * math.log(10)])
    longer = tmp_path / "m.txt"
    longer.write_text("1\n2\n3\n", encoding="utf-8")
    with pytest.raises(ModelLoadError, match=r"3 numbers, and .* 2 sentences"):
        opened(longer, **options)
    with pytest.raises(ModelLoadError, match="option sentences"):
        opened(longer)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("sentence,x\na,1\na,2\n", "'a' stands there with the scores 1.0 and 2.0"),
        ("sentence,x\na,nan\n", "the score of 'a' is nan"),
        (
            "sentence,x,y\na,yes,1 a\nb,no,\nc,no,\n",
            r"no column of numbers other than 'sentence', .* \('x' holds 'yes', 'no'; 'y' holds '1 a'\)\. Write numbers",
        ),
        ("sentence,a,b,c,d,e,f,g\ns,x,x,x,x,x,x,x\n", "'e' holds 'x'; 2 more columns"),
        ("texts,x\na,1\n", "no column 'sentence'; its columns are: 'texts', 'x'"),
        ("sentence,x\na,1,2\n", "line 2 has 3 fields where the header has 2"),
        ("sentence,x\n", "a header and no rows"),
        ("sentence,sentence\na,1\n", "the column 'sentence' twice"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelLoadError, match=message):
        opened(path)
    with pytest.raises(ModelLoadError, match="no such file"):
        opened(tmp_path / "absent.csv")


def test_columns_can_be_named_and_must_then_be_numbers(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("sentence\tbert\tnote\na\t1\tx\n", encoding="utf-8")
    model = opened(path, quantities={"template 2": "bert"})
    assert model.identity.quantities == ("template 2",)
    with pytest.raises(ModelLoadError, match=r"'note' is no number on line 2, such as 'x'\. Write numbers"):
        opened(path, quantities={"template 2": "note"})


def test_the_digest_covers_both_files(tmp_path: Path) -> None:
    sentences, numbers = tmp_path / "s.csv", tmp_path / "n.txt"
    numbers.write_text("1\n", encoding="utf-8")
    digests = set()
    for text in ("a", "b"):
        sentences.write_text(f"sentence,n\n{text},1\n", encoding="utf-8")
        digests.add(opened(numbers, sentences=str(sentences)).identity.digest)
    assert len(digests) == 2


def test_words_stand_for_the_numbers_that_the_user_gives(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(
        "text,stage,decision,score\na,Screening,Hired,3\nb,Screening, Rejected,5\nc,Screening,,7\n"
    )
    model = opened(path, numbers={"Hired": 1, "Rejected": 0})
    assert model.identity.quantities == ("decision", "score")
    assert model.score(["a", "b"], "decision").tolist() == [1.0, 0.0]
    assert model.score(["c"], "score").tolist() == [7.0]
    assert "Hired = 1, Rejected = 0" in model.identity.conventions["scores read as"]
    with pytest.raises(QuestionError, match="no 'decision' for 1 of 1 texts"):
        model.score(["c"], "decision")
    named = opened(path, numbers={"Hired": 1, "Rejected": 0}, quantities={"selected": "decision"})
    assert named.score(["a"], "selected").tolist() == [1.0]
    with pytest.raises(
        ModelLoadError, match="no column of nothing but 'Hired': 'decision' also holds 'Rejected'"
    ):
        opened(path, numbers={"Hired": 1})
    with pytest.raises(ModelLoadError, match=r"no column of nothing but 'hired'\. Give each word"):
        opened(path, numbers={"hired": 1})
