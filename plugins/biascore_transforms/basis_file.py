"""What was learnt as a .npz file: arrays and one JSON text, written and read without pickle."""

from __future__ import annotations

import hashlib
import io
import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from biascore.api.formats import array_of, parse_json, read_bytes, unpacked_arrays, user_path
from biascore.api.queries import Level
from biascore.api.transforms import FittedTransform, Scalar, Transform, TransformContext
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
    level: Level | Literal[""]
    dimensions: int
    facts: dict[str, Scalar]
    warnings: tuple[str, ...]
    trace: tuple[dict[str, Scalar], ...]
    cuts: tuple[int, ...] = ()


def check_read_alone(basis: str, given: Iterable[str]) -> None:
    """Raise ValueError where other options are ``given`` next to the file to read."""
    idle = sorted({*given} - {"basis"})
    if basis and idle:
        raise ValueError(
            f"basis is read as it was learnt, and {', '.join(idle)} would change nothing. Leave one out"
        )


@dataclass(frozen=True, eq=False)
class Learnt(FittedTransform):
    """What was learnt, as its ``arrays`` and its record; vectors have ``record.dimensions``."""

    record: Record
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", digest_of(self.arrays))
        for name in ("facts", "warnings", "trace"):
            object.__setattr__(self, name, getattr(self.record, name))

    @property
    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file holds of it."""

    def check_dimensions(self, vectors: NDArray[np.float32]) -> None:
        """Raise OptionsError for vectors (n, d) of another dimension."""
        if vectors.shape[1] != self.record.dimensions:
            raise OptionsError(
                f"{self.record.transform} was learnt from vectors of {self.record.dimensions} dimensions, and these have "
                f"{vectors.shape[1]}. Learn it from this model: leave basis out"
            )

    def save(self, path: Path) -> None:
        """Write it for the option ``basis``; raises DataError."""
        write(path, self.arrays, self.record)


def record_of(
    transform: Transform,
    context: TransformContext,
    dimensions: int,
    facts: Mapping[str, Scalar],
    warnings: Sequence[str] = (),
    trace: Sequence[dict[str, Scalar]] = (),
    cuts: tuple[int, ...] = (),
) -> Record:
    """What a transform has learnt here: with which options, on which model and level."""
    return Record(
        transform.name,
        transform.options.model_dump(mode="json"),
        context.identity.digest if context.identity else "",
        context.level or "",
        dimensions,
        dict(facts),
        tuple(warnings),
        tuple(trace),
        cuts,
    )


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
    raw = read_bytes(user_path(path), path, megabytes=MAX_MB)
    try:
        arrays = unpacked_arrays(raw, MAX_MB * 1e6)
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    try:
        document = parse_json(array_of(arrays, RECORD, (None,), np.uint8).tobytes())
        if (written := document.pop("format")) is True or written != FORMAT:
            raise _damaged(path, f"is not of format {FORMAT}")
        record = TypeAdapter(Record).validate_json(json.dumps(document), strict=True)
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


def _damaged(path: str, what: str) -> DataError:
    return DataError(f"{path} {what}. Give a file that fitted.save(path) wrote, or leave basis out")
