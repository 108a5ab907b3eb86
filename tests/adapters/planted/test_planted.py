"""The planted model keeps its declarations, question by question."""

import numpy as np
import pytest
from scipy.stats import norm

from biascore.api.queries import Choice, Masked, Text
from biascore.engine.engine import Engine
from biascore.errors import CapabilityError, QuestionError, RefError, UnknownNameError
from biascore.models.model import Model
from biascore_adapters.planted.declaration import declared_effects

TEST = "en/weat7"


def words(engine: Engine, role: str) -> tuple[str, ...]:
    return engine.catalogue.test(TEST).roles[role].words


def pair(target: str, attribute: str) -> tuple[str, tuple[int, int], tuple[int, int]]:
    text = f"{target} {attribute}"
    return text, (0, len(target)), (len(target) + 1, len(text))


def increased_log_probability(model: Model, target: str, attribute: str) -> float:
    """asc(x, a) of Kurita et al. 2019 with the template TARGET ATTRIBUTE."""
    text, x, a = pair(target, attribute)
    hidden, prior = model.mask_logprob([Masked(text, (x,)), Masked(text, (x,), also=(a,))])
    return hidden.total - prior.total


def test_hook_embed_gives_unit_vectors_that_do_not_depend_on_order_or_batch(engine: Engine):
    model = engine.model("planted:gender=1")
    some = ["math", "he", "Mathematik", "unheard-of", "a longer text"]
    forward, backward = model.embed(some), model.embed(some[::-1])
    assert np.array_equal(forward, backward[::-1])
    assert np.linalg.norm(forward[:3], axis=1) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(model.embed(["MATH"]), model.embed(["math"]))
    in_context = model.embed([Text("we like math", (8, 12))], level="token")
    assert np.array_equal(in_context, model.embed(["math"]))


def test_hook_mask_logprob_is_a_distribution_over_the_planted_words(engine: Engine):
    model = engine.model(f"planted:{TEST}=1")
    everything = list(dict.fromkeys(w for role in "XYAB" for w in words(engine, role)))
    texts = [pair(word, "he") for word in everything]
    answers = model.mask_logprob([Masked(text, (x,)) for text, x, _ in texts])
    assert np.exp([a.total for a in answers]).sum() == pytest.approx(1, abs=1e-9)
    assert [a.tokens for a in answers] == [(word,) for word in everything]


def test_increased_log_probability_is_the_cosine_up_to_scale_and_a_constant_per_attribute(engine: Engine):
    model = engine.model(f"planted:{TEST}=1")
    targets, attributes = [*words(engine, "X"), *words(engine, "Y")], words(engine, "A")[:3]
    cosines = model.embed(targets) @ model.embed(attributes).T
    asc = np.array([[increased_log_probability(model, t, a) for a in attributes] for t in targets])
    constant = asc - 20 * cosines
    assert np.ptp(constant, axis=0) == pytest.approx(0, abs=1e-4)


def test_one_at_a_time_leaves_the_other_words_visible(engine: Engine):
    model = engine.model(f"planted:{TEST}=1")
    text = "he likes math"
    (each,) = model.mask_logprob([Masked(text, None, one_at_a_time=True)])
    (together,) = model.mask_logprob([Masked(text, None)])
    (single,) = model.mask_logprob([Masked(text, ((9, 13),))])
    assert each.tokens == ("he", "likes", "math")
    assert each.offsets == ((0, 2), (3, 8), (9, 13))
    assert each.logprobs[2] == pytest.approx(single.total)
    assert len(set(together.logprobs[::2])) == 1  # nothing is visible, so planted words are equally probable


def test_hook_score_log_likelihood_is_the_chain_of_conditionals(engine: Engine):
    model = engine.model(f"planted:{TEST}=1")
    (whole,) = model.score(["he likes math"], "log_likelihood")
    parts = [
        model.mask_logprob([Masked(text, ((start, len(text)),))])[0].total
        for text, start in (("he", 0), ("he likes", 3), ("he likes math", 9))
    ]
    assert whole == pytest.approx(sum(parts))


@pytest.mark.parametrize("effect", [-1.0, 0.0, 1.0])
def test_hook_translate_marks_gender_at_the_declared_rate(engine: Engine, effect: float):
    model = engine.model(f"planted:{TEST}={effect}")
    for role, sign in (("X", 1), ("Y", -1)):
        texts = [f"I like {word} number {i}." for word in words(engine, role) for i in range(100)]
        translated = model.translate(texts, "en", "it")
        assert all(text in t for text, t in zip(texts, translated, strict=True))
        rate = np.mean([t.startswith("Sono venuto ") for t in translated])
        expected = norm.cdf(sign * effect / 2)
        assert abs(rate - expected) < 4 * np.sqrt(expected * (1 - expected) / len(texts))


@pytest.mark.parametrize("effect", [-0.8, 0.0, 0.8])
def test_hook_score_heads_differ_by_the_declared_effect(engine: Engine, effect: float):
    model = engine.model(f"planted:{TEST}={effect}")
    logits = []
    for role in "XY":
        texts = [f"The {word} makes me angry, case {i}." for word in words(engine, role) for i in range(200)]
        scores = model.score(texts, "anger")
        assert ((scores > 0) & (scores < 1)).all()
        logits.append(np.log(scores / (1 - scores)))
    x, y = logits
    d = (x.mean() - y.mean()) / np.concatenate(logits).std(ddof=1)
    assert d == pytest.approx(effect, abs=4 * np.sqrt(4 / len(np.concatenate(logits))))


def test_seeds_draw_other_models_and_digests_tell_them_apart(engine: Engine):
    one, two = engine.model("planted:gender=1"), engine.model("planted:gender=1", seed=1)
    assert one.identity.digest != two.identity.digest
    assert one.identity.digest != engine.model("planted:gender=0.9").identity.digest
    assert not np.array_equal(one.embed(["math"]), two.embed(["math"]))


def test_a_later_entry_overrides_an_earlier_one(engine: Engine):
    for declared in (f"{TEST}=1,gender=0", f"gender=0.5,{TEST}=1,gender=0"):
        assert (
            engine.model(f"planted:{declared}").identity.digest
            == engine.model("planted:gender=0").identity.digest
        )
    one, other = (engine.model(f"planted:{d}") for d in (f"{TEST}=1,en/weat6=0", f"en/weat6=0,{TEST}=1"))
    assert np.array_equal(one.embed(["math", "he"]), other.embed(["math", "he"]))
    mixed = engine.model(f"planted:gender=1,{TEST}=0")
    x, y = (mixed.embed(words(engine, role)) for role in "XY")
    assert mixed.identity.digest != engine.model("planted:gender=1").identity.digest
    assert x.shape == (8, y.shape[1])


@pytest.mark.parametrize(
    ("ref", "error", "told"),
    [
        ("planted:gender", RefError, "planted:gender=0.5"),
        ("planted:gender=big", RefError, "gender=big"),
        ("planted:gender=nan", RefError, "1.9"),
        ("planted:gender=2", RefError, "1.9"),
        ("planted:=1", RefError, "'=1'"),
        ("planted:gander=1", UnknownNameError, "gender"),
    ],
)
def test_wrong_declarations_are_told(engine: Engine, ref: str, error: type[Exception], told: str):
    with pytest.raises(error, match=told):
        engine.model(ref)


def test_wrong_questions_are_told(engine: Engine):
    model = engine.model("planted:gender=1")
    with pytest.raises(QuestionError, match="no word lies under"):
        model.mask_logprob([Masked("he  likes", ((2, 3),))])
    with pytest.raises(QuestionError, match="'xx'"):
        model.translate(["hello"], "en", "xx")
    with pytest.raises(QuestionError, match="envy"):
        model.score(["hello"], "envy")
    with pytest.raises(QuestionError, match="needs one"):
        model.embed([Text("hello")], level="token")
    with pytest.raises(QuestionError, match="holds no word"):
        model.embed([" "])


def test_a_concept_declares_no_long_test(engine: Engine):
    declared = declared_effects({"gender": 1.0}, engine.catalogue)
    assert TEST in [test.id for test, _ in declared]
    assert not any("/audit-" in test.id for test, _ in declared)
    (one,) = declared_effects({"en/audit-gender-occupations": 0.5}, engine.catalogue)
    assert one[0].id == "en/audit-gender-occupations"
    with pytest.raises(UnknownNameError) as told:
        declared_effects({"body": 1.0}, engine.catalogue)
    assert "body" not in str(told.value).partition("is no concept")[2].partition(")")[0]


def test_options_are_chosen_by_the_planted_likelihoods(engine: Engine):
    model = engine.model(f"planted:{TEST}=1")
    prompt, options = "we like math and", ("he", "she", "he likes it")
    question = Choice(prompt, options, order=(2, 0, 1))
    (answer,) = model.choose([question], "likelihood")
    before = model.score([prompt], "log_likelihood")[0]
    whole = model.score([f"{prompt} {option}" for option in options], "log_likelihood")
    assert answer.logprobs == pytest.approx(list(whole - before))
    assert answer.tokens == (1, 1, 3)
    assert answer.chosen == int(np.argmax(whole))
    (said,) = model.choose([question], "text")
    assert (said.chosen, said.outcome) == (answer.chosen, "chosen")
    assert said.said == f"{'ABC'[question.order.index(answer.chosen)]}. {options[answer.chosen]}"
    with pytest.raises(CapabilityError, match="cannot be asked to choose by letters"):
        model.choose([question], "letters")


def test_the_planted_bias_moves_what_is_chosen(engine: Engine):
    questions = [Choice(f"we like {word} and", ("he", "she")) for word in words(engine, "X")]

    def male(effect: float) -> float:
        answers = engine.model(f"planted:{TEST}={effect}").choose(questions, "likelihood")
        return float(np.mean([answer.logprobs[0] - answer.logprobs[1] for answer in answers]))

    assert male(1) > male(0) > male(-1)
