"""Planted associations: the declared difference is there, and what cannot carry it is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biascore import Engine
from biascore.api.metrics import Model
from biascore.api.queries import Masked
from biascore.errors import QuestionError
from biascore_metrics.robust.items import AssociationsTest
from biascore_metrics.robust.metric import RobustAssociation
from biascore_metrics.robust.options import RobustOptions

from ..measuring import measured
from .probing import TOML


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    root = tmp_path_factory.mktemp("stimuli")
    (root / "xx").mkdir()
    (root / "xx" / "small.toml").write_text(TOML, encoding="utf-8")
    return Engine(cache=None, stimuli=[root])


def ask(model: Model, text: str, word: str, *hidden: str) -> float:
    def span(part: str) -> tuple[int, int]:
        return (text.index(part), text.index(part) + len(part))

    (answer,) = model.mask_logprob([Masked(text, (span(word),), also=tuple(map(span, hidden)))])
    return answer.total


def test_an_association_is_half_the_effect_and_a_deviate(engine: Engine) -> None:
    models = {effect: engine.model(f"planted:xx/small={effect}", seed=2) for effect in (0.0, 1.5)}
    for text, word, shift in [
        ("the father is a calm person.", "father", 0.75),
        ("my ballerina is calm.", "ballerina", -0.75),
        ("The ballet dancer is an able person.", "ballet dancer", 0.75),
        ("xe is able.", "xe", 0.0),
        ("people like him for his calm ways.", "him", 0.75),
        ("the father is an angry person.", "father", -0.75),
    ]:
        (target,) = (word for word in ("calm", "able", "angry") if word in text)
        also = ("his",) if "his" in text else ()
        found = {
            effect: ask(model, text, word, *also) - ask(model, text, word, *also, target)
            for effect, model in models.items()
        }
        assert found[1.5] - found[0.0] == pytest.approx(shift)
        assert abs(found[0.0]) <= 3.0


def test_the_metric_recovers_what_is_planted(engine: Engine) -> None:
    test = engine.catalogue.test("xx/small")
    assert isinstance(test, AssociationsTest)
    metric = RobustAssociation(RobustOptions(resamples=100, groups=("male", "female"), polarity="both"))
    found = []
    for seed in range(4):
        by_effect = [
            measured(metric, engine.model(f"planted:xx/small={effect}", seed=seed), test).headline.value
            for effect in (-1.0, 1.0)
        ]
        assert None not in by_effect
        found.append(by_effect)
    low, high = np.array(found, dtype=float).T
    # The association of an opposite is planted the other way round, and counts the other way round.
    np.testing.assert_allclose(high - low, 2, atol=0.25)


@pytest.mark.parametrize("text", ["the father is calm.", "she is able."])
def test_what_cannot_carry_it_is_refused(engine: Engine, text: str) -> None:
    model = engine.model("planted:xx/small=1")
    for question in (
        lambda: model.embed([text], "sentence"),
        lambda: model.score([text], "log_likelihood"),
        lambda: model.score([text], "joy"),
        lambda: model.mask_logprob([Masked(text, ((text.index(" is"), len(text) - 1),))]),
    ):
        with pytest.raises(QuestionError, match="declares an effect for xx/small, whose kind associations"):
            question()
    assert np.isfinite(model.embed(["calm"], "token")).all()


def test_other_models_stay_as_they_are(engine: Engine, tmp_path: Path) -> None:
    plain = Engine(cache=None)
    assert plain.model("planted:en/weat6=1").identity == engine.model("planted:en/weat6=1").identity
    assert (
        engine.model("planted:xx/small=1").identity.digest
        != engine.model("planted:xx/small=0").identity.digest
    )
