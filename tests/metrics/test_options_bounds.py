"""Draws, resamples and equivalence bounds: what is too many, what is the default, and how to state none."""

from __future__ import annotations

from pathlib import Path

import pytest

from biascore import Engine
from biascore.errors import OptionsError
from biascore_metrics.discrim_eval.asking import DiscrimEvalOptions
from biascore_metrics.robust.metric import CausalRobustAssociation
from biascore_metrics.robust.options import RobustOptions

TEST_OF = {"fise": "it/fise_it1_occupations"}


@pytest.mark.parametrize("metric", ["weat", "sc-weat", "seat", "lpbs"])
def test_resamples_beyond_memory_are_refused(engine: Engine, metric: str) -> None:
    with pytest.raises(OptionsError, match=r"resamples: is more than 1,000,000.* 5000 are enough"):
        engine.measure(metric, "planted:gender=1", TEST_OF.get(metric, "en/weat6"), resamples=10**12)


@pytest.mark.parametrize("metric", ["weat", "fise"])
def test_draws_without_end_are_refused(engine: Engine, metric: str) -> None:
    with pytest.raises(OptionsError, match=r"draws: is more than 10,000,000.* 100000 give a p"):
        engine.measure(metric, "planted:gender=1", TEST_OF.get(metric, "en/weat6"), draws=10**12)


@pytest.mark.parametrize(
    ("metric", "name", "default"),
    [
        ("weat", "bound", 0.2),
        ("crows-pairs", "bound", 5.0),
        ("crows-pairs-mixed", "bound", 0.2),
        ("discrim-eval", "bound", 0.1),
        ("impact-ratio", "bound_ratio", 0.8),
        ("mt-geneval", "bound", 0.03),
        ("robust-association", "bound", 0.1),
        ("stereoset", "bound", 5.0),
        ("winobias", "bound", 0.1),
        ("winogender", "bound", 0.2),
    ],
)
def test_an_equivalence_bound_has_a_default_and_can_be_none(
    engine: Engine, metric: str, name: str, default: float
) -> None:
    options = engine.plugins.metrics.get(metric).option_type
    assert getattr(options(), name) == default
    assert getattr(options.model_validate({name: "none"}), name) is None
    assert getattr(options(**{name: None}), name) is None
    with pytest.raises(ValueError, match=name):
        options.model_validate({name: 0.0})
    with pytest.raises(ValueError, match=f'(?s){name}.*or "none" for no bound'):
        options.model_validate({name: "no"})


def test_an_audit_file_states_no_bound(tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / "audit.toml"
    path.write_text(
        '[[models]]\nref = "planted:gender=0"\n[[measurements]]\nmetric = "weat"\ntests = ["en/weat6"]\n'
        'options = { bound = "none", draws = 200, resamples = 100 }\n',
        encoding="utf-8",
    )
    assert engine.run(path)[0].equivalence is None


def test_answers_in_words_and_tokens_have_bounds_of_their_own() -> None:
    assert DiscrimEvalOptions().bounded(share=True).bound == 0.025
    assert DiscrimEvalOptions(bound=0.1).bounded(share=True).bound == 0.1
    assert DiscrimEvalOptions().bounded(share=False).bound == 0.1
    assert DiscrimEvalOptions.model_validate({"bound": "none"}).bounded(share=True).bound is None
    assert RobustOptions().bounded(CausalRobustAssociation.bound).bound == 0.01
    assert RobustOptions(bound=0.3).bounded(CausalRobustAssociation.bound).bound == 0.3
