"""Whether a page is the report of a run: by the digest that it states, and made again from the run."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Literal, NamedTuple

from biascore.errors import RunError
from biascore.files.paths import user_path
from biascore.files.reading import read_bytes
from biascore.report import check_installed
from biascore.results.run import Run
from biascore.results.run_files import REPORT_MARK


class Whose(NamedTuple):
    """What came of comparing a page with a run: what was compared, the outcome, and the reason."""

    what: str
    outcome: Literal["matches", "differs", "not here"]
    detail: str


def whose(page: str | Path, run: Run) -> tuple[Whose, ...]:
    """Whether the page states the digest of this run's results, and is what is made of the run, byte by byte.

    Raises RunError for what is no page of a run.
    """
    check_installed()
    from biascore.report.page import RESULTS, render

    text = read_bytes(user_path(page), str(page), RunError)
    stated = re.search(rb'<meta name="%s" content="(\S+) (\S+)">' % RESULTS.encode(), text)
    if REPORT_MARK not in text or stated is None:
        raise RunError(
            f"{page} is no page of a run that states the digest of its results. Write it again: biascore report RUN"
        )
    digest, version = (one.decode("utf-8", "replace") for one in stated.groups())
    what, own = f"report {page}", run.results_digest()
    if digest != own:
        return (Whose(what, "differs", f"it is of the results {digest}, and the run has {own}"),)
    found = Whose(what, "matches", f"it states the digest of the run, {own}")
    if render(run).encode("utf-8") == text:
        return (found, Whose(f"{what}, made again", "matches", "it is the same, byte by byte"))
    if version != metadata.version("biascore"):
        why = f"biascore {version} wrote it, and this is another version, which may make another page"
        return (found, Whose(f"{what}, made again", "not here", why))
    return (
        found,
        Whose(f"{what}, made again", "differs", "it was changed: of this run another page is made"),
    )
