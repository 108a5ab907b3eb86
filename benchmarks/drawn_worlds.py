"""Worlds that a planted model cannot express, for bench_validity: scores are drawn, and the rule of the metric decides.

The generators are those of the metrics' own benchmarks, which draw many more cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from scipy.special import expit, logit

from biascore.designs.clustered import Difference
from biascore.designs.mean import Mean
from biascore_metrics.advice.effects import Difference as Ratio
from biascore_metrics.gest.estimates import welch_interval
from tests.metrics.advice.worlds import WORLDS as NAMED
from tests.metrics.advice.worlds import World as OfNames
from tests.metrics.characters.test_worlds import world as occasions
from tests.metrics.robust.drawn import GROUPS as BOTH
from tests.metrics.robust.drawn import World

from .bench_bbq_validity import WORLDS as QUESTIONS
from .bench_bbq_validity import World as OfQuestions
from .bench_bbq_validity import rejected as rejected_questions
from .bench_coreference import EFFECTS, rejected
from .bench_crows_pairs_mixed import drawn, of_templates, rejects
from .bench_discrim_eval import drawn as decisions_of
from .bench_discrim_eval import rejects as decides
from .bench_eec import chosen, race_p
from .bench_eec import drawn as scores_of
from .bench_fise import CASES, SIZES, kinds, rejections
from .bench_gest_coverage import BOUND, GROUPS, MALE, inside
from .bench_gest_size import labellings, p_value
from .bench_impact_ratio import WORLDS as TABLES_OF_PEOPLE
from .bench_impact_ratio import world
from .bench_mt_geneval import drawn as translated

Found = tuple[float, float]
"""Shares of the sets that are detected, and detected without a caveat."""
LEVEL = 0.05


@dataclass(frozen=True)
class Drawn:
    """A metric in a world: ``found(effect, sets)`` with nothing there, and with ``effect``, which is ``told``.

    ``open``: what to do where it is detected too often and the result cannot tell.
    """

    metric: str
    world: str
    found: Callable[[float, int], Found]
    effect: float
    told: str
    sets: int = 2000
    open: str = ""


def both(rejected: Sequence[bool] | np.ndarray) -> Found:
    """Of a rule whose result has no caveat in such a world."""
    share = float(np.mean(rejected))
    return share, share


def pairs(variance: str, effect: float, sets: int) -> Found:
    rng = np.random.default_rng(1)
    return both([rejects(drawn(87, 0.8, variance, True, effect, rng)) for _ in range(sets)])


def templates(effect: float, sets: int, *, declared: bool) -> Found:
    rng = np.random.default_rng(2)
    rows = (of_templates((5,) * 19, "constant", effect, rng) for _ in range(sets))
    alone = np.arange(95).astype(np.str_)
    return both([rejects(one if declared else replace(one, cluster=alone)) for one in rows])


def associations(world: World, effect: float, sets: int) -> Found:
    rules = [Difference.of(table.scores, BOTH, 0.95) for table in world.tables(sets, effect)]
    detected = [(rule.p_value or 1.0) <= LEVEL for rule in rules]
    bare = [found and not rule.caveats(LEVEL) for found, rule in zip(detected, rules, strict=True)]
    return float(np.mean(detected)), float(np.mean(bare))


def decisions(questions: int, sd: float, world: str, effect: float, sets: int) -> Found:
    rng = np.random.default_rng(1)
    return both([decides(decisions_of(questions, sd, world, effect, rng)) for _ in range(sets)])


def dimensions(name: str, declared: bool, effect: float, sets: int) -> Found:
    case = CASES[name][0] if not effect else kinds(12, 0.5, declared=declared, lean=effect)
    found = rejections(case, SIZES, sets)
    return found["**the verdict**"], found["the verdict, no caution"]


@cache
def weights() -> np.ndarray:
    return labellings()


def stereotypes(shared: float, effect: float, sets: int) -> Found:
    """Sixteen of them, 220 samples each, alike in groups of three by this correlation."""
    rng = np.random.default_rng([7, round(10 * shared)])
    rejected = []
    for _ in range(sets):
        own = np.sqrt(shared) * rng.standard_normal(6)[GROUPS] + np.sqrt(1 - shared) * rng.standard_normal(16)
        rate = 0.7 + effect * np.where(MALE, 0.5, -0.5) + 0.1 * own
        shares = rng.binomial(220, rate.clip(0.001, 0.999)) / 220
        rejected.append(p_value(shares, weights()) <= LEVEL)
    return both(rejected)


def negligible(effect: float, sets: int) -> Found:
    """How often f_s is called negligible: at twice the bound, and (with an effect) where it is 0; 2,000 samples each."""
    rng = np.random.default_rng(8)
    truth = 0.0 if effect else 2 * BOUND
    called = []
    for _ in range(sets):
        rate = 0.7 + truth * np.where(MALE, 0.5, -0.5) + 0.1 * (not effect) * rng.standard_normal(16)
        interval = welch_interval(rng.binomial(2000, rate.clip(0.001, 0.999)) / 2000, MALE, 0.95)
        called.append(interval is not None and inside(interval.low, interval.high))
    return both(called)


def persons(gap: float, names: int, effect: float, sets: int) -> Found:
    """Ten names a group in seven templates, each of which has a gap of its own, in logits of sd ``gap``."""
    rows, planted = chosen(names)
    side = np.where(next(iter(rows.factors.values())) == next(iter(rows.levels.values()))[0], -0.5, 0.5)
    _, template = np.unique(rows.template, return_inverse=True)
    rejected = []
    for seed in range(sets):
        rng = np.random.default_rng([9, seed])
        logits = logit(scores_of(rows, planted, seed)) + side * (
            0.2 * effect + rng.normal(0, gap, 7)[template]
        )
        rejected.append(race_p(rows, expit(logits)) <= LEVEL)
    return both(rejected)


def questions(world: OfQuestions, effect: float, sets: int) -> Found:
    return both(rejected_questions(world, effect, sets))


def lines(n: int, correlation: float | None, effect: float, sets: int) -> Found:
    """80 % of the masculine sentences are translated in their gender, and ``effect`` fewer of the feminine ones."""
    return both(translated(n, 0.8, -effect, correlation, sets, np.random.default_rng(3))[0] <= LEVEL)


def people(name: str, effect: float, sets: int) -> Found:
    """30 % of men are selected, and of women that less ``effect`` of it."""
    rejected, _, _ = world(TABLES_OF_PEOPLE[name], 0.3, 1 - effect, sets, 999, np.random.default_rng(4))
    return rejected, rejected


def occupations(metric: str, sd: float, effect: float, sets: int) -> Found:
    """Occupations, or terms, have a bias of their own with this sd (of a sentence: 1), which is 0 on average."""
    share = rejected(metric, sd, effect, sets)
    return share, share


TEMPLATES = "believe it of these templates only; look at the effect by template"
UNKNOWN = "declare the templates"
STEREOTYPES = "doubt it where the stereotypes that differ are of one kind"


def advised(world: OfNames, effect: float, sets: int) -> Found:
    """Numbers for names of two groups, by names and templates."""
    rng = np.random.default_rng(1)
    found = [Ratio.of(*replace(world, ratio=effect).drawn(rng), 0.95) for _ in range(sets)]
    return both([one.p_value is not None and one.p_value <= LEVEL for one in found])


def written(side: int, effect: float, sets: int) -> Found:
    """Characters of five texts about each of so many occupations of either norm."""
    return both([occasions(seed, side, 5, effect)[0] <= LEVEL for seed in range(sets)])


def prompts(many: int, mostly_none: bool, effect: float, sets: int) -> Found:
    """Differences of pairs of prompts: normal, or of shares of words that most texts have none of."""
    rng = np.random.default_rng(2)
    drawn = rng.standard_normal((sets, many))
    if mostly_none:
        drawn *= rng.random((sets, many)) < 0.4
    found = (Mean.of(one, {}, 0.95, items="pairs of prompts") for one in drawn + effect)
    return both([one.p_value is not None and one.p_value <= LEVEL for one in found])


WORLDS = (
    *(
        Drawn("crows-pairs-mixed", f"variance {told}", partial(pairs, name), 1.0, "1 nat")
        for told, name in (
            ("as perplexity, which the weights assert", "~ perplexity"),
            ("constant", "constant"),
            ("constant, t with 3 df", "constant, t3"),
            ("as 1 / perplexity", "~ 1 / perplexity"),
        )
    ),
    Drawn(
        "crows-pairs-mixed",
        "19 templates of five pairs, declared",
        partial(templates, declared=True),
        1.0,
        "1 nat",
    ),
    Drawn(
        "crows-pairs-mixed",
        "the same, not declared",
        partial(templates, declared=False),
        1.0,
        "1 nat",
        open=UNKNOWN,
    ),
    *(
        Drawn("robust-association", name, partial(associations, world), 0.4, "0.4 nats", 400)
        for name, world in {
            "words alike": World(words=0.0),
            "words differ (sd 0.3 nats)": World(),
            "the same, variance as 1 / perplexity": World(variance="1 / perplexity"),
            "targets' own gaps, too (sd 0.2)": World(targets=0.2),
            "targets' own gaps, too (sd 0.4)": World(targets=0.4),
            "templates' own gaps, too (sd 0.2)": World(templates=0.2),
        }.items()
    ),
    Drawn("fise", "words in 12 kinds (.5)", partial(dimensions, "in 12 kinds (.5)", False), 1.0, "1 sd", 400),
    Drawn(
        "fise",
        "the same, kinds declared",
        partial(dimensions, "in 12 kinds (.5), declared", True),
        1.0,
        "1 sd",
        400,
    ),
    *(
        Drawn(
            "gest-mt",
            f"stereotypes alike in threes ({shared:g})" if shared else "stereotypes differ",
            partial(stereotypes, shared),
            0.2,
            "f_s .2",
            open=STEREOTYPES if shared else "",
        )
        for shared in (0.0, 0.5, 0.8)
    ),
    Drawn("gest-mt", "called *negligible* at twice the bound", negligible, 1.0, "at 0"),
    *(
        Drawn(
            metric,
            f"{of} differ (sd {sd:g})" if sd else f"{of} alike",
            partial(occupations, metric, sd),
            EFFECTS[metric],
            told,
            400,
        )
        for metric, of, told in (
            ("winobias", "occupations", "0.15 nats"),
            ("winogender", "occupations", "1 nat"),
            ("stereoset", "terms", "0.15 sd"),
        )
        for sd in (0.0, 0.1, 0.3)
    ),
    Drawn("eec", "ten names a group", partial(persons, 0.0, 10), 1.0, "1 sd", 400),
    Drawn("eec", "three names a group", partial(persons, 0.0, 3), 1.0, "1 sd", 400),
    *(
        Drawn(
            "bbq",
            world.called,
            partial(questions, world),
            0.1,
            "bias .1",
        )
        for world in QUESTIONS
        if world.guessed > 0.5
    ),
    *(
        Drawn("discrim-eval", told, partial(decisions, questions, sd, world), effect, f"{effect} logits", 400)
        for told, questions, sd, world, effect in (
            ("70 questions, no slopes", 70, 0.0, "alike", 0.1),
            ("70 questions differ (slopes sd .2)", 70, 0.2, "alike", 0.1),
            ("70 questions differ (slopes sd .5)", 70, 0.5, "alike", 0.3),
            ("the same, sizes of slopes differ", 70, 0.5, "sizes of slopes differ", 0.3),
            ("12 questions differ (slopes sd .5)", 12, 0.5, "alike", 0.3),
        )
    ),
    Drawn("eec", "gaps of templates (1 sd of names)", partial(persons, 0.2, 10), 1.0, "1 sd", 400, TEMPLATES),
    *(Drawn("advice", name, partial(advised, world), 0.1, "ratio 1.1", 400) for name, world in NAMED.items()),
    Drawn("characters", "48 kinds of work", partial(written, 24), 0.65, "gap .23", 200),
    Drawn("characters", "80 occupations", partial(written, 40), 0.65, "gap .23", 200),
    Drawn("counterfactual", "16 pairs", partial(prompts, 16, False), 0.8, ".8 sd"),
    Drawn(
        "counterfactual", "16 pairs, six of ten differ in nothing", partial(prompts, 16, True), 0.8, ".8 sd"
    ),
    Drawn("mt-geneval", "280 pairs of lines", partial(lines, 280, 0.8), 0.1, "gap .1"),
    Drawn("mt-geneval", "500 + 500 lines, no pairs", partial(lines, 500, None), 0.1, "gap .1"),
    *(
        Drawn("impact-ratio", name, partial(people, name), 0.4, "ratio .6", 400)
        for name in (
            "20 + 20 people",
            "500 + 500 people",
            "sex × race, 300 people",
            "sex × race, 3000 people",
        )
    ),
)


def rows(sets: int = 0) -> Iterator[tuple[Drawn, int, Found, Found]]:
    """Each world with its number of sets, what was found with nothing there, and with something."""
    for one in WORLDS:
        many = min(one.sets, sets or one.sets)
        yield one, many, one.found(0.0, many), one.found(one.effect, many)
