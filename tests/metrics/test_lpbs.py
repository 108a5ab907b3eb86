"""LPBS: against plain transformers on a tiny BERT, a planted model, and every awkward input."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biascore import Audit, Engine
from biascore.api.adapters import Backend, Identity, Model
from biascore.api.exporters import Measurement
from biascore.api.queries import Masked, TokenLogprobs
from biascore.api.stimuli import Catalogue, Test, WordList, hookimpl
from biascore.designs.harmless import Groups
from biascore.errors import CapabilityError, OptionsError
from biascore.stats import Verdict
from biascore_metrics.lpbs.metric import Filled, Lpbs, LpbsOptions

from ..builders.models import model_of
from .loops import p_of_partitions

WORDS = {
    "X": ["he", "father", "king", "ingegnere"],
    "Y": ["she", "mother", "queen", "infirmière"],
    "A": ["mathematics", "engineer", "brown fox"],
    "B": ["poetry", "nurse", "lazy"],
}
FAST: dict[str, Any] = {"resamples": 100}
IS = "TARGET is ATTRIBUTE"


def lists(**changes: Sequence[str]) -> Test:
    roles = {role: WordList(f"list {role}", tuple(some)) for role, some in {**WORDS, **changes}.items()}
    return Test(id="xx/test", kind="weat", language="xx", roles=roles, file="test.toml", sha256="0" * 64)


def measure(model: str | Model, test: Test | str | None = None, **options: Any) -> Measurement:
    return Engine(cache=None).measure("lpbs", model, test or lists(), **FAST, **options)[0]


@pytest.fixture(scope="module")
def bert(saved_model: Callable[[str], Path]) -> str:
    return f"hf:{saved_model('bert-uncased')}"


@pytest.fixture(scope="module")
def asc_of(saved_model: Callable[[str], Path]) -> Callable[..., float]:
    """``asc_of(template, target, attribute)`` in plain transformers: token ids put together part by part."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(saved_model("bert-uncased"))
    model = transformers.AutoModelForMaskedLM.from_pretrained(
        saved_model("bert-uncased"), dtype=torch.float32
    ).eval()

    def ids_of(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    def asc(template: str, target: str, attribute: str, mean: bool = False) -> float:
        own = ids_of(target)
        logs = []
        for hidden in (False, True):
            ids, place = [tokenizer.cls_token_id], 0
            for part in template.split():
                if part == "TARGET":
                    place = len(ids)
                    ids += [tokenizer.mask_token_id] * len(own)
                elif part == "ATTRIBUTE":
                    seen = ids_of(attribute)
                    ids += [tokenizer.mask_token_id] * len(seen) if hidden else seen
                else:
                    ids += ids_of(part)
            ids.append(tokenizer.sep_token_id)
            with torch.no_grad():
                table = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)
            logs.append(sum(float(table[place + i, token]) for i, token in enumerate(own)))
        return (logs[0] - logs[1]) / (len(own) if mean else 1)

    return asc


def by_hand(asc: Callable[[str, str], float], over: str = "targets") -> tuple[list[float], list[float]]:
    """Associations of the two lists that are observed: mean asc with the one list minus with the other."""
    own, against = (("X", "Y"), ("A", "B")) if over == "targets" else (("A", "B"), ("X", "Y"))

    def s(word: str) -> float:
        means = [
            sum(asc(word, other) if over == "targets" else asc(other, word) for other in WORDS[side])
            / len(WORDS[side])
            for side in against
        ]
        return means[0] - means[1]

    first, second = ([s(word) for word in WORDS[side]] for side in own)
    return first, second


@pytest.mark.parametrize("template", ["TARGET ATTRIBUTE", IS, "the ATTRIBUTE saw her TARGET"])
@pytest.mark.parametrize("subtokens", ["sum", "mean"])
def test_equals_plain_transformers(
    bert: str, asc_of: Callable[..., float], template: str, subtokens: str
) -> None:
    got = measure(bert, templates=[template], subtokens=subtokens)
    x, y = by_hand(lambda target, attribute: asc_of(template, target, attribute, subtokens == "mean"))
    assert got.headline.name == "effect size d"
    assert got.headline.value == pytest.approx((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1), abs=1e-4)
    two_sided, one_sided = p_of_partitions(x, y)
    assert got.headline.p("two-sided").value == pytest.approx(two_sided)
    assert got.headline.p("one-sided").value == pytest.approx(one_sided)
    assert (got.headline.p("one-sided").kind, got.headline.p("one-sided").n) == ("exact", 70)
    difference = got.estimate("mean difference of association")
    assert difference.value == pytest.approx(np.mean(x) - np.mean(y), abs=1e-4)
    assert difference.unit == "nats"
    assert got.items["item"].to_pylist() == [*WORDS["X"], *WORDS["Y"]]
    assert got.items["value"].to_pylist() == pytest.approx(x + y, abs=1e-4)
    assert max(got.items["n_tokens"].to_pylist()) > 2
    assert got.coverage.lost == ()


def test_over_attributes_with_ddof_0_is_the_effect_size_of_the_studys_code(
    bert: str, asc_of: Callable[..., float]
) -> None:
    got = measure(bert, over="attributes", ddof=0)
    a, b = by_hand(lambda target, attribute: asc_of("TARGET ATTRIBUTE", target, attribute), over="attributes")
    assert got.headline.value == pytest.approx((np.mean(a) - np.mean(b)) / np.std(a + b), abs=1e-4)
    assert got.headline.n == {"A": 3, "B": 3}
    assert got.headline.p("two-sided").value == pytest.approx(p_of_partitions(a, b)[0])
    assert got.items["item"].to_pylist() == [*WORDS["A"], *WORDS["B"]]
    # The difference of means is the same number whichever way it is summed up.
    targets = measure(bert).estimate("mean difference of association").value
    assert got.estimate("mean difference of association").value == pytest.approx(targets, abs=1e-6)


def test_several_templates_are_averaged_and_kept_apart(bert: str) -> None:
    single = {template: measure(bert, templates=[template]) for template in ("TARGET ATTRIBUTE", IS)}
    got = measure(bert, templates=list(single))
    x_and_y = np.mean([one.items["value"].to_pylist() for one in single.values()], axis=0)
    d = (x_and_y[:4].mean() - x_and_y[4:].mean()) / x_and_y.std(ddof=1)
    assert got.headline.value == pytest.approx(d, abs=1e-4)
    assert [one.name for one in got.estimates if "TARGET" in one.name] == [
        f"effect size d with {template!r}" for template in single
    ]
    for template, one in single.items():
        apart = got.estimate(f"effect size d with {template!r}")
        assert apart.value == pytest.approx(one.headline.value, abs=1e-4)
        assert apart.p_values[:3] == one.headline.p_values[:3]
        assert apart.interval is not None
        column = got.items[f"s with {template!r}"].to_pylist()
        assert column == pytest.approx(one.items["value"].to_pylist(), abs=1e-4)
    assert got.method == "lpbs ('TARGET ATTRIBUTE' + 'TARGET is ATTRIBUTE', resamples=100)"
    assert measure(bert).method == "lpbs (resamples=100)"
    assert not any("TARGET" in one.name for one in measure(bert).estimates)


def test_a_masked_text_that_shows_an_attribute_is_computed_once_in_batches_of_any_size(
    bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[tuple[int, ...]] = []

    def passes(batch: int) -> list[tuple[int, ...]]:
        computed.clear()
        with Engine(cache=None).model(bert) as model:
            backend: Any = model._backend
            real = backend._runtime.log_probabilities

            def counted(inputs: Any, wanted: Any) -> Any:
                computed.extend(tuple(one.ids) for one in inputs)
                return real(inputs, wanted)

            with monkeypatch.context() as during:
                during.setattr(backend._runtime, "log_probabilities", counted)
                backend.batch = batch
                measure(model, reference="none")
            mask = backend._mask
        return [ids for ids in computed if {*ids[1:-1]} != {mask}]

    needed, made = passes(1000), passes(2 * 8)  # the two queries of 8 targets with one attribute
    assert len(needed) == len({*needed}) > 6, "targets of several lengths are hidden"
    assert sorted(made) == sorted(needed)


def test_tests_with_the_same_words_ask_harmless_groups_once() -> None:
    """The words of valence meet the harmless groups in the first test; in the second with the same sentences no more."""
    engine = Engine(cache=None)

    def asked(*tests: str, **options: Any) -> int:
        measured = [{"metric": "lpbs", "tests": tests, "options": options}]
        audit = Audit.from_parts(title="t", models=[{"ref": "planted:en/weat6=0"}], measurements=measured)
        plan = engine.plan(audit, probe=False, whole=False)
        assert plan.stopped == ()
        return {row.hook: row.asked for row in plan.rows}["mask_logprob"]

    disability, age, body = (f"en/audit-{name}-valence" for name in ("disability", "age", "body"))
    # 90 + 90 targets with 18 + 18 and 20 + 20 attributes, and with 180 harmless words; two queries each.
    assert asked(disability, most_templates=1) == 2 * 180 * (36 + 180)
    assert asked(disability, age, most_templates=1) == 2 * 180 * (36 + 40 + 180)
    assert asked(disability, age) == 2 * 2 * 180 * (36 + 40 + 180)
    assert asked(disability, age, body, most_templates=1) == 2 * 180 * (
        36 + 40 + 36 + 2 * 180
    )  # in other sentences


@pytest.mark.slow
def test_what_is_asked_once_gives_what_each_test_gives_alone() -> None:
    few = {"draws": 99, "resamples": 100, "most_templates": 1}
    tests = ["en/audit-disability-valence", "en/audit-age-valence"]
    engine = Engine(cache=None)
    alone = [engine.measure("lpbs", "planted:en/weat6=0", test, **few)[0] for test in tests]
    both = engine.measure("lpbs", "planted:en/weat6=0", tests, **few)
    assert [one.specificity for one in both] == [one.specificity for one in alone]
    masked = 2 * 180 * (36 + 40 + 180)
    assert masked <= both.questions.asked < masked + 1_000  # and whether each word is known


def test_the_words_stand_where_the_slots_stood() -> None:
    one = Filled.of("The TARGET is ATTRIBUTE.", "king", "a TARGET")
    assert one.text == "The king is a TARGET."
    assert (one.text[slice(*one.target)], one.text[slice(*one.attribute)]) == ("king", "a TARGET")
    other = Filled.of("ATTRIBUTE: TARGET", "è", "😀")
    assert (other.text, other.attribute, other.target) == ("😀: è", (0, 1), (3, 4))


@pytest.mark.parametrize("kind", ["bert-uncased", "roberta", "xlm-roberta"])
def test_words_that_the_model_does_not_read_are_lost(saved_model: Callable[[str], Path], kind: str) -> None:
    drops = "\u200d" if kind == "bert-uncased" else "\u0001"
    ref = f"hf:{saved_model(kind)}"
    plain = measure(ref)
    if kind != "bert-uncased":
        assert plain.coverage.lost == ()
        return
    got = measure(ref, lists(X=[*WORDS["X"], drops, "漢字"], B=[drops, *WORDS["B"], "漢"]))
    assert {(w.word, w.role, w.reason) for w in got.coverage.lost} == {
        (drops, "X", "the tokenizer drops all of its characters"),
        ("漢字", "X", "out of vocabulary"),
        (drops, "B", "the tokenizer drops all of its characters"),
        ("漢", "B", "out of vocabulary"),
    }
    assert got.headline.value == pytest.approx(plain.headline.value, abs=1e-4)
    assert (got.coverage.given["X"], got.coverage.used["X"]) == (6, 4)


def test_a_list_of_which_nothing_is_left(bert: str) -> None:
    got = measure(bert, lists(X=["\u200d"]), templates=["TARGET ATTRIBUTE", IS])
    assert got.headline.value is None
    assert got.verdict is Verdict.NOT_MEASURED
    assert "X has 0 usable word(s) of 1 and needs 2" in got.reason
    assert [one.value for one in got.estimates] == [None] * 4
    assert got.items.num_rows == 0
    nobody = measure(bert, lists(X=["\u200d"], Y=["\u200d"]))
    assert [w.role for w in nobody.coverage.lost] == ["X", "Y"]
    assert "Y has 0 usable" in nobody.reason


def test_repeated_words(bert: str) -> None:
    plain, repeated = lists(), lists(X=["he", *WORDS["X"]], A=["engineer", *WORDS["A"]])
    assert measure(bert, repeated).headline.value == measure(bert, plain).headline.value
    assert [w.role for w in measure(bert, repeated).coverage.lost] == ["X", "A"]
    kept = measure(bert, lists(X=["he", *WORDS["X"], "\u200d", "\u200d"]), duplicates="keep")
    assert kept.headline.n == {"X": 5, "Y": 4}
    assert [w.word for w in kept.coverage.lost] == ["\u200d", "\u200d"]


class Constant(Backend):
    """Answers every hidden word alike, and cannot embed."""

    identity = Identity(digest="test:constant")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        return tuple(
            TokenLogprobs((q.text[slice(*span)],), (span,), (math.log(0.5),))
            for q in queries
            for span in q.spans or ()
        )


def test_a_model_that_prefers_nothing_and_cannot_embed() -> None:
    model = model_of(Constant(), name="constant")
    got = measure(model)
    assert got.headline.value is None
    assert "the associations of the target words do not vary" in got.reason
    assert "attribute words do not vary" in measure(model, over="attributes").reason


def test_a_causal_model_is_not_asked_as_a_masked_one(saved_model: Callable[[str], Path]) -> None:
    ref = f"hf:{saved_model('gpt2')}"
    told = r"mask_logprob"
    with pytest.raises(CapabilityError, match=told):
        measure(ref, model_kind="masked")
    with Engine(cache=None).model(ref) as model, pytest.raises(CapabilityError, match=told):
        measure(model, model_kind="masked")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"templates": ["TARGET is here"]},
            "'TARGET is here' has ATTRIBUTE 0 times; write TARGET and ATTRIBUTE once",
        ),
        ({"templates": ["ATTRIBUTE TARGET and TARGET"]}, "has TARGET 2 times"),
        ({"templates": ["is"]}, "'is' has TARGET 0 times"),
        ({"templates": []}, "templates must not be empty"),
        ({"templates": [IS, IS]}, "is given twice"),
        ({"templates": IS}, "templates must be a list"),
        ({"level": "token"}, "level is not known here"),
        ({"over": "words"}, "over"),
    ],
)
def test_options_that_cannot_be_used(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionsError, match=told):
        measure("planted:", **options)


def test_too_many_partitions_to_count() -> None:
    with pytest.raises(OptionsError, match=r"en/weat3: 32 \+ 32 words have too many partitions"):
        measure("planted:", "en/weat3", permutation="exact")
    catalogue = Engine(cache=None).catalogue
    exact = Lpbs(LpbsOptions(permutation="exact", over="attributes"))
    with pytest.raises(OptionsError, match=r"32 \+ 32 words"):
        exact.check(catalogue.test("en/weat3"), catalogue)  # both pairs of lists are permuted
    exact.check(catalogue.test("en/weat6"), catalogue)


def test_repeated_words_that_are_kept_count_for_the_partitions() -> None:
    test = lists(X=["he"] * 26, Y=["she"] * 26)
    Lpbs(LpbsOptions(permutation="exact")).check(test, Catalogue(()))
    with pytest.raises(OptionsError, match=r"26 \+ 26 words"):
        Lpbs(LpbsOptions(permutation="exact", duplicates="keep")).check(test, Catalogue(()))


@pytest.mark.slow
def test_a_planted_effect_is_recovered() -> None:
    engine, means = Engine(cache=None), []
    for declared in (-1.2, 0.0, 1.2):
        d = []
        for seed in range(25):
            model = engine.model(f"planted:en/weat8={declared}", seed=seed)
            got = measure(model, "en/weat8", permutation="monte-carlo", draws=50)
            d.append(got.headline.value)
            assert got.coverage.lost == ()
        error = np.std(d, ddof=1) / np.sqrt(len(d))
        assert abs(np.mean(d) - declared) < 4 * error + 0.06, (declared, np.mean(d), error)
        means.append(np.mean(d))
    assert means == sorted(means)


def test_the_same_seed_gives_the_same_measurement() -> None:
    one, two, other = (
        Engine(cache=None, seed=seed).measure("lpbs", "planted:gender=1", "en/weat7", **FAST)[0]
        for seed in (4, 4, 5)
    )
    assert one.model_dump() == two.model_dump()
    assert one.items.equals(two.items)
    assert one.headline.value == other.headline.value
    assert one.headline.interval != other.headline.interval


@pytest.mark.slow
@pytest.mark.parametrize("which", ["planted", "bert"])
def test_an_audit_of_several_metrics_asks_what_its_plan_says(
    which: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    ref = "planted:gender=1" if which == "planted" else request.getfixturevalue("bert")
    engine = Engine(cache=tmp_path / "cache")
    measurements = [
        {"metric": "weat", "tests": ["en/weat6"], "options": FAST | {"level": "token"}},
        {"metric": "lpbs", "tests": ["en/weat6"], "options": FAST},
        {"metric": "lpbs", "tests": ["en/weat6"], "options": FAST | {"templates": ["TARGET ATTRIBUTE", IS]}},
        {"metric": "seat", "tests": ["en/weat6"], "options": FAST},
    ]
    audit = Audit.from_parts(title="Several", models=[{"ref": ref}], measurements=measurements)
    plan = engine.plan(audit, probe=False)
    assert plan.stopped == ()
    assert {(row.hook, row.counts) for row in plan.rows} == {("embed", "exact"), ("mask_logprob", "exact")}
    run = engine.run(audit)
    assert (plan.total.put, plan.total.asked) == (run.questions.put, run.questions.asked)
    (masked,) = (row for row in plan.rows if row.hook == "mask_logprob")
    groups = Groups.of(engine.catalogue.test("en/weat6"), engine.catalogue, LpbsOptions(), Lpbs.most_groups)
    with_each = 16 + len(groups.asked)  # the targets, and the words of the harmless groups in their place
    assert (masked.put, masked.unique) == (3 * 2 * 16 * with_each, 2 * 2 * 16 * with_each)
    assert masked.cost.passes is None or masked.cost.passes < masked.asked
