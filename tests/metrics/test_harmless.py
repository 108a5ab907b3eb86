"""Harmless groups: which are asked, and the share of their pairs that reach an effect, in a small made-up world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from biascore import Engine
from biascore.api.exporters import Measurement
from biascore.api.stimuli import Catalogue, Test, WordList
from biascore.designs.harmless import LEAST, SHORTEST, WORDS, Compared, Groups
from biascore.designs.options import WeatOptions
from biascore.errors import OptionsError
from biascore.results.specificity import Specificity
from biascore.stats import Verdict
from biascore.stimuli import StimuliFile
from biascore.stimuli.model import Contents
from biascore_metrics.weat.weat import Weat

from ..builders.word_lists import write_weat
from .conftest import ModelOf
from .harmless import ENCODER, other_topics
from .measuring import measured

COUNT, SIZE, WIDTH = 27, 5, 40
FAST: dict[str, Any] = {"draws": 200, "resamples": 100}
Vectors = dict[str, np.ndarray]


def names(stem: str, size: int = SIZE) -> tuple[str, ...]:
    return tuple(f"{stem}{number}" for number in range(size))


GROUPS = {f"group{number}": names(f"g{number}-") for number in range(COUNT)}
ROLES = {role: names(role.lower()) for role in "XYAB"}
PEOPLE: Mapping[str, Literal["", "XY", "AB"]] = {"targets": "XY", "attributes": "AB", "none": ""}


def a_test(**parts: Any) -> Test:
    roles = {role: WordList(f"list {role}", words) for role, words in ROLES.items()}
    plain: dict[str, Any] = {"id": "xx/test", "kind": "weat", "language": "xx", "roles": roles}
    return Test(**{"file": "test.toml", "sha256": "0" * 64, "of_people": "AB"} | plain | parts)


def with_words(test: Test, role: str, *more: str) -> Test:
    own = test.roles[role]
    return replace(test, roles={**test.roles, role: replace(own, words=(*own.words, *more))})


def a_catalogue(**files: Mapping[str, Sequence[str]] | Sequence[WordList]) -> Catalogue:
    """Files of groups in the made-up language, by name."""

    def a_file(stem: str, lists: Mapping[str, Sequence[str]] | Sequence[WordList]) -> StimuliFile:
        if isinstance(lists, Mapping):
            lists = [WordList(name, tuple(words)) for name, words in lists.items()]
        contents = Contents({one.name: one for one in lists}, {})
        return StimuliFile(
            f"xx/{stem}.toml", stem, "0" * 64, "xx", stem, "made", "CC0-1.0", None, (),
            dict.fromkeys(contents.lists, "lists"), (), lambda: contents,
        )  # fmt: skip

    return Catalogue(a_file(stem, lists) for stem, lists in files.items())


def a_world(groups: Mapping[str, Sequence[str]] = GROUPS, strength: float = 0.0, seed: int = 3) -> Vectors:
    """Random vectors, of which X and A, and Y and B, share a direction as far as ``strength`` says."""
    rng = np.random.default_rng(seed)
    words = [word for some in (*ROLES.values(), *groups.values()) for word in some]
    vectors = {word: rng.normal(size=WIDTH) for word in words}
    for role, words_of in ROLES.items():
        for word in words_of:
            vectors[word][0] += strength if role in "XA" else -strength
    return vectors


def effect(vectors: Vectors, first: Sequence[str], second: Sequence[str], units: Sequence[str]) -> float:
    """d of two lists over units of which one half is of each of the others."""
    table = np.array([[cosine(vectors[u], vectors[w]) for w in (*first, *second)] for u in units])
    s = table[:, : len(first)].mean(axis=1) - table[:, len(first) :].mean(axis=1)
    half = len(units) // 2
    return float((s[:half].mean() - s[half:].mean()) / s.std(ddof=1))


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def weat(
    model_of: ModelOf, vectors: Vectors, test: Test, catalogue: Catalogue, **options: Any
) -> Measurement:
    return measured(Weat(WeatOptions(**FAST | options)), model_of(vectors), test, catalogue=catalogue)


def specificity(*given: Any, **options: Any) -> Specificity:
    found = weat(*given, **options).specificity
    assert found is not None
    return found


def groups_of(test: Test, catalogue: Catalogue, **options: Any) -> Groups:
    return Groups.of(test, catalogue, WeatOptions(**options))


# Which are asked.


@pytest.mark.parametrize("people", PEOPLE.values())
def test_people_are_compared_with_people_and_all_else_with_topics(people: Literal["", "XY", "AB"]) -> None:
    both = a_catalogue(people=GROUPS, topics=GROUPS)
    found = groups_of(a_test(of_people=people), both)
    assert found.place == (("X", "Y") if people == "XY" else ("A", "B"))
    kind = "people" if people else "topics"
    assert (found.kind, found.address) == (kind, f"xx/{kind}")
    assert found.names == tuple(GROUPS)
    assert [file.display for file in found.read_from(both)] == [f"xx/{kind}.toml"]


def test_groups_that_are_about_what_the_test_touches_are_left_out() -> None:
    tags = {"group0": ("arts", "sport"), "group1": ("law",), "group2": ()}
    lists = [WordList(name, GROUPS[name], about=about) for name, about in tags.items()]
    catalogue = a_catalogue(people=lists)
    assert groups_of(a_test(touches=("sport",)), catalogue).names == ("group1", "group2")
    assert groups_of(a_test(touches=("law", "arts")), catalogue).names == ("group2",)
    assert groups_of(a_test(), catalogue).names == ("group0", "group1", "group2")


@pytest.mark.parametrize("role", ["X", "B"])
def test_a_group_with_two_words_of_the_test_is_left_out_and_one_word_is_dropped(role: str) -> None:
    catalogue, first = a_catalogue(people=GROUPS), GROUPS["group0"]
    one = groups_of(with_words(a_test(), role, first[0].upper()), catalogue)
    assert one.names == tuple(GROUPS)
    assert one.lists[0] == first[1:]
    two = groups_of(with_words(a_test(), role, *first[:2]), catalogue)
    assert two.names == tuple(GROUPS)[1:]
    assert one.asked == two.asked == groups_of(a_test(), catalogue).asked  # a cache answers the next test


def test_of_two_groups_that_share_two_words_the_first_counts() -> None:
    shared = (*GROUPS["group0"][:2], *GROUPS["group1"][2:])
    kept = groups_of(a_test(), a_catalogue(people=[WordList("a", GROUPS["group0"]), WordList("b", shared)]))
    assert kept.names == ("a",)


def test_only_so_many_words_of_a_group_are_asked() -> None:
    catalogue = a_catalogue(people={"long": names("l", WORDS + 3)})
    found = groups_of(a_test(), catalogue)
    assert found.lists == (names("l", WORDS),)
    assert found.asked.words == names("l", WORDS)


def test_where_a_model_answers_one_by_one_some_groups_stand_for_all() -> None:
    found = Groups.of(a_test(), a_catalogue(people=GROUPS), WeatOptions(), (3, 4))
    assert found.names == ("group0", "group13", "group26")
    assert found.lists[0] == GROUPS["group0"][:4]


# The share.


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("people", PEOPLE.values())
@pytest.mark.parametrize("strength", [0.0, 0.5])
def test_the_share_is_a_count_of_pairs(
    model_of: ModelOf, people: Literal["", "XY", "AB"], strength: float, alternative: str
) -> None:
    """All lists have as many words as represent one, so that nothing is drawn."""
    vectors = a_world(strength=strength)
    place, stay = ("XY", "AB") if people == "XY" else ("AB", "XY")
    units = [word for role in stay for word in ROLES[role]]
    own = effect(vectors, *(ROLES[role] for role in place), units)
    one_order = [effect(vectors, *pair, units) for pair in combinations(GROUPS.values(), 2)]
    every = (
        [abs(one) for one in one_order]
        if alternative == "two-sided"
        else [*one_order, *(-e for e in one_order)]
    )
    reach = abs(own) if alternative == "two-sided" else own
    got = weat(
        model_of, vectors, a_test(of_people=people), a_catalogue(people=GROUPS, topics=GROUPS),
        alternative=alternative,
    )  # fmt: skip
    found = got.specificity
    assert found is not None
    assert (found.pairs, found.groups) == (len(every), COUNT)
    assert found.share == pytest.approx((1 + sum(one >= reach - 1e-6 for one in every)) / (1 + len(every)))
    assert found.specific is (found.share <= 0.05)
    if people == "XY":  # the units are words of A and B, over which the published effect is not
        assert found.transposed == pytest.approx(own, abs=1e-6)
        assert got.headline.value != pytest.approx(own, abs=0.01)
    else:
        assert found.transposed is None
        assert got.headline.value == pytest.approx(own, abs=1e-6)


def test_what_is_shared_by_all_words_does_not_change_the_share(model_of: ModelOf) -> None:
    """The nearness that the test's own groups and the harmless ones have is told, and they are not matched by it."""
    vectors, catalogue = a_world(strength=1.0), a_catalogue(people=GROUPS)
    near = {
        word: vector + (2.0 if word in ROLES["A"] + ROLES["B"] else 0.0) for word, vector in vectors.items()
    }
    apart, alike = (specificity(model_of, some, a_test(), catalogue).near for some in (vectors, near))
    assert apart is not None
    assert alike is not None
    assert alike[0] > 0.8 > apart[0]
    assert alike[1] == pytest.approx(apart[1])


def test_of_longer_lists_some_words_are_drawn(model_of: ModelOf) -> None:
    long = {name: names(f"{name}-", 9) for name in GROUPS}
    vectors, catalogue = a_world(long), a_catalogue(people=long)
    first, again = (weat(model_of, vectors, a_test(), catalogue) for _ in range(2))
    assert first.specificity == again.specificity
    assert "each list represented by 5 words" in str(first.conventions["harmless groups"])


def test_words_that_the_model_does_not_know_shorten_what_represents_a_list(model_of: ModelOf) -> None:
    """At most a tenth of the groups is left out for the length of the others."""
    long = {name: names(f"{name}-", 8) for name in GROUPS}
    vectors = a_world(long)
    own = {role: names(role.lower(), 8) for role in "XYAB"}
    rng = np.random.default_rng(1)
    vectors |= {word: rng.normal(size=WIDTH) for words in own.values() for word in words}
    test = replace(a_test(), roles={role: WordList(role, words) for role, words in own.items()})
    for name in list(long)[:2]:
        del vectors[long[name][0]]
    found = weat(model_of, vectors, test, a_catalogue(people=long))
    assert found.specificity is not None
    assert found.specificity.groups == COUNT - 2
    assert "each list represented by 8 words" in str(found.conventions["harmless groups"])
    del vectors[long["group2"][0]]
    found = weat(model_of, vectors, test, a_catalogue(people=long))
    assert found.specificity is not None
    assert found.specificity.groups == COUNT
    assert "each list represented by 7 words" in str(found.conventions["harmless groups"])


def test_groups_that_are_nearly_one_to_the_model_count_once(model_of: ModelOf) -> None:
    vectors, catalogue = a_world(), a_catalogue(people=GROUPS)
    plain = specificity(model_of, vectors, a_test(), catalogue)
    rng = np.random.default_rng(9)
    for one, other in zip(GROUPS["group3"], GROUPS["group7"], strict=True):
        vectors[other] = vectors[one] + 0.05 * rng.normal(size=WIDTH)
    found = specificity(model_of, vectors, a_test(), catalogue)
    assert (plain.groups, found.groups) == (COUNT, COUNT - 1)
    assert found.pairs == (COUNT - 1) * (COUNT - 2) // 2


def test_one_group_that_decides_is_a_caveat() -> None:
    shares = {"level": 0.05, "share": 0.045, "pairs": 300, "groups": 25, "pool": "xx/people"}
    decides = Compared(Specificity(low=0.02, high=0.06, **shares), "")
    assert [one.text for one in decides.caveats()] == [
        "the share of harmless pairs is 0.020 to 0.060, by which of xx/people is left out: one group decides whether it "
        "is at most 0.05"
    ]
    for low, high in ((0.02, 0.049), (0.02, 0.05), (0.051, 0.09)):
        assert Compared(Specificity(low=low, high=high, **shares), "").caveats() == ()


def test_the_caveat_is_of_shares_near_the_level(model_of: ModelOf) -> None:
    told = set()
    for strength in (0.0, 1.5, 1.7, 2.2):
        got = weat(model_of, a_world(strength=strength), a_test(), a_catalogue(people=GROUPS))
        found = got.specificity
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        decides = found.low <= 0.05 < found.high
        assert any("one group decides" in one.text for one in got.caveats) is decides
        told.add(decides)
    assert told == {True, False}


# None.


def test_fewer_groups_than_tell_how_large_harmless_effects_are_give_no_share(model_of: ModelOf) -> None:
    few = dict(list(GROUPS.items())[: LEAST - 1])
    found = specificity(model_of, a_world(), a_test(), a_catalogue(people=few))
    assert (found.share, found.specific, found.lacking) == (
        None,
        False,
        "no harmless groups in this vocabulary",
    )
    assert f"{LEAST - 1} groups" in found.problem
    enough = dict(list(GROUPS.items())[:LEAST])
    assert specificity(model_of, a_world(), a_test(), a_catalogue(people=enough)).share is not None


def test_groups_of_which_the_model_knows_too_few_words_do_not_count(model_of: ModelOf) -> None:
    vectors = a_world()
    for name in list(GROUPS)[: COUNT - LEAST + 1]:
        del vectors[GROUPS[name][0]]
    found = specificity(model_of, vectors, a_test(), a_catalogue(people=GROUPS))
    assert (found.share, found.lacking) == (None, "no harmless groups in this vocabulary")


@pytest.mark.parametrize(("people", "role"), [("AB", "A"), ("AB", "B"), ("XY", "X")])
def test_lists_of_fewer_words_are_not_compared(
    model_of: ModelOf, people: Literal["XY", "AB"], role: str
) -> None:
    test = a_test(of_people=people)
    short = replace(test.roles[role], words=test.roles[role].words[: SHORTEST - 1])
    test = replace(test, roles={**test.roles, role: short})
    found = specificity(model_of, a_world(), test, a_catalogue(people=GROUPS))
    assert (found.share, found.lacking) == (None, "lists too short for harmless groups")


def test_a_language_without_groups_gives_no_share(model_of: ModelOf) -> None:
    got = weat(model_of, a_world(strength=2.0), a_test(), a_catalogue(topics=GROUPS))
    assert got.verdict is Verdict.DETECTED  # by itself; a run makes a hint of it
    assert got.specificity is not None
    assert got.specificity.share is None
    assert got.specificity.lacking == "no harmless groups in this language"
    assert "xx/people.toml" in got.specificity.problem
    assert str(got.conventions["harmless groups"]).startswith("none: ")


def test_none_is_asked_for_and_an_effect_that_is_not_there_has_nothing_to_compare(model_of: ModelOf) -> None:
    catalogue = a_catalogue(people=GROUPS)
    vectors = a_world(strength=2.0)
    unasked = specificity(model_of, vectors, a_test(), catalogue, reference="none")
    assert (unasked.share, unasked.lacking) == (None, "no harmless groups were asked for")
    flat = dict.fromkeys(vectors, np.ones(WIDTH))
    got = weat(model_of, flat, a_test(), catalogue)
    assert got.headline.value is None
    assert got.specificity is not None
    assert got.specificity.share is None


# The option.


def test_a_file_of_ones_own_is_named(model_of: ModelOf, tmp_path: Path) -> None:
    catalogue = a_catalogue(people={}, neighbours=GROUPS)
    found = specificity(model_of, a_world(), a_test(), catalogue, reference="neighbours")
    assert (found.pool, found.groups) == ("xx/neighbours", COUNT)
    write_weat(tmp_path / "mine")
    engine = Engine(cache=None, stimuli=[tmp_path / "mine"])
    with pytest.raises(OptionsError, match=r"reference='things': there are no lists en/things\.toml"):
        engine.measure("weat", "planted:pets=1", "en/pets", reference="things")


@pytest.mark.parametrize("reference", ["", " ", "en/people"])
def test_a_reference_is_the_name_of_a_file_alone(reference: str) -> None:
    with pytest.raises(OptionsError, match="name a stimuli file without its language"):
        Engine(cache=None).measure("weat", "planted:gender=1", "en/weat7", reference=reference)


# Models.


@pytest.mark.parametrize("metric", ["weat", "seat", "lpbs"])
def test_a_planted_effect_is_larger_than_those_of_harmless_groups(metric: str) -> None:
    run = Engine(cache=None).measure(metric, "planted:gender=1.6", "en/weat7", **FAST)
    (got,), (said,) = run, run.verdicts
    assert got.specificity is not None
    assert (got.specificity.pool, got.specificity.specific) == ("en/people", True)
    assert got.specificity.groups >= LEAST
    assert said.verdict is Verdict.DETECTED
    assert f"{got.specificity.pairs} pairs of" in str(got.conventions["harmless groups"])


def test_groups_are_asked_once_of_an_opened_model() -> None:
    """Of tests that touch the same; what another test touches leaves other groups."""
    engine = Engine(cache=None)
    model = engine.model("planted:baseline=1")
    first, second = (engine.measure("weat", model, test, **FAST) for test in ("en/weat1", "en/weat2"))
    groups = groups_of(engine.catalogue.test("en/weat1"), engine.catalogue)
    own = [
        {word for role in engine.catalogue.test(test).roles.values() for word in role.words}
        for test in ("en/weat1", "en/weat2")
    ]
    assert first.questions.put == len(own[0]) + len(groups.asked)
    assert second.questions.put == len(own[1])
    anew = engine.measure("weat", "planted:baseline=1", "en/weat2", **FAST)
    assert anew[0].specificity == second[0].specificity


@pytest.mark.slow
def test_harmless_topics_on_a_real_encoder_are_specific_in_five_per_cent(tmp_path: Path) -> None:
    """Four of other topics than ship in each test, of which none is about what another is."""
    topics, rng = other_topics(8), np.random.default_rng(1)
    engine, found = Engine(cache=tmp_path / "cache"), []
    with engine.model(ENCODER) as model:
        while len(found) < 160:
            four = [topics[place] for place in rng.choice(len(topics), 4, replace=False)]
            if len({tag for one in four for tag in one.about}) < sum(len(one.about) for one in four):
                continue
            roles = {role: WordList(one.name, one.words) for role, one in zip("XYAB", four, strict=True)}
            test = a_test(id=f"en/harmless{len(found)}", language="en", roles=roles, of_people="")
            options = WeatOptions(draws=500, resamples=100)
            one = measured(Weat(options), model, test, catalogue=engine.catalogue).specificity
            assert one is not None
            assert one.share is not None
            found.append(one.specific)
    assert 0.005 <= np.mean(found) <= 0.1
