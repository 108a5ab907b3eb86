"""Kind ``choices``: questions with options, of which one agrees with a stereotype: BBQ (Parrish et al. 2022) and its kin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self

from biascore.api.kinds import Resizing, Rows, Stimuli, said
from biascore.api.stimuli import Test

Role = Literal["target", "other", "unknown"]
"""Of an option: the answer that agrees with the stereotype, whatever the polarity of the question; the answer against it;
that it cannot be known."""
INSTRUCTION: Final = "Answer with one letter.\nAnswer:"


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
    "unknown". ``names``: persons are named, and their names stand for groups.
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
        return next(i for i, option in enumerate(self.options) if option.role == role)


class Questions(Rows[Question]):
    """Questions in the order of their source."""

    key = "questions"

    def entries(self) -> dict[str, Any]:
        """The entries, as JSON."""
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

    questions: Questions
    family: str
    prompts: tuple[str, ...] = ("{context}\n{question}",)
    instruction: str = INSTRUCTION
    unknowns: tuple[str, ...] = ()

    @property
    def lists(self) -> Mapping[str, Stimuli]:
        """Everything the test holds, by role."""
        return {"questions": self.questions}

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
        chosen = size.items([*templates.values()], _copies)
        questions = tuple(question for some in chosen for question in some)
        return replace(self, questions=self.questions.of(questions))


def _copies(questions: list[Question], number: int) -> list[Question]:
    """Those of another template of the same form."""
    if number == 1:
        return questions
    return [
        replace(
            one,
            item=f"{one.item}_{number}",
            template=f"{one.template}_{number}",
            context=said(one.context, number),
        )
        for one in questions
    ]
