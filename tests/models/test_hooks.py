"""One test per hook, through Model, on the planted model."""

from __future__ import annotations

import numpy as np
import pytest

from biascore import Engine
from biascore.api.queries import Choice, Masked, Text
from biascore.models.model import Model


@pytest.fixture(scope="module")
def planted() -> Model:
    return Engine(cache=None).model("planted:gender=1")


def test_hook_embed(planted: Model) -> None:
    alone = planted.embed(["executive"], "sentence")
    word = planted.embed([Text("an executive decision", (3, 12))], "token")
    assert alone.shape == (1, planted.embed(["home"]).shape[1])
    np.testing.assert_array_equal(alone, word)
    assert np.linalg.norm(alone) == pytest.approx(1, abs=1e-6)


def test_hook_mask_logprob(planted: Model) -> None:
    text = "john likes the office"
    him, both = planted.mask_logprob([Masked(text, ((0, 4),)), Masked(text, None, one_at_a_time=True)])
    assert (him.tokens, him.offsets) == (("john",), ((0, 4),))
    assert both.tokens == ("john", "likes", "the", "office")
    # The first token hidden alone is the same question, however it is put.
    assert both.logprobs[0] == him.logprobs[0] < 0
    # A man's name gains more than a woman's where the other word is one of career instead of family.
    test = Engine(cache=None).catalogue.test("en/weat6")
    male, female = (
        [f"{name} {word}" for name in test.roles[role].words for word in ("executive", "home")]
        for role in "XY"
    )
    queries = [Masked(text, ((0, text.index(" ")),)) for text in (*male, *female)]
    logprobs = np.array([answer.total for answer in planted.mask_logprob(queries)]).reshape(2, -1, 2)
    male_gain, female_gain = (logprobs[..., 0] - logprobs[..., 1]).mean(axis=1)
    assert male_gain > female_gain
    # With the only other word hidden too, every planted name is as likely as any other.
    priors = planted.mask_logprob(
        [Masked(q.text, q.spans, also=((q.spans[0][1] + 1, len(q.text)),)) for q in queries]
    )
    assert len({answer.total for answer in priors}) == 1


def test_hook_translate(planted: Model) -> None:
    texts = ["the office", "the kitchen"]
    answers = planted.translate(texts, "en", "it")
    assert all(text in answer for text, answer in zip(texts, answers, strict=True))
    assert planted.translate(texts[::-1], "en", "it") == answers[::-1]


def test_hook_score(planted: Model) -> None:
    text = "john likes the office"
    total = planted.score([text], "log_likelihood")
    assert total.dtype == np.float64
    # The chain rule, asked word by word: each word with only what stands before it visible.
    words, parts = text.split(), []
    for i in range(len(words)):
        before = " ".join(words[: i + 1])
        start = len(before) - len(words[i])
        parts.append(planted.mask_logprob([Masked(before, ((start, len(before)),))])[0].total)
    assert total[0] == pytest.approx(sum(parts), rel=1e-12)
    assert 0 < planted.score([text], "joy")[0] < 1


def test_hook_choose(planted: Model) -> None:
    question = Choice("The office is for", ("john", "amy"))
    (likely,) = planted.choose([question], "likelihood")
    parts = [
        planted.mask_logprob([Masked(f"{question.prompt} {option}", ((18, 18 + len(option)),))])[0].total
        for option in question.options
    ]
    np.testing.assert_allclose(likely.logprobs, parts, rtol=1e-12)
    assert likely.chosen == int(np.argmax(parts))
    (said,) = planted.choose([question], "text")
    assert (said.chosen, said.outcome, said.way) == (likely.chosen, "chosen", "text")
