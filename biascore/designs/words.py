"""From word lists to vectors, with every word that is lost on the way reported; shared by the metrics."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from biascore.basics.frozen import Scalar
from biascore.metric import MetricOptions
from biascore.models.model import Model
from biascore.models.questions.questions import Level, Text
from biascore.results.caveat import Caveat
from biascore.results.coverage import NO_FURTHER, REPEATED, UNSEEN, Coverage, LostWord, known_as
from biascore.results.coverage import OUT_OF_VOCABULARY as OUT_OF_VOCABULARY
from biascore.stats import cosine_matrix
from biascore.stats.cosines import Cosines
from biascore.stats.exchange import Exchange, Named
from biascore.stimuli import WordList

MIN_WORDS: Final = 8
"""Fewer words than this do not represent a concept well (Omrani Sabbaghi & Caliskan 2022, section 5.3)."""
MAX_LOST_SHARE: Final = 0.2
"""A list that loses a larger share of its words no longer represents its concept (WEFE's threshold)."""

OF_MODEL: Final = ("vector of a text",)
"""Conventions that follow from the model that is measured, so that they may differ between two that are compared."""

HELD: Final = 2 * 10**7
"""So many cosines are held in one table, at most: 0.16 GB, and as much for each step of their statistics."""

NEAR: Final = 0.01
"""Vectors nearer to each other than this part of the usual distance between two words are those of one word.

Set far below synonyms (of the words of the English WEAT tests in all-MiniLM-L6-v2, "dance" and "dancing" are nearest, at
0.27) and relative, because the states of some contextual models all lie close together.
"""


class WordOptions(MetricOptions):
    """Which words of a list are used.

    ``duplicates``: words that repeat another of their list (by letter, in other case or Unicode form, or with nearly
    its vector) are no second observation, so they count once; "keep" reproduces published numbers from such lists.
    ``unseen``: words that the model has a vector for but has never met in training, because it puts one together
    from character n-grams. What is measured on them says how they are spelt, so they are lost; "keep" uses and names them.
    """

    duplicates: Literal["drop", "keep"] = "drop"
    unseen: Literal["drop", "keep"] = "drop"

    def word_conventions(self) -> dict[str, Scalar]:
        """The conventions on words."""
        return {"duplicates": self.duplicates, "words never seen in training": self.unseen}


class LevelOptions(WordOptions):
    """``level``: embed each word as a text of its own, or as a token within it (contextual models)."""

    level: Literal["sentence", "token"] = "sentence"

    def variant(self, model: Model) -> str:
        """What tells a measurement from others of its metric: the level, and options that are not the defaults."""
        level = "" if model.identity.composes_words else f"{self.level} level"
        return ", ".join(filter(None, [level, *self.changed("level")]))

    def level_conventions(self, model: Model) -> dict[str, Scalar]:
        """The conventions on words and on their vectors."""
        return {
            **self.word_conventions(),
            "embedding level": self.level,
            "vector of a text": model.identity.sentence_vector,
        }


Vectors = npt.NDArray[np.float32] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RoleVectors:
    """The words of each role that have a vector, in list order, and what was lost."""

    words: Mapping[str, tuple[str, ...]]
    vectors: Mapping[str, npt.NDArray[np.float32]]
    coverage: Coverage

    def too_few(self, least: Mapping[str, int]) -> str:
        """Why the roles cannot be measured, or an empty string: a role with fewer words than ``least``."""
        return too_few(self.words, self.coverage, least)

    def cosines(self, rows: Sequence[str], columns: Sequence[str]) -> npt.NDArray[np.float64]:
        """The cosines (n, m) of the words of some roles with those of others."""
        one, other = (np.concatenate([self.vectors[role] for role in some]) for some in (rows, columns))
        if not len(one) or not len(other):
            return np.empty((len(one), len(other)))
        return cosine_matrix(one, other)

    def crossed(self, rows: Sequence[str], columns: Sequence[str]) -> npt.NDArray[np.float64] | Cosines:
        """The same; a `Cosines` where they are more than `HELD`."""
        one, other = (np.concatenate([self.vectors[role] for role in some]) for some in (rows, columns))
        return Cosines.of(one, other) if len(one) * len(other) > HELD else self.cosines(rows, columns)


def too_few(words: Mapping[str, Sequence[str]], coverage: Coverage, least: Mapping[str, int]) -> str:
    """Why these roles cannot be measured, or an empty string: a role with fewer words than ``least``."""
    short = [
        f"{role} has {len(words[role])} usable word(s) of {coverage.given[role]} and needs {count}"
        for role, count in least.items()
        if len(words[role]) < count
    ]
    return "; ".join(short)


def embed_words(
    model: Model,
    lists: Mapping[str, Sequence[str]],
    level: Level,
    options: WordOptions,
    *,
    forms: frozenset[str] = frozenset(),
) -> RoleVectors:
    """Embed the words of every role in one call; words without a usable vector are lost and listed.

    The lists of the roles ``forms`` are forms that the caller assembles, and drops where they repeat.
    """
    distinct, lost = distinct_words({role: lists[role] for role in lists if role not in forms}, options)
    kept = {role: distinct.get(role, tuple(given)) for role, given in lists.items()}
    everything = [word for role in lists for word in kept[role]]
    rows = model.embed(everything, level)
    reasons = why_lost(model, everything, rows, options)
    if options.duplicates == "drop":
        reasons = _with_equals(reasons, rows, kept, forms)
    words: dict[str, tuple[str, ...]] = {}
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    start = 0
    for role in lists:
        span = range(start, start + len(kept[role]))
        usable = [i for i in span if not reasons[i]]
        lost += [LostWord(word=everything[i], role=role, reason=reasons[i]) for i in span if reasons[i]]
        words[role] = tuple(everything[i] for i in usable)
        vectors[role] = rows[usable]
        start = span.stop
    coverage = Coverage(
        given={role: len(given) for role, given in lists.items()},
        used={role: len(found) for role, found in words.items()},
        lost=tuple(lost),
        composed=composed(model, words),
        unseen=unseen(model, words),
    )
    return RoleVectors(words, vectors, coverage)


def exchange_of(
    lists: tuple[WordList, WordList],
    words: tuple[Sequence[str], Sequence[str]],
    blocks: Named = ((), ()),
) -> Exchange:
    """What of the usable words of two lists may be exchanged: the families and counterparts that the lists declare.

    ``blocks`` names the kind of each word, within which words are exchanged.
    """
    one, other = (
        own.families_of(some) if own.families else [] for own, some in zip(lists, words, strict=True)
    )
    return Exchange.of(
        (len(words[0]), len(words[1])),
        families=(one, other),
        blocks=blocks,
        counterparts=counterparts(lists, words),
    )


def counterparts(lists: tuple[WordList, WordList], words: tuple[Sequence[str], Sequence[str]]) -> Named:
    """The place of each usable word, which is that of its counterpart; nothing where the lists declare none."""
    if not lists[0].paired_with(lists[1]):
        return (), ()
    # The first place of a word that stands twice.
    places = [{word: i for i, word in reversed(tuple(enumerate(own.words)))} for own in lists]
    one, other = ([own[word] for word in some] for own, some in zip(places, words, strict=True))
    return one, other


def spelling(text: str) -> str:
    """What spellings of one word or sentence have in common, whatever their case and Unicode form."""
    return unicodedata.normalize("NFC", text).casefold()


def distinct_words(
    lists: Mapping[str, Sequence[str]], options: WordOptions
) -> tuple[dict[str, tuple[str, ...]], list[LostWord]]:
    """The words of each role once, whatever their case and Unicode form, and those left out; or all of them.

    Spellings of one word are no independent observations: eight capitalisations of one are one.
    """
    if options.duplicates == "keep":
        return {role: tuple(words) for role, words in lists.items()}, []
    kept: dict[str, tuple[str, ...]] = {}
    lost: list[LostWord] = []
    for role, words in lists.items():
        first: dict[str, str] = {}
        for word in words:
            key = spelling(word)
            if key in first:
                same = word == first[key]
                reason = REPEATED if same else f"another spelling of {first[key]!r}, {NO_FURTHER}"
                lost.append(LostWord(word=word, role=role, reason=reason))
            first.setdefault(key, word)
        kept[role] = tuple(first.values())
    return kept, lost


def why_lost(
    model: Model, words: Sequence[str], rows: npt.NDArray[np.float32], options: WordOptions
) -> list[str]:
    """Why each word with this vector is not used, or an empty string; names a spelling that the model knows."""
    reasons = []
    for reason, known in zip(unusable(rows), model.familiarity(words), strict=True):
        why = UNSEEN if not (reason or known.seen) and options.unseen == "drop" else reason
        spelling = known_as(known.spelling) if why and known.spelling else ""
        reasons.append(why + spelling)
    return reasons


def unseen(model: Model, words: Mapping[str, Sequence[str]]) -> tuple[LostWord, ...]:
    """The words that have a vector although the model has never seen them, and a spelling that it has seen."""
    pairs = [(role, word) for role, some in words.items() for word in some]
    return tuple(
        LostWord(word=word, role=role, reason=UNSEEN + (known_as(found.spelling) if found.spelling else ""))
        for (role, word), found in zip(pairs, model.familiarity([word for _, word in pairs]), strict=True)
        if not found.seen
    )


BLOCK: Final = 256
"""Rows that are compared with all others at once."""


def equal_vectors(rows: Vectors, usual: float) -> dict[int, int]:
    """For each vector that is (nearly) that of an earlier one, the place of that one; shape (n, d), no NaN.

    ``usual`` is the usual distance between two words, as ``usual_distance`` gives it.
    """
    found: dict[int, int] = {}
    exact = rows.astype(np.float64)
    squares = np.einsum("ij,ij->i", exact, exact)
    limit = (NEAR * usual) ** 2 + 1e-9 * squares.max(initial=0.0)
    places = np.empty(len(exact), dtype=np.intp)
    m = 0
    for start in range(0, len(exact), BLOCK):
        block = slice(start, start + BLOCK)
        # A product finds the few that may be near, and only these are subtracted: without copies of all.
        kept = places[:m]
        about = squares[block, None] + squares[kept] - 2 * (exact[block] @ exact[kept].T) if m else None
        before = m
        for place in range(start, min(start + BLOCK, len(exact))):
            own = places[before:m]
            near = squares[own] + squares[place] - 2 * (exact[own] @ exact[place])
            few = own[near <= limit]
            if about is not None:
                few = np.concatenate([kept[about[place - start] <= limit], few])
            distances = np.linalg.norm(exact[few] - exact[place], axis=1)
            if len(few) and distances.min() <= NEAR * usual:
                found[place] = int(few[int(distances.argmin())])
            else:
                places[m] = place
                m += 1
    return found


def usual_distance(rows: Vectors) -> float:
    """Root mean square of the distances between two of the vectors, shape (n, d); 0 for fewer than two."""
    return float(np.sqrt(2 * rows.astype(np.float64).var(axis=0, ddof=1).sum())) if len(rows) > 1 else 0.0


def _with_equals(
    reasons: Sequence[str],
    rows: npt.NDArray[np.float32],
    lists: Mapping[str, Sequence[str]],
    forms: frozenset[str],
) -> list[str]:
    """The reasons, and one for each word whose vector is that of an earlier word of its list, forms aside."""
    found = list(reasons)
    usual = usual_distance(rows[[i for i, reason in enumerate(reasons) if not reason]])
    start = 0
    for role, words in lists.items():
        own = [i for i in range(len(words)) if not reasons[start + i]]
        if role not in forms:
            for place, earlier in equal_vectors(rows[[start + i for i in own]], usual).items():
                found[start + own[place]] = same_as(words[own[earlier]])
        start += len(words)
    return found


def same_as(word: str, what: str = "vector") -> str:
    """Why a word (or what else is sampled) is lost of which something is (nearly) that of another."""
    return f"has the {what} of {word!r}, {NO_FURTHER}"


def unusable(rows: npt.NDArray[np.float32]) -> list[str]:
    """Why each vector cannot be used, or an empty string."""
    unknown, known = np.any(np.isnan(rows), axis=1).tolist(), np.any(rows, axis=1).tolist()
    return [
        OUT_OF_VOCABULARY if unknown[i] else "" if known[i] else "its vector is zero, so it has no direction"
        for i in range(len(rows))
    ]


def composed(model: Model, words: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The phrases that a model of single words takes as the mean of their words, and not as one word that it has."""
    if not model.identity.composes_words:
        return ()
    phrases = [*dict.fromkeys(w for found in words.values() for w in found if len(w.split()) > 1)]
    known = model.familiarity(phrases) if phrases else ()
    return tuple(w for w, one in zip(phrases, known, strict=True) if not (one.seen and one.spelling))


def covered(used: Mapping[str, int], lost: Iterable[tuple[str, str, str]]) -> Coverage:
    """The coverage of lists by role: how many items of each are used, and of each that is lost item, role and reason."""
    gone = tuple(LostWord(word=word, role=role, reason=reason) for word, role, reason in lost)
    return Coverage(
        given={**used, **(Counter(used) + Counter(one.role for one in gone))}, used=used, lost=gone
    )


def coverage_caveats(coverage: Coverage, *, brief: bool = True) -> tuple[Caveat, ...]:
    """Small lists and lost words; ``brief``: in short, too, of the list that lost the largest share."""
    found, lost = [], Counter(word.role for word in coverage.missing)
    shares = {role: lost[role] / given for role, given in coverage.given.items() if given}
    worst = max(shares, key=lambda role: (shares[role], role), default="") if brief else ""
    for role, given in coverage.given.items():
        oov = lost[role]
        if oov > MAX_LOST_SHARE * given:
            short = f"a list lost {oov} of its {given} words" if role == worst else ""
            found.append(
                Caveat(
                    f"{role} lost {oov} of its {_words(given)}, so it may no longer represent its concept",
                    short=short,
                )
            )
        elif coverage.used[role] < MIN_WORDS:
            few = _words(coverage.used[role])
            found.append(Caveat(f"{role} has {few}; fewer than {MIN_WORDS} do not represent a concept well"))
        strange = [word.word for word in coverage.unseen if word.role == role]
        if len(strange) > MAX_LOST_SHARE * coverage.used[role]:
            found.append(
                Caveat(
                    f"{role}: the model has never seen {len(strange)} of its {_words(coverage.used[role])}, whose vectors "
                    f"are composed from their letters: {', '.join(strange)}"
                )
            )
    # What is said in short comes first.
    return tuple(sorted(found, key=lambda one: not one.short))


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"


def composed_caveat(coverage: Coverage) -> tuple[Caveat, ...]:
    """The phrases taken as means, if there are any."""
    if not coverage.composed:
        return ()
    return (
        Caveat(f"phrases taken as the mean of their words: {', '.join(coverage.composed)}", verdict=False),
    )


def unknown_words(model: Model, words: Mapping[str, Iterable[str]], options: WordOptions) -> dict[str, str]:
    """Those words, of lists by role, that are not used, and why; each distinct one is asked once, alone."""
    distinct = list(dict.fromkeys(word for some in words.values() for word in some))
    rows = model.embed([Text.word(word) for word in distinct], "token")
    return {
        word: reason
        for word, reason in zip(distinct, why_lost(model, distinct, rows, options), strict=True)
        if reason
    }
