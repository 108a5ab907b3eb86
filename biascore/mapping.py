"""Grounds of discrimination, and mappings: TOML files that say what a law, a rule or a standard asks, in own words.

A mapping says which of its articles name which ground, and, item by item, what of a run serves it and what no run can show.
"""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Self, TypeAlias

from pydantic import AfterValidator, Field, StrictBool, StringConstraints, ValidationError, model_validator

from biascore.basics.frozen import Frozen, FrozenMap
from biascore.basics.problems import problems_of
from biascore.errors import StimuliError
from biascore.files.reading import read_toml

_ADDRESS: Final = re.compile(r"https?://\S+")


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


Text: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _address(text: str) -> str:
    if not _ADDRESS.fullmatch(text):
        raise ValueError(f"{text!r} is no address, such as https://eur-lex.europa.eu")
    return text


Address: TypeAlias = Annotated[str, AfterValidator(_address)]


class Record(StrEnum):
    """What a run holds in addition to its measurements, as a mapping names it."""

    INTERVALS = "intervals"
    SAMPLE_SIZES = "sample sizes"
    ADJUSTMENT = "adjustment"
    HARMLESS_GROUPS = "harmless groups"
    CONTROLS = "controls"
    GATES = "gates"
    SCENARIOS = "scenarios"
    TEST_DATA = "test data"
    MODEL_DIGESTS = "model digests"
    VERSIONS = "versions"
    LIMITS = "limits"
    RELEASE = "release"
    MITIGATION = "mitigation"


class Offer(Frozen):
    """What of a run serves an item: measurements, or records; ``what`` says it in a few words.

    ``metrics``, ``tests`` and ``concepts`` are globs, of which a measurement has to match one each where they are stated;
    ``estimates`` globs too, of which one of its estimates has to match one.
    """

    what: Text
    metrics: tuple[Text, ...] = ()
    tests: tuple[Text, ...] = ()
    concepts: tuple[Text, ...] = ()
    estimates: tuple[Text, ...] = ()
    records: tuple[Record, ...] = ()

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if bool(self.metrics or self.tests or self.concepts or self.estimates) == bool(self.records):
            raise ValueError(
                "names measurements (metrics, tests, concepts or estimates) or records, one of the two"
            )
        return self


class Item(Frozen):
    """An item of a text: its id there, what it says in own words, and what a run offers to it, and cannot.

    ``source`` is where it can be read, ``date`` that of the text or the day on which it was read. ``confirmed``: whether id
    and words were compared with the text or with an official page on it.
    """

    id: Text
    says: Text
    source: Address
    date: date
    confirmed: StrictBool
    offers: tuple[Offer, ...]
    cannot: Text


class Mapping(Frozen):
    """What a text says: ``version`` is that of the text, ``source`` where it is published.

    ``grounds``: which of its articles name which ground. ``sha256`` is of the file, filled in when it is read.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    title: str = Field(min_length=1)
    version: str = Field(min_length=1)
    source: str = Field(min_length=1)
    grounds: FrozenMap[tuple[str, ...]] = Field(default_factory=dict)
    items: tuple[Item, ...] = ()
    sha256: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.grounds or self.items):
            raise ValueError("has neither [grounds] nor [[items]]. State one of them")
        ids = [item.id for item in self.items]
        twice = sorted({one for one in ids if ids.count(one) > 1})
        if twice:
            raise ValueError(f"states the item {twice[0]!r} twice. State each once")
        return self

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a mapping; raises StimuliError naming file and key, also for a ground that there is not."""
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
