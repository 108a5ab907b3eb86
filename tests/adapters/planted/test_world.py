"""The planted world: what makes tests err is there as declared, and nowhere else."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import expit

from biascore.api.adapters import LoadContext
from biascore.api.queries import Masked
from biascore.engine.engine import Engine
from biascore.errors import RefError, UnknownNameError
from biascore.stats import association, cosine_matrix, permutation_test
from biascore_adapters.planted.planting import Planted
from biascore_adapters.planted.vectors import Vectors

TEST = "en/weat7"
Matrix = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def context(engine: Engine) -> LoadContext:
    return LoadContext(engine.catalogue, engine.plugins.languages)


def vectors(context: LoadContext, locator: str, seed: int = 0) -> dict[str, Matrix]:
    """The vectors of every role of the test."""
    of = Vectors(Planted.of(locator, seed, context).words, seed).of
    roles = context.catalogue.test(TEST).roles
    return {role: np.stack([of(word.casefold()) for word in words.words]) for role, words in roles.items()}


def within(rows: Matrix) -> float:
    """The mean cosine of two different rows."""
    cosines = rows @ rows.T
    return float(cosines[~np.eye(len(rows), dtype=bool)].mean())


def associations(found: dict[str, Matrix]) -> tuple[Matrix, Matrix]:
    x, y = (
        association(cosine_matrix(found[r], found["A"]), cosine_matrix(found[r], found["B"])) for r in "XY"
    )
    return x, y


def test_topics_clusters_and_anisotropy_are_cosines(context: LoadContext) -> None:
    topics = vectors(context, f"{TEST}=0,topics.XY=0.3")
    assert within(topics["X"]) == pytest.approx(0.3, abs=0.03)
    assert within(topics["A"]) == pytest.approx(within(vectors(context, f"{TEST}=0")["A"]), abs=1e-12)
    assert (topics["X"] @ topics["Y"].T).mean() == pytest.approx(0, abs=0.03)
    pairs = vectors(context, f"{TEST}=0,clusters.Y=2x0.8")["Y"]
    cosines = pairs @ pairs.T
    assert cosines[0, 1] == pytest.approx(0.8, abs=0.05)
    assert cosines[1, 2] == pytest.approx(0, abs=0.12)
    narrow = vectors(context, f"{TEST}=0,anisotropy=0.6,anisotropy.B=0.3,axis=0")
    assert within(narrow["A"]) == pytest.approx(0.6, abs=0.03)
    assert within(narrow["B"]) == pytest.approx(0.3, abs=0.03)
    for found in (topics, narrow):
        assert np.linalg.norm(found["X"], axis=1) == pytest.approx(1)


def test_shipped_topics_are_topics_where_that_is_declared(context: LoadContext) -> None:
    shipped = context.catalogue.file("en", "topics").lists[:2]
    for world, cosine in ((",topics=0.4", 0.4), (",topics.XY=0.4", 0.0)):
        of = Vectors(Planted.of(f"{TEST}=0{world}", 0, context).words, 0).of
        one, other = (np.stack([of(word) for word in topic.words]) for topic in shipped)
        assert within(one) == pytest.approx(cosine, abs=0.04)
        assert (one @ other.T).mean() == pytest.approx(0, abs=0.04)


def test_words_of_no_list_are_as_narrow_and_on_no_topic(engine: Engine) -> None:
    model = engine.model(f"planted:{TEST}=0,anisotropy=0.6,topics.XY=0.3")
    found = model.embed(["unheard", "never met", "elsewhere"]).astype(np.float64)
    assert (found @ found.T)[0, 2] == pytest.approx(0.6, abs=0.06)
    assert model.identity.facts["planted world"] == "anisotropy=0.6, topics.X=0.3, topics.Y=0.3"


def test_the_associations_of_a_cluster_go_together(context: LoadContext) -> None:
    pairs = []
    for seed in range(12):
        x, y = associations(vectors(context, f"{TEST}=0,clusters.XY=2x0.9", seed))
        pairs += [*x.reshape(-1, 2), *y.reshape(-1, 2)]
    assert np.corrcoef(np.array(pairs).T)[0, 1] > 0.75


def test_arbitrary_attributes_are_detected_where_targets_are_topics_and_an_axis_is_what_ends_it(
    context: LoadContext,
) -> None:
    def rejected(locator: str) -> int:
        found = [associations(vectors(context, f"{TEST}=0{locator}", seed)) for seed in range(30)]
        tests = [permutation_test(x, y, draws=999, rng=np.random.default_rng(0)) for x, y in found]
        return sum(one.two_sided.p_value <= 0.05 for one in tests)

    assert rejected("") <= 4
    assert rejected(",axis=0,topics.XY=0.4") >= 8


def test_frequency_is_a_direction_and_the_order_of_the_vocabulary(
    engine: Engine, context: LoadContext
) -> None:
    locator = f"{TEST}=0,frequency.XA=0.2,frequency.YB=-0.2"
    found = vectors(context, locator)
    assert (found["X"] @ found["A"].T).mean() == pytest.approx(0.04, abs=0.01)
    assert (found["X"] @ found["B"].T).mean() == pytest.approx(-0.04, abs=0.01)
    vocabulary = engine.model(f"planted:{locator}").vocabulary()
    assert vocabulary is not None
    words = list(vocabulary.words())
    roles = engine.catalogue.test(TEST).roles
    first = [words.index(word.casefold()) for role in "XA" for word in roles[role].words]
    last = [words.index(word.casefold()) for role in "YB" for word in roles[role].words]
    assert max(first) < min(last)


def test_other_words_are_spread_over_frequency_and_ranks_tell_it(engine: Engine) -> None:
    model = engine.model(f"planted:{TEST}=0,axis=0,frequency.XA=0.3,frequency.YB=-0.3,spread=0.4")
    others = [f"other{i}" for i in range(60)]
    roles = engine.catalogue.test(TEST).roles
    rows = model.embed([*others, *roles["X"].words, *roles["Y"].words]).astype(np.float64)
    # The part along frequency: X and A lie at one end, Y and B at the other.
    places = rows @ (rows[60:68].mean(axis=0) - rows[68:].mean(axis=0)) / 0.6
    assert places[:60].min() < -0.25
    assert places[:60].max() > 0.25
    words = [*others, *roles["X"].words, *roles["Y"].words]
    ranks = np.log([one.rank for one in model.familiarity(words)])
    assert np.corrcoef(ranks, places)[0, 1] < -0.9


def test_a_longer_target_is_lifted_by_each_of_its_sub_tokens(engine: Engine) -> None:
    model = engine.model(f"planted:{TEST}=0,length.X=2,lift=0.6")
    plain = engine.model(f"planted:{TEST}=0,length.X=2")
    for word, pieces in (("math", ("ma", "th")), ("poetry", ("poetry",))):
        lifts = []
        for attribute in ("he", "she"):
            query = Masked(f"{word} {attribute}", ((0, len(word)),))
            ((lifted,), (other,)) = (one.mask_logprob([query]) for one in (model, plain))
            assert lifted.tokens == other.tokens == pieces
            assert lifted.offsets[-1][1] == len(word)
            lifts.append(lifted.total - other.total)
        assert lifts == pytest.approx([0.3 * len(pieces), -0.3 * len(pieces)])


def test_pairs_of_one_template_go_together_and_the_longer_sentence_is_less_likely(engine: Engine) -> None:
    pairs = engine.catalogue.test("en/crows_own").pairs.rows
    texts = [sentence for pair in pairs for sentence in (pair.sent_more, pair.sent_less)]

    def differences(conditions: str) -> Matrix:
        model = engine.model(f"planted:en/crows_own=0{conditions}")
        more, less = model.score(texts, "log_likelihood").reshape(-1, 2).T
        return more - less

    same = differences(",templates=2x1")
    assert same[0] == pytest.approx(same[1])
    assert same[1] != pytest.approx(same[2])
    plain, longer = differences(""), differences(",longer=0.6x2")
    tokens = engine.model("planted:en/crows_own=0,longer=0.6x2").score(texts, "token_count").reshape(-1, 2)
    extra = tokens[:, 0] - tokens[:, 1]
    assert plain - longer == pytest.approx(2 * extra)
    assert np.mean(extra) == pytest.approx(0.6, abs=0.12)
    assert 0 < expit(plain).mean() < 1


def test_a_world_makes_the_words_of_fise_what_it_says(context: LoadContext) -> None:
    planted = Planted.of("it/fise_it1_traits=0,clusters.T=4x0.9,topics.T=0.05,axis=0.1", 0, context)
    targets = context.catalogue.test("it/fise_it1_traits").targets
    units = [forms[0].casefold() for forms in targets.pairs]
    places = np.array([planted.words.words[word][0].mean for word in units])
    apart = places - places.mean()
    neighbours = [apart[i] * apart[i + 1] for i in range(len(apart) - 1) if i % 4 != 3]
    assert np.mean(neighbours) / apart.var() > 0.6
    assert planted.words.places[units[0]].cluster == planted.words.places[units[3]].cluster


@pytest.mark.parametrize(
    ("declared", "error", "told"),
    [
        ("topics.XY=2", RefError, "topics.XY=0.3"),
        ("topics.XQ=0.3", RefError, "X, Y, A, B, T"),
        ("topics.=0.3", RefError, "topics.XY=0.3"),
        ("clusters.XY=4", RefError, "4x0.5"),
        ("clusters.XY=2.5x0.5", RefError, "4x0.5"),
        ("clusters.X=2x0.9,topics.X=0.5", RefError, "no room"),
        ("anisotropy=nan", RefError, "anisotropy=0.5"),
        ("lift.X=1", RefError, "for all words"),
        ("templates=5x0.3", RefError, "sentence pairs"),
        ("topics.T=0.3", RefError, "targets of a fise test"),
        (f"axis=0,{TEST}=0.5", RefError, "leave axis out"),
        ("topic.XY=0.3", UnknownNameError, "topics"),
    ],
)
def test_conditions_that_cannot_be_are_refused(
    context: LoadContext, declared: str, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        Planted.of(f"{TEST}=0,{declared}", 0, context)


def test_a_condition_makes_another_model_and_its_order_none(context: LoadContext) -> None:
    digests = {
        Planted.of(f"{TEST}=0{world}", 0, context).digest(0)
        for world in ("", ",topics.XY=0.3", ",topics.X=0.3", ",lift=0.1", ",anisotropy=0")
    }
    assert len(digests) == 5
    one, other = (
        Planted.of(text, 0, context)
        for text in (f"topics.X=0.3,topics.Y=0.3,{TEST}=0", f"{TEST}=0,topics.XY=0.3")
    )
    assert one.digest(0) == other.digest(0)
