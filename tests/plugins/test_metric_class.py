"""What a metric's class says of itself: its options and its kind of test, in brackets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from biascore import Engine
from biascore.api.metrics import Context, Finding, Metric, MetricOptions, Model, Test
from biascore.errors import OptionsError, TestKindError
from biascore.plugins.loading import Plugins
from biascore_metrics.fise.items import FiseTest
from biascore_metrics.fise.metric import Fise
from biascore_metrics.fise.options import FiseOptions
from biascore_metrics.gest.kind import GenderPairsTest, SamplesTest
from biascore_metrics.gest.lm import GestLm

from .conftest import EngineOf
from .trouble import finding, metric_that


class WideOptions(MetricOptions):
    """``wide`` or not."""

    wide: bool = False


class NarrowOptions(WideOptions):
    """``narrow`` too."""

    narrow: bool = False


AnyWide = TypeVar("AnyWide", bound=WideOptions)


class Base(Metric[AnyWide, FiseTest]):
    """Says the kind of test, and leaves the options to its subclasses."""


class Own(Base[NarrowOptions]):
    """Says the options."""


class Deeper(Own):
    """Says nothing more."""


def test_options_and_tests_are_those_in_brackets() -> None:
    assert (Metric.option_type, Metric.test_types) == (MetricOptions, (Test,))
    assert (Own.option_type, Own.test_types) == (NarrowOptions, (FiseTest,))
    assert (Deeper.option_type, Deeper.test_types) == (NarrowOptions, (FiseTest,))
    assert (Fise.option_type, Fise.test_types) == (FiseOptions, (FiseTest,))
    assert GestLm.test_types == (SamplesTest, GenderPairsTest)


def test_a_metric_has_the_options_that_were_given(engine_of: EngineOf) -> None:
    class Wide(Metric[WideOptions, Test]):
        name = "wide"
        summary = "says its option"
        reference = "none"
        requires = frozenset({"embed"})
        kinds = frozenset({"weat"})

        def measure(self, model: Model, test: Test, context: Context) -> Finding:
            return finding(variant=f"wide={self.options.wide}")

    engine = engine_of(Wide)
    assert engine.measure("wide", "planted:gender=1", "en/weat7", wide=True)[0].variant == "wide=True"
    with pytest.raises(OptionsError, match="wide must be true or false"):
        engine.measure("wide", "planted:gender=1", "en/weat7", wide="no")


def test_a_test_that_is_not_what_it_says_is_refused() -> None:
    engine = Engine(cache=None)
    weat = engine.catalogue.test("en/weat7")
    false = replace(weat, id="en/false", kind="fise")
    with pytest.raises(TestKindError, match=r"says that it is of kind 'fise', and is a Test, not a FiseTest"):
        engine.measure("fise", "planted:gender=1", false)


def test_a_metric_that_names_its_options_as_an_attribute_is_told_the_brackets(
    install: Callable[..., Plugins],
) -> None:
    metric = metric_that(lambda *_: finding())
    metric.options = WideOptions  # type: ignore[assignment,misc]
    plugins = install(register_metrics=lambda register: register(metric))
    (record,) = (record for record in plugins.records if record.name == "made")
    assert record.status == "failed"
    assert "Name their class in brackets: class MadeMetric(Metric[MyOptions])" in record.reason
