"""What each metric can see: calibrations of shipped tests, and the table and pictures of docs/calibration.md from them.

Run: python -m benchmarks.bench_calibration FOLDER [METRIC ...]

FOLDER keeps the calibrations; the same command goes on from there. The page then has a row for each calibration in it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from biascore.calibration import Calibration, calibrate
from biascore.calibration.picture import picture
from biascore.calibration.saving import earlier, file_name, keep
from biascore.calibration.simulation import QUICK, seed_of
from biascore.calibration.words import counted, rate
from biascore.engine.engine import Engine
from biascore.report.vega import draw
from biascore.results.sensitivity import sensitivity

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- bench_calibration begins -->", "<!-- bench_calibration ends -->"
HEADER = (
    *(
        "metric",
        "test",
        "observations",
        "smallest effect planted",
        "as the headline, from neutral",
        "as runs tell it",
    ),
    *("models an effect", "detected where nothing is planted"),
)
APPROXIMATIONS = 9
"""Models without an effect whose approximate smallest effect is compared with the calibration."""


@dataclass(frozen=True)
class Case:
    """A metric on a shipped test: its options, its sizes, and how many models."""

    metric: str
    test: str
    options: dict[str, Any] = field(default_factory=dict)
    times: tuple[float, ...] = (1.0,)
    models: int = 20
    nulls: int = 60
    drawn: bool = False
    audit: str = ""
    """The design of an audit that asks as many texts: "small"."""

    @property
    def kind(self) -> str:
        return str(self.options.get("model_kind", self.audit))

    @property
    def of_kind(self) -> str:
        return f", {self.audit} audit" if self.audit else f", {self.kind} models" if self.kind else ""


CASES = (
    Case("weat", "en/weat6", times=(0.5, 1.0, 2.0), models=100, nulls=400, drawn=True),
    Case("weat", "it/IT1", models=100, nulls=400),
    Case(
        "gest-lm",
        "en/gest_own",
        {"model_kind": "causal"},
        times=(0.5, 1.0, 2.0),
        models=60,
        nulls=400,
        drawn=True,
    ),
    Case("gest-mt", "en/gest_own", {"target": "it"}, times=(0.5, 1.0, 2.0), models=60, nulls=400),
    Case(
        "crows-pairs",
        "en/crows_own",
        {"model_kind": "causal"},
        times=(0.25, 0.5, 1.0),
        models=60,
        nulls=400,
        drawn=True,
    ),
    Case("gg-weat", "es/gg-weat", models=60, nulls=200),
    Case("seat", "en/weat6", models=100, nulls=400),
    Case("sc-weat", "en/weat6", nulls=200),
    Case("lpbs", "en/weat6", models=60, nulls=200),
    Case("crows-pairs-mixed", "en/crows_own"),
    Case("fise", "it/fise_it1_traits", {"draws": 499}),
    Case("gg-fise", "it/fise_it1_traits", {"draws": 499}),
    Case("robust-association", "en/professions_held_by_both", {"pairs": 4}, nulls=40),
    Case("eec", "en/eec", {"emotions": ["anger"]}, nulls=40),
    Case("characters", "en/occasions-occupations", {"templates": 1}, nulls=100, audit="small"),
    Case("characters", "en/occasions-occupations", nulls=100),
    Case("advice", "en/advice-gender", {"names": 2, "templates": 6}, nulls=100, audit="small"),
    Case("advice", "en/advice-gender", nulls=100),
    Case("counterfactual", "en/counterfactual-gender", {"pairs": 10}, nulls=100, audit="small"),
    Case("counterfactual", "en/counterfactual-gender", nulls=100),
)


def approximate(engine: Engine, found: Calibration, case: Case) -> str:
    """The smallest effect as runs tell it, on models without an effect: its median and range, or a dash."""
    kind = engine.plugins.metrics.get(case.metric)
    quick = {name: value for name, value in QUICK.items() if name in kind.option_type.model_fields}
    values = []
    for number in range(APPROXIMATIONS):
        engine.seed = seed_of(0, number)
        model = engine.model(f"planted:{case.test}=0", seed=engine.seed)
        told = sensitivity(
            engine.measure(
                case.metric, model, case.test, **quick | dict(kind.calibrated_with) | case.options
            )[0],
            power=found.power,
        )
        if told is not None and told.smallest is not None:
            values.append(told.smallest)
    engine.seed = 0
    return f"{np.median(values):.2g} ({min(values):.2g} to {max(values):.2g})" if values else "-"


def row(found: Calibration, told: str) -> str:
    smallest = found.smallest()
    nothing = found.false_positives()
    assert nothing is not None
    high = "more" if smallest.high is None else f"{smallest.high:.2g}"
    none = "none" if found.of_lists else "single words"
    seen = none if smallest.planted is None else f"{smallest.planted:.2g} ({smallest.low:.2g} to {high})"
    shown = (
        "-" if smallest.shown is None or found.neutral is None else f"{smallest.shown - found.neutral:.2g}"
    )
    items = counted(found.size().n)
    cells = (
        f"`{found.metric}`",
        f"`{found.test}`",
        items,
        seen,
        f"{shown} {found.unit}",
        told,
        models(found),
        rate(nothing),
    )
    return f"| {' | '.join(cells)} |"


def models(found: Calibration, times: float = 1.0) -> str:
    """How many models each effect was planted in, nothing apart."""
    counts = {len(cell.verdicts) for cell in found.at(times) if cell.effect > 0}
    assert len(counts) == 1
    return str(counts.pop())


def sizes(found: Calibration) -> list[str]:
    """A row for each size of the lists."""
    rows = []
    for size in found.sizes:
        smallest, nothing = found.smallest(size.times), found.false_positives(size.times)
        assert nothing is not None
        assert found.neutral is not None
        high = "more" if smallest.high is None else f"{smallest.high:.2g}"
        seen = (
            f"none up to {found.at(size.times)[-1].effect:g}"
            if smallest.planted is None
            else f"{smallest.planted:.2g} ({smallest.low:.2g} to {high})"
        )
        shown = "-" if smallest.shown is None else f"{smallest.shown - found.neutral:.2g} {found.unit}"
        cells = (f"`{found.metric}`", f"`{found.test}`", counted(size.items), seen, shown)
        rows.append(f"| {' | '.join((*cells, models(found, size.times), rate(nothing)))} |")
    return rows


def table_of(header: tuple[str, ...], rows: list[str]) -> str:
    return "\n".join([f"| {' | '.join(header)} |", "|---" * len(header) + "|", *rows])


def main(folder: str, *wanted: str) -> None:
    engine = Engine(cache=None)
    rows, pictures = [], []
    for case in CASES:
        name = file_name(f"{case.metric}-{case.kind}" if case.kind else case.metric, case.test)
        path = Path(folder) / f"{name}.json"
        known = earlier(path, force=False)
        if not wanted or case.metric in wanted:
            known = calibrate(
                engine,
                case.metric,
                case.test,
                times=case.times,
                models=case.models,
                nulls=case.nulls,
                known=known,
                keep=lambda part, path=path: keep(part, path),
                options=case.options,
            )
        if known is None or not known.cells:
            continue
        named = f"`{case.metric}`"
        rows.append(row(known, approximate(engine, known, case)).replace(named, named + case.of_kind, 1))
        print(rows[-1], flush=True)
        if len(case.times) > 1:
            print("\n".join(sizes(known)), flush=True)
        if case.drawn:
            target = DOCS / "pictures" / f"calibration-{name}.svg"
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(draw(picture(known), "svg"))
            pictures.append(f"![Power and recovery of {case.metric}{case.of_kind}](pictures/{target.name})")
    page = DOCS / "calibration.md"
    text = page.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    body = "\n\n".join([table_of(HEADER, rows), *pictures])
    page.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
