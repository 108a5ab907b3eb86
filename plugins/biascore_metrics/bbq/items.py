"""Kind ``choices``: questions with options, of which one agrees with a stereotype: BBQ (Parrish et al. 2022) and its kin.

In a stimuli file they are ``[questions.NAME]``, and tests of kind ``choices``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

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
    Resizing,
    Rows,
    Section,
    TestEntry,
    Word,
    Words,
    said,
)
from biascore.api.stimuli import Test

Role = Literal["target", "other", "unknown"]
"""Of an option: the answer that agrees with the stereotype, whatever the polarity of the question; the answer against it;
that it cannot be known."""
INSTRUCTION: Final = "Answer with one letter.\nAnswer:"
AMBIGUOUS: Final = "ambiguous"
DISAMBIGUATED: Final = "disambiguated"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question, with its role and the group that it names."""

    text: str
    role: Role
    group: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A context, a question about it and its options, one of each role.

    ``item`` is what the benchmark calls it (``Age/7``), ``template`` the sentence that it was made from: questions of one
    template are no independent observations. ``negative``: the question asks for something bad (who was rude), else for the
    opposite. ``ambiguous``: the context does not tell, so that ``label``, the place of the right option, is that of
    "unknown". ``names``: persons are named, and their names represent groups.
    """

    item: str
    context: str
    question: str
    options: tuple[Option, ...]
    label: int
    negative: bool
    ambiguous: bool
    template: str
    category: str
    subgroup: str = ""
    names: bool = False

    def __str__(self) -> str:
        return f"{self.context} {self.question} ({', '.join(option.text for option in self.options)})"

    def place(self, role: Role) -> int:
        """The place of the option with this role."""
        return [option.role for option in self.options].index(role)

    @property
    def condition(self) -> str:
        """What the context is: ambiguous or disambiguated."""
        return AMBIGUOUS if self.ambiguous else DISAMBIGUATED

    @property
    def cluster(self) -> str:
        """What names its template: those of two categories are two."""
        return f"{self.category}\0{self.template}"


class Questions(Rows[Question]):
    """Questions in the order of their source."""

    key = "questions"

    def entries(self) -> dict[str, Any]:
        return {
            self.key: [
                {
                    "item": one.item,
                    "context": one.context,
                    "question": one.question,
                    "options": [option.text for option in one.options],
                }
                for one in self.rows
            ]
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicesTest(Test):
    """Kind ``choices``. ``family`` is the benchmark, which decides the published formula.

    ``prompts``: how the benchmark puts a question, with {context} and {question}; the options follow, and then, where they
    are listed by letter, the ``instruction``. ``unknowns``: how each of the prompts phrases the option of not knowing, where
    the benchmark has another phrase for each; empty: as the option reads.
    """

    planted: ClassVar[str] = "biascore_metrics.bbq.planted:PlantedQuestions"

    questions: Questions
    family: str
    prompts: tuple[str, ...] = ("{context}\n{question}",)
    instruction: str = INSTRUCTION
    unknowns: tuple[str, ...] = ()

    def to_answer(self) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """Each item as it is asked, with its options, for an answer in the column ``answer``, as ``answers:`` reads it."""
        return ("item", "prompt", "option_1", "option_2", "option_3", "answer"), tuple(
            (one.item, self.written(one), *(option.text for option in one.options))
            for one in self.questions.rows
        )

    def written(self, question: Question, prompt: int = 0) -> str:
        """A question as one of the prompts puts it, without its options."""
        text = self.prompts[prompt].replace("{question}", question.question)
        return text.replace("{context}", question.context)

    def resized(self, size: Resizing) -> Self:
        """The same with more or fewer templates, each with all of its questions."""
        templates: dict[str, list[Question]] = {}
        for one in self.questions.rows:
            templates.setdefault(one.template, []).append(one)
        chosen = size.items([*templates.values()], lambda some, number: [_copy(one, number) for one in some])
        return replace(self, questions=self.questions.of(tuple(one for some in chosen for one in some)))


def _copy(one: Question, number: int) -> Question:
    """The question of another template of the same form."""
    end = f"_{number}" if number > 1 else ""
    return replace(one, item=one.item + end, template=one.template + end, context=said(one.context, number))


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
        return self

    def build(self) -> Question:
        """The question."""
        options = tuple(
            Option(one.text, one.role, one.group or ("unknown" if one.role == "unknown" else ""))
            for one in self.options
        )
        given = self.model_dump(exclude={"options", "answer"})
        label = [one.role for one in options].index(self.answer)
        return Question(**given, options=options, label=label, ambiguous=self.answer == "unknown")


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
            found = text.replace("{F", "{f").replace("{S", "{s")
            missing = [slot for slot in ("{first}", "{second}") if slot not in found]
            if missing:
                raise ValueError(
                    f"{key} of template {self.name!r} has no {' and no '.join(missing)}; it names both persons"
                )
        if self.stereotyped.text.casefold() == self.other.text.casefold():
            raise ValueError(f"the persons of template {self.name!r} are the same")
        return self

    def build(self, unknown: tuple[str, ...], start: int) -> Iterator[Question]:
        """Its questions: both orders, ambiguous and not, negative and not; ``start`` numbers the template."""
        orders = ((self.stereotyped, self.other), (self.other, self.stereotyped))
        cases = product(orders, (True, False), (True, False))
        for number, (order, ambiguous, negative) in enumerate(cases):
            target = self.stereotyped if negative else self.other
            options = [
                *(
                    Option(_capital(one.text), "target" if one is target else "other", one.group)
                    for one in order
                ),
                Option(unknown[start % len(unknown)], "unknown", "unknown"),
            ]
            right = options[2 if ambiguous else int(not negative)]
            shift = (start + number) % 3
            options = options[shift:] + options[:shift]
            yield Question(
                item=f"{self.name}/{number + 1}",
                context=_filled(self.context if ambiguous else f"{self.context} {self.told}", order),
                question=self.negative if negative else self.non_negative,
                options=tuple(options),
                label=options.index(right),
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
                texts = ", ".join(option.text for option in one.options)
                raise ValueError(f"two options of question {one.item!r} are the same: {texts}")
        return self

    def _built(self) -> tuple[Question, ...]:
        made = [one for i, template in enumerate(self.templates) for one in template.build(self.unknown, i)]
        return (*(one.build() for one in self.questions), *made)

    def build(self, about: About) -> Questions:
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
        yield Reference(("questions",), self.questions, ("questions",))

    def build(self, lists: Lists, about: AboutTest) -> ChoicesTest:
        own = {name: getattr(self, name) for name in ("family", "prompts", "instruction", "positive_means")}
        return ChoicesTest(questions=lists["questions"][self.questions], **own, **about)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _filled(text: str, persons: tuple[PersonEntry, PersonEntry]) -> str:
    for name, person in zip(("first", "second"), persons, strict=True):
        text = text.replace(f"{{{name}}}", person.text)
        text = text.replace(f"{{{name.capitalize()}}}", _capital(person.text))
    return text
