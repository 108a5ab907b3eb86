"""Grounds of discrimination, and mappings from them to the articles of a regulation: TOML files that plugins bring."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Final, Self

from pydantic import Field, ValidationError

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.problems import problems_of
from biascore.errors import StimuliError
from biascore.files.reading import read_toml


class Ground(StrEnum):
    """The grounds of discrimination that laws name, as mappings and scenarios write them.

    First those of Article 21 of the EU Charter, with gender identity; then what US federal and New York City law add.
    """

    SEX = "sex"
    GENDER_IDENTITY = "gender identity"
    RACE = "race"
    COLOUR = "colour"
    ETHNIC_ORIGIN = "ethnic origin"
    SOCIAL_ORIGIN = "social origin"
    GENETIC_FEATURES = "genetic features"
    LANGUAGE = "language"
    RELIGION_OR_BELIEF = "religion or belief"
    OPINION = "political or other opinion"
    NATIONAL_MINORITY = "national minority"
    PROPERTY = "property"
    BIRTH = "birth"
    DISABILITY = "disability"
    AGE = "age"
    SEXUAL_ORIENTATION = "sexual orientation"
    NATIONALITY = "nationality"
    NATIONAL_ORIGIN = "national origin"
    PREGNANCY = "pregnancy"
    MARITAL_STATUS = "marital or partnership status"
    CAREGIVER_STATUS = "caregiver status"
    REPRODUCTIVE_HEALTH = "sexual and reproductive health decisions"
    UNIFORMED_SERVICE = "uniformed service"
    HEIGHT = "height"
    WEIGHT = "weight"
    CRIMINAL_RECORD = "arrest or conviction record"
    UNEMPLOYMENT = "unemployment"
    CREDIT_HISTORY = "credit history"
    VIOLENCE_VICTIM = "victim of domestic or sexual violence"


_OF_CONCEPTS: Final[dict[str, tuple[Ground, ...]]] = {
    **{ground.value: (ground,) for ground in Ground},
    "gender": (Ground.SEX,),
    "transgender": (Ground.GENDER_IDENTITY,),
    "color": (Ground.COLOUR,),
    "skin tone": (Ground.COLOUR,),
    "ethnicity": (Ground.ETHNIC_ORIGIN, Ground.NATIONAL_ORIGIN),
    "nationality": (Ground.NATIONALITY, Ground.NATIONAL_ORIGIN),
    "religion": (Ground.RELIGION_OR_BELIEF,),
    # Tests of class compare rich and poor people, or working and upper class: fortune and social standing.
    "class": (Ground.SOCIAL_ORIGIN, Ground.PROPERTY),
    **dict.fromkeys(
        ("ses", "socioeconomic", "socioeconomic status", "socio-economic status"),
        (Ground.SOCIAL_ORIGIN, Ground.PROPERTY),
    ),
    "disability status": (Ground.DISABILITY,),
    "sexuality": (Ground.SEXUAL_ORIENTATION, Ground.GENDER_IDENTITY),
    "parenthood": (Ground.CAREGIVER_STATUS,),
    "body": (Ground.WEIGHT,),
}
"""Which grounds a test is about that names this concept, in small letters; a concept that is not here names none."""
_SEVERAL: Final = re.compile(r"\s+(?:and|x|by)\s+|\s*[,;/×]\s*")


def grounds_of(concept: str) -> tuple[Ground, ...]:
    """The grounds that the concept of a test names: ``gender and race`` names two, ``social bias`` none.

    What is mixed in a test under one name, such as the categories of CrowS-Pairs, is not tested ground by ground.
    """
    whole = concept.casefold().replace("_", " ").strip()
    parts = [whole] if whole in _OF_CONCEPTS else _SEVERAL.split(whole)
    return tuple(dict.fromkeys(ground for part in parts for ground in _OF_CONCEPTS.get(part, ())))


class Mapping(Frozen):
    """Which articles of a text name which ground; ``version`` is that of the text, ``source`` where it is published.

    ``sha256`` is of the file, filled in when it is read.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    title: str = Field(min_length=1)
    version: str = Field(min_length=1)
    source: str = Field(min_length=1)
    grounds: FrozenMap[tuple[str, ...]]
    sha256: str = ""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a mapping; raises StimuliError naming file and key, also for a ground that is none."""
        toml = read_toml(path, str(path), StimuliError)
        try:
            found = cls.model_validate({**toml.document, "sha256": toml.sha256})
        except ValidationError as error:
            raise StimuliError(
                f"{path}: " + "; ".join(one.text for one in problems_of(error, cls))
            ) from error
        known = {ground.value for ground in Ground}
        unknown = [name for name in found.grounds if name not in known]
        if unknown:
            raise StimuliError(f"{path}: {unknown[0]!r} is no ground. Grounds are: {', '.join(Ground)}")
        return found
