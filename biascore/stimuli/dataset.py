"""Tests read from a data file: a CSV of sentence pairs, of samples, of scores; one format class for each kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from biascore.basics.guard import guarded
from biascore.basics.keys import HUB_TOKENS
from biascore.basics.options import Configured, OptionsT
from biascore.errors import At, DataError, MissingExtraError, Owner
from biascore.files.folders import source_digest
from biascore.files.kinds import is_saved
from biascore.files.paths import user_path
from biascore.files.reading import file_digest
from biascore.stimuli import Test

HUB: Final = "hub:"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file on disk: what messages call it, the digest of its bytes, and the test it becomes.

    ``path`` is a folder of ``save_to_disk``, or one of tables for a format that takes ``folders``; the digest is then
    that of the files that are read.
    """

    path: Path
    display: str
    sha256: str
    test: str
    language: str

    @property
    def stated(self) -> dict[str, Any]:
        """What a `Test` of this file states of it, as keywords: id, language, source, file and sha256."""
        origin = {"source": self.display, "file": self.display, "sha256": self.sha256}
        return {"id": self.test, "language": self.language, **origin}

    def check_english(self, data: str) -> None:
        """Raise DataError, which names the ``data``, where the language is stated as another one than English."""
        if self.language.partition("-")[0] != "en":
            raise DataError(
                f"{self.display}: {data} is in English, and the language is given as {self.language}. Give en, or a format "
                "of that language"
            )


class DataFormat(ABC, Configured[OptionsT]):
    """How a data file becomes a test: ``class Lines(DataFormat[LinesOptions])``, registered with ``register_formats``.

    ``folders``: whether the source may be a folder, whose tables (``tables_in``) are then read as one test.
    ``in_folder``: where the data are several files, globs of the one that represents a folder of them.
    """

    id: ClassVar[str]
    summary: ClassVar[str]
    example: ClassVar[str]
    folders: ClassVar[bool] = False
    in_folder: ClassVar[tuple[str, ...]] = ()

    def __init__(self, options: OptionsT) -> None:
        """Take validated options of its class."""
        self.options: OptionsT = options

    @abstractmethod
    def read(self, file: DataFile) -> Test:
        """Read the file as a test with the id and language of ``file``.

        Raises DataError that names the file, the rows that cannot be used and the next step.
        """


def locate(
    source: str, test: str, language: str, *, folders: bool = False, in_folder: tuple[str, ...] = ()
) -> DataFile:
    """The file behind a path or a hub id (``hub:OWNER/NAME/PATH[@REVISION]``), fetched if it must be.

    A path may be that of a folder of ``save_to_disk``; with ``folders`` that of a folder of tables; with ``in_folder``
    that of a folder, whose first file of these globs is meant. Raises DataError where there is no such file,
    MissingExtraError where the hub's client is not installed.
    """
    if source.startswith(HUB):
        at = At(Owner("huggingface_hub"), "checking", f"fetching {source}")
        path = guarded(at, lambda: _from_hub(source.removeprefix(HUB)), keys=HUB_TOKENS)
    else:
        path = user_path(source)
        if in_folder and path.is_dir():
            path = _first(path, source, in_folder)
            source = f"{source.rstrip('/')}/{path.name}"
    digest = source_digest if folders or is_saved(path) else file_digest
    return DataFile(path, source, digest(path, source), test, language)


def _first(folder: Path, source: str, globs: tuple[str, ...]) -> Path:
    found = next((path for glob in globs for path in sorted(folder.glob(glob))), None)
    if found is None:
        raise DataError(
            f"{source} is a folder without {' or '.join(globs)}. Give the folder of the data, or a file"
        )
    return found


def default_test_name(source: str) -> str:
    """The name of the test that a data file becomes, unless it is given one: the stem of the file."""
    name = Path(source.partition("@")[0] if source.startswith(HUB) else source).name
    return name.partition(".")[0] or "data"


def _from_hub(locator: str) -> Path:
    locator, _, revision = locator.partition("@")
    parts = locator.split("/", 2)
    if len(parts) < 3 or not all(parts):
        raise DataError(f"{HUB}{locator} names no file of a dataset. Write {HUB}OWNER/NAME/PATH[@REVISION]")
    owner, name, path = parts
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise MissingExtraError("data from the hub", "hf") from error
    try:
        found = hf_hub_download(f"{owner}/{name}", path, repo_type="dataset", revision=revision or None)
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        raise DataError(
            f"{HUB}{locator} could not be fetched ({type(error).__name__}: {error}). "
            "Check the name and the connection, or download the file and give its path"
        ) from error
    return Path(found)
