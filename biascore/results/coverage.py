"""How many stimuli were used of those given, and what became of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Self

from pydantic import model_validator

from biascore.basics.frozen import Frozen, FrozenMap

OUT_OF_VOCABULARY: Final = "out of vocabulary"
UNSEEN: Final = "never seen in training; its vector is composed from its letters"
_EXAMPLES: Final = 3
REPEATED: Final = "repeated in its list"
NO_FURTHER: Final = "so it is no further observation"
"""How the reason ends for which a word is left out that the model has, as another word has its vector."""


def known_as(spelling: str) -> str:
    """How the reason ends for which a word is lost that the model has in another spelling."""
    return f"; {spelling!r} is known"


class LostWord(Frozen):
    """A stimulus that did not enter the measurement (or should be doubted), the list it stood in, and why."""

    word: str
    role: str
    reason: str


class Coverage(Frozen):
    """How many stimuli each list gave and how many were used; every one lost; phrases averaged word by word.

    ``unseen`` are words that were used although the model has not met them in training: their vectors are put
    together from pieces, as fastText does from character n-grams.
    """

    given: FrozenMap[int]
    used: FrozenMap[int]
    lost: tuple[LostWord, ...] = ()
    composed: tuple[str, ...] = ()
    unseen: tuple[LostWord, ...] = ()

    @model_validator(mode="after")
    def _used_were_given(self) -> Self:
        for role, count in self.used.items():
            if count > self.given.get(role, 0):
                raise ValueError(f"of {role}, {count} are used and {self.given.get(role, 0)} were given")
        return self

    @property
    def missing(self) -> tuple[LostWord, ...]:
        """The lost words without those that only repeat another of their list."""
        return tuple(word for word in self.lost if word.reason != REPEATED)

    @property
    def in_other_case(self) -> tuple[int, str, str]:
        """How many lost words the model knows in upper case, or, if those are more, in lower case; the case, and a word."""
        cases = (("upper case", str.upper), ("lower case", str.lower))
        found = [
            (name, [case(w.word) for w in self.lost if w.reason.endswith(known_as(case(w.word)))])
            for name, case in cases
        ]
        name, words = max(found, key=lambda one: len(one[1]))
        return len(words), name, next(iter(words), "")

    def wholly(self, needed: Sequence[str] | None, vocabulary: Sequence[str] = ()) -> str:
        """That no word of a ``needed`` list (None: any) is in the vocabulary, some of which is given; else an empty text."""
        gone = {
            role: given
            for role, given in self.given.items()
            if given and not self.used.get(role) and (needed is None or role in needed)
        }
        own = {role: [word for word in self.missing if word.role == role] for role in gone}
        roles = [role for role, words in own.items() if words and all(map(_unknown, words))]
        if not roles:
            return ""
        first, *others = roles
        has = f"the vocabulary has: {', '.join(map(_seen, vocabulary))}; " if vocabulary else ""
        listed = ", ".join(_seen(word.word) for word in own[first][:_EXAMPLES])
        more = (
            f", nor any of {' or '.join(f'the {gone[role]:,} of {role}' for role in others)}"
            if others
            else ""
        )
        many = gone[first]
        none = f"none of the {many:,} words of {first} is" if many > 1 else f"the only word of {first} is not"
        return f"{none} in the vocabulary{more} ({has}the list has: {listed})"

    def halved(self, needed: Sequence[str] | None) -> str:
        """That a ``needed`` list (None: any; empty: all together) lost half of its items or more; else an empty text."""
        repeats = [word for word in self.lost if word.reason == REPEATED or word.reason.endswith(NO_FURTHER)]
        repeated = Counter(word.role for word in repeats)
        lost = Counter(word.role for word in self.lost) - repeated
        each = {
            role: (lost[role], given - repeated[role])
            for role, given in self.given.items()
            if needed is None or role in needed
        }
        lists = each or {"the test": (lost.total(), sum(self.given.values()) - repeated.total())}
        return next(
            (
                f"{name} lost {many:,} of {given:,} items, half or more{self._mostly(name)}"
                for name, (many, given) in lists.items()
                if many and 2 * many >= given
            ),
            "",
        )

    def _mostly(self, role: str) -> str:
        """The most frequent reason of what a list, or the test, lost."""
        own = [word.reason for word in self.lost if word.role == role or role not in self.given]
        reasons = Counter(reason for reason in own if reason != REPEATED)
        return f" (mostly: {reasons.most_common(1)[0][0]})" if reasons else ""


def _seen(word: str) -> str:
    """The word, as Python writes it where something in it cannot be seen."""
    return word if word.isprintable() else repr(word)


def _unknown(word: LostWord) -> bool:
    """Whether it was lost because the model does not know it."""
    return word.reason.startswith((OUT_OF_VOCABULARY, UNSEEN))
