"""Sentence pairs from files: the columns of the published ones, and every way in which a file can be wrong."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Engine
from biascore.audits.audit import Audit
from biascore.designs.pairs.test import SentencePair, SentencePairsTest
from biascore.errors import DataError, OptionsError, UnknownNameError
from biascore.stimuli.dataset import locate
from biascore_metrics.crows_pairs.format import CrowsPairsFormat, CrowsPairsFormatOptions

ORIGINAL = ["", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations", "anon_writer"]
PAIRS = [
    SentencePair('She said "no", and left.', 'He said "no", and left.', "stereo", "gender"),
    SentencePair("Gli anziani guidano male.", "I giovani guidano male.", "stereo", "age"),
    SentencePair(
        "Les riches, eux, sont honnêtes.", "Les pauvres, eux, sont honnêtes.", "antistereo", "autre"
    ),
    SentencePair("Two\nlines of women", "Two\nlines of men", "antistereo", "race-color"),
]


def written(
    delimiter: str = ",", header: Sequence[str] = ORIGINAL, rows: Sequence[Sequence[str]] = ()
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    for i, pair in enumerate(PAIRS):
        fields = [pair.sent_more, pair.sent_less, pair.stereo_antistereo, pair.bias_type]
        writer.writerow([str(i), *fields, f"[['{pair.bias_type}'], []]", "a20"])
    writer.writerows(rows)
    return out.getvalue()


Read = Callable[..., SentencePairsTest]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def of(content: str | bytes, name: str = "pairs.csv", **options: object) -> SentencePairsTest:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        test = CrowsPairsFormat(CrowsPairsFormatOptions(**options)).read(locate(str(path), "xx/mine", "xx"))
        assert isinstance(test, SentencePairsTest)
        return test

    return of


def test_the_columns_of_the_original_file(read: Read, tmp_path: Path):
    test = read(written())
    assert test.pairs.rows == tuple(PAIRS)
    assert (test.id, test.kind, test.language, test.notes) == ("xx/mine", "sentence-pairs", "xx", ())
    assert test.title == "CrowS-Pairs, pairs.csv"
    assert test.file == str(tmp_path / "pairs.csv")
    assert len(test.sha256) == 64


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_delimiters_and_marks_of_encoding_are_found(read: Read, delimiter: str, encoding: str):
    assert read(written(delimiter).encode(encoding)).pairs.rows == tuple(PAIRS)


def test_line_ends_of_windows_and_compression(read: Read):
    assert read(written().replace("\n", "\r\n")).pairs.rows[:3] == tuple(PAIRS[:3])
    assert read(gzip.compress(written().encode()), "pairs.csv.gz").pairs.rows == tuple(PAIRS)


def test_other_names_of_columns(read: Read):
    header = ["id", "plus", "moins", "sens", "type", "x", "y"]
    names = {"sent_more": "plus", "sent_less": "moins", "stereo_antistereo": "sens", "bias_type": "type"}
    assert read(written(header=header), columns=names).pairs.rows == tuple(PAIRS)
    with pytest.raises(
        DataError, match=r"no column 'sent_more', 'sent_less', .*'plus', 'moins'.* option columns"
    ):
        read(written(header=header))


BAD = [
    (["5", "", "Men work.", "stereo", "age", "", ""], "sent_more is blank"),
    (["5", " ", "\t", "stereo", "age", "", ""], "sent_more and sent_less are blank"),
    (
        ["5", "Women work.", "Men work.", "neither", "age", "", ""],
        "is 'neither', which is neither 'stereo' nor",
    ),
    (["5", "Women work.", "Men work.", "0", "age", "", ""], "is '0', which is neither 'stereo' nor"),
    (["5", "Women work.", "Men work.", "stereo", "", "", ""], "bias_type is blank"),
    (["5", "Women", " too", "Men", "stereo", "age", "", ""], "has 8 fields where the header has 7"),
    (["5", "Women work."], "has 2 fields where the header has 7"),
]


NUMBERED = written().replace(",stereo,", ",0,").replace(",antistereo,", ",1,")


def test_class_numbers_are_read_where_their_meaning_is_given(read: Read):
    values = {"stereo_antistereo": {"0": "stereo", "1": "antistereo"}}
    assert read(NUMBERED, values=values).pairs.rows == tuple(PAIRS)
    turned = {"stereo_antistereo": {"1": "stereo", "0": "antistereo"}}
    assert [one.stereo_antistereo for one in read(NUMBERED, values=turned).pairs.rows] == [
        "antistereo" if one.stereo_antistereo == "stereo" else "stereo" for one in PAIRS
    ]


def test_class_numbers_without_a_meaning_are_never_guessed(read: Read):
    with pytest.raises(DataError) as raised:
        read(NUMBERED)
    assert 'values={stereo_antistereo = {"0" = "…", "1" = "…"}}' in str(raised.value)


@pytest.mark.parametrize("names", [["stereo", "antistereo"], ["antistereo", "stereo"]])
def test_a_parquet_file_that_declares_its_class_labels_is_read_by_them(read: Read, names: list[str]):
    columns = {
        "sent_more": [one.sent_more for one in PAIRS],
        "sent_less": [one.sent_less for one in PAIRS],
        "stereo_antistereo": [names.index(one.stereo_antistereo) for one in PAIRS],
        "bias_type": [one.bias_type for one in PAIRS],
    }
    features = {"stereo_antistereo": {"names": names, "_type": "ClassLabel"}, "bias_type": {"_type": "Value"}}
    declared = {"huggingface": json.dumps({"info": {"features": features}})}
    out = io.BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata(declared), out)
    assert read(out.getvalue(), "pairs.parquet").pairs.rows == tuple(PAIRS)
    pq.write_table(pa.table(columns).replace_schema_metadata({"huggingface": "[1]"}), out := io.BytesIO())
    with pytest.raises(DataError, match="neither 'stereo' nor 'antistereo'"):
        read(out.getvalue(), "pairs.parquet")


@pytest.mark.parametrize(("row", "reason"), BAD)
def test_malformed_rows_are_listed_and_skipped_only_if_asked(read: Read, row: list[str], reason: str):
    content = written(rows=[row, ["6", "Women rest.", "Men rest.", "stereo", "gender", "", ""]])
    # The header, three rows of a line, one of three lines.
    with pytest.raises(DataError, match=r"1 malformed row\(s\): line 8 ") as caught:
        read(content)
    assert reason in str(caught.value)
    assert "leave them out with the option of the data skip_malformed=true" in str(caught.value)
    test = read(content, skip_malformed=True)
    assert test.pairs.rows == (*PAIRS, SentencePair("Women rest.", "Men rest.", "stereo", "gender"))
    (note,) = test.notes
    assert note.startswith("malformed rows skipped: 1: line 8 ")
    assert reason in note


def test_broken_quotation_marks_of_one_row(read: Read):
    content = (
        written()
        + '9,"She said "no" and left","He said no",stereo,gender,,\n'
        + written()[len(",".join(ORIGINAL)) + 1 :]
    )
    with pytest.raises(DataError, match="line 8 has broken quotation marks"):
        read(content)
    assert read(content, skip_malformed=True).pairs.rows == (*PAIRS, *PAIRS)


def test_a_quotation_mark_never_closed_is_never_skipped(read: Read):
    content = written() + '9,"She left,He left,stereo,gender,,\n' + "9,She,He,stereo,gender,,\n" * 3
    for skip in (False, True):
        with pytest.raises(
            DataError, match=r"lines 8 to 11: .*one broken row.*Correct the quotation marks of line 8"
        ):
            read(content, skip_malformed=skip)


def test_the_list_of_malformed_rows_has_an_end(read: Read):
    with pytest.raises(DataError, match="30 malformed row") as caught:
        read(written(rows=[["x", "", "", "", "", "", ""]] * 30))
    assert str(caught.value).count("are blank") == 20
    assert "and 10 more" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (",".join(ORIGINAL).encode() + b"\n\n", "a header and no rows"),
        (
            b"text,label\nhello,1\n",
            "no column 'sent_more', 'sent_less', 'stereo_antistereo', 'bias_type'; its columns are",
        ),
        (
            b"sent_more,sent_less,stereo_antistereo\nA,B,stereo\n",
            "has no column 'bias_type'; its columns are",
        ),
        (b"sent_more,sent_more,sent_less,stereo_antistereo,bias_type\n", "has the column 'sent_more' twice"),
        (written().encode("latin-1"), "line 4: is not UTF-8"),
        (gzip.compress(written().encode(), mtime=0)[:60], "is damaged"),
    ],
)
def test_files_that_are_none(read: Read, content: bytes, message: str):
    with pytest.raises(DataError) as caught:
        read(content)
    assert message in str(caught.value)
    assert "pairs.csv" in str(caught.value)


def test_only_malformed_rows_are_no_test(read: Read):
    with pytest.raises(DataError, match=r"no usable row \(1 malformed row\(s\): line 2"):
        read(",".join(ORIGINAL) + "\n1,,,,,,\n", skip_malformed=True)


def test_a_delimiter_that_is_not_the_files(read: Read):
    with pytest.raises(DataError, match=r"when read with delimiter=tab; .* Try delimiter=auto"):
        read(written(), delimiter="tab")


def test_a_file_is_measured_and_its_skipped_rows_are_in_the_report(tmp_path: Path):
    path = tmp_path / "own.csv"
    path.write_text(written(rows=[BAD[0][0]]), encoding="utf-8")
    data = {"format": "crows-pairs", "source": str(path), "language": "it"}
    measurement = {"metric": "crows-pairs", "tests": ["it/own"]}
    engine = Engine(cache=None)

    def audit(**options: object) -> Audit:
        return Audit.model_validate(
            {
                "models": [{"ref": "planted:"}],
                "data": [{**data, "options": options}],
                "measurements": [measurement],
            }
        )

    with pytest.raises(DataError, match=r"1 malformed row\(s\): line 8 sent_more is blank"):
        engine.run(audit())
    got = engine.run(audit(skip_malformed=True, columns={"sent_more": "sent_more"}))[0]
    assert got.coverage.given["pairs"] == len(PAIRS)
    assert any("malformed rows skipped: 1: line 8 sent_more is blank" in warning for warning in got.warnings)


def test_options_and_paths_that_are_none(tmp_path: Path):
    engine = Engine(cache=None)
    with pytest.raises(OptionsError, match="no column is called more; there are sent_more"):
        engine.data("crows-pairs", tmp_path / "x.csv", language="en", columns={"more": "plus"})
    with pytest.raises(DataError, match="Give the path of a file"):
        engine.data("crows-pairs", tmp_path / "x.csv", language="en")
    with pytest.raises(UnknownNameError, match="crows-pairs"):
        engine.data("crows-pair", tmp_path / "x.csv", language="en")
