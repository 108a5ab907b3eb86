"""Targets that are as frequent to a model: where X and Y differ for it, a few words are left out by a fixed rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from biascore.designs.frequency import Frequency, Proxy
from biascore.models.model import Model
from biascore.results.coverage import Coverage, LostWord
from biascore.stimuli import Test

ALIKE: Final = 0.2
"""Standard deviations: X and Y that differ by less in frequency count as alike (Cohen's small effect)."""


@dataclass(frozen=True, slots=True)
class FrequencyMatch:
    """A test as it is asked of a model: ``left_out`` are the words that made X and Y differ in frequency.

    ``stated``: what was done, as conventions; empty for a test that states no least share of its words.
    """

    test: Test
    left_out: tuple[LostWord, ...]
    stated: Mapping[str, str]

    @classmethod
    def of(cls, model: Model, test: Test) -> FrequencyMatch:
        """Leave out the most frequent word of the more frequent list and the rarest of the other, until X and Y are alike.

        Only in tests with ``min_used``, and only where they become alike with that share of each list left; else the test
        stays as it is, and a caveat tells where frequency may explain the effect. Asks no question.
        """
        if not test.min_used:
            return cls(test, (), {})
        words = {role: tuple(dict.fromkeys(test.roles[role].words)) for role in ("X", "Y")}
        every = [word for role in words for word in words[role]]
        seen = {word for word, one in zip(every, model.familiarity(every), strict=True) if one.seen}
        known = {role: tuple(word for word in words[role] if word in seen) for role in words}
        proxies = Frequency.of(model, known).proxies
        if not proxies:
            return cls(test, (), {WHAT: "not known to the model; the lists are matched by wordfreq"})
        proxy = proxies[0]
        if abs(proxy.difference("X", "Y")) < ALIKE:
            return cls(test, (), {WHAT: f"alike in {proxy.shown} ({proxy.told('X', 'Y')})"})
        kept = _kept(proxy, {role: test.least(len(words[role])) for role in words})
        if kept is None:
            text = f"not alike in {proxy.shown} ({proxy.told('X', 'Y')}), whichever quarter of the words is left out"
            return cls(test, (), {WHAT: text})
        out = [
            LostWord(word=word, role=role, reason=f"left out, so that X and Y are alike in {proxy.shown}")
            for role in words
            for word, stays in zip(known[role], kept[role], strict=True)
            if not stays
        ]
        gone = {(one.role, one.word) for one in out}
        roles = {
            role: replace(one, words=tuple(word for word in one.words if (role, word) not in gone))
            for role, one in test.roles.items()
        }
        told = "; ".join(
            f"{role}: {', '.join(one.word for one in out if one.role == role)}"
            for role in words
            if any(one.role == role for one in out)
        )
        return cls(
            replace(test, roles=roles),
            tuple(out),
            {WHAT: f"made alike in {proxy.shown} (were {proxy.told('X', 'Y')}); left out of {told}"},
        )

    def covered(self, found: Coverage, whole: Test) -> Coverage:
        """The coverage of the ``whole`` test: the words that were left out are lost, with that reason."""
        if not self.left_out:
            return found
        given = {role: len(one.words) for role, one in whole.roles.items()}
        return found.model_copy(update={"given": given, "lost": (*self.left_out, *found.lost)})


WHAT: Final = "X and Y in word frequency"


def _kept(proxy: Proxy, least: Mapping[str, int]) -> dict[str, np.ndarray] | None:
    """Which words stay, by role, so that X and Y are alike; None where that takes more than all but ``least``."""
    kept = {role: np.ones(len(values), dtype=bool) for role, values in proxy.values.items()}
    while True:
        left = {role: proxy.values[role][stays] for role, stays in kept.items()}
        apart = Proxy(proxy.shown, left, proxy.higher, proxy.lower).difference("X", "Y")
        if abs(apart) < ALIKE:
            return kept
        high, low = ("X", "Y") if apart > 0 else ("Y", "X")
        room = {role: int(stays.sum()) - least[role] for role, stays in kept.items()}
        side = max((high, low), key=lambda role: room[role])
        if room[side] <= 0:
            return None
        sign = 1.0 if side == high else -1.0
        kept[side][np.where(kept[side], sign * proxy.values[side], -np.inf).argmax()] = False
