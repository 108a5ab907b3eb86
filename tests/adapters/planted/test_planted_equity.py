"""Planted scores of emotions: the declared effect lies on the first factor, and what cannot carry it is refused."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.special import logit

from biascore import Engine
from biascore.api.adapters import Model
from biascore.api.queries import Masked
from biascore.errors import QuestionError
from biascore_metrics.eec.planted import PERSONS

TEST = "it/eec"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(cache=None)


@cache
def planted(engine: Engine, effect: float, seed: int = 0) -> Model:
    return engine.model(f"planted:{TEST}={effect}", seed=seed)


def test_the_logits_of_the_first_factor_are_shifted(engine: Engine) -> None:
    rows = engine.catalogue.test(TEST).rows()  # type: ignore[attr-defined]
    rows = rows[rows["template"].isin(["1", "11"])].drop_duplicates("sentence")
    texts = rows["sentence"].tolist()
    none, some = (logit(planted(engine, effect).score(texts, "fear")) for effect in (0.0, 1.0))
    shifts = rows["race/ethnicity"].map({"Italian": -0.5, "Romanian": 0.5, "Moroccan": 0.5, "": 0.0})
    np.testing.assert_allclose(some - none, PERSONS * shifts.to_numpy(), atol=1e-9)


def test_a_person_has_a_deviate_of_its_own_for_every_output(engine: Engine) -> None:
    rows = engine.catalogue.test(TEST).rows()  # type: ignore[attr-defined]
    frame = rows[(rows["template"] == "11") & (rows["kind"] == "name")]
    texts = frame["sentence"].tolist()
    anger, joy = (logit(planted(engine, 0.0).score(texts, quantity)) for quantity in ("anger", "joy"))
    assert anger.std() == pytest.approx(np.hypot(PERSONS, 0.1), rel=0.3)
    assert abs(np.corrcoef(anger, joy)[0, 1]) < 0.4


def test_what_cannot_carry_it_is_refused(engine: Engine) -> None:
    model, text = planted(engine, 1.0), "Marco si sente arrabbiato."
    for question in (
        lambda: model.embed([text], "sentence"),
        lambda: model.score([text], "log_likelihood"),
        lambda: model.mask_logprob([Masked(text, ((0, 5),))]),
        lambda: model.translate([text], "it", "es"),
    ):
        with pytest.raises(
            QuestionError, match="declares an effect for it/eec, whose kind equity carries it in score of"
        ):
            question()
    assert 0 < model.score(["Un altro testo."], "anger")[0] < 1


def test_it_is_one_model_whatever_the_order(engine: Engine) -> None:
    texts = ["Marco si sente arrabbiato.", "Fatima ha due figli."]
    forth, back = planted(engine, 1.0).score(texts, "joy"), planted(engine, 1.0).score(texts[::-1], "joy")
    np.testing.assert_array_equal(forth, back[::-1])
    digests = {
        planted(engine, effect, seed).identity.digest for effect, seed in ((0.0, 0), (1.0, 0), (1.0, 1))
    }
    assert len(digests) == 3
