"""A board of stored runs: lines by their newest release, and what changed from release to release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import metadata
from itertools import combinations, pairwise
from pathlib import Path
from typing import Final, NamedTuple

from biascore.basics.progress import Progress, Silent
from biascore.basics.surface import either
from biascore.board.grouping import letters
from biascore.board.kept import Asked, changes
from biascore.board.lines import Drawn, Place, entries_of, line_of
from biascore.board.model import Board, Cell, Line, Step, Unread
from biascore.board.reading import Stored, folders_of, stored
from biascore.comparing.steps import Change, adjusted
from biascore.models.pipeline.cache import Cache, NoCache
from biascore.stats import Adjustment

MOST_PAIRS: Final = 300
"""Of models on a ground that are compared unasked: each takes about a fifth of a second the first time."""
ALPHA: Final = 0.05
_HOW: Final = Adjustment.HOLM


def make_board(
    folders: Sequence[Path],
    *,
    out: Path = Path(),
    cache: Cache | None = None,
    progress: Progress | None = None,
    every_pair: bool = False,
) -> Board:
    """The board of all runs in some folders, which are stored runs or hold some.

    Raises RunError where a folder holds none. A run that cannot be read is in ``unread``.

    Args:
        folders: Stored runs, or folders in which they lie.
        out: The folder of the page, from which it links to reports.
        cache: Where changes are kept; by default nowhere.
        progress: Who hears of it.
        every_pair: Compare every two models, however many.
    """
    shown, kept = progress or Silent(), cache or NoCache()
    paths = folders_of(folders)
    runs: list[Stored] = []
    unread: list[Unread] = []
    with shown.task("reading runs", len(paths)) as advance:
        for path, called in paths.items():
            one = stored(path, called)
            (unread if isinstance(one, Unread) else runs).append(one)  # type: ignore[arg-type]  # by its kind
            advance(1)
    drawn = [line_of(name, some, out) for name, some in entries_of(runs).items()]
    drawn.sort(key=lambda one: (-one.line.began, one.line.name))
    steps = _steps(drawn, kept, shown)
    cells = [cell for one in drawn for cell in one.cells]
    grounds = tuple(dict.fromkeys(cell.cell.ground for cell in cells))
    pairs = [pair for ground in grounds for pair in _pairs(drawn, ground)]
    many = bool(pairs) and (every_pair or len(pairs) <= MOST_PAIRS)
    groups = _groups(drawn, pairs, kept, shown) if many else {}
    why = (
        f"{len(pairs):,} comparisons of two models are more than {MOST_PAIRS}. Name fewer runs, or add "
        + either("--every-pair", "every_pair=True")
        if pairs and not many
        else ""
    )
    return Board(
        biascore_version=metadata.version("biascore"),
        grounds=grounds,
        lines=tuple(_finished(one, steps, groups) for one in drawn),
        unread=tuple(unread),
        runs=len(paths),
        adjustment=_HOW.shown,
        alpha=ALPHA,
        steps=sum(_tested(one) for some in steps.values() for one in some),
        pairs=len(pairs) if many else None,
        why_not_grouped=why,
        caution=out_of_reach([change for some in steps.values() for _, change in some]),
    )


class _Pair(NamedTuple):
    """Two lines on a ground."""

    ground: str
    one: str
    other: str
    asked: Asked


def _tested(one: tuple[Step, Change]) -> bool:
    return one[1].difference is not None and one[1].difference.p_adjusted is not None


def out_of_reach(made: Sequence[Change]) -> str:
    """That so many steps leave no p-value that was drawn at random small enough after adjustment, where it is so."""
    drawn = [
        one.p_values[0].n or 0
        for change in made
        if change.difference is not None
        for one in (change.difference.change,)
        if one.p_values and one.p_values[0].kind == "monte-carlo"
    ]
    tests = sum(change.difference is not None and change.difference.p_adjusted is not None for change in made)
    if not drawn or tests <= ALPHA * (1 + max(drawn)):
        return ""
    return (
        f"among {tests:,} steps no change can be shown where the p-value is of {max(drawn):,} permutations, for adjustment "
        "takes even the smallest above 0.05. Make boards of fewer runs"
    )


def _steps(
    drawn: Sequence[Drawn], kept: Cache, progress: Progress
) -> dict[tuple[str, str], list[tuple[Step, Change]]]:
    """The steps of each line and ground, adjusted over all of them."""
    made: dict[tuple[str, str], list[tuple[Step, Change]]] = {}
    asked: list[tuple[tuple[str, str], int, Asked]] = []
    for one in drawn:
        for cell in one.cells:
            where = (one.line.name, cell.cell.ground)
            made[where] = []
            for (old, was), (new, is_) in pairwise(zip(cell.places, cell.cell.points, strict=True)):
                why = [f"{point.release}: {point.why}" for point in (was, is_) if point.value is None]
                made[where].append((Step(old=was.release, new=is_.release), Change(None, tuple(why))))
                if old.number is not None and new.number is not None and not why:
                    asked.append((where, len(made[where]) - 1, _asked(old, new)))
    found = changes([one for *_, one in asked], kept, progress, "comparing releases")
    for (where, number, _), change in zip(asked, adjusted(found, "steps of the board", _HOW), strict=True):
        step = made[where][number][0]
        made[where][number] = (_told(step, change), change)
    return {
        where: [
            (step if step.outcome or step.refused else _told(step, change), change) for step, change in some
        ]
        for where, some in made.items()
    }


def _asked(old: Place, new: Place) -> Asked:
    assert old.entry is not None
    assert old.number is not None
    assert new.entry is not None
    assert new.number is not None
    return Asked(old.entry.stored, old.number, new.entry.stored, new.number)


def _told(step: Step, change: Change) -> Step:
    """A step with what its comparison says."""
    one = change.difference
    if one is None:
        return step.model_copy(update={"refused": change.refused})
    ends = one.change.interval
    return step.model_copy(
        update={
            "outcome": one.outcome.value,
            "change": one.change.value,
            "low": ends.low if ends else None,
            "high": ends.high if ends else None,
            "unit": one.change.unit,
            "p_value": one.change.p_values[0].value if one.change.p_values else None,
            "p_adjusted": one.p_adjusted,
            "paired": one.paired,
        }
    )


def _pairs(drawn: Sequence[Drawn], ground: str) -> Iterator[_Pair]:
    """Every two lines whose newest releases have the same lead test of a ground."""
    there = [
        (one.line.name, cell)
        for one in drawn
        for cell in one.cells
        if cell.cell.ground == ground and cell.places and cell.places[-1].number is not None
    ]
    for (one, cell), (other, its) in combinations(there, 2):
        if _test(cell.cell) == _test(its.cell):
            yield _Pair(ground, one, other, _asked(cell.places[-1], its.places[-1]))


def _test(cell: Cell) -> tuple[str, str, str]:
    return cell.metric, cell.test, cell.subject


def _groups(
    drawn: Sequence[Drawn], pairs: Sequence[_Pair], kept: Cache, progress: Progress
) -> dict[tuple[str, str], str]:
    """The letters of each line on each ground: of those that are compared, and no difference is shown between."""
    made = adjusted(
        changes([pair.asked for pair in pairs], kept, progress, "comparing models"), "pairs", _HOW
    )
    found: dict[tuple[str, str], str] = {}
    for ground in dict.fromkeys(pair.ground for pair in pairs):
        some = [(pair, change) for pair, change in zip(pairs, made, strict=True) if pair.ground == ground]
        compared = [(pair, change.difference) for pair, change in some if change.difference is not None]
        named = {name for pair, _ in compared for name in (pair.one, pair.other)}
        names = [one.line.name for one in drawn if one.line.name in named]
        alike = [
            (pair.one, pair.other)
            for pair, one in compared
            if one.unmoved or one.p_adjusted is None or one.p_adjusted > one.alpha
        ]
        found |= {(name, ground): text for name, text in letters(names, alike).items()}
    return found


def _finished(
    one: Drawn,
    steps: dict[tuple[str, str], list[tuple[Step, Change]]],
    groups: dict[tuple[str, str], str],
) -> Line:
    cells = []
    for cell in one.cells:
        where = (one.line.name, cell.cell.ground)
        update = {"steps": tuple(step for step, _ in steps[where]), "groups": groups.get(where, "")}
        cells.append(cell.cell.model_copy(update=update))
    return one.line.model_copy(update={"cells": tuple(cells)})
