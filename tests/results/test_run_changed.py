"""No change to a stored run goes unnoticed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Run
from biascore.errors import RunError
from biascore.results.hashes import content_hash
from biascore.results.run import read_run


def change(folder: Path, path: str, value: Any) -> None:
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    *steps, last = path.split(".")
    place = body
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value
    (folder / "run.json").write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("measurements.0.estimates.0.value", 0.0),
        ("measurements.0.verdict", "negligible"),
        ("measurements.1.seed", 1),
        ("models.0.digest", "sha256:00"),
        ("models.0.questions.asked", 0),
        ("provenance.seed", 99),
        ("provenance.audit.metric", "other"),
        ("stimuli.0.sha256", "0" * 64),
        ("verdicts.0.p_adjusted", 0.0001),
        ("results_digest", "sha256:00"),
        ("content_sha256", "00"),
        ("item_hashes.0", "00"),
        ("warnings", ["none"]),
        ("title", "Another title"),
    ],
)
def test_a_changed_record_is_found(folder: Path, path: str, value: Any) -> None:
    change(folder, path, value)
    problems, found = read_run(folder)
    assert "run.json was changed after it was written" in problems
    assert found is not None
    with pytest.raises(RunError, match=r"run.json was changed.*biascore verify"):
        Run.load(folder)


def test_a_record_whose_hash_was_made_anew_still_has_the_wrong_results(run: Run, folder: Path) -> None:
    change(folder, "measurements.0.estimates.0.value", 0.0)
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del body["content_sha256"]
    change(folder, "content_sha256", content_hash(body))
    assert read_run(folder)[0] == ["the results do not have the digest they were stored with"]


ITEMS = "items/0000-weat-en-weat6.parquet"


def test_a_changed_item_is_found(folder: Path) -> None:
    table = pq.read_table(folder / ITEMS)
    values = table["value"].to_pylist()
    values[3] = np.nextafter(values[3], 1)
    pq.write_table(table.set_column(2, "value", pa.array(values)), folder / ITEMS)
    assert read_run(folder)[0] == [f"{ITEMS} was changed after it was written"]


@pytest.mark.parametrize(
    "alter",
    [
        lambda t: t.slice(1),
        lambda t: t.rename_columns(["item", "group", "price"]),
        lambda t: t.select(["item", "group"]),
        lambda t: t.append_column("more", pa.array([None] * len(t), pa.int64())),
        lambda t: t.set_column(2, "value", t["value"].cast(pa.float32())),
        lambda t: t.take(list(range(len(t)))[::-1]),
    ],
)
def test_a_changed_item_table_is_found(folder: Path, alter: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(alter(pq.read_table(folder / ITEMS)), folder / ITEMS)
    assert read_run(folder)[0] == [f"{ITEMS} was changed after it was written"]


def test_a_deleted_item_table_is_found(folder: Path) -> None:
    (folder / ITEMS).unlink()
    problems, found = read_run(folder)
    assert len(problems) == 1
    assert f"{ITEMS} cannot be read" in problems[0]
    assert found is not None
    assert found[0].items.num_rows == 0


@pytest.mark.parametrize("seed", range(80))
def test_a_flipped_bit_is_found_or_harmless(run: Run, folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    file = folder / (ITEMS if seed % 4 else "run.json")
    data = bytearray(file.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)
    problems, found = read_run(folder)
    # A Parquet file has bytes that stand for nothing, and JSON has spaces.
    assert problems or found == run


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "no run.json here, so this is not a stored run"),
        (b"", "run.json cannot be read"),
        (b'{"schema_version": 2', "run.json cannot be read"),
        (b"\xff\xfe", "run.json cannot be read"),
        (
            b'{"schema_version": 9, "schema_version": 1}',
            "the key 'schema_version' stands twice in one object",
        ),
        (b"[]", "schema version list is not 2"),
        (b"{}", "schema version None is not 2"),
        (b'{"schema_version": 1}', "schema version 1 is not 2, which this biascore reads"),
        (b'{"schema_version": 2}', "run.json was changed after it was written"),
        (
            b'{"schema_version": 2, "measurements": [], "item_hashes": ["a"]}',
            "run.json does not have the form of a run",
        ),
        (
            b'{"schema_version": 2, "measurements": 3, "item_hashes": []}',
            "run.json does not have the form of a run",
        ),
    ],
)
def test_what_is_no_run_cannot_be_read(tmp_path: Path, content: bytes | None, problem: str) -> None:
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    problems, found = read_run(tmp_path)
    assert found is None
    assert any(problem in p for p in problems)
    remedy = "Name a folder that biascore run wrote" if content is None else "biascore verify"
    with pytest.raises(RunError, match=f"{tmp_path}: .*{remedy}"):
        Run.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"title"', '"x": ' + "9" * 5000 + ', "title"', "more than 4,300 digits"),
        ('"title"', '"x": ' + "[" * 100_000 + ', "title"', "nested too deeply"),
        ('"alpha": 0.05', '"alpha": "much"', "alpha must be a number, and is 'much'"),
    ],
    ids=["digits", "brackets", "a word"],
)
def test_numbers_and_words_that_cannot_be_read_are_named(old: str, new: str, told: str, folder: Path) -> None:
    path = folder / "run.json"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RunError, match=r"run\.json") as caught:
        Run.load(folder)
    assert told in str(caught.value)
    assert "Exceeds the limit" not in str(caught.value)
    assert "validation error" not in str(caught.value)


@pytest.mark.parametrize(
    "estimator",
    [
        {"column": "other"},
        {"by": "other"},
        {"key": ["item", "other"]},
        {"column": "item"},
        {"column": "group", "at_most": 1.0},
    ],
)
def test_an_estimator_that_does_not_fit_its_items_is_found(folder: Path, estimator: dict[str, Any]) -> None:
    """A comparison with such a run of a stranger ended in a KeyError."""
    for name, value in estimator.items():
        change(folder, f"measurements.0.estimates.0.estimator.{name}", value)
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del body["content_sha256"]
    change(folder, "content_sha256", content_hash(body))
    (problem,) = read_run(folder)[0]
    assert problem.startswith("effect size d of measurement 1 cannot be computed again: ")
    with pytest.raises(RunError, match="cannot be computed again"):
        Run.load(folder)
