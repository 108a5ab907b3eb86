"""A table is the same in every form: CSV in any encoding, JSON Lines, Parquet; and nothing in it is coerced or repaired."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Engine
from biascore.errors import DataError, ModelLoadError, OptionsError
from biascore.files.reading import FILE_VARIABLE
from biascore.files.tables import Table, read_table
from biascore.languages.gender_table import read_sentences

Rows = Sequence[Mapping[str, str]]
PAIRS: Rows = [
    {
        "sent_more": "Le ragazze, però, più tardi.",
        "sent_less": "I ragazzi, però, più tardi.",
        "stereo_antistereo": "stereo",
        "bias_type": "gender",
    },
    {
        "sent_more": 'Il nonno disse: "Città".',
        "sent_less": 'Il nipote disse: "Città".',
        "stereo_antistereo": "antistereo",
        "bias_type": "età",
    },
]


def delimited(rows: Rows, delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def parquet(columns: Mapping[str, Any], **how: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), out, **how)
    return out.getvalue()


def turned(rows: Rows) -> dict[str, list[str]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


FORMS: dict[str, tuple[str, Callable[[Rows], bytes], dict[str, str]]] = {
    "csv": ("x.csv", lambda rows: delimited(rows).encode(), {}),
    "mark": ("x.csv", lambda rows: delimited(rows).encode("utf-8-sig"), {"encoding": "utf-8"}),
    "cp1252": ("x.csv", lambda rows: delimited(rows).encode("cp1252"), {"encoding": "cp1252"}),
    "utf-16": (
        "x.csv.gz",
        lambda rows: gzip.compress(delimited(rows).encode("utf-16")),
        {"encoding": "UTF-16"},
    ),
    "tsv": ("x.tsv", lambda rows: delimited(rows, "\t").encode(), {}),
    "semicolon": ("x.txt", lambda rows: delimited(rows, ";").encode(), {}),
    "jsonl": ("x.jsonl", lambda rows: lines(rows).encode(), {}),
    "ndjson": ("x.ndjson", lambda rows: lines(rows).encode("cp1252"), {"encoding": "cp1252"}),
    "jsonl.gz": ("x.jsonl.gz", lambda rows: gzip.compress(lines(rows).encode()), {}),
    "parquet": ("x.parquet", lambda rows: parquet(turned(rows)), {}),
    "parquet.gz": (
        "x.Parquet.gz",
        lambda rows: gzip.compress(parquet(turned(rows), use_dictionary=False)),
        {},
    ),
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(cache=None)


def measured(engine: Engine, folder: Path, form: str) -> list[Any]:
    """What the pairs in one form give, but for the name of the file."""
    name, written, options = FORMS[form]
    (folder / name).write_bytes(written(PAIRS))
    test = engine.data("crows-pairs", folder / name, language="it", **options)
    run = engine.measure("crows-pairs", "planted:gender=1", test)
    return [(m.model_copy(update={"test_title": ""}).model_dump(), m.items.to_pydict()) for m in run]


@pytest.fixture(scope="module")
def plain(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return measured(engine, tmp_path_factory.mktemp("plain"), "csv")


@pytest.mark.parametrize("form", [form for form in FORMS if form != "csv"])
def test_the_same_rows_are_the_same_run(form: str, engine: Engine, plain: list[Any], tmp_path: Path) -> None:
    assert measured(engine, tmp_path, form) == plain
    assert "più tardi" in str(plain)


@pytest.mark.parametrize("form", FORMS)
def test_models_and_gender_tables_take_every_form(form: str, engine: Engine, tmp_path: Path) -> None:
    name, written, options = FORMS[form]
    path = tmp_path / name
    path.write_bytes(
        written([{"sentence": "Però", "joy": "0.5", "fear": ""}, {"sentence": "b", "joy": "1", "fear": "2"}])
    )
    scores = engine.model(f"answers:{path}", **options)
    assert scores.score(["b", "Però"], "joy").tolist() == [1, 0.5]
    assert scores.score(["b"], "fear").tolist() == [2]
    path.write_bytes(written([{"text": "Yes.", "translation": "Però.", "lang": "it"}]))
    translations = engine.model(f"answers:{path}", language_column="lang", **options)
    assert translations.translate(["Yes."], "en", "it") == ("Però.",)
    path.write_bytes(written([{"sentence": "Sono stanca però.", "expected": "feminine"}]))
    (labelled,) = read_sentences(path, **options)
    assert labelled.sentence == "Sono stanca però."
    path.write_bytes(
        written([{"male": "Già stanco", "female": "Già stanca", "stereotype": "3", "language": "it"}])
    )
    test = engine.data("gender-variants", path, language="it", **options)
    assert test.pairs.rows[0].female == "Già stanca"  # type: ignore[attr-defined]


def read(path: Path, content: str | bytes, *needed: str, **how: Any) -> Table:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path, path.name, needed or ("a",), **how)


def cells(table: Table) -> list[tuple[int, str]]:
    return [(row.line, row.fields["a"]) for row in table.rows]


def test_what_a_json_value_is(tmp_path: Path) -> None:
    values = ['"x"', '" x "', "1", "1.50", "-0", "1e400", "123456789012345678901234567890", '""', "null"]
    text = "".join(f'{{"a": {value}, "b": [true]}}\r\n' for value in values) + '\n{"b": 1}\n'
    found = cells(read(tmp_path / "x.jsonl", text))
    assert [cell for _, cell in found] == ["x", " x ", *values[2:7], "", "", ""]
    assert [line for line, _ in found] == [*range(1, 10), 11]
    table = read(tmp_path / "x.jsonl", '{"a": 1, "b": 2}\n{"c": 3, "a": 4}\n', others=None)
    assert table.columns == ("a", "b", "c")
    assert [dict(row.fields) for row in table.rows] == [
        {"a": "1", "b": "2", "c": ""},
        {"a": "4", "b": "", "c": "3"},
    ]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (pa.array(["x", None, " "]), ["x", "", " "]),
        (pa.array(["x", "y", "x", None]).dictionary_encode(), ["x", "y", "x", ""]),
        (pa.array(["x"], pa.large_string()), ["x"]),
        (pa.array(["x", None], pa.string_view()), ["x", ""]),
        (pa.array([1, None, -3], pa.int64()), ["1", "", "-3"]),
        (pa.array([1.0, None, 0.1, float("nan")]), ["1.0", "", "0.1", "nan"]),
        (pa.array([0.1], pa.float32()), ["0.10000000149011612"]),
    ],
)
def test_what_a_parquet_value_is(values: pa.Array, found: list[str], tmp_path: Path) -> None:
    content = parquet({"a": values, "b": [[1]] * len(values)}, row_group_size=2)
    assert cells(read(tmp_path / "x.parquet", content)) == list(enumerate(found, start=1))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "x.jsonl",
            '{"a": 1}\n{"a": true}\n{"a": [1]}',
            "2 malformed row.*line 2 .*'a' is true or false.*line 3 .*a list",
        ),
        (
            "x.jsonl",
            '{"a": 1}\n{"a": 1, "a": 2}\n',
            "line 2 is no JSON .the key 'a' stands twice in one object.",
        ),
        ("x.jsonl", '{"a": 1}\n{"a": 1\n', r"line 2 is no JSON \(Expecting ',' delimiter at character"),
        ("x.jsonl", '{"a": 1}\n[1]\n3\n', "line 2 is a list and no JSON object; line 3 is text or a number"),
        ("x.jsonl", '{"a": 1}\n{"a": NaN}\n', "line 2 is no JSON .it holds NaN."),
        ("x.jsonl", '{"a": 1}\n{"a": "\\u0000"}\n', "line 2 .*'a' holds a NUL character"),
        ("x.jsonl", '{"a": 1}\n{"a": "\\ud83d"}\n', "line 2 .*half of a surrogate pair"),
        ("x.jsonl", '{"a": 1}\n{"\\ud83d": 1}\n', "line 2 has a key that holds half of"),
        ("x.jsonl", '{"a": 1}\n' + "[" * 100_000, "line 2 is no JSON .brackets are nested too deeply"),
        ("x.jsonl", "{}\n", "has no JSON object with a key: line 1 has no key"),
        ("x.jsonl", "a,b\n1,2\n", "has no JSON object with a key: line 1 is no JSON"),
        ("x.jsonl", '{"b": 1}\n', "no column 'a'; its columns are: 'b'"),
        ("x.json", '{"rows": [\n{"a": 1}]}', "is one JSON object, with the keys 'rows'"),
        ("x.json", '[{"a": 1},\n3]', "row 2 is text or a number and no JSON object"),
        ("x.csv", parquet({"a": ["1"]}), "is a Parquet file and no text"),
        ("x.parquet", "a\n1\n", "cannot be read as Parquet"),
        ("x.parquet", parquet({"a": ["1"]})[:-30], "cannot be read as Parquet"),
        (
            "x.parquet",
            parquet({"a": [True]}),
            "the column 'a' is of the type bool, and text and numbers are read",
        ),
        ("x.parquet", parquet({"a": [["x"]]}), "the column 'a' is of the type list"),
        ("x.parquet", parquet({"a": [b"x"]}), "the column 'a' is of the type binary"),
        ("x.parquet", parquet({"a": ["1", "\0"]}), "row 2 .*'a' holds a NUL character"),
        ("x.parquet", parquet({"b": ["1"]}), "no column 'a'; its columns are: 'b'"),
        ("x.parquet", parquet({"a": pa.array([], pa.string())}), "a header and no rows"),
    ],
)
def test_what_is_no_table(name: str, content: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"^x\.[a-z]+\b.*{message}") as caught:
        read(tmp_path / name, content)
    assert len(str(caught.value)) < 1000


def test_a_row_is_named_as_its_form_counts(engine: Engine, tmp_path: Path) -> None:
    rows = [*PAIRS, {**PAIRS[0], "sent_less": " "}]
    for form, place in (("csv", "line 4"), ("jsonl", "line 3"), ("parquet", "row 3")):
        name, written, _ = FORMS[form]
        (tmp_path / name).write_bytes(written(rows))
        with pytest.raises(DataError, match=rf"1 malformed row\(s\): {place} sent_less is blank"):
            engine.data("crows-pairs", tmp_path / name, language="it")
        test = engine.data("crows-pairs", tmp_path / name, language="it", skip_malformed=True)
        assert test.notes[0].startswith(f"malformed rows skipped: 1: {place} ")


def test_a_broken_line_of_json_can_be_skipped(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(lines(PAIRS) + '{"sent_more": 1\n{"bias_type": 2, "sent_more": [3]}\n')
    test = engine.data("crows-pairs", tmp_path / "x.jsonl", language="it", skip_malformed=True)
    assert len(test.pairs.rows) == 2  # type: ignore[attr-defined]
    assert "line 3 is no JSON" in test.notes[0]
    assert "line 4 is not usable: 'sent_more' is a list" in test.notes[0]


@pytest.mark.parametrize("encoding", ["cp1522", "rot13", "hex", "idna", "unicode_escape", "", "a\0b", "é"])
def test_an_encoding_that_is_none(encoding: str, engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(delimited(PAIRS), encoding="utf-8")
    with pytest.raises(OptionsError, match=r"encoding: there is no encoding .*Name one that Python knows"):
        engine.data("crows-pairs", tmp_path / "x.csv", language="it", encoding=encoding)
    with pytest.raises(OptionsError, match=r"adapter answers: encoding: there is no encoding"):
        engine.model(f"answers:{tmp_path / 'x.csv'}", encoding=encoding)
    with pytest.raises(OptionsError, match=r"there is no encoding"):
        read_sentences(tmp_path / "x.csv", encoding)


def test_text_that_is_in_another_encoding(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(delimited(PAIRS).encode("cp1252"))
    at = delimited(PAIRS).encode("cp1252").index("ò".encode("cp1252")) + 1
    message = (
        rf"x\.csv, line 2: is not UTF-8 \(byte {at} of the file, 0xf2\)\. Name its encoding with the option "
    )
    with pytest.raises(DataError, match=message + r"encoding \(such as -o data.encoding=cp1252\)"):
        engine.data("crows-pairs", path, language="it")
    with pytest.raises(ModelLoadError, match=message + r"encoding \(such as -o model.encoding=cp1252\)"):
        engine.model(f"answers:{path}", language="it")
    with pytest.raises(DataError, match=r"such as encoding=cp1252"):
        read_sentences(path)
    with pytest.raises(DataError, match=r"line 2: is not ascii .*or leave the option out if that is UTF-8"):
        engine.data("crows-pairs", path, language="it", encoding="ascii")
    path.write_bytes(delimited(PAIRS).encode("utf-16"))
    with pytest.raises(DataError, match=r"line 1: holds a NUL character.*encoding=utf-16"):
        engine.data("crows-pairs", path, language="it")
    path.write_bytes(delimited(PAIRS).encode("utf-8-sig"))
    with pytest.raises(DataError, match=r"is UTF-8, as its first bytes say, and not cp1252"):
        engine.data("crows-pairs", path, language="it", encoding="cp1252")


def test_options_that_a_form_has_not(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(parquet(turned(PAIRS)))
    (tmp_path / "x.jsonl").write_text(lines(PAIRS))
    with pytest.raises(DataError, match=r"is UTF-8 always\. Leave the option encoding out"):
        engine.data("crows-pairs", tmp_path / "x.parquet", language="it", encoding="cp1252")
    with pytest.raises(DataError, match=r"no delimited text, by its name\. Leave the option delimiter out"):
        engine.data("crows-pairs", tmp_path / "x.jsonl", language="it", delimiter="comma")


BOMBS = {
    "rows": {"a": pa.nulls(200_000, pa.string())},
    "one text": {"a": pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int32()), ["x" * 1_000])},
    "compressed": {"a": ["x" * 1_000] * 1_500},
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_parquet_file_that_unpacks_to_much_more(
    bomb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = parquet(BOMBS[bomb], use_dictionary=bomb == "one text", compression="zstd")
    assert len(content) < 100_000
    monkeypatch.setenv(FILE_VARIABLE, "1")
    with pytest.raises(
        DataError, match=rf"(more than 16,000 rows|unpacks to more than 1 MB).* export {FILE_VARIABLE}=4"
    ):
        read(tmp_path / "x.parquet", content)


def test_json_lines_with_a_key_of_their_own_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f'{{"k{n}": 1}}\n' for n in range(1_000)) + '{"a": 1}\n'
    monkeypatch.setenv(FILE_VARIABLE, "1")
    assert len(read(tmp_path / "x.jsonl", text).rows) == 1_001
    with pytest.raises(DataError, match="more than 160,000 fields"):
        read(tmp_path / "x.jsonl", text, others=None)


def test_only_what_is_not_the_default_enters_the_cache_key(tmp_path: Path) -> None:
    engine = Engine(cache=tmp_path / "cache")
    (tmp_path / "x.csv").write_text("sentence,joy\na,1\n")
    asked = []
    for options in ({}, {"encoding": "utf-8"}, {"encoding": "cp1252"}):
        model = engine.model(f"answers:{tmp_path / 'x.csv'}", **options)
        model.score(["a"], "joy")
        asked.append(model.counts.asked)
        assert model.used().options["encoding"] == options.get("encoding", "utf-8")
    engine.close()
    assert asked == [1, 0, 1]


@pytest.mark.slow
def test_damaged_parquet_files(tmp_path: Path) -> None:
    table = {"a": [f"frase {n % 7} è" for n in range(300)], "b": [n / 3 for n in range(300)]}
    files = [
        parquet(table),
        parquet(table, compression="none", row_group_size=50),
        parquet(table, compression="zstd"),
    ]
    rng = random.Random(0)
    for _ in range(500):
        content = bytearray(rng.choice(files))
        for _ in range(rng.choice((1, 2, 5))):
            place = rng.choice((rng.randrange(len(content)), len(content) - 1 - rng.randrange(600)))
            content[place] ^= 1 << rng.randrange(8)
        with suppress(DataError):
            read(tmp_path / "x.parquet", bytes(content), "a", others=None)
