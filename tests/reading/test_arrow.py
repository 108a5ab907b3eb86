"""Arrow, as files and as the folders of ``save_to_disk``, is read whole, or refused with the next step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from biascore import Engine
from biascore.errors import DataError
from biascore.files.folders import source_digest
from biascore.files.nested import nested_records
from biascore.files.reading import FILE_VARIABLE
from biascore.files.tables import read_table, table_columns

from ..builders.arrow import arrow, class_label, save_to_disk, splits

TABLE = pa.table({"a": ["one", None, "two", "three", "Città"], "b": [1, 2, 3, 4, 5], "c": [[1]] * 5})
CELLS = ["one", "", "two", "three", "Città"]


def cells(path: Path, column: str = "a") -> list[str]:
    return [row.fields[column] for row in read_table(path, path.name, (column,)).rows]


@pytest.mark.parametrize("file", [False, True])
def test_a_file_of_arrow_is_a_table(file: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    path.write_bytes(arrow(TABLE, file=file))
    table = read_table(path, "x.arrow", ("a",), ("b",))
    assert [(row.line, row.fields["a"], row.fields["b"]) for row in table.rows] == [
        (number, cell, str(number)) for number, cell in enumerate(CELLS, start=1)
    ]
    assert (table.unit, table.reading, table_columns(path, "x")) == ("row", "Arrow", ("a", "b", "c"))
    with pytest.raises(DataError, match="the column 'c' is of the type list"):
        read_table(path, "x.arrow", ("c",))
    with pytest.raises(DataError, match="is Arrow, which is UTF-8 always"):
        read_table(path, "x.arrow", ("a",), encoding="cp1252")


def test_a_saved_dataset_is_its_files_in_the_order_that_it_names(tmp_path: Path) -> None:
    folder = save_to_disk(tmp_path / "data", [TABLE[:2], TABLE[2:]])
    assert cells(folder) == CELLS
    state = json.loads((folder / "state.json").read_text())
    state["_data_files"].reverse()
    (folder / "state.json").write_text(json.dumps(state))
    assert cells(folder) == [*CELLS[2:], *CELLS[:2]]
    assert cells(splits(tmp_path / "one", train=[TABLE])) == CELLS


def test_class_numbers_are_labels(tmp_path: Path) -> None:
    label = {"b": class_label("zero", "one", "two"), "a": {"dtype": "string", "_type": "Value"}}
    folder = save_to_disk(tmp_path / "data", [TABLE], features=label)
    assert cells(folder, "b") == ["one", "two", "3", "4", "5"]
    marked = TABLE.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": label}})})
    (tmp_path / "x.arrow").write_bytes(arrow(marked))
    assert cells(tmp_path / "x.arrow", "b") == ["one", "two", "3", "4", "5"]
    records = nested_records(tmp_path / "x.arrow", "x.arrow")
    assert records is not None
    assert [row["b"] for _, row in records] == ["one", "two", 3, 4, 5]
    assert records[1] == ("x.arrow, row 2", {"a": None, "b": "two", "c": [1]})


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def cut(folder: Path) -> None:
    path = folder / "data-00001-of-00002.arrow"
    path.write_bytes(path.read_bytes()[:-8])


def broken(folder: Path) -> None:
    path = folder / "data-00000-of-00002.arrow"
    path.write_bytes(path.read_bytes()[:-200])


def longer(folder: Path) -> None:
    path = folder / "data-00000-of-00002.arrow"
    path.write_bytes(path.read_bytes() * 2)


def other_columns(folder: Path) -> None:
    (folder / "data-00001-of-00002.arrow").write_bytes(arrow(pa.table({"a": [1]})))


def state(**told: Any) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        found = json.loads((folder / "state.json").read_text())
        (folder / "state.json").write_text(json.dumps(found | told))

    return write


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            without("data-00001-of-00002.arrow"),
            "has no data-00001-of-00002.arrow, which is one of the 2 files",
        ),
        (cut, "data-00001-of-00002.arrow ends before its table does"),
        (broken, "data-00000-of-00002.arrow cannot be read as Arrow"),
        (longer, "data-00000-of-00002.arrow goes on after the end"),
        (other_columns, "data-00001-of-00002.arrow has other columns than data-00000-of-00002.arrow"),
        (state(_indices_files=[{"filename": "indices.arrow"}]), "selection of the rows.*to_parquet"),
        (state(_indices_data_files=[{"filename": "indices.arrow"}]), "selection of the rows.*to_parquet"),
        (state(_data_files=[{"filename": "../x.arrow"}]), r"names the file '\.\./x.arrow'.*to_parquet"),
        (state(_data_files=[{"filename": "x.arrow"}] * 2), "names the file 'x.arrow', .*each once"),
        (state(_data_files=[{"filename": "a" * 300}]), "names the file 'aaa.*each once"),
        (state(_data_files=[{"filename": "\ud800.arrow"}]), "names the file .*each once"),
        (state(_data_files=[]), "names the file None"),
        (state(_data_files="x"), "names the file None"),
    ],
)
def test_a_saved_dataset_that_is_not_whole(
    damage: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    folder = save_to_disk(tmp_path / "data", [TABLE[:2], TABLE[2:]])
    damage(folder)
    with pytest.raises(DataError, match=rf"^data\b.*{message}"):
        cells(folder)


def test_several_splits_are_several_datasets(tmp_path: Path) -> None:
    folder = splits(tmp_path / "data", train=[TABLE], test=[TABLE[:1]])
    with pytest.raises(DataError, match=r"^data holds the splits 'train', 'test', .*such as data/train$"):
        cells(folder)
    assert cells(folder / "test") == CELLS[:1]
    (folder / "dataset_dict.json").write_text('{"splits": ["train", "../data"]}')
    with pytest.raises(DataError, match=r"has no folder '\.\./data' of a split"):
        cells(folder)


def test_one_of_several_files_is_no_dataset(tmp_path: Path) -> None:
    folder = save_to_disk(tmp_path / "data", [TABLE[:2], TABLE[2:]])
    with pytest.raises(DataError, match=r"one of the 2 files of a dataset. Give its folder"):
        cells(folder / "data-00000-of-00002.arrow")
    alone = save_to_disk(tmp_path / "alone", [TABLE])
    assert cells(alone / "data-00000-of-00001.arrow") == CELLS


@pytest.mark.parametrize("table", [pa.table({"name": ["x"]}), pa.table({"a": [{"name": [1]}]})])
def test_a_column_whose_name_is_no_text(table: pa.Table, tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    path.write_bytes(arrow(table).replace(b"name", b"na\xe0e"))
    for read in (lambda: cells(path), lambda: nested_records(path, "x.arrow")):
        with pytest.raises(DataError, match=r"x\.arrow cannot be read as Arrow"):
            read()


@pytest.mark.parametrize("how", ["lz4", "zstd"])
def test_what_is_compressed_within_is_refused_before_it_unpacks(how: str, tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    for table in (
        pa.table({"a": ["x" * 100] * 9}),
        pa.table({"a": pa.array(["x" * 100] * 9).dictionary_encode()}),
    ):
        path.write_bytes(arrow(table, rows_at_once=9, compressed=how))
        with pytest.raises(DataError, match=r"is compressed within.*Write it as Parquet"):
            cells(path)
        path.write_bytes(arrow(table, rows_at_once=9))
        assert cells(path) == ["x" * 100] * 9


def test_the_limits_hold_for_all_files_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = pa.table({"a": ["x" * 1_000] * 600})
    folder = save_to_disk(tmp_path / "data", [part, part])
    monkeypatch.setenv(FILE_VARIABLE, "1")
    with pytest.raises(DataError, match=rf"data is more than 1 MB.* export {FILE_VARIABLE}=4"):
        cells(folder)


def test_a_run_records_all_files_of_a_saved_dataset(tmp_path: Path) -> None:
    pairs = {"sent_more": ["A b."] * 3, "sent_less": ["B b."] * 3, "bias_type": ["age"] * 3}
    table = pa.table(pairs | {"stereo_antistereo": [0, 1, 0]})
    features = {"stereo_antistereo": class_label("stereo", "antistereo")}
    folder = save_to_disk(tmp_path / "data", [table[:1], table[1:]], features=features)
    engine = Engine(cache=None)
    test: Any = engine.data("crows-pairs", folder, language="en")
    assert [pair.stereo_antistereo for pair in test.pairs.rows] == ["stereo", "antistereo", "stereo"]
    assert test.sha256 == source_digest(folder, "data")
    (folder / "note.txt").write_text("not of the dataset")
    assert source_digest(folder, "data") == test.sha256
    (folder / "data-00001-of-00002.arrow").write_bytes(arrow(table[2:]))
    assert source_digest(folder, "data") != test.sha256


def test_a_format_of_text_says_what_a_saved_dataset_is(tmp_path: Path) -> None:
    folder = save_to_disk(tmp_path / "data", [TABLE])
    with pytest.raises(
        DataError, match=r"is a dataset in Arrow, and a file of text is read here. Write it with to_json"
    ):
        Engine(cache=None).data("eec-parts", folder, language="en", corpus="en")
