"""Item tables of many rows: hashed a part at a time to the bytes of the whole, and stored in groups of rows."""

from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Engine
from biascore.results import hashes, item_tables
from biascore.results.hashes import canonical, item_hash
from biascore.results.item_tables import read_items, write_items
from biascore.results.measurement import item_table
from biascore.results.run import Run


def items(count: int) -> pa.Table:
    """With None, a comma and a quote."""
    words = [f'"w{i}", ü' for i in range(count)]
    values = [None if i % 7 == 3 else i / 3 for i in range(count)]
    return item_table(words, ["g"] * count, values, {"top": [None, *range(count - 1)] if count else []})


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 20])
def test_the_hash_is_that_of_whole_columns(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    table = items(count)
    whole = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        whole.update(canonical([name, str(column.type)]))
        whole.update(canonical(column.to_pylist()))
    monkeypatch.setattr(hashes, "ROWS", 5)
    assert item_hash(table) == whole.hexdigest()
    assert item_hash(pa.concat_tables([table[:3], table[3:]])) == whole.hexdigest()


@pytest.mark.slow
def test_hashing_holds_a_part_of_the_rows() -> None:
    table = pa.table({"item": pa.array(["a sentence of some words"] * 400_000)})
    tracemalloc.start()
    try:
        item_hash(table)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 15e6, "the texts alone are 29 MB as objects"


def test_items_are_stored_in_groups_of_rows(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, tmp_path: Path
) -> None:
    monkeypatch.setattr(item_tables, "ROW_GROUP", 6)
    found = engine.measure("weat", "planted:gender=1", "en/weat6", resamples=100)
    (path,) = (found.save(tmp_path / "run") / "items").iterdir()
    stored = pq.ParquetFile(path)
    sizes = [stored.metadata.row_group(i).num_rows for i in range(stored.num_row_groups)]
    assert sizes == [6, 6, 4]
    assert Run.load(tmp_path / "run")[0].items.equals(found[0].items)


@pytest.mark.parametrize(
    "columns",
    [
        {"item": pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["x" * 10**6]))},
        {"item": pa.array([["x" * 10**5] * 50] * 64)},
        {"item": pa.array([""]).take(np.zeros(70_000_000, np.int32))},
        {"value": pa.array(np.zeros(40_000_000))},
    ],
    ids=["texts", "lists", "rows", "numbers"],
)
def test_a_small_file_that_takes_much_memory_is_refused(columns: dict[str, pa.Array], tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table(columns), path, compression="zstd", store_schema=False, write_statistics=False)
    assert path.stat().st_size < 1e6
    before = pa.total_allocated_bytes()
    with pytest.raises(ValueError, match="takes more than 256 MB of memory"):
        read_items(path, "items")
    assert pa.total_allocated_bytes() - before < 1e6


@pytest.mark.slow
def test_types_and_groups_of_rows_come_back(tmp_path: Path) -> None:
    table = pa.table(
        {
            "item": pa.array(["a", None, "bb"] * 30_000),
            "long": pa.array(["a", None, "ü"] * 30_000, pa.large_string()),
            "group": pa.array(["m", "f", "m"] * 30_000).dictionary_encode(),
            "value": pa.array([0.5, None, float("nan")] * 30_000),
            "whole": pa.array([1, None, 3] * 30_000, pa.int32()),
            "seen": pa.array([True, False, None] * 30_000),
            "words": pa.array([["a"], [], None] * 30_000),
        }
    )
    write_items(table, tmp_path / "items.parquet")
    found = read_items(tmp_path / "items.parquet", "items")
    assert found.schema.equals(table.schema)
    assert item_hash(found) == item_hash(table)
    empty = table.slice(0, 0)
    write_items(empty, tmp_path / "items.parquet")
    assert read_items(tmp_path / "items.parquet", "items").schema.equals(table.schema)
