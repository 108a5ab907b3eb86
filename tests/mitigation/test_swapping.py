"""Words of pairs swapped in texts: which words, in which direction, and how they are written."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biascore.errors import StimuliError
from biascore.stimuli import Catalogue, PairList
from biascore_training.corpus import ENGLISH_PAIRS
from biascore_training.swapping import Swapper

Swappers = Callable[..., Swapper]

ONCE = (
    *(("she", "he"), ("queen", "king"), ("wife", "husband"), ("mother", "father"), ("daughter", "son")),
    *(("female", "male"), ("ballerina", "ballet_dancer"), ("Štěpánka", "Štěpán"), ("नर्तकी", "नर्तक")),
)
"""Pairs of which no word stands in another one."""


def both_ways(swap: Swapper, one: str, other: str) -> None:
    assert swap(one).text == other
    assert swap(other).text == one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("She is my mother.", "He is my father."),
        ("SHE AND HE", "HE AND SHE"),
        ("He's late; she'll wait", "She's late; he'll wait"),
        ("his mother's sister-in-law", "her father's brother-in-law"),
        ('"She," said he (the queen\'s husband)', '"He," said she (the king\'s wife)'),
        ("Mother’s day", "Father’s day"),
        ("women and boys", "men and girls"),
        ("a ballerina dances", "a ballet dancer dances"),
        ("Mrs Brown, the fiancée", "Mr Brown, the fiancé"),
    ],
)
def test_words_are_swapped_in_both_directions(english: Swapper, one: str, other: str) -> None:
    both_ways(english, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I saw her.", "I saw him."),
        ("I saw her, and left", "I saw him, and left"),
        ("They told her that it rains", "They told him that it rains"),
        ("We gave her a book", "We gave him a book"),
        ("Let her go", "Let him go"),
        ("It was for her and us", "It was for him and us"),
        ("her book", "his book"),
        ("Her 3 books", "His 3 books"),
        ('her "friend" and her (old) car', 'his "friend" and his (old) car'),
        ("her own very old car", "his own very old car"),
        ("HER CAR", "HIS CAR"),
        ("a friend of hers", "a friend of his"),
        ("Hers is blue, and mine red", "His is blue, and mine red"),
        ("She did it herself", "He did it himself"),
        ("her mother's well-known book", "his father's well-known book"),
        ("They took her\nhome", "They took his\nhome"),  # a rule has its limits: "home" is a noun too
    ],
)
def test_her_is_his_where_a_noun_may_follow_and_him_elsewhere(english: Swapper, one: str, other: str) -> None:
    both_ways(english, one, other)


def test_without_the_rule_of_a_list_there_is_none(swapper: Swappers) -> None:
    """English is in the lists: pairs of one's own are swapped anywhere."""
    assert swapper(("her", "him"))("her book").text == "him book"


def test_a_pair_with_not_before_needs_a_word_behind_it() -> None:
    swap = Swapper(
        [
            PairList("before", (("sua", "suo"),), ("f", "m"), not_before=("E",)),
            PairList("any", (("sua", "lui"),), ("f", "m")),
        ]
    )
    assert swap("Sua casa, sua e sua").text == "Suo casa, lui e lui"


@pytest.mark.parametrize(
    "text",
    [
        "the sheriff helped there, history, theme",  # a word is whole
        "he_she she2",
        "",
        "✓ ☂ — …",
        "HÉ he\u0301 she\u0308",  # marks belong to the letter before them
        "Miss the train by 5 ms",
    ],
)
def test_what_is_no_word_of_a_pair_stays(english: Swapper, text: str) -> None:
    done = english(text)
    assert (done.text, done.words) == (text, 0)


def test_the_first_pair_that_holds_a_word_is_its_own(english: Swapper) -> None:
    """chick-dude stands before gal-guy, and that before gal-dude."""
    assert english("dude, guy, gal, chick").text == "chick, gal, guy, dude"
    assert english("bride, groom, bridegroom").text == "bridegroom, bride, bride"


def test_a_word_in_several_lists_is_that_of_the_first(swapper: Swappers) -> None:
    assert swapper(("b", "a"), ("c", "a"), ("a", "d"))("a b c d").text == "b a a a"


@pytest.mark.parametrize(
    ("found", "expected"),
    [("he", "she"), ("He", "She"), ("HE", "SHE"), ("hE", "she"), ("HeE", "HeE")],
)
def test_case_is_kept(swapper: Swappers, found: str, expected: str) -> None:
    assert swapper(("she", "he"))(found).text == expected


def test_words_are_written_as_their_list_writes_them(swapper: Swappers) -> None:
    """A German noun has a capital, and a word of one letter is no word in capitals."""
    swap = swapper(("Ärztin", "Arzt"), ("McAnna", "McPaul"), ("straße", "weg"), ("a", "omega"))
    assert swap("Ärztin ÄRZTIN ärztin McPaul MCPAUL mcpaul").text == "Arzt ARZT arzt McAnna MCANNA mcanna"
    assert swap("STRASSE A a").text == "WEG Omega omega"


def test_names_are_taken_as_they_are_written(swapper: Swappers) -> None:
    swap = swapper(("she", "he"), names=(("Rose", "Will"), ("Mary Ann", "John")))
    assert swap("Will will give Rose a rose; WILL HE?").text == "Rose will give Will a rose; ROSE SHE?"
    assert swap("Mary Ann and Mary  Ann, Mary, JOHN's").text == "John and John, Mary, MARY ANN's"


def test_the_longest_phrase_is_swapped_before_its_parts(swapper: Swappers) -> None:
    """A pair of the same word twice keeps it, and so protects a phrase."""
    swap = swapper(
        ("mistress", "master"), ("master's degree", "master's degree"), ("ballerina", "ballet_dancer")
    )
    done = swap("The master has a Master’s degree; ballet  dancer, ballet.")
    assert done.text == "The mistress has a Master’s degree; ballerina, ballet."
    assert done.words == 2


def test_unicode_of_either_form_is_the_same_word(swapper: Swappers) -> None:
    swap = swapper(("fiancée", "fiancé"), ("бабушка", "дедушка"), ("नर्तकी", "नर्तक"))
    assert swap(unicodedata.normalize("NFD", "Fiancé")).text == "Fiancée"
    both_ways(swap, "БАБУШКА, नर्तकी", "ДЕДУШКА, नर्तक")


def test_a_pair_that_is_no_word_is_refused(swapper: Swappers) -> None:
    with pytest.raises(StimuliError, match="own: '♀' holds no letter"):
        swapper(("♀", "♂"))


def test_words_are_counted(english: Swapper) -> None:
    assert english("She told him that he is her king.").words == 5


def test_every_shipped_pair_comes_back(english: Swapper, catalogue: Catalogue) -> None:
    """Swapped and swapped back, a word is as it was, where it and its partner stand in one pair each."""
    lists = [catalogue.list_(address) for address in ENGLISH_PAIRS]
    pairs = [pair for listed in lists if isinstance(listed, PairList) for pair in listed.pairs]
    held = Counter(word for pair in pairs for word in pair)
    alone = [pair for pair in pairs if held[pair[0]] == held[pair[1]] == 1]
    assert len(alone) > 100
    for one, other in alone:
        both_ways(english, one.replace("_", " "), other.replace("_", " "))


_WORDS = [word.replace("_", " ").lower() for pair in ONCE for word in pair]
TOKEN = st.sampled_from(
    [case(word) for word in _WORDS for case in (str.lower, str.upper, str.capitalize)]
    + ["stone", "theme", "1", "é", "_he_", "sheriff", "zwölf"]
)
BETWEEN = st.sampled_from([" ", ", ", "-", "'", "’", " «", "/", ". ", "\u2028"])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(TOKEN, BETWEEN), max_size=12))
def test_swapping_twice_gives_the_text_back(parts: list[tuple[str, str]]) -> None:
    """Where no word is in two pairs."""
    swap = Swapper([PairList("own", ONCE, ("female", "male"))])
    text = "".join(word + between for word, between in parts)
    once = swap(text)
    assert swap(once.text).text == text
    assert swap(once.text).words == once.words


@settings(deadline=None, max_examples=50)
@given(st.text("shewif quEN'’\u0301İıßſ\n\0\ud83d😀_-9"))
def test_any_text_is_taken(text: str) -> None:
    swap = Swapper([PairList("own", ONCE, ("female", "male"))])
    done = swap(text)
    assert (done.text == text) == (done.words == 0)
