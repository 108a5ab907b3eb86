"""A model as reader shows what it gives two groups on neutral texts."""

from __future__ import annotations

import numpy as np
import pytest

from biascore import Engine
from biascore.api.adapters import Backend, Identity, Model
from biascore.errors import CapabilityError, OptionsError
from biascore.readers.model import ModelReader

from ..builders.models import Lengths

PAIRS = [(f"The woman has {n} keys.", f"The man has {n} keys.") for n in range(24)]
GROUPS = ("women", "men")


@pytest.fixture
def model(engine: Engine) -> Model:
    return engine.model("planted:")


def test_the_own_gap_stands_next_to_every_score(model: Model) -> None:
    catalogue = Engine(cache=None).catalogue
    pairs = catalogue.list_("en/readers/women_men").pairs  # type: ignore[attr-defined]
    reader = ModelReader(model, "anger", pairs, GROUPS)
    scores = model.score([text for pair in pairs for text in pair], "anger").reshape(-1, 2)
    gap = reader.own_gap
    assert (gap.groups, gap.n, gap.gap) == (GROUPS, 24, pytest.approx(float(np.diff(-scores).mean())))
    assert gap.interval is not None
    assert gap.interval.low < gap.gap < gap.interval.high
    (one, other) = reader.read(["The woman is sad.", "The man is sad."])
    assert (one.outcome, one.own_gap, other.own_gap) == ("scored", gap, gap)
    assert one.score is not None
    assert reader.read([]) == ()


def test_without_neutral_pairs_it_is_refused(model: Model) -> None:
    with pytest.raises(
        OptionsError, match=r"needs 20 different pairs of neutral texts about women and men.* and has 1"
    ):
        ModelReader(model, "anger", [PAIRS[0]] * 24, GROUPS)
    with pytest.raises(OptionsError, match="do not differ in the group only"):
        ModelReader(model, "anger", [*PAIRS, ("She sings.", "He walks home late.")], GROUPS)


def test_a_gap_that_is_the_same_in_all_pairs_has_no_interval(engine: Engine) -> None:
    gap = ModelReader(engine.model(Lengths()), "length", PAIRS, GROUPS).own_gap
    assert (gap.gap, gap.interval) == (pytest.approx(2 / 3), None)


def test_a_model_that_scores_no_text_reads_none(engine: Engine) -> None:
    class Silent(Backend):
        identity = Identity(digest="test:silent")

    with pytest.raises(CapabilityError, match="score"):
        ModelReader(engine.model(Silent()), "anger", PAIRS, GROUPS)
