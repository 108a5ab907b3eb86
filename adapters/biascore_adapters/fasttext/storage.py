"""Reading model files by position, and telling their contents apart by digest."""

from __future__ import annotations

import difflib
import hashlib
import os
import struct
import threading
from pathlib import Path
from typing import Final, Self

import numpy as np

from biascore.errors import ModelLoadError
from biascore_adapters.fasttext.options import DigestMode

FULL_DIGEST_LIMIT: Final = 1 << 30
"""Bytes up to which ``digest="auto"`` reads the whole file; beyond it hashing costs more than the audit."""

SAMPLED_BLOCKS: Final = 1024
SAMPLED_BLOCK_BYTES: Final = 4096
HEAD_BYTES: Final = 1 << 20
_CHUNK: Final = 1 << 22


def unusable(path: Path, found: str, step: str) -> ModelLoadError:
    """Build the error for a file that cannot be used: what was found in it, then what to do."""
    return ModelLoadError(f"{path}: {found}. {step}")


def corrupt(path: Path, found: str) -> ModelLoadError:
    """Build the error for a file whose contents contradict themselves."""
    return unusable(
        path, found, "It is truncated or damaged: download or export it again, and compare sizes."
    )


def locate(locator: str) -> Path:
    """Resolve a locator to the file it names: ``~`` expanded, relative to the current directory.

    Raises ModelLoadError where there is no such file, naming files nearby with similar names.
    """
    if not locator:
        raise ModelLoadError("fasttext: names no file. Give the path of one: fasttext:/models/cc.it.300.bin")
    try:
        path = Path(locator).expanduser()
        if path.is_file():
            return path
        if path.is_dir():
            raise unusable(path, f"this is a folder{_holding(path)}", "Name the model file inside it.")
        if path.exists():
            raise unusable(path, "this is not a regular file", "Name a model file on disk.")
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelLoadError(f"{locator!r} cannot be used as a path ({error}). Correct the path.") from error
    raise unusable(path, f"no such file{_near(path)}", "Correct the path, or download the model first.")


def _holding(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    return f" (holding {', '.join(names[:5])}{', ...' if len(names) > 5 else ''})" if names else ""


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; the folder {path.parent} does not exist either"
    names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
    near += [name for name in names if name.split(".")[0] == path.name.split(".")[0] and name not in near][:3]
    return f"; near it are {', '.join(near)}" if near else f" in {path.parent.resolve()}"


class ModelFile:
    """A file read by position; every read is checked against the real size before anything is allocated.

    Positioned reads rather than ``mmap``: a mapped page brings its 64 KiB neighbourhood into resident
    memory, and a file truncated while mapped kills the process where a short read is an error.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            raise unusable(path, f"cannot be opened ({error})", "Check the file's permissions.") from error
        self._lock = threading.Lock()
        self.size = os.fstat(self._file.fileno()).st_size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; reading afterwards raises ValueError."""
        self._file.close()

    def read(self, offset: int, length: int) -> bytes:
        """Read exactly ``length`` bytes from ``offset``; raises ModelLoadError where the file is shorter."""
        if offset < 0 or length < 0 or offset + length > self.size:
            raise corrupt(
                self.path, f"{length} bytes are wanted at byte {offset}, but the file has {self.size} bytes"
            )
        data = self._read_at(offset, length)
        while len(data) < length:  # the operating system may return less than was asked for
            more = self._read_at(offset + len(data), length - len(data))
            if not more:
                raise unusable(
                    self.path, "the file became shorter while it was in use", "Leave it alone during a run."
                )
            data += more
        return data

    def _read_at(self, offset: int, length: int) -> bytes:
        try:
            if hasattr(os, "pread"):
                return os.pread(self._file.fileno(), length, offset)
            with self._lock:
                self._file.seek(offset)
                return self._file.read(length) or b""
        except OSError as error:
            raise unusable(
                self.path, f"cannot be read at byte {offset} ({error})", "Check the disk, or copy the file."
            ) from error

    def head(self, length: int) -> bytes:
        """Read the first ``length`` bytes, or the whole file where it is shorter."""
        return self.read(0, min(length, self.size))

    def digest(self, mode: DigestMode, head: int = HEAD_BYTES) -> str:
        """Digest of the contents: ``"blake2b:<hex>"``, or ``"blake2b-sampled:<hex>"`` over a sample of them.

        The sample is the size, the first ``head`` bytes (header and dictionary) and 1024 evenly spaced
        blocks of 4 KiB, the last one at the end: two trainings differ in every row, so any block tells
        them apart. It guards against mix-ups and truncation, not against someone who edits single rows.
        """
        hasher = hashlib.blake2b(digest_size=32)
        if mode == "full" or (mode == "auto" and self.size <= FULL_DIGEST_LIMIT):
            self._feed(hasher, 0, self.size)
            return f"blake2b:{hasher.hexdigest()}"
        hasher.update(struct.pack("<q", self.size))
        self._feed(hasher, 0, min(head, self.size))
        last = max(0, self.size - SAMPLED_BLOCK_BYTES)
        for block in np.unique(np.linspace(0, last, SAMPLED_BLOCKS).astype(np.int64)).tolist():
            hasher.update(self.read(block, min(SAMPLED_BLOCK_BYTES, self.size - block)))
        return f"blake2b-sampled:{hasher.hexdigest()}"

    def _feed(self, hasher: hashlib.blake2b, start: int, end: int) -> None:
        for offset in range(start, end, _CHUNK):
            hasher.update(self.read(offset, min(_CHUNK, end - offset)))


class Cursor:
    """Walks through the little-endian fields of a binary header."""

    def __init__(self, file: ModelFile, offset: int = 0) -> None:
        self.file = file
        self.offset = offset

    def take(self, layout: str) -> tuple[int, ...]:
        """Read the next fields, in the notation of ``struct`` without its byte-order mark."""
        packing = struct.Struct("<" + layout)
        fields = packing.unpack(self.file.read(self.offset, packing.size))
        self.offset += packing.size
        return fields

    def flag(self, what: str) -> bool:
        """Read a one-byte truth value; raises ModelLoadError for anything but 0 and 1."""
        (value,) = self.take("B")
        if value > 1:
            raise corrupt(self.file.path, f"the {what} flag at byte {self.offset - 1} is {value}, not 0 or 1")
        return bool(value)

    def skip(self, length: int, what: str) -> None:
        """Pass over ``length`` bytes; raises ModelLoadError where the file ends before that."""
        if length < 0 or self.offset + length > self.file.size:
            raise corrupt(
                self.file.path,
                f"the {what} should take {length} bytes from byte {self.offset}, "
                f"but the file has {self.file.size} bytes",
            )
        self.offset += length
