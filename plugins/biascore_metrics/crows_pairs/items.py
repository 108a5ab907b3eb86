"""The items of CrowS-Pairs: pairs of sentences that differ in a group, as a kind of test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from biascore.api.kinds import (
    About,
    AboutTest,
    Entry,
    ListEntry,
    Lists,
    Prose,
    Reference,
    Section,
    TestEntry,
    Word,
    check_not_empty,
)
from biascore.designs.pairs.test import SentencePair, SentencePairs, SentencePairsTest


class SentencePairEntry(Entry):
    """One of ``pairs`` in ``[sentence_pairs.NAME]``."""

    sent_more: Word
    sent_less: Word
    stereo_antistereo: Literal["stereo", "antistereo"]
    bias_type: Word
    template: Word | None = None


class SentencePairsEntry(ListEntry):
    """``[sentence_pairs.NAME]``."""

    pairs: Annotated[tuple[SentencePairEntry, ...], Field(strict=False), AfterValidator(check_not_empty)]

    def build(self, about: About) -> SentencePairs:
        return SentencePairs(
            rows=tuple(SentencePair(**pair.model_dump(exclude_none=True)) for pair in self.pairs),
            **about,
        )


class SentencePairsTestEntry(TestEntry):
    """``[tests.ID]`` of kind ``sentence-pairs``: sentence pairs of this file."""

    sections: ClassVar = {
        "sentence_pairs": Section(SentencePairsEntry, "list of sentence pairs"),
    }

    kind: Literal["sentence-pairs"]
    pairs: Prose
    positive_means: Prose = "the more stereotypical sentence is preferred"

    def references(self) -> Iterator[Reference]:
        yield Reference(("pairs",), self.pairs, ("sentence_pairs",))

    def build(self, lists: Lists, about: AboutTest) -> SentencePairsTest:
        pairs = lists["sentence_pairs"][self.pairs]
        return SentencePairsTest(pairs=pairs, positive_means=self.positive_means, **about)
