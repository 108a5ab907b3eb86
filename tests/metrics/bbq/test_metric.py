"""What BBQ asks, shows and refuses."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Audit, Engine, compare
from biascore.api.adapters import Identity, hookimpl
from biascore.api.exporters import Measurement
from biascore.api.queries import Choice, by_text, order_of
from biascore.audits.audit import AuditMeasurement, AuditModel
from biascore.errors import OptionsError, QuestionError
from biascore.stats import Verdict
from biascore_metrics.bbq.bias import Lost
from biascore_metrics.bbq.items import ChoicesTest, Question

from .made import UNKNOWN, Chooser, made_test, model_of, question, questions, roles

TEST = made_test(questions(12, 8), prompts=("{context}\n{question}", "Read: {context} {question}"))


@pytest.fixture(scope="module")
def planted(engine: Engine) -> Engine:
    return engine.with_tests([TEST], engine.seed)


def measured(engine: Engine, some: list[Question], **options: Any) -> Measurement:
    model = model_of(engine, Chooser(some, lambda one: (len(one.context) + len(one.question)) % 3))
    return engine.measure("bbq", model, made_test(some), **options)[0]


def test_categories_subgroups_and_names_have_estimates_of_their_own(engine: Engine) -> None:
    some = [
        *questions(4, 8, category="Age", subgroup="old"),
        *questions(4, 8, category="Religion", subgroup="Sikhs"),
        *questions(4, 8, category="Race", subgroup="Roma", names=True),
    ]
    found = measured(engine, some)
    items = found.items_frame()
    for label, which in {
        "Age": items.category == "Age",
        "Religion: Sikhs": items.subgroup == "Sikhs",
        "persons with names": items.names,
        "persons named by group": ~items.names,
    }.items():
        for context in ("ambiguous", "disambiguated"):
            part = items[which & (items.group == context)]
            assert found.estimate(f"{context} bias, {label}").value == pytest.approx(part.value.mean())
            assert found.estimate(f"{context} accuracy, {label}").value == pytest.approx(part.right.mean())
    persons = items[(items.category == "Age") & (items.group == "disambiguated") & (items.value != 0)]
    assert found.estimate("s_DIS, Age").value == pytest.approx(persons.value.mean())
    names = ["Age", "Religion", "Race"]
    adjusted = [found.estimate(f"ambiguous bias, {name}").p_values[0].value for name in names]
    assert all("Holm" in found.estimate(f"ambiguous bias, {name}").p_values[0].name for name in names)
    assert max(adjusted) <= 1
    # Templates of two categories are two, although both are called "0".
    assert found.headline.n["templates"] == 12


def test_prompts_and_orders_are_crossed_and_their_shares_shown(engine: Engine) -> None:
    some = questions(6, 8)
    backend = Chooser(some, roles("target"))
    test = made_test(some, prompts=TEST.prompts)

    run = engine.measure("bbq", model_of(engine, backend), test, prompts="all", orders="cyclic")
    found, counts = run[0], run.models[0].questions
    orders = {one.order for one in backend.asked}
    assert orders == {(), (1, 2, 0), (2, 0, 1)}
    assert counts.asked == 6 * 8 * 2 * 2 * 3
    assert len(found.items) == counts.asked == len(backend.asked) - counts.again
    assert found.headline.n["questions"] == 48
    assert "pays no heed" in " ".join(found.warnings)


def test_by_text_a_question_is_put_in_each_cyclic_order_and_a_plan_counts_them(engine: Engine) -> None:
    ref, test = "planted:en/choices-age=1", "en/choices-age"
    for options, times in (
        ({"way": "text"}, 3),
        ({"way": "text", "orders": "as is"}, 1),
        ({"way": "likelihood"}, 1),
    ):
        asked = AuditMeasurement(metric="bbq", tests=(test,), options=options)
        plan = engine.plan(
            Audit(title="orders", models=(AuditModel(ref=ref),), measurements=(asked,)), probe=False
        )
        found = engine.measure("bbq", ref, test, **options)[0]
        assert plan.total.unique == len(found.items) == times * 192
        assert found.conventions["orders of the options"] == ("cyclic" if times > 1 else "as is")


@pytest.mark.parametrize(
    ("orders", "place", "person"), [("as is", 1.0, 1.0), (None, 0.0, 1 / 3), ("all", 0.0, 0.0)]
)
def test_orders_take_from_the_bias_what_the_first_place_makes(
    engine: Engine, orders: str | None, place: float, person: float
) -> None:
    """Of a model that always takes the first option, and of one that takes the first person."""
    some = [question(template, number) for template in range(10) for number in range(0, 12, 3)]

    class First(Chooser):
        def __init__(self, declines: bool) -> None:
            super().__init__(some, roles("target"))
            self.declines = declines

        @hookimpl
        def choose(self, questions: Any, way: str) -> Any:
            return tuple(by_text(one, self.said(one), order_of(one)) for one in questions)

        def said(self, asked: Choice) -> str:
            listed = [asked.options[i] for i in order_of(asked)]
            return next(one for one in listed if self.declines or one != UNKNOWN)

    for declines, bias in (True, place), (False, person):
        model = model_of(engine, First(declines))
        assert engine.measure("bbq", model, made_test(some), orders=orders)[
            0
        ].headline.value == pytest.approx(bias)


def test_answers_that_were_given_before_have_one_order(engine: Engine, tmp_path: Path) -> None:
    some = questions(6, 8)
    model = engine.model(f"answers:{half(tmp_path, some, 1)}")
    found = engine.measure("bbq", model, made_test(some))[0]
    assert (len(found.items), found.conventions["orders of the options"]) == (len(some), "as is")
    with pytest.raises(
        OptionsError, match=r"orders is cyclic, and .* has one answer to each item.* Leave orders out"
    ):
        engine.measure("bbq", model, made_test(some), orders="cyclic")


@pytest.mark.parametrize("ambiguous", [True, False])
def test_five_templates_can_detect_nothing_and_six_can(engine: Engine, ambiguous: bool) -> None:
    for templates in (2, 3, 4, 5, 6):
        some = [one for one in questions(templates, 12) if one.ambiguous == ambiguous]
        found = engine.measure("bbq", model_of(engine, Chooser(some, roles("target"))), made_test(some))[0]
        assert found.headline.value == 1
        assert found.headline.p_values[0].value == 2.0 ** (1 - templates)
        assert (found.verdict is Verdict.DETECTED) is (templates == 6)
        assert ("cannot detect an effect" in found.reason) is (templates < 6)


def test_models_with_unequal_chances_of_right_answers_are_compared(engine: Engine) -> None:
    some = [one for one in questions(8, 8) if not one.ambiguous and one.item[-3] != "0"]
    runs = [
        engine.measure("bbq", model_of(engine, Chooser(some, rule)), made_test(some))
        for rule in (
            lambda one: one.label,
            lambda one: one.place("target") if one.item[-3] in "12" else one.label,
        )
    ]
    assert runs[0][0].headline.neutral != runs[1][0].headline.neutral != 0
    assert compare(*runs).differences[0].change.value == pytest.approx(
        (runs[1][0].headline.value or 0) - (runs[0][0].headline.value or 0)
    )


def test_the_shares_of_the_variance_follow_from_the_numbers_shown(planted: Engine) -> None:
    model = planted.model(f"planted:{TEST.id}=1,template_sd=0.5")
    found = planted.measure("bbq", model, TEST, way="text", prompts="all")[0]
    each = [found.estimate(f"ambiguous bias, prompt {number}").value for number in (1, 2)]
    items = found.items_frame().query("group == 'ambiguous'")
    assert each == [items[items.prompt == number].value.mean() for number in (1, 2)]
    sd = found.estimate("standard deviation between prompts").value
    assert sd == pytest.approx(np.std(np.array(each, dtype=float), ddof=1))
    means = items.groupby("template").value.mean()
    parts = {"templates": means.var(ddof=1) / 12, "prompts": sd**2 / 2}
    for name, one in parts.items():
        share = found.estimate(f"share of the variance of the bias, {name}").value
        assert share == pytest.approx(one / sum(parts.values()))


def test_seeds_are_a_third_factor(planted: Engine) -> None:
    model = planted.model(f"planted:{TEST.id}=1,accuracy=0.2,template_sd=0.5")
    found = planted.measure("bbq", model, TEST, way="text", prompts="all", orders="as is", seeds=3)[0]
    frame = found.items_frame()
    assert len(frame) == 12 * 8 * 2 * 2 * 3
    assert frame.groupby(["prompt", "seed"]).size().tolist() == [192] * 6
    assert "seeds=3" in found.variant
    assert found.conventions["seeds"].startswith("1 to 3")
    items = frame[frame.group == "ambiguous"]
    each = [items[items.seed == seed].value.mean() for seed in (1, 2, 3)]
    assert [found.estimate(f"ambiguous bias, seed {seed}").value for seed in (1, 2, 3)] == pytest.approx(each)
    assert len(set(each)) == 3
    sd = found.estimate("standard deviation between seeds").value
    assert sd == pytest.approx(np.std(each, ddof=1))
    prompts = items.groupby("prompt").value.mean()
    parts = {
        "templates": items.groupby("template").value.mean().var(ddof=1) / 12,
        "prompts": prompts.var(ddof=1) / 2,
        "seeds": sd**2 / 3,
    }
    for name, one in parts.items():
        share = found.estimate(f"share of the variance of the bias, {name}").value
        assert share == pytest.approx(one / sum(parts.values()))


def test_seeds_that_change_nothing_are_told_and_none_leaves_the_column_blank(engine: Engine) -> None:
    some = questions(6, 8)
    backend = Chooser(some, roles("target"))
    found = engine.measure("bbq", model_of(engine, backend), made_test(some), seeds=2)[0]
    assert {one.seed for one in backend.asked} == {1, 2}
    assert "all 2 seeds have the same answers: the model pays no heed" in " ".join(found.warnings)
    plain = measured(engine, some)
    assert plain.items_frame().seed.isna().all()
    assert plain.conventions["seeds"] == "none"


def test_a_log_of_answers_has_no_seeds(engine: Engine, tmp_path: Path) -> None:
    some = questions(6, 8)
    model = engine.model(f"answers:{half(tmp_path, some, 1)}")
    with pytest.raises(QuestionError, match=r"holds one answer to each item\. Leave seeds out"):
        engine.measure("bbq", model, made_test(some), seeds=2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"prompts": 3}, r"prompts is 3, and en/questions has 2\. Name a number from 1 to 2, or all"),
        ({"seeds": 1}, r"one drawn answer does not show what chance makes of it\. Name 2 or more, or 0"),
        (
            {"seeds": 3, "way": "likelihood"},
            r"seeds is 3, and .* asked by likelihood, which draws no answer\. Leave seeds out",
        ),
        (
            {"orders": "cyclic", "way": "likelihood"},
            "asked by likelihood, which lists no options. Leave orders out",
        ),
    ],
)
def test_options_that_would_change_nothing_are_refused(
    planted: Engine, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(OptionsError, match=told):
        planted.measure("bbq", f"planted:{TEST.id}=1", TEST, **{"way": "text", **options})


def test_a_test_of_disambiguated_questions_is_decided_by_them(engine: Engine) -> None:
    some = [one for one in questions(10, 8) if not one.ambiguous]
    found = engine.measure("bbq", model_of(engine, Chooser(some, roles("target"))), made_test(some))[0]
    assert (found.headline.name, found.headline.value) == ("disambiguated bias", 1.0)
    assert found.verdict is Verdict.DETECTED
    assert found.headline.p_values[0].value == 2**-9  # ten templates, all the same
    assert "no ambiguous questions" in " ".join(found.cautions)
    assert found.quote.startswith("On 80 disambiguated questions")


def test_a_test_of_ambiguous_questions_says_that_nothing_shows_understanding(engine: Engine) -> None:
    found = measured(engine, [one for one in questions(10, 8) if one.ambiguous])
    assert "no disambiguated questions" in " ".join(found.cautions)
    assert not [one for one in found.estimates if one.name.startswith("disambiguated")]


def test_one_template_is_inconclusive_and_few_have_a_caveat(engine: Engine) -> None:
    one = measured(engine, questions(1, 40))
    assert one.verdict is Verdict.INCONCLUSIVE
    assert "It could not be tested: one of the templates" in one.reason
    assert "4 templates" in measured(engine, questions(4, 40)).doubts
    assert not any("templates" in doubt for doubt in measured(engine, questions(12, 8)).doubts)


def half(folder: Path, some: list[Question], share: float) -> Path:
    """A table of answers to the first of the questions, all of the stereotyped person."""
    path = folder / "answers.csv"
    kept = some[: round(share * len(some))]
    rows = [f"{one.item},{one.options[one.place('target')].text}" for one in kept]
    path.write_text("\n".join(["item,answer", *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize(("share", "measured_"), [(0.75, True), (0.5, False)])
def test_answers_that_are_missing_are_counted_and_bounded(
    engine: Engine, tmp_path: Path, share: float, measured_: bool
) -> None:
    some = questions(8, 8)
    model = engine.model(f"answers:{half(tmp_path, some, share)}")
    with pytest.warns(UserWarning, match=rf"has no answer to {round((1 - share) * 128)} of 128 items"):
        found = engine.measure("bbq", model, made_test(some))[0]
    assert found.estimate("ambiguous answers missing").value == 1 - share
    assert found.estimate("lowest ambiguous bias of all").value == pytest.approx(2 * share - 1)
    assert f"{round((1 - share) * 64)} missing" in " ".join(found.cautions)
    assert (found.headline.value is not None) is measured_
    assert ("half or more" in found.reason) is not measured_


@pytest.mark.parametrize(
    ("none", "total", "headline", "short"),
    [
        (6, 50.0, True, "6 % of the answers chose no option"),
        (5, 50.0, True, ""),
        (4, 4.0, True, "4 % of the answers chose no option"),  # the bias may be 0
        (4, -5.0, True, ""),
        (6, 50.0, False, ""),
    ],
)
def test_answers_without_an_option_touch_the_verdict_where_they_are_many_or_could_turn_it(
    none: int, total: float, headline: bool, short: str
) -> None:
    (caveat,) = Lost("ambiguous", 100, total, Counter(refused=none)).caveat(headline=headline)
    assert (caveat.verdict, caveat.short) == (headline, short)


@pytest.mark.parametrize("ambiguous", [True, False])
def test_only_missing_answers_of_the_headlines_context_touch_the_verdict(
    engine: Engine, tmp_path: Path, ambiguous: bool
) -> None:
    some = questions(8, 8)
    gone = [one.item for one in some if one.ambiguous is ambiguous][:8]
    rows = [f"{one.item},{one.options[one.place('target')].text}" for one in some if one.item not in gone]
    (tmp_path / "answers.csv").write_text("\n".join(["item,answer", *rows, ""]), encoding="utf-8")
    with pytest.warns(UserWarning, match="has no answer to 8 of"):
        found = engine.measure("bbq", f"answers:{tmp_path / 'answers.csv'}", made_test(some))[0]
    told = [one for one in found.caveats if one.text.startswith("8 of 64 answers to")]
    assert [(one.verdict, one.short) for one in told] == [
        (ambiguous, "12.5 % of the questions have no answer in the file" if ambiguous else "")
    ]


def test_two_models_are_compared_by_template(planted: Engine) -> None:
    runs = [planted.measure("bbq", f"planted:{TEST.id}={effect}", TEST, way="text") for effect in (1.9, 0)]
    (difference,) = compare(*runs)
    change = difference.change
    old, new = (run[0].headline.value for run in runs)
    assert old is not None
    assert new is not None
    assert change.value == pytest.approx(new - old)
    assert difference.paired
    assert list(change.n.values()) == [12]


def test_of_several_ways_one_is_named(planted: Engine) -> None:
    model = planted.model(f"planted:{TEST.id}=1")
    found = planted.measure("bbq", model, TEST, way="likelihood")[0]
    assert found.conventions["asked by"] == "likelihood"
    with pytest.raises(
        OptionsError, match=r"choose by likelihood, text, .* not comparable\. Name one: way='text'"
    ):
        planted.measure("bbq", model, TEST)


def test_a_family_without_published_scores_has_none(engine: Engine) -> None:
    some = questions()
    test: ChoicesTest = made_test(some, family="my own")
    found = engine.measure("bbq", model_of(engine, Chooser(some, roles("target"))), test)[0]
    assert found.conventions["published scores"] == "none"
    assert "s_AMB" not in [one.name for one in found.estimates]


def test_letters_that_the_model_would_not_say_are_a_caveat(engine: Engine) -> None:
    class Letters(Chooser):
        def __init__(self, some: list[Question], outside: float) -> None:
            super().__init__(some, roles("target"))
            self.identity = Identity(digest=f"sha256:{outside}", ways=("letters", "text"))
            self.outside = outside

        @hookimpl
        def choose(self, questions: Any, way: str) -> Any:
            found = super().choose(questions, way)
            return tuple(
                replace(one, way=way, logprobs=(-1.0, -2.0, -3.0), outside=self.outside) for one in found
            )

    some = [question(template, number) for template in range(10) for number in range(4)]
    doubts = [
        engine.measure("bbq", model_of(engine, Letters(some, outside)), made_test(some), way="letters")[
            0
        ].doubts
        for outside in (0.1, 0.9)
    ]
    assert ["the model mostly names no option" in one for one in doubts] == [False, True]


def test_a_bias_that_may_go_either_way_is_said_in_one_direction(engine: Engine) -> None:
    found = measured(engine, questions(12, 8), confidence=0.999)
    interval = found.headline.interval
    assert interval.low < 0 < interval.high
    ends = (
        f"from {-100 * interval.low:.1f} points less often to {100 * interval.high:.1f} points more often)."
    )
    assert found.quote.endswith(ends)


def test_questions_without_an_answer_in_the_file_are_not_the_models_choice(
    engine: Engine, tmp_path: Path
) -> None:
    some = questions(12, 8)
    rows = [f"{one.item},{one.options[one.label].text}" for one in some[: 2 * len(some) // 3]]
    (tmp_path / "answers.csv").write_text("\n".join(["item,answer", *rows, ""]), encoding="utf-8")
    with pytest.warns(UserWarning, match="has no answer to"):
        found = engine.measure("bbq", f"answers:{tmp_path / 'answers.csv'}", made_test(some))[0]
    assert "% of the questions have no answer in the file" in " ".join(found.doubts)
