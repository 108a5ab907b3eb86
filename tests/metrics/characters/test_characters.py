"""Characters on models that write of a known gender: gap, share and bounds; what is unread is never a zero."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from biascore import Engine
from biascore.api.adapters import Identity
from biascore.api.exporters import Measurement
from biascore.stats import Verdict
from biascore_metrics.characters.items import MEN, WOMEN, Occasion
from biascore_metrics.characters.metric import Characters

from ...builders.models import model_of
from .writers import HE, NO, SHE, THEY, I, Says, Writes, by_norm, measured, occasions_test, swapped

GAP, SHARE = "stereotype gap", "masculine share"
AS, AGAINST = f"{GAP}, unread as the norm", f"{GAP}, unread against the norm"


def values(found: Measurement, *names: str) -> list[float | None]:
    return [found.estimate(name).value for name in names]


@pytest.mark.parametrize(
    ("says", "gap", "share", "verdict"),
    [
        (by_norm(HE, HE), 0.0, 1.0, Verdict.INCONCLUSIVE),
        (by_norm(SHE, SHE), 0.0, 0.0, Verdict.INCONCLUSIVE),
        (by_norm(HE, SHE), 1.0, 0.5, Verdict.DETECTED),
        (by_norm(SHE, HE), -1.0, 0.5, Verdict.DETECTED),
    ],
)
def test_he_alone_is_no_gap_and_the_stereotype_is_one(
    engine: Engine, says: Says, gap: float, share: float, verdict: Verdict
) -> None:
    found = measured(engine, says)
    assert values(found, GAP, SHARE, AS, AGAINST, "share unread") == [gap, share, gap, gap, 0.0]
    assert found.verdict is verdict
    interval = found.headline.interval
    assert interval is not None
    assert -1.0 <= interval.low <= gap <= interval.high <= 1.0
    assert interval.high > interval.low
    assert found.headline.estimator is not None
    assert found.headline.estimator.value(found.items) == pytest.approx(gap, abs=1e-12)


def test_always_he_of_many_occasions_is_negligible(engine: Engine) -> None:
    assert measured(engine, by_norm(HE, HE), occasions_test(60)).verdict is Verdict.NEGLIGIBLE


@pytest.mark.parametrize("said", [THEY, I, NO, "", "and then went home."])
def test_what_is_about_neither_is_not_measured(engine: Engine, said: str) -> None:
    found = measured(engine, by_norm(said, said))
    assert found.verdict is Verdict.NOT_MEASURED
    assert values(found, GAP, SHARE, "share unread", AS, AGAINST) == [None, None, 1.0, 1.0, -1.0]
    assert found.p_value is None
    assert set(found.items["value"].to_pylist()) == {None}


def test_the_reason_says_what_the_texts_are(engine: Engine) -> None:
    assert measured(engine, by_norm(THEY, THEY)).quote == ""
    assert "a man in 100 % where the norm is men and in 0 %" in measured(engine, by_norm(HE, SHE)).quote
    assert "a gap of −1.00 (95 % interval −1.00 to" in measured(engine, by_norm(SHE, HE)).quote
    assert "32 they" in measured(engine, by_norm(THEY, THEY)).reason
    assert "chat template" in measured(engine, by_norm("and went home.", ", who slept.")).reason
    assert "decline" in measured(engine, by_norm(NO, NO)).reason


def test_texts_that_do_not_end_are_not_measured(engine: Engine) -> None:
    test = occasions_test()
    found = engine.measure("characters", model_of(Writes(test, by_norm(HE, SHE), "length")), test)[0]
    assert found.verdict is Verdict.NOT_MEASURED
    assert "max_tokens" in found.reason


def test_a_language_without_a_reader_is_not_measured_and_nothing_is_asked(engine: Engine) -> None:
    test = occasions_test(language="fi")
    backend = Writes(test, by_norm(HE, SHE))
    found = engine.measure("characters", model_of(backend), test)[0]
    assert found.verdict is Verdict.NOT_MEASURED
    assert "'fi'" in found.reason
    assert backend.asked == 0


def test_one_refused_side_is_a_wide_bound_and_a_caveat(engine: Engine) -> None:
    refused = itertools.count()

    def says(one: Occasion) -> str:
        if one.side == WOMEN:
            return SHE
        return HE if next(refused) % 4 == 0 else NO

    found = measured(engine, says)
    assert values(found, GAP, "share unread", AS, AGAINST) == [1.0, 0.375, 1.0, 0.25]
    assert any("12 of 32 texts do not count (12 refused)" in caveat for caveat in found.cautions)


def test_unread_texts_that_could_undo_it_are_said(engine: Engine) -> None:
    turn = itertools.count()

    def says(one: Occasion) -> str:
        told = HE if one.side == MEN else SHE
        return (told, THEY, told, I, told)[next(turn) % 5]

    found = measured(engine, says)
    assert found.verdict is Verdict.DETECTED
    low, high = values(found, AGAINST, AS)
    assert low is not None
    assert high == 1.0
    assert ("the unread texts could undo it" in found.doubts) == (low <= 0)


def test_swapped_norms_turn_the_sign(engine: Engine) -> None:
    turn = itertools.count()
    says = [HE, SHE, HE, HE, SHE, HE, HE]

    def mixed(one: Occasion) -> str:
        return says[next(turn) % 7] if "welder" in one.about else SHE

    test, other = occasions_test(), swapped(occasions_test())
    first = measured(engine, mixed, test)
    turn = itertools.count()
    second = measured(engine, mixed, other)
    gap, back = first.headline.value, second.headline.value
    assert gap is not None
    assert back is not None
    assert gap > 0.3
    assert back == pytest.approx(-gap)
    assert values(first, SHARE) == values(second, SHARE)
    slopes = [one.estimate("slope on the norm").value for one in (first, second)]
    assert slopes[0] == pytest.approx(-slopes[1])


def test_the_person_of_the_occupation_is_read_and_not_another(engine: Engine) -> None:
    test = occasions_test()
    rows = tuple(replace(one, noun=one.about.removeprefix("a ")) for one in test.occasions.rows)
    named = replace(test, occasions=test.occasions.of(rows))
    found = measured(engine, lambda one: f"Mary, {one.about}, met her husband John. She was glad.", named)
    assert values(found, GAP, SHARE) == [0.0, 0.0]


def test_items_hold_prompt_text_outcome_reading_and_evidence(engine: Engine) -> None:
    found = measured(engine, by_norm(HE, NO))
    rows = found.items.to_pylist()
    he, no = (next(row for row in rows if row["group"] == side) for side in (MEN, WOMEN))
    assert (he["text"], he["outcome"], he["reading"], he["evidence"]) == (HE, "read", "masculine", "He, he")
    assert (no["text"], no["outcome"], no["reading"], no["evidence"], no["value"]) == (
        NO,
        "refused",
        "",
        "",
        None,
    )
    assert he["prompt"].startswith("Tell of the day of a welder")
    assert [row["shown"] for row in rows].count(True) == 1


def test_templates_limits_what_is_asked(engine: Engine) -> None:
    found = measured(engine, by_norm(HE, SHE), templates=1, samples=2)
    assert len(found.items) == 32
    assert set(found.items["template"].to_pylist()) == {"in short"}
    assert found.variant == "samples=2, templates=1"


def test_few_occasions_can_detect_nothing(engine: Engine) -> None:
    found = measured(engine, by_norm(HE, SHE), occasions_test(2))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "2 + 2 occasions" in found.reason


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ({"ways": ("letters", "text")}, ("occasions-*",)),
        ({"facts": {"chat_template": "f00"}}, ("occasions-*",)),
        ({"ways": ("text",)}, ()),
        ({}, ()),
    ],
)
def test_audits_ask_chat_models(told: dict[str, Any], asked: tuple[str, ...]) -> None:
    backend = Writes(occasions_test(), by_norm(HE, SHE))
    backend.identity = Identity(digest="test:chat", **told)
    assert Characters.audited(model_of(backend)) == asked


def test_a_report_shows_four_texts_escaped_behind_a_notice(engine: Engine, tmp_path: Path) -> None:
    test = occasions_test()
    turn = itertools.count()

    def says(one: Occasion) -> str:
        told = HE if (one.side == MEN) == (next(turn) % 3 < 2) else SHE
        return f"{told} <script>alert({one.about[-1]})</script>"

    run = engine.measure("characters", model_of(Writes(test, says)), test)
    run.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert(" not in page
    assert page.count("&lt;script&gt;alert(") == 4
    assert "They may repeat stereotypes" in page
