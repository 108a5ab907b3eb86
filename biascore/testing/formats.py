"""The contract of a data format: ``check_format("example-words", "words.csv", language="eo")``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from biascore.engine.engine import Engine
from biascore.errors import BiascoreError, DataError, PluginFailedError
from biascore.files.reading import file_digest
from biascore.stimuli import Test
from biascore.testing.contract import Contract, NotAskedError, check_all, hold

_CUTS: Final = 12


@dataclass
class FormatContract(Contract):
    """What ``check_format`` takes."""

    kind = "format"
    format: str
    file: Path
    language: str
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: Engine = field(default_factory=lambda: Engine(cache=None))
    beside: Sequence[str] = ()

    def _read(self, path: Path) -> Test:
        return self.engine.data(self.format, path, language=self.language, name="contract", **self.options)

    def _test(self, path: Path | None = None) -> Test:
        try:
            return self._read(path or self.file)
        except BiascoreError as error:
            raise AssertionError(str(error)) from error

    def check_reads(self) -> None:
        test = self._test()
        hold(
            test.id == f"{self.language}/contract",
            f"the id of the test is {test.id!r}, not {self.language}/contract",
        )
        hold(
            test.language == self.language,
            f"the language of the test is {test.language!r}, not {self.language!r}",
        )
        hold(test.file == str(self.file), f"the file of the test is {test.file!r}, not {str(self.file)!r}")
        if self.file.is_file():
            hold(
                test.sha256 == file_digest(self.file, str(self.file)),
                "the digest of the test is not that of the file",
            )

    def check_measures(self) -> None:
        kind, metrics = self._test().kind, self.engine.plugins.metrics
        takers = [name for name in metrics.names if kind in metrics.get(name).kinds]
        hold(takers, f"the test is of the kind {kind!r}, which no metric takes")

    def check_same(self) -> None:
        """Twice, and after editors of other systems."""
        one = self._test()
        hold(self._test() == one, "read twice, the tests differ")
        if not self.file.is_file() or not _is_text(self.file.read_bytes()):
            return
        raw = self.file.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
        for how, other in (
            ("a byte order mark", b"\xef\xbb\xbf" + raw),
            ("CRLF", raw.replace(b"\n", b"\r\n")),
        ):
            with self._copied() as path:
                path.write_bytes(other)
                hold(_said(self._test(path)) == _said(one), f"with {how}, the test is another one")

    @contextmanager
    def _copied(self) -> Iterator[Path]:
        """A copy of the file, with those that are read with it."""
        with tempfile.TemporaryDirectory() as folder:
            for name in (self.file.name, *self.beside):
                shutil.copyfile(self.file.with_name(name), Path(folder) / name)
            yield Path(folder) / self.file.name

    def check_missing(self) -> None:
        """A name that is not there, and without each that is read with it."""
        gone = self.file.with_name(f"no-such-{self.file.name}")
        try:
            self._read(gone)
        except DataError as error:
            hold(gone.name in str(error), f"the error does not name {gone.name}: {error}")
        except BiascoreError as error:
            raise AssertionError(f"{type(error).__name__} instead of DataError: {error}") from error
        else:
            raise AssertionError(f"{gone.name} is read, and is not there")
        for name in self.beside:  # one that may be left out is no error
            with self._copied() as path:
                path.with_name(name).unlink()
                try:
                    self._read(path)
                except BiascoreError as error:
                    named = name in str(error) and not isinstance(error, PluginFailedError)
                    hold(named, f"without {name}, which is read with it: {error}")

    def check_damaged(self) -> None:
        """The file, and each that is read with it."""
        if not self.file.is_file():
            raise NotAskedError("the data are a folder")
        for name in (self.file.name, *self.beside):
            for content in _damaged(self.file.with_name(name).read_bytes()):
                with self._copied() as path:
                    path.with_name(name).write_bytes(content)
                    try:
                        self._read(path)
                    except PluginFailedError as error:
                        raise AssertionError(f"{name} of {len(content)} bytes: {error}") from error
                    except BiascoreError as error:
                        hold(name in str(error), f"{name} of {len(content)} bytes is not named: {error}")


def check_format(
    format: str,
    file: str | Path,
    *,
    language: str,
    beside: Sequence[str] = (),
    engine: Engine | None = None,
    **options: Any,
) -> dict[str, str]:
    """Check a data format on a file that is right, and on damaged copies of it; ``options`` are the format's own.

    ``beside``: names of files in the same folder that the format reads with this one; they are copied with it, and damaged
    as well. Raises AssertionError, which lists each clause that is broken. Returns those that were
    skipped, each with the reason.
    """
    contract = FormatContract(format, Path(file), language, options, engine or Engine(cache=None), beside)
    return check_all(contract.clauses())


def _damaged(raw: bytes) -> Iterator[bytes]:
    """Cut off at twelve places, the first of which leaves nothing, and bytes that are no text."""
    yield from (raw[: len(raw) * i // _CUTS] for i in range(_CUTS))
    yield b"\x00\xff\xfe" * 50
    yield raw[: len(raw) // 2] + b"\xff\x00" + raw[len(raw) // 2 :]


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _said(test: Test) -> str:
    """What a test is, but its file."""
    return repr(test).replace(repr(str(Path(test.file).parent))[1:-1], "FOLDER").replace(test.sha256, "")
