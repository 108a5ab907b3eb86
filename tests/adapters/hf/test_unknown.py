"""Texts of which a tokenizer knows half of the words or fewer are refused with the share, whatever is asked of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs biascore[hf]")
transformers = pytest.importorskip("transformers", reason="needs biascore[hf]")

from biascore import Engine, WeatTest  # noqa: E402
from biascore.api.queries import Masked, Text  # noqa: E402
from biascore.errors import QuestionError  # noqa: E402

from ...builders import tiny  # noqa: E402
from . import translators  # noqa: E402

SIGNS = "漢字語文章学校先生"
UNREAD = [f"{one}{other} 漢 字 語 文 is." for one in SIGNS for other in SIGNS[:3]]
"""Two of eight words are known, with the full stop."""
READ = [f"The nurse {one} walked home, and nobody noticed." for one in SIGNS * 2]
TOLD = r"(50|[5-9]\d|100) % of the words"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    def of(kind: str) -> Path:
        path = tmp_path_factory.mktemp("unknown") / kind
        if kind == "head":
            return tiny.save_model(
                "bert-cased", path, 3, transformers.AutoModelForSequenceClassification, **tiny.EMOTIONS
            )
        if kind == "marian":
            translators.save(kind, path, 3)
            return path
        return tiny.save_model("bert-cased", path, 3)

    return of


def masked(text: str) -> Masked:
    return Masked(text, ((0, text.index(" is")),)) if " is" in text else Masked(text, None)


ASKS: dict[str, tuple[str, Callable[[Any, list[str]], Any]]] = {
    "sentences": ("masked", lambda model, texts: model.embed([Text(text) for text in texts])),
    "whole texts": ("masked", lambda model, texts: model.mask_logprob([Masked(t, None) for t in texts])),
    "words in texts": ("masked", lambda model, texts: model.mask_logprob([masked(t) for t in texts])),
    "a head": ("head", lambda model, texts: model.score(texts, "joy")),
    "translations": ("marian", lambda model, texts: model.translate(texts, "en", "es")),
}


@pytest.mark.filterwarnings("ignore:.*does not end within:UserWarning")
@pytest.mark.parametrize("ask", ASKS)
def test_texts_that_are_mostly_unknown_are_refused_with_the_share(
    folder: Callable[[str], Path], ask: str
) -> None:
    kind, asks = ASKS[ask]
    options = {"truncated": "keep", "max_new_tokens": 4} if kind == "marian" else {}
    with Engine(cache=None).model(f"hf:{folder(kind)}", **options) as model:
        assert len(asks(model, READ)) == len(READ)
        assert len(asks(model, UNREAD[:3])) == 3, "of a few texts nothing is said"
        with pytest.raises(QuestionError, match=TOLD) as caught:
            asks(model, READ[:1] + UNREAD)
        assert any(text.split()[0] in str(caught.value) for text in UNREAD)


def test_words_that_are_unknown_are_out_of_vocabulary_and_the_test_not_measured(
    folder: Callable[[str], Path],
) -> None:
    engine = Engine(cache=None)
    with engine.model(f"hf:{folder('masked')}") as model:
        assert np.isnan(model.embed(list(SIGNS) * 2)).all()
        lists = WeatTest(
            X=["nurse", "queen", *"漢字語文"], Y=["engineer", "king", *"章学校先"],
            A=["her", "mother", "she"], B=["he", "father", "his"], name="signs", language="en",
        )  # fmt: skip
        (one,) = engine.measure("weat", model, lists, resamples=100)
    assert one.reason.startswith("It was not measured: X lost 4 of 6")
