"""What a stimuli file may hold of the kind ``equity``: persons, words of emotions, templates with slots, grammars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from biascore.api.kinds import (
    About,
    AboutTest,
    Entry,
    ListEntry,
    Lists,
    Name,
    Prose,
    Reference,
    Section,
    TestEntry,
    Word,
    Words,
    check_characters,
    check_fit,
    check_not_empty,
)
from biascore_metrics.eec.checks import equity_problems
from biascore_metrics.eec.items import (
    BASE,
    COLUMNS,
    EmotionWord,
    EmotionWords,
    EquityTemplate,
    EquityTemplates,
    EquityTest,
    Grammar,
    GrammarRule,
    Person,
    PersonList,
)

TEXT = "text"
_ID, _VARIANT = "id", "variant"


def _alone(key: str) -> BeforeValidator:
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, str) else value,
        json_schema_input_type=Word | dict[Name, Word],
    )


# "Ebony" is short for { base = "Ebony" }, and a text alone for { text = "…" }.
Forms = Annotated[dict[Name, Word], Field(min_length=1), _alone(BASE)]
Texts = Annotated[dict[Name, Word], _alone(TEXT)]
FormList = Annotated[tuple[Forms, ...], Field(strict=False), AfterValidator(check_not_empty)]
FormNames = Annotated[tuple[Name, ...], Field(strict=False)]


def _forms(entry: dict[str, str], unchanged: tuple[str, ...]) -> dict[str, str]:
    """The forms of an entry; one that has but its base is the same in those that are ``unchanged``."""
    forms = {name: text for name, text in entry.items() if name not in (_ID, _VARIANT)}
    return {**dict.fromkeys(unchanged, forms[BASE]), **forms} if list(forms) == [BASE] else forms


class CellEntry(Entry):
    """``[[persons.NAME.cells]]``: persons with the same levels."""

    levels: dict[Word, Word] = Field(min_length=1)
    persons: FormList


class PersonsEntry(ListEntry):
    """``[persons.NAME]``."""

    kind: Literal["name", "noun phrase"]
    cells: Annotated[tuple[CellEntry, ...], Field(strict=False), AfterValidator(check_not_empty)]
    unchanged: FormNames = ()

    @model_validator(mode="after")
    def _cells_fit(self) -> Self:
        factors = list(self.cells[0].levels)
        for position, cell in enumerate(self.cells):
            if set(cell.levels) != set(factors):
                raise ValueError(
                    f"cells[{position}] has levels of {', '.join(cell.levels)}, and cells[0] of {', '.join(factors)}. "
                    "Give all cells of a list levels of the same factors"
                )
            for person in cell.persons:
                if BASE not in person:
                    raise ValueError(f"cells[{position}] has a person without base: {person}")
        return self

    def build(self, about: About) -> PersonList:
        """Every person, in the order of the cells."""
        persons = tuple(
            Person(
                person.get(_ID, person[BASE]),
                cell.levels,
                _forms(person, self.unchanged),
                person.get(_VARIANT, ""),
            )
            for cell in self.cells
            for person in cell.persons
        )
        return PersonList(kind=self.kind, rows=persons, **about)


class EmotionWordsEntry(ListEntry):
    """``[emotion_words.NAME]``: ``slots`` gives each slot the words of each emotion."""

    slots: dict[Name, dict[Word, FormList]] = Field(min_length=1)
    unchanged: FormNames = ()

    def build(self, about: About) -> EmotionWords:
        """Every word, slot by slot and emotion by emotion; a word without an id is called by its first form."""
        words = tuple(
            EmotionWord(word.get(_ID, next(iter(word.values()))), emotion, slot, _forms(word, self.unchanged))
            for slot, emotions in self.slots.items()
            for emotion, words in emotions.items()
            for word in words
        )
        return EmotionWords(rows=words, **about)


class EquityTemplatesEntry(ListEntry):
    """``[equity_templates.NAME]``: each template is a text, or a text and its variants."""

    of: dict[Name, Texts] = Field(min_length=1)

    @model_validator(mode="after")
    def _texts_are_there(self) -> Self:
        for id, texts in self.of.items():
            if TEXT not in texts:
                raise ValueError(f"the template {id} has no {TEXT}")
        return self

    def build(self, about: About) -> EquityTemplates:
        templates = tuple(
            EquityTemplate(id, texts[TEXT], {name: text for name, text in texts.items() if name != TEXT})
            for id, texts in self.of.items()
        )
        return EquityTemplates(rows=templates, **about)


class GrammarEntry(ListEntry):
    """``[grammars.NAME]``."""

    capital: bool
    final: Annotated[str, AfterValidator(lambda text: text and check_characters(text))]
    agreement: dict[Word, dict[Word, Name]] = Field(default_factory=dict)
    pieces: dict[Name, dict[Name, Word]] = Field(default_factory=dict)
    rules: Annotated[tuple[GrammarRule, ...], Field(strict=False)] = ()

    def build(self, about: About) -> Grammar:
        own = {name: getattr(self, name) for name in ("capital", "final", "agreement", "pieces")}
        return Grammar(rows=self.rules, **own, **about)


class EquityEntry(TestEntry):
    """``[tests.ID]`` of kind ``equity``: templates, persons, words of emotions and a grammar of this file."""

    sections: ClassVar = {
        "persons": Section(PersonsEntry, "list of persons"),
        "emotion_words": Section(EmotionWordsEntry, "list of words of emotions"),
        "equity_templates": Section(EquityTemplatesEntry, "list of templates with slots"),
        "grammars": Section(
            GrammarEntry, "grammar", "Write a table [grammars.{0}] with what its language needs"
        ),
    }

    kind: Literal["equity"]
    templates: Prose
    persons: Words
    words: Prose
    grammar: Prose
    factors: dict[Word, Words]

    @model_validator(mode="after")
    def _factors_compare(self) -> Self:
        if not self.factors:
            raise ValueError("factors has no factor, so there is nothing to compare")
        for factor, levels in self.factors.items():
            if factor in COLUMNS:
                raise ValueError(
                    f"factors has one called {factor!r}, which is what a column of the sentences is called"
                )
            if set(factor) & set("{}:"):
                raise ValueError(
                    f"factors has one called {factor!r}; a name with brace or colon fits no slot"
                )
            if len(levels) < 2:
                raise ValueError(
                    f"factors.{factor} has one level, {levels[0]!r}, so there is nothing to compare. Give it two or more, "
                    "or leave the factor out"
                )
            twice = [level for level in levels if levels.count(level) > 1]
            if twice:
                raise ValueError(f"factors.{factor} has the level {twice[0]!r} twice")
        return self

    def references(self) -> Iterator[Reference]:
        yield Reference(("templates",), self.templates, ("equity_templates",))
        yield from (Reference(("persons", i), name, ("persons",)) for i, name in enumerate(self.persons))
        yield Reference(("words",), self.words, ("emotion_words",))
        yield Reference(("grammar",), self.grammar, ("grammars",))

    def build(self, lists: Lists, about: AboutTest) -> EquityTest:
        test = EquityTest(
            factors=self.factors,
            templates=lists["equity_templates"][self.templates],
            persons=tuple(lists["persons"][name] for name in self.persons),
            words=lists["emotion_words"][self.words],
            grammar=lists["grammars"][self.grammar],
            **about,
        )
        check_fit(equity_problems(test), of_file=True)
        return test
