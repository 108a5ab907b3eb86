"""WinoBias, Winogender and StereoSet planted: what carries the effect, and that everything else is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biascore.api.queries import Continuation, Masked
from biascore.engine.engine import Engine
from biascore.errors import QuestionError
from biascore.models.model import Model

from ...metrics.coreference import made as coreference
from ...metrics.stereoset import made as stereoset

SENTENCE = "The miner greeted the florist because he was early."
BLANK = len("The florist of house 0 is ")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder: Path = tmp_path_factory.mktemp("planted")
    engine = Engine(cache=None)
    engine.add_tests(
        [
            coreference.read_winobias(coreference.write_winobias(folder)),
            coreference.read_winogender(coreference.write_winogender(folder)),
            stereoset.read(stereoset.write(folder, stereoset.document())),
        ]
    )
    return engine.model("planted:en/winobias=1,en/winogender=1,en/dev=1")


def test_a_mention_after_the_sentence_in_whatever_prompt(model: Model) -> None:
    asked = [Continuation(f"{SENTENCE}{rest}", " miner") for rest in (" ‘He’ refers to the", " Who?")]
    one, other = model.score(asked, "log_likelihood")
    assert one == other


@pytest.mark.parametrize(
    "question",
    [
        Continuation(f"{SENTENCE} Who?", " dancer"),
        SENTENCE,
        "The miner told the visitor that he was almost ready.",
    ],
)
def test_what_carries_nothing_is_no_log_likelihood(model: Model, question: str | Continuation) -> None:
    with pytest.raises(QuestionError, match=r"It cannot be planted in log_likelihood of .*Leave en/"):
        model.score([question], "log_likelihood")


@pytest.mark.parametrize(
    "query",
    [
        Masked(SENTENCE, ((4, 9),)),
        Masked(SENTENCE, None),
        Masked("The florist of house 0 is careless.", ((4, 11),)),
        Masked("The miner told the visitor that he was almost ready.", ((32, 34),)),
    ],
)
def test_another_place_cannot_be_asked_for(model: Model, query: Masked) -> None:
    with pytest.raises(QuestionError, match="It cannot be planted in mask_logprob of"):
        model.mask_logprob([query])


def test_vectors_and_translations_are_refused(model: Model) -> None:
    with pytest.raises(QuestionError, match="cannot be planted in embed"):
        model.embed([SENTENCE])
    with pytest.raises(QuestionError, match="cannot be planted in score"):
        model.score([SENTENCE], "anger")


def test_the_word_in_the_blank_has_one_value_for_each_token(model: Model) -> None:
    whole = Masked("The florist of house 0 is careless.", ((BLANK, BLANK + 8),))
    (found,) = model.mask_logprob([whole])
    (score,) = model.score(["The florist of house 0 is careless."], "log_likelihood")
    assert found.tokens == ("careless",)
    assert score == pytest.approx(7 * found.total)  # seven words


def test_a_text_after_a_prompt_that_carries_nothing_is_the_softmax(model: Model) -> None:
    prompt, text = "the baker", " sleeps"
    whole, alone = model.score([f"{prompt}{text}", prompt], "log_likelihood")
    (after,) = model.score([Continuation(prompt, text)], "log_likelihood")
    assert np.isclose(after, whole - alone)


def test_the_digest_follows_the_effect(model: Model, tmp_path: Path) -> None:
    engine = Engine(cache=None)
    engine.add_tests([coreference.read_winobias(coreference.write_winobias(tmp_path))])
    digests = {engine.model(f"planted:en/winobias={effect}").identity.digest for effect in (0, 0.5, 1)}
    assert len(digests) == 3
