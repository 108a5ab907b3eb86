"""BBQ as it is passed on: a JSON list, Parquet with structs, a table with a column for each part of an object."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from biascore import Engine
from biascore.errors import DataError
from biascore.files.nested import nested_records

from ...builders.arrow import arrow, save_to_disk


def rows() -> list[dict[str, Any]]:
    found = []
    for number in range(24):
        ambiguous, negative = number % 2 == 0, number // 2 % 2 == 0
        found.append(
            {
                "example_id": number,
                "question_index": str(number // 4 + 1),
                "question_polarity": "neg" if negative else "nonneg",
                "context_condition": "ambig" if ambiguous else "disambig",
                "category": "Age",
                "answer_info": {
                    "ans0": ["uncle", "old"],
                    "ans1": ["nephew", "nonOld"],
                    "ans2": ["Nobody knows", "unknown"],
                },
                "additional_metadata": {
                    "subcategory": "None",
                    "stereotyped_groups": ["old"],
                    "version": "a",
                    "source": "own",
                },
                "context": f"An uncle and a nephew met at stall {number}.",
                "question": "Who forgot the bag?" if negative else "Who found the bag?",
                "ans0": "The uncle",
                "ans1": "The nephew",
                "ans2": "Nobody knows",
                "label": 2 if ambiguous else number % 3 // 2,
            }
        )
    return found


def flat(record: dict[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in record.items():
        if isinstance(value, dict):
            yield from flat(value, f"{within}{key}.")
        else:
            yield f"{within}{key}", value


def lines(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))


def listed(path: Path) -> None:
    path.write_text(json.dumps(rows(), indent=1))


def packed(path: Path) -> None:
    path.write_bytes(gzip.compress(json.dumps(rows()).encode()))


def structs(path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(rows()), path)


def stream(path: Path) -> None:
    path.write_bytes(arrow(pa.Table.from_pylist(rows())))


def saved(path: Path) -> None:
    table = pa.Table.from_pylist(rows())
    save_to_disk(path, [table[:3], table[3:]])


def columns(path: Path) -> None:
    table = [dict(flat(row)) for row in rows()]
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(table[0]))
        writer.writeheader()
        writer.writerows(table)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("Age.json", listed),
        ("List.jsonl", listed),
        ("Age.json.gz", packed),
        ("Lines.json", lines),
        ("Age.parquet", structs),
        ("Age.csv", columns),
        ("Age.arrow", stream),
        ("Saved", saved),
    ],
)
def test_the_same_questions_in_other_files(tmp_path: Path, name: str, write: Callable[[Path], None]) -> None:
    engine = Engine(cache=None)

    def asked(path: Path, write: Callable[[Path], None]) -> list[Any]:
        write(path)
        test: Any = engine.data("bbq", path, language="en")
        return list(test.questions.rows)

    assert asked(tmp_path / name, write) == asked(tmp_path / "Age.jsonl", lines)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"data": [], "x": 1}', "is one JSON object, with the keys 'data', 'x'"),
        ("[]", r"is an empty list, and a list of objects is read"),
        ("[1, 2]", "record 1 is 1, and no JSON object"),
        ('{"a": 1}\n{"a": 2', "line 2 is no JSON"),
        ('{"data":\n[{"a": 1}]}', "is one JSON object, with the keys 'data'"),
        ('"text"', "line 1 is no JSON object"),
    ],
)
def test_json_that_is_no_list_of_records(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "Age.json"
    path.write_text(content)
    with pytest.raises(DataError, match=told):
        nested_records(path, "Age.json")


def test_parquet_with_what_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "Age.parquet"
    pq.write_table(pa.table({"a": [["x"]], "b": [{"c": b"bytes"}]}), path)
    with pytest.raises(DataError, match=r"'b' is, or holds, of the type binary.*Leave it out"):
        nested_records(path, "Age.parquet")
    pq.write_table(pa.table({"a": ["x"], "b": [1]}), path)
    assert nested_records(path, "Age.parquet") is None
    structs(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        nested_records(path, "Age.parquet")
