"""The items of Winogender: sentences with an occupation, another person and a pronoun that means one of them; its files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from biascore.api.formats import ClusterOptions, DataFile, DataFormat, Table, Test, read_table
from biascore.api.kinds import Rows
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.coreference.files import ReadWith, next_to

FORMS: Final = {
    "$NOM_PRONOUN": {"male": "he", "female": "she", "neutral": "they"},
    "$POSS_PRONOUN": {"male": "his", "female": "her", "neutral": "their"},
    "$ACC_PRONOUN": {"male": "him", "female": "her", "neutral": "them"},
}
"""The pronouns of a template, by gender."""
Gender = Literal["male", "female", "neutral"]
GENDERS: Final[tuple[Gender, ...]] = ("male", "female", "neutral")


@dataclass(frozen=True, slots=True)
class Schema:
    """A template with an occupation and a participant ("someone", too): its sentence with a pronoun of each gender.

    ``occupation_is_right``: whether the pronoun means the occupation; else it means the participant. ``women``: the
    percentage of women in the occupation. ``sentences`` and ``pronouns`` are in the order of ``GENDERS``. ``sector``: of
    the occupation, whose occupations are alike; empty where none is named.
    """

    occupation: str
    participant: str
    occupation_is_right: bool
    women: float
    sentences: tuple[str, str, str]
    pronouns: tuple[str, str, str]
    sector: str = ""

    def __str__(self) -> str:
        return " | ".join(self.sentences)

    @property
    def item(self) -> str:
        """What the published sentences are called, but for the gender: ``technician.customer.1``."""
        return f"{self.occupation}.{self.participant}.{int(not self.occupation_is_right)}"

    def gotcha(self, gender: Gender) -> bool:
        """Whether the majority of the occupation misleads: "she" means an occupation of men, or not one of women.

        Rudinger et al. 2018, Table 3; 50 % are a majority of women.
        """
        if gender == "neutral":
            return False
        as_expected = (self.women >= 50) == (gender == "female")
        return as_expected != self.occupation_is_right


class Schemas(Rows[Schema]):
    """Schemas in the order of their file."""

    key = "samples"


@dataclass(frozen=True, slots=True, kw_only=True)
class WinogenderTest(Test):
    """Kind ``winogender``; ``read_with`` are the files next to the one that it names."""

    planted: ClassVar[str] = "biascore_metrics.coreference.planted:Winogender"

    samples: Schemas
    read_with: tuple[ReadWith, ...] = ()


COLUMNS: Final = ("occupation(0)", "other-participant(1)", "answer", "sentence")
STATISTICS: Final = "occupations-stats.tsv"
CLUSTER: Final = "cluster"
"""Optional in the statistics: the sector of an occupation, whose occupations are alike."""
OCCUPATION, PARTICIPANT, SOMEONE = "$OCCUPATION", "$PARTICIPANT", "someone"
_WITH_ARTICLE: Final = re.compile(r"\b(the|an?) \$PARTICIPANT", re.IGNORECASE)
REMEDY: Final = "Give templates.tsv and occupations-stats.tsv as they were published"


class WinogenderFormatOptions(ClusterOptions):
    """``cluster``: the column of the statistics that has the sector of an occupation.

    ``women``: the one that has the percentage of women in it.
    """

    women: Literal["bls_pct_female", "bergsma_pct_female"] = "bls_pct_female"


class WinogenderFormat(DataFormat[WinogenderFormatOptions]):
    """``templates.tsv`` of Winogender, with ``occupations-stats.tsv`` next to it."""

    id: ClassVar[str] = "winogender"
    summary: ClassVar[str] = "the folder of Winogender: templates.tsv and occupations-stats.tsv"
    example: ClassVar[str] = "winogender:winogender-schemas/data"
    in_folder: ClassVar[tuple[str, ...]] = ("templates.tsv", "templates.tsv.gz")

    def read(self, file: DataFile) -> Test:
        """Make the sentences of all templates; raises DataError as `DataFormat.read` says."""
        file.check_english("Winogender")
        table = self._table(file, COLUMNS)
        statistics = next_to(file, STATISTICS)
        women, sectors = self._women(statistics)
        _check(table)
        unknown = sorted({row.fields[COLUMNS[0]] for row in table.rows} - women.keys())
        if unknown:
            raise DataError(
                f"{statistics.display} has no share of women for {listed(unknown)} of {file.display}. Add them, or delete "
                "their templates"
            )
        schemas = tuple(
            schema
            for row in table.rows
            for schema in _schemas(
                *(row.fields[name] for name in COLUMNS),
                women=women[row.fields[COLUMNS[0]]],
                sector=sectors[row.fields[COLUMNS[0]]],
            )
        )
        note = (
            f"{len(schemas)} schemas of {len({one.occupation for one in schemas})} occupations, "
            f"{len(schemas) * len(GENDERS)} sentences; share of women: {self.options.women}."
        )
        return WinogenderTest(
            **file.stated,
            kind="winogender",
            title="Winogender schemas",
            concept="gender",
            positive_means="she is understood as the occupation the more, compared with he, the more women work in it",
            notes=(note,),
            samples=Schemas("samples", schemas, source=file.display, notes=(note,)),
            read_with=(ReadWith(statistics.display, statistics.sha256),),
        )

    def _table(self, file: DataFile, columns: tuple[str, ...], others: tuple[str, ...] = ()) -> Table:
        table = read_table(
            file.path,
            file.display,
            columns,
            others,
            encoding=self.options.encoding,
            delimiter="tab",
            quotes=False,
            remedy=REMEDY,
        )
        table.check_filled(*columns)
        return table

    def _women(self, file: DataFile) -> tuple[dict[str, float], dict[str, str]]:
        """The percentage of women and the sector by occupation."""
        column = self.options.women
        own, sector = self.options.cluster, self.options.cluster or CLUSTER
        needed = ("occupation", column, *filter(None, [own]))
        table = self._table(file, needed, (sector,)).with_numbers(column)
        found: dict[str, float] = {}
        sectors: dict[str, str] = {}
        for row in table.rows:
            occupation, text = row.fields["occupation"], row.fields[column].strip()
            if occupation in found:
                raise DataError(
                    f"{file.display} has {quoted(occupation)} again on {table.places([row])}. Delete one of the rows"
                )
            try:
                share = float(text)
            except ValueError:
                share = -1.0
            if not 0 <= share <= 100:
                raise DataError(
                    f"{file.display}: {column} is {quoted(text)} on {table.places([row])}, which is no percentage. Write a "
                    "number from 0 to 100"
                )
            found[occupation] = share
            sectors[occupation] = row.fields.get(sector, "").strip()
        if any(sectors.values()) and not all(sectors.values()):
            without = listed([name for name, sector in sectors.items() if not sector])
            raise DataError(
                f"{file.display} has no {sector} for {without}, and has one for others. Name the sector of each "
                "occupation, or delete the column"
            )
        return found, sectors


def _check(table: Table) -> None:
    """Raise DataError for a template that is no such, or is there twice."""
    seen: Counter[tuple[str, ...]] = Counter()
    for row in table.rows:
        key = tuple(row.fields[name] for name in COLUMNS[:3])
        sentence = row.fields[COLUMNS[3]]
        seen[key] += 1
        pronouns = sum(sentence.count(form) for form in FORMS)
        problem = ""
        if row.fields["answer"] not in ("0", "1"):
            problem = (
                f"answer is {quoted(row.fields['answer'])}, and 0 (occupation) or 1 (participant) is meant"
            )
        elif sentence.count(OCCUPATION) != 1 or sentence.count(PARTICIPANT) != 1:
            problem = f"the sentence has not {OCCUPATION} and {PARTICIPANT} once each"
        elif pronouns != 1:
            problem = f"the sentence has {pronouns} of {', '.join(FORMS)}, and needs one"
        elif seen[key] > 1:
            problem = f"{' '.join(key)} is there again"
        if problem:
            raise DataError(f"{table.display}, {table.places([row])}: {problem}. Correct the file")


def _schemas(
    occupation: str, participant: str, answer: str, sentence: str, *, women: float, sector: str
) -> Iterator[Schema]:
    """The schema with its participant, and with someone."""
    (form,) = (one for one in FORMS if one in sentence)
    for person in (participant, SOMEONE):
        texts = [_sentence(sentence, occupation, person, form, FORMS[form][gender]) for gender in GENDERS]
        forms = FORMS[form]
        yield Schema(
            occupation,
            person,
            answer == "0",
            women,
            (texts[0], texts[1], texts[2]),
            (forms["male"], forms["female"], forms["neutral"]),
            sector,
        )


def _sentence(template: str, occupation: str, person: str, form: str, pronoun: str) -> str:
    if person == SOMEONE:
        template = _WITH_ARTICLE.sub(
            lambda match: SOMEONE.capitalize() if match[1][0].isupper() else SOMEONE, template
        )
    at = template.index(form)
    start = not template[:at].strip() or template[:at].rstrip().endswith((".", "!", "?"))
    text = template.replace(form, pronoun.capitalize() if start else pronoun)
    if pronoun == "they":
        text = re.sub(r"\b([Tt])hey was\b", r"\1hey were", text)
    return text.replace(OCCUPATION, occupation).replace(PARTICIPANT, person)
