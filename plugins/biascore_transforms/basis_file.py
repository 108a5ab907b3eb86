"""What was learnt as a .npz file: arrays and one JSON text, written and read without pickle."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from biascore.api.formats import parse_json, read_bytes, user_path
from biascore.api.transforms import Scalar, TransformContext
from biascore.errors import DataError, OptionsError

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

FORMAT: Final = 1
RECORD: Final = "record"
MAX_MB: Final = 256


@dataclass(frozen=True, slots=True)
class Record:
    """What is next to the arrays: which transform, with which options, on which model and level, and its facts."""

    transform: str
    options: dict[str, Any]
    model: str
    level: str
    dimensions: int
    facts: dict[str, Scalar]
    warnings: tuple[str, ...]
    trace: tuple[dict[str, Scalar], ...]
    cuts: tuple[int, ...] = ()


def digest_of(arrays: Arrays) -> str:
    """``blake2b:<hex>`` over names, shapes and values."""
    found = hashlib.blake2b(digest_size=16)
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.shape} {array.dtype.str}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return f"blake2b:{found.hexdigest()}"


def write(path: Path, arrays: Arrays, record: Record) -> None:
    """Write a new file; raises DataError where there is one already, or where it cannot be written."""
    held = io.BytesIO()
    text = json.dumps({"format": FORMAT, **asdict(record)}, ensure_ascii=False)
    np.savez(held, allow_pickle=False, **{RECORD: np.frombuffer(text.encode(), dtype=np.uint8)}, **arrays)
    target = user_path(path)
    try:
        with target.open("xb") as file:
            file.write(held.getvalue())
    except FileExistsError as error:
        raise DataError(f"{path} exists already. Choose another path, or remove it") from error
    except OSError as error:
        raise DataError(f"{path} cannot be written ({error.strerror}). Choose another path") from error


def read(path: str, transform: str, context: TransformContext) -> tuple[dict[str, NDArray[Any]], Record]:
    """Arrays and record of a file that ``transform`` wrote on the model of ``context``, at its level.

    Raises DataError for a file that is none of the kind, OptionsError for one that was learnt elsewhere.
    """
    arrays = _arrays(read_bytes(user_path(path), path, megabytes=MAX_MB), path)
    try:
        document = parse_json(arrays.pop(RECORD).tobytes())
        if document.pop("format") != FORMAT:
            raise _damaged(path, f"is not of format {FORMAT}")
        record = TypeAdapter(Record).validate_python(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, "has no record of what was learnt") from error
    if record.transform != transform:
        raise OptionsError(
            f"{path} was written by {record.transform}, and {transform} cannot read it. Name the transform "
            f"{record.transform}, or another file"
        )
    identity, level = context.identity, context.level
    if identity is not None and identity.digest != record.model:
        raise OptionsError(
            f"{path} was learnt from the model {record.model} ({record.dimensions} dimensions), and this one is "
            f"{identity.digest}: directions of one model mean nothing in another. Learn it from this model: leave basis out"
        )
    if identity is not None and level is not None and level != record.level and not identity.composes_words:
        raise OptionsError(
            f"{path} was learnt from vectors of level {record.level!r}, and those asked for are of level {level!r}. "
            "Learn it at that level: leave basis out"
        )
    given = {name: value for name, value in record.options.items() if value not in ("", None, [])}
    learnt_with = ", ".join(
        f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in given.items()
    )
    facts = {**record.facts, "read from": Path(path).name, "learnt with": learnt_with}
    return arrays, replace(record, facts=facts)


def _arrays(raw: bytes, path: str) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > MAX_MB * 1e6:
                raise _damaged(path, f"unpacks to more than {MAX_MB} MB")
            for member in members:
                found[member.filename.removesuffix(".npy")] = _array(archive.read(member), path)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise _damaged(path, f"cannot be read as .npz ({error})") from error
    return found


def _array(raw: bytes, path: str) -> NDArray[Any]:
    """One array; what its header promises must be there, or numpy would set aside the memory for it."""
    stream = io.BytesIO(raw)
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(stream)
    if dtype.hasobject or int(np.prod(shape, dtype=object)) * dtype.itemsize != len(raw) - stream.tell():
        raise _damaged(path, "holds an array of another size than it says")
    stream.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def _damaged(path: str, what: str) -> DataError:
    return DataError(f"{path} {what}. Give a file that fitted.save(path) wrote, or leave basis out")
