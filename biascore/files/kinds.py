"""What a path is by its name: which of the forms of a table, or a dataset that was saved to disk."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["csv", "jsonl", "parquet", "arrow", "saved"]
_SUFFIXES: Final[dict[str, Kind]] = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
STATE: Final = "state.json"
INFO: Final = "dataset_info.json"
DICT: Final = "dataset_dict.json"


def is_saved(path: Path) -> bool:
    """Whether it is a folder that ``save_to_disk`` of Hugging Face's datasets wrote: a dataset, or splits of one."""
    with suppress(OSError):  # a folder that may not be looked into
        if path.is_dir():
            state = (path / STATE).is_file()
            return (path / DICT).is_file() or (
                state and ((path / INFO).is_file() or [*path.glob("*.arrow")] != [])
            )
    return False


def kind_of(path: Path) -> Kind:
    """``saved`` for such a folder; else ``parquet``, ``arrow``, ``jsonl`` or ``csv``, as the name of the file says."""
    suffix = PurePath(path.name.lower().removesuffix(".gz")).suffix
    return "saved" if is_saved(path) else _SUFFIXES.get(suffix, "csv")
