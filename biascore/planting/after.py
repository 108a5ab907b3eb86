"""Planted texts after a prompt, and words of a sentence, for the kinds of test that ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from biascore.models.questions.questions import Continuation, Masked, Span
from biascore.planting.part import Part
from biascore.planting.sentences import FLOOR, Sentence, cannot
from biascore.stimuli import Test


@dataclass(slots=True)
class AfterAPrompt(Part):
    """What is planted, by the sentence that carries it, and the test and kind of each sentence.

    ``hidden``: the place that is asked for, and its value for each token; ``after``: of texts after a prompt that begins so;
    ``whole``: of the whole sentence, for each word.
    """

    sentences: dict[str, Sentence] = field(default_factory=dict)
    hidden: dict[str, tuple[Span, float]] = field(default_factory=dict)
    after: dict[str, dict[str, float]] = field(default_factory=dict)
    whole: dict[str, float] = field(default_factory=dict)
    _lengths: list[int] = field(default_factory=list)

    def logprobs(self, query: Masked, asked: int, seed: int) -> list[float] | None:  # noqa: ARG002
        """Those of the asked tokens; raises QuestionError for another place than is planted."""
        found = self.hidden.get(query.text)
        if found is None:
            return None
        (start, end), value = found
        if query.spans is None or any(one < start or other > end for one, other in query.spans):
            raise cannot(self.sentences[query.text], f"mask_logprob of another part of {query.text!r}")
        return [value] * asked

    def log_likelihood(self, text: str | Continuation, seed: int) -> float | None:  # noqa: ARG002
        """In nats; raises QuestionError for another text after a planted prompt than is planted."""
        if isinstance(text, str):
            if text in self.whole:
                return self.whole[text] * len(text.split())
            return None
        length = next((k for k in self._lengths if text.prompt[:k] in self.after), None)
        if length is None:
            return None
        planted = text.prompt[:length]
        options = self.after[planted]
        if text.text.strip() not in options:
            raise cannot(self.sentences[planted], f"log_likelihood of {text.text!r} after {planted!r}")
        return options[text.text.strip()]

    def refused(self, text: str) -> Sentence | None:
        """A planted sentence."""
        return self.sentences.get(text)

    def __len__(self) -> int:
        return len(self.sentences)

    def told(self) -> list[str]:
        """The planted bias as lines, for a digest."""
        parts: Sequence[Mapping[str, object]] = (self.hidden, self.after, self.whole)
        return [
            f"{text}\t{value}"
            for part in parts
            for text, value in sorted(part.items(), key=lambda one: one[0])
        ]

    def refer(self, test: Test, text: str, mentions: Mapping[str, float]) -> None:
        """Plant log-probabilities of texts after a text, in nats, by how much they are above FLOOR."""
        if text not in self.after:
            self.options(test, text).update({one: FLOOR + value for one, value in mentions.items()})

    def options(self, test: Test, text: str) -> dict[str, float]:
        """The log-probabilities, in nats, of what is planted after a text."""
        self.know(test, text)
        if len(text) not in self._lengths:
            self._lengths = sorted({*self._lengths, len(text)}, reverse=True)
        return self.after.setdefault(text, {})

    def know(self, test: Test, text: str) -> None:
        """A text that carries what a test says of it."""
        self.sentences.setdefault(text, self.sentence(text, test.id, test.kind))
