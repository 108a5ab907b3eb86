"""Answers on disk: a SQLite file that many processes may share, and that is never believed when damaged."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

import platformdirs

from biascore.frozen import Frozen

FILE_NAME: Final = "answers-1.sqlite"
_CHECK_BYTES: Final = 8
_KEYS_PER_QUERY: Final = 500
_BUSY_SECONDS: Final = 30


class CacheWarning(UserWarning):
    """The cache could not be used as it should; answers stay right, but are not kept."""


class CacheInfo(Frozen):
    """Where the cache is, how many answers it holds, and its size in bytes."""

    path: str
    answers: int
    bytes: int


class Cache(Protocol):
    """Answers by key."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored answers among ``keys``."""

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Store answers, all or none."""

    def close(self) -> None:
        """Let go of the file."""


class NoCache:
    """Keeps nothing."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:  # noqa: ARG002
        """Nothing is stored."""
        return {}

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Forget the answers."""

    def close(self) -> None:
        """Nothing to let go of."""


def default_folder() -> Path:
    """The user's cache folder: ``BIASCORE_CACHE_DIR``, or what the platform provides."""
    override = os.environ.get("BIASCORE_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir("biascore", appauthor=False))


class DiskCache:
    """The cache in one SQLite file (write-ahead log), opened on first use.

    Every value carries a checksum. A file that SQLite cannot read, or a value whose checksum is
    wrong, sets the whole file aside under another name; a full disk or an unwritable folder turns
    the cache off. Both give one CacheWarning and neither stops a run.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None
        self._off = False

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored answers among ``keys``; empty where the cache had to be set aside."""
        try:
            return self._read(keys)
        except _Damaged as error:
            self._set_aside(str(error))
        except sqlite3.OperationalError as error:
            self._turn_off(error)
        except sqlite3.DatabaseError as error:
            self._set_aside(str(error))
        return {}

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Store answers in one transaction, so that a killed process leaves all of them or none."""
        rows = [(key, _checksum(key, value) + value) for key, value in answers.items()]
        try:
            self._write(rows)
        except sqlite3.OperationalError as error:
            self._turn_off(error)
        except sqlite3.DatabaseError as error:
            self._set_aside(str(error))

    def info(self) -> CacheInfo:
        """Path, number of answers and size."""
        count = 0
        connection = self._open()
        if connection is not None:
            count = int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
        size = sum(p.stat().st_size for p in self.path.parent.glob(self.path.name + "*") if p.is_file())
        return CacheInfo(path=str(self.path), answers=count, bytes=size)

    def clear(self) -> int:
        """Delete every answer and return how many there were."""
        connection = self._open()
        if connection is None:
            return 0
        with connection:
            deleted = connection.execute("DELETE FROM answers").rowcount
        connection.execute("VACUUM")
        return deleted

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection | None:
        if self._off or self._connection is not None:
            return self._connection
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._turn_off(error)
            return None
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
            )
        except sqlite3.Error:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        connection = self._open()
        found: dict[bytes, bytes] = {}
        if connection is None:
            return found
        for start in range(0, len(keys), _KEYS_PER_QUERY):
            some = keys[start : start + _KEYS_PER_QUERY]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, value FROM answers WHERE key IN ({marks})"
            for key, stored in connection.execute(query, some):
                checksum, value = stored[:_CHECK_BYTES], stored[_CHECK_BYTES:]
                if checksum != _checksum(key, value):
                    raise _Damaged("a stored answer does not match its checksum")
                found[key] = value
        return found

    def _write(self, rows: Iterable[tuple[bytes, bytes]]) -> None:
        connection = self._open()
        if connection is not None:
            with connection:
                connection.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?)", rows)

    def _set_aside(self, why: str) -> None:
        self.close()
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
        try:
            self.path.rename(aside)
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except OSError as error:
            self._turn_off(error)
            return
        warnings.warn(
            f"the cache was damaged ({why}); it was set aside as {aside} and a new one begun",
            CacheWarning,
            stacklevel=4,
        )

    def _turn_off(self, error: Exception) -> None:
        self._off = True
        self.close()
        warnings.warn(
            f"the cache {self.path} cannot be used ({error}); going on without it, so answers are not kept. "
            f"Free space, or choose another folder with BIASCORE_CACHE_DIR.",
            CacheWarning,
            stacklevel=4,
        )


class _Damaged(Exception):
    """A value that is not what was stored."""


def _checksum(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=_CHECK_BYTES, key=key).digest()
