"""Files of Arrow as Hugging Face's datasets writes them: streams, and the folders of ``save_to_disk``."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa


def arrow(
    table: pa.Table, *, rows_at_once: int = 2, file: bool = False, compressed: str | None = None
) -> bytes:
    """A table as a stream of Arrow, or as the format of files."""
    out = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compressed)
    with (pa.ipc.new_file if file else pa.ipc.new_stream)(out, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows_at_once)
    return out.getvalue()


def class_label(*names: str) -> dict[str, Any]:
    return {"names": [*names], "_type": "ClassLabel"}


def save_to_disk(folder: Path, parts: Sequence[pa.Table], *, features: Any = None, **state: Any) -> Path:
    """A dataset in a folder, a file for each part; ``features`` are what it says of its columns."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"data-{number:05}-of-{len(parts):05}.arrow" for number in range(len(parts))]
    for name, part in zip(names, parts, strict=True):
        (folder / name).write_bytes(arrow(part))
    told = {
        "_data_files": [{"filename": name} for name in names],
        "_fingerprint": "f",
        "_split": "train",
        **state,
    }
    (folder / "state.json").write_text(json.dumps(told))
    (folder / "dataset_info.json").write_text(json.dumps({"features": features or {}, "citation": ""}))
    return folder


def splits(folder: Path, **parts: Sequence[pa.Table]) -> Path:
    """A dataset of several splits."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dataset_dict.json").write_text(json.dumps({"splits": [*parts]}))
    for name, tables in parts.items():
        save_to_disk(folder / name, tables)
    return folder
