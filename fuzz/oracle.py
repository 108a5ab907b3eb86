"""What may come of reading a hostile file: what it says, or a refusal in words; no other error, no write, no long wait.

The reader gets a folder of its own, ``in``. Next to it lies a file that no input may lead to.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from biascore.errors import MAX_MESSAGE, BiascoreError, MissingExtraError, PluginFailedError

from .run import OWN

Files = Mapping[str, bytes]
SECONDS: Final = 5
"""Of processor time that an input may take; each is smaller than ``LARGEST`` bytes."""
MEGABYTES: Final = 500
"""Of memory that an input may add to what the process takes."""
LARGEST: Final = 1 << 16
CANARY: Final = "canary.txt"
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES: Final = {
    "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod", "os.utime",
}  # fmt: skip
_NEVER: Final = {
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pickle.find_class",
}  # fmt: skip
_STEP: Final = re.compile(r"[.:;?,(] \S|\. *$")


class Wrong(Exception):
    """What should not come of a file."""


class TooLong(BaseException):
    """The processor time of an input is used up; no ``except Exception`` holds it."""


class Room:
    """A folder for one input after the other, watched by an audit hook: ``done`` are the forbidden things it saw."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.top = Path(tempfile.mkdtemp(prefix="fuzz-")).resolve()
        self.inside, self._scratch = self.top / "in", self.top / "tmp"
        self._scratch.mkdir()
        (self.top / CANARY).write_text("canary\n", encoding="utf-8")
        self.done: list[str] = []
        self._watching, self._host = False, host
        sys.addaudithook(self._seen)

    @contextmanager
    def holding(self, files: Files) -> Iterator[Path]:
        """The folder with these files; it is watched while the block lasts."""
        _removed(self.inside)
        for name, content in files.items():
            path = self.inside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        before, tempfile.tempdir = tempfile.tempdir, str(self._scratch)
        self.done.clear()
        self._watching = True
        try:
            yield self.inside
        finally:
            self._watching, tempfile.tempdir = False, before
            _removed(self._scratch)
            self._scratch.mkdir()

    def close(self) -> None:
        """Remove the folder."""
        _removed(self.top)

    def _seen(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._watching:
            return
        if event in _NEVER and args[0] != "uname":  # the openai package tells its server the platform
            self.done.append(f"{event} {args[:2]!r}")
        elif event == "ctypes.dlopen" and self._place(str(args[0])).is_relative_to(self.top):
            self.done.append(f"opened the library {args[0]}")
        elif event == "open":
            path, mode, flags = args
            if not isinstance(path, str | bytes):
                return
            place = self._place(path)
            if place == self.top / CANARY:
                self.done.append(f"read {place.name} outside of the folder")
            writes = flags & _WRITES if isinstance(flags, int) else set("wax+") & set(mode or "")
            if writes and not self._own(place):
                self.done.append(f"wrote {place}")
        elif event in _CHANGES:
            inside = (
                args[-1]
                if isinstance(args[-1], int) and args[-1] >= 0 and event in ("os.remove", "os.rmdir")
                else None
            )
            for one in args[1:2] if event == "os.symlink" else args[:2]:  # of a link only where it lies
                if isinstance(one, str | bytes) and not self._own(place := self._place(one, inside)):
                    self.done.append(f"{event} {place}")
        elif event == "socket.connect" and isinstance(args[1], tuple) and args[1][0] != self._host:
            self.done.append(f"connected to {args[1]}")

    def _place(self, path: str | bytes, folder: int | None = None) -> Path:
        """Where a path is; of one to be removed not what it links to."""
        if folder is None:
            return Path(os.path.realpath(path))
        return Path(f"/proc/self/fd/{folder}").readlink() / os.fsdecode(path)

    def _own(self, place: Path) -> bool:
        ours = (self.inside, self._scratch, Path("/dev"), Path("/proc"))
        return (
            any(place.is_relative_to(one) for one in ours)
            or place.suffix in (".pyc", ".lock")
            or ("__pycache__" in place.parts)
        )


def ask(read: Callable[[Path], object], files: Files, room: Room, *, names: bool = True) -> str | None:
    """The refusal of the files, None where they are read; raises what should not come of them.

    ``names``: whether a refusal has to name a file of them or their folder.
    """
    before = _resident(from_now=True)
    problem: BiascoreError | None = None
    with room.holding(files) as folder, warnings.catch_warnings(record=True) as warned, _limited():
        warnings.simplefilter("always")
        try:
            read(folder)
        except PluginFailedError as error:  # what a reader within a plugin raised, the end of its time too
            raise (error.__cause__ or error) from None
        except BiascoreError as error:
            problem = error
    increase = _resident() - before
    if room.done:
        raise Wrong(f"{room.done[0]}")
    if increase > MEGABYTES:
        raise Wrong(f"took {increase:.0f} MB")
    foreign = [w for w in warned if not (w.category.__module__.startswith("biascore") or _told_by_us(w))]
    if foreign:
        raise Wrong(f"warned {foreign[0].category.__name__} at {foreign[0].filename}:{foreign[0].lineno}")
    if problem is None or isinstance(problem, MissingExtraError):
        return None
    check_message(str(problem), [*files, folder.name] if names else [])
    return str(problem)


def _told_by_us(warned: warnings.WarningMessage) -> bool:
    """A UserWarning of our own code: those of libraries have other kinds, or come from their files."""
    return warned.category is UserWarning and any(own in warned.filename for own in OWN)


def check_message(message: str, names: list[str]) -> None:
    """Raise Wrong for a message that is too long, not for a terminal, or names neither a file nor a next step."""
    if len(message) > MAX_MESSAGE:
        raise Wrong(f"message of {len(message)} characters")
    for one in message:
        if unicodedata.category(one) in ("Cc", "Cs") and one not in "\t\n":
            raise Wrong(f"message with a control character: {one!r} in {message[:300]!a}")
    if names and not any(part in message for name in names for part in (name, Path(name).name)):
        raise Wrong(f"message that names no file: {message[:300]}")
    if not _STEP.search(message):
        raise Wrong(f"message without a next step: {message[:300]}")


def _resident(*, from_now: bool = False) -> float:
    """The most megabytes that the process took, ``from_now`` on where the kernel counts so; 0 where it tells none."""
    try:
        if from_now:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def _limited() -> Iterator[None]:
    def out_of_time(*_: object) -> None:
        raise TooLong(f"more than {SECONDS} s of processor time")

    before = signal.signal(signal.SIGVTALRM, out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _removed(folder: Path) -> None:
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.is_dir():
        for one in folder.iterdir():
            _removed(one)
        folder.rmdir()
