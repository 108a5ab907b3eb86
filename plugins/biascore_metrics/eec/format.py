"""Equity Evaluation Corpora from a file of their parts, corrected or with the sentences as they were published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import StringConstraints, ValidationError

from biascore.api.adapters import Options
from biascore.api.formats import DataFile, DataFormat, Test, parse_json, parse_toml, read_text
from biascore.api.support import listed, quoted
from biascore.errors import DataError
from biascore_metrics.eec.parts import CorpusParts, PartsFile, TemplatePart
from biascore_metrics.eec.parts_of_sentences import (
    EmotionWord,
    EmotionWords,
    EquityTemplate,
    EquityTemplates,
    Grammar,
    Person,
    PersonList,
)
from biascore_metrics.eec.sentences import EquityTest
from biascore_metrics.eec.writing import MissingPartError, Writer

RACE, GENDER = "race/ethnicity", "gender"


class EecPartsOptions(Options):
    """``corpus``: which one of the file. ``mode``: "corrected", or "as_published" with the defects of the published one."""

    corpus: Annotated[str, StringConstraints(min_length=1)]
    mode: Literal["corrected", "as_published"] = "corrected"


class EecPartsFormat(DataFormat[EecPartsOptions]):
    """Parts of Equity Evaluation Corpora: templates, persons, words, and what the published corpora have otherwise."""

    id: ClassVar[str] = "eec-parts"
    summary: ClassVar[str] = "parts of Equity Evaluation Corpora, corrected or as published (JSON, TOML)"
    example: ClassVar[str] = "eec-parts:components.json"

    def read(self, file: DataFile) -> Test:
        """Put the sentences of the corpus together; raises DataError as `DataFormat.read` says."""
        whole = _read(file)
        name, published = self.options.corpus, self.options.mode == "as_published"
        if name not in whole.corpora:
            raise DataError(
                f"{file.display} has no corpus {quoted(name)}. It has {listed(list(whole.corpora))}: "
                "name one of those with the option corpus"
            )
        parts = whole.corpora[name]
        if parts.language != file.language:
            raise DataError(
                f"{file.display}: the corpus {name!r} is in {parts.language!r}, and the data are said to be in "
                f'{file.language!r}. Write language = "{parts.language}" (--language {parts.language})'
            )
        groups = {person.group for person in parts.persons if person.group}
        strange = sorted(groups - {parts.majority, parts.minority})
        if strange:
            raise DataError(
                f"{file.display}, corpora.{name}.persons: the group {quoted(strange[0])} is neither majority "
                f"({quoted(parts.majority)}) nor minority ({quoted(parts.minority)}). Correct the file"
            )
        try:
            rows = tuple(Writer(parts, published).rows())
        except MissingPartError as error:
            raise DataError(f"{file.display}, corpora.{name}: {error}. Correct the file") from error
        rules = parts.as_published if published else parts.rules
        notes = (
            f"Mode {self.options.mode}: {len(rows):,} sentences.",
            *parts.as_published.notes * published,
        )
        return EquityTest(
            **file.stated,
            kind="equity",
            title=f"{parts.label}, {self.options.mode.replace('_', ' ')}",
            concept=f"{RACE} and {GENDER}",
            notes=notes,
            factors={RACE: (parts.majority, parts.minority), GENDER: ("male", "female")},
            templates=EquityTemplates(
                "templates", tuple(_template(one, published) for one in parts.templates)
            ),
            persons=tuple(_persons(parts)),
            words=EmotionWords(
                "words", tuple(EmotionWord(w.id, w.emotion, w.slot, w.forms) for w in parts.words)
            ),
            grammar=Grammar("grammar", rules.capitalise_first, "." * rules.final_period),
            given=rows,
        )


def _read(file: DataFile) -> PartsFile:
    text = read_text(file.path, file.display)
    try:
        document = (parse_toml if file.path.suffix == ".toml" else parse_json)(text)
    except ValueError as error:
        raise DataError(f"{file.display} is no valid JSON or TOML: {error}. Correct the file") from error
    try:
        return PartsFile.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        more = f" ({error.error_count() - 1:,} more problems)" if error.error_count() > 1 else ""
        raise DataError(
            f"{file.display}, {where}: {first['msg'].lower()}{more}. A file of parts has the keys schema, source "
            "and corpora; docs/stimuli.md says more"
        ) from error


def _template(part: TemplatePart, published: bool) -> EquityTemplate:
    text = part.text_of(published)
    if isinstance(text, str):
        return EquityTemplate(str(part.id), text, part.specials(published))
    first, *others = text
    variants = {gender: text[gender] for gender in others}
    return EquityTemplate(str(part.id), text[first], {**variants, **part.specials(published)})


def _persons(parts: CorpusParts) -> Iterator[PersonList]:
    for kind in ("name", "noun phrase"):
        persons = tuple(
            Person(
                one.id,
                {RACE: one.group, GENDER: one.gender} if one.group else {GENDER: one.gender},
                {**one.forms, **one.published_forms},
            )
            for one in parts.persons
            if (kind == "name") == bool(one.group)
        )
        if persons:
            yield PersonList(f"{kind}s", "name" if kind == "name" else "noun phrase", persons)
