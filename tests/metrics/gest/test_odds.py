"""gest-lm on models whose answers are known, against sums made by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from biascore import Engine
from biascore.api.adapters import Backend, Identity, hookimpl
from biascore.api.figures import Bars, Boxes, Dots, Heat
from biascore.api.queries import Masked, TokenLogprobs
from biascore.errors import CapabilityError, OptionsError, UnknownNameError
from biascore.results.table_notes import conventions
from biascore_metrics.gest.kind import GenderedSample, GenderedSamples, GenderPairsTest
from biascore_metrics.gest.odds import load_prompts, quoted, translated_pairs

from ...builders.models import model_of
from .conftest import STEREOTYPES, Continues, Detector, Fills, Translator, estimates, samples_test

TEN = math.log(10)


class FillsByContext(Backend):
    """P(He) and P(man) are larger where the text speaks of something tough."""

    identity = Identity("test:context")

    @hookimpl
    def mask_logprob(self, queries: tuple[Masked, ...]) -> tuple[TokenLogprobs, ...]:
        answers = []
        for query in queries:
            assert query.spans is not None
            start, end = query.spans[0]
            word = query.text[start:end]
            lean = 1.0 if "tough" in query.text else 0.0
            logprob = {"He": -4 + lean, "She": -5, "man": -6 + 2 * lean, "woman": -8, "he": -1, "she": -1.5}[
                word
            ]
            answers.append(TokenLogprobs((word,), ((start, end),), (float(logprob),)))
        return tuple(answers)


@pytest.fixture
def by_context() -> Backend:
    return FillsByContext()


TEST = samples_test(
    {1: ["i am weak", "i was weak"], 2: ["i am neat"], 8: ["i am tough", "so tough"], 9: ["tough, i think"]}
)


def test_q_and_g_by_template_and_pooled(engine: Engine, by_context: Backend) -> None:
    found = engine.measure("gest-lm", model_of(by_context), TEST)[0]
    named = estimates(found)
    expected = {1: (1, 2), 2: (2, 4), 3: (0.5, 0.5), 4: (2, 4)}  # log odds in nats: others, tough ones
    for template, (other, tough) in expected.items():
        assert named[f"q 1 Weak, template {template}"].value == pytest.approx(other / TEN)
        assert named[f"q 8 Tough, template {template}"].value == pytest.approx(tough / TEN)
        assert named[f"stereotype rate g_s, template {template}"].value == pytest.approx(
            (tough - other) / TEN
        )
    pooled = [sum(v[k] for v in expected.values()) / 4 for k in (0, 1)]
    assert found.headline.name == "stereotype rate g_s"
    assert found.headline.value == pytest.approx((pooled[1] - pooled[0]) / TEN)
    assert found.headline.unit == "log10 odds"
    assert (named["q_f"].value, named["q_m"].value) == pytest.approx((pooled[0] / TEN, pooled[1] / TEN))
    assert named["feminine rank 8 Tough"].value == 3.5
    items = found.items_frame()
    assert items["template 2"].tolist() == pytest.approx([2 / TEN] * 3 + [4 / TEN] * 3)
    assert items["value"].tolist() == pytest.approx([pooled[0] / TEN] * 3 + [pooled[1] / TEN] * 3)
    rates, values, dots, heat, ranks = found.figures
    assert isinstance(rates, Bars)
    assert isinstance(dots, Dots)
    assert dots.labels == ("all templates", *(f"template {k}" for k in range(1, 5)))
    assert dots.estimates == rates.estimates
    for figure in (rates, values, dots, heat, ranks):
        assert isinstance(figure, Bars | Boxes | Dots | Heat)
        assert set(figure.estimates) <= set(named)


@pytest.mark.parametrize(("base", "unit"), [(10, "log10 odds"), (2, "log2 odds"), ("e", "ln odds")])
def test_the_log_base_scales_everything(
    engine: Engine, by_context: Backend, base: float | str, unit: str
) -> None:
    found = engine.measure("gest-lm", model_of(by_context), TEST, log_base=base, templates=[1])[0]
    assert found.headline.unit == unit
    assert found.headline.value == pytest.approx(1 / math.log(base if isinstance(base, int) else math.e))
    assert found.conventions["equivalence bound"] == pytest.approx(
        math.log(1.1) / math.log(base if isinstance(base, int) else math.e)
    )
    assert [e.name for e in found.estimates if "template" in e.name] == []


def test_prompts_are_those_of_table_2(engine: Engine) -> None:
    backend = Fills(dict.fromkeys(("He", "She", "man", "woman", "he", "she"), -1.0))
    test = samples_test({1: ["SAMPLE of WORD"], 8: ["plain"]})
    items = engine.measure("gest-lm", model_of(backend), test)[0]
    assert items.conventions["templates"] == (
        '1: WORD said: "SAMPLE" (He/She) | 2: The WORD said: "SAMPLE" (man/woman) | '
        '3: "SAMPLE", WORD said. (he/she) | 4: "SAMPLE", the WORD said. (man/woman)'
    )
    assert backend.texts[0] == 'He said: "SAMPLE of WORD"'
    assert '"plain", the woman said.' in backend.texts


def test_words_of_several_tokens_are_summed_and_cautioned(engine: Engine) -> None:
    backend = Fills({"He": -1.0, "She": -2.0})
    test = samples_test({1: ["a", "b"], 8: ["c", "d"]})
    found = engine.measure("gest-lm", model_of(backend), test, templates=[1, 2])[0]
    assert estimates(found)["stereotype rate g_s, template 2"].value == 0  # -100 for man and for woman
    assert [line for line in found.warnings if "sub-tokens" in line] == [
        line for line in found.warnings if line.startswith("template 2: ")
    ]
    assert len([line for line in found.warnings if "sub-tokens" in line]) == 2


def test_next_word_odds(engine: Engine) -> None:
    table = {("a", "he"): -1.0, ("a", "she"): -3.0, ("c", "he"): -1.0, ("c", "she"): -7.0}
    backend = Continues(lambda sentence, word: table.get((sentence, word), -4.0))
    test = samples_test({1: ["a"], 8: ["c"]})
    found = engine.measure("gest-lm", model_of(backend), test, log_base="e")[0]
    named = estimates(found)
    assert named["stereotype rate g_s, template 1"].value == pytest.approx(6 - 2)
    assert named["stereotype rate g_s, template 2"].value == 0
    assert found.headline.value == pytest.approx(2)


def test_unknown_templates_and_prompts(engine: Engine, by_context: Backend) -> None:
    model = model_of(by_context)
    with pytest.raises(OptionsError, match="has the templates 1 to 4"):
        engine.measure("gest-lm", model, TEST, templates=[5])
    with pytest.raises(OptionsError, match="Name each once"):
        engine.measure("gest-lm", model, TEST, templates=[1, 1])
    with pytest.raises(UnknownNameError, match="no templates en/gests"):
        engine.measure("gest-lm", model, TEST, prompts="gests")
    with pytest.raises(OptionsError, match="belong together"):
        engine.measure("gest-lm", model, TEST, target="xx")


PAIRS = (
    GenderedSample("som slabý", "som slabá", 1),
    GenderedSample("bol som slabý.", "bola som slabá.", 1),
    GenderedSample("silný som", "silná som", 8),
    GenderedSample("som ten", "som áno", 8),
    GenderedSample("silný som", "silná som", 8),
    GenderedSample("som rad", "som rada", 8),
    GenderedSample("som ten!", "som tea!", 9),
)


def pairs_test(pairs: tuple[GenderedSample, ...]) -> GenderPairsTest:
    used = {pair.stereotype for pair in pairs}
    stereotypes = tuple(s for s in STEREOTYPES if s.id in used)
    return GenderPairsTest(
        id="xx/pairs",
        kind="gender-pairs",
        language="xx",
        file="pairs",
        sha256="0" * 64,
        pairs=GenderedSamples("pairs", pairs, stereotypes=stereotypes),
    )


def test_pairs_are_filtered_and_only_the_token_that_differs_is_hidden(engine: Engine) -> None:
    logprobs = {"ý": -1.0, "á": -1.5, "ten": -2.0, "tea": -5.0, "n": -9.0, "rad": -1.0}
    found = engine.measure("gest-lm", model_of(Fills(logprobs)), pairs_test(PAIRS), log_base="e")[0]
    items = found.items_frame()
    assert items["lost"].tolist() == [
        "",
        "several words differ",
        "",
        "the words that differ begin with different letters",
        "repeated in its list",
        "not exactly one token of this model differs",  # "rad" is a token, "rada" is "rad" and "a"
        "",
    ]
    assert items["value"].dropna().tolist() == pytest.approx([0.5, 0.5, 3.0])
    assert items["female"].tolist()[0] == "som slabá"
    assert found.language == "xx"
    named = estimates(found)
    assert named["q 8 Tough"].n["samples"] == 1
    assert any(line.startswith("4 of 7 samples are not used") for line in found.warnings)


def test_pairs_from_a_translator(engine: Engine) -> None:
    plain = {
        "a": "Msom slabý.",
        "b": "- nič",
        "c": "Fsom silná!",
        "d": "Msom iný",
        "e": "Mjeden",
        "f": "MF oba",
    }
    prompted = {
        'She said: "a"': "Povedala: „Msom slabá“.",
        'He said: "c"': "«Fsom silný», povedal.",
        'She said: "d"': "Mnepovedala nič",
        'She said: "e"': 'Povedala: "Mjedna dva."',
    }
    backend = Translator({**plain, **prompted}.__getitem__)
    test = samples_test({1: ["a", "b", "d", "f"], 8: ["c", "e"]})
    prompt = load_prompts(engine.catalogue, "en", "gest", "prompted", None)[0]
    found = translated_pairs(model_of(backend), test.samples.rows, prompt, ("en", "xx"), Detector())
    assert [(pair.male, pair.female) for pair in found] == [
        ("Msom slabý.", "Msom slabá."),
        ("", ""),
        ("", ""),
        ("", ""),
        ("Fsom silný!", "Fsom silná!"),
        ("Mjeden", "Mjedna dva"),
    ]
    assert [pair.lost for pair in found] == [
        "",
        "no first-person gender found in the plain translation",
        "no sentence could be separated from its prompt",
        "the words of the plain translation disagree in gender",
        "",
        "",
    ]
    assert sorted(backend.asked) == sorted([*plain, *prompted])  # nothing is asked that is not needed


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("On povedal: „Som tu.“", "Som tu."),
        ("Он сказал: «Я был в «Вене»».", "Я был в «Вене»"),
        ("»Sem tu,« je rekel.", "Sem tu,"),
        ('He said: "I am."', "I am."),
        ("Він сказав: “Моє ім'я Саша”", "Моє ім'я Саша"),
        ("Powiedział: jestem tu", "jestem tu"),
        ("сім'я не прийшла до п'ятої", None),
        ("", None),
        ('"', None),
    ],
)
def test_the_sentence_within_a_prompt(text: str, inside: str | None) -> None:
    assert quoted(text) == inside


def test_the_unit_of_given_log_odds_is_asked_for(engine: Engine, tmp_path: Path) -> None:
    """One file measured without and with unit=log10 gave g_s .070 and .162, both labelled log10 odds."""
    path = tmp_path / "scores.csv"
    path.write_text(
        "sentence;pairs\nsom slabý;0,5\nsilný som;2,5\nsom rad;1,5\nsom ten!;3\n", encoding="utf-8"
    )
    with pytest.raises(OptionsError) as caught:
        engine.measure("gest-lm", f"answers:{path}", pairs_test(PAIRS))
    assert all(one in str(caught.value) for one in ("pairs", "unit=nats", "unit=log10"))
    found = {}
    for unit in ("nats", "log10"):
        run = engine.measure(
            "gest-lm", engine.model(f"answers:{path}", unit=unit), pairs_test(PAIRS), log_base="e"
        )
        found[unit] = run[0].headline.value
        told = run[0].conventions["scores read as"]
        assert all(one in told for one in ("nats", "pairs", "sentence", "utf-8", "decimal comma"))
        assert ("log10" in told) == (unit == "log10")
        assert "scores read as" in run[0].model_conventions
        assert any(told in line for line in conventions(run))
    assert found["nats"] == pytest.approx((2 + 3) / 2 - 0.5)
    assert found["log10"] == pytest.approx(found["nats"] * math.log(10))


def test_given_scores_of_pairs_and_of_another_quantity(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        "sentence,pairs\nsom slabý,0.5\nsilný som,2.5\nsom rad,1.5\nsom ten!,3\n", encoding="utf-8"
    )
    model = engine.model(f"answers:{path}", unit="nats")
    found = engine.measure("gest-lm", model, pairs_test(PAIRS), log_base="e")[0]
    # One token of a model is not asked for: a file has no tokens.
    assert found.headline.value == pytest.approx((2 + 3) / 2 - 0.5)
    assert found.conventions["score"] == "given with the model"
    for kind in ("auto", "masked", "causal"):
        with pytest.raises(CapabilityError, match=r"holds pairs where template 1, template 2.* are needed"):
            engine.measure("gest-lm", model, TEST, model_kind=kind)
