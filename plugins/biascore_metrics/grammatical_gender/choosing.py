"""Which nouns of a treebank are taken, and why the others are not: every rule is counted."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from biascore.errors import DataError
from biascore_metrics.grammatical_gender.conllu import Token
from biascore_metrics.grammatical_gender.kind import NounClass
from biascore_metrics.grammatical_gender.options import CLASSES, PLURAL, ConlluOptions

CAPITALISED: Final = ("de", "lb")
"""Languages that write every noun with a capital letter."""


@dataclass(slots=True)
class Counted:
    """The nouns of a treebank with how often they are of each class, and the nouns left out, by reason."""

    classes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    lemmas: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    animate: set[str] = field(default_factory=set)
    unused: Counter[str] = field(default_factory=Counter)
    nouns: int = 0
    with_animacy: set[str] = field(default_factory=set)
    composed: int = 0


def count(tokens: Iterable[Token], options: ConlluOptions, language: str) -> Counted:
    """Count every noun by class, as it is written or by its lemma."""
    found = Counted()
    keep = options.case == "keep" or (options.case == "auto" and language.split("-")[0] in CAPITALISED)
    for token in tokens:
        found.nouns += 1
        gender = token.features.get("Gender", "")
        animacy = token.features.get("Animacy", "")
        spelt = token.form if options.word == "form" else token.lemma
        word = unicodedata.normalize("NFC", spelt if keep else spelt.lower())
        found.composed += not unicodedata.is_normalized("NFC", spelt)
        if set(animacy.split(",")) & set(options.animate):
            found.animate.add(word)
        if token.features.get("Number") in ("Plur", "Ptan") and options.plural != "by-gender":
            if options.plural == "leave-out":
                found.unused["in the plural"] += 1
                continue
            gender = PLURAL
        if not gender:
            found.unused["without Gender"] += 1
            continue
        # "Fem,Masc" is a noun of both; it counts for each, and so is one of two classes.
        for value in gender.split(","):
            name = CLASSES.get(value.lower(), value.lower())
            found.classes[word][name] += 1
            found.with_animacy |= {name} if animacy else set()
        found.lemmas[word][token.lemma] += 1
    return found


def choose(
    found: Counted, wanted: Sequence[str], animates: Collection[str], options: ConlluOptions, display: str
) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The nouns of each class, the most frequent first and ties by spelling, and what is to be said of the choice.

    Raises DataError where a class has no noun.
    """
    reasons: Counter[str] = Counter()
    chosen: dict[str, list[str]] = {name: [] for name in wanted}
    frequency = {word: max(by_class.values()) for word, by_class in found.classes.items()}
    for word in sorted(frequency, key=lambda word: (-frequency[word], word)):
        reason = _reason(word, found, chosen, animates, options)
        if reason:
            reasons[reason] += 1
        else:
            chosen[next(iter(found.classes[word]))].append(word)
    _check(found, chosen, reasons, display)
    before = {name: len(words) for name, words in chosen.items()}
    most = min(before.values()) if options.balance else max(before.values())
    most = min(most, options.most) if options.most is not None else most
    chosen = {name: words[:most] for name, words in chosen.items()}
    cut = {name: before[name] - len(words) for name, words in chosen.items() if before[name] > len(words)}
    notes = [
        f"{found.nouns:,} nouns in running text, taken by their {options.word}; {_told(found.unused, 'none')} left out.",
        f"Words left out: {_told(reasons, 'none')}.",
    ]
    if cut:
        least = ["the smallest class"] * options.balance + ([f"{options.most:,}"] if options.most else [])
        notes.append(
            f"Classes cut to {' or '.join(least)}, the most frequent kept; left out: {_told(cut, 'none')}."
        )
    if found.composed:
        notes.append(
            f"{found.composed:,} nouns stood in decomposed Unicode and were composed (NFC), as vocabularies are."
        )
    silent = [name for name in wanted if name not in found.with_animacy]
    if silent and not animates:
        notes.append(
            f"Animates are among the {' and '.join(silent)} nouns: the treebank says no Animacy of them, and no list of "
            "animates was named."
        )
    return chosen, tuple(notes)


def split(
    words: Mapping[str, Sequence[str]], lemmas: Mapping[str, Counter[str]], share: float, seed: int
) -> tuple[NounClass, ...]:
    """The classes with a share of their words held out at random; forms of one lemma stay on one side."""
    classes = []
    for place, (name, listed) in enumerate(words.items()):
        groups: dict[str, list[str]] = defaultdict(list)
        for word in listed:
            groups[lemmas[word].most_common(1)[0][0]].append(word)
        wanted = round(share * len(listed))
        held_out: set[str] = set()
        order = np.random.default_rng([seed, place]).permutation(len(groups))
        families = list(groups.values())
        for index in order:
            if len(held_out) + len(families[index]) <= wanted:
                held_out.update(families[index])
        classes.append(
            NounClass(
                name,
                tuple(listed),
                tuple(word for word in listed if held_out and word not in held_out),
                tuple(word for word in listed if word in held_out),
            )
        )
    return tuple(classes)


def _reason(
    word: str,
    found: Counted,
    chosen: Mapping[str, Sequence[str]],
    animates: Collection[str],
    options: ConlluOptions,
) -> str:
    """Why a word is not taken, or nothing."""
    by_class = found.classes[word]
    if len(by_class) > 1:
        return "of two classes"
    name = next(iter(by_class))
    if name not in chosen:
        return f"of another class ({name})"
    if word in found.animate:
        return "animate by the treebank"
    if word in animates:
        return "animate by the list"
    if by_class[name] < options.min_count:
        return f"found less than {options.min_count} times"
    return ""


def _check(
    found: Counted, chosen: Mapping[str, Sequence[str]], reasons: Mapping[str, int], display: str
) -> None:
    if not found.classes:
        what = "no noun (UPOS NOUN)" if not found.nouns else f"{found.nouns:,} nouns, and none has a Gender"
        raise DataError(
            f"{display} has {what}. Give a treebank whose nouns have the feature Gender; see: biascore list formats"
        )
    lost = [name for name, words in chosen.items() if not words]
    if lost:
        there = _told({name: len(words) for name, words in chosen.items() if words}, "none of the others")
        raise DataError(
            f"{display} has no {lost[0]} noun that can be taken ({there}; left out: {_told(reasons, 'none')}). "
            "Name the classes that it has with the option classes, such as "
            '-o \'data.classes=["masculine", "feminine"]\''
        )


def _told(counts: Mapping[str, int], none: str) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items()) or none
