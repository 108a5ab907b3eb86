"""Each member of a bundle compared with what follows from its run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from biascore.archive.check import Check
from biascore.archive.contents import AUDIT_FILE, below, own_places, parts_of, results_of, written
from biascore.archive.locating import files_of
from biascore.archive.opening import Opened
from biascore.errors import BiascoreError, RunError
from biascore.files.folders import source_digest
from biascore.files.reading import read_bytes
from biascore.results.run import Run

_NAMED: Final = 10


def member_checks(run: Run, bundle: Opened) -> Iterator[Check]:
    """What is written from the run is written again and compared byte by byte; own inputs by their recorded hash.

    A member that the run does not name differs.
    """
    if bundle.top is None:
        return
    members = bundle.members
    try:
        own = {place: name for name, place in own_places(run).items()}
        expected = written(run, parts_of(run, members))
    except RunError as error:
        yield Check(what=AUDIT_FILE, outcome="differs", detail=str(error))
        return
    parts = {place: below(place, members) for place in own}
    inputs = [member for some in parts.values() for member in some]
    bundle.unpack([*expected, *inputs])
    for place, content in expected.items():
        if place in bundle.damaged or members.get(place):
            continue
        if place not in members:
            yield Check(what=place, outcome="differs", detail="is missing")
            continue
        try:
            same = read_bytes(bundle.top / place, place, RunError) == content
        except BiascoreError:  # larger than any file that is read
            same = False
        detail = "" if same else "is not what follows from the run"
        yield Check(what=place, outcome="matches" if same else "differs", detail=detail)
    recorded = {used.file: used.sha256 for used in files_of(run)}
    for place, name in own.items():
        some = parts[place]
        here = some and all(members[one] == "" and one not in bundle.damaged for one in some)
        if here and _digest(bundle.top / place, place) != recorded[name]:
            yield Check(what=place, outcome="differs", detail=f"is not the {name} of the run")
    named = {*expected, *inputs, *results_of([(one.metric, one.test) for one in run])}
    strange = [
        (place, why or "the run does not name it")
        for place, why in members.items()
        if why or (place not in named and not _is_folder(place, named))
    ]
    for place, why in strange[:_NAMED]:
        yield Check(what=place, outcome="differs", detail=why)
    if len(strange) > _NAMED:
        detail = "the run does not name them, or they are no plain files"
        yield Check(what=f"{len(strange) - _NAMED} more members", outcome="differs", detail=detail)


def _digest(path: Path, place: str) -> str:
    """The hash of a member that is the user's own; none where it is neither a file that is read nor a folder of tables."""
    try:
        return source_digest(path, place)
    except BiascoreError:
        return ""


def _is_folder(place: str, named: set[str]) -> bool:
    return place.endswith("/") and any(name.startswith(place) for name in named)
