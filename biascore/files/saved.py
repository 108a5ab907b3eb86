"""A dataset that Hugging Face's datasets saved to disk: a folder with its files of Arrow, named in its ``state.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from biascore.basics.wording import listed, quoted
from biascore.errors import BiascoreError, DataError
from biascore.files.kinds import DICT, INFO, STATE, is_saved
from biascore.files.reading import parse_json, read_bytes

AS_PARQUET: Final = 'datasets.load_from_disk("FOLDER").to_parquet("FILE.parquet")'
"""What writes such a dataset as one file, whatever version wrote it."""


@dataclass(frozen=True, slots=True)
class SavedDataset:
    """Its ``files``, of which the ``shards`` hold its rows, in this order; what it says of its columns (``features``)."""

    files: tuple[Path, ...]
    shards: tuple[Path, ...]
    features: Mapping[str, Any]


def saved_dataset(folder: Path, display: str, error: type[BiascoreError] = DataError) -> SavedDataset:
    """The dataset in a folder; of several splits the only one.

    Raises ``error`` for several splits, with their names; for files that are missing or elsewhere; for selected rows.
    """
    if (folder / DICT).is_file() and not (folder / STATE).is_file():
        split = _only_split(folder, display, error)
        one = saved_dataset(folder / split, f"{display}/{split}", error)
        return SavedDataset((folder / DICT, *one.files), one.shards, one.features)
    state = _object(folder / STATE, f"{display}/{STATE}", error)
    if any(found for name, found in state.items() if name.startswith("_indices")):
        raise error(
            f"{display} is a selection of the rows that its files hold, by an index. Write the selected rows "
            f"alone: {AS_PARQUET}"
        )
    shards = tuple(folder / name for name in _names(state, display, error))
    for shard in shards:
        if not shard.is_file():
            raise error(
                f"{display} has no {shard.name}, which is one of the {len(shards)} files that its {STATE} names. Copy the "
                "whole folder again"
            )
    info = [folder / INFO] if (folder / INFO).is_file() else []
    features = _object(info[0], f"{display}/{INFO}", error).get("features") if info else {}
    return SavedDataset(
        (folder / STATE, *info, *shards), shards, features if isinstance(features, Mapping) else {}
    )


def check_alone(path: Path, display: str) -> None:
    """Raise DataError for a file of Arrow that is a part of a saved dataset."""
    if (path.parent / STATE).is_file():
        saved = saved_dataset(path.parent, str(Path(display).parent))
        if len(saved.shards) > 1 and path in saved.shards:
            raise DataError(
                f"{display} is one of the {len(saved.shards)} files of a dataset. Give its folder, {Path(display).parent}"
            )


def _only_split(folder: Path, display: str, error: type[BiascoreError]) -> str:
    found = _object(folder / DICT, f"{display}/{DICT}", error).get("splits")
    splits = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
    there = [one for one in splits if _plain(one) and is_saved(folder / one)]
    if not there or len(there) < len(splits):
        lacking = [one for one in splits if one not in there]
        raise error(
            f"{display} has no folder {listed(lacking)} of a split that its {DICT} names. Copy the whole folder again"
            if lacking
            else f"{display}/{DICT} names no split. Save the dataset again: {AS_PARQUET}"
        )
    if len(there) > 1:
        raise error(
            f"{display} holds the splits {listed(there)}, and one is read at a time. Give the folder of one, such as "
            f"{display.rstrip('/')}/{there[0]}"
        )
    return there[0]


def _names(state: Mapping[str, Any], display: str, error: type[BiascoreError]) -> list[str]:
    files = state.get("_data_files")
    names = (
        [one.get("filename") if isinstance(one, dict) else None for one in files]
        if isinstance(files, list)
        else []
    )
    for name in names or [None]:
        if not isinstance(name, str) or not _plain(name) or names.count(name) > 1:
            raise error(
                f"{display}/{STATE} names the file {quoted(name)}, and files in its own folder are read, each once. Save "
                f"the dataset again: {AS_PARQUET}"
            )
    return [str(name) for name in names]


def _plain(name: str) -> bool:
    """Whether it is the name of something in a folder, on any system."""
    return name not in ("", ".", "..") and name.isprintable() and len(name) < 64 and not {*"/\\:"} & {*name}


def _object(path: Path, display: str, error: type[BiascoreError]) -> dict[str, Any]:
    try:
        found = parse_json(read_bytes(path, display, error))
    except ValueError as problem:
        raise error(f"{display} is no JSON ({problem}). Copy the whole folder again") from problem
    if not isinstance(found, dict):
        raise error(f"{display} is {quoted(found)}, and no JSON object. Copy the whole folder again")
    return found
