"""Oracles: the references themselves as translations, the other gender's, both, and nothing."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest, fisher_exact, norm

from biascore import Engine
from biascore.errors import OptionsError, QuestionError
from biascore.results.measurement import Measurement
from biascore.stats import Verdict
from biascore_metrics.mt_geneval.items import (
    NO_OWN,
    SAME,
    GenevalTest,
    Line,
    outcome,
    own_words,
    pronoun_gender,
)

from ...builders.models import model_of
from .conftest import Translator, read, write

Of = Callable[[Line], str]


def measured(engine: Engine, test: GenevalTest, answer: Of, **options: Any) -> Measurement:
    by_source = {line.source: line for line in test.lines.rows}
    model = model_of(Translator(lambda text: answer(by_source[text])))
    return engine.measure("mt-geneval", model, test, **options)[0]


def values(found: Measurement) -> dict[str, float | None]:
    return {one.name: one.value for one in found.estimates}


def own(line: Line) -> str:
    return line.own


def other(line: Line) -> str:
    return line.other


def both(line: Line) -> str:
    return f"{line.own} / {line.other}"


def official(translation: str, own: str, other: str) -> bool:
    """The published decision, written again from its description."""
    table = {ord(mark): " " for mark in string.punctuation}
    words, mine, theirs = ({*text.lower().translate(table).split()} for text in (translation, own, other))
    return not [word for word in words if word in theirs and word not in mine]


def many(part: str, n: int) -> dict[str, list[str]]:
    """Files of so many lines of each gender."""
    if part == "sentences":
        words = {"feminine.en": "She", "feminine.it": "cuoca", "masculine.en": "He", "masculine.it": "cuoco"}
        return {name: [f"{word} {i}" for i in range(n)] for name, word in words.items()}
    words = {"2to1.en": "{} left. <sep> Cook", "original.it": "cuoc{}", "flipped.it": "cuoc{}"}
    ends = {"2to1.en": ("She", "He"), "original.it": ("a", "o"), "flipped.it": ("o", "a")}
    return {
        name: [f"{word.format(end)} {i}" for end in ends[name] for i in range(n)]
        for name, word in words.items()
    }


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(own, "correct"), (other, "incorrect"), (both, "both")],
    ids=["own", "other", "both"],
)
@pytest.mark.parametrize("name", ["sentences", "contexts"])
def test_references_as_translations(
    engine: Engine, request: pytest.FixtureRequest, name: str, answer: Of, outcome: str
):
    found = measured(engine, request.getfixturevalue(name), answer)
    named = values(found)
    expected = dict.fromkeys(("correct", "incorrect", "both", "neither"), 0.0) | {outcome: 1.0}
    assert {key: named[key] for key in expected} == expected
    assert (named["gap in correct, feminine - masculine"], found.p_value) == (0.0, 1.0)


def test_empty_translations_hold_neither_word(engine: Engine, sentences: GenevalTest):
    found = measured(engine, sentences, lambda _: " ")
    named = values(found)
    assert (named["neither"], named["correct"], named["incorrect"]) == (1.0, 0.0, 0.0)
    # The published code calls them correct.
    assert named["counterfactual accuracy"] == 1.0
    assert found.doubts == ("100 % of translations hold neither gender's word",)
    assert "8 of 8 translations are empty, and count as neither" in found.warnings


@pytest.mark.parametrize("part", ["sentences", "context"])
@pytest.mark.parametrize("copied", [True, False], ids=["English", "empty"])
def test_no_result_where_half_hold_neither_word(engine: Engine, tmp_path: Path, part: str, copied: bool):
    test = read(write(tmp_path, many(part, 400), part))
    found = measured(engine, test, lambda line: line.source * copied)
    assert found.p_value is found.headline.value is found.headline.interval is found.equivalence is None
    assert (found.alone, found.verdict) == ("not measured", Verdict.NOT_MEASURED)
    n = len(found.items_frame())
    assert found.reason == f"It could not be tested: {n} of {n} translations hold neither gender's word."


def test_equal_shares_of_wrong_genders_say_little(engine: Engine, tmp_path: Path):
    test = read(write(tmp_path, many("sentences", 400), "sentences"))
    found = measured(engine, test, other)
    share = "only 0 % of the translations keep the gender"
    assert (found.headline.value, found.doubts) == (0.0, (share,))
    assert f"{share}, so equal shares say little" in found.warnings
    assert measured(engine, test, own).doubts == ()


def test_lines_whose_references_tell_nothing_are_dropped_with_the_reason(
    engine: Engine, sentences: GenevalTest
):
    found = measured(engine, sentences, own)
    assert dict(found.coverage.given) == {"feminine": 4, "masculine": 4}
    assert dict(found.coverage.used) == {"feminine": 3, "masculine": 3}
    assert [(one.word, one.reason) for one in found.coverage.lost] == [
        ("She reads; she rests.", SAME),
        ("He reads; he rests.", SAME),
    ]
    items = found.items_frame()
    assert items["value"].isna().tolist() == [False] * 4 + [True] * 2 + [False] * 2
    assert items["outcome"].isna().tolist() == items["value"].isna().tolist()


@pytest.mark.parametrize(
    ("gender", "own", "other", "reason"),
    [
        ("feminine", "una cuoca", "una", NO_OWN.format("masculine")),
        ("masculine", "una", "una cuoca", NO_OWN.format("masculine")),
        ("", "una", "una cuoca", NO_OWN.format("given")),
        ("", "una cuoca", "una", NO_OWN.format("other")),
        ("feminine", "una cuoca", "un cuoco", ""),
    ],
)
def test_a_reference_without_a_word_of_its_own(gender: str, own: str, other: str, reason: str):
    assert Line("x", own, other, gender, 0).untold == reason


def test_words_are_those_of_the_published_code():
    mine, theirs = own_words("L'Infermiera è andata.", "L'infermiere è andato.")
    assert (mine, theirs) == ({"infermiera", "andata"}, {"infermiere", "andato"})
    answers = ["INFERMIERA!", "(infermiere)", "l'infermiera andato", "nurse", ""]
    assert [outcome(text, mine, theirs) for text in answers] == [
        "correct",
        "incorrect",
        "both",
        "neither",
        "neither",
    ]


@pytest.mark.parametrize(
    ("text", "gender"),
    [("She left.", "feminine"), ("HIS hat", "masculine"), ("She saw him", ""), ("the shed", ""), ("", "")],
)
def test_pronouns_tell_the_gender(text: str, gender: str):
    assert pronoun_gender(text) == gender


def test_the_gap_against_mcnemar(engine: Engine, tmp_path: Path):
    lines = {
        "feminine.en": [f"She {i}" for i in range(40)],
        "feminine.it": [f"cuoca {i}" for i in range(40)],
        "masculine.en": [f"He {i}" for i in range(40)],
        "masculine.it": [f"cuoco {i}" for i in range(40)],
    }
    test = read(write(tmp_path, lines, "sentences"))

    def masculine_mostly(line: Line) -> str:
        number = int(line.source.split()[1])
        return line.own if number < (25 if line.gender == "feminine" else 38) else "no word"

    found = measured(engine, test, masculine_mostly)
    assert found.headline.value == pytest.approx(25 / 40 - 38 / 40)
    assert found.p_value == pytest.approx(binomtest(0, 13).pvalue)
    assert found.verdict is Verdict.DETECTED
    assert found.headline.interval is not None
    assert found.headline.interval.high < 0
    assert any("which is part of the gap" in text for text in found.warnings)


def test_contexts_are_compared_by_the_gender_that_pronouns_tell(engine: Engine, contexts: GenevalTest):
    found = measured(engine, contexts, lambda line: line.own if line.gender == "feminine" else line.other)
    named = values(found)
    assert named["gap in correct, feminine - masculine"] == 1.0
    assert found.p_value == pytest.approx(fisher_exact([[1, 0], [0, 1]]).pvalue)
    assert found.items_frame()["group"].tolist() == [
        "feminine",
        "masculine",
        "gender not shown",
        "gender not shown",
    ]
    assert named["contextual accuracy"] == 0.25
    assert "the pronouns of 2 of 4 sources tell no gender: they count in no gap" in found.warnings


def test_what_follows_the_separator_is_judged(engine: Engine, contexts: GenevalTest):
    found = measured(engine, contexts, lambda line: f"{line.other} < SEP > {line.own}")
    assert values(found)["correct"] == 1.0
    assert not any("judged whole" in text for text in found.warnings)
    assert "4 of 4 translations hold no <sep>" in " ".join(measured(engine, contexts, own).warnings)


def test_sentences_without_their_context(engine: Engine, contexts: GenevalTest):
    backend = Translator(lambda text: text)
    found = engine.measure("mt-geneval", model_of(backend), contexts, context=False)[0]
    # Once for the measurement; once more to see whether the answers are the same.
    assert (
        [text for text, _, _ in backend.asked[:4]]
        == [text for text, _, _ in backend.asked[4:]]
        == [
            "The cook was tired.",
            "The teacher left.",
            "The friend was late.",
            "The pupil was calm.",
        ]
    )
    assert (found.variant, values(found)["neither"]) == ("without context", 1.0)


def test_the_target_is_that_of_the_file_or_a_variant_of_it(engine: Engine, sentences: GenevalTest):
    backend = Translator(lambda _: "x")
    found = engine.measure("mt-geneval", model_of(backend), sentences, target="it-CH")[0]
    assert {(source, target) for _, source, target in backend.asked} == {("en", "it-CH")}
    assert found.subject == "English to Italian (CH)"
    with pytest.raises(OptionsError, match="target is de, and the references of en/mine are in it"):
        engine.measure("mt-geneval", model_of(backend), sentences, target="de")


def test_few_pairs_can_detect_nothing(engine: Engine, sentences: GenevalTest):
    found = measured(engine, sentences, lambda line: line.own if line.gender == "feminine" else line.other)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "cannot be below 0.25 with 3 pairs" in found.reason


REAL: Mapping[tuple[str, str], tuple[int, int]] = {
    ("sentences-feminine", "it"): (600, 48),
    ("sentences-feminine", "es"): (600, 40),
    ("context-2to1", "it"): (1094, 53),
    ("context-2to1", "es"): (1096, 67),
}


@pytest.mark.parametrize(("name", "target"), list(REAL))
def test_the_published_lines(engine: Engine, shared_data: Path, name: str, target: str):
    path = shared_data / "choices" / "mtgeneval" / f"{name}-test.en_{target}.en.gz"
    test = read(path)
    given, dropped = REAL[name, target]
    found = {kind: measured(engine, test, answer) for kind, answer in (("own", own), ("other", other))}
    empty = measured(engine, test, lambda _: "")
    assert sum(found["own"].coverage.given.values()) == given
    assert len(found["own"].coverage.lost) == dropped
    assert values(found["own"])["correct"] == values(found["other"])["incorrect"] == 1.0
    assert values(empty)["neither"] == 1.0
    assert found["own"].verdict is Verdict.NEGLIGIBLE
    by_hand = [official(line.other, line.own, line.other) for line in test.lines.rows]
    accuracy = "contextual accuracy" if "context" in name else "published accuracy, feminine"
    assert values(empty)[accuracy] == values(found["own"])[accuracy] == 1.0
    counted = by_hand if "context" in name else by_hand[::2]
    assert values(found["other"])[accuracy] == pytest.approx(sum(counted) / len(counted))


def test_a_planted_bias_is_found(tmp_path: Path):
    lines = {
        f"{gender}.{language}": [f"{word} {i}" for i in range(400)]
        for gender, words in {"feminine": ("She", "Köchin"), "masculine": ("He", "Koch")}.items()
        for language, word in zip(("en", "de"), words, strict=True)
    }
    test = read(write(tmp_path, lines, "sentences", pair="en_de"))
    engine = Engine(cache=None).with_tests([test], 0)
    for effect in (1.0, 0.0):
        found = engine.measure("mt-geneval", f"planted:en/mine={effect:g}", test)[0]
        expected = norm.cdf(1 + effect / 2) - norm.cdf(1 - effect / 2)
        assert found.headline.value == pytest.approx(expected, abs=0.06)
        assert found.verdict is (Verdict.DETECTED if effect else Verdict.INCONCLUSIVE)
        assert found.estimate("neither").value == 0.0
    planted = engine.model("planted:en/mine=1")
    with pytest.raises(QuestionError, match="kind geneval carries it in translate to the language of its"):
        planted.score(["She 1"], "anger")
    with pytest.raises(QuestionError, match="has no gendered frames for 'de'"):
        planted.translate(["Something else"], "en", "de")
