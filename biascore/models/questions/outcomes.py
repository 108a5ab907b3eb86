"""What became of the answers of a measurement: how many chose an option or are a written text, and why others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from biascore.basics.wording import counted, listed
from biascore.models.questions.questions import Chosen
from biascore.models.questions.writing import Written

READ: Final = ("chosen", "written")
QUOTED: Final = 3
LONGEST: Final = 200
"""Characters of an answer that is quoted."""
_UNREAD: Final = ("unreadable", "empty", "cut")
A = TypeVar("A", Chosen, Written)
FEW: Final = 0.05
"""Of the answers."""
_SHORT: Final[Mapping[tuple[str, ...], str]] = {
    ("unreadable: its thoughts", "unreadable: it is empty"): "answers end before they say anything",
    ("unreadable: marks",): "answers have marks that are not known",
    ("cut",): "texts are cut off",
    ("empty",): "texts are empty",
}
_ADVICE: Final = (
    (
        "unreadable: its thoughts",
        "Raise the model's option max_answer_tokens, or have it answer without thinking",
    ),
    (
        "unreadable: it is empty",
        "Raise the model's option max_answer_tokens, or have it answer without thinking",
    ),
    (
        "unreadable: marks",
        "Have the server or the harness leave thoughts out, or put the answer between <answer> marks",
    ),
    ("unreadable: it is in another", "Ask a model that answers in the language of the test"),
    (
        "unreadable",
        "Where answers call options by other names than letters, answers: takes these with the option labels",
    ),
    ("cut: its thoughts", "Give it more tokens (max_tokens), or have it answer without thinking"),
    ("cut", "Give it more tokens (max_tokens); a model without a chat template seldom ends a text by itself"),
    ("empty: marks", "Have the server or the harness leave thoughts out"),
    ("empty", "See how its prompts are put: a base model needs a text to continue, and no question"),
    ("undetermined", "Have the model answer with one letter alone"),
    ("refused", "A model that declines shows no bias here, and no absence of one"),
)


@dataclass(slots=True)
class Outcomes:
    """How many answers were chosen, refused, unreadable, undetermined or missing, each with its reason; or of texts
    (``texts``) written, refused, empty, cut or missing.

    ``quotes`` are a few answers in words that chose nothing, or are no written text.
    """

    counts: Counter[str] = field(default_factory=Counter)
    quotes: list[str] = field(default_factory=list)
    texts: bool = False

    def clear(self) -> None:
        """Forget them, for another measurement."""
        self.counts.clear()
        self.quotes.clear()
        self.texts = False

    def noted(self, answers: Sequence[A]) -> tuple[A, ...]:
        """These answers, which are counted too."""
        for one in answers:
            self.texts |= isinstance(one, Written)
            self.counts[f"{one.outcome}: {one.why}" if one.why else one.outcome] += 1
            said = one.said if len(one.said) <= LONGEST else f"{one.said[:LONGEST]}…"
            if (
                said.strip()
                and one.outcome not in READ
                and len(self.quotes) < QUOTED
                and said not in self.quotes
            ):
                self.quotes.append(said)
        return tuple(answers)

    @property
    def unread(self) -> str:
        """Of answers in words, which chose nothing and why, with a few of them; "" where all chose or are missing."""
        if not self.quotes and not any(kind.startswith(_UNREAD) for kind in self.counts):
            return ""
        kinds = ", ".join(f"{many:,} {kind}" for kind, many in self.counts.most_common() if kind not in READ)
        some, what = ("Some of these", "text") if self.texts else ("Some that chose none", "answer")
        shown = f". {some}: {listed(self.quotes)}" if self.quotes else ""
        return f"{kinds}, of {counted(self.counts.total(), what)}{shown}"

    @property
    def short(self) -> str:
        """The same in a few words where more than a few answers are cut off, or have marks of thoughts that nobody knows."""
        return _SHORT.get(self._many, "")

    @property
    def told(self) -> str:
        """``unread``, with the next step where ``short`` says something."""
        steps = [step for begins, step in _ADVICE if begins in self._many]
        return ". ".join([self.unread, *steps[:1]])

    @property
    def _many(self) -> tuple[str, ...]:
        """The kinds of ``_SHORT`` that are more than a few answers."""
        for begins in _SHORT:
            many = sum(number for kind, number in self.counts.items() if kind.startswith(begins))
            if many > FEW * self.counts.total():
                return begins
        return ()

    @property
    def none_chosen(self) -> bool:
        """Whether there are answers, and none chose an option or is a written text."""
        return bool(self.unread) and not any(self.counts[kind] for kind in READ)

    @property
    def advice(self) -> str:
        """What to do about the most frequent kind of answers that chose nothing."""
        kinds = (kind for kind, _ in self.counts.most_common() if kind not in (*READ, "missing"))
        first = next(kinds, "")
        return next((told for begins, told in _ADVICE if first.startswith(begins)), "")
