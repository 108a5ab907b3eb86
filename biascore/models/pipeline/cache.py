"""Answers on disk: a SQLite file that many processes may share, and that is never believed when damaged."""

from __future__ import annotations

import errno
import hashlib
import sqlite3
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar

from biascore.basics.frozen import Frozen
from biascore.basics.wording import capital
from biascore.files.paths import cache_folder, user_path

FILE_NAME: Final = "answers-1.sqlite"
_FORMAT: Final = 1
"""Of the file, in SQLite's ``user_version``, where 0 is 1. A later biascore that changes the tables states a higher one."""
_CHECK_BYTES: Final = 8
_KEYS_PER_QUERY: Final = 500
_BUSY_SECONDS: Final = 30
_ELSEWHERE: Final = "choose another folder with BIASCORE_CACHE_DIR."
T = TypeVar("T")


DEFAULT_CACHE: Final = "default"


class CacheWarning(UserWarning):
    """The cache could not be used as it should; answers stay right, but some are asked for again, or not kept."""


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

    def drop(self, answers: Mapping[bytes, bytes]) -> bool:
        """Forget stored answers that turned out to be none; whether they are gone."""

    def close(self) -> None:
        """Let go of the file."""

    @property
    def problem(self) -> str:
        """Why answers that should be kept are not, or an empty string."""


class NoCache:
    """Keeps nothing; ``problem`` says why, where answers should be kept."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:  # noqa: ARG002
        """Nothing is stored."""
        return {}

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Forget the answers."""

    def drop(self, answers: Mapping[bytes, bytes]) -> bool:  # noqa: ARG002
        """Nothing is stored."""
        return False

    def info(self) -> CacheInfo:
        """No path and no answers."""
        return CacheInfo(path="", answers=0, bytes=0)

    def clear(self) -> int:
        """There are no answers."""
        return 0

    def close(self) -> None:
        """Nothing to let go of."""


def opened(cache: str | Path | None) -> Cache:
    """The cache of a folder, the user's for `DEFAULT_CACHE`, and one that keeps nothing for None."""
    if cache is None:
        return NoCache()
    return default_cache() if cache == DEFAULT_CACHE else DiskCache(user_path(cache))


def default_cache() -> DiskCache | NoCache:
    """The user's cache; none, with a CacheWarning, where this user has no folder for it."""
    try:
        return DiskCache(cache_folder())
    except RuntimeError as error:  # no home, as an unknown user of a container
        problem = f"there is no folder for a cache ({error})"
        warnings.warn(
            f"{problem}; going on without one, so answers are not kept. To keep them, {_ELSEWHERE}",
            CacheWarning,
            stacklevel=3,
        )
        return NoCache(problem)


class DiskCache:
    """The cache in one SQLite file (write-ahead log), opened on first use; threads may share it.

    Every value carries a checksum. A value whose checksum is wrong is deleted and asked for again; a file that
    SQLite finds damaged is set aside under another name. A cache that cannot be written is read; a full disk, a
    folder that cannot be used, or a file of a newer version, which is left as it is, turns the cache off. Each
    gives a CacheWarning, one per cache and kind, and none stops a run.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._connection: sqlite3.Connection | None = None
        self._let_go: Callable[[], object] | None = None
        self._file: tuple[int, int] | None = None
        self._lock = threading.RLock()
        self._off = False
        self._read_only = False
        self._problem = ""
        self._warned: set[str] = set()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The stored answers among ``keys``; empty where the cache had to be set aside."""

        def read(connection: sqlite3.Connection) -> dict[bytes, bytes]:
            found, damaged = _read(connection, keys)
            if damaged:
                # A few bad values may be all, or what shows of a file that is broken.
                state = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if state != b"ok":
                    raise _Damaged(state.decode(errors="replace"))
                self._delete(damaged)
            return found

        return self._guarded(read, {})

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Store answers in one transaction, so that a killed process leaves all of them or none."""
        rows = [(key, _checksum(key, value) + value) for key, value in answers.items()]
        if self._read_only:
            self._warn("unwritable", f"{self._problem}; new answers are not kept. To keep them, {_ELSEWHERE}")
            return
        self._guarded(lambda connection: _write(connection, rows), None)

    def drop(self, answers: Mapping[bytes, bytes]) -> bool:
        """Delete answers that were got, but are none; whether they are gone."""
        return self._guarded(
            lambda _: self._delete([(key, _checksum(key, value) + value) for key, value in answers.items()]),
            False,
        )

    @property
    def problem(self) -> str:
        """Why answers are not kept, or an empty string."""
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
            if self._let_go is not None:
                self._let_go()
                self._let_go = self._connection = None

    def _connect(self, where: str | Path, *, timeout: float = 5.0, uri: bool = False) -> sqlite3.Connection:
        self._connection = sqlite3.connect(where, timeout=timeout, uri=uri, check_same_thread=False)
        # A cache that nobody closes is collected like any object, and a connection that is collected open is a warning.
        self._let_go = weakref.finalize(self, self._connection.close)
        self._connection.text_factory = bytes
        return self._connection

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
            except _Newer as error:
                self._turn_off(error, "Upgrade biascore")
            except sqlite3.DatabaseError as error:
                if _is_damage(error):
                    self._set_aside(str(error))
                elif _code(error) == sqlite3.SQLITE_READONLY:  # found when the first answer is to be kept
                    self._keep_reading(error)
                else:
                    self._turn_off(error)
            except OSError as error:
                self._turn_off(error)
            return otherwise

    def _open(self) -> sqlite3.Connection:
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = _file_id(self.path)
        try:
            _prepare(self._connect(self.path, timeout=_BUSY_SECONDS))
        except (sqlite3.Error, UnicodeDecodeError, _Newer) as error:
            self.close()
            if not isinstance(error, sqlite3.Error) or not self._open_for_reading(error):
                raise
        self._file = _file_id(self.path)
        assert self._connection is not None
        return self._connection

    def _open_for_reading(self, error: sqlite3.Error) -> bool:
        """Open a file that is there but cannot be written, after ``error``; whether that worked."""
        if _code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN) or not self._file:
            return False
        # The second where not even the index of SQLite's log can be made; a checksum guards each value.
        for how in ("mode=ro", "immutable=1"):
            try:
                connection = self._connect(f"{self.path.absolute().as_uri()}?{how}", uri=True)
                _check_format(connection)
                _count(connection)
            except sqlite3.Error:
                self.close()
            else:
                self._keep_reading(error)
                return True
        return False

    def _keep_reading(self, error: Exception) -> None:
        self._read_only = True
        self._problem = f"the cache {self.path} can only be read ({error})"

    def _delete(self, rows: Sequence[tuple[bytes, object]]) -> bool:
        """Delete rows, unless another process has fixed them; whether that was possible."""
        self._warn(
            "rows", f"{len(rows)} answer(s) in the cache {self.path} were damaged and are asked for again"
        )
        if self._read_only or self._connection is None:
            return False
        with self._connection:
            self._connection.executemany("DELETE FROM answers WHERE key = ? AND value IS ?", rows)
        return True

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
        self._warn(
            "damaged", f"the cache was damaged ({why}); it was set aside as {aside} and a new one begun"
        )

    def _turn_off(self, error: Exception, remedy: str = "") -> None:
        self._off = True
        self._problem = f"the cache {self.path} cannot be used ({error})"
        if (isinstance(error, sqlite3.Error) and _code(error) == sqlite3.SQLITE_FULL) or (
            isinstance(error, OSError) and error.errno == errno.ENOSPC
        ):
            remedy = "Free space"
        self.close()
        self._warn(
            "unwritable",
            f"{self._problem}; going on without it, so answers are not kept. "
            + (f"{remedy}, or {_ELSEWHERE}" if remedy else capital(_ELSEWHERE)),
        )

    def _warn(self, kind: str, message: str) -> None:
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(message, CacheWarning, stacklevel=5)


class _Damaged(Exception):
    """A file whose values do not lie where they were stored."""


class _Newer(Exception):
    """A file of a later biascore, whose answers are not to be lost."""


def _check_format(connection: sqlite3.Connection) -> None:
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > _FORMAT:
        raise _Newer(f"a newer biascore wrote it, in format {found}; it is left as it is")


def _prepare(connection: sqlite3.Connection) -> None:
    _check_format(connection)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
    )


def _read(
    connection: sqlite3.Connection, keys: Sequence[bytes]
) -> tuple[dict[bytes, bytes], list[tuple[bytes, object]]]:
    """The answers among ``keys``, and the rows that are not what was stored."""
    found: dict[bytes, bytes] = {}
    damaged: list[tuple[bytes, object]] = []
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        some = keys[start : start + _KEYS_PER_QUERY]
        marks = ",".join("?" * len(some))
        for key, stored in connection.execute(f"SELECT key, value FROM answers WHERE key IN ({marks})", some):
            value = stored[_CHECK_BYTES:] if isinstance(stored, bytes) else b""
            if isinstance(stored, bytes) and stored[:_CHECK_BYTES] == _checksum(key, value):
                found[key] = value
            else:
                damaged.append((key, stored))
    return found, damaged


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
    # SQLITE_ERROR is a statement that does not fit the tables; ours are fixed, so the tables are not ours.
    damage = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
    whole = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return _code(error) in damage or whole == sqlite3.SQLITE_IOERR_SHORT_READ


def _code(error: sqlite3.Error) -> int:
    """The primary error code."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)) & 0xFF


def _file_id(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _checksum(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=_CHECK_BYTES, key=key).digest()
