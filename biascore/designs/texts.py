"""Texts that a model writes to prompts: asked for, sorted by what became of them, read, and shown.

A text counts where it answers its prompt, in its language, and a reader reads in it what a metric asks. All others stay,
each with what became of it: none is counted as a zero.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Generic, TypeVar

from pydantic import Field

from biascore.basics.frozen import Scalar
from biascore.basics.wording import counted
from biascore.designs.clustered import ClusteredOptions
from biascore.languages.names import language_name
from biascore.metric import Context
from biascore.models.model import Model
from biascore.models.questions.other_language import other_language
from biascore.models.questions.writing import Prompt, Settings, Written
from biascore.readers.reading import Reading
from biascore.results.caveat import Caveat
from biascore.results.estimates import Estimate
from biascore.results.figures import Examples

CONTINUES: Final = "continues"
OTHER_LANGUAGE: Final = "other language"
READ: Final = "read"
UNREAD: Final = "unread"
OUTCOMES: Final = (READ, UNREAD, "refused", "empty", "cut", CONTINUES, OTHER_LANGUAGE, "missing")
"""What became of a text, one of these: a written one is read or unread, goes on with its prompt in place of answering, or is
in another language."""
LEAST: Final = 0.5
"""Of the texts: more have to be read, else nothing is measured."""
MANY: Final = 0.2
"""Of the texts unread are a caveat with the verdict."""
SHOWN: Final = "shown"
NOTICE: Final = "The model wrote these texts. They may repeat stereotypes, or hurt."
_SHOWN: Final = 4
_BEGINS, _LEAST = 5, 3
"""How many words with which a prompt asks a text repeats that goes on with more such prompts; and how many are some."""
_INSIDE: Final = ",;:)]…"
_MARKS: Final = "*_#`\"'“”‘’«»> \t\r\n"
_REASONS: Final = {
    "refused": "the model declines",
    CONTINUES: "the model goes on with the prompt in place of answering, as a model without a chat template does. Name a "
    "model that answers",
    OTHER_LANGUAGE: "the model answers in another language. Name one that answers in the language of the test",
    "cut": "they do not end. Raise max_tokens",
    "empty": "there is no text",
    UNREAD: "the reader finds in them no answer to what is asked",
    "missing": "there are none for these prompts",
}
ReadingT = TypeVar("ReadingT", bound=Reading)


class TextOptions(ClusteredOptions):
    """``samples``: texts of each prompt, of at most ``max_tokens`` tokens, drawn at ``temperature``.

    At temperature 0 all texts of a prompt should be one, and equal ones count once.
    """

    samples: Annotated[int, Field(ge=1, le=1000)] = 1
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 1.0
    max_tokens: Annotated[int, Field(ge=1)] = 256


@dataclass(frozen=True, slots=True)
class ReadText(Generic[ReadingT]):
    """One text: the place of its prompt among those asked, what became of it, and the reading of one that answers it.

    ``in_part``: what is read in a refusal that goes on to answer; it counts as a refusal all the same.
    """

    place: int
    prompt: Prompt
    text: str
    outcome: str
    reading: ReadingT | None = None
    in_part: ReadingT | None = None

    @property
    def why(self) -> str:
        """Why it does not count: what became of it, or the outcome of the reader where it is unread; "" for a read one."""
        return "" if self.outcome == READ else self.reading.outcome if self.reading else self.outcome

    @property
    def evidence(self) -> str:
        """The words that the reading follows from, each once, with commas between."""
        reading = self.reading or self.in_part
        found = reading.evidence if reading else ()
        return ", ".join(dict.fromkeys(self.text[one.start : one.end] for one in found))


@dataclass(frozen=True, slots=True)
class Texts(Generic[ReadingT]):
    """All texts of a measurement, those of one prompt next to each other; ``unknown``: why none could be read."""

    rows: tuple[ReadText[ReadingT], ...]
    unknown: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """How many texts have each of the OUTCOMES; they add up to all."""
        found = Counter(row.outcome for row in self.rows)
        return {outcome: found[outcome] for outcome in OUTCOMES}

    @property
    def problem(self) -> str:
        """Why nothing is measured, as a clause; "" where enough texts are read."""
        counts, n = self.counts, len(self.rows)
        if self.unknown or (n and counts[READ] > LEAST * n):
            return self.unknown
        most = next((outcome for outcome, _ in self._lost.most_common()), "missing")
        why = _REASONS.get(most, _REASONS[UNREAD])
        return f"{counts[READ]:,} of {counted(n, 'text')} can be read ({self._told}): {why}"

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """How many texts do not count, and why; and how many refusals go on to answer."""
        lost, n = self._lost.total(), len(self.rows)
        if not lost or self.problem:
            return ()
        many = lost > MANY * n
        text = (
            f"{lost:,} of {counted(n, 'text')} do not count ({self._told}); the estimates are of the others"
        )
        found = Caveat(text, many, f"{lost / n:z.0%} of the texts are unread" if many else "")
        part = sum(row.in_part is not None for row in self.rows)
        if not part:
            return (found,)
        said = f"{part:,} of {counted(self.counts['refused'], 'refusal')} go on to answer; they count as refusals"
        return found, Caveat(said, False)

    @property
    def _lost(self) -> Counter[str]:
        return Counter(row.why for row in self.rows if row.why)

    @property
    def _told(self) -> str:
        return ", ".join(f"{many:,} {outcome}" for outcome, many in self._lost.most_common())

    @property
    def unread(self) -> Estimate:
        """The share of texts that do not count."""
        n, lost = len(self.rows), len(self.rows) - self.counts[READ]
        return Estimate(
            name="share unread",
            value=lost / n if n else None,
            unit="share of texts",
            neutral=None,
            n={"texts": n},
        )

    def columns(self) -> dict[str, list[Scalar]]:
        """Columns of the item table: prompt, sample, text, outcome, reading and evidence."""
        return {
            "prompt": [row.prompt.text for row in self.rows],
            "sample": [row.prompt.sample for row in self.rows],
            "text": [row.text for row in self.rows],
            "outcome": [row.outcome for row in self.rows],
            "reading": [one.outcome if (one := row.reading or row.in_part) else "" for row in self.rows],
            "evidence": [row.evidence for row in self.rows],
        }


def texts_of(
    model: Model,
    prompts: Sequence[tuple[str, str]],
    language: str,
    options: TextOptions,
    context: Context,
    read: Callable[[int, str], ReadingT],
    unread: Iterable[str],
    *,
    in_part: bool = True,
) -> Texts[ReadingT]:
    """Ask for texts to prompts, each with its item; ``read`` is given the place of a prompt and a text that answers it.

    ``language``: the tag of prompts and texts. ``unread``: outcomes of the reader that are no answer to what is asked.
    ``in_part``: whether refusals are read, too, for those that go on to answer.
    """
    settings, none = Settings(options.max_tokens, options.temperature), frozenset(unread)
    asked = [
        (place, Prompt(text, seed=context.seed % 2**31, sample=sample, item=item))
        for place, (text, item) in enumerate(prompts)
        for sample in range(options.samples)
    ]
    rows: list[ReadText[ReadingT]] = []
    seen: set[tuple[int, str, str]] = set()
    answers = model.generate([prompt for _, prompt in asked], settings)
    for (place, prompt), written in zip(asked, answers, strict=True):
        same = (place, written.text, written.outcome)
        if not settings.drawn and same in seen:
            continue
        seen.add(same)
        outcome, reading, part = _answers(prompt.text, language, written), None, None
        if outcome == READ:
            reading = read(place, written.text)
            outcome = UNREAD if reading.outcome in none else READ
        elif outcome == "refused" and in_part:
            found = read(place, written.text)
            part = None if found.outcome in none else found
        rows.append(ReadText(place, prompt, written.text, outcome, reading, part))
    return Texts(tuple(rows))


def _answers(prompt: str, language: str, written: Written) -> str:
    """READ for a written text that answers its prompt in its language; else what became of it."""
    if written.outcome != "written":
        return written.outcome
    if continues(written.text, prompt):
        return CONTINUES
    return OTHER_LANGUAGE if other_language(written.text, prompt, language_name(language)) else READ


def continues(text: str, prompt: str) -> bool:
    """Whether a text goes on with its prompt: inside its sentence, or with another prompt that asks as this one does.

    What a prompt says before it asks, an answer may repeat: "Anna Smith has six years of experience, so offer 90,000".
    """
    begins = text.strip(_MARKS)
    asks = [words for words in _openings(prompt) if len(words) >= _LEAST][-1:]
    inside = begins[:1].islower() and len(begins.split()) >= _LEAST
    return inside or begins[:1] in [*_INSIDE] or any(words in asks for words in _openings(text))


def _openings(text: str) -> list[list[str]]:
    """The first words of each sentence."""
    parts = re.split(r"(?<=[.!?…])(?<!Dr\.)(?<!Mr\.)(?<!Ms\.)(?<!Mrs\.)(?<!Prof\.)\s|\n", text)
    return [re.findall(r"\w[\w'’-]*", part.casefold())[:_BEGINS] for part in parts]


def shown(follows: Sequence[bool | None], group: Sequence[str]) -> list[bool | None]:
    """(n,) Which texts a report shows: of each group the first that follows, and the first that does not; None for others.

    They are four at most, which is all of two groups.
    """
    seen: set[tuple[str, bool]] = set()
    found: list[bool | None] = []
    for name, side in zip(group, follows, strict=True):
        new = side is not None and (name, side) not in seen and len(seen) < _SHOWN
        found.append(side if new else None)
        if new and side is not None:
            seen.add((name, side))
    return found


def examples(title: str) -> Examples:
    """The figure of the texts that `shown` chose, one unread and one refused, in full, with the words that decide."""
    return Examples(
        title=title,
        follows=SHOWN,
        beside=("text", "what the model wrote"),
        marked="evidence",
        apart="outcome",
        of_apart=(UNREAD, "refused"),
        notice=NOTICE,
    )


def is_chat(model: Model) -> bool:
    """Whether it is a chat model that writes: behind a server, or with a chat template."""
    identity = model.identity
    served = "text" in identity.ways and len(identity.ways) > 1 and "embed" not in model.capabilities
    return (served or "chat_template" in identity.facts) and "generate" in model.capabilities
