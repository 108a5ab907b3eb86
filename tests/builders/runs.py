"""Runs made by hand, without models: plain ones of any size, and one in which every text is hostile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from biascore.models.usage import ModelUsed, QuestionCounts, TransformUsed
from biascore.results.caveat import caveats_of
from biascore.results.coverage import Coverage, LostWord
from biascore.results.estimates import ConfidenceInterval, Estimate, PValue
from biascore.results.harmless import HarmlessAudits
from biascore.results.measurement import Measurement, item_table
from biascore.results.provenance import PluginUsed, Provenance
from biascore.results.run import Run
from biascore.results.stimuli_used import StimuliUsed
from biascore.results.verdicts import Rule
from biascore.stats import Adjustment
from biascore.stats.verdict import Verdict

MODELS = ("fasttext:cc.it.300", "hf:bert-base-italian-uncased", "hf:gpt2-small-italian")
TITLE = "Gender and origin in Italian models"
TESTS = (
    ("it/weat1", "WEAT 1: flowers and insects, pleasant and unpleasant"),
    ("it/weat6", "WEAT 6: male and female names, career and family"),
    ("it/weat7", "WEAT 7: mathematics and arts, male and female terms"),
    ("it/it2", "IT2: northern and southern surnames, pleasant and unpleasant"),
)

HOSTILE = (
    "<script>window.pwned=1;document.title='PWNED'</script>",
    '"><img src=x onerror="document.title=\'PWNED\'">',
    "'><svg onload=document.title='PWNED'>",
    "</script><script>document.title='PWNED'</script>",
    "</title></style></textarea><!--<script>",
    "{{7*7}} {% raw %} ${7*7} {#",
    "\u202eשלום עולם\u202d مرحبا\u2067",
    "𐌰𐌱𐌲 🧕🏽👩‍👩‍👧 𝔊𝔬𝔱𝔥𝔦𝔠",
    "Donaudampfschifffahrts" * 20,
    "line one\nline two\r\nline three\u2028four\u2029five",
    "&lt;b&gt; &amp; &#39; \\u003c \\",
    "datum.value); alert(1); //",
    "__proto__",
    "bell\x07 backspace\x08 escape\x1b[31m delete\x7f",
)


Row = tuple[str, str, float | None]


def table(rows: Sequence[Row], more: dict[str, list[Any]] | None = None) -> pa.Table:
    return item_table([r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows], more)


def random_items(rng: np.random.Generator, size: int, effect: float = 0.1) -> pa.Table:
    """Half of the items in each of two groups, whose means lie ``effect`` apart."""
    groups = ["X" if i < size // 2 else "Y" for i in range(size)]
    centre = np.where([g == "X" for g in groups], effect / 2, -effect / 2)
    values = (centre + rng.normal(0, 0.05, size)).tolist()
    return table([(f"word{i}", g, v) for i, (g, v) in enumerate(zip(groups, values, strict=True))])


def measurement(
    *,
    test: str = "it/weat6",
    title: str = "WEAT 6: male and female names, career and family",
    model: str = MODELS[0],
    metric: str = "weat",
    variant: str = "",
    value: float | None = 0.8,
    p: float | None = 0.012,
    verdict: Verdict = Verdict.DETECTED,
    items: pa.Table | None = None,
    warnings: tuple[str, ...] = (),
    lost: tuple[LostWord, ...] = (),
    composed: tuple[str, ...] = (),
    conventions: dict[str, Any] | None = None,
    positive_means: str = "male names stand nearer to career words, female names to family words",
    reason: str = "p = 0.012 <= 0.05, and the 95 % interval [0.2, 1.4] is not inside the bound of 0.2.",
    unit: str = "pooled standard deviations",
    name: str = "effect size d",
) -> Measurement:
    n = {"X": 8, "Y": 8}
    interval = None if value is None else ConfidenceInterval(
        low=value - 0.6, high=value + 0.6, level=0.95, method="bootstrap, BCa", resamples=9999
    )  # fmt: skip
    p_values = () if p is None else (
        PValue(name="permutation", value=p, kind="exact", alternative="two-sided", n=12870),
        PValue(
            name="paper", value=p / 2, kind="monte-carlo", alternative="greater", inequality="strict",
            n=1000, se=0.003,
        ),
    )  # fmt: skip
    return Measurement(
        metric=metric,
        variant=variant,
        test=test,
        test_title=title,
        language="it",
        concept="gender",
        model=model,
        positive_means=positive_means,
        estimates=(
            Estimate(name=name, value=value, unit=unit, n=n, interval=interval, p_values=p_values),
            Estimate(name="difference", value=None if value is None else value / 9, unit="cosine", n=n),
        ),
        verdict=verdict,
        reason=reason,
        alpha=0.05,
        coverage=Coverage(
            given={"X": 8, "Y": 8, "A": 8, "B": 8},
            used={"X": 8, "Y": 8 - len(lost), "A": 8, "B": 8},
            lost=lost,
            composed=composed,
        ),
        caveats=caveats_of(warnings, verdict=False),
        conventions=conventions or {"ddof": 1, "inequality": "weak", "sided": "two", "similarity": "cosine"},
        seed=7,
        items=random_items(np.random.default_rng(len(test)), 16) if items is None else items,
    )


def decided(
    p: float | None,
    verdict: Verdict | None = None,
    *,
    value: float | None = 0.5,
    ends: tuple[float, float] = (0.1, 0.9),
    alpha: float | None = 0.05,
    **parts: Any,
) -> Measurement:
    """One estimate d, its interval, and a p that decides at alpha; ``parts``: other fields of the measurement."""
    p_values = () if p is None else (PValue(name="p", value=p, kind="exact", alternative="two-sided"),)
    interval = ConfidenceInterval(low=ends[0], high=ends[1], level=0.95, method="made")
    estimate = Estimate(name="d", value=value, unit="sd", n={"X": 8}, interval=interval, p_values=p_values)
    detected = p is not None and alpha is not None and p <= alpha
    undecided = Verdict.NOT_MEASURED if value is None else Verdict.INCONCLUSIVE
    plain: dict[str, Any] = {
        "metric": "made", "test": "en/weat6", "test_title": "", "language": "en", "concept": "gender", "model": "m",
        "positive_means": "", "coverage": Coverage(given={}, used={}), "conventions": {}, "seed": 0,
    }  # fmt: skip
    return Measurement(
        estimates=(estimate,),
        verdict=verdict or (Verdict.DETECTED if detected else undecided),
        reason="So.",
        alpha=alpha,
        **{**plain, **parts},
    )


def model_used(name: str = MODELS[0], control: Mapping[str, float] | None = None) -> ModelUsed:
    """What a run records of a model; ``control``: what was put into it, by test."""
    return ModelUsed(
        name=name,
        ref=f"{name}@main",
        revision="0f3c1d2",
        digest="sha256:" + "ab" * 32,
        options={"pooling": "mean", "batch": 32},
        explicit_options={"pooling": "mean"},
        facts={"dimensions": 300, "licence": "CC BY-SA 3.0"},
        transforms=(TransformUsed(name="centre"),),
        control=control,
        questions=QuestionCounts(put=512, repeated=32, cached=400, asked=80),
    )


def run_of(
    *measurements: Measurement,
    title: str = TITLE,
    models: Sequence[ModelUsed] | None = None,
    stimuli: Sequence[StimuliUsed] | None = None,
    audit: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
    adjustment: Adjustment = Adjustment.HOLM,
    rule: Rule = Rule.HARMLESS,
    harmless: Sequence[HarmlessAudits] = (),
) -> Run:
    """A run of these measurements; by default on the models that they name, of one file, asked for by an audit."""
    if models is None:
        models = [model_used(name) for name in dict.fromkeys(m.model for m in measurements)]
    if stimuli is None:
        stimuli = [
            StimuliUsed(
                file="it/weat.toml", sha256="cd" * 32, source="Caliskan et al. 2017, Table 1",
                licence="CC BY 4.0", tests=tuple(dict.fromkeys(m.test for m in measurements)),
            )
        ]  # fmt: skip
    if audit is None:
        audit = {
            "title": title, "seed": 7, "models": [{"ref": m} for m in MODELS],
            "measurements": [{"metric": "weat", "tests": ["it/*"]}],
        }  # fmt: skip
    return Run(
        title=title,
        adjustment=adjustment,
        rule=rule,
        harmless=tuple(harmless),
        measurements=measurements,
        models=tuple(models),
        stimuli=tuple(stimuli),
        provenance=Provenance(
            biascore_version="0.1.0",
            python_version="3.11.9",
            platform="Linux-6.1-x86_64",
            started=1_767_225_600.0,
            finished=1_767_225_811.0,
            seed=7,
            audit=audit,
            plugins=(PluginUsed(name="metric-weat", dist="biascore", version="0.1.0"),),
        ),
        warnings=tuple(warnings),
    )


def typical_run() -> Run:
    """Four tests on three models by one metric, and one test by a second metric with many items."""
    rng = np.random.default_rng(3)
    verdicts = (Verdict.DETECTED, Verdict.INCONCLUSIVE, Verdict.NEGLIGIBLE)
    made = [
        measurement(
            test=test,
            title=title,
            model=model,
            value=float(rng.normal(0.5, 0.6)),
            p=float(rng.uniform(0.0002, 0.3)),
            verdict=verdicts[(i + j) % 3],
            lost=(LostWord(word="Ebony", role="Y", reason="out of vocabulary"),) if i == j else (),
            composed=("buon anno",) if j == 1 else (),
            warnings=("Fewer than 10 words in a list: the interval is wide.",) if j == 2 else (),
            items=random_items(rng, 32),
        )
        for i, (test, title) in enumerate(TESTS)
        for j, model in enumerate(MODELS)
    ]
    made.append(
        measurement(
            metric="pll-rate", test="en/pairs", title="Minimal pairs on gender", model=MODELS[1],
            value=0.62, p=None, reason="There is no p-value.", name="stereotype rate", unit="share",
            items=random_items(rng, 900), verdict=Verdict.INCONCLUSIVE,
        )
    )  # fmt: skip
    return run_of(*made, warnings=("The model hf:gpt2-small-italian gives no revision.",))


def hostile_run() -> Run:
    """Every text that a user, a word list, a vendor or a plugin could choose holds each hostile text."""
    rows = [(text, HOSTILE[-1 - i], (i - 6) / 10) for i, text in enumerate(HOSTILE)]
    everything = " | ".join(HOSTILE)
    made = [
        measurement(
            test=text,
            title=text,
            model=text,
            metric=text,
            variant=text,
            name=text,
            unit=text,
            reason=text,
            positive_means=text,
            items=table(rows, {text: list(HOSTILE)}),
            warnings=HOSTILE,
            lost=tuple(LostWord(word=t, role=t, reason=t) for t in HOSTILE),
            composed=HOSTILE,
            conventions={t: t for t in HOSTILE},
        )
        for text in HOSTILE
    ]
    # Enough items to be drawn as strips, and one family of many tests and models for the forest plot.
    made.append(measurement(items=table([(t, t, i / 50) for i, t in enumerate(HOSTILE * 6)])))
    made += [measurement(test=t, title=t, model=u, items=table([])) for t in HOSTILE for u in HOSTILE[:3]]
    nested: dict[str, Any] = {text: {text: [text]} for text in HOSTILE}
    return run_of(
        *made,
        title=everything,
        models=tuple(
            ModelUsed(
                name=t, ref=t, revision=t, digest=t, options={t: t, "nested": nested}, explicit_options={},
                facts={t: t}, transforms=(TransformUsed(name=t),),
            )
            for t in HOSTILE
        ),
        stimuli=tuple(StimuliUsed(file=t, sha256=t, source=t, licence=t, tests=(t,)) for t in HOSTILE),
        audit={
            "title": everything,
            "models": [{"ref": t, "name": t, "options": nested} for t in HOSTILE],
            "measurements": [{"metric": t, "tests": [t], "options": {t: [t]}} for t in HOSTILE],
        },
        warnings=HOSTILE,
    )  # fmt: skip
