"""What stands with an answer in a few words, for each caution that is there and for none that is not."""

from __future__ import annotations

from biascore.results.coverage import Coverage, LostWord
from biascore_metrics.doubts import doubts_of
from biascore_metrics.eec.cautions import doubts_of as of_names

WHOLE = Coverage(given={"X": 8, "Y": 8}, used={"X": 8, "Y": 8})


def test_a_doubt_for_each_caution() -> None:
    assert doubts_of(WHOLE) == ()
    assert doubts_of(WHOLE, near=["X: a = b"], frequency=["X and Y differ"], lengths=["words of X"]) == (
        "the lists also differ in word frequency",
        "the target words also differ in length",
        "words of a list nearly repeat each other",
    )


def test_lost_words_count_from_the_share_from_which_there_is_a_caution() -> None:
    lost = tuple(LostWord(word=f"w{i}", role="Y", reason="out of vocabulary") for i in range(2))
    some = Coverage(given={"X": 8, "Y": 8}, used={"X": 8, "Y": 6}, lost=lost)
    assert doubts_of(some) == ("a list lost 2 of its 8 words",)
    assert doubts_of(some.model_copy(update={"lost": lost[:1]})) == ()


def test_names_that_are_not_told_apart() -> None:
    assert of_names(["anger: the model does not tell all names apart; different ones are 1 of 9 in men"]) == (
        "the model does not tell half of the names apart",
    )
    assert of_names([]) == ()
