"""The files of a stored run: what they are called, and which of a folder's files are a run's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from biascore.basics.wording import some_of
from biascore.errors import RunError
from biascore.files.reading import parse_json, read_bytes
from biascore.files.writing import check_folder

RUN_FILE: Final = "run.json"
REPORT_FILE: Final = "report.html"
ITEMS_FOLDER: Final = "items"
REPORT_MARK: Final = b'<meta name="generator" content="biascore '
"""What every report holds, and so what tells it from other pages."""

_HEAD: Final = 1 << 14
_ITEMS: Final = re.compile(r"[0-9]{4,}-[A-Za-z0-9_-]{1,60}\.parquet")
_KEYS: Final = frozenset({"schema_version", "measurements", "models", "provenance", "content_sha256"})


def items_path(number: int, metric: str, test: str) -> Path:
    """Where the item table of a measurement lies in the folder of its run."""
    name = f"{metric}-{test}"
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
    return Path(ITEMS_FOLDER) / f"{number:04d}-{safe[:60]}.parquet"


def report_of(folder: Path, named: str, results: str) -> Path | None:
    """The page that is the report of a run in this folder: where the run names it, in the folder, or called as that is.

    Only a page that states these results is: a run of a stranger may name any file.
    """
    pages = [folder / named] if named else []
    pages += [folder / REPORT_FILE, folder.with_name(f"{folder.name}.html")]
    return next((page for page in pages if _is_report(page, results)), None)


def _is_report(page: Path, results: str) -> bool:
    try:
        with page.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return REPORT_MARK in head and results.encode() in head


def in_the_way(folder: Path) -> str:
    """What of a folder is not a run and its report, for a message; empty where nothing is."""
    try:
        if not (folder / RUN_FILE).exists():
            return f"it is not a run, for it has no {RUN_FILE}, and it is not empty"
        body = parse_json(read_bytes(folder / RUN_FILE, RUN_FILE, RunError).decode())
    except (OSError, ValueError, RunError) as error:
        return f"its {RUN_FILE} cannot be read ({error})"
    if not (isinstance(body, dict) and body.keys() >= _KEYS and _says_who(body["provenance"])):
        return f"its {RUN_FILE} was not written by biascore"
    foreign = [str(path.relative_to(folder)) for path in sorted(_files(folder)) if not _is_own(path, folder)]
    return f"next to a run it holds {some_of(foreign)}" if foreign else ""


def check_replaceable(target: Path, *, overwrite: bool) -> Path:
    """Where a run can be saved: ``target``, or what it links to.

    Raises RunError where it exists (with ``overwrite``: where it holds more than a run and its report), and where
    nothing can be written.
    """
    return check_folder(target, overwrite=overwrite, in_the_way=in_the_way)


def _files(folder: Path) -> list[Path]:
    """What lies in the folder and its items; another folder counts as a file."""
    found = list(folder.iterdir())
    items = folder / ITEMS_FOLDER
    if items in found and items.is_dir() and not items.is_symlink():
        found.remove(items)
        found += items.iterdir()
    return found


def _is_own(path: Path, folder: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if path.parent == folder:
        return path.name == RUN_FILE or (path.name == REPORT_FILE and REPORT_MARK in path.read_bytes())
    return bool(_ITEMS.fullmatch(path.name))


def _says_who(provenance: object) -> bool:
    return isinstance(provenance, dict) and isinstance(provenance.get("biascore_version"), str)
