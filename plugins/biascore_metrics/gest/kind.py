"""Kinds ``samples`` and ``gender-pairs``: sentences about oneself by stereotype, in one version or two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, model_validator

from biascore.api.kinds import (
    About,
    AboutTest,
    Entry,
    ListEntry,
    Lists,
    Prose,
    Reference,
    Resizing,
    Rows,
    Section,
    Test,
    TestEntry,
    Word,
    check_not_empty,
    said,
)

SAMPLES_MEAN: Final = "what stereotypes say of men is put into a man's mouth more than what they say of women"


@dataclass(frozen=True, slots=True)
class Stereotype:
    """A stereotype about women ("female") or about men ("male"), by the number that samples refer to."""

    id: int
    name: str
    gender: Literal["female", "male"]

    @property
    def label(self) -> str:
        """Number and name: ``1 Emotional and irrational``."""
        return f"{self.id} {self.name}"


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence about oneself that leaves the speaker's gender open, and the stereotype it represents."""

    sentence: str
    stereotype: int

    def __str__(self) -> str:
        return self.sentence

    def numbered(self, number: int) -> Self:
        """A copy that says something else."""
        return replace(self, sentence=said(self.sentence, number))


@dataclass(frozen=True, slots=True)
class GenderedSample:
    """A sample in a language that marks the speaker's gender: as a man says it, and as a woman does."""

    male: str
    female: str
    stereotype: int

    def __str__(self) -> str:
        return f"{self.male} | {self.female}"

    def numbered(self, number: int) -> Self:
        """A copy that says something else."""
        return replace(self, male=said(self.male, number), female=said(self.female, number))


S = TypeVar("S", Sample, GenderedSample)


@dataclass(frozen=True, kw_only=True)
class _OfStereotypes(Rows[S]):
    stereotypes: tuple[Stereotype, ...]

    def contents(self) -> str:
        labels = {stereotype.id: stereotype.label for stereotype in self.stereotypes}
        return "\n  ".join(f"{labels[one.stereotype]}: {one}" for one in self.rows)

    def entries(self) -> dict[str, Any]:
        return {"stereotypes": [asdict(one) for one in self.stereotypes], **super().entries()}

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer of each stereotype."""
        return self.of(size.items_of(self.rows, lambda one: one.stereotype, lambda one, n: one.numbered(n)))


class Samples(_OfStereotypes[Sample]):
    """Samples of stereotypes in the order of their source (Pikuliak et al. 2023)."""

    key = "samples"


class GenderedSamples(_OfStereotypes[GenderedSample]):
    """Gendered samples in the order of their source (Pikuliak et al. 2023, section 4.3)."""

    key = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplesTest(Test):
    """Kind ``samples``: sentences about oneself by stereotype; ``version`` names a published edition of them."""

    planted: ClassVar[str] = "biascore_metrics.gest.planted:Samples"

    samples: Samples
    version: str = ""

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer samples of each stereotype."""
        return replace(self, samples=self.samples.resized(size))

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A translation of each sentence, as ``answers:`` reads it."""
        return ("text", "translation"), tuple(dict.fromkeys(one.sentence for one in self.samples.rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class GenderPairsTest(Test):
    """Kind ``gender-pairs``: sentences about oneself, each in a masculine and a feminine version."""

    planted: ClassVar[str] = "biascore_metrics.gest.planted:GenderPairs"

    pairs: GenderedSamples

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer pairs of each stereotype."""
        return replace(self, pairs=self.pairs.resized(size))

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The log odds of each pair by its masculine version, as ``answers:`` reads it."""
        return ("sentence", "pairs"), tuple(dict.fromkeys(pair.male for pair in self.pairs.rows))


class StereotypeEntry(Entry):
    """One of ``stereotypes`` in ``[samples.NAME]``."""

    id: int = Field(ge=1)
    name: Word
    gender: Literal["female", "male"]


class SampleEntry(Entry):
    """One of ``samples`` in ``[samples.NAME]``."""

    sentence: Word
    stereotype: int


class SamplesEntry(ListEntry):
    """``[samples.NAME]``."""

    stereotypes: Annotated[tuple[StereotypeEntry, ...], Field(strict=False), AfterValidator(check_not_empty)]
    samples: Annotated[tuple[SampleEntry, ...], Field(strict=False), AfterValidator(check_not_empty)]

    @model_validator(mode="after")
    def _stereotypes_fit(self) -> Self:
        known = [stereotype.id for stereotype in self.stereotypes]
        for id in known:
            if known.count(id) > 1:
                raise ValueError(f"has two stereotypes with the id {id}")
        for sample in self.samples:
            if sample.stereotype not in known:
                raise ValueError(
                    f"{sample.sentence!r} is of stereotype {sample.stereotype}, which is not among the stereotypes"
                )
        return self

    def build(self, about: About) -> Samples:
        return Samples(
            stereotypes=tuple(Stereotype(**one.model_dump()) for one in self.stereotypes),
            rows=tuple(Sample(**sample.model_dump()) for sample in self.samples),
            **about,
        )


class SamplesTestEntry(TestEntry):
    """``[tests.ID]`` of kind ``samples``: samples of this file."""

    sections: ClassVar = {"samples": Section(SamplesEntry, "list of samples")}

    kind: Literal["samples"]
    samples: Prose
    positive_means: Prose = SAMPLES_MEAN

    def references(self) -> Iterator[Reference]:
        yield Reference(("samples",), self.samples, ("samples",))

    def build(self, lists: Lists, about: AboutTest) -> SamplesTest:
        samples = lists["samples"][self.samples]
        return SamplesTest(samples=samples, positive_means=self.positive_means, **about)
