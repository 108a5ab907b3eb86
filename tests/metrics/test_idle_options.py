"""An option that is of the other kind of language model alone is refused, whether the kind is named or found out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from biascore.errors import OptionsError
from biascore.metric import Metric
from biascore.plugins.loading import Plugins

BOTH = [one for one in Plugins().metrics.items() if one.causal]
IDLE = [
    (metric, kind, name)
    for metric in BOTH
    for kind, of_kind in (("masked", metric), ("causal", metric.causal))
    for name in of_kind.idle_options  # type: ignore[union-attr]
]
OTHER = {
    "pll": "within_word_l2r",
    "subtokens": "mean",
    "perplexity_hides": "words",
    "prompt": "{sentence} {pronoun}",
}


def of(metric: type[Metric], **options: Any) -> Metric:
    return metric(metric.option_type(**options))


def model(metric: type[Metric], kind: str) -> Any:
    asked = metric if kind == "masked" else metric.causal
    assert asked is not None
    return SimpleNamespace(capabilities=asked.requires, identity=SimpleNamespace(quantities=()))


def test_they_are_those_that_we_know() -> None:
    assert sorted({(metric.name, kind, name) for metric, kind, name in IDLE}) == [
        ("crows-pairs", "causal", "pll"),
        ("gest-lm", "causal", "grammar"),
        ("gest-lm", "causal", "target"),
        ("gest-lm", "causal", "translator"),
        ("lpbs", "causal", "subtokens"),
        ("robust-association", "causal", "perplexity_hides"),
        ("winobias", "masked", "prompt"),
    ]


@pytest.mark.parametrize(("metric", "kind", "name"), IDLE)
def test_an_idle_option_is_refused(metric: type[Metric], kind: str, name: str) -> None:
    value = OTHER.get(name, "it")
    for changed in (
        lambda: of(metric, **{name: value}, model_kind=kind).chosen,
        lambda: of(metric, **{name: value}).fitting(model(metric, kind)),
    ):
        with pytest.raises(OptionsError, match=rf"^{metric.name}: .*\. Leave {name} out$"):
            changed()


@pytest.mark.parametrize(("metric", "kind", "name"), IDLE)
def test_it_is_used_by_the_other_kind_and_its_default_is_no_error(
    metric: type[Metric], kind: str, name: str
) -> None:
    other = {"masked": "causal", "causal": "masked"}[kind]
    value = OTHER.get(name, "it")
    assert getattr(of(metric, **{name: value}, model_kind=other).chosen.options, name) == value
    assert getattr(of(metric, **{name: value}).fitting(model(metric, other)).options, name) == value
    of(metric, model_kind=kind).chosen  # noqa: B018  (it raises nothing)
    of(metric).fitting(model(metric, kind))
