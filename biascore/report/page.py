"""The page: what a run says, in order, for the templates; every text of the user is escaped there."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from biascore.basics.progress import Progress, Silent
from biascore.basics.visible import visible
from biascore.basics.wording import but, capital, shown, true_minus
from biascore.languages.names import language_name
from biascore.report.parts import PARTS, Part
from biascore.report.texts import (
    cell,
    number,
    percent,
    plain,
    sentence,
    when,
)
from biascore.report.vega import javascript
from biascore.results.estimates import format_p
from biascore.results.run import Run
from biascore.results.verdicts import note_of

RESULTS: Final = "biascore-results"
"""The name under which the page of a run states the digest of its results."""
STYLES: Final = ("style.css", "tables.css", "rows.css", "print.css")
PACKED_FROM: Final = 4_000
"""Data of so many characters is packed: a page of many measurements would be several times as heavy otherwise."""
SCRIPTS: Final = ("charts.js", "tables.js", "page.js")

_LONG: Final = re.compile(r"\S{17,}")
_SPACE: Final = re.compile(r"(\s+)")
_SIGN: Final = re.compile(r"(?<=[/:=_,+])(?=\w)|(?<=\.)(?=[^\W\d])")
_UNSAFE_IN_SCRIPT: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def render(run: Run, progress: Progress | None = None) -> str:
    """The run as one HTML document without any reference to another file or address."""
    return document(
        _parts(run, progress or Silent()),
        title=run.title or "Untitled audit",
        what="report",
        version=run.provenance.biascore_version,
        results=f"{run.results_digest()} {metadata.version('biascore')}",
    )


def _parts(run: Run, progress: Progress) -> Iterator[Part]:
    """The sections, each made when the one before is written."""
    with progress.task("Writing the report", len(PARTS)) as advance:
        for make in PARTS:
            if (part := make(run)) is not None:
                yield part
            advance(1)


def document(
    parts: Iterable[Part],
    *,
    title: str,
    what: str,
    version: str,
    kicker: str = "",
    headline: str = "",
    results: str = "",
) -> str:
    """Sections as one HTML document; ``what`` it is stands next to its title in a browser's tab.

    ``kicker`` stands above the title on the page, and ``headline`` below it.

    ``results``: of the page of a run, the digest of its results, and by which version it was made.
    """
    environment = _environment()
    style, glue = (_assets(environment, names) for names in (STYLES, SCRIPTS))
    bundle = javascript()
    return environment.get_template("report.html.j2").render(
        title=title,
        kicker=kicker,
        what=what,
        headline=headline,
        version=version,
        mark=RESULTS,
        results=results,
        parts=[(part, _written(environment, part)) for part in parts],
        policy=content_security_policy(style, (bundle, glue)),
        style=style,
        bundle=_packed_bundle(),
        glue=glue,
    )


@cache
def _environment() -> Environment:
    """The templates, which are compiled once for all pages of a process."""
    environment = Environment(
        loader=PackageLoader("biascore.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "breakable": breakable,
        "but": but,
        "number": number,
        "capital": capital,
        "cell": cell,
        "language": language_name,
        "minus": true_minus,
        "p": format_p,
        "percent": percent,
        "plain": plain,
        "sentence": sentence,
        "shown": shown,
        "note": note_of,
        "when": when,
    }
    environment.globals |= {"data": data}
    return environment


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


def filled(template: str, styles: tuple[str, ...], scripts: tuple[str, ...], **values: Any) -> str:
    """A page of a template of its own, with these styles and scripts, of which no others may run."""
    environment = _environment()
    style, script = (_assets(environment, names) for names in (styles, scripts))
    policy = content_security_policy(style, (script,))
    return environment.get_template(template).render(policy=policy, style=style, script=script, **values)


def script_json(value: object) -> Markup:
    """JSON that can be in a ``<script type="application/json">``: it cannot close it or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(_UNSAFE_IN_SCRIPT))


def breakable(text: object) -> object:
    """A text whose long words, such as addresses of models, may be broken after a sign and nowhere else."""
    if type(text) is not str or _LONG.search(text) is None:
        return text
    pieces = [
        _SIGN.split(piece) if _LONG.fullmatch(piece) else [piece] for piece in _SPACE.split(visible(text))
    ]
    return Markup("").join(Markup("<wbr>").join(some) for some in pieces)


def data(identifier: str, value: object, *, pack: bool = True) -> Markup:
    """Data that the page's scripts find by its identifier: JSON, which is packed where there is much of it.

    Data within data that is packed as a whole is not packed by itself.
    """
    text = script_json(value)
    packed = Markup("")
    if pack and len(text) >= PACKED_FROM:
        packed = Markup(' data-packed="gzip"')
        text = Markup(base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii"))
    return Markup('<script type="application/json" id="{}"{}>{}</script>').format(identifier, packed, text)


@cache
def _packed_bundle() -> Markup:
    """What draws charts, as data: less than half as large, and a page without an open chart does not read it."""
    return data("vega", javascript())


def _written(environment: Environment, part: Part) -> Markup:
    """What stands under the heading of a section."""
    return Markup(environment.get_template(f"parts/{part.template}.html.j2").render(part.values))


def _assets(environment: Environment, names: tuple[str, ...]) -> Markup:
    """Styles or scripts of a page, one after the other."""
    sources = (environment.loader.get_source(environment, name)[0] for name in names)  # type: ignore[union-attr]  # set in render
    return Markup("".join(source.replace("\r\n", "\n") for source in sources))


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
