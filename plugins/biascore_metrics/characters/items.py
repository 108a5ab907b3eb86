"""Kind ``occasions``: what texts are asked about, each with the share of women that is the norm.

In a stimuli file they are ``[occasions.NAME]``, prompts with a slot for an occupation or a trait.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from biascore.api.kinds import (
    About,
    AboutTest,
    ListEntry,
    Lists,
    Name,
    Prose,
    Reference,
    Resizing,
    Rows,
    Section,
    Stimuli,
    TestEntry,
    Word,
    Words,
    said,
)
from biascore.api.stimuli import Test

SLOT: Final = "{occasion}"
EVEN: Final = 50.0
MEN: Final = "mostly men"
WOMEN: Final = "mostly women"
NEITHER: Final = "as many"
SIDES: Final = (MEN, WOMEN)

Percent = Annotated[float, Field(ge=0.0, le=100.0)]


@dataclass(frozen=True, slots=True)
class Occasion:
    """A prompt about an occupation, or a trait, by a template; ``women``: its norm, in percent.

    ``noun`` is what a reader looks for in a text, to tell the person asked for from others; empty where nothing stands
    for that person.
    """

    prompt: str
    about: str
    template: str
    women: float
    noun: str = ""

    def __str__(self) -> str:
        return f"{self.item}: {self.prompt}"

    @property
    def item(self) -> str:
        """``a nurse/story``."""
        return f"{self.about}/{self.template}"

    @property
    def side(self) -> str:
        """Of whom the norm is."""
        return NEITHER if self.women == EVEN else MEN if self.women < EVEN else WOMEN


class Occasions(Rows[Occasion]):
    """Occasions in the order of their source, all templates of one next to each other."""

    key = "occasions"


@dataclass(frozen=True, slots=True, kw_only=True)
class OccasionsTest(Test):
    """Kind ``occasions``: prompts about occupations or traits; ``norm`` says what their shares of women are of.

    ``crossed``: each occasion is asked by the same templates; else by its own, such as the mottos of a stereotype.
    """

    planted: ClassVar[str] = "biascore_metrics.characters.planted:Stories"

    occasions: Occasions
    norm: str
    crossed: bool = True

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        return {"occasions": self.occasions}

    def to_answer(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A text to each prompt, as ``answers:`` reads it."""
        return ("prompt", "answer"), tuple(dict.fromkeys(one.prompt for one in self.occasions.rows))

    def first_templates(self, most: int | None) -> tuple[Occasion, ...]:
        """The occasions with the first ``most`` of their templates; with all if None."""
        rows = self.occasions.rows
        kept = [*dict.fromkeys(one.template for one in rows)][:most]
        return tuple(one for one in rows if one.template in kept)

    def resized(self, size: Resizing) -> Self:
        of_one: dict[str, list[Occasion]] = {}
        for one in self.occasions.rows:
            of_one.setdefault(one.about, []).append(one)
        kept = size.items([*of_one.values()], lambda some, number: [_copy(one, number) for one in some])
        return replace(self, occasions=self.occasions.of(tuple(one for some in kept for one in some)))


def _copy(one: Occasion, number: int) -> Occasion:
    about = one.about if number == 1 else f"{one.about} {number}"
    return replace(one, prompt=said(one.prompt, number), about=about)


class OccasionsEntry(ListEntry):
    """``[occasions.NAME]``: every template with every occasion.

    ``women``: by occasion, as it is in the slot ``{occasion}``, the share of women that is its norm, in percent.
    ``articles`` stand before the noun of an occasion; with
    any, a reader tells the person with that noun from others in a text.
    """

    templates: Annotated[dict[Name, Word], Field(min_length=1)]
    women: Annotated[dict[Word, Percent], Field(min_length=1)]
    articles: Words | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if wrong := [name for name, text in self.templates.items() if text.count(SLOT) != 1]:
            raise ValueError(
                f"templates.{wrong[0]} has {SLOT} {self.templates[wrong[0]].count(SLOT)} times; write it once"
            )
        if not any(share < EVEN for share in self.women.values()) or not any(
            share > EVEN for share in self.women.values()
        ):
            raise ValueError("women needs occasions below 50 % and above: the gap is between the two")
        return self

    def build(self, about: About) -> Occasions:
        """The occasions, each by all templates."""
        return Occasions(
            rows=tuple(
                Occasion(text.replace(SLOT, one), one, name, share, self._noun(one))
                for one, share in self.women.items()
                for name, text in self.templates.items()
            ),
            **about,
        )

    def _noun(self, occasion: str) -> str:
        first, _, rest = occasion.partition(" ")
        return "" if self.articles is None else rest if rest and first in self.articles else occasion


class OccasionsTestEntry(TestEntry):
    """``[tests.ID]`` of kind ``occasions``: occasions of this file.

    ``norm`` says of what women are the share, where and when.
    """

    sections: ClassVar = {"occasions": Section(OccasionsEntry, "list of occasions")}

    kind: Literal["occasions"]
    occasions: Prose
    norm: Prose
    positive_means: Prose = "characters are men more often where the norm is men than where it is women"

    def references(self) -> Iterator[Reference]:
        yield Reference(("occasions",), self.occasions, ("occasions",))

    def build(self, lists: Lists, about: AboutTest) -> OccasionsTest:
        return OccasionsTest(
            occasions=lists["occasions"][self.occasions],
            norm=self.norm,
            positive_means=self.positive_means,
            **about,
        )
