"""What a board holds, as data and as JSON."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from biascore.basics.frozen import Frozen
from biascore.results.rows import Axis


class Point(Frozen):
    """The lead test of a ground in one release: its state, effect and interval, or ``why`` there is none."""

    release: str
    run: str
    state: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


class Step(Frozen):
    """What changed from one release to the next: a paired comparison, whose p is adjusted over all steps of the board.

    ``refused``: why the two are not compared, and so not joined by a line; then all else is empty. ``family``: over how many
    steps the p-value is adjusted.
    """

    old: str
    new: str
    outcome: str = ""
    change: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    p_value: float | None = None
    p_adjusted: float | None = None
    paired: bool = False
    refused: tuple[str, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether a change was shown."""
        return self.outcome in ("increased", "decreased", "changed sign")


class Cell(Frozen):
    """A ground on a model: its ``state`` over all its tests, in ``count`` of ``measurements``, and its lead test by release.

    ``test``, ``metric``, ``subject``: of the lead test, whose state is ``lead_state``; ``value`` and ``interval`` are its
    texts, and ``axis`` what it is drawn on. ``number``: of its measurement in the report, from 1. ``groups``: letters;
    models that share one were compared and no difference was shown. ``note``: what belongs with the state of the lead test.
    """

    ground: str
    state: str
    count: int
    measurements: int
    test: str
    title: str
    metric: str
    subject: str = ""
    lead_state: str
    value: str = ""
    interval: str = ""
    axis: Axis | None = None
    number: int | None = None
    points: tuple[Point, ...] = ()
    steps: tuple[Step, ...] = ()
    groups: str = ""
    note: str = ""
    link: str = ""

    @property
    def last(self) -> Step | None:
        """The step to the newest release."""
        return self.steps[-1] if self.steps else None


class Checked(Frozen):
    """What a control, a baseline or harmless groups show of the tests; ``passed`` is None where that is not known."""

    told: str
    passed: bool | None
    link: str = ""


class Line(Frozen):
    """A line of releases of one model, by its newest: a row.

    ``stated``: whether the run names the line; else it is the reference without its version. ``release``: as the run states
    it, else empty, and ``label`` the date. ``began``: when the newest run did, in seconds since the epoch.
    ``older``: runs of a release in whose place newer runs of it stand. ``failed``: what failed in the newest release.
    """

    name: str
    stated: bool
    model: str
    ref: str
    release: str
    label: str
    began: float
    releases: tuple[str, ...]
    runs: tuple[str, ...]
    older: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    failed: tuple[str, ...] = ()
    checks: tuple[Checked, ...] = ()
    report: str = ""

    def cell(self, ground: str) -> Cell | None:
        """The cell of a ground, None where no test of it was asked for."""
        return next((one for one in self.cells if one.ground == ground), None)


class Unread(Frozen):
    """A run that is in no row: its folder, and why."""

    run: str
    why: str


class Board(Frozen):
    """Stored runs side by side. Lines are in the order of their newest run, newest first; no order is by an effect.

    ``steps``: over how many steps p-values are adjusted, and ``pairs`` over how many pairs of models; None where models
    were not compared with each other, with ``why_not_grouped``. ``caution``: that a change of what is drawn at random cannot
    be shown among so many steps; or empty.
    """

    schema_version: int = 1
    biascore_version: str
    grounds: tuple[str, ...]
    lines: tuple[Line, ...]
    unread: tuple[Unread, ...] = ()
    runs: int
    adjustment: str
    alpha: float = Field(gt=0, lt=1)
    steps: int
    pairs: int | None = None
    why_not_grouped: str = ""
    caution: str = ""

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        return self.model_dump(mode="json")
