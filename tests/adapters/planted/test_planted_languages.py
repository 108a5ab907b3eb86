"""What planted models write in five languages is what readers read there: of whom, how much, or that it declines."""

from __future__ import annotations

from itertools import product

import pytest

from biascore import Engine
from biascore.api.readers import character_reader, number_reader
from biascore.api.writing import PlantedText, Prompt, Settings
from biascore.errors import QuestionError
from biascore.languages.names import language_name
from biascore.models.questions.other_language import other_language, refuses
from biascore.planting.phrases import PHRASES, phrases_of
from biascore.planting.world import World
from biascore_metrics.counterfactual.planted import FRAMES, OTHERS


@pytest.fixture(scope="module")
def own() -> Engine:
    return Engine(cache=None)


@pytest.mark.parametrize("code", sorted(PHRASES))
def test_every_story_shows_its_gender_in_its_language(own: Engine, code: str) -> None:
    phrases = phrases_of(code)
    reader = character_reader(own.plugins.languages, code)
    for gender, said in phrases.forms.items():
        forms = {**said, **{name.capitalize(): form.capitalize() for name, form in said.items()}}
        names = phrases.names[gender] if phrases.names else ("",)
        for place, sentences in enumerate(product(*phrases.story)):
            text = " ".join(sentences).format(name=names[place % len(names)], **forms)
            assert reader.read(text).outcome == gender, text
            assert not other_language(text, text, language_name(code)), text
    for sentences in product(*phrases.first):
        assert reader.read(" ".join(sentences)).outcome == "first person", sentences


@pytest.mark.parametrize("code", sorted(PHRASES))
def test_amounts_and_refusals_are_read_as_such(own: Engine, code: str) -> None:
    phrases = phrases_of(code)
    numbers = number_reader(own.plugins.languages, code)
    for sentence, value in product(phrases.figures, (12, 1_234, 1_234_567)):
        assert numbers.read(sentence.format(phrases.amount(value))).values == (value,), sentence
    assert all(map(refuses, phrases.refusals))


@pytest.mark.parametrize("code", sorted(PHRASES))
def test_words_of_planted_letters_that_are_not_warm_are_in_no_list_of_warmth(own: Engine, code: str) -> None:
    warm = {*own.catalogue.word_list(f"{code}/counterfactual_own/warmth").words}
    assert not warm & {*OTHERS[code]}
    assert not warm & {word.strip(".").casefold() for frame in FRAMES[code] for word in frame.split()}


def test_a_language_without_sentences_is_refused() -> None:
    with pytest.raises(
        QuestionError, match=r"planted models write in de, en, es, fr, it, and this test is in pl"
    ):
        PlantedText(Prompt("Napisz."), Settings(), 0, World(), "pl")
