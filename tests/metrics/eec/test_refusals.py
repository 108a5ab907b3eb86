"""What ``eec`` refuses, each with the next step, and what it warns of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from biascore.api.exporters import Measurement
from biascore.errors import AnswerError, CapabilityError, OptionsError
from biascore_metrics.eec.items import EquityRow, EquityTest, Grammar
from biascore_metrics.eec.metric import Eec
from biascore_metrics.eec.options import EecOptions

from ..measuring import measured
from .corpora import TEMPLATES, Score, corpus, drawn, regressor

TEST = corpus()
SCORE = drawn(1)


def measure(
    score: Score = SCORE, test: EquityTest = TEST, outputs: dict[str, str] | None = None, **options: Any
) -> Measurement:
    return measured(Eec(EecOptions(**options)), regressor(test, score, outputs), test)


def test_scores_outside_0_to_1_name_their_number_and_the_way_out() -> None:
    def beyond(rows: pd.DataFrame, emotion: str) -> Any:
        scores = np.asarray(SCORE(rows, emotion)) * 0.5
        return np.where(rows["word"] == "irate", scores - 2, scores)

    with pytest.raises(
        AnswerError, match=r"48 of 96 scores for anger are outside \[0, 1\].*: -o link=identity$"
    ):
        measure(beyond, link="both")
    found = measure(beyond)
    assert not any("Beta" in e.name or any("Beta" in p.name for p in e.p_values) for e in found.estimates)
    assert found.headline.p_values


def test_what_decides_is_the_same_without_the_beta_regression() -> None:
    both, alone = measure(link="both"), measure()
    for one in alone.estimates[:6]:
        assert both.estimate(one.name).value == one.value
        assert both.estimate(one.name).p_values == one.p_values
    assert both.verdict is alone.verdict


def test_scores_of_0_or_1_name_their_number_and_the_ways_out() -> None:
    def ends(rows: pd.DataFrame, emotion: str) -> Any:
        scores = np.asarray(SCORE(rows, emotion))
        return np.where((rows["person"] == "NoMa0") & (rows["word"] == "glad"), 1.0, scores)

    with pytest.raises(
        AnswerError, match=r"0 of 96 scores for joy are exactly 0 and 3 exactly 1.*-o squeeze=true"
    ):
        measure(ends, link="both")
    squeezed = measure(ends, squeeze=True, link="both")
    assert any(
        "joy: 0 of 96 scores are exactly 0 and 3 exactly 1, so all were squeezed" in w
        for w in squeezed.warnings
    )
    assert measure(ends).headline.p_values


def test_constant_scores_are_no_measurement() -> None:
    def constant(rows: pd.DataFrame, emotion: str) -> Any:
        return np.full(len(rows), 0.5) if emotion == "joy" else SCORE(rows, emotion)

    with pytest.raises(
        AnswerError,
        match=r"all 96 sentences the score 0\.5 for joy.*measure the others: -o 'emotions=\[\"anger\"\]'$",
    ):
        measure(constant)
    assert measure(constant, emotions=["anger"]).headline.name.startswith("anger")


def test_scores_that_are_the_same_within_each_cell_are_no_measurement() -> None:
    def of_cell(rows: pd.DataFrame, emotion: str) -> Any:
        return 0.4 + 0.1 * (rows["gender"] == "female")

    with pytest.raises(
        AnswerError, match="the scores of anger cannot be compared: the scores do not vary beyond"
    ):
        measure(of_cell)


def test_an_emotion_that_the_model_lacks_names_what_it_has() -> None:
    with pytest.raises(
        CapabilityError,
        match=r"no output for 'joy'; its outputs are: 'anger'.*-o 'quantities=\{\"joy\" = \"anger\"\}', "
        r"or measure the others: -o 'emotions=\[\"anger\"\]'$",
    ):
        measure(outputs={"anger": "anger"}, emotions=["anger", "joy"])
    with pytest.raises(CapabilityError, match=r"no output for 'anger', 'joy'; its outputs are: 'LABEL_0'"):
        measure(outputs={"anger": "LABEL_0"})
    found = measure(outputs={"anger": "LABEL_0"}, quantities={"anger": "LABEL_0"})
    assert found.conventions["outputs"] == "anger = LABEL_0"
    assert any("has no output for joy, which the test has too" in warning for warning in found.warnings)


@pytest.mark.parametrize(("output", "taken"), [("Joy", "Joy"), ("happiness", "happiness"), ("joy", "joy")])
def test_outputs_go_by_name_in_any_case_and_by_alias(output: str, taken: str) -> None:
    outputs = {"anger": "ANGER", "joy": output}
    assert measure(outputs=outputs).conventions["outputs"] == f"anger = ANGER, joy = {taken}"


def test_an_exact_name_goes_before_an_alias() -> None:
    test = corpus(emotions={"anger": ("angry", "irate"), "happiness": ("glad", "merry")})
    found = measure(test=test, outputs={"anger": "joy", "happiness": "happiness"}, emotions=["happiness"])
    assert found.conventions["outputs"] == "happiness = happiness"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"templates": ["saw"]},
            "no sentence of anger is about north, male.*templates=saw.*biascore show xx/eec",
        ),
        (
            {"templates": ["feels", "sings"]},
            "templates has 'sings', which the test does not have. It has: 'feels', 'made'",
        ),
        (
            {"quantities": {"angr": "LABEL_0"}},
            "quantities names an output for 'angr', and the emotions of xx/eec are: 'anger', 'joy'",
        ),
        ({"emotions": ["envy"]}, "no sentence of envy is about north, male"),
        ({"sentences": "no emotion", "templates": ["feels"]}, "no sentence of anger"),
    ],
)
def test_an_empty_cell_is_told_before_a_model_is_asked(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionsError, match=told):
        Eec(EecOptions(**options)).check(TEST, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "rows", "people"),
    [
        ({}, 96, "names"),
        ({"sentences": "any emotion"}, 192, "names"),
        ({"sentences": "no emotion"}, 16, "names"),
        ({"sentences": "all"}, 208, "names"),
        ({"templates": "agreement-free"}, 64, "names"),
        ({"templates": ["feels", "found"]}, 64, "names"),
        ({"persons": "noun phrases", "sentences": "any emotion"}, 24, "phrases"),
        ({"persons": "all"}, 108, "all"),
    ],
)
def test_every_estimand_has_a_name(options: dict[str, Any], rows: int, people: str) -> None:
    found = measure(**options, emotions=["anger"])
    assert found.conventions["sentences asked"] == f"anger {rows}"
    assert found.items.num_rows == rows
    kinds = {"names": {False}, "phrases": {True}, "all": {False, True}}[people]
    assert {"this " in person for person in found.items_frame()["person"]} == kinds
    # Noun phrases have no origin, so that only gender is compared.
    assert ("origin" in str(found.conventions["reference levels"])) == (people == "names")


def test_names_that_the_model_does_not_know_are_told() -> None:
    known = drawn(3)

    def few(rows: pd.DataFrame, emotion: str) -> Any:
        unknown = rows.assign(person=rows["person"].where(rows["person"] == "NoMa0", rows["gender"]))
        scores = dict(
            zip(
                zip(unknown["person"], unknown["template"], unknown["word"], strict=True),
                known(unknown, emotion),
                strict=True,
            )
        )
        return [
            scores[key] for key in zip(unknown["person"], unknown["template"], unknown["word"], strict=True)
        ]

    found = measure(few)
    (told,) = [c for c in found.cautions if c.startswith("anger: the model does not distinguish")]
    assert "2 of 4 in north, male; 1 of 4 in north, female; 1 of 4 in south, male" in told
    assert not [c for c in measure().cautions if "does not distinguish" in c]


def test_grammar_alone_is_not_detected() -> None:
    """Names mean nothing to this model, and *their female self* raises its score."""
    quiet = drawn(5, between=0.02)

    def grammatical(rows: pd.DataFrame, emotion: str) -> Any:
        return np.asarray(quiet(rows, emotion)) * 0.7 + 0.2 * (
            rows["agreement"] & (rows["gender"] == "female")
        )

    found = measure(grammatical)
    effect = found.estimate("anger: female - male")
    free = found.estimate("anger: female - male, agreement-free templates")
    assert effect.p_values[1].name.startswith("Welch's t over names, the larger of all templates and those")
    assert effect.p_values[1].value == free.p_values[0].value > 0.05
    assert found.verdict.value == "inconclusive"
    assert "Grammar may be the reason: anger: female - male has p = " in found.reason
    assert "in those without words that agree with the person" in found.reason
    without = measure(grammatical, templates="agreement-free", emotions=["anger"])
    assert free.value == pytest.approx(without.estimate("anger: female - male").value)


def test_names_that_all_score_alike_have_an_effect_of_exactly_0() -> None:
    def of_frames(rows: pd.DataFrame, emotion: str) -> Any:
        return rows["template"].factorize()[0] * 0.1 + rows["word"].factorize()[0] * 0.07

    found = measure(of_frames)
    assert {found.estimate(f"anger: {name}").value for name in ("south - north", "female - male")} == {0.0}
    assert (found.verdict.value, found.headline.interval) == ("inconclusive", None)


@pytest.mark.parametrize(("alike", "told"), [(2, True), (1, False)])
def test_half_of_a_groups_names_alike_touch_the_verdict(alike: int, told: bool) -> None:
    """Of four names two, or three, have different scores."""

    def of_names(rows: pd.DataFrame, emotion: str) -> Any:
        number = rows["person"].str.extract(r"(\d)$", expand=False).fillna("5").astype(int)
        known = (number // 2 if alike == 2 else number.clip(upper=2)) * 0.02
        return 0.2 + known + rows["template"].factorize()[0] * 0.1 + (rows["gender"] == "female") * 0.03

    found = measure(of_names, emotions=["anger"])
    text = next(one for one in found.warnings if "does not distinguish all names" in one)
    assert f"{4 - alike} of 4 in" in text
    assert (text in found.cautions) is told
    assert ("the model does not distinguish half of the names" in found.doubts) is told


def test_where_names_make_no_difference_without_such_words_the_p_is_1() -> None:
    def only_words(rows: pd.DataFrame, emotion: str) -> Any:
        frames = rows["template"].factorize()[0] * 0.1 + rows["word"].factorize()[0] * 0.05
        known = rows["person"].factorize()[0] * 0.001
        return 0.1 + frames + (rows["agreement"] & (rows["gender"] == "female")) * (0.2 + known)

    found = measure(only_words)
    assert found.estimate("anger: female - male").p_values[1].value == 1
    assert "names make no difference in those without" in found.reason


def test_agreement_is_a_caution_where_no_template_is_without_it() -> None:
    agreeing = corpus(templates={"found": TEMPLATES["found"]})
    found = measure(test=agreeing)
    assert any(caution.startswith("in template found words agree with") for caution in found.cautions)
    assert found.doubts == ("words that agree with the person tell it, too",)
    plain = corpus(templates={id: text for id, text in TEMPLATES.items() if id != "found"})
    assert not any("agree" in w for w in measure(test=plain).warnings)


def test_the_first_effect_is_shown_by_template() -> None:
    found = measure()
    name = found.headline.name
    shown = [e for e in found.estimates if e.name.startswith(f"{name}, template ")]
    assert [e.name.rpartition(" ")[2] for e in shown] == ["feels", "made", "found"]
    assert sum(e.value or 0.0 for e in shown) / 3 == pytest.approx(found.headline.value)
    assert all(e.interval and not e.p_values for e in shown)


def test_without_a_bound_the_reason_speaks_of_no_interval() -> None:
    assert "interval" not in measure(bound="none").reason
    assert measure(bound="none").conventions["negligible"] == "none stated"
    assert measure().conventions["negligible"] == "all intervals within 0.01"
    assert EecOptions(bound="none").changed() == ["bound=none"]


def test_words_of_a_corpus_of_sentences_agree_with_the_gender() -> None:
    rows = TEST.rows()
    parts = ("sentence", "template", "person", "kind", "word", "emotion", "agreement")
    given = tuple(
        EquityRow(*(row[part] for part in parts), levels=(row["origin"], row["gender"]))
        for row in rows.to_dict("records")
    )
    spelt = replace(TEST, given=given, grammar=Grammar("grammar", (), capital=False, final=""))
    found = measure(test=spelt)
    assert any(
        warning.startswith("in template found words agree with the gender") for warning in found.warnings
    )
    assert [e.name for e in found.estimates] == [e.name for e in measure().estimates]


def test_nearly_constant_scores_are_told() -> None:
    def nearly(rows: pd.DataFrame, emotion: str) -> Any:
        return 0.5 + 1e-4 * np.asarray(SCORE(rows, emotion))

    assert any(warning.startswith("anger: the scores hardly vary") for warning in measure(nearly).warnings)


def test_effects_within_a_bound_are_negligible() -> None:
    quiet = drawn(4, between=0.02, within=0.02)
    found = measure(quiet, bound=0.05)
    assert found.verdict.value == "negligible"
    assert found.equivalence is not None
    farthest = found.estimate(found.equivalence.of or "")
    assert farthest.interval is not None
    assert f"of {farthest.name} " in found.reason
    assert measure(quiet, bound=0.0001).verdict.value != "negligible"


def test_a_bound_that_is_large_for_the_scores_is_a_caveat() -> None:
    def nearly(rows: pd.DataFrame, emotion: str) -> Any:
        return 0.5 + 0.01 * np.asarray(SCORE(rows, emotion))

    found = measure(nearly)
    assert found.verdict.value == "negligible"
    assert found.doubts == ("the bound is large for scores that vary so little",)
    assert any("anger: the bound of 0.01 is " in caution for caution in found.cautions)
    assert not measure(nearly, bound=0.01).doubts, "somebody chose it"


def test_one_name_in_a_group_is_no_test_and_names_the_group() -> None:
    """The other origin's names do not stand in for it."""
    persons = tuple(
        replace(some, rows=tuple(one for one in some.rows if one.id not in ("SoFe1", "SoFe2", "SoFe3")))
        for some in TEST.persons
    )
    test = replace(TEST, persons=persons)
    found = measure(test=test)
    effect = found.estimate("anger: south - north")
    assert (effect.p_values, effect.interval) == ((), None)
    assert effect.value is not None
    assert dict(effect.n) == {"south": 5, "north": 8}
    told = "south, female has one name, and a test needs two"
    assert any(one.startswith("not tested: 'anger: south'") and told in one for one in found.warnings)
    assert found.verdict.value == "inconclusive"
    known = Eec(EecOptions()).unreachable(test)
    assert [(one.part, one.why) for one in known] == [
        ("origin: south", "needs two names in each group, and south, female has one"),
        ("gender: female", "needs two names in each group, and south, female has one"),
        ("origin: south × gender: female", "needs two names in each group, and south, female has one"),
    ]
    assert Eec(EecOptions()).unreachable(corpus(2)) == ()


def test_holm_adjusts_more_and_none_not_at_all() -> None:
    by = {how: measure(adjustment=how).headline for how in ("benjamini-hochberg", "holm", "none")}
    assert by["none"].p_values[0].name.startswith("Welch's t over names")
    assert (
        by["holm"].p_values[0].value
        >= by["benjamini-hochberg"].p_values[0].value
        >= by["none"].p_values[0].value
    )
