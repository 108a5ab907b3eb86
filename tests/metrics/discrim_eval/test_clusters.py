"""Questions of one topic react alike: where the test names topics, effects are tested by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from biascore.errors import DataError
from biascore.stats import Verdict, holm
from biascore.stimuli.dataset import locate
from biascore_metrics.discrim_eval.asking import DiscrimEvalOptions, table
from biascore_metrics.discrim_eval.effects import Effects, Factors
from biascore_metrics.discrim_eval.format import DiscrimEvalFormat, DiscrimEvalFormatOptions
from biascore_metrics.discrim_eval.items import DecisionsTest
from biascore_metrics.discrim_eval.metric import DiscrimEval

from .deciding import Continues, cases_of, decisions_test, measure, own


def in_topics(questions: int, each: int) -> DecisionsTest:
    """Questions, so many to a topic."""
    cases = cases_of(questions)
    return decisions_test(replace(one, cluster=f"topic {int(one.question[1:]) // each}") for one in cases)


@pytest.mark.slow
def test_topics_that_react_in_their_own_way_are_no_finding() -> None:
    test, rng, sets = in_topics(70, 10), np.random.default_rng(3), 150
    cases = test.decisions
    factors = Factors.of(test, "male", "white")
    design = factors.design(table(cases))
    questions = [one.question for one in cases]
    of_question = np.array([int(name[1:]) for name in questions])
    female = np.array([one.gender == "female" for one in cases])
    rejects = {True: 0, False: 0}
    for _ in range(sets):
        slopes = np.repeat(rng.standard_normal(7), 10) + 0.3 * rng.standard_normal(70)
        scores = slopes[of_question] * female + 0.5 * rng.standard_normal(len(cases))
        for by_topic in rejects:
            found = Effects.of(scores, design, questions, 0.95, test.clusters if by_topic else None)
            assert isinstance(found, Effects)
            rejects[by_topic] += found.p.alone.iloc[0] <= 0.05
    # 5 % within two standard errors and a half; over questions it is far more.
    assert rejects[True] / sets <= 0.05 + 2.5 * (0.05 * 0.95 / sets) ** 0.5
    assert rejects[False] / sets > 0.4


def by_topic(text: str) -> float:
    """Women get more, and how much more depends on the topic of the question."""
    question = text.partition(":")[0]
    topic = int(question[1:]) // 3
    more = 0.8 + 0.3 * own(f"topic {topic}") + 0.1 * own(question)
    return 2 * own(question) + more * (" female" in text) + 0.05 * own(text)


def test_the_effect_of_equal_topics_is_the_t_test_of_their_means() -> None:
    found = measure(Continues(by_topic), in_topics(24, 3))
    frame = found.items_frame()
    frame = frame[frame["change"] == ""]
    frame["gender"] = frame["group"].str.partition(", ")[0]
    by_question = frame.pivot_table(index=["cluster", "question"], columns="gender", values="value")
    topics = (by_question["female"] - by_question["male"]).groupby("cluster").mean()
    estimate = found.estimate("gender: female - male")
    assert dict(estimate.n) == {"questions": 24, "clusters": 8}
    assert estimate.p_values[-1].name == "t over questions, CR2 by cluster"
    expected = max(ttest_1samp(topics, 0).pvalue, 2**-7)  # that of eight signs
    assert estimate.p_values[-1].value == pytest.approx(expected)
    assert found.verdict is Verdict.DETECTED
    assert (
        found.conventions["p-value"] == "t over questions, CR2 by cluster, two-sided, Holm over all effects"
    )


def test_what_differs_by_rounding_alone_has_no_p_by_topics_either() -> None:
    """Race makes no difference in any question, and gender one of its own in each."""
    test = in_topics(24, 3)
    cases = test.decisions
    female = np.array([one.gender == "female" for one in cases])
    shift = np.random.default_rng(3).standard_normal((2, 24))
    place = np.array([int(one.question[1:]) for one in cases])
    scores = 0.1 + shift[0][place] + (1.0 + shift[1][place]) * female
    design = Factors.of(test, "male", "white").design(table(cases))
    found = Effects.of(scores, design, [one.question for one in cases], 0.95, test.clusters)
    assert isinstance(found, Effects)
    assert found.p.alone.notna().tolist() == [True, False, False]
    assert (np.ptp(found.of_questions, axis=0)[1:] > 0).any()


def test_few_topics_can_detect_nothing() -> None:
    (why,) = DiscrimEval(DiscrimEvalOptions()).unreachable(in_topics(12, 2))
    assert "cannot be below 0.0938 with 6 clusters, adjusted for 3 effects" in why.why
    assert DiscrimEval(DiscrimEvalOptions()).unreachable(in_topics(24, 3)) == ()
    found = measure(Continues(by_topic), in_topics(12, 2))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert min(holm([p.value for p in found.estimate("gender: female - male").p_values])) > 0.05


def test_topics_of_one_question_change_nothing() -> None:
    plain, named = (
        measure(Continues(by_topic), test) for test in (decisions_test(cases_of()), in_topics(6, 1))
    )
    assert plain.headline.model_dump() == named.headline.model_dump()


def read(path: Path, text: str) -> DecisionsTest:
    path.write_text(text, encoding="utf-8")
    test = DiscrimEvalFormat(DiscrimEvalFormatOptions(columns={"cluster": "topic"})).read(
        locate(str(path), "xx/mine", "xx")
    )
    assert isinstance(test, DecisionsTest)
    return test


def test_a_column_of_the_file_names_the_topic(tmp_path: Path) -> None:
    head = "filled_template,decision_question_id,age,gender,race,topic\n"
    rows = "a,1,30,male,white,money\nb,1,30,female,white,money\nc,2,30,male,white,\nd,2,30,female,white,\n"
    test = read(tmp_path / "a.csv", head + rows)
    assert test.clusters == {"1": "money", "2": "question 2"}
    with pytest.raises(DataError, match="has question 1 in two clusters, 'money' and 'home'"):
        read(tmp_path / "b.csv", head + rows.replace("female,white,money", "female,white,home"))
