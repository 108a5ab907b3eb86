"""Which gender a translation is in: by the words that only one reference has, or by those that agree with the speaker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from biascore.api.languages import Gender, SpeakerGenderDetector
from biascore.api.metrics import Caveat, Coverage
from biascore.designs.words import covered
from biascore_metrics.mt_geneval.items import (
    FEMININE,
    MASCULINE,
    NOT_TOLD,
    GenevalTest,
    Line,
    last_part,
    outcome_of,
    own_words,
    words_of,
)

if TYPE_CHECKING:
    import pandas as pd

Held: TypeAlias = Callable[[Line, str], tuple[frozenset[str], frozenset[str]]]
"""The words of a translation that are of its own gender, and those of the other."""

COLUMNS: Final = (
    "source", "gender", "role", "pair", "cluster", "together", "untold", "translation", "whole", "outcome",
    "accurate", "words",
)  # fmt: skip

UNASKED: Final = "not asked, as the model of given answers lacks it or the other sentence of its pair"
REFERRED: Final = {
    "words": "lower case, ASCII punctuation read as spaces, sets of words (published code)",
    "own words": "of a gender: those that its reference has and the other gender's has not",
    "dropped": "lines in which one of the references has no word of its own",
}
SPOKEN: Final = {
    "words": "those that agree with the speaker, in the first sentence of a translation",
    "pairs": "written for biascore, no sentence of MT-GenEval",
}


def by_references(line: Line, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words that only the reference of one gender has."""
    own, other = own_words(line.own, line.other)
    found = words_of(text)
    return found & own, found & other


def by_speaker(detector: SpeakerGenderDetector) -> Held:
    """Words that agree with the speaker; where they disagree, or are written for both genders, they are of both."""

    def held(line: Line, text: str) -> tuple[frozenset[str], frozenset[str]]:
        found = detector.detect(text)
        words = frozenset(one.word for one in found.evidence)
        own = found.gender in (Gender(line.gender), Gender.CONFLICT)
        return words if own else frozenset(), frozenset() if found.gender is Gender(line.gender) else words

    return held


def judged(lines: Sequence[Line], answers: Sequence[str], held: Held = by_references) -> pd.DataFrame:
    """A row for each line: the part of its translation that is judged, whether that is the ``whole`` of it, its outcome."""
    import pandas as pd  # slow to import, and only what is measured needs it

    found = []
    for line, answer in zip(lines, answers, strict=True):
        text = last_part(answer)
        own, other = held(line, text)
        found.append(
            {
                "source": line.source,
                "gender": line.gender,
                "role": line.gender or NOT_TOLD,
                "pair": str(line.pair),
                "cluster": line.cluster,
                "together": line.together,
                "untold": line.untold,
                "translation": text,
                "whole": text == answer.strip(),
                "outcome": outcome_of(own, other),
                "accurate": not other,  # as published, by which an empty translation is accurate
                "words": ", ".join(sorted(own | other)),
            }
        )
    return pd.DataFrame(found, columns=COLUMNS)


def not_asked(unasked: Sequence[tuple[str, str, str]], test: GenevalTest) -> list[Caveat]:
    """How many sentences were not asked, where some were."""
    told = f"{len(unasked)} sentences were not asked"
    text = f"{told}, of {len(test.lines.rows)}: the model of given answers lacks translations of their pairs"
    return [Caveat(text, short=told)] if unasked else []


def coverage_of(rows: pd.DataFrame, test: GenevalTest, unasked: Sequence[tuple[str, str, str]]) -> Coverage:
    """By gender; a line that could not be read has a sentence of each, or one whose gender is not shown."""
    both = (FEMININE, MASCULINE) if test.part != "context" else (NOT_TOLD,)
    unread = [(line, role, why) for line, why in test.lines.unread for role in both]
    gone = rows[rows.untold != ""]
    lost = [*zip(gone.source, gone.role, gone.untold, strict=True), *unread, *unasked]
    told = Counter(rows.role[rows.untold == ""])
    roles = dict.fromkeys((*rows.role, *(one for _, one, _ in (*unread, *unasked))))
    return covered({role: told[role] for role in roles}, lost)
