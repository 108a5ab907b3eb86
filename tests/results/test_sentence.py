"""The result of a model in one sentence: at most 25 words, and no claim but what its states and counts bear."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from biascore.results.estimates import ConfidenceInterval, Equivalence, Estimate
from biascore.results.failure import Failure
from biascore.results.harmless import HarmlessAudits
from biascore.results.measurement import Measurement
from biascore.results.specificity import Specificity
from biascore.results.verdicts import State, run_verdicts
from biascore.results.words.answers import Answer, answers, findings
from biascore.results.words.result import by_model, total
from biascore.results.words.sentence import result_lines, results_of
from biascore.stats import Adjustment, Verdict

from ..builders.runs import decided

CONCEPTS = (
    "gender",
    "race",
    "sexual orientation",
    "socio-economic status",
    "body",
    "age",
    "religion",
    "class",
    "",
)
STATES = (State.DETECTED, State.HINT, State.NEGLIGIBLE, State.INCONCLUSIVE, State.NOT_MEASURED)
MADE: dict[State, dict[str, Any]] = {
    State.DETECTED: {"p": 1e-9},
    State.HINT: {"p": 1e-9},  # whose effect many pairs of harmless groups reach
    State.NEGLIGIBLE: {
        "p": 0.9, "value": 0.01, "ends": (-0.1, 0.1),
        "verdict": Verdict.NEGLIGIBLE, "equivalence": Equivalence(bound=0.2, of=None),
    },
    State.INCONCLUSIVE: {"p": 0.9},
    State.NOT_MEASURED: {"p": None, "value": None},
}  # fmt: skip
NOTHING = (0, 1.0)
RARE = [NOTHING] * 990 + [(1, 0.01)] * 10
USUAL = [NOTHING] * 300 + [(1, 0.001)] * 700
BY_NUMBER = [NOTHING] * 900 + [(0, 0.001)] * 100


def among(share: float) -> Specificity:
    return Specificity(share=share, pairs=300, groups=25, pool="en/people", kind="people")


def made(state: State, concept: str, *, shared: bool = True, **parts: Any) -> Measurement:
    chosen = {**MADE[state], "concept": concept, "test": f"en/{concept}", **parts}
    shares = {State.DETECTED: 0.01, State.HINT: 0.4}
    if state is State.HINT or (shared and state in shares):
        chosen["specificity"] = among(shares[state])
    return decided(**chosen)


def with_default(one: Measurement, low: float) -> Measurement:
    """With a rate to read first, whose interval begins at ``low``."""
    ends = ConfidenceInterval(low=low, high=0.99, level=0.95, method="made")
    sides = {"neutral": 0.5, "sides": ("a masculine default was found", "a feminine default was found")}
    rate = Estimate(
        name="raw global masculine rate f_m", value=0.9, unit="share", n={}, interval=ends, **sides
    )
    return one.model_copy(update={"estimates": (*one.estimates, rate), "read_first": rate.name})


def audits(model: str, found: list[tuple[int, float]]) -> HarmlessAudits:
    counts, smallest = zip(*found, strict=True)
    return HarmlessAudits(model=model, tests=9, counts=counts, smallest=smallest)


def found_of(some: list[Measurement]) -> tuple[Answer, ...]:
    return answers(some, run_verdicts(some, {"control": {}}, Adjustment.HOLM), {"control": {}})


def combinations() -> Iterator[tuple[State, ...]]:
    """States of one to three grounds in all combinations, and of nine with any two states."""
    for many in (1, 2, 3):
        yield from combinations_with_replacement(STATES, many)
    for one, other in product(STATES, STATES):
        yield (one,) * 5 + (other,) * 4


def agrees(text: str, some: list[Answer], failed: int, harmless: HarmlessAudits | None) -> None:
    states = [one.state for one in some]
    detected = states.count(State.DETECTED)
    assert len(text.split()) <= 24
    assert text.endswith(".")
    assert ("failed" in text) is bool(failed)
    low = text.lower()
    assert bool(re.search(r"(?<!any )(?<!other )bias (?:on|detected)|detected on", low)) is bool(detected)
    if detected:
        assert total(some).detected
        many = re.search(r"(?:bias|detected) on (?:(\d+) of (\d+)|(both|all \d+)) ", low)
        if len(some) == 1:
            assert many is None
        elif many and many[1]:
            assert int(many[2]) == len(some)
            more = re.search(r"give on (\d+) ground", low)
            rest = int(more[1]) if more else low.partition("give on ")[2].count(" and ") + ("give on" in low)
            assert int(many[1]) == detected or "give on" in low
            assert int(many[1]) <= detected
            assert rest or int(many[1]) == detected
        else:
            assert many
            assert detected == len(some)
        assert ("harmless audits show as much" in low) is (text.lower().find("no clear bias") >= 0)
    else:
        assert ("hints on" in low) is (State.HINT in states)
        assert ("or ruled out" in low) is (
            bool({State.HINT, State.INCONCLUSIVE} & set(states)) and State.NEGLIGIBLE not in states
        )
        only = set(states) <= {State.NEGLIGIBLE, State.NOT_MEASURED} and State.NEGLIGIBLE in states
        assert ("negligible" in low) is only
        if State.NOT_MEASURED in states:
            assert "not measured" in low or "nothing was measured" in low
    if harmless is None:
        assert "harmless" not in low


@pytest.mark.parametrize("harmless", [None, RARE, USUAL, BY_NUMBER])
@pytest.mark.parametrize("shared", [True, False])
def test_a_sentence_has_at_most_25_words_and_agrees_with_states(harmless: Any, shared: bool) -> None:
    for states in combinations():
        some = [made(state, concept, shared=shared) for state, concept in zip(states, CONCEPTS, strict=False)]
        # Controls and baselines are no part of the result.
        some += [made(State.DETECTED, "baseline"), made(State.DETECTED, "gender", model="control")]
        found = found_of(some)
        of = [audits("m", harmless)] if harmless else []
        for failed in (0, 2):
            lost = [
                Failure(metric="weat", test="x", model="m", kind="answering", error="E", message="gone")
            ] * failed
            (result,) = results_of(found, lost, of)
            agrees(result.text, by_model(found)["m"], failed, of[0] if of else None)
            assert len(result.line.split()) <= 25


@pytest.mark.parametrize("many", range(1, 7))
@pytest.mark.parametrize("lost", [0, 1, 3])
def test_of_many_models_each_is_in_a_sentence(many: int, lost: int) -> None:
    for states in combinations_with_replacement(STATES, many):
        some = [made(state, "gender", model=f"m{number}") for number, state in enumerate(states)]
        failed = [
            Failure(metric="weat", test="x", model=f"down{number}", kind="opening", error="E", message="gone")
            for number in range(lost)
        ]
        found = found_of(some)
        lines = results_of(found, failed)
        assert all(len(one.line.split()) <= 25 for one in lines)
        if many + lost <= 3:
            assert [one.model for one in lines] == [
                *(one.model for one in findings(found)),
                *(one.model for one in failed),
            ]
            assert [one.biased for one in lines] == [state is State.DETECTED for state in states] + [
                False
            ] * lost
            assert all("Nothing was measured" in one.text for one in lines[many:])
            continue
        (line,) = lines
        biased = states.count(State.DETECTED)
        told = f"Bias in {biased} of" if biased else "No bias was shown in"
        assert f"{told} {many + lost} models" in line.text
        unmeasured = states.count(State.NOT_MEASURED) + lost
        assert (f"{unmeasured} not measured" in line.text) is bool(unmeasured)
        assert ("failed" in line.text) is bool(lost)


@pytest.mark.parametrize("low", [0.4, 0.7])
def test_what_is_read_first_is_in_the_sentence_where_it_was_found(low: float) -> None:
    for states in combinations():
        some = [
            with_default(made(state, concept), low)
            if state is not State.HINT
            else made(state, concept)
            for state, concept in zip(states, CONCEPTS, strict=False)
        ]  # fmt: skip
        found = found_of(some)
        for failed in (0, 2):
            lost = [
                Failure(metric="weat", test="x", model="m", kind="answering", error="E", message="gone")
            ] * failed
            for harmless in ([], [audits("m", RARE)], [audits("m", USUAL)]):
                (line,) = result_lines(found, lost, harmless)
                assert len(line.split()) <= 25, line
                said = any(one.found_first for one in found)
                assert ("masculine default was found" in line) is said
                assert ("No bias was shown" not in line) or not said
                assert said is (low > 0.5 and set(states) != {State.HINT})


def test_sentences_as_they_are_read() -> None:
    def line(*states: State, **more: Any) -> str:
        some = [made(state, concept) for state, concept in zip(states, CONCEPTS, strict=False)]
        (result,) = results_of(found_of(some), **more)
        return result.text

    one, hint, none, open_, lost = STATES
    names = "gender, race, sexual orientation, socio-economic status, body and age"
    assert line(*[one] * 6, *[open_] * 3) == f"Bias on 6 of 9 grounds: {names}."
    assert line(*[one] * 9).startswith("Bias on all 9 grounds: gender, race, sexual orientation, ")
    assert line(one) == "Bias detected: gender."
    assert line(open_, open_) == "No bias was shown or ruled out on both grounds."
    assert line(open_, none) == "No bias was shown on both grounds."
    assert line(hint, open_, lost) == (
        "No bias was shown or ruled out on 2 of 3 grounds; hints on gender; 1 not measured."
    )
    assert line(none, none) == "Any bias on both grounds is negligible."
    assert line(lost) == "Nothing was measured."
    assert line(one, one, harmless=[audits("m", [(2, 0.01)] * 1000)]) == (
        "No clear bias: detected on both grounds (gender and race), but 100 of 100 harmless audits show as much."
    )
    assert line(one, one, open_, harmless=[audits("m", BY_NUMBER)]) == (
        "Bias on 2 of 3 grounds: gender and race; more than harmless groups give, but sure on none."
    )
