"""Planted sentences carry their effect in the questions that can carry it, and every other question is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from biascore.api.adapters import LoadContext, ModelRef
from biascore.api.languages import Language, SpeakerFrames
from biascore.api.metrics import Test
from biascore.api.queries import Masked
from biascore.designs.pairs.test import SentencePair, SentencePairs, SentencePairsTest
from biascore.engine.engine import Engine
from biascore.errors import QuestionError, RefError
from biascore.models.model import Model
from biascore_adapters.planted.adapter import PlantedAdapter, PlantedOptions
from biascore_metrics.gest.kind import GenderedSample, GenderedSamples, GenderPairsTest, Stereotype

OWN = "en/gest_own"
PAIRS = "en/crows_own"


@pytest.fixture(scope="module")
def model(engine: Engine) -> Model:
    return engine.model(f"planted:{OWN}=1,{PAIRS}=1")


def a_sample(engine: Engine) -> str:
    return engine.catalogue.test(OWN).samples.rows[0].sentence  # type: ignore[attr-defined]


def odds(model: Model, text: str, words: tuple[str, str]) -> float:
    man, woman = (
        model.mask_logprob([Masked(filled, (span,))])[0].total
        for filled, span in (
            (text.replace("WORD", word), (text.index("WORD"), text.index("WORD") + len(word)))
            for word in words
        )
    )
    return man - woman


def test_a_sample_has_the_same_odds_in_every_template_and_on_a_causal_model(engine: Engine, model: Model):
    sample = a_sample(engine)
    said = odds(model, f'WORD said: "{sample}"', ("He", "She"))
    assert said == pytest.approx(odds(model, f'"{sample}", the WORD said.', ("man", "woman")))
    he, she = model.score([f'"{sample}", he', f'"{sample}", she'], "log_likelihood")
    assert said == pytest.approx(he - she)
    # The words that differ in the frames of a language name a man and a woman too.
    assert said == pytest.approx(odds(model, f"Sono WORD a dirlo: «{sample}»", ("venuto", "venuta")))


def test_log_probabilities_are_below_zero_and_add_up_over_words(engine: Engine, model: Model):
    for pair in engine.catalogue.test(PAIRS).pairs.rows[:5]:  # type: ignore[attr-defined]
        answers = model.mask_logprob(
            [Masked(text, None, one_at_a_time=True) for text in (pair.sent_more, pair.sent_less)]
        )
        assert all(max(answer.logprobs) < 0 for answer in answers)
        whole = model.score([pair.sent_more, pair.sent_less], "log_likelihood")
        # One token carries the difference, and the sentences may differ in their number of tokens.
        carried = [min(answer.logprobs) for answer in answers]
        assert carried[0] - carried[1] == pytest.approx(whole[0] - whole[1])
        tokens = [a.tokens[a.logprobs.index(min(a.logprobs))] for a in answers]
        assert tokens[0] == tokens[1]


def test_a_translator_speaks_as_it_is_told_who_speaks(engine: Engine, model: Model):
    sample = a_sample(engine)
    told = [f'He said: "{sample}"', f'She said: "{sample}"']
    assert model.translate(told, "en", "it") == (
        f'He said: "Sono venuto a dirlo: «{sample}»"',
        f'She said: "Sono venuta a dirlo: «{sample}»"',
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda m, s: m.embed([s]),
        lambda m, s: m.score([f'"{s}"'], "anger"),
        lambda m, s: m.score([s], "log_likelihood"),
        lambda m, s: m.mask_logprob([Masked(f"They said: {s}", ((0, 4),))]),
        lambda m, s: m.mask_logprob([Masked(s, None, one_at_a_time=True)]),
        lambda m, s: m.mask_logprob([Masked(s, ((0, 1),))]),
    ],
)
def test_questions_that_cannot_carry_a_declared_sample_are_refused(engine: Engine, model: Model, ask):
    with pytest.raises(QuestionError, match=f"{OWN}, whose kind samples carries it in translate"):
        ask(model, a_sample(engine))


@pytest.mark.parametrize(
    "ask",
    [
        lambda m, s: m.embed([s]),
        lambda m, s: m.translate([s], "en", "it"),
        lambda m, s: m.mask_logprob([Masked(s, ((0, 3),))]),
        lambda m, s: m.mask_logprob([Masked(s, None)]),
        lambda m, s: m.score([s], "joy"),
    ],
)
def test_so_are_those_that_cannot_carry_a_sentence_pair(engine: Engine, model: Model, ask):
    pair = engine.catalogue.test(PAIRS).pairs.rows[0]  # type: ignore[attr-defined]
    with pytest.raises(QuestionError, match="Leave en/crows_own out of the declaration"):
        ask(model, pair.sent_more)


def test_undeclared_sentences_are_ordinary_texts(engine: Engine):
    other = engine.model(f"planted:{PAIRS}=1")
    assert other.embed([a_sample(engine)]).shape[0] == 1


def load(engine: Engine, declared: str, *tests: Test, languages: dict[str, Language] | None = None):
    context = LoadContext(engine.catalogue.with_tests(tests), languages or {})
    return PlantedAdapter().load(ModelRef("planted", declared), PlantedOptions(), context)


def test_versions_of_a_sentence_have_log_odds_of_their_own(engine: Engine):
    stereotypes = (Stereotype(1, "Weak", "female"), Stereotype(8, "Tough", "male"))
    pairs = tuple(GenderedSample(f"Som {i} silný.", f"Som {i} silná.", 8 if i % 2 else 1) for i in range(400))
    test = GenderPairsTest(
        id="sk/variants",
        kind="gender-pairs",
        language="sk",
        pairs=GenderedSamples("v", pairs, stereotypes=stereotypes),
    )
    backend = load(engine, "sk/variants=1.5", test)
    found = {1: [], 8: []}
    for pair in pairs:
        at = pair.male.index("siln"), len(pair.male) - 1
        male, female = backend.mask_logprob((Masked(pair.male, (at,)), Masked(pair.female, (at,))))
        found[pair.stereotype].append((male.total - female.total) / math.log(10))
    assert np.mean(found[8]) - np.mean(found[1]) == pytest.approx(1.5, abs=0.4)
    assert np.std(found[8]) == pytest.approx(1, abs=0.2)


def test_pairs_that_share_a_sentence_keep_their_differences(engine: Engine):
    pairs = tuple(
        SentencePair(f"The {word} is late.", "The man is late.", "stereo", "x") for word in ("woman", "girl")
    )
    test = SentencePairsTest(
        id="en/shared", kind="sentence-pairs", language="en", pairs=SentencePairs("s", pairs)
    )
    backend = load(engine, "en/shared=1", test)
    alone = [load(engine, "en/shared=1", _of(test, pair)) for pair in pairs]
    for pair, single in zip(pairs, alone, strict=True):
        more, less = backend.score((pair.sent_more, pair.sent_less), "log_likelihood")
        own = single.score((pair.sent_more, pair.sent_less), "log_likelihood")
        assert more - less == pytest.approx(own[0] - own[1])


def _of(test: SentencePairsTest, pair: SentencePair) -> SentencePairsTest:
    return SentencePairsTest(
        id=test.id, kind=test.kind, language=test.language, pairs=SentencePairs("s", (pair,))
    )


def test_a_kind_that_nothing_can_be_planted_in_is_refused(engine: Engine):
    odd = Test(id="en/odd", kind="questions", language="en", concept="riddles")
    for declared in ("en/odd=1", "riddles=1", "en/od*=0"):
        with pytest.raises(RefError, match=r"no effect can be planted in en/odd \(questions\)"):
            load(engine, declared, odd)


def test_a_concept_may_have_tests_of_such_a_kind_too(engine: Engine):
    pairs = (SentencePair("The woman is late.", "The man is late.", "stereo", "x"),)
    test = SentencePairsTest(
        id="en/fair",
        kind="sentence-pairs",
        language="en",
        concept="riddles",
        pairs=SentencePairs("s", pairs),
    )
    odd = Test(id="en/odd", kind="questions", language="en", concept="riddles")
    backend = load(engine, "riddles=1", odd, test)
    both = backend.score(("The woman is late.", "The man is late."), "log_likelihood")
    alone = load(engine, "en/fair=1", test).score(
        ("The woman is late.", "The man is late."), "log_likelihood"
    )
    assert both.tolist() == alone.tolist()


def test_a_language_brings_its_frames(engine: Engine):
    frames = SpeakerFrames("Mi estas preta: “{}”", "Mi estas pretina: “{}”")
    backend = load(engine, "", languages={"eo": Language("eo", "Esperanto", speaker_frames=frames)})
    (text,) = backend.translate(("hello",), "en", "eo-Latn")
    assert text in (frames.masculine.format("hello"), frames.feminine.format("hello"))
    with pytest.raises(QuestionError, match="plugins bring them for eo"):
        backend.translate(("hello",), "en", "fr")


@pytest.mark.parametrize("wrong", ["no place", "{} and {}", "{}{", "{0}"])
def test_frames_need_one_place_for_the_sentence(wrong: str):
    with pytest.raises(ValueError, match=r"must hold \{\} once"):
        SpeakerFrames("He says: {}", wrong)
    with pytest.raises(ValueError, match="are both"):
        SpeakerFrames("I: {}", "I: {}")
