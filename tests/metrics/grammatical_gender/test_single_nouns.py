"""sc-gg-weat against a loop over nouns, and what became of each noun counted apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Engine
from biascore.errors import OptionsError
from biascore.models.model import Model
from biascore.stats import effect_size

FEW: dict[str, Any] = {"resamples": 100, "attributes": "es/own-GG"}
NAMES = {
    "paper": "share of nouns weakened, direction only (the paper's)",
    "weakened": "share of nouns weakened, still with their own gender",
    "overshot": "share of nouns overshot, from their own gender to the other",
    "away": "share of nouns moved further to the other gender, where they were before",
    "stronger": "share of nouns not weakened",
}


def test_every_noun_is_counted_as_in_a_loop(spanish: Engine, raw: Model, clean: Model) -> None:
    (found,) = spanish.measure("sc-gg-weat", clean, "es/own-nouns", part="test", **FEW)
    test = spanish.catalogue.test("es/own-GG")
    counts = dict.fromkeys(NAMES, 0)
    means: dict[str, list[float]] = {}
    rows = {row["item"]: row for row in found.items.to_pylist()}
    assert len(rows) == 480
    sides = [[model.embed(test.roles[side].words) for side in "AB"] for model in (raw, clean)]
    for gender, sign in (("masculine", 1), ("feminine", -1)):
        words = [word for word, row in rows.items() if row["group"] == gender]
        for word, old_row, new_row in zip(words, raw.embed(words), clean.embed(words), strict=True):
            old, new = (
                effect_size(*([_cosine(row, one) for one in side] for side in both))
                for row, both in ((old_row, sides[0]), (new_row, sides[1]))
            )
            assert (rows[word]["before"], rows[word]["after"]) == pytest.approx((old, new), abs=1e-5)
            assert rows[word]["value"] == pytest.approx(new - old, abs=1e-5)
            means.setdefault(gender, []).append(new)
            before, after = sign * old, sign * new
            counts["paper"] += after < before
            counts["stronger"] += after >= before
            counts["away"] += after < before <= 0
            counts["overshot"] += after < 0 < before
            counts["weakened"] += 0 <= after < before
    for short, name in NAMES.items():
        assert found.estimate(name).value == counts[short] / 480
    assert counts["paper"] == counts["weakened"] + counts["overshot"] + counts["away"]
    for gender, some in means.items():
        estimate = found.estimate(f"mean d after, {gender}")
        assert estimate.value == pytest.approx(np.mean(some), abs=1e-6)
        assert estimate.interval is not None
    assert found.headline.name == NAMES["paper"]
    assert (found.change_from, found.describes) == ("raw", True)
    assert [figure.kind for figure in found.figures] == ["plane", "plane", "histogram"]


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    a, b = one.astype(float), other.astype(float)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_spare_nouns_are_not_scored_and_both_parts_are_those_of_the_reference(
    spanish: Engine, clean: Model, reference: dict[str, Any]
) -> None:
    (found,) = spanish.measure("sc-gg-weat", clean, "es/own-nouns", trace=True, **FEW)
    for gender, short in (("masculine", "masc"), ("feminine", "fem")):
        expected = reference["runs"]["raw"]["sc_gg_weat_after_20"][short]
        estimate = found.estimate(f"mean d before, {gender}")
        assert estimate.n[gender] == expected["n"]
        assert estimate.value == pytest.approx(expected["mean_d_before"], abs=1e-7)
    first = [row for row in found.items.to_pylist() if row["step"] == 0 and row["group"].startswith("mean d")]
    assert [row["value"] for row in first] == [
        found.estimate(f"mean d before, {gender}").value for gender in ("masculine", "feminine")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("rows", ["rows", "raw"])
def test_the_disentangled_vectors_are_those_of_the_reference(
    rows: str, spanish: Engine, raw: Model, reference: dict[str, Any]
) -> None:
    """Through the eighth round the path is determined; from about the ninth on what is left is noise."""
    expected = reference["runs"][rows]
    clean = raw.with_transform(
        "grammatical-gender", nouns="es/own-nouns", rows="unit" if rows == "rows" else "raw", iterations=20
    )
    options = {"resamples": 100, "draws": 100, "duplicates": "keep", "trace": True}
    (found,) = spanish.measure("gg-weat", clean, "es/own-GG", nouns="es/own-nouns", **options)
    lines = {
        "effect size d": "d_GG",
        "effect size d, held-out nouns": "d_GG_held_out",
        "held-out accuracy": "test_acc",
        "training accuracy": "train_acc",
    }
    table = found.items.to_pylist()
    for group, key in lines.items():
        values = [row["value"] for row in table if row["group"] == group][:8]
        assert values == pytest.approx([row[key] for row in expected["primal"]][:8], abs=0.005), group
    for name in ("GenS", "GenC", "FloI", "InsW"):
        (other,) = spanish.measure(
            "weat-change", clean, f"es/own-{name}", trace=True, resamples=100, duplicates="keep"
        )
        values = [row["value"] for row in other.items.to_pylist() if row["group"] == "effect size d"][:8]
        assert values == pytest.approx([row[f"d_{name}"] for row in expected["primal"]][:8], abs=0.005), name
    (single,) = spanish.measure("sc-gg-weat", clean, "es/own-nouns", **FEW)
    for gender, short in (("masculine", "masc"), ("feminine", "fem")):
        one = expected["sc_gg_weat_after_20"][short]
        share = single.estimate(f"{NAMES['paper']}, {gender}").value
        assert share == pytest.approx(one["weakened"], abs=0.03)
        assert single.estimate(f"mean d after, {gender}").value == pytest.approx(
            one["mean_d_after"], abs=0.03
        )


def test_bad_input_is_told_with_what_to_type(
    spanish: Engine, raw: Model, clean: Model, tmp_path: Path
) -> None:
    with pytest.raises(OptionsError, match=r"sc-gg-weat compares .* biascore list transforms"):
        spanish.measure("sc-gg-weat", raw, "es/own-nouns", **FEW)
    with pytest.raises(OptionsError, match="attributes=es/own-nouns is of kind 'nouns'"):
        spanish.measure("sc-gg-weat", clean, "es/own-nouns", attributes="es/own-nouns")
    table = tmp_path / "words.tsv"
    table.write_text("word\tgender\nlibro\tm\nperro\tm\nmesa\tn\n", encoding="utf-8")
    one_gender = spanish.data("nouns", table, language="es", name="one")
    with pytest.raises(OptionsError, match=r"no class 'feminine'; its classes are masculine, neuter"):
        spanish.measure("sc-gg-weat", clean, one_gender, **FEW)
    table.write_text("word\tgender\nlibro\tm\nmesa\tf\n", encoding="utf-8")
    unsplit = spanish.data("nouns", table, language="xx", name="two")
    with pytest.raises(OptionsError, match="does not say which nouns are for test"):
        spanish.measure("sc-gg-weat", clean, unsplit, part="test", **FEW)
    with pytest.raises(OptionsError, match=r"there is no xx/gg-weat .* -o attributes=xx/GenS"):
        spanish.measure("sc-gg-weat", clean, unsplit)
    (found,) = spanish.measure("sc-gg-weat", clean, unsplit, **FEW)
    assert found.headline.value is None
    assert any("masculine has 1 usable word(s)" in warning for warning in found.warnings)
