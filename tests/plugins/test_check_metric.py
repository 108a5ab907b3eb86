"""``check_metric`` passes a sound metric, and names the clause that another one breaks."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import ttest_ind

from biascore import Engine
from biascore.api.metrics import Context, Metric, Model, PValue, Test
from biascore.designs import WordOptions, embed_words
from biascore.results.estimators import Contrast
from biascore.results.measurement import item_table
from biascore.stats import Decision, Verdict
from biascore.testing import MetricContract, NotAskedError, NotAskedWarning, check_metric

from .trouble import Coverage, Estimate, Finding, finding, metric_that


def detected() -> Finding:
    """A verdict without a p-value."""
    return sound(decision=Decision(Verdict.DETECTED, "So."))


def sound(value: float = 0.5, **changes: Any) -> Finding:
    """A finding whose headline is the mean of its items."""
    head = Estimate(name="mean", value=value, unit="none", n={"X": 2}, estimator=Contrast(groups={"": 1.0}))
    counts = {"X": 2}
    items = item_table(["a", "b"], ["X", "X"], [0.4, 0.6])
    parts = {"estimates": (head,), "coverage": Coverage(given=counts, used=counts), "items": items}
    return finding(**{**parts, **changes})


def first_word(_metric: object, model: Any, test: Any, _context: object) -> Finding:
    value = float(model.embed(test.roles["X"].words)[0, 0])
    return sound(estimates=(replace_estimator(sound(), value),))


def replace_estimator(one: Finding, value: float) -> Estimate:
    return one.estimates[0].model_copy(update={"value": value, "estimator": None})


BROKEN: dict[str, Callable[..., Finding]] = {
    "measures: .*not finite": lambda *_: sound(items=item_table(["a"], ["X"], [float("inf")])),
    "measures: .*does not follow": lambda *_: detected(),
    "estimator: the items give 0.5, and the headline is 0.7": lambda *_: sound(0.7),
    "order: ": first_word,
    "seed: ": lambda *_: sound(conventions={"draw": random.random()}),
    "coverage: of X, 3 are given, 2 used and 0 lost": lambda *_: sound(
        coverage=Coverage(given={"X": 3}, used={"X": 2})
    ),
    "keys: the conventions are ": lambda _m, model, *_: sound(conventions={model.name: 1}),
}


@pytest.fixture(scope="module")
def lent() -> Engine:
    """An engine of these tests alone, for metrics are registered in it."""
    return Engine(cache=None)


@pytest.mark.parametrize("broken", BROKEN)
def test_the_clause_that_a_metric_breaks_is_named(lent: Engine, broken: str) -> None:
    made = metric_that(BROKEN[broken], f"broken-{[*BROKEN].index(broken)}")
    with pytest.raises(AssertionError, match=rf"^{broken}"):
        check_metric(made, "en/weat7", engine=lent, nulls=0)


class Nearness(Metric):
    """The mean of s(w, A, B) over X, minus that over Y, with Welch's t; ``changed`` makes a fault of the two numbers."""

    name: ClassVar[str] = "nearness"
    summary: ClassVar[str] = "made"
    reference: ClassVar[str] = "none"
    requires: ClassVar[frozenset[str]] = frozenset({"embed"})
    kinds: ClassVar[frozenset[str]] = frozenset({"weat"})

    def changed(self, value: float, p: float) -> tuple[float, float]:
        return value, p

    def more(self, model: Model, words: int) -> dict[str, Any]:
        return {}

    def measure(self, model: Model, test: Test, context: Context) -> Finding:
        lists = {role: test.roles[role].words for role in "XYAB"}
        found = embed_words(model, lists, "sentence", WordOptions())
        counts = {role: len(found.words[role]) for role in "XY"}
        few = min(map(len, found.words.values())) < 2
        value, p, scores = None, None, np.zeros(0)
        if not few:
            near = (
                found.cosines(["X", "Y"], ["A"]).mean(axis=1),
                found.cosines(["X", "Y"], ["B"]).mean(axis=1),
            )
            scores = near[0] - near[1]
            x, y = scores[: counts["X"]], scores[counts["X"] :]
            value, p = self.changed(
                float(x.mean() - y.mean()), float(ttest_ind(x, y, equal_var=False).pvalue)
            )
        p_value = PValue(name="t", value=p or 0, kind="asymptotic", alternative="two-sided")
        items = item_table(
            [*found.words["X"], *found.words["Y"]] if len(scores) else [],
            np.repeat(["X", "Y"], list(counts.values())).tolist() if len(scores) else [],
            scores.tolist(),
            **self.more(model, len(scores)),
        )
        told = "" if p is None else f"p = {p}"
        verdict = Verdict.DETECTED if p is not None and p <= 0.05 else Verdict.INCONCLUSIVE
        return Finding(
            estimates=(
                Estimate(
                    name="nearness", value=value, unit="cosine", n=counts, p_values=() if few else (p_value,)
                ),
            ),
            coverage=found.coverage,
            conventions=self.stated(model, few=few),
            decision=Decision(verdict, told or "It was not measured: too few words."),
            items=items,
        )

    def stated(self, model: Model, *, few: bool) -> dict[str, Any]:
        return {"difference": "of means"}


NUMBERS = count()


def near(**changes: Any) -> type[Metric]:
    return type("Near", (Nearness,), {"name": f"near-{next(NUMBERS)}", **changes})


class Counting(Nearness):
    """Remembers what it measured before."""

    name: ClassVar[str] = "counting"
    measured = 0

    def stated(self, model: Model, *, few: bool) -> dict[str, Any]:
        self.measured += 1
        return {**super().stated(model, few=few), "measured": self.measured}


WRONG: dict[str, type[Metric]] = {
    "rises: it does not rise: ": near(changed=lambda _, value, p: (float(np.sign(value)), p)),
    "sign: -1 is planted, and the headline is 4": near(changed=lambda _, value, p: (value + 5, p)),
    "sign: 1 is planted, and the headline is -": near(changed=lambda _, value, p: (value - 5, p)),
    "false positives: it detects an effect on [1-6][0-9] of 60 models without one": near(
        changed=lambda _, value, p: (value, p / 10)
    ),
    "cached: with answers from the cache it is another result": near(
        stated=lambda _, model, **__: {"asked": bool(model.counts.cached)}
    ),
    "audited: in an audit it is another result on planted:en/weat7=0": Counting,
    "lost: the conventions are \\['few'\\] on a model without 100% of its answers": near(
        stated=lambda _, __, few: {"few" if few else "enough": True}
    ),
    "stored: it cannot be stored and read: ": near(
        more=lambda _, __, words: {
            "more": {"since": pa.array([(1, 1, 1)] * words, pa.month_day_nano_interval())}
        }
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_sound_metric_keeps_every_clause_and_each_fault_breaks_its_own_alone(
    lent: Engine, wrong: str
) -> None:
    nulls = 60 if wrong.startswith("false positives") else 0
    with pytest.raises(AssertionError, match=rf"^{wrong}") as raised:
        check_metric(WRONG[wrong], "en/weat7", engine=lent, nulls=nulls)
    broken = re.findall(r"^Contract \(metric\), ([a-z ]+):", str(raised.value), re.MULTILINE)
    assert broken == [wrong.partition(":")[0]]


def test_a_headline_that_falls_breaks_both_clauses_on_direction(lent: Engine) -> None:
    falls = near(changed=lambda _, value, p: (-value, p))
    with pytest.raises(AssertionError) as raised:
        check_metric(falls, "en/weat7", engine=lent, nulls=0)
    assert re.findall(r"^Contract \(metric\), ([a-z ]+):", str(raised.value), re.MULTILINE) == [
        "rises",
        "sign",
    ]


def test_a_size_without_direction_rises_with_the_size(lent: Engine) -> None:
    size = near(name="size", changed=lambda _, value, p: (abs(value), p))
    with pytest.raises(AssertionError, match=r"^rises: .*\n.*\n\nsign: "):
        check_metric(size, "en/weat7", engine=lent, nulls=0)
    undirected = type("Undirected", (size,), {"directed": False, "name": "undirected"})
    with pytest.warns(NotAskedWarning, match=r"sign \(the headline of undirected has no direction"):
        check_metric(undirected, "en/weat7", engine=lent, nulls=0)


@pytest.mark.slow
def test_a_sound_metric_need_not_be_installed_nor_its_test_be_a_stimulus(lent: Engine) -> None:
    own = replace(lent.tests("weat", ["en/weat7"], {})[0], id="en/own", file="own.toml")
    with pytest.warns(NotAskedWarning, match=r"audited \(en/own is in no file of stimuli\)"):
        found = check_metric(near(name="uninstalled"), own, engine=lent)
    assert (found.metric, found.test) == ("uninstalled", "en/own")


def test_a_metric_that_tests_nothing_is_not_asked_for_false_positives(lent: Engine) -> None:
    contract = MetricContract(metric_that(lambda *_: sound()), "en/weat7", engine=lent)
    said = {}
    for clause in contract.clauses():
        try:
            clause()
        except NotAskedError as error:
            said[clause.name] = str(error)
        except AssertionError:
            assert clause.name in {"rises", "sign"}  # the same on every model
    assert said == {"false positives": "made-metric decides nothing"}
    contract.close()


def test_what_cannot_be_measured_is_said_once(lent: Engine) -> None:
    def fails(*_: object) -> Finding:
        raise ValueError("no")

    with pytest.raises(AssertionError) as raised:
        check_metric(metric_that(fails, "fails"), "en/weat7", engine=lent)
    assert str(raised.value).count("Contract (metric)") == 1


def test_two_metrics_of_one_name_are_refused(engine: Engine) -> None:
    with pytest.raises(AssertionError, match=r"^declares: another installed metric is called weat"):
        check_metric(metric_that(lambda *_: sound(), "weat"), "en/weat7", engine=engine)


@pytest.mark.parametrize(
    ("nulls", "most", "found"),
    [(60, 9, {0.2: 0.79, 0.25: 0.95, 0.15: 0.41, 0.1: 0.07}), (200, 21, {0.15: 0.96, 0.1: 0.35})],
)
def test_the_power_of_false_positives_is_as_stated(nulls: int, most: int, found: dict[float, float]) -> None:
    """Of each true rate; summed here term by term."""

    def above(rate: float) -> float:
        terms = [math.comb(nulls, k) * rate**k * (1 - rate) ** (nulls - k) for k in range(most + 1)]
        return 1 - sum(terms)

    assert above(0.05) < 0.001
    assert (check_metric.__doc__ or "").count(f"{most + 1} detections") == (nulls == 60)
    for rate, power in found.items():
        assert above(rate) == pytest.approx(power, abs=0.005)
        assert f"{power:.2f}".lstrip("0") in (check_metric.__doc__ or "")
