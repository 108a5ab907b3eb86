"""What all translation services share: requests within their limits, and answers that fit the questions."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from biascore.api.adapters import Backend, Cost, HttpClient, hookimpl
from biascore.api.queries import check_text
from biascore.api.support import quoted
from biascore.errors import AnswerError, QuestionError

_REPLACEMENT: Final = "\ufffd"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold: so many ``texts``, and so much of a ``unit`` in all of them together."""

    texts: int
    size: int
    unit: str


class TranslationService(Backend):
    """A translation service: every call of the hook is one request within ``limits``.

    Subclasses give ``limits``, ``service`` (its name in errors) and ``request``. ``escapes``: in a request anything but
    ASCII is escaped.
    """

    service: ClassVar[str]
    escapes: ClassVar[bool] = False
    limits: Limits
    _http: HttpClient

    @abstractmethod
    def request(self, texts: Sequence[str], source: str, target: str) -> Sequence[object]:
        """Translate the texts in one request; raises what tells the failure."""

    def size(self, text: str) -> int:
        """What a text takes of ``limits.size``; UTF-8 bytes, unless a subclass says otherwise."""
        return len(json.dumps(text)) + 2 if self.escapes else len(text.encode())

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @hookimpl
    def translate(self, texts: tuple[str, ...], source: str, target: str) -> tuple[str, ...]:
        """The translations, one for one.

        Raises UnsupportedLanguageError, AuthError, QuotaError, RateLimitError or TransientModelError as the
        service says, QuestionError for a text that it cannot take, AnswerError for an answer that does not fit.
        """
        self._check(texts)
        answers = self.request(texts, source, target)
        if len(answers) != len(texts):
            raise AnswerError(
                f"{self.service} answered {len(texts)} texts with {len(answers)} translations, and which belongs "
                f"to which is not known. Report this to whoever runs the server"
            )
        usable: dict[int, str] = {}
        problems: list[AnswerError] = []
        for place, (text, answer) in enumerate(zip(texts, answers, strict=True)):
            try:
                usable[place] = self._checked(text, answer)
            except AnswerError as error:
                problems.append(error)
        if problems:
            # The rest of the request is paid for: it is kept.
            raise AnswerError(str(problems[0]), usable)
        return tuple(usable.values())

    def batch_sizes(self, hook: str, questions: Sequence[Any]) -> Iterable[int]:  # noqa: ARG002
        """As many texts a request as its limits allow; all texts are checked before the first is sent."""
        sizes: list[int] = []
        room = 0
        for size in self._check(questions):
            if not sizes or sizes[-1] == self.limits.texts or size > room:
                sizes.append(0)
                room = self.limits.size
            sizes[-1] += 1
            room -= size
        return sizes

    def cost(self, hook: str, questions: Sequence[Any], params: Mapping[str, str]) -> Cost:
        """Requests, and characters, which is what services charge for; raises QuestionError as ``translate`` does."""
        requests = len(list(self.batch_sizes(hook, questions)))
        return super().cost(hook, questions, params).model_copy(update={"requests": requests})

    def _check(self, texts: Sequence[str]) -> list[int]:
        """The size of each text; raises QuestionError for one that no request can hold."""
        return [self._checked_size(text) for text in texts]

    def _checked_size(self, text: str) -> int:
        check_text(text, self.service)
        size = self.size(text)
        if size > self.limits.size:
            raise QuestionError(
                f"{self.service}: the text {quoted(text)} takes {size:,} {self.limits.unit}, and one request holds "
                f"{self.limits.size:,}. Split the text; it is never truncated"
            )
        return size

    def _checked(self, text: str, answer: object) -> str:
        if not isinstance(answer, str):
            raise AnswerError(
                f"{self.service} answered {quoted(text)} with a {type(answer).__name__} instead of a text. Report "
                "this to whoever runs the server"
            )
        if _REPLACEMENT in answer and _REPLACEMENT not in text:
            raise AnswerError(
                f"{self.service}: the translation of {quoted(text)} holds characters that were not valid UTF-8. "
                "Report this to whoever runs the server"
            )
        return answer
