"""Large lists are taken in blocks, thinned or drawn fewer times: the same numbers where they are small, stated where not."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from biascore import Engine, WeatTest
from biascore.designs import association, diagnostics, words
from biascore.designs.crossed import Crossed
from biascore.results.coverage import Coverage
from biascore.stats import cosine_matrix
from biascore.stats.paired import sign_flip_test
from biascore.stats.permutation import AUTO_MAX_SUMS, MOST_LABELS, exact_cost, fewer_draws, permutation_test
from biascore.stimuli import WordList
from biascore_metrics.fise import clusters
from biascore_metrics.weat.weat import Weat

RNG = np.random.default_rng


def doubled(count: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Vectors of which a third is (nearly) that of an earlier one."""
    rows = rng.normal(size=(count, size))
    for place in range(3, count, 3):
        rows[place] = rows[rng.integers(place)] + rng.choice([0.0, 1e-9, 0.02]) * rng.normal(size=size)
    return rows


@pytest.mark.parametrize("block", [1, 2, 7, 256])
def test_equal_vectors_are_the_same_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    rows = doubled(60, 5, RNG(0))
    usual = float(np.sqrt(2 * rows.var(axis=0).sum()))
    plain: dict[int, int] = {}
    for place, row in enumerate(rows):
        kept = [one for one in range(place) if one not in plain]
        distances = [float(np.linalg.norm(rows[one] - row)) for one in kept]
        if kept and min(distances) <= words.NEAR * usual:
            plain[place] = kept[int(np.argmin(distances))]
    monkeypatch.setattr(words, "BLOCK", block)
    assert words.equal_vectors(rows, usual) == plain
    assert len(plain) > 5


@pytest.mark.parametrize("block", [1, 7, 256])
def test_near_duplicates_are_the_same_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    rows = doubled(60, 5, RNG(1))
    names = tuple(f"w{place}" for place in range(60))
    lists = {"X": WordList("X", names[:40], (("w0", "w3"),)), "Y": WordList("Y", names[40:])}
    given = {"X": names[:40], "Y": names[40:]}, {"X": rows[:40], "Y": rows[40:]}
    distances = 1.0 - cosine_matrix(rows, rows)
    limit = diagnostics.NEARLY**2 * distances.sum() / (60 * 59)
    groups: dict[int, list[str]] = {}
    first: dict[int, int] = {}
    for begin, end in ((0, 40), (40, 60)):
        for place in range(begin, end):
            others = (
                one
                for one in range(begin, place)
                if distances[place, one] <= limit and (one, place) != (0, 3)
            )
            one = next(others, None)
            if one is not None:
                first[place] = first.get(one, one)
                groups.setdefault(first[place], [names[first[place]]]).append(names[place])
    monkeypatch.setattr(diagnostics, "BLOCK", block)
    monkeypatch.setattr(diagnostics, "MAX_LOST_SHARE", 0.0)
    monkeypatch.setattr(diagnostics, "MAX_LISTED", 100)
    said = " ".join(caveat.text for caveat in diagnostics.near_duplicates(lists, *given))
    monkeypatch.setattr(diagnostics, "BLOCK", 1000)
    assert said == " ".join(caveat.text for caveat in diagnostics.near_duplicates(lists, *given))
    assert re.findall(r"w\d+(?: = w\d+)+", said) == [" = ".join(group) for group in groups.values()]
    assert len(groups) > 5


@pytest.mark.parametrize(("size", "told"), [(4, 1), (5, 0)])
def test_one_near_duplicate_is_told_of_a_list_of_four_words_and_not_of_five(size: int, told: int) -> None:
    """More than a fifth of the words, and just a fifth."""
    rows = {"X": np.eye(12)[:size], "Y": np.eye(12)[6 : 6 + size]}
    rows["X"][1] = rows["X"][0] + 0.1 * np.eye(12)[1]
    given = {role: tuple(f"{role}{place}" for place in range(size)) for role in rows}
    lists = {role: WordList(role, some) for role, some in given.items()}
    assert len(diagnostics.near_duplicates(lists, given, rows)) == told


def test_many_targets_are_compared_with_harmless_groups_on_some_and_the_result_says_so(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    """Where the groups are A and B; X and Y are what is compared where they are the people."""
    whole = engine.measure("weat", "planted:gender=0.8", "en/weat7")[0]
    monkeypatch.setattr(association, "MOST_TARGETS", 10)
    (some,) = engine.measure("weat", "planted:gender=0.8", "en/weat7")
    assert "on 10 of the 16 targets" in str(some.conventions["harmless groups"])
    assert "targets" not in str(whole.conventions["harmless groups"])
    assert some.headline == whole.headline, "the effect itself is that of all words"
    (people,) = engine.measure("weat", "planted:gender=0.8", "en/weat6")
    assert "targets" not in str(people.conventions["harmless groups"])


def test_thinned_targets_keep_both_lists_in_proportion() -> None:
    rng = RNG(3)
    names = {
        "X": tuple(f"x{i}" for i in range(30)),
        "Y": tuple(f"y{i}" for i in range(10)),
        "A": ("a",),
        "B": ("b",),
    }
    vectors = {role: rng.normal(size=(len(own), 3)) for role, own in names.items()}
    table = np.arange(80.0).reshape(40, 2)
    found = Crossed(words=names, coverage=Coverage(given={}, used={}), table=table, vectors=vectors)
    some = found.thinned(20, RNG(0))
    assert (len(some.words["X"]), len(some.words["Y"]), len(some.table)) == (15, 5, 20)
    everything = [*names["X"], *names["Y"]]
    for row, word in zip(some.table, (*some.words["X"], *some.words["Y"]), strict=True):
        np.testing.assert_array_equal(row, table[everything.index(word)])
    assert some.vectors is not None
    for role in "XY":
        for word, vector in zip(some.words[role], some.vectors[role], strict=True):
            np.testing.assert_array_equal(vector, vectors[role][names[role].index(word)])
    assert found.thinned(40, RNG(0)) is found


@pytest.mark.parametrize(("nx", "ny"), [(1, 1), (4, 7), (12, 12), (3, 40)])
def test_the_cost_of_exact_tests_is_counted_to_a_bound(nx: int, ny: int) -> None:
    n, size = nx + ny, min(nx, ny)
    halves = (n // 2, n - n // 2)
    assert exact_cost(nx, ny) == sum(
        math.comb(half, k) for half in halves for k in range(min(half, size) + 1)
    )
    assert AUTO_MAX_SUMS < exact_cost(50_000, 50_000) < 10**30


def test_labels_of_huge_lists_are_drawn_fewer_times_and_the_result_says_how_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert fewer_draws(100_000, 10_000) == 100_000 == MOST_LABELS // 10_000
    assert fewer_draws(100_000, 100_000) == 10_000
    assert fewer_draws(100_000, 10**12) == 1
    monkeypatch.setattr("biascore.stats.permutation.MOST_LABELS", 1000)
    x, y = RNG(4).normal(size=(2, 50))
    assert permutation_test(x, y, method="monte-carlo", draws=500, rng=RNG(0)).two_sided.n_total == 10
    assert sign_flip_test(x, draws=500, rng=RNG(0)).n_total == 1000 // 7


def test_words_that_are_not_linked_are_of_the_nearest_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = RNG(5)
    centres = np.eye(10)[:9] * 8
    rows = np.concatenate([one + rng.normal(size=(9, 10)) * 0.1 for one in centres])[rng.permutation(81)]
    whole = clusters._linked(rows)
    monkeypatch.setattr(clusters, "MOST", 40)
    some = clusters._linked(rows)
    assert whole.max() == some.max() == 8
    assert len({*zip(whole.tolist(), some.tolist(), strict=True)}) == 9


def test_neighbours_of_many_words_are_those_of_some(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = RNG(6)
    kinds = rng.normal(size=(30, 8))
    rows = np.repeat(kinds, 10, axis=0) + 0.3 * rng.normal(size=(300, 8))
    scores = np.repeat(rng.normal(size=30), 10) + 0.1 * rng.normal(size=300)
    made = clusters.Clusters.made(rows, np.arange(300), np.eye(8)[:1], declared=False)
    whole = made.neighbours(scores, RNG(0))
    monkeypatch.setattr(clusters, "MOST", 150)
    some = made.neighbours(scores, RNG(0))
    assert whole is not None
    assert some is not None
    assert whole[0] > whole[1]
    assert some[0] > some[1]
    assert made.told().endswith("linked by 150 of them")


def test_more_cells_than_memory_holds_are_refused_with_their_number(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    monkeypatch.setattr(association, "MOST_CELLS", 20)
    lists = WeatTest(
        X=["a", "b", "c"], Y=["d", "e", "f"], A=["g", "h"], B=["i", "j"], name="t", language="en"
    )
    monkeypatch.setattr(Weat, "holds_table", True)  # as metrics whose scores are no cosines do
    with pytest.raises(association.OptionsError, match=r"6 words .* 4 .* 24 .* 20"):
        engine.measure("weat", "planted:gender=1", lists)


@pytest.mark.slow
def test_weat_on_a_table_that_is_not_held_gives_the_same_numbers(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    """With harmless groups, families, both bootstraps; only rounding may differ."""
    for test, options in (
        ("en/weat6", {}),
        ("en/audit-gender-career-family", {}),
        ("en/weat1", {"bootstrap": "tested"}),
    ):
        (held,) = engine.measure("weat", "planted:gender=0.8", test, **options)
        with monkeypatch.context() as patched:
            patched.setattr(words, "HELD", 0)
            patched.setattr(words.RoleVectors, "cosines", None)  # no table is made at all
            (factors,) = engine.measure("weat", "planted:gender=0.8", test, **options)
        assert [one.name for one in factors.estimates] == [one.name for one in held.estimates]
        for one, other in zip(factors.estimates, held.estimates, strict=True):
            assert one.value == pytest.approx(other.value, abs=1e-12)
            assert [p.value for p in one.p_values] == pytest.approx(
                [p.value for p in other.p_values], abs=1e-4
            )
            assert (one.interval is None) == (other.interval is None)
            if one.interval and other.interval:
                ends = one.interval.low, one.interval.high
                assert ends == pytest.approx((other.interval.low, other.interval.high), abs=1e-9)
        one, other = factors.specificity, held.specificity
        assert one is not None
        assert other is not None
        assert (one.pairs, one.groups) == (other.pairs, other.groups)
        assert one.share == pytest.approx(other.share, abs=1e-9)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)
        assert one.transposed == pytest.approx(other.transposed, abs=1e-9)
        np.testing.assert_allclose(factors.items["value"], held.items["value"], atol=1e-12)


def test_weat_refuses_no_number_of_words_that_it_need_not_hold(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    monkeypatch.setattr(association, "MOST_CELLS", 20)
    lists = WeatTest(
        X=["a", "b", "c"], Y=["d", "e", "f"], A=["g", "h"], B=["i", "j"], name="t", language="en"
    )
    assert engine.measure("weat", "planted:gender=1", lists)[0].headline.value is not None


def test_families_and_places_of_words_are_looked_up_as_they_were_searched_for() -> None:
    """Searching took the square of their number. A word that stands twice, or in two families, is where it is first."""
    rng = RNG(7)
    names = [f"w{i}" for i in range(30)]
    one, other = (tuple(rng.choice(names, 40).tolist()) for _ in range(2))
    families = tuple(tuple(rng.choice(names, 3, replace=False).tolist()) for _ in range(8))
    lists = WordList("X", one, families=families, counterparts="Y"), WordList("Y", other)
    searched = [next((some[0] for some in families if word in some), word) for word in names]
    assert lists[0].families_of(names) == searched == [lists[0].family_of(word) for word in names]
    used = one[:20], other[5:]
    assert words.counterparts(lists, used) == (
        [one.index(w) for w in used[0]],
        [other.index(w) for w in used[1]],
    )
