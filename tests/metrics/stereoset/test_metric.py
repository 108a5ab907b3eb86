"""StereoSet: models that always, never and nowhere prefer the stereotype, and the published numbers by hand."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from biascore.api.adapters import Backend, Identity
from biascore.api.exporters import Measurement
from biascore.api.metrics import Metric, Model, hookimpl
from biascore.api.queries import Masked, TokenLogprobs
from biascore.designs import Mean, equal_weights
from biascore.errors import CapabilityError
from biascore.stats import robust_mean
from biascore_metrics.stereoset.items import StereoSetTest
from biascore_metrics.stereoset.metric import CausalStereoSet, StereoSet, StereoSetOptions

from ...builders import models
from ..measuring import measured
from .made import ALWAYS, AT_RANDOM, NEITHER, NEVER, TERMS, Rule, document, model_of, read, write

WAYS = {"masked": StereoSet, "causal": CausalStereoSet, "intersentence": CausalStereoSet}


@pytest.fixture(scope="module")
def tests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StereoSetTest]:
    path = write(tmp_path_factory.mktemp("stereoset"), document())
    within, after = (read(path, part=part) for part in ("intrasentence", "intersentence"))
    return {"masked": within, "causal": within, "intersentence": after}


def run(metric: type[Metric], model: Model, test: StereoSetTest) -> Measurement:
    return measured(metric(StereoSetOptions()), model, test)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("rule", "ss"), [(ALWAYS, 100.0), (NEVER, 0.0)])
def test_always_the_stereotype_is_100_and_never_is_0(
    tests: dict[str, StereoSetTest], way: str, rule: Rule, ss: float
) -> None:
    found = run(WAYS[way], model_of(rule), tests[way])
    assert (found.headline.value, found.estimate("published ss").value) == (ss, ss)
    assert (found.estimate("published lms").value, found.estimate("published icat").value) == (100.0, 0.0)
    # Five terms that all agree: 2 x 1/32.
    assert [(p.name, p.value) for p in found.headline.p_values] == [("all 5 target terms are alike", 1 / 16)]
    # The exact interval of 5 of 5 holds 50 as long as p is above alpha: .025 to the power of 1 / 5.
    ends, wide = found.headline.interval, 100 * 0.025 ** (1 / 5)
    assert ends is not None
    assert (ends.low, ends.high) == pytest.approx((wide, 100.0) if ss else (0.0, 100.0 - wide))
    assert ends.method.startswith("all 5 target terms are alike")


def test_an_example_that_could_not_be_read_is_lost_with_its_reason(tmp_path: Path) -> None:
    made = document()
    made["data"]["intrasentence"][0]["context"] += " BLANK"
    test = read(write(tmp_path, made))
    found = run(StereoSet, model_of(ALWAYS), test)
    ((lost),) = found.coverage.lost
    assert (lost.word, lost.role) == ("example 1", "samples")
    assert "has 2 BLANK in its context" in lost.reason
    assert found.coverage.given["samples"] == found.coverage.used["samples"] + 1 == len(test.samples) + 1


@pytest.mark.parametrize("way", WAYS)
def test_no_preference_is_no_evidence_of_balance(tests: dict[str, StereoSetTest], way: str) -> None:
    found = run(WAYS[way], model_of(NEITHER), tests[way])
    assert found.headline.value is None
    assert found.verdict.value == "not measured"
    assert "score the same in every example" in found.reason
    assert found.estimate("published ss").value == 0.0  # a tie counts as anti-stereotype
    assert found.estimate("published icat").value == 0.0


def test_a_model_that_prefers_what_is_unrelated_has_no_ideal_score(tests: dict[str, StereoSetTest]) -> None:
    found = run(StereoSet, model_of(AT_RANDOM), tests["masked"])
    assert (found.estimate("published lms").value, found.estimate("published icat").value) == (0.0, 0.0)
    assert any("ss says little about it" in text for text in found.cautions)


class Unreadable(Backend):
    """Reads nothing in any blank."""

    identity = Identity(digest="test:unreadable")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        return tuple(TokenLogprobs((), (), ()) for _ in queries)


def test_what_cannot_be_read_gives_no_score(tests: dict[str, StereoSetTest]) -> None:
    found = run(StereoSet, models.model_of(Unreadable(), name="blind"), tests["masked"])
    names = ("published ss", "published lms", "published icat")
    assert found.headline.value is None
    assert [found.estimate(name).value for name in names] == [None, None, None]
    assert found.verdict.value == "not measured"
    assert (len(found.coverage.lost), found.coverage.used) == (20, {"samples": 0})


def test_the_published_numbers_by_hand(tests: dict[str, StereoSetTest]) -> None:
    """Loops over terms, as the published code has them, on random scores."""
    rng = np.random.default_rng(5)
    told: dict[str, float] = {}
    rule: Rule = lambda text, word: told.setdefault(f"{text} {word}", -float(rng.uniform(1, 3)))  # noqa: E731
    test = tests["masked"]
    found = run(StereoSet, model_of(rule), test)
    by_term: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in test.samples.rows:
        stereo, anti, unrelated = (told[f"{one.filled(k)} {one.words[k]}"] for k in range(3))
        by_term[one.target].append((stereo > anti, ((stereo > unrelated) + (anti > unrelated)) / 2))
    ss, lms = (
        100 * np.mean([np.mean([pair[k] for pair in pairs]) for pairs in by_term.values()]) for k in (0, 1)
    )
    assert found.headline.value == pytest.approx(ss)
    assert found.estimate("published ss").value == pytest.approx(ss)
    assert found.estimate("published lms").value == pytest.approx(lms)
    assert found.estimate("published icat").value == pytest.approx(lms * min(ss, 100 - ss) / 50)
    terms = [one.target for one in test.samples.rows]
    values = [100.0 * hit for one in TERMS for hit, _ in by_term[one]]
    expected = robust_mean(values, equal_weights(terms), terms)
    assert found.headline.p_values[0].value == pytest.approx(expected.p_value(50.0))
    assert found.headline.estimator is not None
    assert found.headline.estimator.value(found.items) == pytest.approx(ss)


def test_the_mean_of_probabilities_and_that_of_logarithms_may_differ(tests: dict[str, StereoSetTest]) -> None:
    """.5 and .0001 have the larger mean, .2 and .2 the larger mean of logarithms."""
    values = {"careless": (0.5, 0.0001), "thorough": (0.2, 0.2), "purple": (1e-9, 1e-9)}

    class Uneven(Backend):
        identity = Identity(digest="test:uneven")

        @hookimpl
        def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
            found = []
            for query in queries:
                assert query.spans is not None
                ((start, end),) = query.spans
                word = next((one for one in values if query.text[start:end] == one), None)
                if word is None:  # the first half, alone
                    (word,) = (one for one in values if one.startswith(query.text[start:end]))
                    found.append(
                        TokenLogprobs((query.text[start:end],), ((start, end),), (math.log(values[word][0]),))
                    )
                    continue
                middle = start + 4
                pieces = ((start, middle), (middle, end))
                told = tuple(math.log(p) for p in values[word])
                found.append(TokenLogprobs(("a", "b"), pieces, told))
            return tuple(found)

    found = run(StereoSet, models.model_of(Uneven(), name="uneven"), tests["masked"])
    assert found.estimate("published ss").value == 100.0
    assert found.estimate("ss by mean log-probability").value == 0.0
    gap = found.estimate("mean log-probability, stereotype - anti-stereotype").value
    assert gap == pytest.approx((math.log(0.5) + math.log(0.0001)) / 2 - math.log(0.2))


def test_later_sub_tokens_are_absent(tests: dict[str, StereoSetTest]) -> None:
    model = model_of(lambda _, word: -float(len(word)), size=4)
    run(StereoSet, model, tests["masked"])
    asked = [(query.text, query.spans) for query in model._backend.masked]  # type: ignore[attr-defined]
    start = len("The florist of house 0 is ")
    assert ("The florist of house 0 is careless.", ((start, start + 8),)) in asked
    assert ("The florist of house 0 is care.", ((start, start + 4),)) in asked


def test_between_sentences_the_context_counts(tests: dict[str, StereoSetTest]) -> None:
    """Only the sentence after its own context tells; the mean is over its words."""
    found = run(
        CausalStereoSet,
        model_of(lambda text, word: -1.0 - ("house 1" in text) * (word == "careless")),
        tests["intersentence"],
    )
    frame = found.items_frame().set_index("item")
    assert frame.loc["e0", "mean_log_stereotype"] == pytest.approx(-1.0)
    assert frame.loc["e1", "mean_log_stereotype"] == pytest.approx(-2.0)


def test_a_masked_model_cannot_be_asked_for_second_sentences(tests: dict[str, StereoSetTest]) -> None:
    with pytest.raises(CapabilityError, match="is a masked model, and en/dev has second sentences"):
        run(StereoSet, models.model_of(Unreadable(), name="blind"), tests["intersentence"])


def test_a_planted_effect_is_found_with_its_sign_and_rises(tmp_path: Path) -> None:
    """100 Phi(d): 16, 50 and 84 per cent."""
    from biascore import Engine

    test = read(write(tmp_path, document(dict.fromkeys([*TERMS, "Utopian", "Laputan"], 60))))
    engine = Engine(cache=None)
    engine.add_tests([test])
    found = [engine.measure("stereoset", f"planted:{test.id}={d}", test)[0] for d in (-1, 0, 1)]
    assert [one.headline.value for one in found] == pytest.approx([15.9, 50, 84.1], abs=7)
    assert [one.verdict.value for one in found] == ["detected", "inconclusive", "detected"]


def test_families_of_terms_that_the_file_names_are_what_is_alike(tmp_path: Path) -> None:
    """48 terms in 6 families, each of which leans its own way: without families half of the even models are biased."""
    terms = [f"term {number}" for number in range(48)]
    rng, detected = np.random.default_rng(0), {"": 0, "cluster": 0}
    written = {}
    for key in detected:
        content = document(dict.fromkeys(terms, 10))
        for one in content["data"]["intrasentence"]:
            one |= {key: f"family {terms.index(one['target']) % 6}"} if key else {}
        written[key] = read(write(tmp_path, content))
    for _ in range(40):
        lean = 0.6 * rng.standard_normal(6)
        sides = {term: rng.random(10) < 0.5 + np.clip(lean[i % 6], -0.5, 0.5) for i, term in enumerate(terms)}
        values = np.concatenate([np.where(sides[term], 100.0, 0.0) for term in terms])
        for key, test in written.items():
            by = StereoSet(StereoSetOptions()).clusters_of(test)
            weights = equal_weights([one.target for one in test.samples.rows])
            p = Mean.of(values, by, weights=weights, neutral=50.0, limits=(0.0, 100.0)).p_value
            detected[key] += p is not None and p <= 0.05
    assert detected[""] > 16
    assert detected["cluster"] <= 5
