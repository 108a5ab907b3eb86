"""gg-weat: the small list and held-out nouns beside it, before and after, against the reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

from biascore import Engine
from biascore.errors import OptionsError
from biascore.models.model import Model

from .conftest import Opened, write_tests

FEW: dict[str, Any] = {"resamples": 100, "draws": 1000, "duplicates": "keep"}


def test_small_list_and_held_out_nouns_are_those_of_the_reference(
    spanish: Engine, clean: Model, reference: dict[str, Any]
) -> None:
    (found,) = spanish.measure("gg-weat", clean, "es/own-GG", nouns="es/own-nouns", **FEW)
    before, after = reference["weat_before"], reference["fixed_direction"]["weat_after"]
    values = {
        "effect size d": after["GG"]["d_ddof1"],
        "effect size d, held-out nouns": after["GG_held_out"],
        "effect size d before": before["GG"]["d_ddof1"],
        "effect size d, held-out nouns before": before["GG_held_out"]["d_ddof1"],
        "change of effect size d": after["GG"]["d_ddof1"] - before["GG"]["d_ddof1"],
        "change of effect size d, held-out nouns": after["GG_held_out"] - before["GG_held_out"]["d_ddof1"],
    }
    for name, value in values.items():
        assert found.estimate(name).value == pytest.approx(value, rel=2e-6), name
        assert found.estimate(name).interval is not None
    headline = found.headline
    assert headline.p("normal approximation").value == pytest.approx(norm.sf(headline.value * (9 / 2) ** 0.5))
    assert headline.p("one-sided").value == pytest.approx(after["GG"]["exact"]["p_ge"])
    assert dict(found.estimate("effect size d, held-out nouns").n) == {
        "masculine nouns": 240,
        "feminine nouns": 240,
    }
    assert found.positive_means == (
        "masc_nouns are closer to man_words than fem_nouns are, and fem_nouns closer to woman_words"
    )
    assert found.change_from == ""  # its headline is d, not a change


def test_without_a_transform_and_without_nouns_it_is_weat(spanish: Engine, raw: Model) -> None:
    (found,) = spanish.measure("gg-weat", raw, "es/own-GG", **FEW)
    (weat,) = spanish.measure("weat", raw, "es/own-GG", **FEW)
    for one, other in zip(found.estimates, weat.estimates[:2], strict=True):
        assert (one.name, one.value) == (other.name, other.value)
        own = {p.name: p for p in one.p_values}
        assert [own[p.name] for p in other.p_values] == list(other.p_values)
    assert found.p_value == found.headline.p("two-sided, the larger of two").value


def test_its_trace_has_a_line_for_both_lists(spanish: Engine, clean: Model) -> None:
    (found,) = spanish.measure("gg-weat", clean, "es/own-GG", nouns="es/own-nouns", trace=True, **FEW)
    groups = {row["group"] for row in found.items.to_pylist()}
    assert {"effect size d", "effect size d, held-out nouns", "held-out accuracy"} == groups


def test_nouns_of_which_none_is_held_out_are_not_called_so(
    spanish: Engine, raw: Model, tmp_path: Path
) -> None:
    table = tmp_path / "unsplit.tsv"
    table.write_text("word\tgender\nlibro\tm\nperro\tm\nmesa\tf\nsilla\tf\n", encoding="utf-8")
    engine = Engine(cache=None)
    engine.catalogue = spanish.catalogue
    engine.add_tests([engine.data("nouns", table, language="es", name="unsplit")])
    (found,) = engine.measure("gg-weat", raw, "es/own-GG", nouns="es/unsplit", **FEW)
    assert found.estimates[1].name == "effect size d, all nouns"


def test_lists_that_disagree_are_told(spanish: Engine, opened: Opened, tmp_path: Any) -> None:
    # Two nouns of each gender are told apart, all the held-out ones lie at random.
    held = spanish.catalogue.test("es/own-nouns")
    vectors = {word: [0.01 * ((i * 7) % 13 - 6), 1.0, 0.0] for i, word in enumerate(
        [word for role in held.roles.values() for word in role.words]
    )}  # fmt: skip
    sets = {
        "x": [f"x{i}" for i in range(8)],
        "y": [f"y{i}" for i in range(8)],
        "a": ["a1", "a2", "a3", "a4"],
        "b": ["b1", "b2", "b3", "b4"],
    }
    for name, at in (("x", 1.0), ("y", -1.0), ("a", 1.0), ("b", -1.0)):
        vectors |= {word: [at, 0.1 * i, 0.5] for i, word in enumerate(sets[name])}
    write_tests(tmp_path, sets, {"gg": ("x", "y", "a", "b")})
    engine = Engine(stimuli=[tmp_path], cache=None)
    engine.add_tests([held])
    (found,) = engine.measure("gg-weat", opened(engine, vectors), "es/gg", nouns="es/own-nouns", **FEW)
    assert any("8 + 8 nouns give d =" in caution for caution in found.cautions)


@pytest.mark.parametrize(
    ("nouns", "error"),
    [
        ("es/own-GenS", "of kind 'weat', and nouns by gender are of kind 'nouns'"),
        ("es/one", "no class 'feminine'"),
    ],
)
def test_what_are_no_nouns_of_two_genders_is_refused(
    nouns: str, error: str, spanish: Engine, raw: Model, tmp_path: Any
) -> None:
    table = tmp_path / "one.tsv"
    table.write_text("word\tgender\nlibro\tm\nmesa\tn\n", encoding="utf-8")
    engine = Engine(cache=None)
    engine.catalogue = spanish.catalogue
    engine.add_tests([engine.data("nouns", table, language="es", name="one")])
    with pytest.raises(OptionsError, match=error) as caught:
        engine.measure("gg-weat", raw, "es/own-GG", nouns=nouns)
    assert "biascore list tests --metric sc-gg-weat" in str(caught.value)
