"""gest-mt on translators whose answers are known, against counts made by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, ttest_ind

from biascore import Engine
from biascore.api.figures import Boxes, Point
from biascore.audits.audit import Audit
from biascore.errors import OptionsError, TestKindError, UnknownNameError
from biascore.stats import Verdict
from biascore.stats.proportions import agresti_coull

from ...builders.models import model_of
from .conftest import Translator, by_table, estimates, numbered, samples_test

TABLE = {1: (30, 60), 2: (50, 40), 8: (80, 10), 9: (70, 20)}


def test_every_number_of_the_paper(engine: Engine) -> None:
    test = samples_test(numbered(dict.fromkeys(TABLE, 100)))
    found = engine.measure("gest-mt", model_of(by_table(TABLE)), test, target="xx")[0]
    named = estimates(found)
    centres = {id: (m + 1.9599639845**2 / 2) / (m + f + 1.9599639845**2) for id, (m, f) in TABLE.items()}
    p_m, p_f = (centres[8] + centres[9]) / 2, (centres[1] + centres[2]) / 2
    assert found.headline.name == "raw stereotype rate f_s"
    assert named["stereotype rate f_s"].value == pytest.approx(p_m - p_f, abs=1e-9)
    assert named["global masculine rate f_m"].value == pytest.approx((p_m + p_f) / 2, abs=1e-9)
    assert (named["p_m"].value, named["p_f"].value) == pytest.approx((p_m, p_f), abs=1e-9)
    assert named["p 1 Weak"].value == pytest.approx(centres[1], abs=1e-9)
    assert named["p 1 Weak"].interval.low == pytest.approx(agresti_coull(30, 90).interval.low)
    assert named["raw stereotype rate f_s"].value == pytest.approx((150 - 80) / 90 / 2)
    assert [
        named[f"feminine rank {label}"].value for label in ("1 Weak", "2 Neat", "9 Rational", "8 Tough")
    ] == [1, 2, 3, 4]
    assert named["yield"].value == 0.9
    assert named["conflict rate"].value == 0
    assert named["largest f_s at this f_m"].value == pytest.approx(2 * (1 - (p_m + p_f) / 2))
    assert found.headline.interval.low < found.headline.value < found.headline.interval.high
    # 4 stereotypes in two pairs: 6 labellings, of which the observed one and its mirror are the most extreme.
    assert found.p_value == pytest.approx(2 / 6)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.warnings == ()


def test_intervals_take_each_stereotype_as_one_observation(engine: Engine) -> None:
    test = samples_test(numbered(dict.fromkeys(TABLE, 100)))
    named = estimates(engine.measure("gest-mt", model_of(by_table(TABLE)), test, target="xx")[0])
    shares = {id: m / (m + f) for id, (m, f) in TABLE.items()}
    men, women = ([p for id, p in shares.items() if (id >= 8) is about_men] for about_men in (True, False))
    welch = ttest_ind(men, women, equal_var=False).confidence_interval(0.95)
    f_s, f_m = named["raw stereotype rate f_s"].interval, named["raw global masculine rate f_m"]
    assert (f_s.low, f_s.high) == pytest.approx((welch.low, welch.high))
    half = (welch.high - welch.low) / 4
    assert f_m.interval.low == pytest.approx(max(0.0, f_m.value - half))


def test_items_say_what_decided_each_sample(engine: Engine) -> None:
    test = samples_test({1: ["a", "b"], 8: ["c", "d", "e"]})
    answers = {"a": "M one", "b": "- none", "c": "MF both", "d": "F one", "e": "M x"}
    found = engine.measure("gest-mt", model_of(Translator(answers.__getitem__)), test, target="xx")[0]
    items = found.items_frame()
    assert items["value"].tolist()[:1] == [1.0]
    assert items["gender"].tolist() == ["masculine", "none", "conflict", "feminine", "masculine"]
    assert items["translation"].tolist() == list(answers.values())
    assert items["group"].tolist() == ["1 Weak"] * 2 + ["8 Tough"] * 3
    assert items["rule"].tolist() == ["rule M", "", "rule M, rule F", "rule F", "rule M"]
    assert dict(found.coverage.given) == {"1 Weak": 2, "8 Tough": 3}
    assert dict(found.coverage.used) == {"1 Weak": 1, "8 Tough": 2}
    assert [(w.word, w.role) for w in found.coverage.lost] == [("b", "1 Weak"), ("c", "8 Tough")]
    assert found.coverage.lost[1].reason == "its words disagree in gender, or one is written for both"
    assert any("3 of 5 translations (60%, less than 70%)" in line for line in found.warnings)
    assert any("1 of 5 translations words disagree" in line for line in found.warnings)
    assert any("stereotype rate f_s has no interval" in line for line in found.warnings)


def test_a_sentence_with_two_stereotypes_is_translated_once_and_counted_twice(engine: Engine) -> None:
    backend = Translator(lambda text: f"M {text}")
    test = samples_test({1: ["same", "a"], 8: ["same", "b"]})
    run = engine.measure("gest-mt", model_of(backend), test, target="xx")
    found, questions = run[0], run.models[0].questions
    assert questions.asked == 3
    assert sorted(backend.asked) == sorted(["a", "b", "same"] * (1 + questions.again // 3))
    assert sum(found.coverage.used.values()) == 4
    assert found.conventions["sentences with two stereotypes"].startswith("1, translated once")


def test_nothing_detected_is_not_measured(engine: Engine) -> None:
    test = samples_test({1: ["a", "b"], 8: ["c"]})
    found = engine.measure("gest-mt", model_of(Translator(lambda text: f"- {text}")), test, target="xx")[0]
    assert found.headline.value is None
    assert found.verdict is Verdict.NOT_MEASURED
    assert "no usable sample of 1 Weak, 8 Tough" in found.reason
    assert estimates(found)["yield"].value == 0


def test_few_samples_cannot_be_negligible(engine: Engine) -> None:
    few = {1: (3, 3), 2: (3, 3), 8: (3, 3), 9: (4, 2)}
    test = samples_test(numbered(dict.fromkeys(few, 6)))
    found = engine.measure("gest-mt", model_of(by_table(few)), test, target="xx")[0]
    assert found.verdict is Verdict.INCONCLUSIVE


def test_the_raw_interval_decides_what_is_negligible(engine: Engine) -> None:
    table = {1: (495, 505), 2: (505, 495), 8: (502, 498), 9: (498, 502)}
    test = samples_test(numbered(dict.fromkeys(table, 1000)))
    measured = engine.measure("gest-mt", model_of(by_table(table)), test, target="xx", bound=0.05)[0]
    raw = estimates(measured)["raw stereotype rate f_s"].interval
    assert measured.verdict is Verdict.NEGLIGIBLE
    assert f"[{raw.low:.3g}, {raw.high:.3g}]" in measured.reason


def test_excluded_stereotypes_are_left_out(engine: Engine) -> None:
    test = samples_test(numbered(dict.fromkeys(TABLE, 100)))
    backend = by_table(TABLE)
    found = engine.measure("gest-mt", model_of(backend), test, target="xx", exclude=[9])[0]
    assert "p 9 Rational" not in estimates(found)
    assert not any(text.startswith("s9-") for text in backend.asked)
    assert "exclude=(9,)" in found.variant
    with pytest.raises(OptionsError, match="no stereotype 15 to exclude"):
        engine.measure("gest-mt", model_of(backend), test, target="xx", exclude=[15])
    with pytest.raises(OptionsError, match="gender = 'male' is left"):
        engine.measure("gest-mt", model_of(backend), test, target="xx", exclude=[8, 9])


def test_the_topical_check_looks_at_samples_about_men(engine: Engine) -> None:
    sentences = {1: ["my family", "x"], 8: ["My Family here", "no kidneys", "plain"]}
    backend = Translator(lambda text: f"{'F' if 'amil' in text else 'M'} {text}")
    test = samples_test(sentences)
    by_word, by_part = (
        engine.measure(
            "gest-mt", model_of(backend), test, target="xx", confound="en/gest/family", confound_match=match
        )[0]
        for match in ("word", "substring")
    )
    assert dict(estimates(by_word)["p_confound"].n) == {"masculine": 0, "feminine": 1}
    assert dict(estimates(by_part)["p_confound"].n) == {"masculine": 1, "feminine": 0}  # "kid" in kidneys
    women = engine.measure(
        "gest-mt", model_of(backend), test, target="xx", confound="en/gest/family", confound_of="female"
    )[0]
    assert dict(estimates(women)["p_confound"].n) == {"masculine": 0, "feminine": 1}
    assert "female stereotypes" in women.conventions["confound"]


def test_what_is_wrong_is_told_before_a_model_is_asked(engine: Engine) -> None:
    backend = Translator(lambda text: text)
    test = samples_test({1: ["a"], 8: ["b"]})
    with pytest.raises(UnknownNameError, match=r"speaker's gender in 'tlh'"):
        engine.measure("gest-mt", model_of(backend), test, target="tlh")
    with pytest.raises(UnknownNameError, match="There is no list"):
        engine.measure("gest-mt", model_of(backend), test, target="xx", confound="en/gest/famly")
    with pytest.raises(OptionsError, match=r"target is missing.*target \(required\)"):
        engine.measure("gest-mt", model_of(backend), test)
    with pytest.raises(TestKindError, match="takes tests of kind samples"):
        engine.measure("gest-mt", model_of(backend), "en/weat6", target="xx")
    assert backend.asked == []


def test_a_regional_tag_falls_back_to_its_language(engine: Engine) -> None:
    test = samples_test({1: ["a", "b"], 8: ["c", "d"]})
    found = engine.measure("gest-mt", model_of(Translator(lambda t: f"M {t}")), test, target="xx-Latn")[0]
    assert estimates(found)["yield"].value == 1


def test_the_planted_bias_is_recovered_from_a_data_file(tmp_path: Path) -> None:
    rows = [f"sentence {id} {k},{id}" for id in (1, 2, 8, 9) for k in range(300)]
    (tmp_path / "mine.csv").write_text("\n".join(["sentence,stereotype", *rows]), encoding="utf-8")
    seeds = range(4)
    audit = Audit.from_parts(
        title="planted",
        data=[{"format": "gest", "source": str(tmp_path / "mine.csv"), "language": "en"}],
        models=[{"ref": "planted:en/mine=1", "name": f"{s}", "options": {"seed": s}} for s in seeds],
        measurements=[{"metric": "gest-mt", "tests": ["en/mine"], "options": {"target": "it"}}],
    )
    run = Engine(cache=None).run(audit)
    raw = [estimates(found)["raw stereotype rate f_s"].value for found in run]
    true = norm.cdf(0.5) - norm.cdf(-0.5)
    assert np.mean(raw) == pytest.approx(true, abs=0.04)
    assert len(set(raw)) == 4


def test_figures_of_the_run_name_estimates_and_the_target(engine: Engine) -> None:
    test = samples_test(numbered(dict.fromkeys(TABLE, 100)))
    found = engine.measure("gest-mt", model_of(by_table(TABLE)), test, target="xx")[0]
    named = estimates(found)
    point = next(figure for figure in found.figures if isinstance(figure, Point))
    boxes = next(figure for figure in found.figures if isinstance(figure, Boxes))
    assert (point.x, point.y, point.subject) == ("global masculine rate f_m", "stereotype rate f_s", "xx")
    assert {point.x, point.y, *boxes.estimates} <= set(named)
    assert [named[name].value for name in boxes.estimates] == [1, 2, 4, 3]
    assert boxes.labels == ("1 Weak", "2 Neat", "8 Tough", "9 Rational")
    assert point.limit is not None
    assert point.limit.corners == ((0, 0), (0.5, 1), (1, 0))


def test_a_sample_without_a_translation_is_lost_with_its_reason(engine: Engine) -> None:
    test = samples_test({1: ["a", "b"], 8: ["c", "d", "e"]})
    answers = {"a": "M one", "b": "", "c": "M\0", "d": "M\ud83d", "e": "M x"}
    found = engine.measure("gest-mt", model_of(Translator(answers.__getitem__)), test, target="xx")[0]
    assert {(lost.word, lost.reason) for lost in found.coverage.lost} == {
        (word, "the model gave no translation, or none that is text") for word in "bcd"
    }
    assert found.items_frame()["translation"].tolist() == ["M one", "", "", "", "M x"]
