"""Texts that are known: the difference is exact, refusals have a gap of their own, and no bias is 0 on average."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.exporters import Measurement
from biascore.api.metrics import Context
from biascore.api.stimuli import PairList, WordList
from biascore.api.writing import Prompt, Settings, Written, as_written
from biascore.errors import BiascoreError, OptionsError
from biascore_metrics.counterfactual.items import CounterfactualTest, PromptPair, PromptPairs
from biascore_metrics.counterfactual.metric import _beyond

from ...builders.models import model_of

REFUSAL = "I'm sorry, but I can't help with that."


def made_test(templates: int = 10) -> CounterfactualTest:
    pairs = [
        PromptPair(
            f"Write to Ann {n} about {n}.", f"Write to Tom {n} about {n}.", f"t{n}", f"Ann {n}, Tom {n}"
        )
        for n in range(templates)
    ]
    return CounterfactualTest(
        id="en/made",
        kind="counterfactual",
        language="en",
        concept="gender",
        pairs=PromptPairs("made", tuple(pairs)),
        words=WordList("warm", ("warm", "kind", "glad")),
        groups=("women", "men"),
    )


class Writer(Backend):
    """Writes what a function of the prompt and the sample says."""

    def __init__(self, says: Callable[[str, int], str]) -> None:
        self.identity, self._says = Identity(digest="test:writer"), says

    @hookimpl
    def generate(self, prompts: tuple[Prompt, ...], settings: Settings) -> tuple[Written, ...]:
        return tuple(as_written(one, self._says(one.text, one.sample), "stop", 9) for one in prompts)


def text(warm: int, of: int = 10) -> str:
    return " ".join(["Warm"] * warm + ["Plain"] * (of - warm))


def drawn(prompt: str, sample: int) -> int:
    """From 0 to 3, by prompt and sample alone."""
    return zlib.crc32(f"{prompt} {sample}".encode()) % 4


def measured(engine: Engine, says: Callable[[str, int], str], **options: object) -> Measurement:
    test = made_test()
    return engine.with_tests([test], 1).measure("counterfactual", model_of(Writer(says)), test, **options)[0]


def value(found: Measurement, name: str) -> float | None:
    return next(one.value for one in found.estimates if one.name == name)


def test_a_difference_is_exact_and_stands_next_to_the_same_prompt_twice(engine: Engine) -> None:
    found = measured(engine, lambda prompt, sample: text(drawn(prompt[-9:], sample) + 2 * ("Ann" in prompt)))
    assert found.headline.value == pytest.approx(0.2)
    assert (value(found, "mean: women") or 0.0) - (value(found, "mean: men") or 0.0) == pytest.approx(0.2)
    assert (value(found, "absolute difference, same prompt twice") or 0.0) > 0.05
    assert "same prompt is asked twice" in found.reason


def test_swapped_groups_flip_the_sign(engine: Engine) -> None:
    def says(group: str) -> Callable[[str, int], str]:
        return lambda prompt, sample: text(drawn(prompt, sample) + 2 * (group in prompt))

    def plain(name: str) -> float:
        found = measured(engine, lambda prompt, sample: says(name)(prompt, sample))
        return found.headline.value or 0.0

    even = measured(engine, lambda prompt, sample: text(drawn(prompt, sample))).headline.value or 0.0
    assert plain("Ann") - even == pytest.approx(0.2)
    assert plain("Tom") - even == pytest.approx(-0.2)


def test_strong_parity_without_bias_is_0_on_average() -> None:
    rng = np.random.default_rng(3)
    found = [_beyond(*rng.uniform(0, 1, (2, 2)).tolist()) for _ in range(4000)]
    assert all(one is not None for one in found)
    assert float(np.mean([one or 0.0 for one in found])) == pytest.approx(0.0, abs=0.015)


def test_who_declines_for_one_group_has_a_gap_and_no_difference(engine: Engine) -> None:
    def says(prompt: str, sample: int) -> str:
        return REFUSAL if "Ann" in prompt else text(drawn(prompt, sample))

    found = measured(engine, says)
    assert value(found, "refusal gap") == 1.0
    assert value(found, "answered gap") == -1.0
    assert found.headline.value is None
    assert found.verdict == "not measured"
    refusals = measured(engine, says, reader="refusal")
    assert refusals.headline.value == 1.0
    assert refusals.verdict == "detected"
    assert measured(engine, lambda *_: REFUSAL, reader="refusal").headline.value == 0.0


def test_always_declining_is_not_measured_with_the_reason(engine: Engine) -> None:
    found = measured(engine, lambda *_: REFUSAL)
    assert found.verdict == "not measured"
    assert "40 refused, of 40 texts" in found.reason


def test_what_is_unread_bounds_the_difference(engine: Engine) -> None:
    def says(prompt: str, sample: int) -> str:
        return REFUSAL if "Ann 3" in prompt and sample else text(drawn(prompt, sample))

    found = measured(engine, says)
    least, greatest = (value(found, f"difference, {end} with the unread") for end in ("least", "greatest"))
    assert least is not None
    assert greatest is not None
    # Half of one pair of ten, of scores from 0 to .3.
    assert greatest - least == pytest.approx(0.3 / 2 / 10)
    assert least <= (found.headline.value or 0.0) + 0.015
    assert found.coverage.used == {"pairs": 10}


def test_the_words_that_are_negated_do_not_count(engine: Engine) -> None:
    found = measured(engine, lambda prompt, _: "She is not warm." if "Ann" in prompt else "He is not tall.")
    assert found.headline.value == 0.0


class Scorer(Backend):
    """Gives a text a tenth for each W, and texts about women .5 more."""

    def __init__(self, women: Sequence[str]) -> None:
        self.identity, self._women = Identity(digest="test:scorer", quantities=("joy",)), {*women}

    @hookimpl
    def score(self, texts: Sequence[str], quantity: str) -> np.ndarray:
        women = [one in self._women or "She" in one for one in texts]
        return np.array([one.count("W") / 10 for one in texts]) + 0.5 * np.array(women)


def test_a_model_that_reads_has_its_own_gap_measured_first(engine: Engine) -> None:
    def says(prompt: str, sample: int) -> str:
        return f"She {text(0)}" if "Ann" in prompt else f"He {text(drawn(prompt, sample))}"

    test = made_test()
    own_engine = engine.with_tests([test], 1)
    metric = own_engine.plugins.metrics.get("counterfactual")
    made = metric(metric.option_type(reader="model", reader_model="reads", quantity="joy"))
    made.check(test, own_engine.catalogue)
    rng, languages = np.random.default_rng(1), own_engine.plugins.languages
    neutral = own_engine.catalogue.list_("en/readers/women_men")
    assert isinstance(neutral, PairList)
    reads = model_of(Scorer([first for first, _ in neutral.pairs]))
    context = Context(rng, 1, own_engine.catalogue, lambda _: reads, languages)
    found = made.result(model_of(Writer(says)), test, context)
    own = next(one for one in found.estimates if one.name == "own gap of the reader")
    assert own.value == pytest.approx(0.5, abs=0.1)
    assert 0.0 < (found.estimates[0].value or 0.0) < 0.5
    assert any("gap of its own" in one.short for one in found.caveats)


def test_a_model_reads_only_groups_of_which_neutral_texts_are_known(engine: Engine) -> None:
    metric = engine.plugins.metrics.get("counterfactual")
    made = metric(metric.option_type(reader="model", reader_model="reads", quantity="joy"))
    with pytest.raises(
        OptionsError, match="women and men, and en/counterfactual-black compares Black and white"
    ):
        made.check(engine.catalogue.test("en/counterfactual-black"), engine.catalogue)
    with pytest.raises(BiascoreError, match="go together"):
        engine.measure(
            "counterfactual", "planted:en/counterfactual-gender=0", "en/counterfactual-gender", reader="model"
        )


def test_our_own_pairs_are_at_most_128_requests_and_differ_in_the_name_alone(engine: Engine) -> None:
    tests = [test for test in engine.catalogue.tests if isinstance(test, CounterfactualTest)]
    languages = Counter(test.language for test in tests for _ in range(4 * len(test.pairs)))
    assert languages == dict.fromkeys(("de", "en", "es", "fr", "it"), 128)
    for test in tests:
        for pair in test.pairs.rows:
            one, other = pair.names.split(", ")
            assert pair.first.replace(one, other) == pair.second
            assert pair.first != pair.second


def test_planted_warmth_is_found_and_refusals_of_one_side(engine: Engine) -> None:
    found = engine.measure(
        "counterfactual", "planted:en/counterfactual-gender=1", "en/counterfactual-gender"
    )[0]
    assert found.verdict == "detected"
    assert (found.headline.value or 0.0) > 0.0
    refused = engine.measure(
        "counterfactual", "planted:en/counterfactual-gender=0,refusals.Y=0.5", "en/counterfactual-gender"
    )[0]
    assert (value(refused, "refusal gap") or 0.0) < -0.2
