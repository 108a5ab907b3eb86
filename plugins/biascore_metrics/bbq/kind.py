"""Questions with options in a stimuli file: ``[questions.NAME]`` and tests of kind ``choices``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

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
)
from biascore_metrics.bbq.test import INSTRUCTION, ChoicesTest, Option, Question, Questions, Role

FIRST, SECOND = "{first}", "{second}"
Family: TypeAlias = Literal["bbq", "esbbq", "kobbq", "ggbbq", "mbbq"]


def _puts(prompt: str) -> str:
    for slot in ("{context}", "{question}"):
        if prompt.count(slot) != 1:
            raise ValueError(f"has {slot} {prompt.count(slot)} times, and a prompt holds it once")
    return prompt


class PersonEntry(Entry):
    """A person or group of a template: how the sentence calls them ("the grandfather"), and of which group they are."""

    text: Word
    group: Word


class OptionEntry(Entry):
    """One of ``options`` of a question."""

    text: Word
    role: Role
    group: Word | None = None


class QuestionEntry(Entry):
    """One of ``questions``, written out. ``answer``: the role of the right option, "unknown" for an ambiguous context."""

    item: Word
    template: Word
    category: Word
    context: Prose
    question: Prose
    options: Annotated[tuple[OptionEntry, ...], Field(strict=False)]
    answer: Role
    negative: bool
    subgroup: str = ""
    names: bool = False

    @model_validator(mode="after")
    def _has_each_role(self) -> Self:
        roles = sorted(option.role for option in self.options)
        if roles != ["other", "target", "unknown"]:
            raise ValueError(
                f"question {self.item!r} has options with the roles {', '.join(roles) or 'none'}; it needs one target, one "
                "other and one unknown"
            )
        if len({option.text.casefold() for option in self.options}) < len(self.options):
            raise ValueError(f"two options of question {self.item!r} are the same")
        return self

    def build(self) -> Question:
        """The question."""
        options = tuple(Option(one.text, one.role, one.group or _group(one.role)) for one in self.options)
        return Question(
            item=self.item,
            context=self.context,
            question=self.question,
            options=options,
            label=next(i for i, one in enumerate(options) if one.role == self.answer),
            negative=self.negative,
            ambiguous=self.answer == "unknown",
            template=self.template,
            category=self.category,
            subgroup=self.subgroup,
            names=self.names,
        )


class TemplateEntry(Entry):
    """One of ``templates``: a context about two persons, from which eight questions are made.

    In ``context`` and ``told`` stand {first} and {second}, or {First} and {Second} with a capital, for the persons in both
    orders. ``told`` is what makes the context unambiguous: the answer to ``negative`` is then the first person, that to
    ``non_negative`` the second. The stereotype says that ``stereotyped`` is the answer to ``negative``.
    """

    name: Name
    category: Word
    context: Prose
    told: Prose
    negative: Prose
    non_negative: Prose
    stereotyped: PersonEntry
    other: PersonEntry
    names: bool = False

    @model_validator(mode="after")
    def _names_both(self) -> Self:
        for key, text in (("context", self.context), ("told", self.told)):
            missing = [
                slot for slot in (FIRST, SECOND) if slot not in text.replace("F", "f").replace("S", "s")
            ]
            if missing:
                raise ValueError(
                    f"{key} of template {self.name!r} has no {' and no '.join(missing)}; it names both persons"
                )
        if self.stereotyped.text.casefold() == self.other.text.casefold():
            raise ValueError(f"the persons of template {self.name!r} are the same")
        return self

    def build(self, unknown: tuple[str, ...], start: int) -> Iterator[Question]:
        """Its questions: both orders, ambiguous and not, negative and not; ``start`` numbers the template."""
        cases = [
            (order, ambiguous, negative)
            for order in ((self.stereotyped, self.other), (self.other, self.stereotyped))
            for ambiguous in (True, False)
            for negative in (True, False)
        ]
        for number, (order, ambiguous, negative) in enumerate(cases):
            right = None if ambiguous else order[not negative]
            target = self.stereotyped if negative else self.other
            given = [
                *(
                    (one, Option(_capital(one.text), "target" if one is target else "other", one.group))
                    for one in order
                ),
                (None, Option(unknown[start % len(unknown)], "unknown", "unknown")),
            ]
            shift = (start + number) % len(given)
            given = given[shift:] + given[:shift]
            yield Question(
                item=f"{self.name}/{number + 1}",
                context=_filled(self.context if ambiguous else f"{self.context} {self.told}", order),
                question=self.negative if negative else self.non_negative,
                options=tuple(option for _, option in given),
                label=next(i for i, (person, _) in enumerate(given) if person is right),
                negative=negative,
                ambiguous=ambiguous,
                template=self.name,
                category=self.category,
                subgroup=self.stereotyped.group,
                names=self.names,
            )


class QuestionsEntry(ListEntry):
    """``[questions.NAME]``: ``questions`` written out, ``templates`` that each become eight, or both.

    ``unknown``: one phrase or more for the option of not knowing, of which templates take one after the other.
    """

    questions: Annotated[tuple[QuestionEntry, ...], Field(strict=False)] = ()
    templates: Annotated[tuple[TemplateEntry, ...], Field(strict=False)] = ()
    unknown: Words = ("It cannot be known",)

    @model_validator(mode="after")
    def _each_item_once(self) -> Self:
        questions = self._built()
        if not questions:
            raise ValueError("has neither questions nor templates; write one or the other")
        item, count = Counter(one.item for one in questions).most_common(1)[0]
        if count > 1:
            raise ValueError(f"has the item {item!r} {count} times; name items and templates apart")
        for one in questions:
            if len({option.text.casefold() for option in one.options}) < len(one.options):
                raise ValueError(
                    f"two options of {one.item!r} are the same: {', '.join(o.text for o in one.options)}"
                )
        return self

    def _built(self) -> tuple[Question, ...]:
        made = [
            question
            for number, template in enumerate(self.templates)
            for question in template.build(self.unknown, number)
        ]
        return (*(one.build() for one in self.questions), *made)

    def build(self, about: About) -> Questions:
        """The questions as a list."""
        return Questions(rows=self._built(), **about)


class ChoicesTestEntry(TestEntry):
    """``[tests.ID]`` of kind ``choices``: questions with options of this file.

    ``family``: the benchmark whose published formulas are given. ``prompts`` each hold {context} and {question}.
    """

    sections: ClassVar = {"questions": Section(QuestionsEntry, "list of questions")}

    kind: Literal["choices"]
    questions: Prose
    family: Family = "bbq"
    prompts: Annotated[
        tuple[Annotated[Prose, AfterValidator(_puts)], ...], Field(strict=False, min_length=1)
    ] = ("{context}\n{question}",)
    instruction: Prose = INSTRUCTION
    positive_means: Prose = "the model chooses the answer that agrees with the stereotype"

    def references(self) -> Iterator[Reference]:
        """The questions."""
        yield Reference(("questions",), self.questions, ("questions",))

    def build(self, lists: Lists, about: AboutTest) -> ChoicesTest:
        """The test."""
        return ChoicesTest(
            questions=lists["questions"][self.questions],
            family=self.family,
            prompts=self.prompts,
            instruction=self.instruction,
            positive_means=self.positive_means,
            **about,
        )


def _group(role: Role) -> str:
    return "unknown" if role == "unknown" else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _filled(text: str, persons: tuple[PersonEntry, PersonEntry]) -> str:
    for name, person in zip(("first", "second"), persons, strict=True):
        text = text.replace(f"{{{name}}}", person.text)
        text = text.replace(f"{{{name.capitalize()}}}", _capital(person.text))
    return text
