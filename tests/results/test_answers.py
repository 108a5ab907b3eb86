"""The answer of a run in sentences: which way, how large, how sure, by how many tests, and nothing beyond that."""

from __future__ import annotations

from typing import Any

import pytest

from biascore.results.answers import Answer, Sureness, answers, findings, in_one_line, ruler_line
from biascore.results.caveat import Caveat
from biascore.results.effect_words import Lists, Size, ends_of, lists_of, shown
from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate, PValue
from biascore.results.measurement import Measurement
from biascore.results.specificity import Specificity
from biascore.results.verdicts import Role, run_verdicts
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


def test_an_answer_says_which_way_how_large_how_sure_and_by_how_many_tests() -> None:
    other = d(0.9, 0.1, (-0.5, 0.7), test="en/weat7", positive_means=MATHS)
    race = d(0.9, 0.1, (-1.2, 1.3), test="en/weat3", concept="race")
    gender, unsure = of(other, d(0.001), race)
    assert gender.sureness is Sureness.DETECTED
    assert gender.numbers == (0, 1)
    assert gender.told == 1
    assert gender.text == (
        "m, gender: male names with career, female names with family: large, d = 1.06 (could be 0.35 to 1.42: small to "
        "large), in the surest of 2 tests. 1 of 2 tests detected; 1 cannot tell."
    )
    assert unsure.sureness is Sureness.CANNOT_TELL
    assert unsure.way == ""  # what the data do not tell is not told
    assert unsure.text == (
        "m, race: cannot tell: d = 0.10 (could be \N{MINUS SIGN}1.20 to 1.30: large one way to large the other). "
        "0 of 1 test detected; 1 cannot tell."
    )
    assert in_one_line((gender, unsure)) == "m: detected for gender; cannot tell for race."


def test_the_surest_test_is_told_and_not_the_largest() -> None:
    (answer,) = of(d(0.01, 1.9, (0.1, 2.0)), d(0.0001, 0.4, (0.3, 0.5), test="en/weat7"))
    assert answer.told == 1
    assert answer.size is not None
    assert answer.size.word == "small"


def test_alone_is_a_hint_and_negligible_needs_every_test() -> None:
    (hint,) = of(d(0.04), d(0.9, test="en/weat7"))
    assert hint.sureness is Sureness.ALONE
    assert hint.in_short.startswith("a hint, no more: male names with career")
    assert hint.how_sure == "0 of 2 tests detected; 1 only alone, not after adjustment; 1 cannot tell"
    small = d(0.9, 0.01, (-0.1, 0.1), verdict=Verdict.NEGLIGIBLE, equivalence=Equivalence(bound=0.2, of=None))
    (none,) = of(small)
    assert none.sureness is Sureness.NEGLIGIBLE
    assert none.text.startswith("m, gender: too small to matter: d = 0.01 (could be")
    (mixed,) = of(small, d(0.9, test="en/weat7"))
    assert mixed.sureness is Sureness.CANNOT_TELL


def test_what_could_not_be_measured_is_counted_apart() -> None:
    (answer,) = of(d(None, None))
    assert answer.sureness is Sureness.NOT_MEASURED
    assert answer.size is None
    assert answer.text == "m, gender: could not be measured. 0 of 1 test detected; 1 could not be measured."


def test_an_effect_the_other_way_is_told_the_other_way() -> None:
    (answer,) = of(d(0.001, -0.9, (-1.4, -0.3)))
    assert answer.way == "male names with family, female names with career"
    (subject,) = of(d(0.001, subject="English to Slovak"))
    assert subject.way == "male names with career, female names with family (English to Slovak)"
    assert "could be \N{MINUS SIGN}1.40 to \N{MINUS SIGN}0.30: small to large" in answer.text


def test_tests_that_disagree_on_the_direction_say_so() -> None:
    against = d(0.002, -0.9, (-1.4, -0.3), test="en/weat7", positive_means=MATHS)
    (answer,) = of(d(0.001), against)
    assert answer.notes == (
        "Found as well: mathematics with women, arts with men.",
        "The tests disagree on the direction: 1 with “the stereotype”, 1 against it.",
    )


def test_a_one_sided_test_says_what_it_does_not_look_for() -> None:
    made = d(0.99, -0.9, (-1.4, -0.3))
    p_values = (
        PValue(name="p", value=0.99, kind="exact", alternative="greater"),
        PValue(name="two", value=0.002, kind="exact", alternative="two-sided"),
    )
    (answer,) = of(
        made.model_copy(update={"estimates": (made.headline.model_copy(update={"p_values": p_values}),)})
    )
    assert answer.sureness is Sureness.CANNOT_TELL
    assert "1 test points clearly the other way and looks one way only" in answer.notes[0]


def test_an_interval_that_holds_the_neutral_value_beside_a_small_p_is_explained() -> None:
    (answer,) = of(d(0.001, 0.9, (-0.1, 1.4)))
    assert "very small the other way to large" in answer.text
    assert answer.notes[0].startswith("The interval holds 0 although the test rejects chance: the test")
    (hint,) = of(d(0.04, 0.9, (-0.1, 1.4)), d(0.9, test="en/weat7"))
    assert hint.notes[0].startswith(
        "The interval holds 0 although the test, by itself and not among the 2 tests on this model, rejects chance: the test"
    )


def test_what_would_change_the_conclusion_stands_in_the_sentence_of_the_test_that_decides() -> None:
    full = ("18.7 % of random lists reach it",)
    doubts = {
        "caveats": (
            Caveat(full[0], short="19 % of arbitrary lists show as much"),
            Caveat(full[0], short="the lists also differ"),
        ),
    }
    (answer,) = of(d(0.001, **doubts), d(0.9, test="en/weat7"))
    but = "but 19 % of arbitrary lists show as much, and the lists also differ"
    assert f"in the surest of 2 tests; {but}. 1 of 2 tests detected" in answer.text
    assert in_one_line([answer]) == f"m: detected for gender ({but})."
    # Of another test than the one that decides, or where nothing is concluded, they change no conclusion.
    assert of(d(0.001), d(0.9, test="en/weat7", **doubts))[0].doubts == ()
    assert of(d(0.9, **doubts))[0].doubts == ()


def test_three_doubts_are_two_and_the_rest_is_under_details() -> None:
    made = d(0.001, caveats=[Caveat(one, short=one) for one in ("one", "two", "three", "four")])
    (answer,) = of(made)
    assert answer.text.count("but one, and two, and 2 more, see details.") == 1
    assert answer.doubts == made.doubts


def test_how_many_unrelated_topics_reach_the_effect_is_said_where_it_is_detected_or_a_hint() -> None:
    few, many = (
        {"specificity": Specificity(share=share, pairs=190, topics=20, pool="en/topics")}
        for share in (0.026, 0.2)
    )
    (answer,) = of(d(0.001, **few))
    assert "; larger than 97 % of unrelated topics. 1 of 1 test detected" in answer.text
    assert in_one_line([answer]) == "m: detected for gender (larger than 97 % of unrelated topics)."
    (hint,) = of(d(0.04, **many), d(0.9, test="en/weat7"))
    assert hint.specificity == "20 % of unrelated topics reach it"
    assert of(d(0.9, **many))[0].specificity == ""


# The ruler.


@pytest.mark.parametrize(
    ("control", "p", "line"),
    [
        (1.0, 0.001, "m, gender: an effect of 1.00 was put in, and is found in 1 of 1 test"),
        (0.0, 0.9, "m, gender: none was put in, and one is found in 0 of 1 test: as it should be"),
        (0.0, 0.001, "m, gender: none was put in, and one is found in 1 of 1 test: a false alarm"),
        (None, 0.001, "m, gender: it is not known what was put in, and a bias is found in 1 of 1 test"),
    ],
)
def test_controls_are_no_findings(control: float | None, p: float, line: str) -> None:
    (answer,) = of(d(p), controls={"m": {} if control is None else {"en/weat6": control}})
    assert answer.role is Role.CONTROL
    assert ruler_line(answer) == line
    assert not findings([answer])
    assert in_one_line([answer]) == ""


@pytest.mark.parametrize(("other", "known"), [(1.0, True), (0.0, False), (None, False)])
def test_a_control_of_several_tests_is_held_against_what_was_put_in_by_all(
    other: float | None, known: bool
) -> None:
    control = {"en/weat6": 1.0} | ({} if other is None else {"es/weat6": other})
    (answer,) = of(d(0.001, joined=("es/weat6",)), controls={"m": control})
    assert answer.planted == ((1.0,) if known else ())
    assert ("it is not known what was put in" in ruler_line(answer)) is not known


def test_baselines_changes_and_descriptions_are_no_findings() -> None:
    found = of(d(0.001, concept="baseline"), d(0.001, change_from="m"), d(None, alpha=None, describes=True))
    assert [answer.role for answer in found] == [Role.BASELINE, Role.CHANGE, Role.DESCRIPTION]
    assert ruler_line(found[0]).endswith("that harm nobody are found in 1 of 1 test")
    assert found[1].size is not None
    assert found[1].size.word == ""  # no convention says how large a change of d is
    assert found[2].sureness is Sureness.DESCRIBED
    assert not findings(found)


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


def test_an_estimate_that_has_sides_of_its_own_is_told_by_them() -> None:
    made = d(0.1)
    headline = made.headline.model_copy(update={"sides": ("jobs lean to men", "jobs lean to women")})
    ends = ends_of(made.model_copy(update={"estimates": (headline,)}))
    assert ends == ("jobs lean to men", "jobs lean to women", False)
    assert "sides" not in made.headline.model_dump()


def test_no_word_is_invented_where_a_unit_has_no_convention() -> None:
    ends = ConfidenceInterval(low=48.0, high=66.5, level=0.95, method="made")
    size = Size.of(Estimate(name="share", value=57.2, unit="%", neutral=50.0, n={}, interval=ends))
    assert size is not None
    assert size.text == "share = 57.2 %, where 50 % is no bias (could be 48.0 to 66.5 %: the other way, too)"
    distance = Size.of(Estimate(name="distance", value=0.273, unit="share", neutral=0.0, chance=0.291, n={}))
    assert distance is not None
    assert distance.text == "distance = 0.27, where chance alone gives 0.29 on average (it has no interval)"


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
