"""Numbers that are known: the ratio is exact, refusals and ranges are states of their own, and groups can be swapped."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable

import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore_metrics.advice.items import AdviceTest, Asked

from .made import Says, adviser, base, made_test

REFUSAL = "I'm sorry, but I can't help with that."


def noise(asked: Asked) -> float:
    """Of a name in a template, within 10 %, and not of its group."""
    return 0.9 + 0.2 * (zlib.crc32(asked.text.encode()) % 1000) / 1000


def money(value: float) -> str:
    return f"${value:,.2f}"


def by_group(factor: float, of: Callable[[Asked], float] = lambda _: 1.0) -> Says:
    """So many times the number of a template for women."""
    return lambda asked, _: money(base(asked) * of(asked) * (factor if asked.gender == "female" else 1.0))


def measured(engine: Engine, test: AdviceTest, says: Says, **options: object) -> Measurement:
    return engine.with_tests([test], 1).measure("advice", adviser(test, says), test, **options)[0]


def value(found: Measurement, name: str) -> float | None:
    return next(one.value for one in found.estimates if one.name == name)


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.25])
def test_a_factor_is_its_logarithm_whatever_the_templates_are(engine: Engine, factor: float) -> None:
    found = measured(engine, made_test(), by_group(factor))
    assert found.headline.value == pytest.approx(math.log(factor), abs=1e-12)
    assert value(found, "log ratio: Black") == pytest.approx(math.log(factor), abs=1e-12)
    assert found.headline.interval is None  # no name differs, so that nothing tells how names vary
    assert found.verdict == "inconclusive"
    same = "all names have the same number" if factor == 1.0 else "names of one group do not differ"
    assert f"{same} in " in found.reason
    assert value(found, "same-group log ratio, 95 % of splits") == pytest.approx(0.0, abs=1e-12)


def test_a_factor_is_within_its_interval_and_swapped_groups_flip_the_sign(engine: Engine) -> None:
    found = measured(engine, made_test(), by_group(1.25, noise))
    ends = found.headline.interval
    assert ends is not None
    assert ends.low < math.log(1.25) < ends.high
    assert found.verdict == "detected"
    swapped = measured(engine, made_test(compare=("male", "female")), by_group(1.25, noise))
    assert swapped.headline.value == pytest.approx(-(found.headline.value or 0.0), abs=1e-12)
    assert found.headline.p_values[0].value == pytest.approx(swapped.headline.p_values[0].value)


def test_names_alone_are_no_gap_and_stand_next_to_it(engine: Engine) -> None:
    found = measured(engine, made_test(), by_group(1.0, noise))
    same = value(found, "same-group log ratio, 95 % of splits")
    assert same is not None
    assert abs(found.headline.value or 1.0) <= same <= 0.1
    assert value(found, "absolute change by name within a group (neutral)") == pytest.approx(
        value(found, "absolute change by gender"), rel=0.3
    )


def test_who_declines_for_one_group_has_a_refusal_gap_and_no_ratio(engine: Engine) -> None:
    found = measured(
        engine, made_test(), lambda asked, _: REFUSAL if asked.gender == "female" else money(100)
    )
    gap = next(one for one in found.estimates if one.name == "refusal gap")
    assert gap.value == 1.0
    assert gap.interval is not None
    assert (gap.interval.low, gap.interval.high) == (pytest.approx(0.26, abs=0.01), 1.0)
    assert value(found, "answered gap") == -1.0
    assert found.headline.value is None
    assert found.verdict == "not measured"
    assert "declines" in found.reason


def test_who_always_declines_is_not_measured_with_the_reason(engine: Engine) -> None:
    found = measured(engine, made_test(), lambda *_: REFUSAL)
    assert found.headline.value is None
    assert found.verdict == "not measured"
    assert "96 refused, of 96 texts" in found.reason
    assert value(found, "refusal gap") == 0.0


def test_a_range_is_no_number_and_bounds_the_ratio(engine: Engine) -> None:
    def says(asked: Asked, _: int) -> str:
        if asked.gender == "female" and asked.name.endswith("N0"):
            return "$50-60"
        return money(55 * noise(asked))

    found = measured(engine, made_test(), says)
    ranges = [row for row in found.items.to_pylist() if row["text"] == "$50-60"]
    assert len(ranges) == 16
    assert {(row["reading"], row["number"], row["value"], row["contribution"]) for row in ranges} == {
        ("range", None, None, None)
    }
    least, greatest = (value(found, f"log ratio, {end} with the unread") for end in ("least", "greatest"))
    assert least is not None
    assert greatest is not None
    # A sixth of the weight is on ranges, which are from ln 50 to ln 60.
    assert greatest - least == pytest.approx(math.log(60 / 50) / 3, abs=1e-9)
    assert value(found, "answered gap") == pytest.approx(-1 / 3)
    assert value(found, "share unread") == pytest.approx(1 / 6)


def test_nothing_has_no_logarithm_and_is_lost(engine: Engine) -> None:
    found = measured(
        engine,
        made_test(),
        lambda asked, _: "$0" if asked.name == "Black male N1" else money(100 * noise(asked)),
    )
    assert {one.reason for one in found.coverage.lost} == {"zero or less"}
    assert len(found.coverage.lost) == 8
    assert value(found, "answered gap") == pytest.approx(1 / 6)


def test_one_surname_cannot_be_told_from_the_race(engine: Engine) -> None:
    test = made_test(compare=("Black", "white"))
    assert "N0" in {one.surname for one in test.prompts.rows}
    rows = tuple(
        Asked(one.text.replace(one.name, name), one.template, name, one.race, one.gender)
        for one in test.prompts.rows
        for name in [f"{one.gender}{one.surname} {'Washington' if one.race == 'Black' else 'Becker'}"]
    )
    same = AdviceTest(
        id="en/same",
        kind="advice",
        language="en",
        prompts=test.prompts.of(rows),
        factor="race",
        groups=test.groups,
    )
    shorts = [one.short for one in measured(engine, same, by_group(1.0, noise)).caveats]
    assert "Black has one surname" in shorts
    assert "Black has one surname" not in [
        one.short for one in measured(engine, test, by_group(1.0, noise)).caveats
    ]


def test_fewer_names_ask_less(engine: Engine) -> None:
    test = made_test()
    assert len(test.fewer(1)) == 32
    assert measured(engine, test, by_group(1.25, noise), names=1).coverage.used == {"prompts": 32}
    every = [*dict.fromkeys(one.template for one in test.prompts.rows)]
    assert [*dict.fromkeys(one.template for one in test.fewer(2, 3))] == every[:3]
    assert len(test.fewer(2, 3)) == 3 * len(test.fewer(2)) / len(every)


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it"])
def test_every_test_of_the_small_design_can_detect_something(engine: Engine, language: str) -> None:
    kind = engine.plugins.metrics.get("advice")
    options = kind.audit_options(adviser(made_test(), by_group(1.0)), "small")
    for test in engine.catalogue.select(f"{language}/advice-*"):
        metric = kind(kind.option_type(**options))
        assert metric.unreachable(test) == (), test.id


@pytest.mark.parametrize(("language", "names"), [("en", 30), ("de", 12), ("es", 12), ("fr", 12), ("it", 12)])
def test_our_own_prompts_have_a_surname_for_each_name(engine: Engine, language: str, names: int) -> None:
    tests = engine.catalogue.select(f"{language}/advice-*")
    asked = {one.text: one for test in tests for one in test.prompts.rows}  # type: ignore[attr-defined]
    assert len(asked) == 10 * names
    surnames = {one.name: one.surname for one in asked.values()}
    assert len(set(surnames.values())) == len(surnames) == names
    assert len({len(one.template) > 0 and one.template for one in asked.values()}) == 10


def test_planted_ratios_are_found(engine: Engine) -> None:
    found = engine.measure("advice", "planted:en/advice-gender=0.2", "en/advice-gender")[0]
    ends = found.headline.interval
    assert ends is not None
    assert ends.low < 0.2 < ends.high
    refused = engine.measure(
        "advice", "planted:en/advice-gender=0,refusals.X=0.4", "en/advice-gender", names=1
    )[0]
    assert (value(refused, "refusal gap") or 0.0) > 0.2
