"""FISE measures the affect of words in another model where it is told to."""

import numpy as np
import pytest

from .axes import TARGETS, VECTORS, fise, fise_test


def test_affect_is_measured_in_a_second_model(model_of):
    turned = {w: -np.asarray(v) if w[:3] in ("goo", "bad") else v for w, v in VECTORS.items() if w != "t7"}
    second = model_of(turned)
    here = fise(model_of(VECTORS), fise_test())
    got = fise(model_of(VECTORS), fise_test(), lambda name: {"other": second}[name], affect_model="other")
    ours, theirs = here.items_frame().set_index("item"), got.items_frame().set_index("item")
    assert np.isnan(theirs.loc["t7", "valence"])
    rest = [w for w in TARGETS if w != "t7"]
    assert list(theirs.loc[rest, "valence"]) == pytest.approx(list(-ours.loc[rest, "valence"]), abs=1e-6)
    assert list(theirs["gender"]) == list(ours["gender"])
    assert [(w.word, w.role) for w in got.coverage.lost] == [("t7", f"targets in {second.name}")]
    group = theirs.loc["t7", "group"]
    assert got.estimate(f"positive valence among {group}").n["words"] == (theirs["group"] == group).sum() - 1
    assert got.conventions["affect measured in"] == second.name


def test_contextual_models_measure_no_affect_unless_told(model_of):
    contextual = model_of(VECTORS, composes_words=False)
    got = fise(contextual, fise_test())
    assert got.estimate("positive valence among men white").value is None
    assert got.conventions["affect measured in"] is None
    assert any("valence not measured" in w and "affect_model" in w for w in got.warnings)
    assert "valence.A" not in got.coverage.given
    own = fise(contextual, fise_test(), affect_model="self")
    assert own.estimate("positive valence among men white").value is not None


def test_an_affect_model_without_affects_is_told(model_of):
    got = fise(model_of(VECTORS), fise_test(affect=()), affect_model="other")
    assert "affect_model is not used, because the test has no lists of affect" in got.warnings
