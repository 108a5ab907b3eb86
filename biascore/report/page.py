"""The page: what a run says, put in order for the template; every text of the user is escaped there."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pydantic import ValidationError

from biascore.audit import Audit
from biascore.basics.visible import visible
from biascore.files.toml import dumps
from biascore.report.charts import (
    Chart,
    Undrawn,
    comparisons,
    forest_charts,
    measurement_charts,
    run_pictures,
)
from biascore.report.items import has_values, table_rows
from biascore.report.texts import (
    cell,
    counted,
    duration,
    number,
    percent,
    plain,
    sentence,
    when,
)
from biascore.report.vega import javascript
from biascore.results.estimates import Estimate, PValue, format_p
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.results.run_files import items_path
from biascore.results.verdicts import Role, RunVerdict, equivalent, reason_of
from biascore.stats import Adjustment, Verdict

SHORT_TABLE: Final = 20
"""Item tables of up to so many rows are shown whole; of longer ones the extremes, and the whole on demand."""
EXTREMES: Final = 5
SHORT_ESTIMATES: Final = 8
"""Of longer tables of estimates, p-values and compared methods so many rows are shown, the rest on demand."""
OPEN_SECTIONS: Final = 3
"""Runs of up to so many measurements start with all their sections open."""

_UNSAFE_IN_SCRIPT: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Section:
    """One measurement with what the run says of it and why, its charts, and its item rows as texts.

    Of very many items some are ``rows``; all are in the file ``stored`` of a saved run.
    """

    number: int
    measurement: Measurement
    said: RunVerdict
    reason: str
    charts: tuple[Chart | Undrawn, ...]
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    stored: str

    @property
    def by_value(self) -> bool:
        """Whether the rows are in order of their values, and some of them chosen by these."""
        return has_values(self.measurement)

    @property
    def lowest_and_highest(self) -> list[tuple[Any, ...]] | None:
        """The rows at both ends with a gap between them, or None where the table is short."""
        if len(self.rows) <= SHORT_TABLE:
            return None
        return [*self.rows[:EXTREMES], (), *self.rows[-EXTREMES:]]

    @property
    def disagreement(self) -> str:
        """Where the interval of the headline says otherwise than its p-value, a sentence on what each of them asks."""
        measurement, headline = self.measurement, self.measurement.headline
        p, alpha, ends, neutral = measurement.p_value, measurement.alpha, headline.interval, headline.neutral
        if p is None or alpha is None or ends is None or neutral is None or headline.chance is not None:
            return ""
        if headline.opposite(alpha) or (p <= alpha) != (ends.low <= neutral <= ends.high):
            return ""
        if measurement.verdict is Verdict.DETECTED and equivalent(measurement):
            return ""  # detected for what is not the headline, and the reason says for what
        return (
            "Test and interval disagree here, for they answer different questions: the test asks whether chance alone could "
            "give such a result from these very items, the interval how large the effect would be with others like them."
        )

    @property
    def p_values(self) -> list[tuple[Estimate, PValue, bool]]:
        """Every p-value with its estimate, and whether it decides: the first one of the first estimate does."""
        return [
            (estimate, p, rank == order == 0)
            for rank, estimate in enumerate(self.measurement.estimates)
            for order, p in enumerate(estimate.p_values)
        ]


def render(run: Run) -> str:
    """The run as one HTML document without any reference to another file or address."""
    environment = Environment(
        loader=PackageLoader("biascore.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": number,
        "cell": cell,
        "p": format_p,
        "percent": percent,
        "sentence": sentence,
        "plain": plain,
        "when": when,
    }
    style, glue = (_asset(environment, name) for name in ("style.css", "page.js"))
    bundle = Markup(javascript())
    charts = forest_charts(run)
    sections = _sections(run)
    findings = [said for said in run.verdicts if said.role is Role.FINDING]
    return environment.get_template("report.html.j2").render(
        run=run,
        headline=_headline(run),
        counts=[(verdict.value, sum(s.verdict is verdict for s in findings)) for verdict in Verdict],
        only_alone=sum(s.only_alone for s in findings),
        adjusted=run.adjustment is not Adjustment.NONE,
        forests=charts,
        comparisons=comparisons(run),
        pictures=run_pictures(run),
        short=SHORT_ESTIMATES,
        not_estimable=sum(m.headline.value is None for m in run),
        sections=sections,
        open_sections=len(sections) <= OPEN_SECTIONS,
        digest=run.results_digest(),
        audit=_audit(run),
        policy=content_security_policy(style, (bundle, glue)),
        style=style,
        bundle=bundle,
        glue=glue,
        script_json=script_json,
    )


def content_security_policy(style: str, scripts: tuple[str, ...]) -> str:
    """A policy under which only these scripts run, nothing is evaluated from strings and nothing is loaded.

    The page draws with Vega's expression interpreter (``ast: true``), which builds no functions from strings,
    so 'unsafe-eval' is not needed. Style attributes are allowed, as Vega's SVG nodes carry some.
    """
    hashes = " ".join(_source_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src-elem {_source_hash(style)}; "
        "style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )


def script_json(value: object) -> Markup:
    """JSON that can stand in a ``<script type="application/json">``: it cannot close it or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(_UNSAFE_IN_SCRIPT))


def _sections(run: Run) -> list[Section]:
    return [
        Section(
            position,
            measurement,
            said,
            reason_of(measurement, said, run.adjustment),
            measurement_charts(measurement, position),
            tuple(measurement.items.column_names),
            [tuple(cell(value) for value in row) for row in table_rows(measurement)],
            items_path(position - 1, measurement.metric, measurement.test).as_posix(),
        )
        for position, (measurement, said) in enumerate(zip(run, run.verdicts, strict=True), start=1)
    ]


def _headline(run: Run) -> str:
    made = run.provenance
    tests = len({m.test for m in run})
    models = {m.model for m in run}
    both = len(run.twins)  # which are no more models than there are
    pairs = len({before for before, _ in run.twins})
    again = f", {pairs} of them before and after a transform" if pairs else ""
    return (
        f"On {when(made.started)}, biascore {made.biascore_version} put {counted(tests, 'test')} to "
        f"{counted(len(models) - both, 'model')}{again}, which gave {counted(len(run), 'measurement')} "
        f"in {duration(made.finished - made.started)}."
    )


def _audit(run: Run) -> str:
    """The audit as a TOML file, or empty where what was asked is none, or one that only Python can hold."""
    try:
        audit = Audit.model_validate(run.provenance.audit)
        told = audit.model_dump(mode="json", exclude_defaults=True)
        # In the order of a file, and with what decides results even where it is the default.
        entries = {"title": audit.title, "seed": audit.seed, "adjust": audit.adjust.value} | told
        return dumps(entries)
    except (TypeError, ValidationError):
        return ""


def _asset(environment: Environment, name: str) -> Markup:
    source, _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]  # set in render
    return Markup(source.replace("\r\n", "\n"))


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
