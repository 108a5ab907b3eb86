"""What a test cannot come to is told before a model is asked, by a plan, and in the reason; what it can is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from biascore import Audit, Engine
from biascore.api.stimuli import WordList
from biascore.basics.progress import Advance
from biascore.designs.pairs.test import SentencePair, SentencePairsTest
from biascore.engine.out_of_reach import out_of_reach
from biascore.metric import Metric
from biascore.stats import (
    Decision,
    Unreachable,
    Verdict,
    too_few_for_negligible,
    with_reach,
    words_for_negligible,
)
from biascore.stats.proportions import wilson_interval
from biascore.stats.reach import pairs_for_negligible

NEGLIGIBLE = "an interval inside the bound of 0.2 takes about 530 words in each target list"
FEW = {"resamples": 100, "draws": 200}


class Heard:
    """Keeps the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    @contextmanager
    def task(self, label: str, total: int) -> Iterator[Advance]:
        yield lambda _steps: None

    def note(self, text: str) -> None:
        self.notes.append(text)


def metric_of(engine: Engine, name: str, **options: Any) -> Metric:
    kind = engine.plugins.metrics.get(name)
    return kind(kind.option_type(**options))


def pairs_test(engine: Engine, counts: dict[str, int]) -> SentencePairsTest:
    test = engine.catalogue.test("en/crows_own")
    assert isinstance(test, SentencePairsTest)
    pairs = tuple(
        SentencePair(f"{name} a {i}", f"{name} b {i}", "stereo", name)
        for name, n in counts.items()
        for i in range(n)
    )
    return replace(test, pairs=replace(test.pairs, rows=pairs))


def test_that_lists_are_too_short_for_negligible_is_in_the_reason_and_not_before_a_run(
    engine: Engine,
) -> None:
    heard = Heard()
    (measured,) = Engine(cache=None, progress=heard).measure("weat", "planted:en/weat7=0", "en/weat7", **FEW)
    assert heard.notes == []
    assert measured.verdict is Verdict.INCONCLUSIVE
    assert f"It cannot show that an effect is negligible: {NEGLIGIBLE}. Longer tests" in measured.reason


def test_a_plan_tells_tests_with_one_reason_together(engine: Engine) -> None:
    audit = Audit.from_parts(
        title="Short",
        models=[{"ref": "planted:en/weat7=0"}],
        measurements=[{"metric": "weat", "tests": ["en/weat[1-4]"], "options": FEW}],
    )
    plan = engine.plan(audit, probe=False)
    (told,) = plan.out_of_reach
    assert told.tests == ("en/weat1", "en/weat2", "en/weat3", "en/weat4")
    assert (
        plan.notes[0]
        == f"weat: en/weat1, en/weat2, en/weat3 and 1 more cannot show that an effect is negligible: {NEGLIGIBLE}"
    )
    assert plan.to_json()["out_of_reach"][0]["verdict"] == "negligible"


def test_what_can_be_reached_is_not_told(engine: Engine) -> None:
    test = engine.catalogue.test("en/weat7")
    many = {role: WordList(role, tuple(f"{role}{i}" for i in range(200))) for role in "XYAB"}
    assert metric_of(engine, "weat").unreachable(replace(test, roles=many)) == ()
    assert metric_of(engine, "weat", bound=None).unreachable(test) == ()
    assert metric_of(engine, "weat", bound=1.0).unreachable(test) == ()
    found = with_reach(Decision(Verdict.DETECTED, "So."), [Unreachable(Verdict.NEGLIGIBLE, "few")])
    assert found.reason == "So."


def test_targets_too_few_for_the_test_of_their_labels_are_told(engine: Engine) -> None:
    test = engine.catalogue.test("en/weat7")
    few = {
        role: WordList(role, words.words[: 3 if role in "XY" else 8]) for role, words in test.roles.items()
    }
    (detected, negligible) = out_of_reach([(metric_of(engine, "lpbs"), replace(test, roles=few))])
    assert detected.told == (
        "lpbs: en/weat7 cannot detect an effect: the p-value cannot be below 0.1 with 3 + 3 target words"
    )
    assert negligible.verdict is Verdict.NEGLIGIBLE


def test_bias_types_and_sets_of_few_pairs_are_told(engine: Engine) -> None:
    metric = metric_of(engine, "crows-pairs")
    some = {"age": 8, "gender": 9, "religion": 5} | {f"more {i}": 70 for i in range(6)}
    (types,) = metric.unreachable(pairs_test(engine, some))
    assert types.told() == (
        "bias types age, religion cannot detect an effect: the p-value cannot be below 0.0703 with 8 pairs or fewer, "
        "adjusted for 9 bias types"
    )
    whole, pairs = metric.unreachable(pairs_test(engine, {"age": 5}))
    assert (whole.part, whole.why) == ("", "cannot be below 0.0625 with 5 pairs")
    assert pairs.why == "an interval within 45 to 55 % takes at least 382 pairs"
    assert [len(metric.unreachable(pairs_test(engine, {"age": n}))) for n in (381, 382)] == [1, 0]


def test_the_numbers_that_it_takes() -> None:
    assert words_for_negligible(0.2, 0.95) == 530
    assert too_few_for_negligible(120, 120, 0.2, 0.95)
    assert not too_few_for_negligible(130, 130, 0.2, 0.95)
    for bound in (2.0, 5.0, 20.0, 49.0):
        n = pairs_for_negligible(bound, 0.95)
        assert wilson_interval(n // 2, n).high <= 0.5 + bound / 100
        assert n == 2 or wilson_interval(n // 2 - 1, n - 2).high > 0.5 + bound / 100


def test_a_long_run_says_so_once_after_its_first_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    def heard_of(limit: float) -> list[str]:
        monkeypatch.setattr("biascore.engine.attempts.LONG", limit)
        heard = Heard()
        tests = ["en/weat7", "en/weat8"]
        Engine(cache=None, progress=heard).measure("weat", "planted:en/weat7=0", tests, **FEW)
        return heard.notes

    (told,) = heard_of(0)
    assert told.startswith("at this pace all 2 measurements take about ")
    assert heard_of(3600) == []
