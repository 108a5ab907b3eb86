"""The contract of a data format: ``check_format("example-words", "words.csv", language="eo")``."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from biascore.engine import Engine
from biascore.errors import BiascoreError, DataError, PluginFailedError
from biascore.files.reading import file_digest
from biascore.stimuli import Test
from biascore.testing.contract import Clause, NotAskedError, check_all, clauses_of, hold

_TABLES: Final = frozenset({".csv", ".tsv", ".jsonl", ".ndjson"})
_CUTS: Final = 12


@dataclass
class FormatContract:
    """What ``check_format`` takes; ``clauses`` are to be checked one by one."""

    format: str
    file: Path
    language: str
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: Engine = field(default_factory=lambda: Engine(cache=None))

    def clauses(self) -> Iterator[Clause]:
        """The clauses in order."""
        checks = [
            self.check_reads,
            self.check_measures,
            self.check_same,
            self.check_missing,
            self.check_damaged,
        ]
        yield from clauses_of("format", checks)

    def close(self) -> None:
        """Nothing is open."""

    def _read(self, path: Path) -> Test:
        return self.engine.data(self.format, path, language=self.language, name="contract", **self.options)

    def _test(self, path: Path | None = None) -> Test:
        try:
            return self._read(path or self.file)
        except BiascoreError as error:
            raise AssertionError(str(error)) from error

    def check_reads(self) -> None:
        """What is stated of the file."""
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
        """By kind."""
        kind, metrics = self._test().kind, self.engine.plugins.metrics
        takers = [name for name in metrics.names if kind in metrics.get(name).kinds]
        hold(takers, f"the test is of the kind {kind!r}, which no metric takes")

    def check_same(self) -> None:
        """Twice, and after editors of other systems."""
        one = self._test()
        hold(self._test() == one, "read twice, the tests differ")
        if self.file.suffix not in _TABLES:
            return
        raw = self.file.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
        for how, other in (
            ("a byte order mark", b"\xef\xbb\xbf" + raw),
            ("CRLF", raw.replace(b"\n", b"\r\n")),
        ):
            hold(_said(self._copy(other)) == _said(one), f"with {how}, the test is another one")

    def _copy(self, raw: bytes) -> Test:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / self.file.name
            path.write_bytes(raw)
            return self._test(path)

    def check_missing(self) -> None:
        """A name that is not there."""
        gone = self.file.with_name(f"no-such-{self.file.name}")
        try:
            self._read(gone)
        except DataError as error:
            hold(gone.name in str(error), f"the error does not name {gone.name}: {error}")
        except BiascoreError as error:
            raise AssertionError(f"{type(error).__name__} instead of DataError: {error}") from error
        else:
            raise AssertionError(f"{gone.name} is read, and is not there")

    def check_damaged(self) -> None:
        """Cut off at twelve places, empty, and bytes that are no text."""
        if not self.file.is_file():
            raise NotAskedError("the data are a folder")
        raw = self.file.read_bytes()
        damaged = [raw[: len(raw) * i // _CUTS] for i in range(_CUTS)]
        damaged += [b"\x00\xff\xfe" * 50, raw[: len(raw) // 2] + b"\xff\x00" + raw[len(raw) // 2 :]]
        for content in damaged:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / self.file.name
                path.write_bytes(content)
                try:
                    self._read(path)
                except PluginFailedError as error:
                    raise AssertionError(f"of {len(content)} bytes: {error}") from error
                except BiascoreError as error:
                    hold(
                        path.name in str(error),
                        f"of {len(content)} bytes, the error does not name the file: {error}",
                    )


def check_format(
    format: str, file: str | Path, *, language: str, engine: Engine | None = None, **options: Any
) -> None:
    """Check a data format on a file that is right, and on damaged copies of it; ``options`` are the format's own.

    Raises AssertionError, which lists each clause that is broken.
    """
    check_all(FormatContract(format, Path(file), language, options, engine or Engine(cache=None)).clauses())


def _said(test: Test) -> str:
    """What a test is, but its file."""
    return repr(test).replace(test.file, "FILE").replace(test.sha256, "")
