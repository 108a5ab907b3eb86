"""The page: what a run says, put in order for the template; every text of the user is escaped there."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from biascore.measurement import Measurement, format_p
from biascore.report.charts import Chart, forest_charts, item_chart
from biascore.report.items import table_rows
from biascore.report.vega import javascript
from biascore.run import Adjusted, Run
from biascore.stats.verdict import Verdict

SHORT_TABLE: Final = 20
"""Item tables of up to so many rows are shown whole; of longer ones the extremes, and the whole on demand."""
EXTREMES: Final = 5
OPEN_SECTIONS: Final = 3
"""Runs of up to so many measurements start with all their sections open."""

_UNSAFE_IN_SCRIPT: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Section:
    """One measurement with its adjusted p-values, its chart, and its item rows as texts."""

    number: int
    measurement: Measurement
    adjusted: Adjusted
    chart: Chart | None
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    @property
    def lowest_and_highest(self) -> list[tuple[Any, ...]] | None:
        """The rows at both ends with a gap between them, or None where the table is short."""
        if len(self.rows) <= SHORT_TABLE:
            return None
        return [*self.rows[:EXTREMES], (), *self.rows[-EXTREMES:]]


def render(run: Run) -> str:
    """The run as one HTML document without any reference to another file or address."""
    environment = Environment(
        loader=PackageLoader("biascore.report"),
        autoescape=True,
        undefined=StrictUndefined,
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
    return environment.get_template("report.html.j2").render(
        run=run,
        headline=_headline(run),
        counts=[(verdict.value, sum(m.verdict is verdict for m in run)) for verdict in Verdict],
        forests=charts,
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


def number(value: float) -> str:
    """A number with three decimals, in scientific notation where those would show nothing."""
    if isinstance(value, int) or not math.isfinite(value):
        return f"{value:,}"
    if value == 0:
        return "0"
    if abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.1e}"


def percent(share: float) -> str:
    """A share in per cent, without needless decimals."""
    return f"{100 * share:.4g}%"


def sentence(text: str) -> str:
    """A text with a full stop, unless it ends a sentence already."""
    return text if text.rstrip().endswith((".", "!", "?")) else f"{text.rstrip()}."


def cell(value: object) -> str:
    """Any value of a table or mapping as text; a dash stands for a missing one."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return number(value)
    return value if isinstance(value, str) else plain(value)


def plain(value: object) -> str:
    """An option as readable JSON; what JSON does not know, such as a date, as its text."""
    return json.dumps(value, ensure_ascii=False, default=_plain_default)


def toml(value: object, indent: str = "") -> str:
    """A value as TOML, so that an audit can be copied from the page; raises TypeError for what TOML lacks."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            # A JSON string is a TOML string, but for DEL, which TOML wants escaped.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case int() | float():
            return repr(value)
        case Mapping():
            entries = (f"{toml(key)} = {toml(entry, indent)}" for key, entry in value.items())
            return "{" + ", ".join(entries) + "}"
        case list() | tuple():
            deeper = indent + "  "
            return "[\n" + "".join(f"{deeper}{toml(entry, deeper)},\n" for entry in value) + f"{indent}]"
        case datetime() | date() | time():
            return value.isoformat()
    raise TypeError(f"TOML has no form for {value!r}")


def when(seconds: float) -> str:
    """Seconds since the epoch as a date and time in UTC."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def duration(seconds: float) -> str:
    """A length of time in words, in its two greatest units."""
    if seconds < 60:
        return f"{seconds:.1f} seconds"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def counted(count: int, noun: str) -> str:
    """A count with its noun in the right number."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _sections(run: Run) -> list[Section]:
    return [
        Section(
            position,
            measurement,
            adjusted,
            item_chart(measurement, position),
            tuple(measurement.items.column_names),
            [tuple(cell(value) for value in row) for row in table_rows(measurement)],
        )
        for position, (measurement, adjusted) in enumerate(zip(run, run.adjusted, strict=True), start=1)
    ]


def _headline(run: Run) -> str:
    made = run.provenance
    tests = len({m.test for m in run})
    models = len({m.model for m in run})
    return (
        f"On {when(made.started)}, biascore {made.biascore_version} put {counted(tests, 'test')} to "
        f"{counted(models, 'model')}, which gave {counted(len(run), 'measurement')} "
        f"in {duration(made.finished - made.started)}."
    )


def _audit(run: Run) -> str:
    """The audit as a TOML file, or empty where there is none, or one that only Python can hold."""
    try:
        return "\n".join(f"{toml(key)} = {toml(value)}" for key, value in run.provenance.audit.items())
    except TypeError:
        return ""


def _asset(environment: Environment, name: str) -> Markup:
    source, _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]  # set in render
    return Markup(source.replace("\r\n", "\n"))


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _plain_default(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)
