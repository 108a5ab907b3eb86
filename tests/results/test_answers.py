"""The answer of a run in sentences: direction, effect and evidence, by how many measurements."""

from __future__ import annotations

from typing import Any

import pytest

from biascore.basics.wording import shown
from biascore.results.caveat import Caveat
from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate, PValue
from biascore.results.measurement import Measurement
from biascore.results.specificity import Specificity
from biascore.results.verdicts import Rule, State, run_verdicts
from biascore.results.words.answers import Answer, answers
from biascore.results.words.effects import Lists, Size, ends_of, lists_of
from biascore.results.words.result import checks_of, counts_line
from biascore.results.words.sentence import result_lines
from biascore.stats import Adjustment, Verdict

from ..builders.runs import decided

D = "standard deviations"
CAREER = "male names with career, female names with family (stereotype-congruent)"
MATHS = "mathematics with men, arts with women (stereotype-congruent)"


def d(
    p: float | None, value: float | None = 1.06, ends: tuple[float, float] = (0.35, 1.42), **parts: Any
) -> Measurement:
    """A measurement of an effect size d, with its unit."""
    made = decided(p, value=value, ends=ends, **{"positive_means": CAREER, **parts})
    return made.model_copy(update={"estimates": (made.headline.model_copy(update={"unit": D, "name": "d"}),)})


def of(*some: Measurement, controls: dict[str, dict[str, float]] | None = None) -> tuple[Answer, ...]:
    known = controls or {}
    return answers(some, run_verdicts(some, known, Adjustment.HOLM), known)


# One line for each model and concept.


def test_an_answer_says_direction_effect_and_evidence() -> None:
    other = d(0.9, 0.1, (-0.5, 0.7), test="en/weat7", positive_means=MATHS)
    race = d(0.9, 0.1, (-1.2, 1.3), test="en/weat3", concept="race")
    gender, unsure = of(other, d(0.001), race)
    assert gender.state is State.DETECTED
    assert gender.numbers == (0, 1)
    assert gender.strongest == 1
    assert gender.direction == "male names with career, female names with family"
    assert gender.evidence == "detected in 1 of 2 tests (en/weat6); 1 inconclusive"
    assert gender.spread is not None
    assert gender.spread.brief == "d 0.10 to 1.06"
    assert gender.size is not None
    assert gender.size.text == "large, d = 1.06 (95 % interval 0.35 to 1.42)"
    for part in (gender.evidence, gender.direction, gender.spread.text, gender.size.text):
        assert part in gender.text
    assert unsure.state is State.INCONCLUSIVE
    assert unsure.direction == ""  # the data do not decide it
    assert unsure.spread is None
    assert "1.30: could go either way" in unsure.text


def test_how_many_tests_have_which_state_is_one_line() -> None:
    found = of(d(0.001), d(0.9, test="en/weat7"), d(0.9, test="en/weat3", concept="race"))
    assert counts_line(found) == "3 tests: 1 detected, 2 inconclusive"
    assert counts_line(of(d(0.04), d(0.9, test="en/weat7"))) == "2 tests: 0 detected, 1 hint, 1 inconclusive"
    assert (
        counts_line(of(d(0.9), d(0.9, metric="lpbs")))
        == "2 measurements of 1 test: 0 detected, 2 inconclusive"
    )
    assert counts_line(of(d(0.001)), 1) == "2 measurements: 1 detected, 1 failed"
    assert counts_line(of(d(None, None))) == "1 test: not measured"


def test_the_strongest_evidence_is_shown_and_not_the_largest_effect() -> None:
    (answer,) = of(d(0.01, 1.9, (0.1, 2.0)), d(0.0001, 0.4, (0.3, 0.5), test="en/weat7"))
    assert answer.strongest == 1
    assert answer.size is not None
    assert answer.size.word == "small"


def test_a_hint_has_no_size_word_and_negligible_needs_every_measurement() -> None:
    (hint,) = of(d(0.04), d(0.9, test="en/weat7"))
    assert hint.state is State.HINT
    assert hint.evidence == "hint in 1 of 2 tests (en/weat6); 1 inconclusive"
    assert hint.size is not None
    assert hint.size.word == ""
    assert "small" not in hint.text
    assert "large" not in hint.text
    small = d(0.9, 0.01, (-0.1, 0.1), verdict=Verdict.NEGLIGIBLE, equivalence=Equivalence(bound=0.2, of=None))
    (none,) = of(small)
    assert none.state is State.NEGLIGIBLE
    assert none.evidence == "negligible"
    (mixed,) = of(small, d(0.9, test="en/weat7"))
    assert mixed.state is State.INCONCLUSIVE


def test_what_was_not_measured_is_counted_apart() -> None:
    (answer,) = of(d(None, None))
    assert answer.state is State.NOT_MEASURED
    assert answer.size is None
    assert answer.text == "m, gender: not measured."
    assert answer.counts.states == ("0 detected", "1 not measured")


def test_option_sets_of_a_test_count_once_by_the_first() -> None:
    (answer,) = of(d(0.9), d(0.001, variant="token level"), d(0.9, test="en/weat7"))
    assert (answer.counts.tests, answer.counts.measurements, answer.counts.detected) == (2, 2, 0)
    assert (answer.state, answer.numbers, answer.strongest) == (State.INCONCLUSIVE, (0, 1, 2), 0)
    assert answer.repeated == (
        "en/weat6 has 2 option sets and counts once, by the first; they disagree: inconclusive, detected."
    )
    assert answer.repeated in answer.notes
    assert answer.shares == ()
    assert answer.unshared == 1  # harmless audits are of every measurement


def test_three_tests_under_three_option_sets_are_three_tests_that_point_one_way() -> None:
    tests = ("en/weat6", "en/weat7", "en/weat8")
    (answer,) = of(*(d(1e-6, test=test, variant=variant) for variant in ("", "b", "c") for test in tests))
    assert answer.counts.detected == answer.counts.tests == 3
    assert answer.notes[0].startswith("3 of 3 tests point as the stereotype says")
    assert answer.repeated == "3 tests have 9 option sets in all and count once, by the first."


def test_another_metric_or_subject_is_no_option_set() -> None:
    (answer,) = of(d(0.9), d(0.9, metric="lpbs"), d(0.9, subject="nurses"))
    assert (answer.counts.measurements, answer.repeated) == (3, "")


def test_every_option_set_is_a_check_of_the_tests() -> None:
    found = of(d(0.001), d(0.9, variant="token level"), controls={"m": {"en/weat6": 1.0}})
    assert checks_of(found)[0].passed is False
    assert found[0].counts.measurements == 2


def test_an_effect_in_the_other_direction_says_so() -> None:
    (answer,) = of(d(0.001, -0.9, (-1.4, -0.3)))
    assert answer.direction == "male names with family, female names with career"
    (subject,) = of(d(0.001, subject="English to Slovak"))
    assert subject.direction == "male names with career, female names with family, English to Slovak"
    assert "interval \N{MINUS SIGN}1.40 to \N{MINUS SIGN}0.30)" in answer.text


def test_measurements_that_disagree_on_the_direction_say_so() -> None:
    against = d(0.002, -0.9, (-1.4, -0.3), test="en/weat7", positive_means=MATHS)
    (answer,) = of(d(0.001), against)
    assert answer.notes == (
        "1 of 2 tests point as the stereotype says; by chance alone, about half would.",
        "Also: mathematics with women, arts with men.",
        "The tests point opposite ways: en/weat6 with its positive direction, en/weat7 against it.",
    )
    (agreed,) = of(d(0.001), d(0.9, test="en/weat7", positive_means=MATHS))
    assert agreed.notes == ("2 of 2 tests point as the stereotype says; by chance alone, about half would.",)
    # What is neither detected nor a hint points nowhere.
    weak = d(0.9, -0.1, (-0.9, 0.7), test="en/weat7", positive_means=MATHS)
    assert not any("opposite ways" in note for note in of(d(0.001), weak)[0].notes)


def test_a_one_sided_test_says_what_it_does_not_count() -> None:
    made = d(0.99, -0.9, (-1.4, -0.3))
    p_values = (
        PValue(name="p", value=0.99, kind="exact", alternative="greater"),
        PValue(name="two", value=0.002, kind="exact", alternative="two-sided"),
    )
    (answer,) = of(
        made.model_copy(update={"estimates": (made.headline.model_copy(update={"p_values": p_values}),)})
    )
    assert answer.state is State.INCONCLUSIVE
    assert "1 measurement clearly points in the other direction" in answer.notes[0]
    assert "alternative=two-sided" in answer.notes[0]


def test_an_interval_that_includes_the_neutral_value_next_to_a_small_p_is_explained() -> None:
    (answer,) = of(d(0.001, 0.9, (-0.1, 1.4)))
    assert answer.notes[0].startswith("The interval includes 0: other words")
    assert not of(d(0.001, 0.9, (0.1, 1.4)))[0].notes


def test_doubts_are_said_with_the_measurement_that_decides() -> None:
    full = ("18.7 % of random lists reach it",)
    doubts = {
        "caveats": (
            Caveat(full[0], short="19 % of arbitrary lists show as much"),
            Caveat(full[0], short="the lists also differ"),
        ),
    }
    (answer,) = of(d(0.001, **doubts), d(0.9, test="en/weat7"))
    assert answer.text.endswith("; but 19 % of arbitrary lists show as much, and the lists also differ.")
    # Of another test than the one that decides, or where nothing is concluded, they change no conclusion.
    assert of(d(0.001), d(0.9, test="en/weat7", **doubts))[0].doubts == ()
    assert of(d(0.9, **doubts))[0].doubts == ()


def test_three_doubts_are_two_and_the_rest_is_under_details() -> None:
    made = d(0.001, caveats=[Caveat(one, short=one) for one in ("one", "two", "three", "four")])
    (answer,) = of(made)
    assert answer.text.count("but one, and two, and 2 more, see details.") == 1
    assert answer.doubts == made.doubts


def test_how_many_harmless_pairs_reach_the_effect_is_said_where_it_is_detected_or_a_hint() -> None:
    few, many = (
        {"specificity": Specificity(share=share, pairs=300, groups=25, pool="en/people", kind="people")}
        for share in (0.026, 0.2)
    )
    assert of(d(0.001, **few))[0].caveats == ("3 of 100 harmless pairs reach it",)
    assert of(d(0.001, **many))[0].caveats == ("20 of 100 harmless pairs reach it",)  # a hint
    assert of(d(0.9, **many))[0].note == ""
    lost, _ = of(d(0.04, **few), d(0.9, test="en/weat7", concept="race"))
    assert lost.state is State.HINT
    assert lost.note == "not after adjustment; 3 of 100 harmless pairs reach it"
    neither, _ = of(d(0.04, **many), d(0.9, test="en/weat7", concept="race"))
    assert (neither.state, neither.note) == (State.INCONCLUSIVE, "")


def test_what_is_detected_has_shares_and_how_many_have_none() -> None:
    few = {"specificity": Specificity(share=0.02, pairs=300, groups=25, pool="en/people")}
    many = {"specificity": Specificity(share=0.2, pairs=300, groups=25, pool="en/people")}
    (answer,) = of(d(1e-6, **few), d(1e-6, test="en/a", metric="other"), d(1e-6, test="en/b", **many))
    assert (answer.shares, answer.unshared, answer.counts.hint) == ((0.02,), 1, 1)


def test_what_is_detected_without_a_share_by_the_rule_of_stored_runs_is_reached_by_all_pairs() -> None:
    one = d(0.001, specificity=Specificity(pool="xx/people", problem="there are none", lacking="none"))
    (answer,) = answers([one], run_verdicts([one], (), Adjustment.HOLM, Rule.LABELS), {})
    assert answer.shares == (1.0,)


@pytest.mark.parametrize(("low", "sure"), [(0.5, False), (0.51, True)])
def test_a_side_is_sure_where_the_whole_interval_is_beyond_no_bias(low: float, sure: bool) -> None:
    ends = ConfidenceInterval(low=low, high=0.7, level=0.95, method="made")
    sides = {"neutral": 0.5, "sides": ("more men", "more women")}
    rate = Estimate(name="f_m", value=0.6, unit="share", n={}, interval=ends, **sides)
    made = d(0.9)
    (answer,) = of(made.model_copy(update={"estimates": (*made.estimates, rate), "read_first": "f_m"}))
    assert answer.first.startswith("more men") is sure


# Words.


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (CAREER, Lists("male names", "career", "female names", "family")),
        (
            "flowers with pleasant, insects with unpleasant words",
            Lists("flowers", "pleasant words", "insects", "unpleasant words"),
        ),
        (
            "study fields with more men with male terms, those with more women with female terms",
            Lists("study fields with more men", "male terms", "those with more women", "female terms"),
        ),
        (
            "masculine nouns with men, feminine nouns with women: grammatical gender, where",
            Lists("masculine nouns", "men", "feminine nouns", "women"),
        ),
        ("the more stereotypical sentence is preferred", None),
    ],
)
def test_lists_are_read_from_what_a_positive_value_means(text: str, lists: Lists | None) -> None:
    assert lists_of(text) == lists


def test_what_a_metric_says_of_the_other_side_goes_first() -> None:
    assert ends_of(d(0.1, negative_means="the other")).below == "the other"
    assert ends_of(d(0.1, positive_means="prose")).below == ""


def test_an_estimate_may_have_sides_of_its_own() -> None:
    made = d(0.1)
    headline = made.headline.model_copy(update={"sides": ("jobs lean to men", "jobs lean to women")})
    ends = ends_of(made.model_copy(update={"estimates": (headline,)}))
    assert ends == ("jobs lean to men", "jobs lean to women", False)
    assert "sides" not in made.headline.model_dump()


def test_no_word_is_invented_where_a_unit_has_no_convention() -> None:
    ends = ConfidenceInterval(low=48.0, high=66.5, level=0.95, method="made")
    size = Size.of(Estimate(name="share", value=57.2, unit="%", neutral=50.0, n={}, interval=ends))
    assert size is not None
    assert size.text == "share = 57.2 %, where 50 % is no bias (95 % interval 48.0 to 66.5 %)"
    distance = Size.of(Estimate(name="distance", value=0.273, unit="share", neutral=0.0, chance=0.291, n={}))
    assert distance is not None
    assert distance.text == "distance = 0.27, where chance alone gives 0.29 on average (no interval)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.581, "\N{MINUS SIGN}0.58"),
        (0.0884, "0.088"),
        (12345.6, "12,346"),
        (1e-5, "0.000010"),
        (1e-12, "1.0e\N{MINUS SIGN}12"),
        (62.13, "62.1"),
    ],
)
def test_numbers_have_the_digits_that_count(value: float, text: str) -> None:
    assert shown(value) == text


def test_the_dimension_of_the_effect_is_named_and_not_the_concept_of_the_test() -> None:
    both = {"concept": "race and gender"}
    one = d(0.001, **both).model_copy(update={"dimensions": {"race": True, "gender": False}})
    (answer,) = of(one)
    assert answer.about == "race"
    assert "Not shown: an effect of gender." in answer.notes
    assert result_lines([answer]) == ("m: Bias detected: race.",)
    (unsure,) = of(d(0.9, **both).model_copy(update={"dimensions": {"race": False, "gender": False}}))
    assert unsure.about == "race and gender"
    (known,) = of(one, controls={"m": {one.test: 1.0}})
    assert known.about == "race and gender"
