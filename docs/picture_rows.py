"""Rows of the report's first screen as small SVG pictures: python docs/picture_rows.py [--check] [PICTURE ...]

What is measured are `planted:` models and made-up data, so that everybody can make the same pictures; what a row shows comes
from the report. --check writes nothing, and its exit code is 1 where a picture is no longer what the report draws.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

import made_data

from biascore import Engine, Run, compare
from biascore.report.lanes import Drawn, Lane, Scale, panels
from biascore.results.rows import Row, change_row, test_row

PICTURES = Path(__file__).resolve().parent / "pictures"
MEASURED: Mapping[str, tuple[str, str, str, dict[str, object]]] = {
    "rows-seat": ("seat", "planted:gender=1", "en/weat[678]", {}),
    "rows-lpbs": ("lpbs", "planted:gender=1", "en/weat[678]", {}),
    "rows-bbq": ("bbq", "planted:en/choices-*=1.9", "en/choices-*", {"way": "text"}),
    "rows-discrim-eval": ("discrim-eval", "planted:en/decisions_own=1", "en/decisions_own", {}),
    "rows-robust": (
        "robust-association",
        "planted:en/character_serenity=0.5",
        "en/character_serenity",
        {"pairs": 4},
    ),
    "rows-characters": ("characters", "planted:en/occasions-occupations=1", "en/occasions-occupations", {}),
    "rows-advice": ("advice", "planted:en/advice-black=1", "en/advice-*", {}),
    "rows-counterfactual": (
        "counterfactual",
        "planted:en/counterfactual-gender=1",
        "en/counterfactual-*",
        {},
    ),
    "rows-gg-weat": ("gg-weat", "planted:es/gg-weat=1", "es/gg-weat", {}),
}
"""A picture's name: metric, model, tests and options."""
WIDTH, LEFT, RIGHT, HEIGHT = 800, 290, 190, 46
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1d2126}.s{font-size:11px;fill:#596270}.c{text-anchor:middle}"
    "g{color:#596270}.detected{color:#a84300}.hint{color:#7a6200}.negligible{color:#00704f}"
    ".increased,.changed-sign{color:#86198f}.decreased{color:#1d5fa8}"
    ".i{stroke:currentColor;stroke-width:3;stroke-linecap:round}.p{fill:#fff;stroke:currentColor;stroke-width:2.5}"
    ".detected .p,.increased .p,.decreased .p,.changed-sign .p{fill:currentColor}.inconclusive .i{stroke-dasharray:5 5}"
    ".b{fill:#e1e4e8;opacity:.6}.n{stroke:#596270}"
)
"""The colours of the report (``style.css``), on paper."""


def place(at: float) -> str:
    """A place on the axis, of per cent of its width, in the picture."""
    return f"{LEFT + at / 100 * (WIDTH - LEFT - RIGHT):.1f}"


def mark(one: Drawn, y: int) -> str:
    """Interval and point, in the colour of the state."""
    line = (
        ""
        if one.low is None or one.high is None
        else (f'<line class="i" x1="{place(one.low)}" x2="{place(one.high)}" y1="{y}" y2="{y}"/>')
    )
    return f'<g class="{one.state.replace(" ", "-")}">{line}<circle class="p" cx="{place(one.at)}" cy="{y}" r="6"/></g>'


def drawn(row: Row, lane: Lane, top: int) -> Iterable[str]:
    """One row: its name, its lane, and value, interval and state in words."""
    yield f'<text x="0" y="{top + 20}">{escape(short(row.name))}</text>'
    yield f'<text class="s" x="0" y="{top + 36}">{escape(short(row.says))}</text>'
    if lane.bound:
        low, high = map(place, lane.bound)
        yield f'<rect class="b" x="{low}" y="{top}" width="{float(high) - float(low):.1f}" height="{HEIGHT}"/>'
    if lane.neutral is not None:
        yield f'<line class="n" x1="{place(lane.neutral)}" x2="{place(lane.neutral)}" y1="{top}" y2="{top + HEIGHT}"/>'
    yield mark(lane.lead, top + HEIGHT // 2)
    yield f'<text x="{WIDTH - RIGHT + 14}" y="{top + 20}">{escape(row.state)}</text>'
    yield f'<text class="s" x="{WIDTH - RIGHT + 14}" y="{top + 36}">{escape(row.value)} [{escape(row.interval)}]</text>'


def short(text: str) -> str:
    """As much of a text as has room next to the axis."""
    return text if len(text) <= 42 else f"{text[:41].rsplit(' ', 1)[0]} …"


def axis(scale: Scale, top: int) -> Iterable[str]:
    """The labels of an axis, above its rows."""
    for number, line in enumerate(reversed(wrap(scale.label, 44)[:2])):
        yield f'<text class="s" x="0" y="{top + 26 - 14 * number}">{escape(line)}</text>'
    for tick in scale.ticks:
        yield f'<text class="s c" x="{place(tick.at)}" y="{top + 26}">{escape(tick.text)}</text>'
        if tick.what:
            yield f'<text class="s c" x="{place(tick.at)}" y="{top + 12}">{escape(tick.what)}</text>'


def picture(rows: Sequence[Row]) -> str:
    """The rows, those of one unit under one axis."""
    parts, top = [], 0
    for panel in panels(rows):
        if panel.scale is None:
            continue
        parts += axis(panel.scale, top)
        top += 32
        for row, lane in panel.rows:
            if lane is not None:
                parts += drawn(row, lane, top)
                top += HEIGHT
    told = "; ".join(lane.told for panel in panels(rows) for _, lane in panel.rows if lane)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 4}" role="img" aria-label="{escape(told)}">'
        f"<style>{STYLE}</style><rect width='{WIDTH}' height='{top + 4}' fill='#fff'/>{''.join(parts)}</svg>\n"
    )


def rows_of(*runs: Run) -> list[Row]:
    """A row for each measurement."""
    return [
        test_row(number, run.measurements, run.verdicts)
        for run in runs
        for number in range(len(run.measurements))
    ]


def installed(*examples: str) -> None:
    """Plugins of examples/ as if pip had installed them from here: importable, with their entry points."""
    for name in examples:
        source = PICTURES.parents[1] / "examples" / name
        project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        info = Path(f"{name.replace('-', '_')}-0.dist-info")
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n", encoding="utf-8")
        points = "".join(
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in some.items())
            for group, some in project["entry-points"].items()
        )
        (info / "entry_points.txt").write_text(points, encoding="utf-8")
        sys.path.append(str(source))
    sys.path.append(str(Path.cwd()))


def compared(engine: Engine) -> list[Row]:
    """Changes of three tests."""
    old, new = (engine.measure("weat", f"planted:gender={d}", "en/weat[678]") for d in (1.6, 0.2))
    return [change_row(number, one) for number, one in enumerate(compare(old, new))]


def states(engine: Engine) -> list[Row]:
    """Detected, negligible and inconclusive."""
    tests = {"en/audit-gender-career-family": 1.2, "en/audit-age-valence": 0, "en/weat6": 0.8}
    planted = ",".join(f"{test}={d}" for test, d in tests.items())
    return rows_of(engine.measure("weat", f"planted:{planted}", [*tests], bound=0.5))


def of_data(metric: str, source: str, d: float) -> Run:
    """A model with a known bias in a test of made-up data."""
    engine = Engine(cache=None)
    test = engine.data(metric, source, language="en")
    engine.add_tests([test])
    return engine.measure(metric, f"planted:{test.id}={d}", test.id)


def coreference(_: Engine) -> list[Row]:
    """Pronouns and stereotypes of occupations."""
    return rows_of(
        of_data("winobias", "corefBias/WinoBias/wino/data", 0.3),
        of_data("winogender", "winogender-schemas/data", 1),
    )


def impact(engine: Engine) -> list[Row]:
    """Decisions about people."""
    test = engine.data("outcomes", "decisions.csv", language="en", text="id", groups=["sex", "race"])
    model = engine.model("answers:decisions.csv", text="id")
    return rows_of(engine.measure("impact-ratio", model, test, quantity="hired"))


def own_metric(engine: Engine) -> list[Row]:
    """The metric of docs/plugins/metric.md."""
    return rows_of(engine.measure("mac", "planted:en/mac=1.8", "en/mac"))


def own_transform(engine: Engine) -> list[Row]:
    """The transform of docs/plugins/transform.md: before it and after."""
    before = engine.model("planted:en/weat7=1.5")
    after = before.with_transform("standardize", words="en/caliskan2017/flowers")
    runs = {"before": before, "after standardize": after}
    return [
        row.model_copy(update={"name": f"WEAT 7 {name}"})
        for name, model in runs.items()
        for row in rows_of(engine.measure("weat", model, "en/weat7"))
    ]


OTHERS: Mapping[str, Callable[[Engine], list[Row]]] = {
    "rows-compare": compared,
    "rows-states": states,
    "rows-coreference": coreference,
    "rows-stereoset": lambda _: rows_of(of_data("stereoset", "dev.json", 0.3)),
    "rows-mt-geneval": lambda _: rows_of(
        of_data("mt-geneval", "geneval-sentences-feminine-test.en_it.it", -0.5)
    ),
    "rows-impact-ratio": impact,
    "rows-metric": own_metric,
    "rows-transform": own_transform,
}
"""A picture's name: its rows, measured in a folder with the made-up data."""


def main(*arguments: str) -> int:
    """All pictures, or those that are named; with --check the number of those that differ."""
    wanted, differ = {*arguments} - {"--check"}, []
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        made_data.write(Path(folder))
        installed("biascore-plugin-mac", "biascore-plugin-standardize")
        engine = Engine(cache=None)
        for name in [*MEASURED, *OTHERS]:
            if wanted and name not in wanted:
                continue
            if name in MEASURED:
                metric, model, tests, options = MEASURED[name]
                rows = rows_of(engine.measure(metric, model, tests, **options))
            else:
                rows = OTHERS[name](engine)
            path, drawn = PICTURES / f"{name}.svg", picture(rows)
            if "--check" not in arguments:
                path.write_text(drawn, encoding="utf-8")
            elif not path.exists() or path.read_text(encoding="utf-8") != drawn:
                differ.append(name)
        os.chdir(PICTURES)
    if differ:
        print(f"no longer what the report draws: {', '.join(differ)}. Run: python docs/picture_rows.py")
    return len(differ)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
