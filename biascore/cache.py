"""Answers on disk: a SQLite file that many processes may share, and that is never believed when damaged."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar

import platformdirs

from biascore.frozen import Frozen

FILE_NAME: Final = "answers-1.sqlite"
_CHECK_BYTES: Final = 8
_KEYS_PER_QUERY: Final = 500
_BUSY_SECONDS: Final = 30
T = TypeVar("T")


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

    @property
    def problem(self) -> str:
        """Why answers that should be kept are not, or an empty string."""


class NoCache:
    """Keeps nothing."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:  # noqa: ARG002
        """Nothing is stored."""
        return {}

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Forget the answers."""

    def close(self) -> None:
        """Nothing to let go of."""

    @property
    def problem(self) -> str:
        """None: nothing should be kept."""
        return ""


def default_folder() -> Path:
    """The user's cache folder: ``BIASCORE_CACHE_DIR``, or what the platform provides."""
    override = os.environ.get("BIASCORE_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir("biascore", appauthor=False))


class DiskCache:
    """The cache in one SQLite file (write-ahead log), opened on first use; threads may share it.

    Every value carries a checksum. A file that SQLite finds damaged, or a value whose checksum is
    wrong, sets the whole file aside under another name; a full disk or an unwritable folder turns
    the cache off. Either gives a CacheWarning, one per cache, and neither stops a run.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._lock = threading.RLock()
        self._off = False
        self._problem = ""
        self._warned = False

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored answers among ``keys``; empty where the cache had to be set aside."""
        return self._guarded(lambda connection: _read(connection, keys), {})

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Store answers in one transaction, so that a killed process leaves all of them or none."""
        rows = [(key, _checksum(key, value) + value) for key, value in answers.items()]
        self._guarded(lambda connection: _write(connection, rows), None)

    @property
    def problem(self) -> str:
        """Why the cache is off, or an empty string."""
        return self._problem

    def info(self) -> CacheInfo:
        """Path, number of answers and size in bytes, files that were set aside included."""
        count = self._guarded(_count, 0)
        size = sum(p.stat().st_size for p in self.path.parent.glob(self.path.name + "*") if p.is_file())
        return CacheInfo(path=str(self.path), answers=count, bytes=size)

    def clear(self) -> int:
        """Delete every answer and return how many there were."""
        return self._guarded(_clear, 0)

    def close(self) -> None:
        """Close the file; the next question opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _guarded(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What ``work`` gives, or ``otherwise`` and a warning where the cache cannot be used."""
        with self._lock:
            if self._off:
                return otherwise
            try:
                return work(self._connection or self._open())
            # A UnicodeDecodeError: SQLite quotes the damaged schema in its own message.
            except (_Damaged, UnicodeDecodeError) as error:
                self._set_aside(str(error))
            except sqlite3.DatabaseError as error:
                if _is_damage(error):
                    self._set_aside(str(error))
                else:
                    self._turn_off(error)
            except OSError as error:
                self._turn_off(error)
            return otherwise

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = _file_id(self.path)
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, check_same_thread=False)
        connection.text_factory = bytes
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
            )
        except (sqlite3.Error, UnicodeDecodeError):
            connection.close()
            raise
        self._connection = connection
        self._file = _file_id(self.path)
        return connection

    def _set_aside(self, why: str) -> None:
        self.close()
        if self._file is not None and self._file != _file_id(self.path):
            return  # another process has set it aside already, and begun a new one
        aside = f"{self.path}.damaged-{time.time_ns()}"
        try:
            for suffix in ("", "-wal", "-shm"):
                part = Path(f"{self.path}{suffix}")
                if part.exists():
                    part.rename(aside + suffix)
        except OSError as error:
            self._turn_off(error)
            return
        self._warn(f"the cache was damaged ({why}); it was set aside as {aside} and a new one begun")

    def _turn_off(self, error: Exception) -> None:
        self._off = True
        self._problem = f"the cache {self.path} cannot be used ({error})"
        self.close()
        self._warn(
            f"the cache {self.path} cannot be used ({error}); going on without it, so answers are not kept. "
            f"Free space, or choose another folder with BIASCORE_CACHE_DIR."
        )

    def _warn(self, message: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(message, CacheWarning, stacklevel=5)


class _Damaged(Exception):
    """A value that is not what was stored."""


def _read(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        some = keys[start : start + _KEYS_PER_QUERY]
        marks = ",".join("?" * len(some))
        for key, stored in connection.execute(f"SELECT key, value FROM answers WHERE key IN ({marks})", some):
            if not isinstance(stored, bytes):
                raise _Damaged(f"a stored answer is a {type(stored).__name__}")
            checksum, value = stored[:_CHECK_BYTES], stored[_CHECK_BYTES:]
            if checksum != _checksum(key, value):
                raise _Damaged("a stored answer does not match its checksum")
            found[key] = value
    return found


def _write(connection: sqlite3.Connection, rows: Iterable[tuple[bytes, bytes]]) -> None:
    with connection:
        connection.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?)", rows)


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])


def _clear(connection: sqlite3.Connection) -> int:
    with connection:
        deleted = connection.execute("DELETE FROM answers").rowcount
    connection.execute("VACUUM")
    return deleted


def _is_damage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    # SQLITE_ERROR is a statement that does not fit the tables; ours are fixed, so the tables are not ours.
    damage = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
    return code & 0xFF in damage or code == sqlite3.SQLITE_IOERR_SHORT_READ


def _file_id(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _checksum(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=_CHECK_BYTES, key=key).digest()
