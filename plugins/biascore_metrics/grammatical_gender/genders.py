"""Masculine and feminine nouns from the stimuli, those that no direction was learnt from where the test says which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from biascore.api.stimuli import Catalogue, Test
from biascore.errors import OptionsError
from biascore_metrics.grammatical_gender.kind import GenderedNounsTest, NounClass

MASCULINE: Final = "masculine"
FEMININE: Final = "feminine"


@dataclass(frozen=True, slots=True)
class Genders:
    """Nouns by role, a role for each gender; ``stated`` says which they are.

    ``name``: "held-out nouns", or "all nouns" where it is not said which are held out.
    """

    name: str
    lists: Mapping[str, tuple[str, ...]]
    stated: str

    @property
    def roles(self) -> tuple[str, str]:
        """The roles of the masculine and of the feminine nouns."""
        masculine, feminine = list(self.lists)[:2]
        return masculine, feminine


def two_genders(test: GenderedNounsTest, metric: str) -> tuple[NounClass, NounClass]:
    """The masculine and the feminine nouns; raises OptionsError where one of the classes is missing."""
    classes = {one.name: one for one in test.classes}
    missing = [name for name in (MASCULINE, FEMININE) if name not in classes or not classes[name].words]
    if missing:
        raise OptionsError(
            f"{metric} needs masculine and feminine nouns, and {test.id} ({test.file}) has no class "
            f"{' and no class '.join(map(repr, missing))}; its classes are {', '.join(classes)}. Choose another test of "
            "this kind: biascore list tests --metric sc-gg-weat"
        )
    return classes[MASCULINE], classes[FEMININE]


def genders_of(id: str, catalogue: Catalogue, metric: str) -> Genders:
    """The held-out nouns of a test by its id; all of its nouns, where it does not say which are.

    Raises UnknownNameError, and OptionsError for a test of another kind or of one gender only.
    """
    test = catalogue.test(id)
    if not isinstance(test, GenderedNounsTest):
        raise OptionsError(
            f"{metric}: nouns={id} names a test of kind {test.kind!r}, and nouns by gender are of kind 'nouns'. See "
            "those that there are: biascore list tests --metric sc-gg-weat"
        )
    both = two_genders(test, metric)
    if test.is_split:
        held_out = {f"{one.name} nouns": one.test for one in both}
        return Genders("held-out nouns", held_out, f"the part {id} holds out")
    return Genders(
        "all nouns",
        {f"{one.name} nouns": one.words for one in both},
        f"all of {id}, which says of none that it is held out",
    )


def attributes_of(option: str | None, test: Test, catalogue: Catalogue, metric: str) -> Test:
    """The test of kind ``weat`` whose A are words for men and B for women: the option's, or ``LANGUAGE/gg-weat``.

    Raises UnknownNameError for an option that names none, OptionsError for one of another kind or where there is none.
    """
    if option is None:
        usual = f"{test.language}/gg-weat"
        if usual not in {one.id for one in catalogue.tests}:
            raise OptionsError(
                f"{metric} needs words for men and women, and there is no {usual} to take them from. Name a test of kind "
                f"weat whose A are words for men and B for women: -o attributes={test.language}/GenS (biascore list tests "
                "--metric weat)"
            )
        option = usual
    found = catalogue.test(option)
    if found.kind != "weat":
        raise OptionsError(
            f"{metric}: attributes={option} is of kind {found.kind!r}, and words for men and women are the A and B of a "
            "test of kind weat. See those: biascore list tests --metric weat"
        )
    return found
