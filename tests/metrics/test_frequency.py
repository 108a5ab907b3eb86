"""What a result says of the frequency of its words, and where it warns that frequency alone may be the effect."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from biascore.api.exporters import Measurement
from biascore.api.metrics import Model, Test
from biascore.api.queries import Familiarity
from biascore.designs.frequency import Frequency
from biascore.designs.options import WeatOptions
from biascore.engine.engine import Engine
from biascore_metrics.weat.control import ScWeatOptions
from biascore_metrics.weat.single import ScWeat
from biascore_metrics.weat.weat import Weat

from ..builders import models
from .conftest import RankedBackend
from .fise.axes import LISTS, TARGETS, VECTORS, fise, fise_test
from .measuring import measured

RNG = np.random.default_rng(3)
WORDS = {f"{role}{i}": RNG.normal(size=30) for role in "xyab" for i in range(8)}
UNIT = {word: vector / np.linalg.norm(vector) for word, vector in WORDS.items()}
X, Y, A, B = ([f"{role}{i}" for i in range(8)] for role in "xyab")
ROLES = dict(zip("XYAB", (X, Y, A, B), strict=True))
RARE = "have the rarer words, and in many models that alone gives a {} effect"
LISTED = [(name, word) for name, words in LISTS.items() for word in words]
FEW = {"draws": 200, "resamples": 100}


def ranked(shift: Mapping[str, float], **more: int) -> Model:
    """Words of rank 100 to 800 in each list, times e to the power of its shift."""
    told = {
        word: Familiarity(rank=round(100 * (1 + i) * np.exp(shift.get(role, 0.0))), **more)
        for role, words in ROLES.items()
        for i, word in enumerate(words)
    }
    return models.model_of(RankedBackend(told, UNIT), name="table")


def weat(model: Model, test_of: object) -> Measurement:
    return measured(Weat(WeatOptions(**FEW)), model, test_of(X, Y, A, B))


@pytest.mark.parametrize(
    ("shift", "told"),
    [
        ({"Y": 2.0, "B": 2.0}, f"Y and B {RARE.format('positive')}"),
        ({"X": 2.0, "A": 2.0}, f"X and A {RARE.format('positive')}"),
        ({"Y": 2.0, "A": 2.0}, f"Y and A {RARE.format('negative')}"),
        (
            {"Y": 3.0, "B": 0.4},
            f"Y and B {RARE.format('positive')}",
        ),  # it goes by the product of the differences
        ({"Y": 3.0}, ""),
        ({"B": 3.0}, ""),
        ({"Y": 0.4, "B": 0.4}, ""),
        ({"Y": 0.53, "B": 0.53}, ""),  # .75 standard deviations of .70
        ({"Y": 0.6, "B": 0.6}, f"Y and B {RARE.format('positive')}"),  # .85
    ],
)
def test_lists_that_differ_in_frequency_on_both_sides_are_told_of(test_of, shift, told):
    got = weat(ranked(shift), test_of)
    found = [line for line in got.warnings if "word frequency" in line]
    assert [told in line for line in found] == [True] * bool(told)
    assert set(found) <= set(got.cautions)
    assert "word frequency by rank in the vocabulary" in got.conventions


def test_every_list_has_its_mean_in_the_result(test_of):
    got = weat(ranked({"Y": 1.0}, tokens=1), test_of)
    told = got.conventions["word frequency by rank in the vocabulary"]
    assert told == "X 376, Y 1,023, A 376, B 376 (geometric means)"
    # One sub-token each and vectors of one length say nothing, so they are not shown.
    assert [key for key in got.conventions if "frequency" in key] == [
        "word frequency by rank in the vocabulary"
    ]


def test_a_model_that_tells_nothing_says_so(test_of):
    got = weat(models.model_of(RankedBackend({}, UNIT), name="table"), test_of)
    assert got.conventions["word frequency"].startswith("not known")
    assert not any("word frequency" in line for line in got.warnings)


def test_without_ranks_sub_tokens_and_lengths_of_vectors_go_for_frequency():
    pieces = {word: Familiarity(tokens=1 + (word[0] in "yb") + (word[1] == "0")) for word in UNIT}
    model = models.model_of(RankedBackend(pieces, UNIT), name="table")
    found = Frequency.of(
        model, ROLES, {role: np.array([WORDS[w] for w in some]) for role, some in ROLES.items()}
    )
    assert list(found.stated()) == [
        "word frequency by sub-tokens of a word",
        "word frequency by length of the vector",
    ]
    assert "Y and B have the words of more pieces" in found.both()[0].text
    assert "A has the words of fewer" not in found.one("A", "B", "targets")[0].text
    assert (
        "B has the words of more pieces, A the words of fewer pieces"
        in found.one("A", "B", "targets")[0].text
    )


def test_a_rank_that_is_not_known_of_every_word_is_not_used():
    told = {word: Familiarity(rank=i + 1) for i, word in enumerate(UNIT)} | {"x0": Familiarity()}
    assert not Frequency.of(models.model_of(RankedBackend(told, UNIT), name="table"), ROLES).proxies
    assert not Frequency.of(
        models.model_of(RankedBackend(told, UNIT), name="table"), {"X": [], "Y": []}
    ).proxies


def test_single_words_are_held_against_attributes_of_unlike_frequency(test_of: Test):
    got = measured(ScWeat(ScWeatOptions(**FEW)), ranked({"B": 2.0}), test_of(X, Y, A, B))
    (caution,) = [line for line in got.cautions if "word frequency" in line]
    assert caution in got.warnings
    assert "B has the rarer words, A the more frequent words" in caution


@pytest.mark.parametrize(("shift", "told"), [(0.53, False), (0.6, True)])
def test_attributes_that_differ_by_more_than_cohens_large_effect_touch_the_verdict(
    test_of: Test, shift: float, told: bool
):
    got = measured(ScWeat(ScWeatOptions(**FEW)), ranked({"B": shift}), test_of(X, Y, A, B))
    assert any("word frequency" in line for line in got.cautions) is told
    assert any("word frequency" in line for line in got.doubts) is told


def test_a_dimension_of_unlike_frequency_is_told_of():
    told = {
        word: Familiarity(rank=50 if name == "men" else 100 + i % 6) for i, (name, word) in enumerate(LISTED)
    }
    told |= {word: Familiarity(rank=70 + i) for i, word in enumerate(TARGETS)}
    got = fise(models.model_of(RankedBackend(told, VECTORS), name="table"), fise_test(affect=()))
    (caution,) = [line for line in got.cautions if "word frequency" in line]
    assert caution.startswith("gender.A and gender.B differ")
    assert "gender.B has the rarer words" in caution
    assert "gender.A 50" in got.conventions["word frequency by rank in the vocabulary"]


@pytest.mark.parametrize("metric", ["weat", "seat", "lpbs", "gg-weat", "sc-weat"])
def test_a_planted_frequency_is_found_and_told(engine: Engine, metric: str):
    none = {} if metric in ("gg-weat", "sc-weat") else {"reference": "none"}
    run = engine.measure(
        metric, model="planted:en/weat7=0,frequency.XA=0.3", tests=["en/weat7"], **FEW, **none
    )
    (got,) = run.measurements
    told = "Y and B have the rarer words" if metric != "sc-weat" else "A and B differ in word frequency"
    assert any(told in line for line in got.cautions)
