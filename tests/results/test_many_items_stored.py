"""Item tables of many rows: hashed a part at a time to the bytes of the whole, and stored in groups of rows."""

from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Engine
from biascore.results import hashes, run
from biascore.results.hashes import canonical, item_hash
from biascore.results.measurement import item_table


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
    monkeypatch.setattr(run, "ROW_GROUP", 6)
    found = engine.measure("weat", "planted:gender=1", "en/weat6", resamples=100)
    (path,) = (found.save(tmp_path / "run") / "items").iterdir()
    stored = pq.ParquetFile(path)
    sizes = [stored.metadata.row_group(i).num_rows for i in range(stored.num_row_groups)]
    assert sizes == [6, 6, 4]
    assert run.Run.load(tmp_path / "run")[0].items.equals(found[0].items)
