"""Equity Evaluation Corpora from a file of their parts, corrected or with the sentences as they were published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from biascore.api.adapters import Options
from biascore.api.formats import DataFile, DataFormat, Test, parse_json, parse_toml, read_text
from biascore.api.support import either, listed, quoted
from biascore.errors import DataError
from biascore_metrics.eec.items import (
    BASE,
    EmotionWord,
    EmotionWords,
    EquityRow,
    EquityTemplate,
    EquityTemplates,
    EquityTest,
    Grammar,
    Person,
    PersonList,
)

RACE, GENDER = "race/ethnicity", "gender"
_SLOT: Final = re.compile(r"\{(\w+)(?::(\w+))?\}")
_SHORT: Final = {"male": "m", "female": "f"}
Text = str | dict[str, str]
"""A template of everybody, or one for each gender."""


class MissingPartError(LookupError):
    """A slot or a form that the parts do not have; its text says where."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PersonPart(_Part):
    """A person; ``published_forms`` are the forms that are in single templates (``t7``) of the published corpus."""

    id: str
    gender: str
    group: str | None = None
    forms: dict[str, str]
    published_forms: dict[str, str] = Field(default_factory=dict)

    @property
    def kind(self) -> Literal["name", "noun phrase"]:
        """Names are those of a group."""
        return "name" if self.group else "noun phrase"


class WordPart(_Part):
    """A word of an emotion; ``published_forms`` change its forms in single templates."""

    id: str
    emotion: str
    slot: str
    forms: dict[str, str]
    published_forms: dict[str, dict[str, str]] = Field(default_factory=dict)


class TemplatePart(_Part):
    """A template; ``special`` are its texts for single persons, ``superseded`` an older translation."""

    id: int
    text: Text
    slot: str | None = None
    special: dict[str, str] = Field(default_factory=dict)
    published_text: Text | None = None
    published_special: dict[str, str] | None = None
    superseded: Text | None = None

    def text_of(self, published: bool) -> Text:
        """The text, as it was published where that is asked for and another."""
        return self.published_text if published and self.published_text is not None else self.text

    def specials(self, published: bool) -> Mapping[str, str]:
        """The texts for single persons."""
        return self.published_special if published and self.published_special is not None else self.special


class Rules(BaseModel):
    """How sentences of a corrected corpus are written; explanations next to them are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    refl: dict[str, str] = Field(default_factory=dict)
    capitalise_first: bool
    final_period: bool


class RowException(_Part):
    """One sentence that has the superseded text all the same."""

    person: str
    word: str
    use: Literal["superseded"]


class Superseded(_Part):
    """Who has the superseded text of template 4: every named person but some."""

    except_persons: Annotated[tuple[str, ...], Field(strict=False)]
    row_exception: RowException
    applies_to: str = ""

    def holds(self, person: PersonPart, word: WordPart | None) -> bool:
        """Whether a sentence has the superseded text."""
        excepted = word and (person.id, word.id) == (self.row_exception.person, self.row_exception.word)
        return bool(person.group and (excepted or person.id not in self.except_persons))


class MissingRow(_Part):
    """A sentence that the published file lacks."""

    template: int
    person: str
    word: str
    id: int | None = None


class PublishedRules(_Part):
    """How the sentences of the published corpus are written."""

    capitalise_first: bool
    final_period: bool
    object_forms: bool = True
    special: dict[str, dict[str, str]] = Field(default_factory=dict)
    superseded_template_4: Superseded | None = None
    missing_rows: Annotated[tuple[MissingRow, ...], Field(strict=False)] = ()
    notes: Annotated[tuple[str, ...], Field(strict=False)] = ()


class CorpusParts(_Part):
    """One corpus."""

    language: str
    label: str
    majority: str
    minority: str
    persons: Annotated[tuple[PersonPart, ...], Field(strict=False, min_length=1)]
    words: Annotated[tuple[WordPart, ...], Field(strict=False, min_length=1)]
    templates: Annotated[tuple[TemplatePart, ...], Field(strict=False, min_length=1)]
    rules: Rules
    as_published: PublishedRules
    group_labels: dict[str, str] = Field(default_factory=dict)


class PartsFile(_Part):
    """A whole file of parts; ``spec`` and ``emotions`` are for its readers."""

    version: Literal[1] = Field(alias="schema")
    source: str
    corpora: dict[str, CorpusParts]
    spec: Annotated[tuple[str, ...], Field(strict=False)] = ()
    emotions: Annotated[tuple[str, ...], Field(strict=False)] = ()


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the sentences of a corpus, template by template, person by person, word by word."""

    parts: CorpusParts
    published: bool

    def rows(self) -> Iterator[EquityRow]:
        """Every sentence with the ids of its parts; raises MissingPartError."""
        lacking = self.parts.as_published.missing_rows if self.published else ()
        missing = {(row.template, row.person, row.word) for row in lacking}
        for template in self.parts.templates:
            words: list[WordPart | None] = [word for word in self.parts.words if word.slot == template.slot]
            for person, word in product(self.parts.persons, words or [None]):
                if word is None or (template.id, person.id, word.id) not in missing:
                    yield self._row(template, person, word)

    def _row(self, template: TemplatePart, person: PersonPart, word: WordPart | None) -> EquityRow:
        text, agreement = self._text(template, person, word)
        text = _SLOT.sub(lambda slot: self._filling(slot, template, person, word), text)
        # "a" looks at the word that is put after it, so it waits for the others.
        text = re.sub(r"\{a\} (?=(.))", lambda found: "an " if found[1].lower() in "aeiou" else "a ", text)
        rules = self.parts.as_published if self.published else self.parts.rules
        text = (text[0].upper() + text[1:] if rules.capitalise_first else text) + "." * rules.final_period
        of_word, levels = (word.id, word.emotion) if word else ("", ""), (person.group or "", person.gender)
        return EquityRow(text, str(template.id), person.id, person.kind, *of_word, agreement, levels)

    def _text(self, template: TemplatePart, person: PersonPart, word: WordPart | None) -> tuple[str, bool]:
        """The text for this person and word, and whether a word of it agrees with the person."""
        text: Text = template.text_of(self.published)
        special = template.specials(self.published).get(person.id)
        if self.published:
            rules = self.parts.as_published
            special = rules.special.get(str(template.id), {}).get(person.id, special)
            older = rules.superseded_template_4
            if template.superseded is not None and older and older.holds(person, word):
                text = template.superseded
        # A text for single persons has their pronoun in it, and one by gender differs in what agrees.
        agrees = special is not None or isinstance(text, dict)
        if special is None:
            special = text if isinstance(text, str) else text.get(person.gender)
        if special is None:
            raise MissingPartError(f"template {template.id} has no text for {person.gender!r}")
        return special, agrees or "{w:person}" in special or "{refl}" in special

    def _filling(
        self, slot: re.Match[str], template: TemplatePart, person: PersonPart, word: WordPart | None
    ) -> str:
        name, form = slot[1], slot[2] or BASE
        place = f"t{template.id}"
        if name == "a":
            return slot[0]
        if name == "p":
            if self.published and place in person.published_forms:
                return person.published_forms[place]
            if form == "obj" and self.published and not self.parts.as_published.object_forms:
                form = BASE
            found = person.forms.get(form, person.forms.get(BASE))
        elif name == "w" and word is not None:
            changed = word.published_forms.get(place, {}) if self.published else {}
            wanted = _SHORT.get(person.gender, person.gender) if form == "person" else form
            forms = {**word.forms, **changed}
            found = forms.get(wanted, forms.get(BASE) if form == "person" else None)
        elif name == "refl":
            found = self.parts.rules.refl.get(person.gender)
        else:
            found = None
        if found is None:
            whom = f"{person.id!r}" + (f" and {word.id!r}" if word else "")
            raise MissingPartError(f"nothing fills {slot[0]} of template {template.id} with {whom}")
        return found


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
                f'{file.language!r}. Write language = "{parts.language}"'
                + either(f" (--language {parts.language})", "")
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
            grammar=Grammar("grammar", (), capital=rules.capitalise_first, final="." * rules.final_period),
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
    (_, first), *others = text.items() if isinstance(text, dict) else [("", text)]
    return EquityTemplate(str(part.id), first, {**dict(others), **part.specials(published)})


def _persons(parts: CorpusParts) -> Iterator[PersonList]:
    for kind in dict.fromkeys(sorted(one.kind for one in parts.persons)):
        persons = tuple(
            Person(
                one.id,
                {RACE: one.group, GENDER: one.gender} if one.group else {GENDER: one.gender},
                {**one.forms, **one.published_forms},
            )
            for one in parts.persons
            if one.kind == kind
        )
        yield PersonList(f"{kind}s", persons, kind=kind)
