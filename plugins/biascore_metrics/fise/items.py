"""Kind ``fise``: target words placed by two or more dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from biascore.api.kinds import AboutTest, Entry, Lists, Name, Prose, Reference, Resizing, Stimuli, TestEntry
from biascore.api.stimuli import PairList, Test, WordList


@dataclass(frozen=True, slots=True)
class Dimension:
    """Two word lists that span an axis: a positive value lies on the side of ``A``."""

    name: str
    A: WordList
    B: WordList


def roles_of(dimensions: Iterable[Dimension]) -> dict[str, WordList]:
    """Their lists by role, as ``gender.A``."""
    return {f"{one.name}.{side}": words for one in dimensions for side, words in (("A", one.A), ("B", one.B))}


@dataclass(frozen=True, slots=True, kw_only=True)
class FiseTest(Test):
    """Kind ``fise``: target words placed by two or more dimensions, and the affects measured of them.

    ``targets`` with forms are pairs ("cuoco", "cuoca"). ``A`` of an affect is its positive pole. The roles are
    the lists of dimensions and affects, as ``gender.A``.
    """

    planted: ClassVar[str] = "biascore_metrics.fise.planted:Dimensions"

    targets: WordList | PairList
    dimensions: tuple[Dimension, ...]
    affect: tuple[Dimension, ...] = ()

    def __post_init__(self) -> None:
        roles = roles_of((*self.dimensions, *self.affect))
        object.__setattr__(self, "roles", MappingProxyType(roles))

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        return {"targets": self.targets, **self.roles}

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer words in every list."""

        def sides(some: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
            return tuple(replace(one, A=size.words(one.A), B=size.words(one.B)) for one in some)

        targets = self.targets
        return replace(
            self,
            targets=size.pairs(targets) if isinstance(targets, PairList) else size.words(targets),
            dimensions=sides(self.dimensions),
            affect=sides(self.affect),
        )


class DimensionEntry(Entry):
    """``[[tests.ID.dimensions]]`` and ``[[tests.ID.affect]]``: a name and two lists of this file."""

    name: Name
    A: Prose
    B: Prose


Dimensions = Annotated[tuple[DimensionEntry, ...], Field(strict=False)]


class FiseEntry(TestEntry):
    """``[tests.ID]`` of kind ``fise``: targets (words or pairs of forms), dimensions and affects."""

    kind: Literal["fise"]
    targets: Prose
    dimensions: Dimensions
    affect: Dimensions = ()

    @model_validator(mode="after")
    def _dimensions_differ(self) -> Self:
        if len(self.dimensions) < 2:
            raise ValueError("has fewer than two dimensions; one dimension alone is what sc-weat measures")
        names = [dimension.name.casefold() for dimension in (*self.dimensions, *self.affect)]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"has two dimensions or affects called {name!r}")
        return self

    def references(self) -> Iterator[Reference]:
        yield Reference(("targets",), self.targets, ("lists", "pairs"))
        for key, dimensions in (("dimensions", self.dimensions), ("affect", self.affect)):
            for position, dimension in enumerate(dimensions):
                yield Reference((key, position, "A"), dimension.A)
                yield Reference((key, position, "B"), dimension.B)

    def build(self, lists: Lists, about: AboutTest) -> FiseTest:
        words = lists["lists"]
        dimensions, affect = (
            tuple(Dimension(d.name, words[d.A], words[d.B]) for d in entries)
            for entries in (self.dimensions, self.affect)
        )
        targets = words.get(self.targets) or lists["pairs"][self.targets]
        return FiseTest(targets=targets, dimensions=dimensions, affect=affect, **about)
