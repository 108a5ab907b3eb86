"""What questions cost the model that answers them, known before it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from biascore.basics.frozen import Frozen
from biascore.models.questions.questions import Choice, Continuation
from biascore.models.questions.writing import Prompt


class Cost(Frozen):
    """What answering some questions takes; None is "not known", which is not 0.

    ``passes`` are forward passes, ``naive_passes`` those of a loop over the questions and their hidden
    tokens, ``tokens`` what is read: by all passes together (special tokens included, padding not), or in the prompts that
    are answered in words. ``tokens_out`` are the tokens that are written at most, ``requests`` those to a server,
    ``characters`` the code points of the texts, for services that charge by them. ``notes``: a sentence on each number that
    is a bound.
    """

    passes: int | None = None
    naive_passes: int | None = None
    tokens: int | None = None
    tokens_out: int | None = None
    requests: int | None = None
    characters: int | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def none(cls) -> Self:
        """The cost of no question at all: 0, and known."""
        return cls(passes=0, naive_passes=0, tokens=0, tokens_out=0, requests=0, characters=0)

    @classmethod
    def of_passes(
        cls, questions: Sequence[Any], lengths: Sequence[int], naive_passes: int | None = None
    ) -> Self:
        """The cost of questions that take passes of these many tokens here; one by one, a pass a question."""
        return cls(
            passes=len(lengths),
            naive_passes=len(questions) if naive_passes is None else naive_passes,
            tokens=sum(lengths),
            tokens_out=0,
            requests=0,
            characters=sum(map(characters, questions)),
        )

    def __add__(self, other: Cost) -> Cost:
        """Both together; what one of them does not know is not known of the sum, and each note is kept once."""
        sums: dict[str, int | None] = {}
        for name in Cost.model_fields.keys() - {"notes"}:
            one, two = getattr(self, name), getattr(other, name)
            sums[name] = None if one is None or two is None else one + two
        return Cost(**sums, notes=tuple(dict.fromkeys(self.notes + other.notes)))


def characters(question: Any) -> int:
    """The code points of what a question has a model read: a string, or a ``text`` with the prompt before it."""
    if isinstance(question, str):
        return len(question)
    if isinstance(question, Choice):
        return len(question.prompt) + sum(map(len, question.options)) + len(question.instruction)
    before = question.prompt if isinstance(question, Continuation) else ""
    system = (question.system or "") if isinstance(question, Prompt) else ""
    return len(before) + len(system) + len(question.text)
