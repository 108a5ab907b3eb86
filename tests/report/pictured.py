"""Measurements with figures, made by hand: items on planes, shares by group, and several rulers for one test."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from biascore.results.estimates import ConfidenceInterval, Estimate, PValue
from biascore.results.figures import Bars, Boxes, Dots, Figure, Heat, Limit, Plane, Point
from biascore.results.measurement import Measurement
from biascore.results.run import Run
from biascore.stats.verdict import Verdict

from ..builders.runs import HOSTILE, MODELS, measurement, run_of, table

ENDS = (("women", "men"), ("black", "white"), ("poor", "rich"))
DIMENSIONS = ("gender", "race", "class")
OCCUPATIONS = (
    "nurse", "engineer", "teacher", "carpenter", "lawyer", "cleaner", "judge", "cook", "surgeon", "secretary",
    "pilot", "dancer", "banker", "farmer", "librarian", "plumber", "professor", "hairdresser", "soldier",
)  # fmt: skip
PLANE = Plane(title="Occupations by gender and race", x="gender", y="race", x_ends=ENDS[0], y_ends=ENDS[1])


def plane_items(
    rng: np.random.Generator, size: int, dimensions: int = 2, *, shift: float = 0.0, missing: int = 0
) -> pa.Table:
    """Items in the quadrants (or octants) of that many dimensions, with their projections on the diagonals."""
    places = rng.normal(shift, 0.06, (size, dimensions))
    groups = [" ".join(ends[int(v > 0)] for v, ends in zip(p, ENDS, strict=False)) for p in places]
    names = [OCCUPATIONS[i] if i < len(OCCUPATIONS) else f"occupation {i}" for i in range(size)]
    values: list[float | None] = (np.abs(places).sum(axis=1) / np.sqrt(dimensions)).tolist()
    columns: dict[str, list[Any]] = {
        name: places[:, d].tolist() for d, name in enumerate(DIMENSIONS[:dimensions])
    }
    for i in range(missing):
        columns["race"][size - 1 - i] = None
    columns["valence"] = rng.normal(0, 0.1, size).tolist()
    return table(list(zip(names, groups, values, strict=True)), columns)


def plane_measurement(
    size: int = 200, dimensions: int = 2, *, seed: int = 5, shift: float = 0.0, missing: int = 0
) -> Measurement:
    """Like FISE: shares of the groups and the affect of each, two to three planes and bars."""
    rng = np.random.default_rng(seed)
    groups = [" ".join(ends) for ends in product(*ENDS[:dimensions])]
    shares = rng.dirichlet(np.full(len(groups), 8.0)) * 100
    estimates = [Estimate(name="deviation from equal shares", value=0.31, unit="", n={"items": size},
                          interval=bounds(0.31, 0.08), p_values=(p_value(0.004),))]  # fmt: skip
    for group, share in zip(groups, shares, strict=True):
        estimates.append(share_of(f"share of {group}", float(share), 100 / len(groups), size))
        for affect in ("pleasant", "ingressive"):
            positive = float(rng.uniform(20, 80))
            estimates.append(share_of(f"{affect} in {group}", positive, 50.0, size // len(groups)))
    figures: list[Figure] = [
        Plane(title=f"Occupations by {a} and {b}", x=a, y=b, x_ends=ENDS[i], y_ends=ENDS[j])
        for i, a in enumerate(DIMENSIONS[:dimensions])
        for j, b in enumerate(DIMENSIONS[:dimensions])
        if i < j
    ]
    figures += [
        Bars(title="Share of the items in each group", estimates=tuple(f"share of {g}" for g in groups),
             labels=tuple(groups)),
        Bars(title="Pleasant items in each group", estimates=tuple(f"pleasant in {g}" for g in groups),
             labels=tuple(groups)),
    ]  # fmt: skip
    return measurement(
        metric="fise", test="it/fise_occupations", title="FISE: occupations by gender and race",
        items=plane_items(rng, size, dimensions, shift=shift, missing=missing),
    ).model_copy(update={
        "estimates": tuple(estimates), "figures": tuple(figures),
        "item_value": "projection on the diagonal of the group",
    })  # fmt: skip


def pairs_measurement() -> Measurement:
    """Like CrowS-Pairs: a rate in per cent by bias type, one of them without a value."""
    rng = np.random.default_rng(8)
    sizes = {"race-color": 516, "gender": 262, "socioeconomic": 172, "nationality": 159, "religion": 105,
             "age": 87, "sexual-orientation": 84, "physical-appearance": 63, "disability": 60}  # fmt: skip
    rates = [share_of("stereotype rate", 60.5, 50.0, 1508)]
    rates += [share_of(f"rate: {kind}", float(rng.normal(60, 6)), 50.0, n) for kind, n in sizes.items()]
    rates.append(Estimate(name="rate: profession", value=None, unit="%", neutral=50.0, n={"pairs": 0}))
    kinds = rng.choice(list(sizes), 300)
    items = table([(f"sentence {i}", str(kind), float(rng.normal(0.5, 3))) for i, kind in enumerate(kinds)])
    bars = Bars(
        title="Stereotype rate by bias type",
        estimates=tuple(e.name for e in rates),
        labels=("all", *sizes, "profession"),
    )
    return measurement(
        metric="crows-pairs", test="en/crows", title="CrowS-Pairs", model=MODELS[1], items=items,
        positive_means="the model prefers the stereotyping sentence",
    ).model_copy(update={
        "estimates": tuple(rates), "figures": (bars,),
        "item_value": "difference of pseudo-log-likelihoods (nats)",
    })  # fmt: skip


SYSTEMS = {
    "script:amazon": ("be", "ru", "hr", "sl", "sr", "cs", "pl", "sk"),
    "deepl": ("ru", "uk", "sl", "cs", "pl", "sk"),
    "google": ("be", "ru", "uk", "hr", "sl", "sr", "cs", "pl", "sk"),
    "nllb-200-3.3B": ("be", "ru", "uk", "hr", "sl", "sr", "cs", "pl", "sk"),
}
TENT = Limit(name="theoretical maximum of f_s", corners=((0.0, 0.0), (0.5, 1.0), (1.0, 0.0)))
STEREOTYPES = (
    "1 Emotional", "2 Gentle", "3 Empathetic", "4 Neat", "5 Social", "6 Weak", "7 Beautiful", "8 Tough",
    "9 Self-confident", "10 Professional", "11 Rational", "12 Providers", "13 Leaders", "14 Childish",
    "15 Sexual", "16 Strong",
)  # fmt: skip


def system_measurement(model: str, language: str, rng: np.random.Generator) -> Measurement:
    """Like GEST on one translator and language: f_s, f_m, and the rank of each stereotype."""
    level = float(np.clip(rng.normal(0.78, 0.12), 0.4, 0.97))
    rate = float(rng.uniform(0.1, 0.75) * min(0.36, 2 * (1 - level)))
    hidden = np.where(np.arange(16) < 7, 0, 1) + rng.normal(0, 0.35, 16)
    hidden[6], hidden[14] = rng.normal(-0.8, 0.2), rng.normal(0.2, 0.3)
    ranks = hidden.argsort().argsort() + 1.0
    estimates = [
        Estimate(name="f_s", value=rate, unit="share", n={"male": 1900, "female": 1400},
                 interval=bounds(rate, 0.03), p_values=(p_value(0.01),)),
        Estimate(name="f_m", value=level, unit="share", neutral=0.5, n={"samples": 3300},
                 interval=bounds(level, 0.015)),
    ]  # fmt: skip
    estimates += [
        Estimate(name=f"rank {label}", value=float(rank), unit="rank of 16", neutral=None, n={})
        for label, rank in zip(STEREOTYPES, ranks, strict=True)
    ]
    boxes = Boxes(
        title="Feminine ranks", estimates=tuple(f"rank {s}" for s in STEREOTYPES), labels=STEREOTYPES
    )
    heat = Heat(
        title="Ranks by system",
        estimates=boxes.estimates,
        labels=STEREOTYPES,
        groups=("about women",) * 7 + ("about men",) * 9,
        ends=("the most feminine", "the most masculine"),
        subject=language,
    )
    return measurement(
        metric="gest-mt", variant=f"en to {language}", test="en/gest", title="GEST", model=model, items=table([]),
    ).model_copy(update={
        "estimates": tuple(estimates),
        "figures": (Point(title="Rates", x="f_m", y="f_s", subject=language, limit=TENT), boxes, heat),
    })  # fmt: skip


def systems_run(systems: int = 4) -> Run:
    """32 pairs of a system and a language, or those of the first systems."""
    rng = np.random.default_rng(12)
    pairs = [(model, language) for model, of in list(SYSTEMS.items())[:systems] for language in of]
    return run_of(*(system_measurement(model, language, rng) for model, language in pairs))


def templates_run(models: int = 5) -> Run:
    """A rate of each model, over all templates and with each of four."""
    rng = np.random.default_rng(13)
    names = ("rate", *(f"rate, template {i}" for i in range(1, 5)))
    labels = ("all templates", *names[1:])
    made = []
    for i in range(models):
        values = rng.normal(0.2, 0.1) + rng.normal(0, 0.04, 5)
        estimates = [
            Estimate(
                name=name,
                value=float(value),
                unit="log10 odds",
                n={"samples": 3565},
                interval=bounds(value, 0.03),
            )
            for name, value in zip(names, values, strict=True)
        ]
        made.append(measurement(metric="gest-lm", test="en/gest", title="GEST", model=f"hf:model-{i}", items=table([]))
            .model_copy(update={
                "estimates": tuple(estimates),
                "figures": (Dots(title="Rate by model and template", estimates=names, labels=labels),),
            }))  # fmt: skip
    return run_of(*made)


RULERS = ("weat", "seat (sentence)", "seat (token)", "lpbs")


def rulers_run() -> Run:
    """Six tests by four methods on one model and by two on another; one value is missing."""
    rng = np.random.default_rng(4)
    made = []
    for model, methods in ((MODELS[1], RULERS), (MODELS[2], RULERS[:2])):
        for test in range(6):
            centre = rng.normal(0.5, 0.5)
            for method in methods:
                metric, _, variant = method.rstrip(")").partition(" (")
                value = float(centre + rng.normal(0, 0.3))
                absent = (model, test, method) == (MODELS[1], 2, "lpbs")
                verdict = Verdict.DETECTED if value > 0.6 else Verdict.INCONCLUSIVE
                made.append(measurement(
                    metric=metric, variant=variant, test=f"it/weat{test}", model=model,
                    title=f"WEAT {test}: career and family, female and male names",
                    value=None if absent else value, p=None if absent else 0.04,
                    verdict=Verdict.INCONCLUSIVE if absent else verdict, unit="standard deviations",
                ))  # fmt: skip
    return run_of(*made)


def hostile_figures() -> Measurement:
    """Figures, labels, ends, columns and estimates of which each text is hostile."""
    rng = np.random.default_rng(9)
    size = 5 * len(HOSTILE)
    columns = {text: rng.normal(0, 1, size).tolist() for text in HOSTILE}
    columns |= {"title": [HOSTILE[0]] * size, "image": [HOSTILE[1]] * size}
    items = table([(t, HOSTILE[i % 7], float(i)) for i, t in enumerate(HOSTILE * 5)], columns)
    estimates = [share_of(text, 10.0 + i, 25.0, 9, unit=HOSTILE[2]) for i, text in enumerate(HOSTILE)]
    figures: list[Figure] = [
        Plane(title=x, x=x, y=y, x_ends=(y, x), y_ends=(x, y))
        for x, y in zip(HOSTILE, HOSTILE[::-1], strict=True)
    ]
    figures += [Bars(title=text, estimates=HOSTILE, labels=HOSTILE[::-1]) for text in HOSTILE]
    figures += [Bars(title=text, estimates=(f"no {text}",), labels=(text,)) for text in HOSTILE]
    return measurement(items=items).model_copy(update={
        "estimates": tuple(estimates), "figures": tuple(figures), "item_value": HOSTILE[3],
    })  # fmt: skip


def share_of(name: str, value: float, neutral: float, n: int, unit: str = "%") -> Estimate:
    return Estimate(
        name=name, value=value, unit=unit, neutral=neutral, n={"items": n}, p_values=(p_value(0.04),),
        interval=bounds(value, 98 / max(n, 1) ** 0.5),
    )  # fmt: skip


def bounds(value: float, half: float) -> ConfidenceInterval:
    return ConfidenceInterval(
        low=value - half, high=value + half, level=0.95, method="percentile", resamples=9999
    )


def p_value(value: float) -> PValue:
    return PValue(name="permutation", value=value, kind="monte-carlo", alternative="two-sided", n=9999)


def hostile_joined() -> list[Measurement]:
    """Figures of the run of which each text is hostile, on several models and tests."""
    estimates = tuple(share_of(text, 10.0 + i, 25.0, 9, unit=HOSTILE[2]) for i, text in enumerate(HOSTILE))
    figures: list[Figure] = []
    for text, other in zip(HOSTILE, HOSTILE[::-1], strict=True):
        limit = Limit(name=text, corners=((0.0, 30.0), (15.0, 20.0), (40.0, 0.0)))
        figures += [
            Point(title=text, x=text, y=other, subject=other, limit=limit),
            Boxes(title=text, estimates=HOSTILE, labels=HOSTILE[::-1]),
            Dots(title=text, estimates=HOSTILE, labels=HOSTILE[::-1], subject=text),
            Heat(
                title=text,
                estimates=HOSTILE,
                labels=HOSTILE[::-1],
                groups=HOSTILE,
                ends=(text, other),
                subject=text,
            ),
            Boxes(title=f"{text} undrawn", estimates=(f"no {text}",), labels=(text,)),
        ]
    return [
        measurement(
            metric=HOSTILE[5], test=text, title=text, variant=text, model=text, items=table([])
        ).model_copy(update={"estimates": estimates, "figures": tuple(figures)})
        for text in HOSTILE[:6]
    ]


def hostile_rulers() -> list[Measurement]:
    """Each hostile text as a test and a model that two hostile methods measured, with opposite results."""
    verdicts = (Verdict.DETECTED, Verdict.INCONCLUSIVE)
    return [
        measurement(test=text, title=text, model=HOSTILE[0], metric=method, name=HOSTILE[1], unit=HOSTILE[2],
                    value=0.9 - i, verdict=verdicts[i], items=table([]))
        for text in HOSTILE
        for i, method in enumerate((HOSTILE[3], HOSTILE[4]))
    ]  # fmt: skip
